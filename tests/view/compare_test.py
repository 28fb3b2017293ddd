"""Two texts over the same sentences on one page: agreement, and which of them is right.

Usage: compare_test.py COPPICE DATA-FOLDER [TEST...]
Exits with 77 (skipped) where there is no Chromium.
"""

import random
from collections import Counter

from pages import COUNT, LABELS, PageTest, main


class Compare(PageTest):
    def variant(self, name, seed):
        """The text with some other heads and labels, and its columns."""
        rng = random.Random(seed)
        lines = self.original.decode().split("\n")
        for i, line in enumerate(lines):
            columns = line.split("\t")
            if not columns[0].isdigit() or rng.random() > 0.05:
                continue
            size = next(j for j in range(i, len(lines)) if not lines[j]) - i + int(columns[0])
            what = rng.choice(["head", "label"])
            if what == "label":
                columns[7] = rng.choice(["obl", "nmod", "conj"])
            elif columns[6] != "0":
                words = [other.split("\t")[0] for other in lines[i - 3:i] if other.split("\t")[0].isdigit()]
                columns[6] = words[0] if words and words[0] != columns[0] and size else columns[6]
            lines[i] = "\t".join(columns)
        return self.write(name, "\n".join(lines)), self.columns(lines)

    def columns(self, lines):
        sentences, now = [], []
        for line in lines:
            columns = line.split("\t")
            if columns[0].isdigit():
                now.append((int(columns[6]), columns[7]))
            if not line and now:
                sentences.append(now)
                now = []
        return sentences

    def compare(self, *paths):
        self.choose_files(*paths)
        self.assertIn("Compared", self.message())

    def test_agreement(self):
        self.open_english("--labels", LABELS)
        (one, a), (two, b) = self.variant("one.conllu", 1), self.variant("two.conllu", 2)
        self.compare(one, two)
        pairs = [(x, y) for s, t in zip(a, b) for x, y in zip(s, t)]
        uas = sum(x[0] == y[0] for x, y in pairs) / len(pairs)
        las = sum(x == y for x, y in pairs) / len(pairs)
        left, right = (Counter(pair[i][1] for pair in pairs) for i in (0, 1))
        chance = sum(left[name] * right[name] for name in left) / len(pairs) ** 2
        kappa = (sum(x[1] == y[1] for x, y in pairs) / len(pairs) - chance) / (1 - chance)
        differ = [i for i, (s, t) in enumerate(zip(a, b)) if s != t]
        self.assertLess(las, uas)
        self.assertTrue(0 < len(differ) < COUNT)
        text = self.browser.evaluate("$('agreement-text').textContent")
        for said in [f"(UAS) {100 * uas:.1f} %", f"(LAS) {100 * las:.1f} %", f"labels {kappa:.3f}", f"{len(differ)} sentences differ"]:
            self.assertIn(said, text)
        self.browser.click("#only-differing")
        self.assertEqual(self.browser.evaluate("state.found"), differ)
        # One text: with that of the page.
        self.browser.click("#end-compare")
        self.assertTrue(self.browser.evaluate("$('agreement').hidden"))
        self.assertEqual(self.browser.evaluate("state.found.length"), COUNT)
        self.compare(one)
        gold = self.columns(self.original.decode().split("\n"))
        pairs = [(x, y) for s, t in zip(gold, a) for x, y in zip(s, t)]
        self.assertIn(f"(LAS) {100 * sum(x == y for x, y in pairs) / len(pairs):.1f} %", self.browser.evaluate("$('agreement-text').textContent"))
        self.browser.press("u")
        self.assertTrue(self.browser.evaluate("$('agreement').hidden"))

    def test_one_key_for_a_b_or_the_engine(self):
        self.open_english("--labels", LABELS)
        (one, a), (two, b) = self.variant("one.conllu", 1), self.variant("two.conllu", 2)
        self.compare(one, two)
        index = next(i for i, (s, t) in enumerate(zip(a, b)) if sum(x != y for x, y in zip(s, t)) > 1)
        words = [v for v, (x, y) in enumerate(zip(a[index], b[index]), 1) if x != y]
        self.browser.evaluate(f"void visit({index})")
        engine = self.heads()
        self.browser.press("t")
        self.assertEqual(self.browser.evaluate("state.selected"), words[0])
        now = f"[tree().heads[{words[0]}], label(tree(), {words[0]})]"
        self.browser.press("b")
        self.assertEqual(self.browser.evaluate(now), list(b[index][words[0] - 1]))
        self.assertEqual(self.browser.evaluate("state.selected"), words[1])
        self.browser.press("T", "a")
        self.assertEqual(self.browser.evaluate(now), list(a[index][words[0] - 1]))
        self.browser.press("T", "p")
        self.assertEqual(self.browser.evaluate(f"work().locked[{words[0]}] ?? null"), None)
        self.assertEqual(self.heads(), engine)
        # With the mouse, and the whole sentence.
        self.browser.click("#compared tbody tr:first-child td:nth-child(3) button")
        self.assertEqual(self.browser.evaluate(now), list(b[index][words[0] - 1]))
        shown = "sentence().labels(work(), tree()).slice(1).map((l, i) => [tree().heads[i + 1], l])"
        for key, wanted in (("a", a), ("b", b)):
            self.browser.press("Escape", key)
            self.assertEqual([tuple(x) for x in self.browser.evaluate(shown)], wanted[index])
        self.browser.press("Enter")
        self.browser.press("k")
        self.browser.evaluate(f"void visit({index})")
        self.browser.press("a")
        self.assertIn("accepted", self.message())
        self.assertEqual([tuple(x) for x in self.browser.evaluate(shown)], b[index])
        self.browser.press("e", "Escape", "p")
        self.assertEqual(self.heads(), engine)

    def test_other_texts_are_refused(self):
        self.open_english()
        good = self.original.decode()
        for number, bad in enumerate([good.replace("Google", "Yahoo"), good.split("\n\n")[0] + "\n\n", "x"]):
            self.choose_files(self.write("bad.conllu", bad))
            self.assertIn("cannot be opened", self.message(), number)
            self.assertTrue(self.browser.evaluate("$('agreement').hidden"))


if __name__ == "__main__":
    main()
