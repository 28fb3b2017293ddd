"""A real Firefox for tests, spoken to over its Marionette protocol."""

import json
import shutil
import socket
import subprocess
import time
from pathlib import Path

FIREFOX = next(filter(None, map(shutil.which, ["firefox-esr", "firefox"])), None)
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Backspace": "\ue003", "ArrowLeft": "\ue012", "ArrowUp": "\ue013",
        "ArrowRight": "\ue014", "ArrowDown": "\ue015"}


class Firefox:
    def __init__(self, profile):
        Path(profile).mkdir()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        Path(profile, "user.js").write_text(f'user_pref("marionette.port", {port});\n')
        self.process = subprocess.Popen([FIREFOX, "--headless", "--marionette", "--no-remote", "--profile", profile],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(300):
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
                break
            except OSError:
                time.sleep(0.1)
        self.number = 0
        self.buffer = b""
        self.receive()  # who it is
        self.call("WebDriver:NewSession", capabilities={})

    def receive(self):
        while b":" not in self.buffer:
            self.buffer += self.some()
        length, self.buffer = self.buffer.split(b":", 1)
        while len(self.buffer) < int(length):
            self.buffer += self.some()
        message, self.buffer = self.buffer[:int(length)], self.buffer[int(length):]
        return json.loads(message)

    def some(self):
        got = self.socket.recv(1 << 16)
        if not got:
            raise EOFError("Firefox is gone")
        return got

    def call(self, command, **parameters):
        self.number += 1
        message = json.dumps([0, self.number, command, parameters]).encode()
        self.socket.sendall(f"{len(message)}:".encode() + message)
        _, _, error, result = self.receive()
        if error:
            raise RuntimeError(error)
        return result

    def load(self, address):
        self.call("WebDriver:Navigate", url=address)
        self.wait("'ready' in document.documentElement.dataset")

    def run(self, script):
        return self.call("WebDriver:ExecuteScript", script=script, args=[], sandbox=None)["value"]

    def wait(self, condition):
        """What a script of ours sees is the document, not the names of the page's scripts."""
        for _ in range(200):
            if self.run(f"return {condition}"):
                return
            time.sleep(0.05)
        raise TimeoutError(condition)

    def act(self, kind, actions, **more):
        self.call("WebDriver:PerformActions", actions=[{"type": kind, "id": kind, "actions": actions, **more}])

    def press(self, *keys):
        self.act("key", [{"type": what, "value": KEYS.get(key, key)} for key in keys for what in ("keyDown", "keyUp")])

    def click(self, selector):
        box = self.run(f"const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{ block: 'center' }});"
                       "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]")
        self.act("pointer", [{"type": "pointerMove", "x": int(box[0]), "y": int(box[1])}, {"type": "pointerDown", "button": 0},
                             {"type": "pointerUp", "button": 0}], parameters={"pointerType": "mouse"})

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait()
