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


class Ties:
    """The trees that share the best score: how many there are, and which edges they have.

    Nothing is listed. Arguments as for `kbest`, but no rules; parallel edges of a `Multigraph` make
    different trees. Trees tie if their weights, as they were given, add up to the same: there is
    no tolerance. ``kbest(max_gap=0)`` also lists trees that are worse by less than its rounding.

    >>> import coppice, numpy as np
    >>> coppice.Ties(np.zeros((41, 41)), root="any").count() == 41**39
    True
    """

    def __init__(
        self,
        scores: ArrayInput | Multigraph,
        *,
        root: RootRule,
        axes: Axes = "head,dep",
        constraints: Constraints | None = None,
        minimize: bool = False,
    ) -> None:
        source, self._problem = exact_problem("Ties", scores, root, axes, constraints, minimize)
        self._graph = source.graph
        self._turned = axes == "dep,head"

    @overload
    def count(self, *, log: Literal[False] = ...) -> int: ...
    @overload
    def count(self, *, log: Literal[True]) -> float: ...
    def count(self, *, log: bool = False) -> int | float:
        """How many: exactly, however many; 0 where there is no tree.

        With ``log=True`` the natural logarithm, which is found sooner where the number has
        thousands of digits.
        """
        if log:
            return _core.log_count_optimal(self._graph, self._problem)
        return int.from_bytes(_core.count_optimal(self._graph, self._problem), "little")

    def support(self) -> Float64Array:
        """For every edge the share of these trees that have it, 0 to 1.

        An array like the scores; of a `Multigraph` one share for each edge. All zero where there is
        no tree.

        >>> import coppice
        >>> coppice.Ties([[0, 1, 1], [0, 0, 1], [0, 0, 0]], root="any").support()
        array([[0. , 1. , 0.5],
               [0. , 0. , 0.5],
               [0. , 0. , 0. ]])
        """
        found = _core.optimal_support(self._graph, self._problem)
        return found.T if self._turned and found.ndim == 2 else found
