"""Graphs, and what to find in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

REPOSITORY = Path(__file__).resolve().parents[2]
ENGLISH = REPOSITORY / "data" / "ud-scores" / "English-EWT.npz"


@dataclass(frozen=True)
class Task:
    """Graphs, and what to find in them."""

    weights: str  # english, uniform, peaked
    words: int  # 0: as they come
    k: int
    root: str
    graphs: Sequence[np.ndarray]

    def write(self, path: Path) -> None:
        """As driver.hpp wants it."""
        with path.open("w", encoding="utf-8") as file:
            print(self.k, self.root, len(self.graphs), file=file)
            for graph in self.graphs:
                print(len(graph), file=file)
                file.writelines(" ".join(map(repr, row)) + "\n" for row in graph.tolist())


def english(sentences: int) -> list[np.ndarray]:
    """Test sentences at equal distances."""
    with np.load(ENGLISH) as arrays:
        nodes = arrays["lengths"].astype(np.int64) + 1
        ends = np.cumsum(nodes**2)
        chosen = np.linspace(0, len(nodes) - 1, sentences).astype(int)
        flat = arrays["scores"].astype(float)
    return [flat[ends[i] - nodes[i] ** 2 : ends[i]].reshape(nodes[i], -1) for i in chosen]


def random_graphs(weights: str, words: int, count: int) -> list[np.ndarray]:
    """Uniform between 0 and 1; or peaked: log-softmax of strong scores, as parsers have them."""
    random = np.random.default_rng(words)
    nodes = words + 1
    if weights == "uniform":
        return [random.uniform(size=(nodes, nodes)) for _ in range(count)]
    found = []
    for _ in range(count):
        scores = random.normal(scale=5, size=(nodes, nodes))
        np.fill_diagonal(scores, -1e9)
        found.append(scores - np.log(np.exp(scores - scores.max(0)).sum(0)) - scores.max(0))
    return found


def tasks(quick: bool) -> Iterator[Task]:
    """All of them."""
    if quick:
        for root in ("any", "single"):
            yield Task("uniform", 5, 1, root, random_graphs("uniform", 5, 5))
            yield Task("peaked", 5, 10, root, random_graphs("peaked", 5, 5))
        return
    for root in ("single", "any"):
        for k in (10, 20, 50):
            yield Task("english", 0, k, root, english(100))
        for words in (5, 10, 20, 40):
            yield Task("peaked", words, 50, root, random_graphs("peaked", words, 400 // words // 2))
    for weights in ("uniform", "peaked"):
        for root in ("single", "any"):
            for words in (10, 20, 40, 80):
                yield Task(weights, words, 1, root, random_graphs(weights, words, 2000 // words))
