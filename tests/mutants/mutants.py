"""Faults made on purpose, one at a time: every one must be caught by the tests.

    python3 tests/mutants/mutants.py [--jobs N] [--check] [word...]

The catalogue, mutants.tsv beside this file, has one fault a line: room, what goes wrong, file, the
old text and the new one, and the tests that are meant to see it. The old text stands in the file
once, however it is broken into lines and indented: blanks count only between two words. Each fault
is put into a copy of the sources, which is built as far as those tests need and run until the first
failure: first the tests named, then all others.

A fault that does not compile, or that no test notices, is an error; so is an entry that no longer
matches its file (--check looks for that alone). With words, only the faults that have one of them
in their line.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = ROOT / "tests/mutants/mutants.tsv"
COPY = ROOT / "build" / "mutants"
SOURCES = (
    "CMakeLists.txt",
    "cmake",
    "include",
    "src",
    "cli",
    "tests",
    "data",
    "docs",
    "fuzz",
    "tools",
    "wasm",
)
LIMIT = 240  # seconds for one run of tests: a fault may also be an endless loop


@dataclass
class Mutant:
    """One line of the catalogue."""

    room: str
    what: str
    file: str
    old: str
    new: str
    tests: list[str]  # programs, names of ctest that need none, or PROGRAM:NAME
    line: int

    def fault(self) -> str | None:
        """Why the entry cannot be used, if it cannot."""
        path = ROOT / self.file
        if not path.is_file():
            return f"{self.file} is gone"
        found = len(self.pattern().findall(path.read_text(encoding="utf-8")))
        return None if found == 1 else f"{self.file} has the old text {found} times"

    def pattern(self) -> re.Pattern[str]:
        """Of the old text: its words and signs, with any blanks between them."""
        tokens = re.findall(r"\w+|\S", self.old)
        parts = [re.escape(tokens[0])]
        for before, token in itertools.pairwise(tokens):
            apart = before[-1:].isidentifier() and token[:1].isidentifier()
            parts += [r"\s+" if apart else r"\s*", re.escape(token)]
        return re.compile("".join(parts))

    def applied(self, text: str) -> str:
        """The file with the fault."""
        return self.pattern().sub(lambda _: self.new, text)


def catalogue() -> list[Mutant]:
    """All lines but comments."""
    mutants = []
    for number, line in enumerate(CATALOGUE.read_text(encoding="utf-8").splitlines(), start=1):
        if not line or line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) != 6:
            raise SystemExit(f"{CATALOGUE}:{number}: {len(cells)} columns, not 6")
        mutants.append(Mutant(*cells[:5], cells[5].split(), number))
    return mutants


def run(*command: str, seconds: float | None = None) -> tuple[bool, str]:
    """Whether it went well, and what it said."""
    try:
        done = subprocess.run(
            command,
            cwd=COPY,
            timeout=seconds,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        return False, "no end"
    return done.returncode == 0, done.stdout


def refresh_copy() -> None:
    """The sources as they are; what has not changed keeps its time, and so its objects."""
    for name in SOURCES:
        source, target = ROOT / name, COPY / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            continue
        kept = set()
        for path in source.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                copy = target / path.relative_to(source)
                kept.add(copy)
                if not copy.exists() or copy.read_bytes() != path.read_bytes():
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(path, copy)  # as of now: an object may be of a fault
        for copy in target.rglob("*"):
            if copy.is_file() and copy not in kept:
                copy.unlink()


def build(targets: list[str], jobs: int) -> tuple[bool, str]:
    """Compile so much of the copy."""
    return run("cmake", "--build", "build", "-j", str(jobs), "--target", *targets)


def caught_by(tests: list[str]) -> str | None:
    """The first test that fails. A name with a dot is one of ctest's, any other a program."""
    for test in (test.split(":")[-1] for test in tests):
        if "." in test:
            good, said = run("ctest", "--test-dir", "build", "--no-tests=error", "-R", f"^{test}$")
            if not good:
                return test
            continue
        (path,) = COPY.glob(f"build/tests/**/{test}")
        good, said = run(str(path), "--gtest_brief=1", "--gtest_fail_fast=1", seconds=LIMIT)
        if not good:
            failed = [line for line in said.splitlines() if line.startswith("[  FAILED  ]")]
            if not failed:
                return f"{test} ({last(said)})"
            return failed[0].split("]")[1].split("(")[0].strip()
    return None


def last(text: str) -> str:
    """The last words of a program that ended badly."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip()[:60] if lines else "ended"


def try_out(mutant: Mutant, others: list[str], jobs: int) -> str | None:
    """Which test sees the fault."""
    path = COPY / mutant.file
    original = path.read_text(encoding="utf-8")
    path.write_text(mutant.applied(original), encoding="utf-8")
    try:
        for tests in (mutant.tests, [t for t in others if t not in mutant.tests]):
            targets = [first for test in tests if "." not in (first := test.split(":")[0])]
            if targets:
                good, said = build(targets, jobs)
                if not good:
                    raise SystemExit(f"{CATALOGUE}:{mutant.line}: does not compile\n{said[-3000:]}")
            seen = caught_by(tests)
            if seen is not None:
                return seen
        return None
    finally:
        path.write_text(original, encoding="utf-8")


def main() -> int:
    """Try them all; the exit code."""
    parser = argparse.ArgumentParser(description="every deliberate fault is caught by a test")
    parser.add_argument("words", nargs="*", help="only faults with one of these words")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--check", action="store_true", help="only whether the entries still match")
    parser.add_argument("--named", action="store_true", help="only the tests that an entry names")
    arguments = parser.parse_args()
    mutants = [
        mutant
        for mutant in catalogue()
        if not arguments.words or any(w in str(mutant) for w in arguments.words)
    ]
    stale = [f"{CATALOGUE.name}:{m.line}: {m.fault()} ({m.what})" for m in mutants if m.fault()]
    print("\n".join(stale) or f"mutants: {len(mutants)} entries match their files", flush=True)
    if stale or arguments.check:
        return 1 if stale else 0

    refresh_copy()
    launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    configured, said = run(
        *("cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"),
        *("-DCMAKE_CXX_FLAGS_RELEASE=-O1", "-DCOPPICE_BUILD_EXAMPLES=OFF"),
        *("-DCOPPICE_BUILD_FUZZ=OFF", "-DCOPPICE_TEST_BUILD=OFF", "-DCOPPICE_PRECOMPILE=ON"),
        *launcher,
    )
    if not configured:
        raise SystemExit(said)
    everything = sorted({test for mutant in catalogue() for test in mutant.tests})
    missed = 0
    for mutant in mutants:
        start = time.monotonic()
        seen = try_out(mutant, [] if arguments.named else everything, arguments.jobs)
        missed += seen is None
        print(f"{mutant.room:12} {mutant.what:60} {seen or 'NOT CAUGHT'}", end="")
        print(f"  {time.monotonic() - start:.0f} s", flush=True)
    print(f"mutants: {len(mutants) - missed} of {len(mutants)} caught")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
