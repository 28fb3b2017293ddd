"""Spanning trees of undirected graphs of networkx, as its own functions give them."""

# ruff: noqa: N803 (arguments are called as networkx calls them)

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from coppice._decode import best as _best
from coppice._decode import iter_kbest as _iter_kbest
from coppice._distribution import TreeDistribution
from coppice._graph import Multigraph
from coppice._problem import Constraints
from coppice._ties import Ties


def _edges(source: Any) -> Any:
    """(u, v, data), or (u, v, key, data) of a multigraph."""
    return source.edges(data=True, **({"keys": True} if source.is_multigraph() else {}))


def _weighted(source: Any, weight: str, ignore_nan: bool) -> list[tuple[float, tuple[Any, ...]]]:
    """Edges with their weights; those without a number are left out, or refused."""
    result = []
    for edge in _edges(source):
        value = edge[-1].get(weight, 1)
        if not math.isnan(value):
            result.append((value, edge))
        elif not ignore_nan:
            raise ValueError(f"NaN found as an edge weight. Edge {edge}")
    return result


def _forest_of(source: Any, edges: list[tuple[float, tuple[Any, ...]]]) -> Multigraph:
    return Multigraph.from_edges(
        [(edge[0], edge[1], value) for value, edge in edges],
        nodes=source,
        directed=False,
        forest=True,
    )


def _spanning_edges(
    source: Any, weight: str, minimum: bool, ignore_nan: bool, partition: str | None = None
) -> list[tuple[Any, ...]]:
    """The edges of the best spanning forest, as Kruskal's algorithm finds them: best first."""
    if not len(source):
        return []
    edges = _weighted(source, weight, ignore_nan)
    kinds = [edge[-1].get(partition) if partition is not None else None for _, edge in edges]
    edges = [
        edge for edge, kind in zip(edges, kinds, strict=True) if kind != nx.EdgePartition.EXCLUDED
    ]
    kinds = [kind for kind in kinds if kind != nx.EdgePartition.EXCLUDED]
    included = [i for i, kind in enumerate(kinds) if kind == nx.EdgePartition.INCLUDED]
    tree = _best(
        _forest_of(source, edges),
        root="any",
        minimize=minimum,
        constraints=Constraints(required_edges=included),
    )
    assert tree is not None
    assert tree.edges is not None
    kept = [edges[i] for i in tree.edges.tolist() if i < len(edges)]
    return [edge for _, edge in sorted(kept, key=lambda each: each[0], reverse=not minimum)]


def _graph_of(source: Any, edges: Any) -> Any:
    """A graph of the same class with these edges and all data."""
    result = source.__class__()
    result.graph.update(source.graph)
    result.add_nodes_from(source.nodes.items())
    result.add_edges_from(edges)
    return result


def _check(source: Any, algorithm: str = "kruskal") -> None:
    if source.is_directed():
        raise nx.NetworkXNotImplemented("not implemented for directed type")
    if algorithm not in ("kruskal", "prim", "boruvka", "borůvka"):
        raise ValueError(f"{algorithm} is not a valid choice for an algorithm.")
    if algorithm.startswith("bor") and source.is_multigraph():
        raise nx.NetworkXNotImplemented("not implemented for multigraph type")


def minimum_spanning_edges(
    G: Any,
    algorithm: str = "kruskal",
    weight: str = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
    *,
    minimum: bool = True,
) -> Iterator[tuple[Any, ...]]:
    """As ``networkx.minimum_spanning_edges``, whichever algorithm is named."""
    _check(G, algorithm)
    named = 3 if keys and G.is_multigraph() else 2

    def edges() -> Iterator[tuple[Any, ...]]:  # a weight that is no number is found when asked
        for edge in _spanning_edges(G, weight, minimum, ignore_nan):
            yield (*edge[:named], edge[-1]) if data else edge[:named]

    return edges()


def maximum_spanning_edges(G: Any, *args: Any, **options: Any) -> Iterator[tuple[Any, ...]]:
    """As ``networkx.maximum_spanning_edges``."""
    return minimum_spanning_edges(G, *args, **options, minimum=False)


def minimum_spanning_tree(
    G: Any, weight: str = "weight", algorithm: str = "kruskal", ignore_nan: bool = False
) -> Any:
    """As ``networkx.minimum_spanning_tree``."""
    _check(G, algorithm)
    return _graph_of(G, _spanning_edges(G, weight, True, ignore_nan))


