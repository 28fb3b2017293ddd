"""The page in Firefox, by keys and mouse: trees from the worker, what is kept, what is said.

Usage: firefox_test.py COPPICE DATA-FOLDER [TEST...]
Exits with 77 (skipped) where there is no Firefox.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

from firefox import FIREFOX, Firefox

COPPICE, DATA = sys.argv[1], os.path.abspath(sys.argv[2])
ENGLISH = os.path.join(DATA, "ud-scores", "English-EWT.npz")
TEXT = os.path.join(DATA, "en_ewt-ud-test.conllu")
HEADS = """[...document.querySelectorAll('#figure .arc:not(.overlay)')].sort((a, b) => a.dataset.dependent - b.dataset.dependent)
    .map(a => +a.dataset.head)"""


class InFirefox(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(cls.folder.cleanup)
        cls.browser = Firefox(os.path.join(cls.folder.name, "profile"))
        cls.addClassCleanup(cls.browser.close)

    def heads(self, wanted):
        self.browser.wait(f"JSON.stringify({HEADS}) === '{json.dumps(wanted, separators=(',', ':'))}'")

    def decode(self, index, *options):
        lines = subprocess.run([COPPICE, "decode", ENGLISH, "--limit", str(index + 1), *options], check=True,
                               capture_output=True).stdout.splitlines()
        return [tree["heads"] for tree in map(json.loads, lines) if tree["id"] == str(index)][0]

    def test_correct_accept_reload(self):
        page = os.path.join(self.folder.name, "page.html")
        subprocess.run([COPPICE, "annotate", ENGLISH, "--limit", "9", "--text", TEXT, "-o", page], check=True)
        address = "file://" + page
        self.browser.load(address)
        for _ in range(4):
            self.browser.press("j")
        self.heads(self.decode(4))
        self.browser.press("n", "2")  # typed ahead
        self.browser.wait("document.querySelector('.arc.locked')")
        v, head = self.browser.run("const a = document.querySelector('.arc.locked').dataset; return [a.dependent, a.head]")
        corrected = self.decode(4, "--require", f"{head}:{v}")
        self.heads(corrected)
        self.browser.click("[data-action=Accept]")
        self.browser.wait("document.getElementById('progress-text').textContent === '1 of 9'")
        self.assertEqual(self.browser.run("return document.querySelectorAll('#notices .notice').length"), 0)
        self.browser.load(address.split("#")[0] + "?again")
        self.browser.wait("document.getElementById('progress-text').textContent === '1 of 9'")
        for _ in range(4):
            self.browser.press("j")
        self.heads(corrected)
        self.browser.press("ArrowDown", "x")
        self.browser.wait("document.getElementById('message').textContent.includes('accepted')")
        self.assertIn("✓ accepted", self.browser.run("return document.getElementById('state').textContent"))
        self.browser.press("e", "u", "u")
        self.browser.wait("document.getElementById('message').textContent.includes('nothing to undo')")
        self.assertEqual(self.browser.run("return document.getElementById('progress-text').textContent"), "1 of 9")


if __name__ == "__main__":
    if FIREFOX is None:
        print("no Firefox: skipped")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
