"""networkx graphs in, networkx graphs out.

`iter_kbest` gives the arborescences of a graph in order, or the spanning trees of one without
directions; `ArborescenceIterator` and `SpanningTreeIterator` do so in the place of those of
networkx, with the same arguments:

>>> import networkx as nx
>>> from coppice.networkx import iter_kbest
>>> graph = nx.DiGraph()
>>> graph.add_weighted_edges_from([("a", "b", 5), ("b", "c", 3), ("a", "c", 4)])
>>> [tree.graph["score"] for tree in iter_kbest(graph, root_node="a")]
[9, 8]

As a backend of networkx it finds arborescences and branchings, spanning trees, their number and
random ones. ``backend="coppice"`` always asks for it. By ``nx.config.backend_priority`` networkx
asks for functions that return numbers or edges (``.algos``) or graphs (``.generators``), but never
where it says that its own function changes its input: both arborescences and `minimum_branching`.
"""

# ruff: noqa: N803 (arguments are called as networkx calls them)

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import networkx as nx

from coppice._decode import iter_kbest as _iter_kbest
from coppice._graph import Multigraph
from coppice._networkx_trees import (
    SpanningTreeIterator,
    maximum_spanning_edges,
    maximum_spanning_tree,
    minimum_spanning_edges,
    minimum_spanning_tree,
    number_of_spanning_trees,
    partition_spanning_tree,
    random_spanning_tree,
)
from coppice._problem import NONE, Constraints, RootRule, as_constraints, refuse
from coppice._results import Tree

__all__ = ["ArborescenceIterator", "SpanningTreeIterator", "iter_kbest"]


@dataclass(frozen=True, slots=True)
class _Numbered:
    """A graph of networkx and the same with numbers, its edges in the same order."""

    source: Any
    #: The edges of `source`: (u, v) or (u, v, key).
    edges: list[tuple[Any, ...]]
    graph: Multigraph

    @classmethod
    def of(
        cls, source: Any, root_node: Any, weight: str, default: float, *, forest: bool = False
    ) -> _Numbered:
        if root_node is not None and root_node not in source:
            raise ValueError(f"root_node {root_node!r} is not in the graph")
        keys = {"keys": True} if source.is_multigraph() else {}
        graph = Multigraph.from_networkx(
            source, root_node=root_node, weight=weight, default=default, forest=forest
        )
        return cls(source, list(source.edges(**keys)), graph)

    def ids(self, wanted: Iterable[tuple[Any, ...]] | None, name: str) -> list[list[int]]:
        """For each of the wanted (u, v) or (u, v, key) the edges that it means."""
        by_end: dict[tuple[Any, ...], list[int]] = {}
        for i, edge in enumerate(self.edges):
            for named in {edge, edge if self.graph.directed else (edge[1], edge[0], *edge[2:])}:
                by_end.setdefault(named, []).append(i)
                if len(named) == 3:
                    by_end.setdefault(named[:2], []).append(i)
        try:
            return [by_end[tuple(edge)] for edge in wanted or ()]
        except KeyError as missing:
            raise ValueError(f"{name} edge {missing.args[0]} is not in the graph") from None

    def stream(
        self,
        required: list[list[int]],
        forbidden: list[list[int]],
        root: RootRule = "any",
        rules: Constraints = NONE,
        **options: Any,
    ) -> Iterator[Tree]:
        """Trees with one of each required group of parallel edges, and none that is forbidden."""
        names = self.graph.names
        assert names is not None
        ends = [(self.graph.sources[ids[0]], self.graph.targets[ids[0]]) for ids in required]
        constraints = replace(
            rules,
            required=[(names[source], names[target]) for source, target in ends],
            forbidden=(),
            required_edges=[ids[0] for ids in required if len(ids) == 1],
            forbidden_edges=[i for ids in forbidden for i in ids],
        )
        return _iter_kbest(self.graph, root=root, constraints=constraints, **options)

    def to_networkx(self, tree: Tree) -> Any:
        """The tree as a graph of the same class, with all data."""
        result = self.source.__class__()
        result.graph.update(self.source.graph, score=tree.score, gap=tree.gap)
        result.add_nodes_from(self.source.nodes(data=True))
        assert tree.edges is not None
        for i in tree.edges.tolist():
            if i < len(self.edges):
                edge = self.edges[i]
                result.add_edge(*edge, **self.source.get_edge_data(*edge))
        return result


