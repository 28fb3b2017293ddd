"""The page in a real browser: it loads, walks, and shows what the JSON says; no error on the console.

Usage: page_test.py COPPICE DATA-FOLDER
Exits with 77 (skipped) where there is no Chromium.
"""

import json
import math
import os
import subprocess

from pages import COPPICE, DATA, ENGLISH, LABELS, TEXT, PageTest, main

SHOWN = """({
  id: document.getElementById('sentence-id').textContent,
  rank: document.getElementById('rank').textContent,
  facts: Object.fromEntries([...document.querySelectorAll('#facts dd')].map(d => [d.dataset.fact, d.textContent])),
  arcs: [...document.querySelectorAll('#figure .arc')].map(a => [+a.dataset.dependent, +a.dataset.head, a.dataset.label ?? '']).sort((a, b) => a[0] - b[0]),
  changed: [...document.querySelectorAll('#figure .arc.changed')].map(a => +a.dataset.dependent).sort((a, b) => a - b),
  rows: document.querySelectorAll('#trees tbody tr').length,
  probability: tree().probability ?? null,
  bars: [...document.querySelectorAll('.bars')].map(b => [+b.dataset.dependent,
    [...b.children].map(c => [+c.dataset.head, +c.dataset.share])]),
})"""


def shown_number(value):
    if value == int(value):
        text = str(int(value))
    elif abs(value) < 5e-4:
        text = None  # an exponent; not compared
    else:
        text = f"{value:.4f}"
    return text and text.replace("-", "\u2212")


