"""The program before somebody who sits at a terminal: mistyped words, wrong files, a bar, Ctrl-C.

Usage: terminal_test.py COPPICE DATA-FOLDER
"""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import unittest

from program import COPPICE, ENGLISH, LABELS, MARATHI, SANITIZED, TEXT, ProgramTest, run


class Terminal:
    """The program with a terminal for its standard error and, where asked, its standard output."""

    def __init__(self, *arguments, columns=80, output=subprocess.DEVNULL, **options):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.process = subprocess.Popen([COPPICE, *arguments], stderr=theirs,
                                        stdout=theirs if output is None else output, **options)
        self.ours, self.theirs = ours, theirs
        self.seen = b""

    def read_until(self, wanted, seconds=100):
        """All that was shown until something matches; to the end where nothing is wanted.

        The end is the program's, not the terminal's: their side stays open here meanwhile, since a terminal whose
        last writer left may report that before the last that was written.
        """
        end = time.monotonic() + seconds
        while (wanted is None or not re.search(wanted, self.seen)) and time.monotonic() < end:
            ended = self.process.poll() is not None
            if select.select([self.ours], [], [], 0 if ended else 0.005)[0]:
                self.seen += os.read(self.ours, 1 << 16)
            elif ended:
                break
        return self.seen

    def finish(self):
        self.read_until(None)
        os.close(self.ours)
        os.close(self.theirs)
        return self.process.wait()


