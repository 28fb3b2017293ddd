"""Nothing that an annotator did is lost or changed: reloads, tabs, full storage, sessions, files, keys held down.

Usage: kept_test.py COPPICE DATA-FOLDER [TEST...]
COPPICE_TORTURE=500 asks for that many random acts (40) and for all sentences (300).
Exits with 77 (skipped) where there is no Chromium.
"""

import json
import os
import random
import struct
import time
import zipfile

from pages import COUNT, ENGLISH, LABELS, TEXT, PageTest, blocks, main

TORTURE = int(os.environ.get("COPPICE_TORTURE", "40"))
# All sentences as they are at first, without drawing them.
ACCEPT_ALL = """sentences.forEach((s, i) => {
  const tree = s.trees(session.of(i)).trees[0];
  session.change([i, { ...session.of(i), done: { heads: [...tree.heads], labels: s.labels(session.of(i), tree) } }]);
  s.free();
})"""


class Kept(PageTest):
    def accepted(self):
        return self.browser.evaluate("[...session.works].filter(([, w]) => w.done).map(([i]) => i).sort((a, b) => a - b)")

    def notices(self):
        return self.browser.evaluate("[...document.querySelectorAll('#notices .notice p')].map(p => p.textContent)")

    # ---- what is not touched ----

    def test_unedited_sentences_stay_as_they_came_labels_too(self):
        count = 2077 if TORTURE >= 500 else 300
        with open(TEXT, "rb") as file:
            text = b"\n\n".join(file.read().split(b"\n\n")[:count]) + (b"" if count == 2077 else b"\n\n")
        path = os.path.join(self.folder.name, "many.conllu")
        with open(path, "wb") as file:
            file.write(text)
        self.open(ENGLISH, "--limit", str(count), "--text", path, "--labels", LABELS, "--from", "text")
        self.browser.press("Enter", "Enter")  # by keys, too
        self.browser.evaluate(f"void {ACCEPT_ALL}")
        self.assertEqual(self.browser.evaluate("session.accepted"), count)
        self.assertEqual(self.browser.evaluate("conllu()").encode(), text)

    def test_odd_texts_stay_as_they_came(self):
        text = ("1\ta\t_\t_\t_\t_\t02\tnmod:odd\t_\t_\n2\tb\t_\t_\t_\t_\t0\troot:x\t_\t_\n\n"
                "1\ta\t_\t_\t_\t_\t0\tROOT\t_\t_\n2\tb\t_\t_\t_\t_\t1\t_\t_\t_\n\n")
        scores = "\n".join(json.dumps({"scores": [[None, 1, 2], [None, None, 3], [None, 4, None]]}) for _ in range(2))
        self.open(self.write("odd.jsonl", scores), "--text", self.write("odd.conllu", text), "--from", "text")
        self.browser.press("Enter", "Enter")
        self.assertEqual(self.accepted(), [0, 1])
        self.assertEqual(self.browser.evaluate("conllu()"), text)

    def test_the_text_has_an_arc_that_the_scores_do_not_have(self):
        text = "1\ta\t_\t_\t_\t_\t2\tx\t_\t_\n2\tb\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
        scores = json.dumps({"scores": [[None, 1, 2], [None, None, 3], [None, None, None]]})
        self.open(self.write("odd.jsonl", scores), "--text", self.write("odd.conllu", text), "--from", "text")
        self.assertEqual(self.heads(), [2, 0])
        self.browser.press("ArrowRight", " ", "Enter")
        self.assertEqual(self.accepted(), [0])
        self.assertEqual(self.browser.evaluate("conllu()"), text)

    # ---- accepting ----

    def test_reloading_and_looking_keep_what_is_accepted(self):
        self.open_english()
        self.browser.press("ArrowDown", "Enter", "Enter", "k")
        heads = self.heads()
        self.assertEqual(self.accepted(), [0, 1])
        for _ in range(3):
            self.browser.reload()
            self.assertEqual(self.accepted(), [0, 1])
        self.assertEqual(self.heads(), heads)
        before = self.browser.evaluate("conllu()")
        for keys in (["ArrowDown"], ["ArrowUp"], ["2"], ["n", "2"], [" "], ["x"], ["r"], ["Backspace"], ["h"], ["l"]):
            self.browser.press(*keys)
            self.assertEqual(self.accepted(), [0, 1], keys)
            self.assertIn("accepted", self.message() if keys[0] not in ("ArrowUp",) else "accepted")
        self.browser.click("#trees tbody tr:nth-child(4)")
        self.browser.press("Escape")
        self.click_word(2)
        self.click_word(4)
        self.assertEqual(self.accepted(), [0, 1])
        self.assertEqual(self.browser.evaluate("conllu()"), before)
        self.browser.click("[data-action=Reopen]")
        self.assertEqual(self.accepted(), [0])
        self.browser.press("u")
        self.assertEqual(self.accepted(), [0, 1])
        self.browser.press("e")
        self.assertEqual(self.accepted(), [0])

    def setUp(self):
        super().setUp()
        self.browser.dialogs.clear()
        self.address = "file://" + os.path.join(self.folder.name, "page.html#s=1&t=1")

    def test_everything_can_be_undone(self):
        self.open_english()
        start = self.browser.evaluate("JSON.stringify([...session.works].map(([i, w]) => [i, w.locked, w.rank, w.done]))")
        self.browser.press("ArrowDown", "ArrowDown")
        self.assertEqual(self.browser.evaluate("rank()"), 2)
        self.browser.press("u")
        self.assertEqual(self.browser.evaluate("rank()"), 1)
        self.browser.press("Enter", "u")
        self.assertEqual(self.accepted(), [])
        self.assertEqual(self.browser.evaluate("state.sentence"), 0)
        self.browser.press("U", "u", "u")
        self.assertEqual(self.browser.evaluate("JSON.stringify([...session.works].map(([i, w]) => [i, w.locked, w.rank, w.done]))"), start)
        self.browser.press("Enter")
        self.choose_files(ENGLISH.replace("English-EWT", "Marathi-UFAL"))
        self.assertEqual(self.browser.evaluate("sentences.length"), 47)
        self.browser.press("Enter", "u", "u")  # the accepting, then the file
        self.assertEqual(self.browser.evaluate("sentences.length"), COUNT)
        self.assertEqual(self.accepted(), [0])
        self.browser.press("U")
        self.assertEqual(self.browser.evaluate("sentences.length"), 47)

    def test_a_key_that_is_held_decides_once(self):
        self.open_english()
        self.browser.press("Enter", held=15)
        self.assertEqual(self.accepted(), [0])
        self.browser.press("j", held=3)  # walking goes on
        self.assertEqual(self.browser.evaluate("state.sentence"), 5)
        self.browser.press("n", "x", held=4)
        self.assertEqual(self.browser.evaluate("work().forbidden.length"), 1)

    # ---- tabs and storage ----

    def test_two_tabs_do_not_overwrite_each_other(self):
        self.open_english()
        first = self.browser.session
        self.browser.press("Enter")
        self.browser.new_tab()
        self.browser.load(self.address.split("#")[0])
        second = self.browser.session
        self.assertEqual(self.accepted(), [0])
        self.browser.press("Enter", "Enter")
        self.browser.session = first
        self.browser.wait("session.accepted === 3")  # what the other did is seen
        self.browser.evaluate("void visit(5)")
        self.browser.press("Enter")
        self.browser.session = second
        self.browser.wait("session.accepted === 4")
        # The same sentence in both, and the news has not come yet: the second one does not write over the first.
        for tab in (first, second):
            self.browser.session = tab
            self.browser.evaluate("void visit(8)")
        self.browser.evaluate("void (lookAround = () => {})")
        self.browser.evaluate("void removeEventListener('storage', lookAround)")
        self.browser.session = first
        self.browser.press("Enter")
        self.browser.session = second
        self.browser.press("ArrowDown")
        self.browser.press("Enter")
        for tab in (first, second):
            self.browser.session = tab
            self.browser.load(self.address.split("#")[0])
            self.assertEqual(self.accepted()[:4], [0, 1, 2, 5])
            self.assertIn(8, self.accepted())
        self.browser.call("Target.closeTarget", targetId=self.browser.call("Target.getTargetInfo")["targetInfo"]["targetId"])
        self.browser.session = first

    def fill_storage(self):
        self.browser.evaluate("""void (() => {
            let size = 1 << 20, at = 0;
            while (size >= 1) try { localStorage.setItem('fill' + at++, 'x'.repeat(size)); } catch { size >>= 1; }
        })()""")

    def empty_storage(self, tabs):
        fills = "Object.keys(localStorage).filter(k => k.startsWith('fill'))"
        for _ in range(3):  # what one tab writes, another one sees a little later
            for tab in tabs:
                self.browser.session = tab
                self.browser.evaluate(f"void {fills}.forEach(k => localStorage.removeItem(k))")
            time.sleep(0.05)

    def test_full_storage_is_said_until_it_is_mended(self):
        self.open_english()
        self.fill_storage()
        self.browser.press("Enter", "Enter")
        for _ in range(2):
            self.assertEqual(len(self.notices()), 1)
            self.assertIn("2 sentences", self.notices()[0])
            self.browser.press("j", "n", "Escape", "k")
        self.assertEqual(self.accepted(), [0, 1])
        self.reload()  # the browser asks before
        self.assertEqual(self.browser.dialogs, ["beforeunload"])
        self.browser.press("Enter", "Enter")
        self.browser.click("#notice-unsaved button")  # the session as a file
        path = self.write("full.json", self.downloaded("*.coppice.json").decode())
        self.browser.dialogs.clear()
        self.reload()
        self.assertEqual(self.browser.dialogs, [])
        self.assertEqual(self.accepted(), [])
        self.choose_files(path)
        self.assertEqual(self.accepted(), [0, 1])
        self.empty_storage([self.browser.session])
        self.browser.click("#notice-unsaved button:last-child")  # try again
        self.assertEqual(self.notices(), [])
        self.reload()
        self.assertEqual(self.browser.dialogs, [])
        self.assertEqual(self.accepted(), [0, 1])

    def test_storage_that_is_switched_off_is_said(self):
        self.open_english()
        script = self.browser.call("Page.addScriptToEvaluateOnNewDocument",
                                   source="Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } })")
        self.reload()
        self.browser.press("Enter", "j")
        self.assertIn("could not keep 1 sentence", self.notices()[0])
        self.assertEqual(self.accepted(), [0])
        self.browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=script["identifier"])
        self.reload()
        self.assertEqual(self.browser.dialogs, ["beforeunload"])

    def test_what_older_pages_kept_is_read(self):
        self.open_english()
        self.browser.press("Enter", "n", "2")
        works = self.browser.evaluate("session.toJSON(sentences, key)")
        for one in works["sentences"]:
            del one["at"], one["made"]
        self.browser.evaluate(f"void (localStorage.clear(), localStorage.setItem('coppice:' + key, {json.dumps(json.dumps(works))}))")
        self.reload()
        self.assertEqual(self.accepted(), [0])
        self.assertEqual(self.browser.evaluate("Object.keys(session.of(1).locked).length"), 1)
        self.browser.evaluate("void visit(0)")
        self.browser.press("e")
        self.reload()
        self.assertEqual(self.accepted(), [])

    # ---- sessions ----

    def saved_session(self, name):
        self.browser.evaluate("void saveSession()")
        return self.write(name, self.downloaded("*.coppice.json").decode())

    def open_session(self, path, answer):
        document = self.browser.call("DOM.getDocument")["root"]["nodeId"]
        node = self.browser.call("DOM.querySelector", nodeId=document, selector="#files")["nodeId"]
        self.browser.call("DOM.setFileInputFiles", nodeId=node, files=[path])
        self.browser.wait("$('question').open")
        text = self.browser.evaluate("$('question-text').textContent")
        self.browser.evaluate("void ($('message').textContent = '')")
        self.browser.click(f"#question-choices button[value='{answer}']")
        self.browser.wait("$('message').textContent !== ''")
        return text

    def test_an_older_session_does_not_replace_newer_work_without_a_question(self):
        self.open_english()
        self.browser.press("n", "2")
        older = self.saved_session("older.json")
        self.browser.press("u", "ArrowDown", "Enter", "Enter")
        newer = self.browser.evaluate("conllu()")
        for answer in ["newer", "none"]:
            text = self.open_session(older, answer)
            self.assertIn("1 sentence", text)
            self.assertIn("1 of them yours is newer", text)
            self.assertEqual(self.browser.evaluate("conllu()"), newer)
        self.open_session(older, "all")
        self.assertEqual(self.accepted(), [1])
        self.browser.press("u")
        self.assertEqual(self.browser.evaluate("conllu()"), newer)
        # What nobody touched is taken without a question.
        self.browser.evaluate("void localStorage.clear()")
        self.reload()
        self.choose_files(older)
        self.assertEqual(self.browser.evaluate("Object.keys(session.of(0).locked).length"), 1)

    def test_other_scores_and_rules_are_said_and_accepted_trees_stay(self):
        scores = [{"id": "a", "words": ["x", "y", "z"], "scores": [[None, 9, 1, 1], [None, None, 5, 1], [None, 1, None, 5], [None, 1, 1, None]]},
                  {"id": "b", "words": ["x", "y", "z", "w"],
                   "scores": [[None, 1, 5, 1, 1], [None, None, 1, 9, 1], [None, 8, None, 1, 8], [None, 1, 1, None, 1], [None, 1, 1, 1, None]]}]
        self.open(self.write("a.jsonl", "\n".join(map(json.dumps, scores))), "--root", "single")
        self.assertEqual(self.heads(), [0, 1, 2])
        self.browser.press("Enter")
        self.browser.evaluate("void lockHead(3, 1)")
        self.browser.evaluate("void lockHead(4, 2)")
        self.browser.evaluate("void lockHead(1, 0)")  # 1 -> 3 crosses 2 -> 4
        written = self.browser.evaluate("conllu()")
        self.assertEqual(self.notices(), [])
        scores[0]["scores"][1][3] = 100
        self.open(self.write("b.jsonl", "\n".join(map(json.dumps, scores))), "--rule", "projective", forget=False)
        self.assertIn("2 sentences were decided with other scores and other rules", self.notices()[0])
        self.assertEqual(self.browser.evaluate("conllu()"), written)
        self.browser.evaluate("void visit(0)")
        self.assertEqual(self.heads(), [0, 1, 2])  # as it is written
        self.assertIn("accepted", self.browser.evaluate("$('state').textContent"))
        shown = self.browser.evaluate("[...document.querySelectorAll('#figure .arc')].map(a => [+a.dataset.dependent, +a.dataset.head]).sort()")
        self.assertEqual(shown, [[1, 0], [2, 1], [3, 2]])
        # Locks that no rule allows: the controls stay, and what can be taken back is named.
        self.browser.evaluate("void visit(1)")
        self.assertIn("No tree has all", self.browser.evaluate("$('error').textContent"))
        self.assertTrue(self.browser.evaluate("$('actions').offsetHeight > 0 && $('stuck').offsetHeight > 0"))
        ways = self.browser.evaluate("[...document.querySelectorAll('#ways li')].map(l => l.textContent)")
        self.assertIn("is enough", ways[0])
        self.assertEqual(len(ways), 4)
        self.browser.click("#ways button")
        self.assertTrue(self.browser.evaluate("$('stuck').hidden"))
        self.assertEqual(self.browser.evaluate("Object.keys(work().locked).length"), 2)
        self.browser.press("u")
        self.assertFalse(self.browser.evaluate("$('stuck').hidden"))

    # ---- what is read is not believed ----

    def works(self, *changes):
        self.open_english("--labels", LABELS)
        self.browser.press("Enter", "n", "2")
        session = self.browser.evaluate("session.toJSON(sentences, key)")
        return session

    def test_crafted_sessions_are_refused(self):
        good = self.works()
        before = self.browser.evaluate("conllu()")

        def craft(change):
            session = json.loads(json.dumps(good))
            change(session["sentences"][0], session["sentences"][1])
            return session
        word = next(iter(good["sentences"][1]["locked"]))

        def cycle(one, two):
            one["done"]["heads"][1:3] = [2, 1]
        bad = [
            lambda one, two: two["locked"].update({word: [2, 7]}),
            lambda one, two: two["locked"].update({word: [2, "a\tb"]}),
            lambda one, two: two["locked"].update({word: [2, "a\nb"]}),
            lambda one, two: two["locked"].update({"0": [2, None]}),
            lambda one, two: two["locked"].update({"1": [1, None]}),
            lambda one, two: two["locked"].update({"__proto__": [1, None]}),
            lambda one, two: two.update(locked=None),
            lambda one, two: two.update(rank="1"),
            lambda one, two: two.update(forbidden=[[1]]),
            lambda one, two: one["done"]["labels"].__setitem__(1, 7),
            lambda one, two: one["done"]["labels"].__setitem__(1, "x\n1\ty"),
            lambda one, two: one["done"]["labels"].__setitem__(1, "x\ty"),
            lambda one, two: one["done"]["labels"].pop(),
            lambda one, two: one["done"]["heads"].__setitem__(1, 1000),
            lambda one, two: one.update(done=True),
            lambda one, two: one.update(index=1),
            lambda one, two: one.update(index=-1),
            lambda one, two: one.update(index="__proto__"),
            lambda one, two: one.update(id="other"),
            lambda one, two: one.update(at="yesterday"),
            cycle,
        ]
        for number, change in enumerate(bad):
            session = craft(change)
            works = self.browser.evaluate("conllu()")
            self.choose_files(self.write("crafted.json", session))
            self.assertIn("cannot be opened", self.message(), number)
            self.assertEqual(self.browser.evaluate("conllu()"), works)
            # The same in the browser's storage: the page lives, and leaves it alone.
            for one in session["sentences"]:
                self.browser.evaluate(f"""void localStorage.setItem(`coppice:${{key}}:{json.dumps(one['index']).strip('"')}`,
                    {json.dumps(json.dumps(one))})""")
            self.reload()
            self.assertTrue(self.browser.evaluate("document.querySelectorAll('#figure .arc').length > 0"))
        self.browser.evaluate("void localStorage.clear()")
        self.reload()
        self.choose_files(self.write("good.json", good))
        self.assertEqual(self.browser.evaluate("conllu()"), before)

    def test_sessions_with_random_faults_are_refused_or_harmless(self):
        """Whatever is opened: CoNLL-U with as many lines and columns as before, and trees."""
        good = self.works()
        self.browser.evaluate(f"void (window.good = {json.dumps(json.dumps(good))})")
        faults = self.browser.evaluate("""(() => {
            let seed = 7;
            const random = (n) => ((seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) >>> 8) % n;
            const values = [null, true, 0, 1, 2, 3, -1, 1.5, 1e300, 7, '', 'x', 'a\\tb', 'a\\nb', '\\u0000', '__proto__', [], {}, [[1, 2]], { 1: [2, null] }, { length: 9 }];
            const change = (x) => {
                const keys = Object.keys(x), key = keys[random(keys.length)];
                if (keys.length === 0) return;
                if (x[key] !== null && typeof x[key] === 'object' && random(5)) return change(x[key]);
                const what = random(4);
                if (what === 0) delete x[key];
                else if (what === 1 && Array.isArray(x)) x.push(values[random(values.length)]);
                else x[key] = values[random(values.length)];
            };
            const lines = conllu().split('\\n').map(l => l.split('\\t').length).join(), bad = [];
            let opened = 0;
            for (let round = 0; round < 3000; ++round) {
                const text = JSON.parse(window.good), before = [...session.works];
                for (let i = 0; i <= random(3); ++i) change(text);
                let works;
                try { works = readSession(text, sentences, key); } catch (error) {
                    if (error.constructor !== Error) bad.push([round, String(error), JSON.stringify(text).slice(0, 300)]);
                    continue;
                }
                opened += 1;
                for (const [index, work] of works) session.take(index, work);
                if (conllu().split('\\n').map(l => l.split('\\t').length).join() !== lines) bad.push([round, 'lines']);
                sentences.forEach((s, i) => { if (session.of(i).done && cycleOf(session.of(i).done.heads)) bad.push([round, 'circle']); });
                session.works = new Map(before);
            }
            return { bad: bad.slice(0, 5), opened };
        })()""")
        self.assertEqual(faults["bad"], [])
        self.assertGreater(faults["opened"], 100)

    def npz(self, name, lengths, scores, kind="<f4"):
        def array(values, kind, code):
            head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({len(values)},), }}".ljust(53) + "\n"
            return b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(values)}{code}", *values)
        path = os.path.join(self.folder.name, name)
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("lengths.npy", array(lengths, "<i8", "q"))
            archive.writestr("scores.npy", array(scores, kind, {"<f4": "f", "<i8": "q", "<i2": "h"}[kind]))
        return path

    def test_files_that_are_opened_are_checked(self):
        self.open()
        good = [0, 1, 2, 0, 0, 3, 0, 4, 0]
        text = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n2\tb\t_\t_\t_\t_\t1\tx\t_\t_\n\n"
        for kind in ["<f4", "<i8", "<i2"]:  # whole numbers, too
            self.browser.evaluate("void localStorage.clear()")
            self.choose_files(self.npz("good.npz", [2], good, kind), self.write("good.conllu", text))
            self.assertIn("1 sentence opened", self.message())
            self.assertEqual(self.heads(), [2, 0])
            self.browser.press("n", "2", "h", "1", "Enter", "Escape")
        works = self.browser.evaluate("conllu()")
        for number, (lengths, scores, words) in enumerate([
                ([3], good, text), ([2, 2], good, text), ([-1], good, text), ([10**12], good, text), ([2], good[1:], text), ([2], good + [1], text),
                ([2], good, text.replace("\t_\n", "\n")), ([2], good, text.replace("2\tb", "3\tb")), ([2], good, text.replace("2\tb", "02\tb")),
                ([2], good, text + text), ([2], good, text.replace("1\ta", "1\ta\t")), ([2], good, "x")]):
            self.choose_files(self.npz("bad.npz", lengths, scores), self.write("bad.conllu", words))
            self.assertIn("cannot be opened", self.message(), number)
            self.assertEqual(self.browser.evaluate("conllu()"), works)
        # Damaged bytes: opened or refused, and the page lives.
        with open(self.npz("good.npz", [2], good), "rb") as file:
            whole = file.read()
        rng = random.Random(3)
        for _ in range(TORTURE):
            damaged = bytearray(whole)
            for _ in range(rng.randrange(1, 4)):
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
            path = os.path.join(self.folder.name, "damaged.npz")
            with open(path, "wb") as file:
                file.write(damaged[:rng.choice([len(damaged), rng.randrange(len(damaged))])])
            self.choose_files(path)
            self.assertGreater(self.browser.evaluate("sentences.length"), 0)

    # ---- all of it at once ----

    def test_random_acts_lose_no_accepted_sentence(self):
        """Two tabs, reloads, full storage: what was accepted and not reopened is there at the end."""
        self.open_english()
        rng = random.Random(1)
        tabs = [self.browser.session]
        self.browser.new_tab()
        self.browser.load(self.address.split("#")[0])
        tabs.append(self.browser.session)
        accepted, given_up, full = set(), set(), False
        for act in range(TORTURE):
            tab = rng.choice(tabs)
            self.browser.session = tab
            before = set(self.written())
            what = rng.choice(["accept", "accept", "lock", "walk", "pick", "reload", "go", "reopen", "full", "undo"])
            if what == "accept":
                self.browser.press("Enter")
            elif what == "lock":
                self.browser.press("n", rng.choice("123"), "Escape")
            elif what == "walk":
                self.browser.press(rng.choice("jk"))
            elif what == "pick":
                self.browser.press("ArrowDown")
            elif what == "go":
                self.browser.evaluate(f"void visit({rng.randrange(COUNT)})")
            elif what == "reopen":
                self.browser.press("e")
            elif what == "undo":
                self.browser.press("u")
            elif what == "reload" and not full:
                self.reload()
            elif what == "full":
                if full:
                    self.empty_storage(tabs)
                else:
                    self.fill_storage()
                full = not full
            after = set(self.written())
            given_up -= after - before
            if what in ("reopen", "undo"):
                given_up |= before - after
            if not full:
                self.agree(tabs)
            now = self.accepted_in(tabs)
            self.assertLessEqual(accepted - now, given_up, (act, what))
            accepted = now
        self.empty_storage(tabs)
        self.agree(tabs)
        self.browser.session = tabs[0]
        before = self.written()
        self.assertEqual(set(before), accepted)
        self.reload()
        self.assertEqual(self.written(), before)
        self.browser.session = tabs[1]
        self.browser.call("Target.closeTarget", targetId=self.browser.call("Target.getTargetInfo")["targetInfo"]["targetId"])
        self.browser.session = tabs[0]

    def written(self):
        return self.browser.evaluate("Object.fromEntries([...session.works].filter(([, w]) => w.done).map(([i, w]) => [i, w.done.heads]))")

    def accepted_in(self, tabs):
        found = set()
        for tab in tabs:
            self.browser.session = tab
            found |= set(self.written())
        return found

    def agree(self, tabs):
        for _ in range(40):  # news takes its time
            seen = []
            for tab in tabs:
                self.browser.session = tab
                self.browser.evaluate("void lookAround()")
                seen.append(self.written())
            if seen[0] == seen[1]:
                return
            time.sleep(0.05)
        self.assertEqual(*seen)


if __name__ == "__main__":
    main()
