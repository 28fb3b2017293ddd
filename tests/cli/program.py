"""What tests of the program share: how to run it, and score files made by hand."""

import os
import resource
import struct
import subprocess
import sys
import tempfile
import unittest

COPPICE, DATA = sys.argv[1:3]
ENGLISH = os.path.join(DATA, "ud-scores", "English-EWT.npz")
LABELS = os.path.join(DATA, "ud-scores", "English-EWT.labels.npz")
MARATHI = os.path.join(DATA, "ud-scores", "Marathi-UFAL.npz")
TEXT = os.path.join(DATA, "en_ewt-ud-test.conllu")
# Sanitizers and emulators reserve terabytes of addresses: no limit on memory can be set on such a program.
with open(COPPICE, "rb") as program:
    BINARY = program.read()
THREAD_SANITIZED = b"__tsan_init" in BINARY
SANITIZED = THREAD_SANITIZED or b"__asan_init" in BINARY or BINARY.startswith(b"#!/bin/sh\nexec qemu")
MEMORY = 600 << 20


def npy(dtype, shape, data=b""):
    header = repr({"descr": dtype, "fortran_order": False, "shape": shape}).encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def limit_memory():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(*arguments, **options):
    return subprocess.run([COPPICE, *arguments], capture_output=True, preexec_fn=limit_memory, **options)


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()
