"""The tools of the documentation site: headers as pages, links as the site needs them, the check of links."""

import pathlib
import re
import sys
import tempfile
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "docs/site"))
import build
import documents
import headers

HEADER = """// The widest tree. Costs O(N_max * 2).
//
//   auto tree = widest(graph);
//
// Throws std::invalid_argument.
#pragma once

#include <vector>

namespace coppice {

// How wide? See kbest.hpp.
enum class Width { narrow, wide };

// A tree.
class Tree {
 public:
  int width() const;

 private:
  int width_;
};

// The widest one; or of several.
Tree widest(const Graph& graph, Width at_least = Width::narrow);
Tree widest(std::span<const Graph> graphs);

// --- More ---

using Trees = std::vector<Tree>;

}  // namespace coppice
"""


class Headers(unittest.TestCase):
    def page(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "wide.hpp"
            path.write_text(HEADER)
            return headers.page(path), headers.Header.read(path).summary

    def test_what_is_on_the_page(self):
        page, summary = self.page()
        self.assertEqual(summary, "The widest tree.")
        self.assertIn("Costs O(`N_max` \\* 2).", page)
        self.assertIn("```cpp\nauto tree = widest(graph);\n", page)
        self.assertIn("Throws `std::invalid_argument`.", page)
        titles = ["## `Width`", "## `Tree`", "## `widest`", "## More", "### `Trees`"]
        self.assertEqual(re.findall(r"^##+ .*", page, re.M), titles)
        self.assertIn("  int width() const;\n};", page)
        for hidden in ["width_", "private", "#pragma", "namespace", "<vector>"]:
            self.assertNotIn(hidden, page)

    def test_all_of_ours_are_read(self):
        for path in documents.HEADERS:
            page = headers.page(path)
            self.assertEqual(page.count("```") % 2, 0, path.name)
            self.assertGreater(len(headers.Header.read(path).summary), 10, path.name)
            if path.suffix == ".hpp" and path.stem != "version":
                opening = path.read_text().split("#pragma once")[0].lower()
                for promise in ("throws", "cost", "threads"):
                    self.assertIn(promise, opening, path.name)
            if path.name != "version.hpp":
                self.assertIn("\n## ", page, path.name)


class Options(unittest.TestCase):
    def test_as_tables(self):
        told = (
            "Usage: coppice x [OPTIONS]\n\nOptions:\n  -k COUNT                      How many\n"
            "  --format a_long_list|of_formats|x\n                                What, if --color\n"
            "\nExample:\n  coppice x y\n"
        )
        self.assertEqual(
            documents.options_of(told).split("\n"),
            ["```text", "coppice x [OPTIONS]", "```", "", "| options | |", "|---|---|", "| `-k COUNT` | How many |",
             "| `--format a_long_list\\|of_formats\\|x` | What, if `--color` |", "", "", "```sh", "coppice x y", "```"],
        )


@unittest.skipUnless((REPOSITORY / "README.md").exists(), "a copy without the documents")
class Links(unittest.TestCase):
    def test_documents_become_pages(self):
        page = documents.page_of("[a](rules.md#x) and [b](../README.md)\n```\n[c](d)\n```\n", "docs/cli.md", "cli.md")
        self.assertEqual(page, "[a](rules.md#x) and [b](index.md)\n```\n[c](d)\n```\n")
        page = documents.page_of("[a](../../include/coppice/kbest.hpp)", "docs/howto/x.md", "howto/x.md")
        self.assertEqual(page, "[a](../cpp/kbest.hpp.md)\n")

    def test_addresses_in_the_repository(self):
        address = documents.repository_address()
        page = documents.page_of(f"[a]: {address}/blob/main/docs/cli.md#view", "README.md", "index.md")
        self.assertEqual(page, "[a]: cli.md#view\n")
        page = documents.page_of("[a](../Makefile)", "docs/cli.md", "cli.md")
        self.assertEqual(page, f"[a]({address}/blob/main/Makefile)\n")

    def test_what_is_not_there(self):
        for link in ["nothing.md", "../nothing", f"{documents.repository_address()}/blob/main/docs/nothing.md"]:
            with self.assertRaisesRegex(SystemExit, "there is no .*nothing"):
                documents.page_of(f"[a]({link})", "docs/cli.md", "cli.md")

    def test_addresses_of_the_repository(self):
        """The README links relatively; what the package index shows has no relative links."""
        address = documents.repository_address()
        readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
        index = (REPOSITORY / "packaging/package-index.md").read_text(encoding="utf-8")
        for _, link, _place in documents.LINK.findall(readme):
            self.assertFalse(link.startswith(address), link)
        for _, link, _place in documents.LINK.findall(index):
            self.assertRegex(link, "^https://")
            if link.startswith(address):
                path = re.sub("^/(blob|raw)/main/", "", link.removeprefix(address))
                self.assertTrue((REPOSITORY / path.lstrip("/")).exists(), link)
        for found in re.findall(r"https://[^/]*/[^/]*/coppice\b", readme + index):
            self.assertEqual(found, address)
        self.assertIn(f"git clone {address} ", readme)

    def test_every_document_is_in_the_navigation_once(self):
        shown = [re.sub(".*<|>", "", page) for pages in documents.navigation().values() for page in pages]
        self.assertEqual(len(shown), len(set(shown)))
        docs = REPOSITORY / "docs"
        for path in docs.rglob("*.md"):
            self.assertIn(str(path.relative_to(docs).with_suffix("")), shown)

    def test_every_document_has_its_links(self):
        for path in [*REPOSITORY.glob("docs/**/*.md"), *map(REPOSITORY.joinpath, documents.PAGES)]:
            if path.suffix == ".md":
                source = str(path.relative_to(REPOSITORY))
                documents.page_of(path.read_text(encoding="utf-8"), source, "x.md")


class Site(unittest.TestCase):
    def wrong(self, page):
        with tempfile.TemporaryDirectory() as folder:
            site = pathlib.Path(folder).resolve()
            (site / "other.html").write_text('<h2 id="there">x</h2>')
            (site / "index.html").write_text(page)
            return build.what_is_wrong(site)

    def test_good_links(self):
        self.assertEqual(self.wrong('<p id="a"><a href="#a"><a href="other.html#there"><a href="https://a.b/c">'), [])
        self.assertEqual(self.wrong('<img src="data:image/png;base64,AA=="><img src="other.html">'), [])

    def test_links_that_lead_nowhere(self):
        self.assertEqual(self.wrong('<a href="gone.html">'), ["index.html: there is no gone.html"])
        self.assertEqual(self.wrong('<a href="other.html#gone">'), ["index.html: no such place, other.html#gone"])
        self.assertEqual(self.wrong('<a href="#gone">'), ["index.html: no such place, #gone"])

    def test_nothing_is_fetched_from_elsewhere(self):
        for page in ['<script src="https://a.b/c.js">', '<link href="//a.b/c.css">', '<img src="https://a.b/c.png">']:
            self.assertRegex(self.wrong(page)[0], "index.html: fetches .*a.b/c")


if __name__ == "__main__":
    unittest.main()
