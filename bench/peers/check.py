"""Whether an answer is right."""

from __future__ import annotations

import numpy as np

import coppice
from bench.peers.process import Trees
from bench.peers.tasks import Task


def is_wrong(task: Task, graph: np.ndarray, trees: Trees | str, step: float) -> bool:
    """Whether this is not the list of the K best trees, in order, each once."""
    if isinstance(trees, str):
        return True
    best = coppice.kbest(graph, task.k, root=task.root).scores
    words = np.arange(1, len(graph))
    if len(trees) != len(best) or len({tuple(tree) for tree in trees}) != len(trees):
        return True
    if any(not obeys(tree, task.root) for tree in trees):
        return True
    scores = np.array([graph[tree, words].sum() for tree in trees])
    off = ~np.eye(len(graph), dtype=bool)[:, 1:]
    edges = graph[:, 1:][off]
    tolerance = len(graph) * (step * np.ptp(edges) + 1e-9 * np.abs(best).max())
    return bool(np.any(np.abs(scores - best) > tolerance))


def obeys(heads: list[int], root: str) -> bool:
    """Whether it is a tree under the root rule."""
    if root == "single" and heads.count(0) != 1:
        return False
    for node in range(1, len(heads) + 1):
        for _ in range(len(heads)):
            if node <= 0:
                break
            node = heads[node - 1]
        if node != 0:
            return False
    return True