class Page(PageTest):
    def make(self, *options):
        """The page and, by the other way, the trees: sentence id -> list of lines."""
        page = os.path.join(self.folder.name, "page.html")
        subprocess.run([COPPICE, "view", *options, "-o", page], check=True)
        self.browser.load("about:blank")
        self.browser.load("file://" + page)
        return self.decode(*options)

    def decode(self, *options):
        lines = subprocess.run([COPPICE, "decode", *options], check=True, capture_output=True).stdout
        sentences = {}
        for line in map(json.loads, lines.splitlines()):
            sentences.setdefault(line["id"], []).append(line)
        return sentences

    def test_very_many_trees(self):
        trees = self.make(ENGLISH, "-k", "200000", "--root", "any", "--shard", "7/2077")
        (name,) = trees
        self.assertEqual(len(trees[name]), 200_000)
        for wanted, first in ((1, 1), (2, 1), (100_000, 99_750), (200_000, 199_501)):
            self.browser.evaluate(f"pick({wanted - 1})")
            shown = self.browser.evaluate(SHOWN)
            self.assertEqual(shown["rank"], f"{wanted} of 200000")
            self.assertEqual(shown["rows"], 500)
            rows = self.browser.evaluate("[...document.querySelectorAll('#trees tbody tr')].map(r => +r.dataset.rank)")
            self.assertEqual(rows, list(range(first, first + 500)))
            heads = [head for _, head, _ in shown["arcs"]]
            self.assertEqual(heads, trees[name][wanted - 1]["heads"])

    def test_a_page_of_trees_that_differ(self):
        options = [ENGLISH, "--labels", LABELS, "-k", "4", "--shard", "5/2077"]
        differing = [*options, "--distance", "4", "--ignored-labels", "punct,nmod"]
        ((name, trees),) = self.make(*differing).items()
        shown = "[$('distance').value, found().trees.map(t => [...t.heads].slice(1))]"
        expected = ["4", [tree["heads"] for tree in trees]]
        self.assertEqual(self.browser.evaluate(shown), expected)
        self.assertIn("4 best of which any two differ in 4 heads", self.browser.evaluate("$('caption').textContent"))
        for distance in ("5", "10", "0"):
            self.browser.press("v")
            self.assertEqual(self.browser.evaluate("$('distance').value"), distance)
        best = [tree["heads"] for tree in self.decode(*options)[name]]
        self.assertEqual(self.browser.evaluate(shown), ["0", best])
        self.browser.press("v", "v", "v")
        self.assertEqual(self.browser.evaluate(shown), expected)
        # Decisions leave the distance as it was, and the labels that do not count.
        head, word = best[1][0], 1
        self.browser.evaluate(f"void lockHead({word}, {head})")
        locked = self.decode(*differing, "--require", f"{head}:{word}")[name]
        self.assertEqual(self.browser.evaluate(shown), ["4", [tree["heads"] for tree in locked]])

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

    def test_new_root_edges_are_changed_like_any_other(self):
        sentences = self.make(ENGLISH, "--root", "any", "-k", "10", "--limit", "10")
        seen = 0
        for number, trees in enumerate(sentences.values()):
            for rank in range(1, len(trees) + 1):
                self.browser.evaluate(f"void go({number}, {rank - 1})")
                self.compare(trees, rank)
                seen += trees[rank - 1]["heads"].count(0) > 1
        self.assertGreater(seen, 0)

    def test_kept_heads_stay_whatever_is_locked(self):
        plain = list(self.decode(ENGLISH, "--limit", "5", "-k", "30").values())[4]
        n = len(plain[0]["heads"])
        # A head that only some of the trees have, and another one.
        v, u = [i + 1 for i in range(n) if len({tree["heads"][i] for tree in plain}) > 1][:2]
        head, other = (next(t["heads"][w - 1] for t in plain if t["heads"][w - 1] != plain[0]["heads"][w - 1]) for w in (v, u))
        kept = os.path.join(self.folder.name, "kept.conllu")
        with open(TEXT, encoding="utf-8") as text, open(kept, "w", encoding="utf-8") as file:
            for i, block in enumerate(text.read().split("\n\n")[:5]):
                for line in block.splitlines():
                    columns = line.split("\t")
                    if len(columns) == 10:
                        columns[6] = str(head) if i == 4 and columns[0] == str(v) else "_"
                    file.write("\t".join(columns) + "\n")
                file.write("\n")
        options = [ENGLISH, "--limit", "5", "-k", "10", "--keep", kept]
        trees = list(self.make(*options).values())[4]
        self.browser.evaluate("void go(4, 0)")
        self.compare(trees, 1)
        self.browser.evaluate(f"void lockHead({u}, {other})")
        trees = list(self.decode(*options, "--require", f"{other}:{u}").values())[4]
        self.assertEqual(trees[0]["heads"][v - 1], head)
        self.assertEqual(self.browser.evaluate("[...tree().heads].slice(1)"), trees[0]["heads"])
        refused = subprocess.run([COPPICE, "view", *options, "--keep-labels"], capture_output=True, text=True)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("leave out --keep-labels", refused.stderr)

    def test_bars_are_probabilities(self):
        """Of every arc the sum over all trees that have it."""
        self.make(ENGLISH, "--limit", "60", "-k", "5")
        checked = 0
        for number, trees in enumerate(self.decode(ENGLISH, "--limit", "60", "-k", "5000", "--probabilities").values()):
            if trees[-1]["covered"] < 0.99999:
                continue
            self.browser.evaluate(f"void go({number}, 0)")
            for v, bars in self.browser.evaluate(SHOWN)["bars"]:
                for head, share in bars:
                    mass = math.fsum(tree["probability"] for tree in trees if tree["heads"][v - 1] == head)
                    self.assertAlmostEqual(share, mass, delta=1e-4)
                    checked += 1
        self.assertGreater(checked, 10)

    def test_the_engine_in_the_browser_gives_the_same_lists(self):
        for name in ["English-EWT", "Lithuanian-HSE", "Livvi-KKPP", "Marathi-UFAL", "Uyghur-UDT"]:
            scores = [os.path.join(DATA, "ud-scores", f"{name}.npz"), "--limit", "250"]
            self.make(*scores, "-k", "1")
            found = self.browser.evaluate("""sentences.map(
                s => s.graph().kbest(50, {root: 'single'}).map(t => [t.score, [...t.heads].slice(1)]))""")
            native = self.decode(*scores, "-k", "50").values()
            self.assertEqual(found, [[[tree["score"], tree["heads"]] for tree in trees] for trees in native])

    def test_graphs_that_are_no_sentences(self):
        path = os.path.join(self.folder.name, "edges.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("0 1 5\n0 2 1\n1 2 4\n2 3 3\n1 3 2.5\n3 1 1\n")
        sentences = self.make(path, "-k", "4", "--root", "any")
        self.compare(list(sentences.values())[0], 1)
        self.browser.press("ArrowRight")
        self.compare(list(sentences.values())[0], 2)
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#figure svg.links .token').length"), 4)
        shown = self.browser.evaluate("document.querySelector('main').innerText + document.querySelector('nav').innerText")
        self.assertNotRegex(shown.lower(), "word|sentence")

    def test_arcs_keep_their_heights(self):
        """What two trees share lies in the same place."""
        self.make(ENGLISH, "--text", TEXT, "-k", "10", "--limit", "12")
        places = """Object.fromEntries([...document.querySelectorAll('#figure .arc')].map(
            a => [a.dataset.head + ' ' + a.dataset.dependent, a.querySelector('.line').getAttribute('d')]))"""
        for number in range(12):
            self.browser.evaluate(f"void go({number}, 0)")
            first = self.browser.evaluate(places)
            for rank in [1, 4, 9]:
                self.browser.evaluate(f"void go({number}, {rank})")
                for arc, path in self.browser.evaluate(places).items():
                    self.assertEqual(first.get(arc, path), path)

    def test_clicks_search_layouts_themes_and_print(self):
        sentences = self.make(ENGLISH, "--text", TEXT, "-k", "5", "--limit", "60")
        trees = list(sentences.values())
        self.browser.evaluate("void document.querySelector('#trees tbody tr:nth-child(4)').click()")
        self.compare(trees[0], 4)
        self.browser.press("/")
        for letter in "toolbar":
            self.browser.press(letter)
        found = self.browser.evaluate("[...document.querySelectorAll('.row')].map(r => +r.dataset.index)")
        words = self.browser.evaluate("sentences.map(s => s.words.join(' ').toLowerCase().includes('toolbar'))")
        self.assertEqual(found, [i for i, there in enumerate(words) if there])
        self.browser.press("Enter")
        self.compare(trees[found[0]], 1)
        for key in ["w", "m", "d", "w", "m"]:
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
        longest = self.browser.evaluate("sentences.map(s => s.words.length).indexOf(81)")
        self.browser.evaluate(f"void go({longest}, 1)")
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#figure .arc').length"), 81)
        self.assertTrue(self.browser.evaluate("figure.scrollWidth <= figure.clientWidth"))
        self.assertTrue(self.browser.evaluate("document.body.scrollWidth <= innerWidth"))

    def test_hostile_words_stay_words(self):
        graph = {"id": "</script><b>x</b>", "scores": [[None, 1, 2], [None, None, 3], [None, 0, None]],
                 "words": ["<img src=x onerror=alert(1)>", "&amp;\u2028\u0007"]}
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
                         [graph["words"][0], graph["words"][1].replace("\u0007", "\u2407")])
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
    main()
