"""What Python costs: the English test set through kbest_batch and through the C++ program.

    .venv/bin/python bench/python_overhead.py [--rounds 9] [-k 50]

All variants take turns, so that a busy machine slows all of them down; the best time of each
counts. The program's time is that of decoding alone (``--stats``), without reading and writing;
ours is that of the whole call, with the arrays it returns.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import coppice
import numpy as np

REPOSITORY = Path(__file__).resolve().parents[1]
SCORES = REPOSITORY / "data" / "ud-scores" / "English-EWT.npz"


def program() -> Path:
    """The program: as installed beside this Python, or as built."""
    for path in (Path(sys.executable).parent / "coppice", REPOSITORY / "build" / "coppice"):
        if path.exists():
            return path
    raise SystemExit("no coppice program; run `make build`")


def program_seconds(k: int, threads: int) -> float:
    """Of decoding, as the program itself says."""
    with tempfile.TemporaryDirectory() as folder:
        stats = Path(folder) / "stats.json"
        options = ["-k", str(k), "--root", "single", "--threads", str(threads)]
        files = ["--stats", stats, "-o", Path(folder) / "trees.jsonl"]
        subprocess.run([program(), "decode", SCORES, *options, *files], check=True)
        return float(json.loads(stats.read_text())["seconds_decoding"])


def seconds(call: Callable[[], object]) -> float:
    """Of one call."""
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def variants(k: int) -> dict[str, Callable[[], float]]:
    """What takes turns: a name, and how to measure it once."""
    with np.load(SCORES) as arrays:
        flat, lengths = arrays["scores"], arrays["lengths"]
    nodes = lengths.astype(np.int64) + 1
    ends = np.cumsum(nodes**2)
    listed = [
        flat[end - n * n : end].reshape(n, n)
        for end, n in zip(ends.tolist(), nodes.tolist(), strict=True)
    ]

    def batch(scores: object, lengths: object, threads: int) -> Callable[[], float]:
        options = {"root": "single", "threads": threads}
        return lambda: seconds(lambda: coppice.kbest_batch(scores, lengths, k, **options))

    found = {
        "program, 1 thread": lambda: program_seconds(k, 1),
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
    found["Python, Arrow record batch, 1 thread"] = lambda: seconds(lambda: decode(table))
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("-k", type=int, default=50)
    arguments = parser.parse_args()
    measured = variants(arguments.k)
    best = dict.fromkeys(measured, float("inf"))
    for _ in range(arguments.rounds):
        for name, measure in measured.items():
            best[name] = min(best[name], measure())
    with np.load(SCORES) as arrays:
        sentences = len(arrays["lengths"])
    reference = best["program, 1 thread"]
    print(f"{sentences} sentences, K = {arguments.k}, best of {arguments.rounds} rounds")
    print(f"{'':38}{'ms':>9}{'sentences/s':>14}{'time / program':>16}")
    for name, took in best.items():
        print(f"{name:38}{took * 1e3:9.1f}{sentences / took:14,.0f}{took / reference:16.2f}")
    speedup = best["Python, flat array, 1 thread"] / best["Python, flat array, 2 threads"]
    print(f"two threads are {speedup:.2f} times as fast as one")


if __name__ == "__main__":
    main()
