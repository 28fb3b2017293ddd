"""What Python costs: the English test set through kbest_batch and through the C++ program.

    .venv/bin/python bench/python_overhead.py [--rounds 9] [-k 50]

All variants take turns, so that a busy machine slows all of them down; the best time of each
counts. The program's time is that of decoding alone (``--stats``), without reading and writing;
ours is that of the whole call, with the arrays it returns. CPU time, of all threads together, is
what a core has to do for it, and says little about how busy the machine was.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

import coppice

REPOSITORY = Path(__file__).resolve().parents[1]
SCORES = REPOSITORY / "data" / "ud-scores" / "English-EWT.npz"


def program() -> Path:
    """The program: as installed beside this Python, or as built."""
    for path in (Path(sys.executable).parent / "coppice", REPOSITORY / "build" / "coppice"):
        if path.exists():
            return path
    raise SystemExit("no coppice program; run `make build`")


class Took(NamedTuple):
    """Seconds of one call."""

    wall: float
    cpu: float  # NaN where nobody knows


def program_took(k: int, threads: int) -> Took:
    """Of decoding, as the program itself says."""
    with tempfile.TemporaryDirectory() as folder:
        stats = Path(folder) / "stats.json"
        options = ["-k", str(k), "--root", "single", "--threads", str(threads)]
        files = ["--stats", stats, "-o", Path(folder) / "trees.jsonl"]
        subprocess.run([program(), "decode", SCORES, *options, *files], check=True)
        return Took(float(json.loads(stats.read_text())["seconds_decoding"]), math.nan)


def took(call: Callable[[], object]) -> Took:
    """Of one call in this process."""
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return Took(time.perf_counter() - wall, time.process_time() - cpu)


def variants(k: int) -> dict[str, Callable[[], Took]]:
    """What takes turns: a name, and how to measure it once."""
    with np.load(SCORES) as arrays:
        flat, lengths = arrays["scores"], arrays["lengths"]
    nodes = lengths.astype(np.int64) + 1
    ends = np.cumsum(nodes**2)
    listed = [
        flat[end - n * n : end].reshape(n, n)
        for end, n in zip(ends.tolist(), nodes.tolist(), strict=True)
    ]

    def batch(scores: object, lengths: object, threads: int) -> Callable[[], Took]:
        options = {"root": "single", "threads": threads}
        return lambda: took(lambda: coppice.kbest_batch(scores, k, lengths=lengths, **options))

    found = {
        "program, 1 thread": lambda: program_took(k, 1),
        "Python, flat array, 1 thread": batch(flat, lengths, 1),
        "Python, list of matrices, 1 thread": batch(listed, None, 1),
        "Python, flat array, 2 threads": batch(flat, lengths, 2),
    }
    try:
        import pyarrow as pa

        from coppice.arrow import KBest
    except ImportError:
        return found
    offsets = np.concatenate(([0], ends)).astype(np.int32)
    scores = pa.ListArray.from_arrays(offsets, pa.array(flat))
    table = pa.record_batch({"id": np.arange(len(lengths)), "n": lengths, "scores": scores})
    decode = KBest(k=k, root="single")
    found["Python, Arrow record batch, 1 thread"] = lambda: took(lambda: decode(table))
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("-k", type=int, default=50)
    arguments = parser.parse_args()
    measured = variants(arguments.k)
    best = dict.fromkeys(measured, Took(math.inf, math.inf))
    for _ in range(arguments.rounds):
        for name, measure in measured.items():
            found = measure()
            best[name] = Took(*map(min, zip(found, best[name], strict=True)))
    with np.load(SCORES) as arrays:
        sentences = len(arrays["lengths"])
    reference = best["program, 1 thread"].wall
    print(f"{sentences} sentences, K = {arguments.k}, best of {arguments.rounds} rounds")
    print(f"{'':38}{'ms':>9}{'CPU ms':>9}{'sentences/CPU s':>17}{'time / program':>16}")
    for name, (wall, cpu) in best.items():
        speed = f"{'':26}" if math.isnan(cpu) else f"{cpu * 1e3:9.1f}{sentences / cpu:17,.0f}"
        print(f"{name:38}{wall * 1e3:9.1f}{speed}{wall / reference:16.2f}")
    one, two = (best[f"Python, flat array, {threads}"] for threads in ("1 thread", "2 threads"))
    print(
        f"two threads are {one.wall / two.wall:.2f} times as fast as one, with "
        f"{two.cpu / one.cpu:.2f} times the CPU time (load {os.getloadavg()[0]:.1f} on "
        f"{os.cpu_count()} cores)"
    )


if __name__ == "__main__":
    main()
