"""Checking a list without trusting the engine that made it."""

from __future__ import annotations

import numpy as np

from coppice import _core
from coppice._arrays import ArrayInput, Axes
from coppice._graph import Multigraph, as_source, edges_with_labels
from coppice._labels import AnyLabels
from coppice._problem import Constraints, RootRule, as_constraints, make_facts, make_problem
from coppice._results import KBestResult


def verify(
    scores: ArrayInput | Multigraph,
    result: KBestResult,
    *,
    root: RootRule,
    axes: Axes = "head,dep",
    labels: AnyLabels | None = None,
    constraints: Constraints | None = None,
    minimize: bool = False,
) -> str:
    """What is wrong with a list of trees, or an empty string.

    Every tree is one, obeys the constraints, has the score that it claims, is no better than the
    one before and did not come before. The first is best: a solution of the dual problem proves it,
    and is itself checked (docs/internals/proofs.md). That no tree is left out is not checked.

    Parameters
    ----------
    scores, root, axes, labels, constraints, minimize
        What the list was made of, as for `kbest`.
    result
        The list. An empty one claims that there is no tree.

    >>> import coppice
    >>> scores = [[0, 9, 10], [0, 0, 20], [0, 30, 0]]
    >>> result = coppice.kbest(scores, 2, root="single")
    >>> coppice.verify(scores, result, root="single")
    ''
    >>> coppice.verify(scores, result[1:], root="single")[:7]
    'rank 0:'
    """
    source, wanted = as_source(scores, axes, labels), as_constraints(constraints)
    problem = make_problem(root, source, wanted, minimize=minimize)
    facts = make_facts(wanted, source)
    if result.n != source.words:
        return f"heads of {result.n} words for {source.words}"
    heads, edges = np.ascontiguousarray(result.heads), result.edges
    if source.edge_labels is not None and result.labels is not None:
        edges = edges_with_labels(source, heads, result.labels)
    needs_edges = not isinstance(source.graph, np.ndarray)
    if needs_edges and edges is None and len(result):
        return "the trees have no labels or edges"
    taken = np.ascontiguousarray(edges) if needs_edges and edges is not None else None
    values = np.ascontiguousarray(result.scores, np.float64)
    return _core.verify(source.graph, problem, facts, heads, taken, values)