class Messages(ProgramTest):
    def said(self, result, code, *words):
        self.assertEqual(result.returncode, code, result.stderr)
        for word in words:
            self.assertIn(word.encode(), result.stderr)
        for line in result.stderr.splitlines():
            self.assertTrue(line.startswith(b"coppice: "), line)

    def test_after_ten_broken_sentences_a_summary(self):
        good, broken = b'{"scores": [[0, 1], [0, 0]]}\n', b'{"scores": [[0, 1], [0]]}\n'
        ten = run("decode", "-", input=good + 10 * broken)
        self.assertEqual(ten.stderr.count(b"\n"), 10)
        many = run("decode", "-", input=good + 25 * broken)
        self.said(many, 0, "sentence 10 (10): line 11: ragged", "15 more broken sentences")
        self.assertEqual(many.stderr.count(b"\n"), 11)
        self.assertEqual(many.stdout.count(b"ragged"), 25)

    def test_no_number_of_threads_means_all(self):
        counts = []
        for threads in [[], ["--threads", "0"]]:
            result = run("decode", MARATHI, *threads, "--stats", self.path("stats"))
            self.assertEqual(result.returncode, 0, result.stderr)
            counts.append(json.loads(self.read("stats"))["threads"])
        self.assertEqual(counts[0], counts[1])
        self.assertGreater(counts[0], 0)
        self.said(run("decode", MARATHI, "--threads", "-1"), 2, "--threads -1: at least 0 expected")


    def test_words_are_no_scores(self):
        for command in [["decode", TEXT], ["view", MARATHI, TEXT], ["verify", TEXT, "--scores", TEXT]]:
            self.said(run(*command), 2, "en_ewt-ud-test.conllu: this is CoNLL-U", "give it with --text")
        bare = b"1-2\tab\t" + 7 * b"_\t" + b"_\n1\ta\t" + 7 * b"_\t" + b"_\n\n"
        self.said(run("decode", "-", input=bare), 2, "standard input: this is CoNLL-U", "--text")
        self.said(run("decode", "-", input=b"# text = a\n" + bare[bare.index(b"\n") + 1:]), 2, "this is CoNLL-U")
        # A comment, or numbers in columns, are also those of edge lists.
        self.assertEqual(run("decode", "-", input=b"# text = a\n1\t2\t3\n").returncode, 0)

    def test_the_root_rule_is_no_surprise(self):
        numbers, names = b"0 1 5\n0 2 5\n1 2 4\n\n0 1 5\n", b"a b 5\na c 5\n"
        note = "assuming --root single; pass --root to choose"
        for command in ["decode", "ties"]:
            told = run(command, "-", input=numbers)
            self.said(told, 0, note)
            self.assertEqual(told.stderr.count(b"\n"), 1)
            for quiet in [run(command, "-", "--root", "any", input=numbers), run(command, "-", input=names),
                          run(command, "-", "--root", "single", input=numbers),
                          run(command, "-", input=b'{"scores": [[0, 1], [0, 0]]}\n')]:
                self.assertEqual((quiet.returncode, quiet.stderr), (0, b""))
        self.assertEqual(run("decode", ENGLISH, "--labels", LABELS, "--limit", "1").stderr, b"")
        self.assertIn(note.encode(), run("confidence", "-", input=numbers).stderr)
        self.assertNotIn(b"say --root", run("confidence", "-", "--root", "any", input=numbers).stderr)

    def test_json_that_is_no_lines(self):
        for text in [b"[[0, 1], [0, 0]]", b'[{"scores": [[0, 1], [0, 0]]}]']:
            self.said(run("decode", "-", input=text), 3, "standard input: a JSON array; JSON lines", "expected")
        self.assertEqual(run("decode", "-", input=b"[a] [b] 3\n").returncode, 0)

    def test_wrong_label_scores(self):
        wanted = ["not label scores", "lp (scores)", "id (which labels)", "names (of the labels)"]
        self.said(run("decode", MARATHI, "--labels", MARATHI), 3, *wanted, "there are: lengths.npy")
        self.said(run("decode", MARATHI, "--labels", TEXT), 3, *wanted, "it is no archive")
        self.said(run("decode", MARATHI, "--labels", self.path("none")), 3, "No such file")

    def test_options_that_would_do_nothing(self):
        """A score matrix has neither names nor columns; a graph has no axes."""
        dates = self.write("dates", b"a 1\n")
        for option in [["--root-node", "a"], ["--any-root"], ["--columns", "1,2,3"], ["--min-weight", "2"],
                       ["--max-weight", "2"], ["--only-label", "a"], ["--without-label", "a"], ["--dates", dates],
                       ["--require", "a:b"], ["--forbid-file", dates]]:
            name = option[0].removesuffix("-file")
            for command in ["decode", "ties"]:
                self.said(run(command, MARATHI, *option), 2, name, "of graphs, and this is a score matrix")
            self.assertEqual(run("decode", "-", *option, input=b"a b 3\n").returncode, 0, option)
        graph = run("decode", "-", "--axes", "dep,head", input=b"a b 3\n")
        self.said(graph, 2, "--axes is of score matrices, and this is a graph")

    def test_what_would_be_passed_over_is_refused(self):
        star = b"r a 5\nr b 5\nr c 5\na b 1\n"
        for command in ["decode", "ties", "confidence"]:
            self.said(run(command, "-", "--root", "single", input=star), 2, "name it with --root-node")
            self.assertEqual(run(command, "-", "--root", "any", input=star).returncode, 0)
        for shape in ["tsv", "newick", "dot", "graphml"]:
            self.said(run("decode", "-", "--probabilities", "--format", shape, input=star), 2, "--probabilities goes with --format")
        for shape in ["jsonl", "text"]:
            self.assertIn(b"prob", run("decode", "-", "--probabilities", "--format", shape, input=star).stdout)

    def test_did_you_mean(self):
        self.said(run("decod", MARATHI), 2, "there is no command 'decod'; did you mean decode? (coppice help)")
        self.said(run("xyz"), 2, "there is no command 'xyz' (coppice help)")
        self.said(run("--verison"), 2, "coppice has no option --verison; did you mean --version? (coppice help)")
        self.said(run("decode", MARATHI, "--rot", "any"), 2,
                  "decode has no option --rot; did you mean --root? (coppice help decode)")
        self.said(run("decode", "--outptu=x", MARATHI), 2, "no option --outptu; did you mean --output?")
        self.said(run("decode", MARATHI, "--thre", "2"), 2, "did you mean --threads?")
        self.said(run("decode", MARATHI, "--worst", "2"), 2, "decode has no option --worst; it is one of confidence")
        self.said(run("decode", MARATHI, "--nothing-like-it"), 2, "decode has no option --nothing-like-it (coppice")
        self.said(run("--root", "any", "decode", MARATHI), 2, "--root stands before the command")

    def test_one_prefix_and_where_to_read_on(self):
        self.said(run("decode"), 2, "INPUT is required (coppice help decode)")
        self.said(run("decode", MARATHI, "--root", "two"), 2, "--root: 'two' is none of single|any (coppice help decode)")
        for words, said in [("decode -k many", "-k: 'many' is no whole number"),
                            ("decode -k 5.5", "-k: '5.5' is no whole number"),
                            ("decode --max-gap x", "--max-gap: 'x' is no number"),
                            ("decode --shard 3", "--shard: '3': two numbers with / between expected"),
                            ("evaluate -k 1,b", "-k: 'b' in '1,b' is no number")]:
            command, option, value = words.split()
            self.said(run(command, MARATHI, option, value), 2, f"{said} (coppice help {command})")
        self.said(run("decode", MARATHI, "--limit", "-3"), 2, "--limit -3: at least 0 expected")
        self.said(run("decode", MARATHI, "--bad\x1b[31m"), 2, "--bad\ufffd[31m")

    def test_help(self):
        for command in ["decode", "view", "completions", "help"]:
            asked = run("help", command)
            self.assertEqual((asked.returncode, asked.stderr), (0, b""))
            self.assertEqual(asked.stdout, run(command, "--help").stdout)
        self.assertEqual(run("help").stdout, run("--help").stdout)
        self.said(run("help", "veiw"), 2, "there is no command 'veiw'; did you mean view?")
        alone = run()
        self.assertEqual((alone.returncode, alone.stderr), (2, run("help").stdout))


