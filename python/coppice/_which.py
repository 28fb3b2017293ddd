"""The keyword arguments that all functions share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

import numpy as np

from coppice import _core
from coppice._arrays import Int32Array, as_count, as_int32
from coppice._graph import Multigraph

RootRule: TypeAlias = Literal["single", "any"]
#: (head, dependent) pairs: numbers, or names where the nodes of a graph have them.
Arcs: TypeAlias = Iterable[tuple[Any, Any]]


def _arc_pairs(arcs: Arcs, name: str) -> Int32Array:
    pairs = np.asarray(list(arcs) if not isinstance(arcs, np.ndarray) else arcs)
    if pairs.size == 0:
        return np.zeros(0, np.int32)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"{name} must be (head, dependent) pairs")
    return as_int32(pairs.reshape(-1), name)


def single_root(root: RootRule) -> bool:
    """Whether the rule asks for exactly one edge from the root."""
    if root == "single":
        return True
    if root == "any":
        return False
    raise ValueError(f'root is {root!r}; must be "single" (one root edge) or "any"')


def make_which(
    root: RootRule,
    *,
    graph: object = None,
    minimize: bool = False,
    required: Arcs | None = None,
    forbidden: Arcs | None = None,
    required_edges: Iterable[int] | None = None,
    forbidden_edges: Iterable[int] | None = None,
) -> _core.Which:
    """Which trees, checked as far as that is possible without the graph.

    Of a `Multigraph` with names `required` and `forbidden` are names, and where any node may be
    its root, one edge leaves the node that was added.
    """
    if isinstance(graph, Multigraph) and graph._names is not None:
        required = graph._names.arcs(required, "required")
        forbidden = graph._names.arcs(forbidden, "forbidden")
        if graph.any_root:
            if root != "any":
                raise ValueError(
                    f'root is {root!r}; where any node may be the root it is "any" (a node is the '
                    f"root by Multigraph.from_edges(..., root={root!r}))"
                )
            root = "single"
    which = _core.Which(single_root(root), bool(minimize))
    constrain(which, required, forbidden)
    if required_edges is not None:
        which.require_edges(as_int32(np.asarray(list(required_edges)), "required_edges"))
    if forbidden_edges is not None:
        which.forbid_edges(as_int32(np.asarray(list(forbidden_edges)), "forbidden_edges"))
    return which


def constrain(which: _core.Which, required: Arcs | None, forbidden: Arcs | None) -> None:
    """Set the arcs that must be there and those that must not."""
    if required is not None:
        which.require(_arc_pairs(required, "required"))
    if forbidden is not None:
        which.forbid(_arc_pairs(forbidden, "forbidden"))


def make_how_many(
    k: int | None = None, max_gap: float | None = None, budget: int | None = None
) -> _core.HowMany:
    """How many of them."""
    if max_gap is not None and not max_gap >= 0:
        raise ValueError(f"max_gap is {max_gap}, must be 0 or more")
    return _core.HowMany(
        None if k is None else as_count(k, "k"),
        None if max_gap is None else float(max_gap),
        None if budget is None else as_count(budget, "budget"),
    )