def iter_kbest(
    graph: Any,
    k: int | None = None,
    *,
    root_node: Any = None,
    root: RootRule = "any",
    weight: str = "weight",
    default: float = 1,
    forest: bool = False,
    max_gap: float | None = None,
    minimize: bool = False,
    constraints: Constraints | None = None,
) -> Iterator[Any]:
    """Spanning arborescences (or trees) from best to worst, each computed when it is asked for.

    Parameters
    ----------
    graph
        Of any class of networkx; parallel edges are different choices.
    k, max_gap, minimize
        As for `coppice.iter_kbest`. Note that networkx minimises by default, and we maximise.
    root_node
        The node from which all others must be reached. Without it any node may be the root, as in
        networkx. Of no matter where edges have no directions.
    root
        ``"single"``: exactly one edge leaves the root. ``"any"``: one or more.
    forest
        As for `Multigraph.from_arrays`: branchings, or spanning forests.
    weight, default
        The attribute of the edges, and what stands for it where it is missing.
    constraints
        As for `coppice.kbest`; `required` and `forbidden` are edges (u, v), or (u, v, key). Rules
        are told numbers of nodes: the root is 0, others are counted in the order of the graph.

    Yields
    ------
    Graphs of the same class with all nodes, the edges of the tree, and all their data. Their
    ``.graph`` also has ``"score"`` and ``"gap"``.
    """
    if root_node is None and root != "any" and graph.is_directed():
        raise ValueError(f"root is {root!r}; where any node may be the root it is 'any'")
    wanted = as_constraints(constraints)
    refuse(wanted, "coppice.networkx", "required_edges", "forbidden_edges")
    numbered = _Numbered.of(graph, root_node, weight, default, forest=forest)
    trees = numbered.stream(
        numbered.ids(wanted.required, "required"),
        numbered.ids(wanted.forbidden, "forbidden"),
        root,
        wanted,
        k=k,
        max_gap=max_gap,
        minimize=minimize,
    )
    return map(numbered.to_networkx, trees)


class ArborescenceIterator:
    """All spanning arborescences in increasing (or decreasing) order of weight.

    Takes and gives what ``networkx.ArborescenceIterator`` does. It gives every arborescence once;
    that of networkx 3.6.1 leaves some out (docs/migration.md has a graph).
    """

    def __init__(
        self,
        G: Any,
        weight: str = "weight",
        minimum: bool = True,
        init_partition: tuple[Iterable[Any], Iterable[Any]] | None = None,
    ) -> None:
        self.G = G.copy()
        self.weight = weight
        self.minimum = minimum
        included, excluded = init_partition if init_partition is not None else ((), ())
        self.init_partition = (list(included), list(excluded))
        self._trees: Iterator[Any] | None = None

    def __iter__(self) -> ArborescenceIterator:
        numbered = _Numbered.of(self.G, None, self.weight, 1)
        included, excluded = self.init_partition
        trees = numbered.stream(
            numbered.ids(included, "included"),
            numbered.ids(excluded, "excluded"),
            minimize=self.minimum,
        )
        first = next(trees, None)
        if first is None:
            kind = "minimum" if self.minimum else "maximum"
            raise nx.NetworkXException(f"No {kind} spanning arborescence in G.")
        self._trees = map(_bare, map(numbered.to_networkx, _chain(first, trees)))
        return self

    def __next__(self) -> Any:
        if self._trees is None:
            iter(self)
        assert self._trees is not None
        return next(self._trees)


def _chain(first: Tree, rest: Iterator[Tree]) -> Iterator[Tree]:
    yield first
    yield from rest


def _bare(tree: Any) -> Any:
    """As networkx has it: without score and gap."""
    del tree.graph["score"], tree.graph["gap"]
    return tree


# --- the functions of networkx ------------------------------------------------------------------


def _partition_of(source: Any, partition: str | None) -> tuple[list[list[int]], list[list[int]]]:
    """Edges that are included and excluded by an attribute."""
    sets: dict[Any, list[list[int]]] = {}
    if partition is not None:
        for i, (_, _, value) in enumerate(source.edges(data=partition)):
            sets.setdefault(value, []).append([i])
    return sets.get(nx.EdgePartition.INCLUDED, []), sets.get(nx.EdgePartition.EXCLUDED, [])


def _copy_edges(
    source: Any, edges: Iterable[tuple[Any, ...]], attr: str, default: float, preserve: bool
) -> Any:
    """A graph of these edges, with their weight or with all their data."""
    result = source.__class__()
    result.add_nodes_from(source)
    for edge in edges:
        data = source.get_edge_data(*edge)
        kept = dict(data) if preserve else {}
        result.add_edge(*edge, **{**kept, attr: data.get(attr, default)})
    return result


def _arborescence(
    source: Any, attr: str, default: float, preserve: bool, partition: str | None, minimum: bool
) -> Any:
    if len(source) == 1:
        return _copy_edges(source, (), attr, default, preserve)
    kind = "minimum" if minimum else "maximum"
    none = nx.NetworkXException(f"No {kind} spanning arborescence in G.")
    if not len(source):
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    numbered = _Numbered.of(source, None, attr, default)
    included, excluded = _partition_of(source, partition)
    try:
        tree = next(numbered.stream(included, excluded, k=1, minimize=minimum), None)
    except ValueError as problem:
        if not included:
            raise
        raise none from problem  # two included edges into one node
    if tree is None:
        raise none
    assert tree.edges is not None
    kept = [numbered.edges[i] for i in tree.edges.tolist() if i < len(numbered.edges)]
    return _copy_edges(source, kept, attr, default, preserve)


