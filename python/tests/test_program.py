"""The program as the package starts it: in a Python of its own, and as if there were none."""

import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import coppice
from support import REPOSITORY

PROGRAM = Path(sysconfig.get_path("scripts")) / "coppice"
SCORES = REPOSITORY / "data" / "ud-scores" / "English-EWT.npz"

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="the package is not installed here")


def run(*words, **options):
    return subprocess.run([PROGRAM, *words], capture_output=True, check=False, **options)


def test_it_starts_without_the_package():
    command = [sys.executable, "-X", "importtime", PROGRAM, "--version"]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ended.stdout == f"coppice {coppice.__version__}\n"
    assert "importlib" in ended.stderr
    assert "numpy" not in ended.stderr


def test_a_python_without_the_package():
    command = [sys.executable, "-I", "-S", PROGRAM, "--version"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr == f"coppice: {sys.executable} does not find the package coppice\n"


def test_exit_codes():
    assert run("decode", SCORES, "--limit", "1").returncode == 0
    ended = run("decode", SCORES, "--no-such-option")
    assert ended.returncode == 2
    assert ended.stderr.startswith(b"coppice: ")


def test_names_are_bytes(tmp_path):
    name = bytes(tmp_path) + b"/\xff.jsonl"
    Path(name.decode(errors="surrogateescape")).write_text('{"scores": [[0, 1], [0, 0]]}\n')
    ended = run("decode", name)
    assert ended.returncode == 0, ended.stderr
    assert b'"heads": [0]' in ended.stdout


def start(*words):
    pipe = subprocess.PIPE
    return subprocess.Popen([PROGRAM, *words], stdin=pipe, stdout=pipe, stderr=pipe)


def test_a_reader_that_goes_away_is_no_error():
    with start("decode", SCORES, "-k", "50") as process:
        assert process.stdout.readline()
        process.stdout.close()
        assert process.wait() == -signal.SIGPIPE
        assert process.stderr.read() == b""


def test_ctrl_c_ends_it_at_once():
    with start("decode", "-") as process:
        process.stdin.write(b'{"scores": [[0, 1], [0, 0]]}\n')
        process.stdin.flush()
        assert process.stdout.readline()  # it works, and waits for more
        process.send_signal(signal.SIGINT)
        assert process.wait() == -signal.SIGINT
        assert process.stderr.read().startswith(b"coppice: interrupted")
