"""Digits and speed of log Z and marginals: coppice, the textbook in numpy, and other packages.

    .venv/bin/pip install torch-struct && taskset -c 0 .venv/bin/python bench/distribution_peers.py

torch-struct, SynJax (https://github.com/google-deepmind/synjax, with jax for the CPU) and
tree_expectations (https://github.com/rycolab/tree_expectations) are measured where they are
installed. The scores are those of a parser for the English test sentences of 5 to 25 words, as they
are and sharpened (a parser that is sixteen times as sure), and of one that is sure of heads that
often form cycles: all other heads are some 40 nats less likely. Single root, float64, one by one
and, where a package takes sentences of different lengths, all of them in one call (`.call`).

Of each package and kind of scores are printed: the sentences of 500 in which a marginal is off by
more than 0.001 (`wrong`), the worst error of a marginal (`error`), and milliseconds of processor
time for all (`ms`): when it has run once (SynJax is compiled by then, with jax.jit), the best of
five rounds.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from distribution_numpy import textbook

import coppice

Array = np.ndarray[Any, Any]
# (scores [sentences, head, dependent], words of each) -> log partition functions, marginals
Peer = Callable[[Array, Array], tuple[Array, Array]]

DATA = Path(__file__).parent.parent / "data" / "ud-scores" / "English-EWT.npz"


def sentences() -> list[Array]:
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


def cycles() -> list[Array]:
    """Every word has one likely head, drawn at random."""
    random = np.random.default_rng(1)
    found = []
    for words in random.integers(5, 26, 500):
        scores = -40 * (0.5 + random.random((words + 1, words + 1)))
        scores[random.integers(0, words + 1, words), range(1, words + 1)] = 0
        found.append(scores)
    return found


def ours(scores: Array, words: Array) -> tuple[Array, Array]:
    """Elimination without subtraction."""
    found = coppice.distribution_batch(scores, root="single", lengths=words)
    return found.log_partition, found.marginals


def numpy_textbook(scores: Array, words: Array) -> tuple[Array, Array]:
    """Determinant and inverse; sentences of equal length."""
    diagonal = np.eye(scores.shape[1], dtype=bool)
    return textbook(np.where(diagonal, -np.inf, scores), True)


def root_on_diagonal(scores: Array) -> Array:
    """[head, dependent] among the words, as torch-struct and tree_expectations have it."""
    words = range(scores.shape[1] - 1)
    inner = scores[:, 1:, 1:].copy()
    inner[:, words, words] = scores[:, 0, 1:]
    return inner


def root_in_row(inner: Array) -> Array:
    """The inverse of `root_on_diagonal`."""
    words = range(inner.shape[1])
    marginals = np.pad(inner, ((0, 0), (1, 0), (1, 0)))
    marginals[:, 0, 1:] = inner[:, words, words]
    marginals[:, 1:, 1:][:, words, words] = 0
    return marginals


def torch_struct() -> Peer:
    """Its functions of the determinant."""
    import torch
    from torch_struct import NonProjectiveDependencyCRF, deptree_part

    def run(scores: Array, words: Array) -> tuple[Array, Array]:
        potentials, lengths = torch.from_numpy(root_on_diagonal(scores)), torch.from_numpy(words)
        log_partition = deptree_part(potentials, False, lengths)
        marginals = NonProjectiveDependencyCRF(potentials, lengths).marginals
        return log_partition.numpy(), root_in_row(marginals.numpy())

    return run


def tree_expectations() -> Peer:
    """One sentence at a time; it takes weights, not logarithms."""
    import torch
    from tree_expectations.expectation import _mu
    from tree_expectations.matrix_tree_theorem import matrix_tree_theorem

    @torch.no_grad()
    def run(scores: Array, words: Array) -> tuple[Array, Array]:
        weights = torch.from_numpy(np.exp(root_on_diagonal(scores)[0]))
        log_partition = matrix_tree_theorem(weights, use_log=True)
        return log_partition.numpy()[None], root_in_row(_mu(weights).numpy()[None])

    return run


def synjax(least: float) -> Peer:
    """Compiled once for every shape; scores are clipped that far below a word's likeliest head."""
    os.environ["JAXTYPING_DISABLE"] = "1"  # checks that fail with newer versions of jaxtyping
    import jax
    from synjax import SpanningTreeCRF, config_context

    jax.config.update("jax_enable_x64", True)

    @jax.jit
    def both(scores: jax.Array, nodes: jax.Array) -> tuple[jax.Array, jax.Array]:
        with config_context(mtt_min_log_potential=least):
            trees = SpanningTreeCRF(
                scores, directed=True, projective=False, single_root_edge=True, lengths=nodes
            )
            return trees.log_partition(), trees.marginals()

    def run(scores: Array, words: Array) -> tuple[Array, Array]:
        log_partition, marginals = both(scores, (words + 1).astype(np.int32))
        return np.asarray(log_partition), np.asarray(marginals)

    return run


def pad(matrices: list[Array]) -> tuple[Array, Array]:
    """One array, and the words of each sentence."""
    words = np.array([len(matrix) - 1 for matrix in matrices])
    scores = np.zeros((len(matrices), max(words) + 1, max(words) + 1))
    for sentence, matrix in zip(scores, matrices, strict=True):
        sentence[: len(matrix), : len(matrix)] = matrix
    return scores, words


def errors(peer: Peer, scores: Array, words: Array) -> Array:
    """[log Z or marginals, sentences]: largest differences from ours; infinite where it fails."""
    try:
        found = peer(scores, words)
    except (np.linalg.LinAlgError, RuntimeError):
        return np.full((2, len(words)), np.inf)
    apart = [
        np.abs(theirs - truth).reshape(len(words), -1).max(axis=1)
        for theirs, truth in zip(found, ours(scores, words), strict=True)
    ]
    return np.nan_to_num(apart, nan=np.inf, posinf=np.inf)


def milliseconds(peer: Peer, calls: list[tuple[Array, Array]]) -> float:
    """Processor time of all calls."""
    start = time.process_time()
    for call in calls:
        with suppress(np.linalg.LinAlgError, RuntimeError):
            peer(*call)
    return 1e3 * (time.process_time() - start)


def measure(name: str, peer: Peer, calls: list[tuple[Array, Array]]) -> None:
    """Print its figures."""
    _, marginals = np.hstack([errors(peer, *call) for call in calls])
    took = min(milliseconds(peer, calls) for _ in range(5))
    print(f"{name}.wrong {(marginals > 1e-3).sum()}")
    print(f"{name}.error {marginals.max():.1e}")
    print(f"{name}.ms {took:.3g}", flush=True)


def main() -> None:
    """Measure and print."""
    english = sentences()
    kinds = {
        "english": english,
        "english16": [16 * matrix for matrix in english],
        "cycles": cycles(),
    }
    peers: dict[str, Peer] = {"coppice": ours, "numpy": numpy_textbook}
    if find_spec("torch_struct"):
        peers["torch-struct"] = torch_struct()
    if find_spec("synjax"):
        peers["SynJax"] = synjax(-10)  # its default
        peers["SynJax-unclipped"] = synjax(-1e5)
    if find_spec("tree_expectations"):
        peers["tree_expectations"] = tree_expectations()
    for kind, matrices in kinds.items():
        for name, peer in peers.items():
            measure(f"{kind}.{name}", peer, [pad([matrix]) for matrix in matrices])
            if name not in ("numpy", "tree_expectations"):
                measure(f"{kind}.{name}.call", peer, [pad(matrices)])


if __name__ == "__main__":
    main()
