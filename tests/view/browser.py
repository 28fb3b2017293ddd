"""A real browser for tests: Chromium, spoken to over a pair of pipes (its DevTools protocol)."""

import base64
import json
import os
import shutil
import subprocess
import time

BROWSER = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)


class Browser:
    def __init__(self, profile):
        to_browser, self.writer = os.pipe()
        self.reader, from_browser = os.pipe()

        # The browser reads commands from descriptor 3 and writes answers to 4.
        def connect():
            os.dup2(to_browser, 30)
            os.dup2(from_browser, 31)
            os.dup2(30, 3)
            os.dup2(31, 4)

        self.process = subprocess.Popen(
            [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
             "--window-size=1280,900", f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=connect, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.session = None
        self.complaints = []
        self.dialogs = []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self.attach(page["targetId"])

    def attach(self, target):
        self.session = None
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log"]:
            self.call(domain + ".enable")

    def new_tab(self):
        """From here on this tab is spoken to; `session` is the way back to the other one."""
        self.attach(self.call("Target.createTarget", url="about:blank")["targetId"])

    def receive(self):
        while b"\0" not in self.buffer:
            got = os.read(self.reader, 1 << 16)
            if not got:
                raise EOFError("the browser is gone")
            self.buffer += got
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def note(self, message):
        method = message.get("method")
        if method == "Runtime.exceptionThrown":
            self.complaints.append(message["params"]["exceptionDetails"])
        if method in ("Runtime.consoleAPICalled", "Log.entryAdded"):
            self.complaints.append(message["params"])
        if method == "Page.javascriptDialogOpening":
            self.dialogs.append(message["params"]["type"])
            self.send("Page.handleJavaScriptDialog", accept=True)

    def send(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writer, json.dumps(message).encode() + b"\0")
        return self.number

    def call(self, method, **parameters):
        number = self.send(method, **parameters)
        while True:
            answer = self.receive()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(answer["error"])
                return answer["result"]
            self.note(answer)

    def load(self, address):
        """Of a part of the page that is open (#...) there is no load: the browser would wait for ever."""
        self.call("Page.navigate", url=address)
        self.loaded()

    def reload(self):
        self.call("Page.reload")
        self.loaded()

    def loaded(self):
        while True:
            message = self.receive()
            self.note(message)
            if message.get("method") == "Page.loadEventFired":
                break
        # The page is there when the engine is.
        self.wait("!document.getElementById('scores') || 'ready' in document.documentElement.dataset")

    def wait(self, condition):
        for _ in range(400):
            try:
                if self.evaluate(condition):
                    return
            except RuntimeError as error:  # on the way to another page nothing holds yet
                if "navigated" not in str(error):
                    raise
            time.sleep(0.05)
        raise TimeoutError(condition)

    def evaluate(self, expression):
        """Its value, as soon as the page has nothing to do any more."""
        code = f"(async () => {{ if (typeof quiet === 'function') await quiet(); return JSON.stringify({expression}); }})()"
        result = self.call("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return json.loads(result["result"].get("value", "null"))

    def press(self, *keys, held=0):
        """held: how often each key repeats by itself."""
        for key in keys:
            text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
            code = {"Backspace": 8, "Enter": 13, "Escape": 27}.get(key, 0)
            for time_held in range(held + 1):
                self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code,
                          autoRepeat=time_held > 0, **text)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def type_key(self, key, code, shift=False):
        """A key of some keyboard: what it says, and where it lies."""
        for kind in ["keyDown", "keyUp"]:
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code, modifiers=8 if shift else 0,
                      **({"text": key} if kind == "keyDown" else {}))

    def click(self, selector, modifiers=0):
        """With the mouse, in the middle of the element."""
        quoted = json.dumps(selector)
        self.evaluate(f"void document.querySelector({quoted}).scrollIntoView({{block: 'center', inline: 'center'}})")
        box = self.evaluate(f"document.querySelector({quoted}).getBoundingClientRect().toJSON()")
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        for kind in ["mousePressed", "mouseReleased"]:
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1,
                      modifiers=modifiers)

    def screen(self, width, height, scale=1, mobile=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                  mobile=mobile)

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def media(self, media="", scheme="light"):
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def close(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.writer)
        os.close(self.reader)