def maximum_spanning_arborescence(
    G: Any,
    attr: str = "weight",
    default: float = 1,
    preserve_attrs: bool = False,
    partition: str | None = None,
) -> Any:
    """As ``networkx.maximum_spanning_arborescence``."""
    return _arborescence(G, attr, default, preserve_attrs, partition, False)


def minimum_spanning_arborescence(
    G: Any,
    attr: str = "weight",
    default: float = 1,
    preserve_attrs: bool = False,
    partition: str | None = None,
) -> Any:
    """As ``networkx.minimum_spanning_arborescence``."""
    return _arborescence(G, attr, default, preserve_attrs, partition, True)


def _branching(source: Any, attr: str, default: float, preserve: bool, minimum: bool) -> Any:
    """Any node may go without an edge: it hangs from a root that costs nothing."""
    if not len(source):
        return _copy_edges(source, (), attr, default, preserve)
    root = object()
    wrapped = Multigraph.from_edges(
        [
            *source.edges(data=attr, default=default),
            *((root, node, 0) for node in source),
        ],
        root_node=root,
    )
    keys = {"keys": True} if source.is_multigraph() else {}
    edges = list(source.edges(**keys))
    tree = next(_iter_kbest(wrapped, 1, root="any", minimize=minimum))
    assert tree.edges is not None
    kept = [edges[i] for i in tree.edges.tolist() if i < len(edges)]
    return _copy_edges(source, kept, attr, default, preserve)


def maximum_branching(
    G: Any,
    attr: str = "weight",
    default: float = 1,
    preserve_attrs: bool = False,
    partition: str | None = None,
) -> Any:
    """As ``networkx.maximum_branching``, without partitions."""
    if partition is not None:
        raise NotImplementedError("branchings with a partition")
    return _branching(G, attr, default, preserve_attrs, False)


def minimum_branching(
    G: Any,
    attr: str = "weight",
    default: float = 1,
    preserve_attrs: bool = False,
    partition: str | None = None,
) -> Any:
    """As ``networkx.minimum_branching``, without partitions."""
    if partition is not None:
        raise NotImplementedError("branchings with a partition")
    return _branching(G, attr, default, preserve_attrs, True)


class _BackendGraph:
    """A graph of networkx on its way through the dispatcher."""

    __networkx_backend__ = "coppice"

    def __init__(self, graph: Any) -> None:
        self.source = graph

    def __getattr__(self, name: str) -> Any:
        """All else is as the graph has it."""
        if name == "source":  # a copy that is not yet filled
            raise AttributeError(name)
        return getattr(self.source, name)

    def __len__(self) -> int:
        return len(self.source)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.source)

    def __contains__(self, node: object) -> bool:
        return node in self.source

    def __getitem__(self, node: Any) -> Any:
        return self.source[node]


class BackendInterface:
    """What networkx asks of a backend (its entry point ``networkx.backends``)."""

    @staticmethod
    def convert_from_nx(graph: Any, *_: Any, **__: Any) -> _BackendGraph:
        """Graphs are read as they are."""
        return _BackendGraph(graph)

    @staticmethod
    def convert_to_nx(result: Any, **_: Any) -> Any:
        """Results are graphs of networkx already."""
        return result.source if isinstance(result, _BackendGraph) else result

    @staticmethod
    def can_run(name: str, _args: Any, kwargs: dict[str, Any]) -> bool | str:
        """What is not here is left to networkx."""
        if name.endswith("branching") and kwargs.get("partition") is not None:
            return "no partitions of branchings"
        if name == "random_spanning_tree" and not kwargs.get("multiplicative", True):
            return "trees are as likely as the product of their weights alone"
        return True

    @staticmethod
    def should_run(_name: str, _args: Any, _kwargs: dict[str, Any]) -> bool:
        """Always: it is faster by far."""
        return True


def _unwrapping(function: Callable[..., Any]) -> Any:
    def call(G: _BackendGraph, *args: Any, **options: Any) -> Any:
        # Graphs are read as they are: networkx need not keep, nor warn of, what it converted.
        cache = getattr(G.source, "__networkx_cache__", None) or {}
        cache.get("backends", {}).pop("coppice", None)
        return function(G.source, *args, **options)

    return staticmethod(call)


for _function in (
    maximum_spanning_arborescence,
    minimum_spanning_arborescence,
    maximum_branching,
    minimum_branching,
    maximum_spanning_edges,
    minimum_spanning_edges,
    maximum_spanning_tree,
    minimum_spanning_tree,
    number_of_spanning_trees,
    partition_spanning_tree,
    random_spanning_tree,
):
    setattr(BackendInterface, _function.__name__, _unwrapping(_function))
