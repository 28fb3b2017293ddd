"""Generators and the slow truth, for all tests."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from pathlib import Path
from types import ModuleType

import numpy as np

REPOSITORY = Path(__file__).resolve().parents[2]


def reaches_root(heads: tuple[int, ...]) -> bool:
    """Whether every word reaches the root."""
    for word in range(1, len(heads) + 1):
        seen = set()
        while word:
            if word in seen:
                return False
            seen.add(word)
            word = heads[word - 1]
    return True


def brute_force(scores: np.ndarray, root: str) -> list[tuple[float, tuple[int, ...]]]:
    """Every tree of a small matrix [head, dependent] with its score, from best to worst."""
    words = len(scores) - 1
    trees = []
    for heads in itertools.product(range(words + 1), repeat=words):
        if root == "single" and heads.count(0) != 1:
            continue
        weights = [scores[head, word] for word, head in enumerate(heads, start=1)]
        if min(weights) > -np.inf and reaches_root(heads):
            trees.append((sum(weights), heads))
    return sorted(trees, key=lambda tree: -tree[0])


def random_scores(nodes: int, seed: int, dtype: type = np.float64) -> np.ndarray:
    """Scores without ties, or small integers with many."""
    rng = np.random.default_rng(seed)
    if np.issubdtype(dtype, np.integer):
        return rng.integers(0, 10, (nodes, nodes)).astype(dtype)
    return rng.normal(size=(nodes, nodes)).astype(dtype)


def matrices(flat: np.ndarray, lengths: np.ndarray) -> list[np.ndarray]:
    """Flat scores as one matrix for each sentence."""
    nodes = lengths.astype(np.int64) + 1
    ends = np.cumsum(nodes * nodes)
    return [
        flat[end - n * n : end].reshape(n, n)
        for end, n in zip(ends.tolist(), nodes.tolist(), strict=True)
    ]


def padded(sentences: list[np.ndarray]) -> np.ndarray:
    """[sentences, most nodes, most nodes], padded with NaN, which nobody may read."""
    most = max(map(len, sentences))
    array = np.full((len(sentences), most, most), np.nan, sentences[0].dtype)
    for layer, matrix in zip(array, sentences, strict=True):
        layer[: len(matrix), : len(matrix)] = matrix
    return array


def load(path: str) -> ModuleType:
    """A file of the repository that is in no package, as a module."""
    spec = importlib.util.spec_from_file_location(Path(path).stem, REPOSITORY / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