class Pages(ProgramTest):
    def test_they_do_not_fill_the_terminal(self):
        for command in [["view", MARATHI], ["annotate", MARATHI], ["annotate"], ["view", MARATHI, "--svg"]]:
            terminal = Terminal(*command, output=None)
            self.assertEqual(terminal.finish(), 2)
            self.assertIn(b"-o FILE writes it, --open shows it in a browser", terminal.seen)
            self.assertEqual(terminal.seen.count(b"\n"), 1)
        terminal = Terminal("view", MARATHI, "-o", "-", output=None)
        self.assertEqual(terminal.finish(), 0)
        self.assertIn(b"<!doctype html>", terminal.seen)

    def test_they_are_opened(self):
        browser = self.write("browser", f"#!/bin/sh\nprintf %s \"$1\" > {self.path('seen.new')}\n"
                             f"mv {self.path('seen.new')} {self.path('seen')}\n".encode())
        os.chmod(browser, 0o755)
        pages = self.path("pages")
        os.mkdir(pages)
        environment = {**os.environ, "BROWSER": browser, "TMPDIR": pages}
        for command in [["view", MARATHI, "-o", self.path("page.html")], ["view", MARATHI], ["annotate"]]:
            shown = run(*command, "--open", env=environment)
            self.assertEqual(shown.returncode, 0, shown.stderr)
            while not os.path.exists(self.path("seen")):
                time.sleep(0.001)
            page = self.read("seen")
            os.remove(self.path("seen"))
            self.assertEqual(shown.stderr, b"coppice: opening " + page + b"\n")
            self.assertTrue(page.endswith(b".html"))
            self.assertTrue(self.read(page.decode()).startswith(b"<!doctype html>"))
        self.assertEqual(len(os.listdir(pages)), 2)

    def test_no_browser(self):
        environment = {**os.environ, "BROWSER": self.path("no such thing")}
        shown = run("view", MARATHI, "-o", self.path("page.html"), "--open", env=environment)
        self.assertEqual(shown.returncode, 4)
        self.assertIn(b"no browser could be started", shown.stderr)
        self.assertTrue(os.path.exists(self.path("page.html")))
        self.assertEqual(run("view", MARATHI, "-o", "-", "--open").returncode, 2)


