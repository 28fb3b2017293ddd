"""Graphs whose nodes have names: numbered for the engine, and named again for people."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from coppice._arrays import Array


class NodeNames:
    """Names of nodes 0..N. Where any node may be the root, node 0 is none of them."""

    __slots__ = ("any_root", "numbers", "of")

    def __init__(self, names: Iterable[Hashable], root: Hashable | None) -> None:
        ordered = list(dict.fromkeys(names))
        self.any_root = root is None
        if root is not None:
            if root not in ordered:
                raise ValueError(f"root_node {root!r} is not in the graph")
            ordered.remove(root)
            ordered.insert(0, root)
        #: Of every node its name; of an added root None.
        self.of: tuple[Hashable | None, ...] = (*([None] if self.any_root else []), *ordered)
        first = 1 if self.any_root else 0
        self.numbers = {name: number for number, name in enumerate(ordered, start=first)}

    def number(self, name: Hashable, what: str) -> int:
        """The number of a node, or an error that names it."""
        try:
            return self.numbers[name]
        except (KeyError, TypeError):
            raise ValueError(f"{what}: {name!r} is not in the graph") from None

    def arcs(self, arcs: Iterable[tuple[Hashable, Hashable]] | None, what: str) -> Any:
        """Pairs of names as pairs of numbers."""
        if arcs is None:
            return None
        return [(self.number(head, what), self.number(child, what)) for head, child in arcs]


def check_names(names: Sequence[Any], unit: str, what: str) -> None:
    """What is missing (None, NaN and their like) is no name; an error says where."""
    for i, name in enumerate(names):
        if name is None or _is_nan(name):
            raise ValueError(f"{unit} {i}: {what} is {name}; need the name of a node")


def _is_nan(name: Any) -> bool:
    try:
        return bool(name != name)
    except TypeError:  # pandas.NA, which does not even know whether it differs
        return True
    except ValueError:  # an array, which is no name for other reasons
        return False


def check_unique(names: Sequence[Hashable], what: str) -> None:
    """Nodes of the same name would become one."""
    seen: set[Hashable] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"two {what} are called {name!r}; names must differ")
        seen.add(name)


def check_weights(sources: Sequence[Any], targets: Sequence[Any], weights: Array) -> None:
    """Finite, or minus infinity for a missing edge; an error names the nodes."""
    if weights.dtype.kind != "f":
        return
    bad = np.flatnonzero(np.isnan(weights) | np.isposinf(weights))
    if bad.size:
        i = int(bad[0])
        raise ValueError(
            f"weight of {sources[i]!r} -> {targets[i]!r} is {weights[i]}; weights are finite, or "
            "-inf for a missing edge"
        )


def quoted_newick(name: object) -> str:
    """A name as Newick writes it."""
    text = str(name)
    if text and not set(text) & set(" \t\r\n()[]{}'\"_:;,=/\\"):
        return text
    return "'" + text.replace("'", "''").replace("\n", " ") + "'"