def maximum_spanning_tree(
    G: Any, weight: str = "weight", algorithm: str = "kruskal", ignore_nan: bool = False
) -> Any:
    """As ``networkx.maximum_spanning_tree``."""
    _check(G, algorithm)
    return _graph_of(G, _spanning_edges(G, weight, False, ignore_nan))


def partition_spanning_tree(
    G: Any,
    minimum: bool = True,
    weight: str = "weight",
    partition: str = "partition",
    ignore_nan: bool = False,
) -> Any:
    """As ``networkx.partition_spanning_tree``; included edges must not form a cycle."""
    _check(G)
    return _graph_of(G, _spanning_edges(G, weight, minimum, ignore_nan, partition))


def _log_weights(source: Any, weight: str | None) -> list[tuple[Any, Any, float]]:
    """(u, v, log weight): products become sums. Without `weight` all are 1."""
    edges = source.edges(data=weight, default=1) if weight is not None else source.edges(data=False)
    values = [1.0 if weight is None else edge[2] for edge in edges]
    if any(value < 0 for value in values):
        raise NotImplementedError("negative weights have no logarithm")
    with np.errstate(divide="ignore"):
        logs = np.log(np.asarray(values, np.float64)).tolist()
    return [(edge[0], edge[1], log) for edge, log in zip(edges, logs, strict=True)]


def number_of_spanning_trees(G: Any, *, root: Any = None, weight: str | None = None) -> float:
    """As ``networkx.number_of_spanning_trees``; without weights the exact number, rounded once."""
    if not len(G):
        raise nx.NetworkXPointlessConcept("Graph G must contain at least one node.")
    if G.is_directed() and root is None:
        raise nx.NetworkXError("Input `root` must be provided when G is directed")
    if G.is_directed() and root not in G:
        raise nx.NetworkXError("The node root is not in the graph G.")
    parts = nx.weakly_connected_components if G.is_directed() else nx.connected_components
    if sum(1 for _ in parts(G)) > 1:
        return 0
    if len(G) == 1:
        return 1.0
    root = root if G.is_directed() else None
    try:
        graph = Multigraph.from_edges(
            _log_weights(G, weight), nodes=G, root_node=root, directed=G.is_directed()
        )
    except ValueError:  # edges of weight 0 alone connect the parts
        return 0.0
    if weight is None:
        number = Ties(graph, root="any").count()
        return float(number) if number < 2**1023 else math.inf
    return math.exp(TreeDistribution(graph, root="any").log_partition)


def random_spanning_tree(
    G: Any, weight: str | None = None, *, multiplicative: bool = True, seed: Any = None
) -> Any:
    """As ``networkx.random_spanning_tree`` with ``multiplicative``; other trees for a seed."""
    _check(G)
    if not multiplicative:
        raise NotImplementedError("trees as likely as the sum of their weights")
    if len(G) < 2:
        return nx.empty_graph(G.nodes)
    graph = Multigraph.from_edges(_log_weights(G, weight), nodes=G, directed=False)
    drawn = TreeDistribution(graph, root="any").sample(1, seed=seed.getrandbits(63))
    result = nx.Graph()
    edges = list(G.edges())
    assert drawn.edges is not None
    result.add_edges_from(edges[i] for i in drawn.edges[0].tolist())
    return result


class SpanningTreeIterator:
    """All spanning trees in increasing (or decreasing) order of weight.

    Takes and gives what ``networkx.SpanningTreeIterator`` does. Of a graph of several parts it
    gives all spanning forests.
    """

    def __init__(
        self, G: Any, weight: str = "weight", minimum: bool = True, ignore_nan: bool = False
    ) -> None:
        _check(G)
        self.G = G.copy()
        self.weight = weight
        self.minimum = minimum
        self.ignore_nan = ignore_nan
        self._trees: Iterator[Any] | None = None

    def __iter__(self) -> SpanningTreeIterator:
        edges = _weighted(self.G, self.weight, self.ignore_nan)
        if not len(self.G):
            self._trees = iter([_graph_of(self.G, [])])
            return self
        trees = _iter_kbest(_forest_of(self.G, edges), root="any", minimize=self.minimum)

        def named(kept: list[int]) -> Any:
            return _graph_of(self.G, [edges[i][1] for i in kept if i < len(edges)])

        self._trees = (named(tree.edges.tolist()) for tree in trees if tree.edges is not None)
        return self

    def __next__(self) -> Any:
        if self._trees is None:
            iter(self)
        assert self._trees is not None
        return next(self._trees)