class Bar(ProgramTest):
    SENTENCES = 400 if SANITIZED else 2077
    SLOW = ["decode", ENGLISH, "-k", "50", "--engine", "paper", "--threads", "1", "--limit", str(SENTENCES)]

    def lines(self, seen):
        return [line.decode() for line in seen.split(b"\r\x1b[K") if line]

    def test_it_is_there_at_once_and_gone_at_the_end(self):
        terminal = Terminal("decode", MARATHI, "-o", self.path("out"))
        self.assertEqual(terminal.finish(), 0)
        self.assertIn("0 of 47", self.lines(terminal.seen)[0])
        self.assertTrue(terminal.seen.endswith(b"\r\x1b[K"))

    def test_it_fits(self):
        for columns in [1, 8, 20, 39, 40, 60, 80, 200]:
            terminal = Terminal("decode", ENGLISH, "-o", self.path("out"), columns=columns)
            self.assertEqual(terminal.finish(), 0)
            for line in self.lines(terminal.seen):
                self.assertLess(len(line), columns)
            if columns > 8:
                self.assertIn(" %", self.lines(terminal.seen)[0])

    def test_none_where_the_trees_are_on_the_same_terminal(self):
        terminal = Terminal("decode", MARATHI, output=None)
        self.assertEqual(terminal.finish(), 0)
        self.assertNotIn(b"\x1b", terminal.seen)

    def test_messages_stand_on_lines_of_their_own(self):
        broken = self.write("broken", b'{"scores": [[0, 1], [0]]}\n')
        terminal = Terminal("decode", broken, MARATHI, "-o", self.path("out"))
        self.assertEqual(terminal.finish(), 0)
        self.assertIn(b"\r\x1b[Kcoppice: sentence 0", terminal.seen)


class Interrupted(ProgramTest):
    SENTENCES, SLOW = Bar.SENTENCES, Bar.SLOW

    def interrupt(self, terminal, how=signal.SIGINT):
        terminal.process.send_signal(how)
        self.assertEqual(terminal.finish(), -how)
        return terminal.seen.decode().split("coppice: ")[-1]

    def test_says_how_far_it_got_and_how_to_go_on(self):
        decode = [*self.SLOW, "-o", self.path("out")]
        terminal = Terminal(*decode)
        while not os.path.exists(self.path("out.resume")):
            time.sleep(0.001)
        terminal.read_until(rb"[1-9]\d* of %d" % self.SENTENCES)
        said = self.interrupt(terminal)
        self.assertRegex(said, rf"^interrupted after [1-9]\d* of {self.SENTENCES} sentences; the same command with --resume goes on\r\n$")
        rest = run(*decode, "--resume")
        self.assertEqual(rest.returncode, 0, rest.stderr)
        self.assertEqual(run(*self.SLOW).stdout, self.read("out"))

    def test_leaves_nothing_that_cannot_be_taken_up_again(self):
        for command in [["decode", "-"], ["view", "-"], ["confidence", "-"]]:
            terminal = Terminal(*command, "-o", self.path("out"), stdin=subprocess.PIPE)
            while not os.path.exists(self.path("out.partial")):
                time.sleep(0.001)
            time.sleep(0.02)  # it is known to the handler, too
            self.assertEqual(self.interrupt(terminal, signal.SIGTERM), "interrupted\r\n")
            self.assertEqual(os.listdir(self.folder.name), [])
            terminal.process.stdin.close()

    def test_standard_output_cannot_be_taken_up_again(self):
        terminal = Terminal(*self.SLOW)
        terminal.read_until(rb"[1-9]\d* of %d" % self.SENTENCES)
        self.assertRegex(self.interrupt(terminal), rf"^interrupted after [1-9]\d* of {self.SENTENCES} sentences\r\n$")

    def test_who_ignores_the_signal_is_not_interrupted(self):
        ignore = lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)  # noqa: E731
        terminal = Terminal(*self.SLOW[:-1], "200", preexec_fn=ignore)
        terminal.read_until(rb"[1-9]\d* of 200")
        terminal.process.send_signal(signal.SIGINT)
        self.assertEqual(terminal.finish(), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
