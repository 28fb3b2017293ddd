"""What can go wrong around the program: disks that are full or read-only, pipes that close, links, kills at
any moment, other processes with the same files. Nothing is lost, nothing comes twice, and what is wrong is said.

Usage: faults_test.py COPPICE DATA-FOLDER
"""

import os
import random
import shutil
import stat
import subprocess
import sys
import time
import unittest

from program import COPPICE, ENGLISH, MARATHI, TEXT, ProgramTest, npy, run

NOBODY = 65534


class Links(ProgramTest):
    def test_the_file_behind_a_link_is_written_and_the_link_stays(self):
        os.mkdir(self.path("real"))
        for target in ["real/there", "real/not-yet"]:
            self.write("real/there", b"old")
            link = self.path("link-" + os.path.basename(target))
            os.symlink(target, link)
            self.assertEqual(run("decode", MARATHI, "-o", link).returncode, 0)
            self.assertTrue(os.path.islink(link))
            self.assertEqual(self.read(target), run("decode", MARATHI).stdout)
        self.assertEqual(sorted(os.listdir(self.path("real"))), ["not-yet", "there"])

    def test_links_in_place_of_our_own_files_are_not_followed(self):
        for name in ["out.partial", "out.resume.new"]:
            victim = self.write("victim", b"precious")
            os.symlink(victim, self.path(name))
            result = run("decode", MARATHI, "-o", self.path("out"))
            self.assertEqual(result.returncode, 4)
            self.assertIn(name.encode(), result.stderr)
            self.assertEqual(self.read("victim"), b"precious")
            self.assertFalse(os.path.exists(self.path("out")))
            os.unlink(self.path(name))

    def test_links_in_a_circle_and_names_too_long(self):
        os.symlink("a", self.path("b"))
        os.symlink("b", self.path("a"))
        for path in [self.path("a"), self.path("n" * 5000)]:
            for code, arguments in [(3, [path]), (3, [MARATHI, "--text", path]), (3, [MARATHI, "--labels", path]),
                                    (4, [MARATHI, "-o", path])]:
                result = run("decode", *arguments)
                self.assertEqual(result.returncode, code, result.stderr)
                self.assertEqual(result.stderr.count(b"\n"), 1, result.stderr)

    def test_scores_behind_a_link(self):
        os.symlink(os.path.abspath(MARATHI), self.path("scores"))
        self.assertEqual(run("decode", self.path("scores")).stdout, run("decode", MARATHI).stdout)


class Disks(ProgramTest):
    def mount(self, options):
        """A small file system of its own; only root can make one."""
        folder = self.path("disk")
        os.mkdir(folder)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("no file system can be mounted here: " + mounted.stderr.decode().strip())
        self.addCleanup(subprocess.run, ["umount", "-l", folder], check=True)
        return folder

    def test_a_disk_that_fills_up_and_is_emptied(self):
        disk = self.mount("size=512k")
        whole = run("decode", ENGLISH, "-k", "5", "--threads", "1").stdout
        self.assertGreater(len(whole), 512 << 10)
        out = os.path.join(disk, "out")
        decode = ["decode", ENGLISH, "-k", "5", "--threads", "1", "-o", out]
        for arguments in [decode, decode + ["--resume"]]:
            full = run(*arguments)
            self.assertEqual(full.returncode, 4)
            self.assertIn(b"cannot be written: No space left on device", full.stderr)
            self.assertFalse(os.path.exists(out))
        resized = subprocess.run(["mount", "-o", "remount,size=32m", disk], capture_output=True)
        self.assertEqual(resized.returncode, 0, resized.stderr)
        self.assertEqual(run(*decode, "--resume").returncode, 0)
        with open(out, "rb") as file:
            self.assertEqual(file.read(), whole)
        self.assertEqual(os.listdir(disk), ["out"])

    def test_no_room_for_the_smallest_file(self):
        disk = self.mount("size=4k,nr_inodes=1")
        result = run("decode", MARATHI, "-o", os.path.join(disk, "out"))
        self.assertEqual(result.returncode, 4)
        self.assertIn(b"No space left on device", result.stderr)

    def test_a_read_only_disk(self):
        disk = self.mount("size=64k,ro")
        for arguments in [["decode", MARATHI], ["view", MARATHI]]:
            result = run(*arguments, "-o", os.path.join(disk, "out"))
            self.assertEqual(result.returncode, 4)
            self.assertIn(b"Read-only file system", result.stderr)

    def as_nobody(self, *arguments):
        # Permissions do not bind root.
        if os.getuid() != 0:
            return run(*arguments)
        program = shutil.copy(COPPICE, self.path("coppice"))
        os.chmod(self.folder.name, 0o755)
        try:
            return subprocess.run([program, *arguments], capture_output=True, user=NOBODY)
        except PermissionError as error:
            self.skipTest(f"nobody may not run the program: {error}")

    def test_a_folder_that_may_not_be_written(self):
        scores = self.write("scores", b'{"scores": [[0, 1], [0, 0]]}\n')
        os.chmod(scores, stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH)
        os.mkdir(self.path("folder"))
        os.chmod(self.path("folder"), 0o555)
        result = self.as_nobody("decode", scores, "-o", self.path("folder/out"))
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn(b"Permission denied", result.stderr)

    def test_a_file_that_may_not_be_read(self):
        scores = self.write("secret", b'{"scores": [[0, 1], [0, 0]]}\n')
        os.chmod(scores, 0)
        result = self.as_nobody("decode", scores)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn(b"Permission denied", result.stderr)

    def test_standard_output_that_is_full(self):
        for arguments in [["decode", MARATHI], ["view", MARATHI], ["violations", MARATHI], ["evaluate", MARATHI],
                          ["completions", "man"]]:
            with open("/dev/full", "wb") as full:
                result = subprocess.run([COPPICE, *arguments], stdout=full, stderr=subprocess.PIPE)
            self.assertEqual(result.returncode, 4, arguments)
            self.assertIn(b"standard output: cannot be written", result.stderr)


