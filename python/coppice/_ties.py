"""Ties: how many best trees there are, and how many of them have each edge."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, overload

from coppice import _core
from coppice._arrays import ArrayInput, Axes, Float64Array
from coppice._graph import Multigraph, as_source
from coppice._temperature import Temperature
from coppice._which import Arcs, RootRule, make_which


@overload
def count_optimal(
    scores: ArrayInput | Multigraph,
    *,
    root: RootRule,
    log: Literal[False] = ...,
    axes: Axes = ...,
    required: Arcs | None = ...,
    forbidden: Arcs | None = ...,
    required_edges: Iterable[int] | None = ...,
    forbidden_edges: Iterable[int] | None = ...,
    minimize: bool = ...,
) -> int: ...
@overload
def count_optimal(
    scores: ArrayInput | Multigraph,
    *,
    root: RootRule,
    log: Literal[True],
    axes: Axes = ...,
    required: Arcs | None = ...,
    forbidden: Arcs | None = ...,
    required_edges: Iterable[int] | None = ...,
    forbidden_edges: Iterable[int] | None = ...,
    minimize: bool = ...,
) -> float: ...
def count_optimal(
    scores: ArrayInput | Multigraph,
    *,
    root: RootRule,
    log: bool = False,
    axes: Axes = "head,dep",
    required: Arcs | None = None,
    forbidden: Arcs | None = None,
    required_edges: Iterable[int] | None = None,
    forbidden_edges: Iterable[int] | None = None,
    minimize: bool = False,
) -> int | float:
    """How many trees share the best score: exactly, however many; 0 where there is no tree.

    Nothing is listed. With ``log=True`` the natural logarithm, which is found sooner where the
    number has thousands of digits. Other arguments as for `kbest`; parallel edges of a
    `Multigraph` make different trees. Where sums of the weights round (0.1 and its like), trees
    tie up to that rounding.

    >>> import coppice, numpy as np
    >>> coppice.count_optimal(np.zeros((41, 41)), root="any") == 41**39
    True
    """
    which = make_which(
        root,
        graph=scores,
        minimize=minimize,
        required=required,
        forbidden=forbidden,
        required_edges=required_edges,
        forbidden_edges=forbidden_edges,
    )
    graph = as_source(scores, axes, None, None, Temperature()).graph
    if log:
        return _core.log_count_optimal(graph, which)
    return int.from_bytes(_core.count_optimal(graph, which), "little")


def optimal_support(
    scores: ArrayInput | Multigraph,
    *,
    root: RootRule,
    axes: Axes = "head,dep",
    required: Arcs | None = None,
    forbidden: Arcs | None = None,
    required_edges: Iterable[int] | None = None,
    forbidden_edges: Iterable[int] | None = None,
    minimize: bool = False,
) -> Float64Array:
    """For every edge the share of the best trees that have it, 0 to 1.

    An array like the scores; of a `Multigraph` one share for each edge. All zero where there is no
    tree. Arguments as for `kbest`.

    >>> import coppice
    >>> coppice.optimal_support([[0, 1, 1], [0, 0, 1], [0, 0, 0]], root="any")
    array([[0. , 1. , 0.5],
           [0. , 0. , 0.5],
           [0. , 0. , 0. ]])
    """
    which = make_which(
        root,
        graph=scores,
        minimize=minimize,
        required=required,
        forbidden=forbidden,
        required_edges=required_edges,
        forbidden_edges=forbidden_edges,
    )
    found = _core.optimal_support(as_source(scores, axes, None, None, Temperature()).graph, which)
    return found.T if axes == "dep,head" and found.ndim == 2 else found
