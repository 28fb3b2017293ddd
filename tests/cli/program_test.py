"""The program as it is used: killed and taken up again, in pipes, with hostile files.

Usage: program_test.py COPPICE DATA-FOLDER
"""

import hashlib
import json
import os
import struct
import subprocess
import sys
import time
import unittest
import zipfile

from program import (COPPICE, ENGLISH, MARATHI, SANITIZED, TEXT, THREAD_SANITIZED, ProgramTest, limit_memory,
                     npy, run)


class Program(ProgramTest):
    def test_killed_and_resumed_is_as_if_never_killed(self):
        # The published algorithm is slow enough to be caught in the act.
        decode = ["decode", ENGLISH, "-k", "5" if SANITIZED else "50", "--engine", "paper", "--threads", "1", "--text", TEXT]
        self.assertEqual(run(*decode, "-o", self.path("whole")).returncode, 0)
        killed = 0
        decode += ["-o", self.path("out"), "--resume"]
        for _ in range(100):
            process = subprocess.Popen([COPPICE, *decode], stderr=subprocess.DEVNULL)
            seen = self.checkpoint()
            while process.poll() is None and self.checkpoint() == seen:
                time.sleep(0.001)
            time.sleep(0.003 * killed)  # not always at the same place
            process.kill()
            if process.wait() == 0:
                break
            killed += 1
            if os.path.exists(self.path("out")):  # killed when all was done, but for the exit
                break
        self.assertGreater(killed, 2)
        self.assertEqual(self.read("out"), self.read("whole"))
        self.assertEqual(set(os.listdir(self.folder.name)) - {"out.resume"}, {"out", "whole"})

    def checkpoint(self):
        try:
            return self.read("out.resume")
        except FileNotFoundError:
            return None

    def test_one_writer_at_a_time(self):
        slow = subprocess.Popen([COPPICE, "decode", "-", "-o", self.path("out")], stdin=subprocess.PIPE)
        while not os.path.exists(self.path("out.partial")):
            time.sleep(0.001)
            if slow.poll() is not None:
                break
            slow.stdin.write(b'{"scores": [[0, 1], [0, 0]]}\n')
            slow.stdin.flush()
        time.sleep(0.01)
        second = run("decode", MARATHI, "-o", self.path("out"))
        self.assertEqual(second.returncode, 4)
        self.assertIn(b"another run is writing it", second.stderr)
        slow.stdin.close()
        self.assertEqual(slow.wait(), 0)

    def test_standard_input_and_output(self):
        from_file = run("decode", MARATHI, "-k", "3")
        with open(MARATHI, "rb") as file:
            from_pipe = run("decode", "-", "-k", "3", input=file.read())
        self.assertEqual(from_file.returncode, 0)
        self.assertEqual(from_file.stdout, from_pipe.stdout)
        self.assertEqual(from_pipe.stderr, b"", "no progress bar where there is no terminal")
        self.assertEqual(run("decode", "-", input=b"0 1 2\n").stdout,
                         b'{"id": "0", "rank": 1, "score": 2, "gap": 0, "heads": [1], "edges": [0]}\n'
                         .replace(b"[1]", b"[0]"))

    def test_same_numbers_in_every_build(self):
        """Every compiler, sanitizer and processor that these tests run on adds up the same."""
        for rule, expected in [("single", "9e37a5849bdbb39f"), ("any", "c60d9493cacd007b")]:
            out = run("decode", ENGLISH, "-k", "20", "--root", rule).stdout
            self.assertEqual(hashlib.sha256(out).hexdigest()[:16], expected, rule)

    def test_jsonl_out_is_what_verify_reads(self):
        self.assertEqual(run("decode", MARATHI, "-k", "20", "-o", self.path("trees")).returncode, 0)
        good = run("verify", self.path("trees"), "--scores", MARATHI)
        self.assertEqual(good.returncode, 0, good.stderr)
        trees = self.read("trees").replace(b'"rank": 3', b'"rank": 4')
        bad = run("verify", self.write("bad", trees), "--scores", MARATHI)
        self.assertEqual(bad.returncode, 1)
        self.assertIn(b"rank 4 where 3 is expected", bad.stderr)

    def test_exit_codes(self):
        self.assertEqual(run("--version").stdout.split()[0], b"coppice")
        self.assertEqual(run("--help").returncode, 0)
        for command in ["decode", "view", "violations", "evaluate", "verify"]:
            help_text = run(command, "--help")
            self.assertEqual(help_text.returncode, 0)
            self.assertIn(b"Example:\n  coppice " + command.encode(), help_text.stdout)
        self.assertEqual(run().returncode, 2)
        self.assertEqual(run("decode").returncode, 2)
        self.assertEqual(run("decode", MARATHI, "--root", "two").returncode, 2)
        self.assertEqual(run("decode", MARATHI, "-k", "0").returncode, 2)
        self.assertEqual(run("decode", MARATHI, "--shard", "0/2").returncode, 2)
        self.assertEqual(run("decode", "nothing.npz").returncode, 3)
        self.assertEqual(run("decode", MARATHI, "-o", "/no/such/folder/out").returncode, 4)
        broken = b'{"scores": [[0, 1], [0, 0]]}\n{"scores": [[0, 1], [0]]}\n{"scores": [[0, 2], [0, 0]]}\n'
        skipped = run("decode", "-", input=broken)
        self.assertEqual(skipped.returncode, 0)
        self.assertEqual([json.loads(line)["rank"] for line in skipped.stdout.splitlines()], [1, 0, 1])
        self.assertIn(b"sentence 1 (1): line 2: ragged", skipped.stderr)
        strict = run("decode", "-", "--strict", input=broken)
        self.assertEqual(strict.returncode, 3)
        self.assertIn(b"sentence 1 (1): line 2: ragged", strict.stderr)
        full = run("decode", MARATHI, "-o", "/dev/full")
        self.assertEqual(full.returncode, 4)

    def refused(self, data, said):
        result = run("decode", self.write("hostile", data), "-o", self.path("out"))
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn(said, result.stderr)
        self.assertEqual(result.stderr.count(b"\n"), 1, result.stderr)
        self.assertFalse(os.path.exists(self.path("out")))

    def archive(self, **members):
        with zipfile.ZipFile(self.path("a.npz"), "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in members.items():
                with archive.open(name + ".npy", "w", force_zip64=True) as member:
                    for part in data:
                        member.write(part)
        return self.read("a.npz")

    def test_hostile_files_are_refused_in_little_memory(self):
        billion = npy("<i4", (1,), struct.pack("<i", 10**9))
        self.refused(self.archive(lengths=[billion], scores=[npy("<f4", (9,), bytes(36))]), b"1000000002000000001")
        self.refused(self.archive(lengths=[billion], scores=[npy("<f4", ((10**9 + 1) ** 2,), bytes(36))]), b"ends")
        self.refused(npy("<f4", (10**9, 10**9)), b"matrices of 1000000000 nodes")
        self.refused(npy("<f4", (10**12, 9, 9), bytes(1000)), b"truncated")
        with open(MARATHI, "rb") as file:
            self.refused(file.read()[:10000], b"not a readable archive")
        # 700 MB of zeros in 700 kB: the sentence that asks for them is passed over.
        rows = [bytes(4 * 13001)] * 13001
        bomb = [npy("<f4", (13001**2,))] + rows
        long = self.archive(lengths=[npy("<i4", (1,), struct.pack("<i", 13000))], scores=bomb)
        result = run("decode", self.write("bomb.npz", long))
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"13000 words; at most 10000 are allowed", result.stderr)

    def test_hostile_lines_are_passed_over_in_little_memory(self):
        def lines():
            yield b'{"scores": [[0, 1], [0, 0]]}\n{"scores": [['
            for _ in range(300):
                yield b"1," * (1 << 19)
            yield b'1]]}\n{"scores": [[0, 2], [0, 0]]}\n0 1000000000 1\n'

        process = subprocess.Popen([COPPICE, "decode", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, preexec_fn=limit_memory)
        with process.stdin as pipe:
            for part in lines():
                pipe.write(part)
        out = process.stdout.read()
        process.stdout.close()
        process.stderr.close()
        self.assertEqual(process.wait(), 0)
        self.assertEqual([json.loads(line)["rank"] for line in out.splitlines()], [1, 0, 1, 0])

    @unittest.skipIf(THREAD_SANITIZED, "the sanitizer remembers every address")
    def test_memory_does_not_grow_with_the_file(self):
        def peak(sentences):
            lengths = npy("<i4", (sentences,), struct.pack("<i", 15) * sentences)
            matrix = struct.pack("<256f", *[i * 7919 % 1013 / 100 for i in range(256)])
            scores = [npy("<f4", (256 * sentences,))] + [matrix] * sentences
            data = self.archive(lengths=[lengths], scores=scores)
            self.write("long.npz", data)
            child = os.fork()
            if child == 0:
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, 1)
                os.execv(COPPICE, [COPPICE, "decode", self.path("long.npz"), "-k", "5", "--threads", "1"])
            _, status, usage = os.wait4(child, 0)
            self.assertEqual(status, 0)
            return usage.ru_maxrss

        small, large = peak(1000), peak(10000)
        self.assertLess(large, 1.2 * small + 4000, "kilobytes")

    def test_completions_and_manual_know_every_option(self):
        manual = run("completions", "man").stdout.replace(b"\\-", b"-")
        for command in [b"decode", b"view", b"violations", b"evaluate", b"verify"]:
            options = {word.strip(b",:") for word in run(command, "--help").stdout.replace(b",", b" ").split()
                       if word.startswith(b"--")}
            for shell in [b"bash", b"zsh", b"fish"]:
                script = run("completions", shell).stdout
                for option in options:
                    self.assertIn(option.removeprefix(b"--"), script)
            for option in options:
                self.assertIn(option, manual)
        script = self.write("completion.bash", run("completions", "bash").stdout)
        typed = f"source {script}; COMP_WORDS=(coppice decode x.npz --root ''); COMP_CWORD=4; _coppice; echo ${{COMPREPLY[@]}}"
        self.assertEqual(subprocess.run(["bash", "-c", typed], capture_output=True).stdout, b"single any\n")

    def test_view_and_others_run(self):
        page = run("view", ENGLISH, "--text", TEXT, "--limit", "3", "-k", "4")
        self.assertEqual(page.returncode, 0)
        self.assertTrue(page.stdout.startswith(b"<!doctype html>"))
        self.assertNotIn(b"http:", page.stdout.replace(b"http://www.w3.org/", b"").replace(b"http-equiv", b""))
        drawing = run("view", ENGLISH, "--svg", "--limit", "3", "--rank", "1")
        self.assertTrue(drawing.stdout.startswith(b"<svg"))
        self.assertIn(b"K=50", run("violations", MARATHI).stdout)
        self.assertIn(b"the best tree", run("evaluate", MARATHI).stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
