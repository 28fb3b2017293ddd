"""What docs/limits.md promises of memory: every row of its table is run with `ulimit -v` at the figure that stands there.

Usage: memory_test.py COPPICE DATA-FOLDER
"""

import json
import os
import random
import re
import resource
import struct
import subprocess
import sys
import unittest

from files_test import archive, strings
from program import COPPICE, DATA, ENGLISH, SANITIZED, TEXT, ProgramTest, npy

LIMITS = os.path.join(DATA, "..", "docs", "limits.md")
LABELS = os.path.join(DATA, "ud-scores", "English-EWT.labels.npz")


def promised():
    """{name of a row: MiB}, from the table between its marks."""
    with open(LIMITS, encoding="utf-8") as file:
        table = re.search(r"<!-- memory -->(.*?)<!-- end -->", file.read(), re.S).group(1)
    return {row[1]: int(row[2]) for row in re.finditer(r"^\| `([^`]+)` \|.*\| (\d+) MiB \|$", table, re.M)}


def limited(arguments, mib):
    """Runs it with so many MiB of addresses."""
    return subprocess.run([COPPICE, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (mib << 20, mib << 20)))


@unittest.skipIf(SANITIZED, "no limit on memory can be set on such a program")
class Memory(ProgramTest):
    def uniform(self, words):
        numbers = random.Random(words)
        count = (words + 1) ** 2
        scores = struct.pack(f"<{count}f", *(numbers.random() for _ in range(count)))
        return self.write(f"uniform-{words}.npy", npy("<f4", (words + 1, words + 1), scores))

    def edges(self):
        numbers = random.Random(1)
        lines = [f"{numbers.randrange(v)} {v} {numbers.random()}\n" for v in range(1, 20_001) for _ in range(10)]
        return self.write("edges", "".join(lines).encode())

    def long_columns(self, words):
        lines = [f"{v}\tw\tw\tX\tX\t{'x' * 200}\t0\troot\t_\t_\n" for v in range(1, words + 1)]
        return self.write("columns", "".join([f"# text = {'w ' * 100}\n", *lines, "\n"]).encode())

    def trees(self):
        with open(self.path("trees"), "wb") as out:
            subprocess.run([COPPICE, "decode", ENGLISH, "-k", "50"], stdout=out, check=True)
        return self.path("trees")

    def hungry_labels(self):
        shape = (3_000 * 3_000, 1)
        return self.write("hungry.npz", archive(lp=npy("<f4", shape), id=npy("<i4", shape), names=strings("a")))

    def rows(self):
        """{name: (arguments, exit code)}"""
        threads = ["--threads", "1"]
        chain = self.write("chain", "".join(f"{v} {v + 1} 1\n" for v in range(6_000)).encode())
        long_line = self.write("line", b'{"scores": [[' + b"0, " * (60 << 20))
        lists = json.dumps({"scores": [[0, 1], [0, 0]], "words": [""] * 3_000_000}).encode()
        return {
            "English, K = 50": (["decode", ENGLISH, "-k", "50", *threads], 0),
            "English, K = 50, as text": (["decode", ENGLISH, "-k", "50", "--text", TEXT, "--format", "text", *threads], 0),
            "English, labels, K = 5": (["decode", ENGLISH, "--labels", LABELS, "-k", "5", *threads], 0),
            "N = 1,000, K = 1,000": (["decode", self.uniform(1_000), "-k", "1000", *threads], 0),
            "N = 100, K = 10,000": (["decode", self.uniform(100), "-k", "10000", *threads], 0),
            "20,000 nodes, 200,000 edges, K = 10": (["decode", self.edges(), "-k", "10", "--root", "any", *threads], 0),
            "N = 10, K = 50,000, with long columns": (
                ["decode", self.uniform(10), "--text", self.long_columns(10), "-k", "50000", "--format", "conllu",
                 *threads], 0),
            "verify, 83,513 trees": (["verify", self.trees(), "--scores", ENGLISH], 0),
            "chain of 6,000 words, as text": (["decode", chain, "--format", "text", *threads], 0),
            "a header that promises 9 million labels": (
                ["decode", self.uniform(2_999), "--labels", self.hungry_labels(), *threads], 3),
            "a line of 180 MB": (["decode", long_line, *threads], 1),
            "a list of 3 million words": (["decode", self.write("lists", lists), *threads], 1),
        }

    def test_every_row(self):
        table, rows = promised(), self.rows()
        self.assertEqual(set(table), set(rows))
        for name, (arguments, code) in rows.items():
            with self.subTest(name):
                ended = limited(arguments, table[name])
                self.assertEqual(ended.returncode, code, ended.stderr[-500:])
                self.assertNotIn(b"memory", ended.stderr)

    def test_small_files_take_little(self):
        """Text that stands for much more than it is."""
        names = " ".join(f"n{i}" for i in range(10_000))
        many = " ".join(f"m{i}" for i in range(5_000))
        less = " ".join(f"n{i}" for i in range(5_000))
        key = "k" * 600_000
        data = '<data key="k"/>' * 3_000
        files = {
            "a node repeated": (f"digraph {{ {{{'A ' * 100_000}}} -> {{{names}}} [weight=1] }}", 0),
            "two large groups": (f"digraph {{ {{{many}}} -> {{{less}}} [weight=1] }}", 1),
            "defaults of nested groups": (
                f"digraph {{ {{ edge [weight=1, label={'x' * 1_000_000}] " * 90 + "a -> b" + " } }" * 90, 3),
            "the name of a key": (
                f'<graphml><key id="k" attr.name="{key}"/><graph><node id="a">{data}</node></graph></graphml>', 3),
            "a long id": (json.dumps({"id": "x" * 5_000_000, "scores": [[0, 1], [0, 0]]}), 1),
        }
        for name, (text, code) in files.items():
            with self.subTest(name):
                ended = limited(["decode", self.write("file", text.encode()), "-k", "100", "--threads", "1"], 96)
                self.assertEqual(ended.returncode, code, ended.stderr[-500:])
                self.assertNotIn(b"memory", ended.stderr)

    def test_label_names_that_are_deflated(self):
        names = npy("<U4000", (6_000,), b"a\0\0\0" * (6_000 * 4_000))
        arrays = {"lp": npy("<f4", (4, 1), bytes(16)), "id": npy("<i4", (4, 1), bytes(16)), "names": names}
        labels = self.write("labels.npz", archive(**arrays))
        scores = self.write("scores.npy", npy("<f4", (2, 2), bytes(16)))
        ended = limited(["decode", scores, "--labels", labels, "--threads", "1"], 64)
        self.assertEqual(ended.returncode, 3, ended.stderr[-500:])
        self.assertIn(b"names of more than 16777216 bytes together", ended.stderr)

    def test_a_sentence_too_large_does_not_sink_the_others(self):
        numbers = random.Random(1)
        matrices = [[[0, 1], [0, 0]], [[numbers.random() for _ in range(60)] for _ in range(60)], [[0, 1], [0, 0]]]
        lines = [json.dumps({"id": f"s{i}", "scores": scores}) for i, scores in enumerate(matrices)]
        scores = self.write("scores", "\n".join(lines).encode())
        for command in [["decode", "-k", "100000"], ["confidence", "-k", "3000"]]:
            for mib in range(32, 128, 8):  # what runs out is the search, the list, or its text
                with self.subTest(command[0], mib=mib):
                    ended = limited([*command, scores, "--threads", "1", "-o", self.path("out")], mib)
                    self.assertEqual(ended.returncode, 0, ended.stderr[-500:])
                    self.assertRegex(self.read("out"), rb"(?s)s0.*s1.*s2")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
