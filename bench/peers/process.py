"""A program that follows driver.hpp, and its answers."""

from __future__ import annotations

import queue
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

Trees = list[list[int]]


class UnableError(Exception):
    """A peer that cannot be run, or not further."""


class Worker:
    """A process that follows driver.hpp."""

    def __init__(self, command: Sequence[str], work: Path, patience: float) -> None:
        self.patience = patience
        self.process = subprocess.Popen(
            [*command, str(work)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        word, _, rest = self._line().partition(" ")
        if word != "ready":
            raise UnableError(rest or "it did not start")
        self.version, step = rest.rsplit(" ", 1)
        self.step = float(step)

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line.strip())
        self.lines.put("missing it ended")

    def _line(self) -> str:
        try:
            return self.lines.get(timeout=self.patience)
        except queue.Empty:
            self.__exit__()
            raise UnableError(f"no answer within {self.patience:.0f} s") from None

    def _say(self, command: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def run(self) -> float:
        """Seconds for all graphs."""
        self._say("run")
        return float(self._answer())

    def _answer(self) -> str:
        line = self._line()
        if line.startswith("missing"):
            raise UnableError(line)
        return line

    def answers(self, graphs: int) -> tuple[list[Trees | str], float]:
        """Of every graph its trees, or an error; and the seconds."""
        self._say("answers")
        found: list[Trees | str] = []
        for _ in range(graphs):
            line = self._answer()
            if line.startswith("error"):
                found.append(line)
            else:
                trees = [self._answer().split() for _ in range(int(line))]
                found.append([[int(head) for head in tree] for tree in trees])
        return found, float(self._answer())
