"""What the tests of the page for annotators share: a browser, pages of the English test set, files."""

import glob
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

from browser import BROWSER, Browser

COPPICE, DATA = sys.argv[1], os.path.abspath(sys.argv[2])
ENGLISH = os.path.join(DATA, "ud-scores", "English-EWT.npz")
TEXT = os.path.join(DATA, "en_ewt-ud-test.conllu")
LABELS = os.path.join(DATA, "ud-scores", "English-EWT.labels.npz")
HEADS = "[...tree().heads].slice(1)"
COUNT = 30


def blocks(text):
    return [block for block in text.split("\n\n") if block.strip()]


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(cls.folder.cleanup)
        cls.browser = Browser(os.path.join(cls.folder.name, "profile"))
        cls.addClassCleanup(cls.browser.close)
        cls.downloads = os.path.join(cls.folder.name, "downloads")
        cls.browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=cls.downloads)
        cls.text = os.path.join(cls.folder.name, "text.conllu")
        with open(TEXT, encoding="utf-8", newline="") as file:
            some = "\n\n".join(file.read().split("\n\n")[:COUNT]) + "\n\n"
        cls.original = some.encode()
        with open(cls.text, "wb") as file:
            file.write(cls.original)

    def setUp(self):
        self.browser.complaints.clear()
        self.browser.screen(1280, 900)

    def tearDown(self):
        self.assertEqual(self.browser.complaints, [])

    def open(self, *options, forget=True):
        page = os.path.join(self.folder.name, "page.html")
        subprocess.run([COPPICE, "annotate", *options, "-o", page], check=True)
        self.browser.load("about:blank")
        self.browser.load("file://" + page)
        if forget:
            self.browser.evaluate("void localStorage.clear()")
            self.reload()

    def open_english(self, *options):
        self.open(ENGLISH, "--limit", str(COUNT), "--text", self.text, *options)

    def reload(self):
        self.browser.load(self.browser.evaluate("location.href.split('#')[0]"))

    def decode(self, index, *options):
        lines = subprocess.run([COPPICE, "decode", ENGLISH, "--limit", str(index + 1), *options], check=True,
                               capture_output=True).stdout.splitlines()
        return [tree for tree in map(json.loads, lines) if tree["id"] == str(index)]

    def heads(self):
        return self.browser.evaluate(HEADS)

    def click_word(self, v):
        self.browser.click(f'#figure .token[data-word="{v}"] .hit')

    def downloaded(self, pattern):
        for _ in range(100):
            found = [p for p in glob.glob(os.path.join(self.downloads, pattern)) if os.path.getsize(p)]
            if found:
                with open(found[0], "rb") as file:
                    content = file.read()
                os.remove(found[0])
                return content
            time.sleep(0.05)
        self.fail(f"no download {pattern}")

    def choose_files(self, *paths):
        document = self.browser.call("DOM.getDocument")["root"]["nodeId"]
        node = self.browser.call("DOM.querySelector", nodeId=document, selector="#files")["nodeId"]
        self.browser.evaluate("void ($('message').textContent = '')")
        self.browser.call("DOM.setFileInputFiles", nodeId=node, files=list(paths))
        self.browser.wait("$('message').textContent !== ''")

    def message(self):
        return self.browser.evaluate("$('message').textContent")

    def write(self, name, content):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return path


def main():
    if BROWSER is None:
        print("no Chromium: skipped")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
