"""Graphs that are not a matrix: edge lists, and matrices whose arcs have labels."""

from __future__ import annotations

import copyreg
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coppice import _core
from coppice._arrays import (
    Array,
    ArrayInput,
    Axes,
    Int32Array,
    as_int32,
    as_matrix,
    as_scores,
)
from coppice._labels import AnyLabels, as_labels, unpacked
from coppice._names import NodeNames, check_names, check_unique, check_weights, quoted_newick
from coppice._phrases import counted
from coppice._results import Tree
from coppice._temperature import NONE, Temperature, divided


class Multigraph:
    """A directed graph as arrays of edges. Node 0 is the root.

    Parallel edges are different choices, so a tree also says which edge it took: `Tree.edges`.
    Weights are finite, or minus infinity for a missing edge; integer weights are exact.

    >>> graph = Multigraph([0, 1, 0], [1, 2, 2], [1.0, 5.0, 2.0])
    >>> graph
    <Multigraph: 3 nodes, 3 edges>

    Nodes may have names, of any hashable type: see `from_edges`, `from_frame`, `from_scipy`,
    `from_networkx`, `from_igraph`. Trees are then read by `parents`, `to_pandas`, `to_newick` ...

    >>> clones = Multigraph.from_edges([("normal", "A", 5), ("A", "B", 4), ("normal", "B", 3)])
    >>> import coppice
    >>> clones.parents(coppice.best(clones, root="any"))
    {'A': 'normal', 'B': 'A'}
    """

    __slots__ = ("_count", "_graph", "_names", "sources", "targets", "weights")

    sources: Int32Array
    targets: Int32Array
    weights: Array

    def __init__(
        self,
        sources: ArrayInput,
        targets: ArrayInput,
        weights: ArrayInput,
        *,
        nodes: int | None = None,
    ) -> None:
        self.sources = as_int32(sources, "sources")
        self.targets = as_int32(targets, "targets")
        weights = np.ascontiguousarray(as_scores(weights, "weights"))
        self.weights = weights if weights.dtype == np.int64 else weights.astype(np.float64)
        if self.weights.ndim != 1:
            raise ValueError(f"weights has shape {self.weights.shape}; need a vector")
        if nodes is None:
            nodes = 1 + max((int(ends.max()) for ends in self._ends() if ends.size), default=0)
        make = _core.Multigraph.of_integers if self._integers else _core.Multigraph.of_floats
        self._graph = make(nodes, self.sources, self.targets, self.weights)
        self._names: NodeNames | None = None
        self._count = len(self.weights)

    def _ends(self) -> tuple[Int32Array, Int32Array]:
        return self.sources, self.targets

    # --- with names -----------------------------------------------------------------------------

    @classmethod
    def from_arrays(
        cls,
        sources: Sequence[Any],
        targets: Sequence[Any],
        weights: ArrayInput,
        *,
        root_node: Any = None,
        nodes: Iterable[Any] = (),
    ) -> Multigraph:
        """Edges by the names of their ends.

        root_node
            The node from which all others are to be reached. Without it any node may be the root:
            node 0 is then added to the graph with an edge to every node, behind all others in
            the arrays, and every tree uses one of them.
        nodes
            Names of nodes, where some may have no edge, or to give their order.
        """
        values = as_scores(weights, "weights")
        if values.ndim != 1 or not len(sources) == len(targets) == len(values):
            raise ValueError(
                f"{len(sources)} sources, {len(targets)} targets, weights of shape {values.shape}"
            )
        check_names(sources, "edge", "its source")
        check_names(targets, "edge", "its target")
        check_weights(sources, targets, values)
        ends = (end for edge in zip(sources, targets, strict=True) for end in edge)
        names = NodeNames(itertools.chain(nodes, ends), root_node)
        numbers = names.numbers
        heads = [numbers[source] for source in sources]
        children = [numbers[target] for target in targets]
        if names.any_root:
            heads += [0] * len(numbers)
            children += range(1, len(numbers) + 1)
            values = np.concatenate([values, np.zeros(len(numbers), values.dtype)])
        graph = cls(
            np.asarray(heads, np.int32),
            np.asarray(children, np.int32),
            values,
            nodes=len(names.of),
        )
        graph._names = names
        graph._count = len(sources)
        return graph

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[tuple[Any, Any, float]],
        *,
        root_node: Any = None,
        nodes: Iterable[Any] = (),
    ) -> Multigraph:
        """From (source, target, weight); `root_node` and `nodes` as for `from_arrays`."""
        columns = list(zip(*edges, strict=True)) or [(), (), ()]
        if len(columns) != 3:
            raise ValueError("edges are (source, target, weight)")
        return cls.from_arrays(
            columns[0], columns[1], np.asarray(columns[2]), root_node=root_node, nodes=nodes
        )

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        source: str = "source",
        target: str = "target",
        weight: str = "weight",
        *,
        root_node: Any = None,
    ) -> Multigraph:
        """From a pandas or polars frame with a row for every edge."""
        for column in (source, target, weight):
            if column not in frame.columns:
                raise ValueError(f"no column {column!r} among {list(frame.columns)}")
        sources, targets = frame[source].to_list(), frame[target].to_list()
        check_names(sources, "row", source)
        check_names(targets, "row", target)
        return cls.from_arrays(
            sources,
            targets,
            np.asarray(frame[weight].to_numpy()),
            root_node=root_node,
        )

    @classmethod
    def from_scipy(
        cls, matrix: Any, *, root_node: Any = None, names: Sequence[Any] | None = None
    ) -> Multigraph:
        """From a sparse matrix: what is stored at [i, j], 0 included, weighs the edge i -> j.

        Nodes are called by their numbers in the matrix, unless `names` are given.
        """
        table = matrix.tocoo()
        rows, columns = table.shape
        if rows != columns:
            raise ValueError(f"the matrix has shape {table.shape}; need a square")
        called = list(range(rows)) if names is None else list(names)
        if len(called) != rows:
            raise ValueError(f"{counted(len(called), 'name')} for {counted(rows, 'node')}")
        check_unique(called, "nodes")
        return cls.from_arrays(
            [called[i] for i in table.row.tolist()],
            [called[j] for j in table.col.tolist()],
            table.data,
            root_node=root_node,
            nodes=called,
        )

    @classmethod
    def from_networkx(
        cls, graph: Any, *, root_node: Any = None, weight: str = "weight", default: float = 1
    ) -> Multigraph:
        """From a DiGraph or MultiDiGraph; edges keep their order."""
        if not graph.is_directed():
            raise TypeError("the graph has no directions; use graph.to_directed()")
        edges = list(graph.edges(data=weight, default=default))
        return cls.from_edges(edges, root_node=root_node, nodes=graph)

    @classmethod
    def from_igraph(
        cls, graph: Any, *, root_node: Any = None, weight: str = "weight"
    ) -> Multigraph:
        """From a directed igraph.Graph; nodes are called by their attribute "name", if any."""
        if not graph.is_directed():
            raise TypeError("the graph has no directions; use graph.as_directed()")
        has_names = "name" in graph.vs.attributes()
        called = graph.vs["name"] if has_names else list(range(graph.vcount()))
        check_unique(called, "vertices")
        ends = graph.get_edgelist()
        if weight not in graph.es.attributes():
            raise ValueError(f"the edges have no attribute {weight!r}")
        return cls.from_arrays(
            [called[i] for i, _ in ends],
            [called[j] for _, j in ends],
            np.asarray(graph.es[weight]),
            root_node=root_node,
            nodes=called,
        )

    @property
    def names(self) -> tuple[Any, ...] | None:
        """Of nodes 0..N; that of an added root is None. None where nodes have no names."""
        return None if self._names is None else self._names.of

    @property
    def any_root(self) -> bool:
        """Whether any node may be the root, node 0 being added for that."""
        return self._names is not None and self._names.any_root

    def name(self, node: int) -> Any:
        """The name of a node, or else its number."""
        return node if self._names is None else self._names.of[node]

    def root_of(self, tree: Tree) -> Any:
        """The root of a tree, by its name."""
        tree = self._one_tree(tree)
        if not self.any_root:
            return self.name(0)
        return self.name(1 + int(np.flatnonzero(tree.heads == 0)[0]))

    def _one_tree(self, tree: Tree) -> Tree:
        """The tree, if it is one: of several a mixture would come out."""
        heads = getattr(tree, "heads", None)
        if heads is None or np.ndim(heads) != 1:
            several = heads is not None or isinstance(tree, (list, tuple))
            given = "a list: result[0]" if several else repr(tree)
            raise TypeError(f"one tree expected, not {given}")
        if len(heads) != self.nodes - 1:
            found = f"it has {len(heads) + 1} nodes, not {self.nodes}"
            raise ValueError(f"the tree is not one of this graph: {found}")
        if tree.edges is not None:
            wrong = tree.edges[(tree.edges < 0) | (tree.edges >= len(self.weights))]
            if wrong.size:
                raise ValueError(f"the tree is not one of this graph: it has edge {wrong[0]}")
        return tree

    def _kept(self, tree: Tree) -> Int32Array:
        """The edges of a tree but that of an added root."""
        edges = self._one_tree(tree).edges
        if edges is None:
            raise ValueError("the tree is not one of this graph: it has no edges")
        return edges[edges < self._count]

    def edges_of(self, tree: Tree) -> list[tuple[Any, Any, Any]]:
        """The edges of a tree, (source, target, weight), by the names of their ends."""
        kept = self._kept(tree)
        return [
            (self.name(source), self.name(target), weight)
            for source, target, weight in zip(
                self.sources[kept].tolist(),
                self.targets[kept].tolist(),
                self.weights[kept].tolist(),
                strict=True,
            )
        ]

    def parents(self, tree: Tree) -> dict[Any, Any]:
        """Of every node but the root what it hangs from."""
        return {target: source for source, target, _ in self.edges_of(tree)}

    def to_newick(self, tree: Tree) -> str:
        """The tree in Newick format, weights as branch lengths."""
        below: dict[Any, list[tuple[Any, Any]]] = {}
        for source, target, weight in self.edges_of(tree):
            below.setdefault(source, []).append((target, weight))
        root = self.root_of(tree)
        parts: list[str] = []
        stack: list[Any] = [(root, "")]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                parts.append(item)
                continue
            node, length = item
            stack.append(quoted_newick(node) + length)
            children = below.get(node)
            if children:
                stack.append(")")
                for i, (child, weight) in enumerate(reversed(children)):
                    if i:
                        stack.append(",")
                    stack.append((child, f":{weight}"))
                parts.append("(")
        return "".join(parts) + ";"

    def to_svg(
        self,
        trees: Sequence[Tree] | Tree,
        rank: int = 0,
        *,
        labels: Sequence[object] | None = None,
    ) -> str:
        """One of the trees as a drawing, from left to right; what differs from the first is marked.

        `labels`, one for every edge of the graph, stand on the edges instead of their weights.
        """
        listed = _listed(trees)
        chosen = [self._one_tree(listed[each]) for each in ([0, rank] if rank else [0])]
        if any(tree.edges is None for tree in chosen):
            raise ValueError("the tree is not one of this graph: it has no edges")
        edges = np.asarray([tree.edges for tree in chosen], np.int32)
        texts = [f"{w:.4g}" for w in self.weights.tolist()] if labels is None else labels
        numbers: dict[str, int] = {}
        on_edge = [
            [numbers.setdefault(f"{edge}:{texts[edge]}" if edge < self._count else "", len(numbers))
             for edge in row]
            for row in edges.tolist()
        ]  # fmt: skip
        names = [text.partition(":")[2] for text in numbers]
        sentence = _core.Sentence("", [str(self.name(v)) for v in range(1, self.nodes)], [])
        heads = np.ascontiguousarray([tree.heads for tree in chosen], np.int32)
        scores = np.asarray([tree.score for tree in chosen], np.float64)
        sentence.set_trees(heads, scores, np.asarray(on_edge, np.int32), names)
        root = "" if self.any_root else str(self.name(0))
        return sentence.tree_svg(len(chosen) - 1, root, self.any_root)

    def to_rows(self, trees: Iterable[Tree] | Tree) -> dict[str, list[Any]]:
        """All edges of the trees as columns: rank, score, gap, source, target, weight."""
        columns: dict[str, list[Any]] = {
            name: [] for name in ("rank", "score", "gap", "source", "target", "weight")
        }
        for rank, tree in enumerate(_listed(trees), start=1):
            for source, target, weight in self.edges_of(tree):
                row = (rank, tree.score, tree.gap, source, target, weight)
                for column, value in zip(columns.values(), row, strict=True):
                    column.append(value)
        return columns

    def to_pandas(self, trees: Iterable[Tree] | Tree) -> Any:
        """`to_rows` as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(self.to_rows(trees))

    def to_polars(self, trees: Iterable[Tree] | Tree) -> Any:
        """`to_rows` as a polars frame."""
        import polars as pl

        return pl.DataFrame(self.to_rows(trees))

    def to_scipy(self, tree: Tree) -> Any:
        """The tree as a sparse matrix [source, target], nodes numbered as in `names`."""
        from scipy import sparse

        kept = self._kept(tree)
        places = (self.sources[kept], self.targets[kept])
        return sparse.csr_array((self.weights[kept], places), shape=(self.nodes, self.nodes))

    def to_networkx(self, tree: Tree) -> Any:
        """The tree as a networkx.DiGraph with weights, "score" and "gap"."""
        import networkx as nx

        edges = self.edges_of(tree)
        result = nx.DiGraph(score=tree.score, gap=tree.gap)
        result.add_node(self.root_of(tree))
        result.add_weighted_edges_from(edges)
        return result

    def to_igraph(self, tree: Tree) -> Any:
        """The tree as a directed igraph.Graph with weights."""
        import igraph

        edges = self.edges_of(tree)
        nodes = [self.root_of(tree), *(target for _, target, _ in edges)]
        number = {node: i for i, node in enumerate(nodes)}
        result = igraph.Graph(
            len(nodes), [(number[source], number[target]) for source, target, _ in edges], True
        )
        result.vs["name"] = [str(node) for node in nodes]
        result.es["weight"] = [weight for *_, weight in edges]
        return result

    @property
    def _integers(self) -> bool:
        """Whether the weights are integers."""
        return bool(self.weights.dtype == np.int64)

    @property
    def nodes(self) -> int:
        """The number of nodes, the root counted in."""
        return self._graph.nodes

    def __len__(self) -> int:
        """The number of edges, those of an added root not counted."""
        return self._count

    def __repr__(self) -> str:
        def size(nodes: int) -> str:
            return f"{counted(nodes, 'node')}, {counted(len(self), 'edge')}"

        if self._names is None:
            return f"<Multigraph: {size(self.nodes)}>"
        root = "any root" if self.any_root else f"root {self.name(0)!r}"
        return f"<Multigraph: {size(len(self._names.numbers))}, {root}>"


def _again(nodes: int, sources: Int32Array, targets: Int32Array, weights: Any) -> _core.Multigraph:
    make = _core.Multigraph.of_integers if weights.dtype == np.int64 else _core.Multigraph.of_floats
    return make(nodes, sources, targets, weights)


def _taken_apart(graph: _core.Multigraph) -> tuple[Any, ...]:
    return _again, (graph.nodes, *graph.endpoints(), graph.weights())


copyreg.pickle(_core.Multigraph, _taken_apart)


def _listed(trees: Any) -> Any:
    """One tree is a list of one."""
    return [trees] if isinstance(trees, Tree) else trees


@dataclass(slots=True)
class Source:
    """What to decode: a matrix, or an edge list with perhaps the label of every edge."""

    graph: Array | _core.Multigraph
    words: int
    integers: bool
    edge_labels: Int32Array | None = None
    label_names: tuple[str, ...] = ()
    with_edges: bool = False
    #: Those of the nodes of a `Multigraph`.
    names: NodeNames | None = None


def as_source(
    scores: ArrayInput | Multigraph,
    axes: Axes,
    labels: AnyLabels | None = None,
    temperature: Temperature = NONE,
) -> Source:
    """Whatever the caller gave."""
    if isinstance(scores, Multigraph):
        if labels is not None:
            raise ValueError("labels go with a matrix; an edge of a Multigraph is a choice")
        names = scores._names
        if temperature.arcs != 1.0:
            tempered = divided(scores.weights, temperature.arcs)
            scores = Multigraph(scores.sources, scores.targets, tempered, nodes=scores.nodes)
        words, integers = scores.nodes - 1, scores._integers
        return Source(scores._graph, words, integers, with_edges=True, names=names)
    matrix = divided(as_matrix(scores, axes), temperature.arcs)
    words = matrix.shape[0] - 1
    if labels is None:
        return Source(matrix, words, matrix.dtype.kind == "i")
    given = unpacked(labels)
    errors: dict[int, Exception] = {}
    narrow = as_labels(given, axes, matrix.shape, temperature, errors=errors)
    try:
        graph, edge_labels = _core.label_arcs(matrix, *narrow)
    except ValueError as error:
        raise errors.get(0, error) from None
    return Source(graph, words, False, edge_labels, tuple(given.names))


def edges_with_labels(source: Source, heads: Int32Array, labels: Int32Array) -> Int32Array:
    """The edges from these heads that have these labels, [trees, words]; -1 where there is none."""
    of_source, graph, nodes = source.edge_labels, source.graph, source.words + 1
    assert of_source is not None
    assert not isinstance(graph, np.ndarray)

    def keys(head: Int32Array, dependent: Int32Array, label: Int32Array) -> Array:
        return ((head.astype(np.int64) * nodes + dependent) << 32) + label

    sources, targets = graph.endpoints()
    of_edges = keys(sources, targets, of_source)
    order = np.argsort(of_edges)
    twice = np.flatnonzero(np.diff(of_edges[order]) == 0)
    if len(twice):
        edge = order[twice[0]]
        raise ValueError(
            f"arc {sources[edge]} -> {targets[edge]} has several choices of label {of_source[edge]}"
        )
    wanted = keys(heads, np.arange(1, nodes, dtype=np.int32), labels)
    place = np.searchsorted(of_edges, wanted, sorter=order)
    edges: Int32Array = np.append(order, -1)[place].astype(np.int32)
    edges[np.append(of_edges, -1)[edges] != wanted] = -1
    return edges
