"""Graphs that are not a matrix: edge lists, and matrices whose arcs have labels."""

from __future__ import annotations

import copyreg
import itertools
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from coppice import _core
from coppice._arrays import (
    Array,
    ArrayInput,
    Axes,
    Int32Array,
    as_array,
    as_int32,
    as_matrix,
    as_scores,
)
from coppice._labels import AnyLabels, as_labels, unpacked
from coppice._names import (
    NodeNames,
    bad_weight,
    check_names,
    check_unique,
    quoted_newick,
    refuse_name,
)
from coppice._phrases import counted
from coppice._results import Tree
from coppice._temperature import NONE, Temperature, divided

if TYPE_CHECKING:
    from coppice._problem import Constraints


class Multigraph:
    """A graph as arrays of edges, directed unless ``directed=False``. Node 0 is the root.

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

    __slots__ = ("_count", "_graph", "_names", "directed", "sources", "targets", "weights")

    sources: Int32Array
    targets: Int32Array
    weights: Array
    #: Whether the edges lead from their source to their target alone, and not both ways.
    directed: bool

    def __init__(
        self,
        sources: ArrayInput,
        targets: ArrayInput,
        weights: ArrayInput,
        *,
        nodes: int | None = None,
        directed: bool = True,
    ) -> None:
        self.sources = as_int32(sources, "sources")
        self.targets = as_int32(targets, "targets")
        weights = np.ascontiguousarray(as_scores(weights, "weights"))
        self.weights = weights if weights.dtype == np.int64 else weights.astype(np.float64)
        if self.weights.ndim != 1:
            raise ValueError(f"weights has shape {self.weights.shape}; need a vector")
        self.directed = bool(directed)
        if nodes is None:
            nodes = 1 + max((int(ends.max()) for ends in self._ends() if ends.size), default=0)
        self._graph = _make(nodes, self.sources, self.targets, self.weights, self.directed)
        self._names: NodeNames | None = None
        self._count = len(self.weights)
        if isinstance(self._graph, _core.UndirectedGraph):
            firsts = self._graph.first_of_each_part()
            if len(firsts) > 1:
                raise _PartsError(len(firsts), int(firsts[0]), int(firsts[1]))

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
        directed: bool = True,
        forest: bool = False,
        root_weights: Any = 0,
    ) -> Multigraph:
        """Edges by the names of their ends.

        root_node
            The node from which all others are to be reached. Without it any node may be the root:
            node 0 is then added to the graph with an edge to every node, behind all others in
            the arrays, and every tree uses one of them. Trees of an undirected graph hang from
            this node, or else from the first one.
        nodes
            Names of nodes, where some may have no edge, or to give their order.
        directed
            With False edges lead both ways: trees are spanning trees.
        forest
            Any number of roots: branchings instead of trees. Of an undirected graph one tree for
            each of its parts, where without `forest` several parts are an error.
        root_weights
            What it weighs to be a root, where any node may be it: a number, or one for each name.
        """
        values = as_scores(weights, "weights")
        if values.ndim != 1 or not len(sources) == len(targets) == len(values):
            raise ValueError(
                f"{len(sources)} sources, {len(targets)} targets, weights of shape {values.shape}"
            )
        rest = root_node, directed, forest, root_weights
        if isinstance(nodes, tuple) and not nodes and all(map(_are_integers, (sources, targets))):
            both = np.concatenate([as_array(sources, "sources"), as_array(targets, "targets")])
            new, ends = _by_integers(both)
            return cls._numbered(both[new].tolist(), ends, values, *rest)
        sources, targets = (_as_list(ends) for ends in (sources, targets))
        check_names(sources, "edge", "its source")
        check_names(targets, "edge", "its target")
        return cls._named(sources, targets, values, nodes, *rest)

    @classmethod
    def _named(
        cls,
        sources: list[Any],
        targets: list[Any],
        values: Array,
        nodes: Iterable[Any],
        root_node: Any,
        directed: bool,
        forest: bool,
        root_weights: Any = 0,
    ) -> Multigraph:
        """What `from_arrays` does once names and lengths are known to be good."""
        named = list(itertools.chain.from_iterable(zip(sources, targets, strict=True)))
        called = list(dict.fromkeys(itertools.chain(nodes, named)))
        places = {name: i for i, name in enumerate(called)}.__getitem__
        ends = np.fromiter(map(places, named), np.int32, len(named)).reshape(-1, 2)
        return cls._numbered(called, ends, values, root_node, directed, forest, root_weights)

    @classmethod
    def _numbered(
        cls,
        called: Sequence[Any],
        ends: Int32Array,
        values: Array,
        root_node: Any,
        directed: bool,
        forest: bool,
        root_weights: Any = 0,
    ) -> Multigraph:
        """Edges by the places of their ends, [edges, 2], in `called`, the names of all nodes."""
        bad = bad_weight(values)
        if bad is not None:
            one, other = (called[end] for end in ends[bad].tolist())
            raise ValueError(
                f"weight of {one!r} -> {other!r} is {values[bad]}; weights are finite, or -inf for "
                "a missing edge"
            )
        if forest and root_node is not None:
            raise ValueError(f"root_node is {root_node!r}, but a forest has roots of its own")
        if not directed and not forest and root_node is None and len(called):
            root_node = called[0]
        names = NodeNames(called, root_node, forest=forest)
        number = names.nodes()
        nodes = len(number) + (1 if names.any_root else 0)
        sources, targets = number[ends[:, 0]], number[ends[:, 1]]
        if names.any_root:
            roots = number if directed else _firsts(sources, targets, values, nodes)
            prices = _prices(root_weights, names, roots, values)
            sources = np.concatenate([sources, np.zeros_like(roots)])
            targets = np.concatenate([targets, roots])
            values = np.concatenate([values, prices])
        elif not (np.isscalar(root_weights) and root_weights == 0):
            raise ValueError("root_weights are of graphs in which any node may be the root")
        try:
            graph = cls(sources, targets, values, nodes=nodes, directed=directed)
        except _PartsError as parts:
            raise parts.named(names.of) from None
        graph._names = names
        graph._count = len(values) - (len(roots) if names.any_root else 0)
        return graph

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[tuple[Any, Any, float]],
        *,
        root_node: Any = None,
        nodes: Iterable[Any] = (),
        directed: bool = True,
        forest: bool = False,
        root_weights: Any = 0,
    ) -> Multigraph:
        """From (source, target, weight); other arguments as for `from_arrays`."""
        columns = list(zip(*edges, strict=True)) or [(), (), ()]
        if len(columns) != 3:
            raise ValueError("edges are (source, target, weight)")
        return cls.from_arrays(
            columns[0],
            columns[1],
            np.asarray(columns[2]),
            root_node=root_node,
            nodes=nodes,
            directed=directed,
            forest=forest,
            root_weights=root_weights,
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
        directed: bool = True,
        forest: bool = False,
    ) -> Multigraph:
        """From a pandas or polars frame with a row for every edge; see `from_arrays`."""
        for column in (source, target, weight):
            if column not in frame.columns:
                raise ValueError(f"no column {column!r} among {list(frame.columns)}")
        values = as_scores(np.asarray(frame[weight].to_numpy()), "weights")
        numbered = None
        if hasattr(frame, "iloc"):
            numbered = _of_pandas(frame, source, target)
        elif type(frame).__module__.startswith("polars."):
            numbered = _of_polars(frame, source, target)
        if numbered is not None:
            return cls._numbered(*numbered, values, root_node, directed, forest)
        sources, targets = frame[source].to_list(), frame[target].to_list()
        check_names(sources, "row", source)
        check_names(targets, "row", target)
        return cls._named(sources, targets, values, (), root_node, directed, forest)

    @classmethod
    def from_scipy(
        cls,
        matrix: Any,
        *,
        root_node: Any = None,
        names: Sequence[Any] | None = None,
        directed: bool = True,
        forest: bool = False,
    ) -> Multigraph:
        """From a sparse matrix: what is stored at [i, j], 0 included, weighs the edge i -> j.

        Nodes are called by their numbers in the matrix, unless `names` are given. With
        ``directed=False`` each entry is an edge: pass one triangle of a symmetric matrix.
        """
        table = matrix.tocoo()
        rows, columns = table.shape
        if rows != columns:
            raise ValueError(f"the matrix has shape {table.shape}; need a square")
        called: Sequence[Any] = range(rows) if names is None else list(names)
        if len(called) != rows:
            raise ValueError(f"{counted(len(called), 'name')} for {counted(rows, 'node')}")
        if names is not None:
            check_unique(called, "nodes")
        values = as_scores(table.data, "weights")
        ends = np.stack([table.row, table.col], axis=1).astype(np.int32, copy=False)
        return cls._numbered(called, ends, values, root_node, directed, forest)

    @classmethod
    def from_networkx(
        cls,
        graph: Any,
        *,
        root_node: Any = None,
        weight: str = "weight",
        default: float = 1,
        forest: bool = False,
    ) -> Multigraph:
        """From a graph of networkx, directed or not; edges keep their order."""
        return cls.from_edges(
            list(graph.edges(data=weight, default=default)),
            root_node=root_node,
            nodes=graph,
            directed=graph.is_directed(),
            forest=forest,
        )

    @classmethod
    def from_igraph(
        cls, graph: Any, *, root_node: Any = None, weight: str = "weight", forest: bool = False
    ) -> Multigraph:
        """From an igraph.Graph; nodes are called by their attribute "name", if any."""
        has_names = "name" in graph.vs.attributes()
        called = graph.vs["name"] if has_names else list(range(graph.vcount()))
        check_unique(called, "vertices")
        if weight not in graph.es.attributes():
            raise ValueError(f"the edges have no attribute {weight!r}")
        ends = np.asarray(graph.get_edgelist(), np.int32).reshape(-1, 2)
        values = as_scores(np.asarray(graph.es[weight]), "weights")
        return cls._numbered(called, ends, values, root_node, graph.is_directed(), forest)

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
        roots = self.roots_of(tree)
        if len(roots) > 1:
            raise ValueError(f"{counted(len(roots), 'root')}: roots_of(tree) names them")
        return roots[0]

    def roots_of(self, tree: Tree) -> list[Any]:
        """The roots of a forest, by their names; of a tree one."""
        tree = self._one_tree(tree)
        if not self.any_root:
            return [self.name(0)]
        return [self.name(1 + i) for i in np.flatnonzero(tree.heads == 0).tolist()]

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

    def _kept(self, tree: Tree) -> tuple[Int32Array, Int32Array, Int32Array]:
        """The edges of a tree but those of an added root, their heads and what hangs from them."""
        edges = self._one_tree(tree).edges
        if edges is None:
            raise ValueError("the tree is not one of this graph: it has no edges")
        nodes = np.flatnonzero(edges < self._count).astype(np.int32)
        return edges[nodes], tree.heads[nodes], nodes + 1

    def edges_of(self, tree: Tree) -> list[tuple[Any, Any, Any]]:
        """The edges of a tree, (source, target, weight), by the names of their ends.

        Those of an undirected graph lead away from the root.
        """
        edges, heads, nodes = self._kept(tree)
        named = ([self.name(v) for v in ends.tolist()] for ends in (heads, nodes))
        return list(zip(*named, self.weights[edges].tolist(), strict=True))

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

    def root_scores(
        self, *, constraints: Constraints | None = None, minimize: bool = False
    ) -> dict[Any, float]:
        """Of each node that can be the root the score of the best tree from there, best root first.

        For a graph in which any node may be the root. Arguments as for `max_marginals`.

        >>> graph = Multigraph.from_edges([("a", "b", 5), ("b", "a", 4), ("b", "c", 1)])
        >>> graph.root_scores()
        {'a': 6.0, 'b': 5.0}
        """
        from coppice._decode import root_scores

        return root_scores(self, constraints, minimize)

    def write(self, path: str | os.PathLike[str]) -> None:
        """As an edge list for ``coppice decode``: TSV with a header.

        Its root is not in the file: give ``--root-node``, or none where any node may be the root.
        """
        self.write_many(path, [self])

    @staticmethod
    def write_many(path: str | os.PathLike[str], graphs: Iterable[Multigraph]) -> None:
        """Many graphs as `write` writes one, with a blank line between them."""
        from coppice._files import write_graphs

        write_graphs(path, graphs)

    def to_scipy(self, tree: Tree) -> Any:
        """The tree as a sparse matrix [source, target], nodes numbered as in `names`."""
        from scipy import sparse

        edges, heads, nodes = self._kept(tree)
        return sparse.csr_array((self.weights[edges], (heads, nodes)), (self.nodes, self.nodes))

    def to_networkx(self, tree: Tree) -> Any:
        """The tree as a networkx.DiGraph (or Graph) with weights, "score" and "gap"."""
        import networkx as nx

        edges = self.edges_of(tree)
        result = (nx.DiGraph if self.directed else nx.Graph)(score=tree.score, gap=tree.gap)
        result.add_nodes_from(self.roots_of(tree))
        result.add_weighted_edges_from(edges)
        return result

    def to_igraph(self, tree: Tree) -> Any:
        """The tree as an igraph.Graph with weights."""
        import igraph

        edges = self.edges_of(tree)
        nodes = [*self.roots_of(tree), *(target for _, target, _ in edges)]
        number = {node: i for i, node in enumerate(nodes)}
        result = igraph.Graph(
            len(nodes),
            [(number[source], number[target]) for source, target, _ in edges],
            self.directed,
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

        kind = "" if self.directed else ", undirected"
        if self._names is None:
            return f"<Multigraph: {size(self.nodes)}{kind}>"
        root = "any root" if self.any_root else f"root {self.name(0)!r}"
        root = "forest" if self._names.forest else root
        return f"<Multigraph: {size(self.nodes - self.any_root)}{kind}, {root}>"


AnyGraph: TypeAlias = _core.Multigraph | _core.UndirectedGraph


def _make(
    nodes: int, sources: Int32Array, targets: Int32Array, weights: Any, directed: bool
) -> AnyGraph:
    kind = _core.Multigraph if directed else _core.UndirectedGraph
    make = kind.of_integers if weights.dtype == np.int64 else kind.of_floats
    return make(nodes, sources, targets, weights)


def _taken_apart(graph: AnyGraph) -> tuple[Any, ...]:
    directed = isinstance(graph, _core.Multigraph)
    return _make, (graph.nodes, *graph.endpoints(), graph.weights(), directed)


copyreg.pickle(_core.Multigraph, _taken_apart)
copyreg.pickle(_core.UndirectedGraph, _taken_apart)


class _PartsError(ValueError):
    """An undirected graph of several parts has no spanning tree."""

    def __init__(self, parts: int, one: Any, other: Any) -> None:
        super().__init__(
            f"the graph has {parts} parts: no edges connect {one!r} and {other!r}; a forest is "
            "made by Multigraph.from_edges(..., forest=True)"
        )
        self.parts, self.ends = parts, (one, other)

    def named(self, names: Sequence[Any]) -> _PartsError:
        return _PartsError(self.parts, *(names[end] for end in self.ends))


def _are_integers(names: Any) -> bool:
    return isinstance(names, np.ndarray) and names.ndim == 1 and names.dtype.kind == "i"


def _as_list(names: Any) -> list[Any]:
    return names.tolist() if isinstance(names, np.ndarray) else list(names)


def _by_integers(called: Array) -> tuple[Array, Int32Array]:
    """Of the sources and then the targets of all edges: which are new, in the order of the edges.

    And the ends of all edges, [edges, 2], by their places among these.
    """
    edges = called.size // 2
    if edges and int(called.max()) - int(called.min()) <= 4 * called.size:
        called = (called - called.min()).view(f"u{called.itemsize}").astype(np.int64)
    else:
        called = np.unique(called, return_inverse=True)[1]
    first = np.full(int(called.max(initial=-1)) + 1, called.size)
    for side, names in enumerate((called[:edges], called[edges:])):
        np.minimum.at(first, names, np.arange(side, called.size, 2))
    is_new = np.zeros(called.size, bool)
    is_new[first[first < called.size]] = True
    new = np.flatnonzero(is_new)
    new = new // 2 + new % 2 * edges
    places = np.zeros(len(first), np.int32)
    places[called[new]] = np.arange(len(new), dtype=np.int32)
    return new, places[called].reshape(2, -1).T


def _of_pandas(frame: Any, source: str, target: str) -> tuple[list[Any], Int32Array]:
    """All names in the order of the rows, and the places of both ends there."""
    import pandas as pd

    columns = [frame[name] for name in (source, target)]
    if columns[0].dtype != columns[1].dtype:
        columns = [column.astype(object) for column in columns]
    names = pd.concat(columns, ignore_index=True)
    rows = len(frame)
    if isinstance(names.dtype, np.dtype) and names.dtype.kind in "iu":
        numbers = names.to_numpy()
    else:
        numbers = pd.factorize(names)[0]
        missing = np.flatnonzero(numbers < 0)
        if missing.size:
            row, column = min((int(each) % rows, int(each) // rows) for each in missing)
            refuse_name(columns[column].iloc[row], "row", row, (source, target)[column])
    new, ends = _by_integers(numbers)
    return names.take(new).tolist(), ends


def _of_polars(frame: Any, source: str, target: str) -> tuple[list[Any], Int32Array] | None:
    """The same, where the names are text or integers, and none is missing."""
    import polars as pl

    columns = [frame[name] for name in (source, target)]
    kind = columns[0].dtype
    names = pl.concat(columns) if columns[1].dtype == kind else None
    if names is None or names.null_count() or not (kind == pl.String or kind.is_integer()):
        return None
    numbers = names if kind.is_integer() else names.cast(pl.Categorical).to_physical()
    new, ends = _by_integers(numbers.to_numpy())
    return names.gather(new).to_list(), ends


def _firsts(sources: Int32Array, targets: Int32Array, weights: Array, nodes: int) -> Int32Array:
    """The first node of each part, but node 0, which is not in the graph yet."""
    graph = _make(nodes, sources, targets, weights, False)
    assert isinstance(graph, _core.UndirectedGraph)
    return graph.first_of_each_part()[1:]


def _prices(weights: Any, names: NodeNames, roots: Int32Array, like: Array) -> Array:
    """Of every node that may be a root what that weighs."""
    if isinstance(weights, Mapping):
        called = [names.of[root] for root in roots.tolist()]
        unknown = weights.keys() - set(called)
        if unknown:
            first = next(name for name in weights if name in unknown)
            raise ValueError(f"root_weights: {first!r} is not in the graph")
        prices = as_scores([weights.get(name, 0) for name in called], "root_weights")
    else:
        prices = as_scores(weights, "root_weights")
        if prices.ndim != 0:
            raise ValueError("root_weights is a number, or a dict with one for each name")
        prices = np.full(len(roots), prices)
    if np.isnan(prices).any() or np.isposinf(prices).any():
        raise ValueError("root_weights are finite, or -inf for what is no root")
    whole = prices.dtype.kind == "i" or not prices.any()
    return prices.astype(like.dtype) if whole else prices


def _listed(trees: Any) -> Any:
    """One tree is a list of one."""
    return [trees] if isinstance(trees, Tree) else trees


@dataclass(slots=True)
class Source:
    """What to decode: a matrix, or an edge list with perhaps the label of every edge."""

    graph: Array | AnyGraph
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
            scores = Multigraph(
                scores.sources,
                scores.targets,
                tempered,
                nodes=scores.nodes,
                directed=scores.directed,
            )
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
