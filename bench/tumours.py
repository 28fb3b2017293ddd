"""Trees of tumours counted, against the counts that are published with the data.

    .venv/bin/python bench/tumours.py PPM-NonUniq

PPM-NonUniq is a clone of github.com/elkebir-group/PPM-NonUniq: frequencies of clusters of
mutations, simulated ones and, as intervals, those of lung tumours, and of each how many trees obey
the sum condition. The tumour hangs from normal cells, by one edge. Lines KEY VALUE
(tools/figures.py): how many counts there are, how many are right, the largest, and what that took.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

import coppice


def frequencies(path: Path) -> np.ndarray:
    """[least or most, cluster, sample]."""
    lines = path.read_text(encoding="utf-8").splitlines()
    samples, clusters = (int(line.split()[0]) for line in lines[1:3])
    found = np.zeros((2, clusters, samples))
    for line in lines[4:]:
        row = line.split("\t")
        found[:, int(row[4]), int(row[0])] = row[6:8]
    return found


def count(least: np.ndarray, most: np.ndarray) -> int | None:
    """With normal cells, which are everywhere, as the root."""
    normal = np.ones((1, least.shape[1]))
    rule = coppice.rules.sum_condition(
        np.concatenate([normal, least]), most=np.concatenate([normal, most])
    )
    scores = np.zeros((len(least) + 1, len(least) + 1))
    return coppice.Constraints(rules=[rule]).count_legal(scores, root="single")


def main(folder: Path) -> None:
    """Count all there are."""
    pairs = [
        (path, folder / "enumerate_output" / f"{path.stem}.txt")
        for path in sorted(folder.glob("mix_output/*_clustered.tsv"))
    ] + [
        (path, folder / "TRACERx_Lung" / "output" / f"T{path.stem[1:]}.txt")
        for path in sorted(folder.glob("TRACERx_Lung/input/F_*.tsv"))
    ]
    pairs = [(path, published) for path, published in pairs if published.exists()]
    right, largest, seconds = 0, 0, 0.0
    for path, published in pairs:
        expected = int(published.read_text(encoding="utf-8").splitlines()[1].split()[0])
        table = frequencies(path)
        before = time.perf_counter()
        found = count(*table)
        if found is not None and found > largest:
            largest, seconds = found, time.perf_counter() - before
        right += found == expected
        if found != expected:
            print(f"{path.name}: {found}, published {expected}", file=sys.stderr)
    print("counts", len(pairs))
    print("right", right)
    print("largest", largest)
    print("largest.us", 1e6 * seconds)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
