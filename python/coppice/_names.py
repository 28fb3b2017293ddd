"""Graphs whose nodes have names: numbered for the engine, and named again for people."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from coppice._arrays import Array, Int32Array


class NodeNames:
    """Names of nodes 0..N. Where any node may be the root, node 0 is none of them.

    With `forest` there may be several such roots.
    """

    __slots__ = ("_called", "_numbers", "_of", "_place", "any_root", "forest")

    def __init__(
        self, called: Sequence[Hashable], root: Hashable | None, *, forest: bool = False
    ) -> None:
        """All names, of which no two are the same."""
        self.any_root = root is None
        self.forest = forest
        self._called = called
        self._of: tuple[Hashable | None, ...] | None = None
        self._numbers: dict[Hashable, int] | None = None
        try:
            self._place = None if root is None else called.index(root)
        except ValueError:
            raise ValueError(f"root_node {root!r} is not in the graph") from None

    # A hundred thousand names take longer than the best tree, so that these wait for who asks.
    @property
    def of(self) -> tuple[Hashable | None, ...]:
        """Of every node its name; of an added root None."""
        if self._of is None:
            names: list[Hashable | None] = list(self._called)
            names.insert(0, None if self._place is None else names.pop(self._place))
            self._of = tuple(names)
        return self._of

    @property
    def numbers(self) -> dict[Hashable, int]:
        """Of every name its node."""
        if self._numbers is None:
            first = 1 if self.any_root else 0
            self._numbers = {name: v for v, name in enumerate(self.of[first:], start=first)}
        return self._numbers

    def nodes(self) -> Int32Array:
        """Of all names, in the order in which they were given, the nodes."""
        nodes = np.arange(1, len(self._called) + 1, dtype=np.int32)
        if self._place is not None:
            nodes[self._place :] -= 1
            nodes[self._place] = 0
        return nodes

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
    if not any(map(_is_missing, set(names) if _can_be_keys(names) else names)):
        return
    i, name = next((i, name) for i, name in enumerate(names) if _is_missing(name))
    refuse_name(name, unit, i, what)


def refuse_name(name: Any, unit: str, place: int, what: str) -> None:
    """Raise ValueError: what stands there is no name."""
    raise ValueError(f"{unit} {place}: {what} is {name}; need the name of a node")


def _can_be_keys(names: Sequence[Any]) -> bool:
    return {*map(type, names)} <= {str, int, float, bytes, type(None)}


def _is_missing(name: Any) -> bool:
    return name is None or _is_nan(name)


def _is_nan(name: Any) -> bool:
    try:
        return bool(name != name)
    except TypeError:  # pandas.NA, which does not even know whether it differs
        return True
    except ValueError:  # an array, which is no name for other reasons
        return False


def check_unique(names: Sequence[Hashable], what: str) -> None:
    """Nodes of the same name would become one."""
    if len(set(names)) == len(names):
        return
    seen: set[Hashable] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"two {what} are called {name!r}; names must differ")
        seen.add(name)


def bad_weight(weights: Array) -> int | None:
    """The place of the first weight that is NaN or plus infinity."""
    if weights.dtype.kind != "f":
        return None
    bad = np.flatnonzero(np.isnan(weights) | np.isposinf(weights))
    return int(bad[0]) if bad.size else None


def quoted_newick(name: object) -> str:
    """A name as Newick writes it."""
    text = str(name)
    if text and not set(text) & set(" \t\r\n()[]{}'\"_:;,=/\\"):
        return text
    return "'" + text.replace("'", "''").replace("\n", " ") + "'"
