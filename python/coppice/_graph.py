"""Graphs that are not a matrix: edge lists, and matrices whose arcs have labels."""

from __future__ import annotations

from dataclasses import dataclass

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
    head_first,
)
from coppice._temperature import Temperature, divided


class Multigraph:
    """A directed graph as arrays of edges. Node 0 is the root.

    Parallel edges are different choices, so a tree also says which edge it took: `Tree.edges`.
    Weights are finite, or minus infinity for a missing edge; integer weights are exact.

    >>> graph = Multigraph([0, 1, 0], [1, 2, 2], [1.0, 5.0, 2.0])
    >>> graph
    <Multigraph: 3 nodes, 3 edges>
    """

    __slots__ = ("_graph", "sources", "targets", "weights")

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
        make = _core.Multigraph.of_integers if self.integers else _core.Multigraph.of_floats
        self._graph = make(nodes, self.sources, self.targets, self.weights)

    def _ends(self) -> tuple[Int32Array, Int32Array]:
        return self.sources, self.targets

    @property
    def integers(self) -> bool:
        """Whether the weights are integers."""
        return bool(self.weights.dtype == np.int64)

    @property
    def nodes(self) -> int:
        """The number of nodes, the root counted in."""
        return self._graph.nodes

    def __len__(self) -> int:
        return len(self.weights)

    def __repr__(self) -> str:
        return f"<Multigraph: {self.nodes} nodes, {len(self)} edges>"


def as_labels(
    scores: ArrayInput,
    ids: ArrayInput | None,
    axes: Axes,
    shape: tuple[int, ...],
    temperature: Temperature,
) -> tuple[Array, Int32Array | None]:
    """Label scores (and ids), [..., head, dependent, choice], where arc scores have that shape."""
    first = len(shape) - 2
    label_scores = as_scores(scores, "label_scores")
    if label_scores.ndim != len(shape) + 1 or label_scores.shape[-1] < 1:
        raise ValueError(f"label_scores has shape {label_scores.shape}; need {[*shape, 'choices']}")
    label_scores = divided(label_scores, temperature.labels)
    label_scores = head_first(label_scores, axes, first).astype(np.float32, copy=False)
    if label_scores.shape[:-1] != shape:
        raise ValueError(f"label_scores has shape {label_scores.shape}; need {[*shape, 'choices']}")
    if ids is None:
        return label_scores, None
    label_ids = as_array(ids, "label_ids")
    if label_ids.dtype.kind not in "iu":
        raise TypeError(f"label_ids has dtype {label_ids.dtype}; need integers")
    if label_ids.size and (label_ids.min() < -(2**31) or label_ids.max() >= 2**31):
        raise ValueError("label_ids has numbers that int32 cannot hold")
    label_ids = head_first(label_ids, axes, first).astype(np.int32, copy=False)
    if label_ids.shape != label_scores.shape:
        raise ValueError(
            f"label_ids has shape {label_ids.shape}; label_scores {label_scores.shape}"
        )
    return label_scores, label_ids


@dataclass(frozen=True, slots=True)
class Source:
    """What to decode: a matrix, or an edge list with perhaps the label of every edge."""

    graph: Array | _core.Multigraph
    words: int
    integers: bool
    edge_labels: Int32Array | None = None
    with_edges: bool = False


def as_source(
    scores: ArrayInput | Multigraph,
    axes: Axes,
    label_scores: ArrayInput | None,
    label_ids: ArrayInput | None,
    temperature: Temperature,
) -> Source:
    """Whatever the caller gave."""
    if isinstance(scores, Multigraph):
        if label_scores is not None or label_ids is not None:
            raise ValueError("label_scores go with a matrix; an edge of a Multigraph is a choice")
        if temperature.arcs != 1.0:
            cooled = divided(scores.weights, temperature.arcs)
            scores = Multigraph(scores.sources, scores.targets, cooled, nodes=scores.nodes)
        return Source(scores._graph, scores.nodes - 1, scores.integers, with_edges=True)
    matrix = divided(as_matrix(scores, axes), temperature.arcs)
    words = matrix.shape[0] - 1
    if label_scores is None:
        if label_ids is not None:
            raise ValueError("label_ids without label_scores")
        return Source(matrix, words, bool(matrix.dtype == np.int64))
    graph, edge_labels = _core.label_arcs(
        matrix, *as_labels(label_scores, label_ids, axes, matrix.shape, temperature)
    )
    return Source(graph, words, False, edge_labels)
