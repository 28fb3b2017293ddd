"""The documentation site in a real browser, read from disk: search, colours, the page to play with.

Usage: site_browser_test.py SITE
Exits with 77 (skipped) where there is no Chromium.
"""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "view"))
from browser import BROWSER, Browser

SITE = pathlib.Path(sys.argv[1]).resolve()
GROUND = "getComputedStyle(document.body).backgroundColor"
PLAYGROUND = "document.querySelector('iframe.playground')"


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.browser = Browser(cls.profile.name)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.profile.cleanup()

    def setUp(self):
        self.browser.complaints.clear()

    def load(self, page):
        self.browser.load((SITE / page).as_uri())

    def tearDown(self):
        # Nothing complains, and nothing is asked of the network.
        self.assertEqual(self.browser.complaints, [])
        fetched = self.browser.evaluate("performance.getEntriesByType('resource').map((entry) => entry.name)")
        self.assertEqual([name for name in fetched if not name.startswith(("file:", "data:"))], [])

    def test_search_by_keys(self):
        for page in ["index.html", "howto/graphs.html"]:
            self.load(page)
            self.browser.click("input[name=q]")
            self.browser.press(*"projective", "Enter")
            self.browser.wait("document.querySelectorAll('#search-results ul.search li a').length > 3")
            found = self.browser.evaluate("[...document.querySelectorAll('#search-results li a')].map((a) => a.href)")
            self.assertTrue(any("/rules.html" in link for link in found), found)
            self.assertTrue(any("/cpp/rules.hpp.html" in link for link in found), found)
            self.browser.wait("document.querySelectorAll('#search-results li p.context').length > 3")

    def test_dark_and_light(self):
        self.load("index.html")
        self.browser.media(scheme="light")
        light = self.browser.evaluate(GROUND)
        self.browser.media(scheme="dark")
        dark = self.browser.evaluate(GROUND)
        self.assertNotEqual(light, dark)
        self.assertEqual(self.browser.evaluate(f"getComputedStyle({PLAYGROUND}).colorScheme"), "dark")
        for theme, ground in [("light", light), ("dark", dark)]:
            self.browser.evaluate(f"void (document.body.dataset.theme = '{theme}')")
            self.assertEqual(self.browser.evaluate(GROUND), ground)
            self.assertEqual(self.browser.evaluate(f"getComputedStyle({PLAYGROUND}).colorScheme"), theme)

    def test_nothing_is_wider_than_a_telephone(self):
        self.browser.screen(390, 844)
        for page in ["index.html", "tutorial.html", "cli.html", "cpp/kbest.hpp.html", "py/coppice.html"]:
            self.load(page)
            self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), 390, page)
        self.browser.screen(1280, 900)

    def test_the_page_to_play_with(self):
        self.load("index.html")
        self.assertEqual(self.browser.evaluate(f"{PLAYGROUND}.getAttribute('src')"), "playground.html")
        self.load("playground.html")
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#figure .arc').length"), 6)
        self.browser.press("ArrowDown", "ArrowDown")
        self.browser.wait("document.getElementById('rank').textContent.startsWith('3')")


if __name__ == "__main__":
    if BROWSER is None:
        print("skipped: no Chromium")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
