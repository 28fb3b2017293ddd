"""The page in a real browser: it loads, walks, and shows what the JSON says; no error on the console.

Usage: page_test.py COPPICE DATA-FOLDER
Exits with 77 (skipped) where there is no Chromium.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

COPPICE, DATA = sys.argv[1:3]
BROWSER = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
ENGLISH = os.path.join(DATA, "ud-scores", "English-EWT.npz")
TEXT = os.path.join(DATA, "en_ewt-ud-test.conllu")
LABELS = os.path.join(DATA, "ud-scores", "English-EWT.labels.npz")


class Browser:
    """Chromium, spoken to over a pair of pipes (its DevTools protocol)."""

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
        self.complaints = []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log"]:
            self.call(domain + ".enable")

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

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if hasattr(self, "session"):
            message["sessionId"] = self.session
        os.write(self.writer, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(answer["error"])
                return answer["result"]
            self.note(answer)

    def load(self, address):
        self.call("Page.navigate", url=address)
        while True:
            message = self.receive()
            self.note(message)
            if message.get("method") == "Page.loadEventFired":
                return

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=f"JSON.stringify({expression})", returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return json.loads(result["result"].get("value", "null"))

    def press(self, key):
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def media(self, media="", scheme="light"):
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def close(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.writer)
        os.close(self.reader)


SHOWN = """({
  id: document.getElementById('sentence-id').textContent,
  rank: document.getElementById('rank').textContent,
  facts: Object.fromEntries([...document.querySelectorAll('#facts dd')].map(d => [d.dataset.fact, d.textContent])),
  arcs: [...document.querySelectorAll('#figure .arc')].map(a => [+a.dataset.dependent, +a.dataset.head, a.dataset.label ?? '']).sort((a, b) => a[0] - b[0]),
  changed: [...document.querySelectorAll('#figure .arc.changed')].map(a => +a.dataset.dependent).sort((a, b) => a - b),
  broken: [...document.querySelectorAll('#figure .arc.broken')].map(a => +a.dataset.dependent).sort((a, b) => a - b),
  rows: document.querySelectorAll('#trees tbody tr').length,
  probability: data.sentences[state.sentence].trees[state.tree].probability ?? null,
  bars: [...document.querySelectorAll('.bars')].map(b => [+b.dataset.dependent,
    [...b.children].map(c => [+c.dataset.head, c.dataset.label ?? '', +c.dataset.count])]),
})"""


def shown_number(value):
    if value == int(value):
        text = str(int(value))
    elif abs(value) < 5e-4:
        text = None  # an exponent; not compared
    else:
        text = f"{value:.4f}"
    return text and text.replace("-", "\u2212")


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.browser = Browser(os.path.join(cls.folder.name, "profile"))
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.browser.complaints.clear()

    def tearDown(self):
        self.assertEqual(self.browser.complaints, [])

    def make(self, *options):
        """The page and, by the other way, the trees: sentence id -> list of lines."""
        page = os.path.join(self.folder.name, "page.html")
        subprocess.run([COPPICE, "view", *options, "-o", page], check=True)
        lines = subprocess.run([COPPICE, "decode", *options], check=True, capture_output=True).stdout
        sentences = {}
        for line in map(json.loads, lines.splitlines()):
            sentences.setdefault(line["id"], []).append(line)
        self.browser.load("about:blank")
        self.browser.load("file://" + page)
        return sentences

    def compare(self, trees, rank):
        shown = self.browser.evaluate(SHOWN)
        tree = trees[rank - 1]
        labels = tree.get("labels") or ["root" if head == 0 else "" for head in tree["heads"]]
        self.assertEqual(shown["id"], tree["id"])
        self.assertEqual(shown["rank"], f"{rank} of {len(trees)}")
        self.assertEqual(shown["rows"], len(trees))
        self.assertEqual(shown["arcs"], [[v, h, l] for v, (h, l) in enumerate(zip(tree["heads"], labels), 1)])
        for name in ["score", "gap"]:
            if shown_number(tree[name]):
                self.assertEqual(shown["facts"][name], shown_number(tree[name]))
        if shown["probability"] is not None and 0.001 <= shown["probability"] < 0.9995:
            self.assertEqual(shown["facts"]["probability"], f"{100 * shown['probability']:.1f} %")
        choices = [list(zip(t["heads"], t.get("labels", [""] * len(t["heads"])))) for t in trees]
        now, first = choices[rank - 1], choices[0]
        self.assertEqual(shown["changed"], [v for v in range(1, len(now) + 1) if now[v - 1] != first[v - 1]])
        roots = [v for v, head in enumerate(tree["heads"], 1) if head == 0]
        self.assertEqual(shown["broken"], roots if len(roots) > 1 else [])
        bars = []
        for v in range(len(now)):
            column = [choice[v] for choice in choices]
            if len(set(column)) > 1:
                bars.append([v + 1, [[h, l, column.count((h, l))] for h, l in dict.fromkeys(column)]])
        self.assertEqual(shown["bars"], bars)

    def test_walks_through_trees_and_sentences(self):
        sentences = self.make(ENGLISH, "--text", TEXT, "--labels", LABELS, "-k", "7", "--limit", "40")
        ids = list(sentences)
        self.assertEqual(self.browser.evaluate("document.getElementById('count').textContent"), "40 sentences")
        for number in [0, 1, 2]:
            trees = sentences[ids[number]]
            for rank in range(1, len(trees) + 1):
                self.compare(trees, rank)
                self.browser.press("ArrowRight")
            self.compare(trees, len(trees))  # the last one is the last one
            self.browser.press("Home")
            self.compare(trees, 1)
            self.browser.press("End")
            self.browser.press("ArrowLeft")
            self.compare(trees, len(trees) - 1)
            self.browser.press("j")
        self.compare(sentences[ids[3]], 1)
        self.browser.press("k")
        self.compare(sentences[ids[2]], 1)

    def test_root_edges_beyond_one_are_marked(self):
        sentences = self.make(ENGLISH, "--root", "any", "-k", "10", "--limit", "10")
        seen = 0
        for number, trees in enumerate(sentences.values()):
            for rank in range(1, len(trees) + 1):
                self.browser.evaluate(f"void go({number}, {rank - 1})")
                self.compare(trees, rank)
                seen += trees[rank - 1]["heads"].count(0) > 1
        self.assertGreater(seen, 0)

    def test_clicks_search_layouts_themes_and_print(self):
        sentences = self.make(ENGLISH, "--text", TEXT, "-k", "5", "--limit", "60")
        trees = list(sentences.values())
        self.browser.evaluate("void document.querySelector('#trees tbody tr:nth-child(4)').click()")
        self.compare(trees[0], 4)
        self.browser.press("/")
        for letter in "toolbar":
            self.browser.press(letter)
        found = self.browser.evaluate("[...document.querySelectorAll('.row')].map(r => +r.dataset.index)")
        words = self.browser.evaluate("data.sentences.map(s => s.words.join(' ').toLowerCase().includes('toolbar'))")
        self.assertEqual(found, [i for i, there in enumerate(words) if there])
        self.browser.press("Enter")
        self.compare(trees[found[0]], 1)
        for key in ["l", "m", "d", "l", "m"]:
            self.browser.press(key)
            self.assertGreater(self.browser.evaluate("document.querySelectorAll('#figure .arc').length"), 0)
        self.compare(trees[found[0]], 1)
        background = "getComputedStyle(document.body).backgroundColor"
        self.browser.evaluate("delete document.documentElement.dataset.theme")
        colours = set()
        for scheme in ["light", "dark"]:
            self.browser.media(scheme=scheme)
            colours.add(self.browser.evaluate(background))
        self.assertEqual(len(colours), 2)
        self.browser.media(media="print", scheme="dark")
        self.assertEqual(self.browser.evaluate(background), "rgb(255, 255, 255)")
        self.assertEqual(self.browser.evaluate("getComputedStyle(document.querySelector('nav')).display"), "none")
        self.browser.media()

    def test_long_sentences_fit_the_page(self):
        self.make(ENGLISH, "--text", TEXT, "-k", "3", "--limit", "30")
        longest = self.browser.evaluate("data.sentences.map(s => s.words.length).indexOf(81)")
        self.browser.evaluate(f"void go({longest}, 1)")
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#figure .arc').length"), 81)
        self.assertTrue(self.browser.evaluate("figure.scrollWidth <= figure.clientWidth"))
        self.assertTrue(self.browser.evaluate("document.body.scrollWidth <= innerWidth"))

    def test_hostile_words_stay_words(self):
        graph = {"id": "</script><b>x</b>", "scores": [[None, 1, 2], [None, None, 3], [None, 0, None]],
                 "words": ["<img src=x onerror=alert(1)>", "&amp;\u2028"]}
        none = {"id": "none", "scores": [[None, None], [None, None]]}
        path = os.path.join(self.folder.name, "in.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for line in [graph, none]:
                file.write(json.dumps(line) + "\n")
        sentences = self.make(path, "-k", "5")
        self.compare(sentences[graph["id"]], 1)
        # All trees are listed, so their probabilities add up to one.
        self.assertAlmostEqual(sum(self.browser.evaluate("data.sentences[0].trees.map(t => t.probability)")), 1)
        self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('.word')].map(w => w.textContent)"),
                         graph["words"])
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('img, b').length"), 0)
        self.browser.press("j")
        self.assertEqual(
            self.browser.evaluate("document.getElementById('error').textContent"),
            "No tree: '1' cannot be reached from the root, node 0",
        )

    def test_no_sentences_at_all(self):
        path = os.path.join(self.folder.name, "empty.jsonl")
        open(path, "w").close()
        self.make(path)
        self.assertEqual(self.browser.evaluate("document.getElementById('sentence-text').textContent"),
                         "There are no sentences.")


if __name__ == "__main__":
    if BROWSER is None:
        print("no Chromium: skipped")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
