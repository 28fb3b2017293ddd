"""Ties: how many best trees there are, and how many of them have each edge."""

from __future__ import annotations

from typing import Literal, overload

from coppice import _core
from coppice._arrays import ArrayInput, Axes, Float64Array
from coppice._graph import Multigraph, Source, as_source
from coppice._problem import Constraints, RootRule, as_constraints, make_problem, refuse


def exact_problem(
    what: str,
    scores: ArrayInput | Multigraph,
    root: RootRule,
    axes: Axes,
    constraints: Constraints | None,
    minimize: bool = False,
) -> tuple[Source, _core.Problem]:
    """For what knows arcs and edges, but no rules."""
    source, wanted = as_source(scores, axes), as_constraints(constraints)
    refuse(wanted, what, "rules")
    return source, make_problem(root, source, wanted, minimize=minimize)


@overload
def count_optimal(
    scores: ArrayInput | Multigraph,
    *,
    root: RootRule,
    log: Literal[False] = ...,
    axes: Axes = ...,
    constraints: Constraints | None = ...,
    minimize: bool = ...,
) -> int: ...
@overload
def count_optimal(
    scores: ArrayInput | Multigraph,
    *,
    root: RootRule,
    log: Literal[True],
    axes: Axes = ...,
    constraints: Constraints | None = ...,
    minimize: bool = ...,
) -> float: ...
def count_optimal(
    scores: ArrayInput | Multigraph,
    *,
    root: RootRule,
    log: bool = False,
    axes: Axes = "head,dep",
    constraints: Constraints | None = None,
    minimize: bool = False,
) -> int | float:
    """How many trees share the best score: exactly, however many; 0 where there is no tree.

    Nothing is listed. With ``log=True`` the natural logarithm, which is found sooner where the
    number has thousands of digits. Other arguments as for `kbest`, but no rules; parallel edges of
    a `Multigraph` make different trees. Where sums of the weights round (0.1 and its like), trees
    tie up to that rounding.

    >>> import coppice, numpy as np
    >>> coppice.count_optimal(np.zeros((41, 41)), root="any") == 41**39
    True
    """
    source, problem = exact_problem("count_optimal", scores, root, axes, constraints, minimize)
    if log:
        return _core.log_count_optimal(source.graph, problem)
    return int.from_bytes(_core.count_optimal(source.graph, problem), "little")


def optimal_support(
    scores: ArrayInput | Multigraph,
    *,
    root: RootRule,
    axes: Axes = "head,dep",
    constraints: Constraints | None = None,
    minimize: bool = False,
) -> Float64Array:
    """For every edge the share of the best trees that have it, 0 to 1.

    An array like the scores; of a `Multigraph` one share for each edge. All zero where there is no
    tree. Arguments as for `kbest`, but no rules.

    >>> import coppice
    >>> coppice.optimal_support([[0, 1, 1], [0, 0, 1], [0, 0, 0]], root="any")
    array([[0. , 1. , 0.5],
           [0. , 0. , 0.5],
           [0. , 0. , 0. ]])
    """
    source, problem = exact_problem("optimal_support", scores, root, axes, constraints, minimize)
    found = _core.optimal_support(source.graph, problem)
    return found.T if axes == "dep,head" and found.ndim == 2 else found
