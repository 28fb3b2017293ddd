"""How many digits of the marginals are right: coppice, torch-struct, and the textbook in numpy.

    .venv/bin/pip install torch-struct && .venv/bin/python bench/distribution_peers.py

The scores are those of a parser for the English test sentences of 5 to 25 words, as they are and
sharpened (a parser that is sixteen times as sure), and of one that is sure of heads that often form
cycles: all other heads are some 40 nats less likely. Single root, float64.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from distribution_numpy import textbook
from torch_struct import NonProjectiveDependencyCRF

import coppice

DATA = Path(__file__).parent.parent / "data" / "ud-scores" / "English-EWT.npz"


def sentences() -> list[np.ndarray[Any, Any]]:
    """Score matrices [head, dependent] in float64."""
    archive = np.load(DATA)
    lengths = archive["lengths"]
    sizes = (lengths + 1) ** 2
    starts = np.cumsum(sizes) - sizes
    flat = archive["scores"]
    found = [
        flat[start : start + size].reshape(n + 1, n + 1).astype(np.float64)
        for start, size, n in zip(starts, sizes, lengths, strict=True)
    ]
    return [matrix for matrix in found if 6 <= len(matrix) <= 26][:500]


def cycles() -> list[np.ndarray[Any, Any]]:
    """Every word has one likely head, drawn at random."""
    random = np.random.default_rng(1)
    found = []
    for words in random.integers(5, 26, 500):
        scores = -40 * (0.5 + random.random((words + 1, words + 1)))
        scores[random.integers(0, words + 1, words), range(1, words + 1)] = 0
        found.append(scores)
    return found


def torch_struct(scores: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Marginals [head, dependent]; torch-struct has the root on the diagonal."""
    words = len(scores) - 1
    inner = scores[1:, 1:].copy()
    inner[range(words), range(words)] = scores[0, 1:]
    found = NonProjectiveDependencyCRF(torch.from_numpy(inner)[None]).marginals[0].numpy()
    marginals = np.zeros_like(scores)
    marginals[1:, 1:] = found
    marginals[range(1, words + 1), range(1, words + 1)] = 0
    marginals[0, 1:] = np.diagonal(found)
    return marginals


def numpy_textbook(scores: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Marginals by determinant and inverse."""
    scores = scores.copy()
    np.fill_diagonal(scores, -np.inf)
    return textbook(scores[None], True)[1][0]


def ours(scores: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Marginals by coppice."""
    return coppice.TreeDistribution(scores, root="single").marginals()


def main() -> None:
    """Measure and print."""
    english = sentences()
    kinds = {
        "English": english,
        "English x 16": [16 * matrix for matrix in english],
        "cycles": cycles(),
    }
    print("500 sentences: worst error, sentences with an error above 0.001, ms in all")
    for kind, matrices in kinds.items():
        exact = [ours(matrix) for matrix in matrices]
        for function in (ours, numpy_textbook, torch_struct):
            start, errors = time.process_time(), []
            for matrix, truth in zip(matrices, exact, strict=True):
                try:
                    error = np.abs(function(matrix) - truth).max()
                except (np.linalg.LinAlgError, RuntimeError):
                    error = np.inf
                errors.append(error if np.isfinite(error) else np.inf)
            took = 1e3 * (time.process_time() - start)
            wrong = sum(error > 1e-3 for error in errors)
            print(f"{kind:14}{function.__name__:16}{max(errors):10.1e}{wrong:6}{took:8.0f}")


if __name__ == "__main__":
    main()