class Pipes(ProgramTest):
    def close_early(self, **options):
        process = subprocess.Popen([COPPICE, "decode", ENGLISH, "-k", "50"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, **options)
        self.assertTrue(process.stdout.readline().startswith(b'{"id": '))
        process.stdout.close()
        errors = process.stderr.read()
        process.stderr.close()
        return process.wait(), errors

    def test_a_reader_that_goes_away(self):
        # As with every program in a pipe: `coppice decode ... | head` is quiet.
        code, errors = self.close_early()
        self.assertEqual((code, errors), (-13, b""))
        # Where the signal is ignored it is an error that is said.
        code, errors = self.close_early(restore_signals=False)
        self.assertEqual(code, 4)
        self.assertIn(b"standard output: cannot be written: Broken pipe", errors)

    def test_a_writer_that_goes_away(self):
        cut = b'{"scores": [[0, 1], [0, 0]]}\n{"scores": [[0, 1], [0'
        result = run("decode", "-", "-o", self.path("out"), input=cut)
        self.assertEqual(result.returncode, 0)
        self.assertEqual([b'"rank": 1' in line for line in self.read("out").splitlines()], [True, False])
        with open(MARATHI, "rb") as file:
            result = run("decode", "-", "-o", self.path("none"), input=file.read()[:5000])
        self.assertEqual(result.returncode, 3)
        self.assertFalse(os.path.exists(self.path("none")))


class Kills(ProgramTest):
    def test_killed_at_any_moment(self):
        """Where program_test.py waits for checkpoints, this one does not: also while starting and renaming."""
        chance = random.Random(8)
        base = ["decode", ENGLISH, "-k", "20", "--threads", "2", "--text", TEXT, "--format", "conllu"]
        start = time.monotonic()
        self.assertEqual(run(*base, "-o", self.path("whole")).returncode, 0)
        duration = time.monotonic() - start
        base += ["-o", self.path("out"), "--resume"]
        killed = 0
        for attempt in range(60):
            process = subprocess.Popen([COPPICE, *base], stderr=subprocess.DEVNULL)
            time.sleep(chance.uniform(0, duration * min(1, 0.2 + attempt / 40)))
            process.kill()
            if process.wait() == 0:
                break
            killed += 1
        else:
            self.assertEqual(run(*base).returncode, 0)
        self.assertGreater(killed, 0)
        self.assertEqual(self.read("out"), self.read("whole"))
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["out", "whole"])


class Company(ProgramTest):
    def test_many_processes_read_one_file(self):
        parts = [subprocess.Popen([COPPICE, "decode", MARATHI, "-k", "10", "--shard", f"{i}/8", "-o",
                                   self.path(f"part{i}")]) for i in range(1, 9)]
        self.assertEqual([part.wait() for part in parts], [0] * 8)
        self.assertEqual(b"".join(self.read(f"part{i}") for i in range(1, 9)),
                         run("decode", MARATHI, "-k", "10").stdout)

    def test_many_processes_write_one_file(self):
        expected = run("decode", MARATHI, "-k", "10").stdout
        for _ in range(5):
            writers = [subprocess.Popen([COPPICE, "decode", MARATHI, "-k", "10", "-o", self.path("out")],
                                        stderr=subprocess.PIPE) for _ in range(6)]
            errors = [writer.communicate()[1] for writer in writers]
            codes = [writer.returncode for writer in writers]
            self.assertIn(0, codes)
            for code, error in zip(codes, errors):
                self.assertIn(code, [0, 4])
                self.assertEqual(code == 4, b"another run is writing it" in error, error)
            self.assertEqual(self.read("out"), expected)
            self.assertEqual(os.listdir(self.folder.name), ["out"])

    def test_more_threads_than_the_system_gives(self):
        # Each asks for memory for its stack, of which run() allows little.
        for engine in ["fast", "paper"]:
            many = run("decode", ENGLISH, "--engine", engine, "--threads", "100000")
            self.assertEqual(many.returncode, 0, many.stderr)
            self.assertEqual(many.stdout, run("decode", ENGLISH, "--threads", "1").stdout)

    def test_a_file_that_shrinks_while_it_is_read(self):
        scores = self.write("scores.npy", npy("<f4", (2000, 40, 40), bytes(4 * 2000 * 40 * 40)))
        process = subprocess.Popen([COPPICE, "decode", scores, "-k", "50", "-o", self.path("out")],
                                   stderr=subprocess.PIPE)
        os.truncate(scores, 4 * 40 * 40)
        errors = process.communicate()[1]
        self.assertIn(process.returncode, [0, 3], errors)
        self.assertEqual(process.returncode == 0, os.path.exists(self.path("out")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
