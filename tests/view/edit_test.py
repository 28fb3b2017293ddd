"""Lemma, tag and features of words, notes and flags of sentences: edited, kept, written, found.

Usage: edit_test.py COPPICE DATA-FOLDER [TEST...]
Exits with 77 (skipped) where there is no Chromium.
"""

import json

from pages import PageTest, main

TEXT = ("# sent_id = a\n# text = the dogs bark\n1\tthe\tthe\tDET\tDT\t_\t2\tdet\t_\t_\n2-3\tdogs bark\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "2\tdogs\tdog\tNOUN\tNNS\tNumber=Plur\t3\tnsubj\t_\t_\n3\tbark\tbark\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
        "# sent_id = b\n# note = old\n# flag = yes\n1\tyes\tyes\tINTJ\t_\t_\t0\troot\t_\t_\n\n")
SCORES = [[[None, 1, 1, 9], [None, None, 1, 1], [None, 9, None, 1], [None, 1, 9, None]], [[None, 1], [None, None]]]


class Edit(PageTest):
    def setUp(self):
        super().setUp()
        scores = self.write("dogs.jsonl", "\n".join(json.dumps({"scores": s}) for s in SCORES))
        self.open(scores, "--text", self.write("dogs.conllu", TEXT), "--from", "text")

    def written(self):
        return self.browser.evaluate("conllu()")

    def edit(self, **columns):
        self.browser.press("i")
        for name, value in columns.items():
            self.browser.evaluate(f"void ($('edit-{name}').focus(), $('edit-{name}').select())")
            self.browser.press("Backspace", *value)
        self.browser.press("Enter")

    def test_lemma_tag_and_features(self):
        self.browser.evaluate("void select(3)")
        self.edit(upos="VERB", lemma="to bark", feats="VerbForm=Fin|Mood=Ind")
        self.assertEqual(self.written(), TEXT)  # not accepted yet
        self.assertIn("VERB", self.browser.evaluate("document.querySelector('.token[data-word=\"3\"] .tag').textContent"))
        self.reload()
        self.browser.press("Enter")
        wanted = TEXT.replace("3\tbark\tbark\tNOUN\t_\t_\t", "3\tbark\tto bark\tVERB\t_\tMood=Ind|VerbForm=Fin\t")
        self.assertEqual(self.written(), wanted)
        self.browser.press("k", "Escape")
        self.browser.evaluate("void (visit(0), select(3))")
        self.browser.press("i")
        self.assertIn("accepted", self.message())
        self.browser.press("/", *"VERB")
        self.assertEqual(self.browser.evaluate("state.found"), [0])
        self.browser.press("Escape", "e")
        self.browser.press("u", "u", "u")
        self.assertEqual(self.written(), TEXT)

    def test_what_no_column_can_have_is_asked_again(self):
        self.browser.evaluate("void select(2)")
        for name, bad in [("upos", "noun"), ("upos", "A B"), ("feats", "Number"), ("feats", "A=1|A=2"), ("feats", "=x")]:
            self.edit(**{name: bad})
            self.assertNotEqual(self.browser.evaluate("$('edit-note').textContent"), "", bad)
            self.browser.press("Escape")
            self.assertIsNone(self.browser.evaluate("work().edits ?? null"))
        self.edit(feats="_")
        self.assertEqual(self.browser.evaluate("work().edits"), {"2": {"feats": "_"}})

    def test_rules_see_what_was_edited(self):
        self.browser.evaluate("void visit(0)")
        broken = self.browser.evaluate("incidents().length")
        self.browser.evaluate("void select(1)")
        self.edit(upos="VERB")  # no determiner
        self.assertGreater(self.browser.evaluate("incidents().length"), broken)

    def test_notes_and_flags(self):
        self.browser.press("q", *"a 2nd look", "Enter", "f")
        self.assertEqual(self.browser.evaluate("$('sentence-note').textContent"), "⚑ a 2nd look")
        noted = TEXT.replace("bark\n1", "bark\n# note = a 2nd look\n# flag = yes\n1", 1)
        self.assertEqual(self.written(), noted)
        self.browser.press("/", *"flag=yes")
        self.assertEqual(self.browser.evaluate("state.found"), [0, 1])
        self.browser.press("Escape", "/", *"2nd")
        self.assertEqual(self.browser.evaluate("state.found"), [0])
        self.browser.press("Escape", "j", "f", "q")
        self.browser.evaluate("void $('ask-text').select()")
        self.browser.press("Backspace", "Enter")
        self.assertEqual(self.written(), noted.replace("# note = old\n# flag = yes\n", ""))
        self.reload()
        self.assertEqual(self.written(), noted.replace("# note = old\n# flag = yes\n", ""))
        self.browser.evaluate("void saveSession()")
        path = self.write("notes.json", self.downloaded("*.coppice.json").decode())
        self.browser.evaluate("void localStorage.clear()")
        self.reload()
        self.assertEqual(self.written(), TEXT)
        self.choose_files(path)
        self.assertEqual(self.written(), noted.replace("# note = old\n# flag = yes\n", ""))

    def test_crafted_edits_are_refused(self):
        self.browser.evaluate("void select(2)")
        self.edit(lemma="hound")
        good = self.browser.evaluate("session.toJSON(sentences, key)")
        for change in [{"edits": {"2": {"lemma": "a\tb"}}}, {"edits": {"2": {"upos": "a\nb"}}}, {"edits": {"9": {"lemma": "x"}}}, {"edits": {"2": {"form": "x"}}},
                       {"edits": {"2": {"lemma": 3}}}, {"edits": [1]}, {"note": "a\nb"}, {"note": 3}, {"flag": "yes"}, {"distance": 1}, {"distance": 1.5}, {"distance": "2"}, {"distance": 10**9}, {"distance": None}, {"edits": {"2": {"__proto__": "x"}}},
                       {"edits": {"2": {"feats": "x|y"}}}]:
            bad = json.loads(json.dumps(good))
            bad["sentences"][0].update(change)
            self.choose_files(self.write("bad.json", bad))
            self.assertIn("cannot be opened", self.message(), change)


if __name__ == "__main__":
    main()
