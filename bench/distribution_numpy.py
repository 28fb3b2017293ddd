"""Partition function and marginals, against numpy doing the same.

    .venv/bin/python bench/distribution_numpy.py [--rounds 15]

The numpy side is the textbook: determinant and inverse of the Laplacian, by LAPACK, in Koo et
al.'s form for a single root. It loses digits where they cancel (the key `error` says how far its
marginals are off); ours does not. Both take turns in one process, with one thread; medians of
processor time. Batches are of sentences of equal length, one call for all of them. Lines KEY VALUE
(tools/figures.py).
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded

import argparse
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

import coppice

WORDS = (5, 10, 20, 40, 80, 160)


def parser_scores(count: int, words: int) -> np.ndarray[Any, Any]:
    """Log-softmax over heads of strong random logits, [count, head, dependent]."""
    logits = 10.0 * np.random.default_rng(1).random((count, words + 1, words + 1))
    logits[:, range(words + 1), range(words + 1)] = -np.inf
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))


def textbook(scores: np.ndarray[Any, Any], single: bool) -> tuple[Any, Any]:
    """Log-partition functions and marginals of a batch."""
    weights = np.exp(scores[:, :, 1:])
    root, inner = weights[:, 0, :], weights[:, 1:, :]
    words = inner.shape[1]
    laplacian = -inner
    laplacian[:, range(words), range(words)] = inner.sum(axis=1)
    if single:
        laplacian[:, 0, :] = root
    else:
        laplacian[:, range(words), range(words)] += root
    log_partition = np.linalg.slogdet(laplacian)[1]
    inverse = np.linalg.inv(laplacian)
    diagonal = np.diagonal(inverse, axis1=1, axis2=2)
    by_dependent = np.broadcast_to(diagonal[:, None, :], inner.shape).copy()
    by_head = np.swapaxes(inverse, 1, 2).copy()
    from_root = diagonal
    if single:
        by_dependent[:, :, 0] = 0.0
        by_head[:, 0, :] = 0.0
        from_root = inverse[:, :, 0]
    marginals = np.zeros_like(scores)
    marginals[:, 1:, 1:] = inner * (by_dependent - by_head)
    marginals[:, 0, 1:] = root * from_root
    return log_partition, marginals


def textbook_sum(scores: np.ndarray[Any, Any], single: bool) -> Any:
    """Log-partition functions alone."""
    weights = np.exp(scores[:, :, 1:])
    root, inner = weights[:, 0, :], weights[:, 1:, :]
    words = inner.shape[1]
    laplacian = -inner
    laplacian[:, range(words), range(words)] = inner.sum(axis=1)
    if single:
        laplacian[:, 0, :] = root
    else:
        laplacian[:, range(words), range(words)] += root
    return np.linalg.slogdet(laplacian)[1]


def ours(scores: np.ndarray[Any, Any], root: Any) -> tuple[Any, Any]:
    """The same by coppice."""
    found = coppice.distribution_batch(scores, root=root)
    return found.log_partition, found.marginals


def our_sum(scores: np.ndarray[Any, Any], root: Any) -> Any:
    """Log-partition functions alone."""
    return coppice.distribution_batch(scores, root=root, marginals=False).log_partition


def took(call: Callable[[], object]) -> float:
    """Seconds of processor time."""
    start = time.process_time()
    call()
    return time.process_time() - start


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    for root in ("any", "single"):
        for words in WORDS:
            scores = parser_scores(max(8, 16000 // words**2), words)
            single = root == "single"
            error = np.abs(textbook(scores, single)[1] - ours(scores, root)[1]).max()
            calls: list[Callable[[], object]] = [
                lambda: textbook(scores, single),  # noqa: B023
                lambda: ours(scores, root),  # noqa: B023
                lambda: textbook_sum(scores, single),  # noqa: B023
                lambda: our_sum(scores, root),  # noqa: B023
            ]
            times = [[took(call) for call in calls] for _ in range(rounds)]
            us = [median(column) / len(scores) * 1e6 for column in zip(*times, strict=True)]
            name = f"{root}-{words}"
            print(f"{name}.numpy.us {us[0]:.4g}", f"{name}.coppice.us {us[1]:.4g}", sep="\n")
            print(f"{name}.numpy/coppice {us[0] / us[1]:.4g}")
            print(f"{name}.sum.numpy/coppice {us[2] / us[3]:.4g}")
            print(f"{name}.error {error:.1e}", flush=True)


if __name__ == "__main__":
    main()
