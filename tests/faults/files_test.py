"""What a file may ask for and what it may not: memory out of proportion, checksums that nobody compares, escape
sequences for the terminal, names that are no text, input that is output.

Usage: files_test.py COPPICE DATA-FOLDER
"""

import io
import json
import os
import resource
import select
import struct
import subprocess
import sys
import unittest
import xml.dom.minidom
import zipfile

from program import COPPICE, MARATHI, SANITIZED, ProgramTest, npy, run

ESCAPES = "\x1b[31m\x07\x9b2J\x7f"
CONTROL = set(range(0x20)) - {0x0A, 0x09} | {0x7F}


def archive(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(name + ".npy", data)
    return out.getvalue()


def strings(*texts):
    width = max(map(len, texts))
    return npy(f"<U{width}", (len(texts),), b"".join(t.ljust(width, "\0").encode("utf-32-le") for t in texts))


def matrices(words, sentences=1):
    scores = [float((i * 7) % 11) for i in range(sentences * (words + 1) ** 2)]
    return npy("<f4", (sentences, words + 1, words + 1), struct.pack(f"<{len(scores)}f", *scores))


def labels(arcs, per_arc=2):
    count = arcs * per_arc
    scores = struct.pack(f"<{count}f", *(float(i % 5) for i in range(count)))
    ids = struct.pack(f"<{count}i", *(i % 2 for i in range(count)))
    return npy("<f4", (arcs, per_arc), scores), npy("<i4", (arcs, per_arc), ids)


class FilesTest(ProgramTest):
    def refused(self, result, code, *words):
        self.assertEqual(result.returncode, code, result.stderr)
        for word in words:
            self.assertIn(word.encode(), result.stderr)
        self.assertEqual(result.stderr.count(b"\n"), 1, result.stderr)

    def shows_no_control(self, data):
        text = data.decode()
        self.assertFalse([c for c in text if ord(c) in CONTROL or 0x80 <= ord(c) < 0xA0], text[:500])


class Labels(FilesTest):
    def test_a_header_alone_takes_no_memory(self):
        scores = self.write("scores.npz", archive(scores=npy("<f4", (1, 6000, 6000), b"\0" * 4 * 6000 * 6000)))
        shape = (6000 * 6000, 1)
        hungry = self.write("labels.npz", archive(lp=npy("<f4", shape), id=npy("<i4", shape), names=strings("a")))
        result = run("decode", scores, "--labels", hungry, "--max-words", "6000")
        self.refused(result, 3, "truncated")

    def test_labels_count_as_edges(self):
        nodes, per_arc = 300, 600
        scores = self.write("scores.npz", archive(scores=matrices(nodes - 1)))
        shape = (nodes * nodes, per_arc)
        zeros = b"\0" * 4 * nodes * nodes * per_arc
        hungry = self.write("labels.npz", archive(lp=npy("<f4", shape, zeros), id=npy("<i4", shape, zeros), names=strings("a")))
        result = run("decode", scores, "--labels", hungry)
        self.refused(result, 1, "more than 50000000 edges")

    def test_every_flipped_bit_is_noticed(self):
        scores = self.write("scores.npz", archive(scores=matrices(3, sentences=2)))
        lp, ids = labels(arcs=2 * 16)
        good = archive(lp=lp, id=ids, names=strings("a", "b"))
        whole = run("decode", scores, "--labels", self.write("good.npz", good))
        self.assertEqual(whole.returncode, 0, whole.stderr)
        unnoticed = []
        directory = good.rindex(b"PK\x01\x02") - 200  # behind the data; its dates and flags bind nobody
        for bit in range(0, 8 * directory, 31 if SANITIZED else 7):
            flipped = bytearray(good)
            flipped[bit // 8] ^= 1 << bit % 8
            result = run("decode", scores, "--labels", self.write("flipped.npz", bytes(flipped)))
            if result.returncode == 0 and result.stdout != whole.stdout:
                unnoticed.append(bit)
        self.assertEqual(unnoticed, [])

    def test_more_labels_than_arcs(self):
        scores = self.write("scores.jsonl", b'{"scores": [[0, 1], [0, 0]]}\n')
        lp, ids = labels(arcs=8)
        more = self.write("labels.npz", archive(lp=lp, id=ids, names=strings("a", "b")))
        with open(scores, "rb") as pipe:
            self.refused(run("decode", "-", "--labels", more, stdin=pipe), 3, "the sentences have 8")

    def test_labels_from_a_pipe(self):
        scores = self.write("scores.npz", archive(scores=matrices(3)))
        lp, ids = labels(arcs=16)
        good = archive(lp=lp, id=ids, names=strings("a", "b"))
        from_file = run("decode", scores, "--labels", self.write("labels.npz", good))
        self.assertEqual(from_file.returncode, 0, from_file.stderr)
        from_pipe = run("decode", scores, "--labels", "-", input=good)
        self.assertEqual(from_pipe.stdout, from_file.stdout, from_pipe.stderr)


class Text(FilesTest):
    def test_more_text_than_scores(self):
        scores = self.write("scores.jsonl", b'{"scores": [[0, 1], [0, 0]]}\n')
        sentence = "1\tcats\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
        text = self.write("text.conllu", (sentence * 2).encode())
        self.refused(run("decode", scores, "--text", text), 3, "more sentences than the 1")
        # Who asks for a part does not look at the rest.
        self.assertEqual(run("decode", scores, "--text", text, "--limit", "1").returncode, 0)
        two = self.write("two.jsonl", b'{"scores": [[0, 1], [0, 0]]}\n' * 2)
        longer = self.write("longer.conllu", (sentence * 3).encode())
        self.assertEqual(run("decode", two, "--text", longer, "--shard", "1/2").returncode, 0)
        self.refused(run("decode", two, "--text", longer, "--shard", "2/2"), 3, "more sentences than the 2")

    def test_lists_and_ranges_are_limited(self):
        many = ", ".join(['""'] * 20_000)
        for field in ["words", "tags"]:
            line = f'{{"scores": [[0, 1], [0, 0]], "{field}": [{many}]}}\n'
            result = run("decode", self.write("scores.jsonl", line.encode()))
            self.refused(result, 1, "more than 10000 words")
        ranges = "".join("1-2\tx" + "\t_" * 8 + "\n" for _ in range(20_000))
        text = self.write("text.conllu", (ranges + "1\tcats\t_\t_\t_\t_\t0\troot\t_\t_\n\n").encode())
        scores = self.write("scores.jsonl", b'{"scores": [[0, 1], [0, 0]]}\n')
        self.refused(run("decode", scores, "--text", text), 3, "more than 10000 ranges")


class Terminal(FilesTest):
    def test_nothing_steers_a_terminal(self):
        lines = [{"id": ESCAPES, "words": [ESCAPES], "tags": [ESCAPES], "scores": [[0, 1], [0, 0]]},
                 {"id": ESCAPES, "scores": [[0]]}]
        scores = self.write("scores.jsonl", "".join(json.dumps(line) + "\n" for line in lines).encode())
        for output in ["jsonl", "conllu", "text"]:
            result = run("decode", scores, "--format", output)
            self.shows_no_control(result.stdout)
            self.shows_no_control(result.stderr)
        written = [json.loads(line) for line in run("decode", scores).stdout.splitlines()]
        self.assertEqual({line["id"] for line in written}, {ESCAPES})
        edges = self.write("edges", f"# id = {ESCAPES}\n0 1 2 {ESCAPES}\n".encode())
        for output in ["jsonl", "conllu", "text"]:
            self.shows_no_control(run("decode", edges, "--format", output).stdout)

    def test_nothing_turns_text_around(self):
        turned = "".join(map(chr, [0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]))
        lines = [{"id": turned, "words": [turned], "tags": [turned], "scores": [[0, 1], [0, 0]]},
                 {"id": turned, "scores": [[0]]}]
        scores = self.write("scores.jsonl", "".join(json.dumps(line) + "\n" for line in lines).encode())
        edges = self.write("edges", f"# id = {turned}\na{turned} b 2 {turned}\n".encode())
        for shown in [run("decode", scores, edges, "--format", "text"), run("decode", turned)]:
            for text in [shown.stdout.decode(), shown.stderr.decode()]:
                self.assertFalse(set(turned) & set(text), ascii(text))
        # In files words stay what they are.
        self.assertIn("1\t" + turned, run("decode", scores, "--format", "conllu").stdout.decode())

    def test_messages_neither(self):
        header = repr({"descr": "<f4", "fortran_order": False, "shape": (1,)}).replace("descr", "\x1b[2J")
        bad = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
        for arguments in [[self.write("a.npy", bad)], [self.path("\x1b[2J")], [MARATHI, "--format", "\x1b[2J"]]:
            result = run("decode", *arguments)
            self.assertIn(result.returncode, [2, 3])
            self.shows_no_control(result.stderr)

    def test_drawings_are_xml_whatever_a_word_is(self):
        scores = self.write("scores.jsonl", b'{"scores": [[0, 1], [0, 0]]}\n')
        for word in [b"\xff\xfe", b"\x1b[2J", b"\xed\xa0\x80", b"\xef\xbf\xbf", b"<&\">", b"\xc3"]:
            line = b"1\t" + word + b"\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
            result = run("view", scores, "--text", self.write("text", line), "--svg")
            self.assertEqual(result.returncode, 0, result.stderr)
            xml.dom.minidom.parseString(result.stdout)

    def test_graphml_is_xml_whatever_a_name_is(self):
        for name in ["\x7f", "\ufffe", "\uffff\uffff", "<&\">"]:
            edges = self.write("edges", f"0 1 2 a{name}b\n".encode())
            result = run("decode", edges, "--format", "graphml")
            self.assertEqual(result.returncode, 0, result.stderr)
            xml.dom.minidom.parseString(result.stdout)
            self.assertEqual(run("decode", self.write("again.graphml", result.stdout), "--any-root").returncode, 0)

    def test_messages_are_short(self):
        line = json.dumps({"id": "x" * 100_000, "scores": [[0]]}).encode() + b"\n"
        result = run("decode", self.write("scores.jsonl", line))
        self.assertLess(len(result.stderr), 3_000)

    def test_deep_trees_and_long_words(self):
        words = 6_000
        edges = "".join(f"{v} {v + 1} 1\n" for v in range(words))
        result = run("decode", self.write("chain", edges.encode()), "--format", "text")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertLess(len(result.stdout), 100 * words)
        line = {"words": ["x" * 100_000] + ["y"] * 199, "scores": [[1] * 201] * 201}
        result = run("decode", self.write("long.jsonl", json.dumps(line).encode()), "--format", "text", "-k", "20")
        self.assertLess(len(result.stdout), 5 << 20)


class Descriptors(FilesTest):
    def test_closed_descriptors(self):
        broken = self.write("scores.jsonl", b'{"scores": [[0, 1], [0, 0]]}\n{"id": "broken"}\n')
        whole = run("decode", broken).stdout
        for closed in ["2>&-", "<&-", "0<&- 2>&-"]:
            out = self.path("out")
            command = f'exec "{COPPICE}" decode "{broken}" -o "{out}" {closed}'
            self.assertEqual(subprocess.run(["sh", "-c", command], capture_output=True).returncode, 0)
            self.assertEqual(self.read("out"), whole, closed)
        shown = subprocess.run(["sh", "-c", f'exec "{COPPICE}" decode "{broken}" >&-'], capture_output=True)
        self.assertEqual(shown.returncode, 4)

    def test_output_into_a_pipe_with_a_name(self):
        decode = ["decode", self.write("scores.jsonl", b'{"scores": [[0, 1], [0, 0]]}\n')]
        result = run(*decode, "-o", "/dev/stdout")
        self.assertEqual((result.returncode, result.stdout), (0, run(*decode).stdout), result.stderr)

    def test_output_is_appended_where_the_shell_says_so(self):
        decode = ["decode", self.write("scores.jsonl", b'{"scores": [[0, 1], [0, 0]]}\n')]
        for name in ["/dev/stdout", "/dev/fd/1"]:
            out = self.write("out", b"before\n")
            with open(out, "ab") as file:
                result = subprocess.run([COPPICE, *decode, "-o", name], stdout=file, stderr=subprocess.PIPE)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(self.read("out"), b"before\n" + run(*decode).stdout, name)

    def test_a_limit_on_the_size_of_files(self):
        out = self.path("out")
        limited = subprocess.run([COPPICE, "decode", MARATHI, "-k", "50", "-o", out], capture_output=True,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
        self.refused(limited, 4, "File too large")
        self.assertFalse(os.path.exists(out))

    def test_an_answer_comes_while_the_input_waits(self):
        line = b'{"scores": [[0, 1], [0, 0]]}\n'
        edges = b"0 1 5\n0 2 3\n1 2 4\n\n"
        for question in [line, edges]:
            with subprocess.Popen([COPPICE, "decode", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
                for _ in range(3):
                    process.stdin.write(question)
                    process.stdin.flush()
                    ready, _, _ = select.select([process.stdout], [], [], 20)
                    self.assertTrue(ready, "no answer")
                    self.assertIn(b'"rank": 1', os.read(process.stdout.fileno(), 1 << 16))
                process.stdin.close()
                self.assertEqual(process.wait(), 0)

    def test_archives_from_a_pipe_go_where_they_are_told(self):
        with open(MARATHI, "rb") as file:
            data = file.read()
        os.mkdir(self.path("temporary"))
        found = run("decode", "-", input=data, env={"TMPDIR": self.path("temporary")})
        self.assertEqual(found.stdout, run("decode", MARATHI).stdout)
        self.assertEqual(os.listdir(self.path("temporary")), [])
        self.refused(run("decode", "-", input=data, env={"TMPDIR": self.path("nowhere")}), 3, "no temporary file")


class Names(FilesTest):
    def test_names_that_are_no_text(self):
        scores = os.fsencode(self.path("")) + b"scores\xff.npz"
        with open(MARATHI, "rb") as source, open(scores, "wb") as copy:
            copy.write(source.read())
        out = os.fsencode(self.path("")) + b"out\xff"
        self.assertEqual(run("decode", scores, "-o", out, "--limit", "3").returncode, 0)
        self.assertEqual(run("violations", scores, "--json", "--limit", "3").returncode, 0)
        self.assertEqual(run("view", scores, "-o", out, "--limit", "3").returncode, 0)

    def test_a_folder_in_place_of_a_file_of_ours(self):
        os.mkdir(self.path("out.resume"))
        before = sorted(os.listdir(self.folder.name))
        for more in [[], ["--resume"]]:
            self.refused(run("decode", MARATHI, "-o", self.path("out"), *more), 4, "out.resume")
        self.assertEqual(sorted(os.listdir(self.folder.name)), before)

    def test_input_that_would_be_output(self):
        scores = self.write("scores.jsonl", b'{"scores": [[0, 1], [0, 0]]}\n')
        partial = self.write("out.partial", self.read("scores.jsonl"))
        text = self.write("text", b"1\tcats\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
        os.link(scores, self.path("same"))
        os.symlink("scores.jsonl", self.path("link"))
        out = self.path("out")
        for arguments in [["decode", scores, "-o", out, "--stats", out], ["decode", scores, "-o", scores],
                          ["decode", scores, "-o", self.path("same")], ["decode", scores, "-o", self.path("link")],
                          ["decode", partial, "-o", out], ["decode", scores, "--text", text, "-o", text],
                          ["decode", scores, "-o", out, "--stats", out + ".resume"],
                          ["view", scores, "-o", self.path("../" + os.path.basename(self.folder.name) + "/same")]]:
            self.refused(run(*arguments), 2, "would be")
        settings = self.write("t.json", b'{"arcs": 2, "labels": 1}')
        for option in ["-o", "--stats"]:
            self.refused(run("decode", scores, "--temperature", settings, option, settings), 2, "would be")
        with open(scores, "rb") as file:
            self.refused(run("decode", "-", "-o", scores, stdin=file), 2, "would be")
        self.assertEqual(self.read("scores.jsonl"), b'{"scores": [[0, 1], [0, 0]]}\n')
        for again in ["-", "--text=-", "--require-file=-"]:
            self.refused(run("decode", "-", again, input=self.read("scores.jsonl")), 2, "only once")
        self.refused(run("decode", scores, "--forbid-file", "-", input=b"source,target\n0,1\n"), 2, "read twice")
        self.assertEqual(run("decode", scores, "-o", "/dev/null", "--stats", "/dev/null").returncode, 0)

    def test_taking_up_what_was_something_else(self):
        scores = self.write("scores.jsonl", b'{"scores": [[0, 1], [0, 0]]}\n' * 1500)
        base = [COPPICE, "decode", scores, "--format", "text", "--color", "always", "-o", self.path("out")]
        with subprocess.Popen(base + ["--threads", "1"], preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_FSIZE, (60_000, 60_000)), stderr=subprocess.PIPE) as process:
            process.wait()
        self.assertTrue(os.path.exists(self.path("out.resume")), "no checkpoint was reached")
        self.refused(run(*base[1:-4], "--color", "never", "-o", self.path("out"), "--resume"), 2, "another command")
        with open(scores, "rb") as file:
            self.assertEqual(run("decode", "-", "-o", self.path("new"), "--resume", stdin=file).returncode, 0)
        piped = run("decode", "-", "-o", self.path("new"), "--resume", input=self.read("scores.jsonl"))
        self.refused(piped, 2, "--resume needs files")
        os.mkfifo(self.path("pipe"))
        for option in ["--text", "--labels", "--lengths"]:
            piped = run("decode", scores, option, self.path("pipe"), "-o", self.path("new"), "--resume")
            self.refused(piped, 2, "--resume needs files")


class Rules(FilesTest):
    def test_rules_on_labels_need_labels(self):
        trees = self.write("trees", run("decode", MARATHI).stdout)
        for rule in ["leaves=punct", "at-most=1:nsubj", "ud"]:
            for command in [["decode"], ["view"], ["evaluate"], ["view", "--svg"], ["verify", trees, "--scores"]]:
                self.refused(run(*command, MARATHI, "--rule", rule), 2, "--labels")


class Nothing(FilesTest):
    def test_no_sentences(self):
        for name, data in [("empty", b""), ("blank", b" \n\n"), ("comments", b"# nothing\n# at all\n")]:
            result = run("decode", self.write(name, data))
            self.refused(result, 0, "no sentences")
            verified = run("verify", self.write("trees", b""), "--scores", self.path(name))
            self.assertNotIn(b"best", verified.stdout)
            self.assertIn(b"no sentences", verified.stdout)

    def test_an_empty_archive_is_damaged(self):
        for name, data in [("a.npz", b""), ("a.npy", b""), ("b.npz", archive())]:
            self.assertEqual(run("decode", self.write(name, data)).returncode, 3)


class Proportion(FilesTest):
    def test_the_published_algorithms_on_long_chains(self):
        words = 30_000
        edges = "".join(f"{v} {v + 1} 1\n" for v in range(words))
        chain = self.write("chain", edges.encode())
        for engine in ["paper", "camerini"]:
            result = run("decode", chain, "--engine", engine, "--root", "any" if engine == "camerini" else "single")
            self.refused(result, 1, "too many for")

    @unittest.skipIf(SANITIZED, "memory cannot be measured")
    def test_verify_keeps_one_line(self):
        scores = self.write("scores.jsonl", b'{"scores": [[0, 1, 1], [0, 0, 1], [0, 1, 0]]}\n')
        line = '{{"id": "0", "rank": {}, "score": 2, "gap": 0, "heads": [0, 0], "labels": [{}]}}\n'
        words = ", ".join(['"a"'] * 5_000)
        with open(self.path("trees"), "w") as trees:
            for rank in range(1, 2_000):
                trees.write(line.format(rank, words))
        verified = subprocess.run([COPPICE, "verify", self.path("trees"), "--scores", scores], capture_output=True,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (64 << 20, 64 << 20)))
        self.assertEqual(verified.returncode, 1, verified.stderr[-500:])
        self.assertIn(b"1 sentence, 1999 trees", verified.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
