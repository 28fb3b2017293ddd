"""networkx graphs in, networkx graphs out.

What `networkx.ArborescenceIterator` does, with a root, one root edge or any number, parallel edges
and their keys, and fast:

>>> import networkx as nx
>>> from coppice.networkx import iter_kbest
>>> graph = nx.DiGraph()
>>> graph.add_weighted_edges_from([("a", "b", 5), ("b", "c", 3), ("a", "c", 4)])
>>> [tree.graph["score"] for tree in iter_kbest(graph, root="any", root_node="a")]
[9, 8]
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import networkx as nx  # noqa: F401 (so that its absence is said at once)
import numpy as np

from coppice._decode import iter_kbest as _iter_kbest
from coppice._graph import Multigraph
from coppice._results import Tree
from coppice._which import RootRule

__all__ = ["iter_kbest", "kbest"]


@dataclass(frozen=True, slots=True)
class _Numbered:
    """A graph with nodes 0, 1, ... and edges 0, 1, ...; node 0 is the root."""

    source: Any
    nodes: list[Hashable]
    #: The edges of `source`: (u, v) or (u, v, key). Those of an added root come behind them.
    edges: list[tuple[Any, ...]]
    graph: Multigraph

    def ids(self, wanted: Iterable[tuple[Any, ...]] | None, name: str) -> list[list[int]]:
        """For each of the wanted (u, v) or (u, v, key) the edges that it means."""
        by_end: dict[tuple[Any, ...], list[int]] = {}
        for i, edge in enumerate(self.edges):
            by_end.setdefault(edge, []).append(i)
            if len(edge) == 3:
                by_end.setdefault(edge[:2], []).append(i)
        try:
            return [by_end[tuple(edge)] for edge in wanted or ()]
        except KeyError as missing:
            raise ValueError(f"{name} edge {missing.args[0]} is not in the graph") from None

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


def _numbered(source: Any, root_node: Any, weight: str, default: float) -> _Numbered:
    if not source.is_directed():
        raise TypeError("the graph has no directions; use graph.to_directed()")
    nodes = list(source)
    if root_node is not None:
        if root_node not in source:
            raise ValueError(f"root_node {root_node!r} is not in the graph")
        nodes.remove(root_node)
        nodes.insert(0, root_node)
    first = 0 if root_node is not None else 1
    number = {node: i for i, node in enumerate(nodes, start=first)}
    data = source.edges(keys=True, data=weight, default=default) if source.is_multigraph() else None
    listed = list(data if data is not None else source.edges(data=weight, default=default))
    sources = [number[edge[0]] for edge in listed]
    targets = [number[edge[1]] for edge in listed]
    weights = [edge[-1] for edge in listed]
    if root_node is None:  # a root from which every node may hang, for nothing
        sources += [0] * len(nodes)
        targets += range(1, len(nodes) + 1)
        weights += [0] * len(nodes)
    graph = Multigraph(sources, targets, np.asarray(weights), nodes=len(nodes) + first)
    return _Numbered(source, nodes, [edge[:-1] for edge in listed], graph)


def iter_kbest(
    graph: Any,
    k: int | None = None,
    *,
    root: RootRule,
    root_node: Any = None,
    weight: str = "weight",
    default: float = 1,
    max_gap: float | None = None,
    minimize: bool = False,
    required: Iterable[tuple[Any, ...]] | None = None,
    forbidden: Iterable[tuple[Any, ...]] | None = None,
) -> Iterator[Any]:
    """Spanning arborescences from best to worst, each computed when it is asked for.

    Parameters
    ----------
    graph
        A DiGraph or MultiDiGraph; in the latter parallel edges are different choices.
    k, max_gap, minimize
        As for `coppice.iter_kbest`. Note that networkx minimises by default, and we maximise.
    root
        ``"single"``: exactly one edge leaves the root. ``"any"``: one or more.
    root_node
        The node from which all others must be reached. Without it any node may be the root, as in
        networkx: a root is added with an edge of weight 0 to every node, so ``root="single"``
        gives arborescences with whatever root is best, ``root="any"`` forests.
    weight, default
        The attribute of the edges, and what stands for it where it is missing.
    required, forbidden
        Edges (u, v), or (u, v, key), that every tree must have, or must not.

    Yields
    ------
    Graphs of the same class with all nodes, the edges of the tree, and all their data. Their
    ``.graph`` also has ``"score"`` and ``"gap"``.
    """
    numbered = _numbered(graph, root_node, weight, default)
    forbidden_edges = [i for ids in numbered.ids(forbidden, "forbidden") for i in ids]
    required_edges, required_arcs = [], []
    for ids in numbered.ids(required, "required"):
        ends = int(numbered.graph.sources[ids[0]]), int(numbered.graph.targets[ids[0]])
        required_arcs.append(ends)
        if len(ids) == 1:
            required_edges.append(ids[0])
    trees = _iter_kbest(
        numbered.graph,
        k,
        root=root,
        max_gap=max_gap,
        minimize=minimize,
        required=required_arcs,
        required_edges=required_edges,
        forbidden_edges=forbidden_edges,
    )
    return map(numbered.to_networkx, trees)


def kbest(graph: Any, k: int | None = None, *, root: RootRule, **options: Any) -> list[Any]:
    """The `k` best spanning arborescences as a list; arguments as for `iter_kbest`."""
    if k is None and options.get("max_gap") is None:
        raise ValueError("give k, max_gap or both: how many trees are wanted?")
    return list(iter_kbest(graph, k, root=root, **options))
