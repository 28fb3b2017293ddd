"""How sure is the parser? The distribution over all trees of a sentence."""

from __future__ import annotations

import math
import operator
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, overload

import numpy as np

from coppice import _core
from coppice._arrays import (
    Array,
    ArrayInput,
    Axes,
    Float64Array,
    Int32Array,
    as_array,
    as_count,
    as_matrix,
    as_threads,
)
from coppice._decode import add_rules, solve_edges
from coppice._graph import Multigraph, as_source
from coppice._phrases import counted
from coppice._results import KBestResult, RiskTree, Tree, same_values
from coppice._sentences import OnError, as_sentences, check_errors
from coppice._temperature import AnyTemperature, as_temperature
from coppice._which import Arcs, RootRule, make_how_many, make_which
from coppice.rules import AnyRule, Facts


class Samples(NamedTuple):
    """Trees in the order in which they were drawn; labels and edges as those of a `Tree`."""

    #: int32 [trees, words], as all three.
    heads: Int32Array
    labels: Int32Array | None
    edges: Int32Array | None

    def __eq__(self, other: object) -> bool:  # that of a tuple would compare arrays
        return isinstance(other, Samples) and same_values(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other


class AcceptedTrees(NamedTuple):
    """Samples that were accepted, and how many it took."""

    heads: Int32Array
    drawn: int
    labels: Int32Array | None = None
    edges: Int32Array | None = None

    @property
    def rate(self) -> float:
        """How likely a tree is to be accepted, as far as the samples tell."""
        return len(self.heads) / self.drawn if self.drawn else 0.0

    @property
    def standard_error(self) -> float:
        """Of the rate."""
        return math.sqrt(self.rate * (1.0 - self.rate) / self.drawn) if self.drawn else 1.0

    def __eq__(self, other: object) -> bool:  # that of a tuple would compare arrays
        return isinstance(other, AcceptedTrees) and same_values(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other


class LikelyTree(NamedTuple):
    """A tree, its probability, and that of all trees up to this one."""

    tree: Tree
    probability: float
    covered: float


def _as_seed(seed: int | None) -> int:
    """64 bits; without a seed those that the system gives."""
    if seed is None:
        return secrets.randbits(64)
    try:
        return operator.index(seed) % 2**64
    except TypeError:
        raise TypeError(f"seed is {seed!r}; must be an integer, or None for any") from None


def _as_list(tree: Tree | RiskTree) -> KBestResult:
    """One tree as a list of one."""
    labels, edges = (None if each is None else each[None] for each in (tree.labels, tree.edges))
    return KBestResult(tree.heads[None], np.array([tree.score]), labels=labels, edges=edges)


def _rows(heads: ArrayInput | KBestResult, n: int) -> tuple[Int32Array, bool]:
    """Heads as [trees, words], and whether there was one tree only."""
    array = heads.heads if isinstance(heads, KBestResult) else as_array(heads, "heads")
    if array.dtype.kind not in "iu" or array.ndim not in (1, 2) or array.shape[-1] != n:
        raise ValueError(
            f"heads is {array.dtype}{array.shape}; need a head for each of {counted(n, 'word')}"
        )
    rows = np.atleast_2d(array)
    wide = np.argwhere((rows < 0) | (rows > n))
    if len(wide):
        tree, word = wide[0]
        raise ValueError(f"head of {word + 1} is {rows[tree, word]}, not a node 0..{n}")
    return np.ascontiguousarray(rows, np.int32), array.ndim == 1


class TreeDistribution:
    """The probability of a tree is proportional to exp(its score), over all trees of the graph.

    Scores are log-potentials: those of a locally normalised parser need not, those of a globally
    normalised one must be its logits. A graph without a tree is no error: `log_partition` is minus
    infinity, there is nothing to sample, and so on.

    Parameters
    ----------
    scores, root, axes, required, forbidden, required_edges, forbidden_edges
        As for `kbest`: "all trees" are those that these allow. The scores are copied; what takes
        longer than `log_partition` is computed when first asked for, and is a method.
    label_scores, label_ids
        As for `kbest`. The labels of an arc, and parallel edges of a `Multigraph`, are one arc, as
        likely as all of them together; `label_marginals` and `edge_marginals`, `samples` and
        ``min_risk(labelled=True)`` tell them apart.
    temperature
        As for `kbest`.
    """

    def __init__(
        self,
        scores: ArrayInput | Multigraph,
        *,
        root: RootRule,
        axes: Axes = "head,dep",
        required: Arcs | None = None,
        forbidden: Arcs | None = None,
        required_edges: Iterable[int] | None = None,
        forbidden_edges: Iterable[int] | None = None,
        label_scores: ArrayInput | None = None,
        label_ids: ArrayInput | None = None,
        temperature: AnyTemperature | None = None,
    ) -> None:
        source = as_source(scores, axes, label_scores, label_ids, as_temperature(temperature))
        if isinstance(source.graph, np.ndarray):
            source = replace(source, graph=source.graph.copy())
        self._source = source
        self._which = make_which(
            root,
            graph=scores,
            required=required,
            forbidden=forbidden,
            required_edges=required_edges,
            forbidden_edges=forbidden_edges,
        )
        any_root = isinstance(scores, Multigraph) and scores.any_root
        self._root: RootRule = "single" if any_root else root
        self._axes = axes
        self._core = _core.TreeDistribution(source.graph, self._which)

    @property
    def n(self) -> int:
        """The number of words, the root not counted."""
        return self._source.words

    @property
    def log_partition(self) -> float:
        """Log of the sum of exp(score) over all trees."""
        return self._core.log_partition()

    def entropy(self) -> float:
        """In nats; 0 where one tree has all the mass."""
        return self._core.entropy()

    def marginals(self) -> Float64Array:
        """The probability of every arc, [words + 1, words + 1], with the axes of the scores."""
        marginals = self._core.marginals()
        return marginals if self._axes == "head,dep" else marginals.T

    @overload
    def log_prob(self, heads: KBestResult) -> Float64Array: ...
    @overload
    def log_prob(self, heads: Tree | RiskTree) -> float: ...
    @overload
    def log_prob(self, heads: ArrayInput) -> float | Float64Array: ...
    def log_prob(self, heads: ArrayInput | KBestResult | Tree | RiskTree) -> float | Float64Array:
        """Of one tree [words], or of many [trees, words]; minus infinity for what is no tree.

        Of a `KBestResult` or a `Tree` with its labels, or edges, where it has them.
        """
        if isinstance(heads, (Tree, RiskTree)):
            return float(self.log_prob(_as_list(heads))[0])
        rows, one = _rows(heads, self.n)
        values = self._core.log_prob(rows, None)
        if isinstance(heads, KBestResult):
            edges = heads.edges
            if heads.labels is not None and self._source.edge_labels is not None:
                edges = self._edges_of(rows, heads.labels)
                values[(edges < 0).any(axis=1)] = -np.inf
            if edges is not None:
                trees = values > -np.inf
                values[trees] = self._core.log_prob(rows[trees], np.ascontiguousarray(edges[trees]))
        return float(values[0]) if one else values

    def _edges_of(self, heads: Int32Array, labels: Int32Array) -> Int32Array:
        """The edges that have these labels, [trees, words]; -1 where there is none."""
        all_labels, graph = self._source.edge_labels, self._source.graph
        assert all_labels is not None
        assert not isinstance(graph, np.ndarray)

        def keys(head: Int32Array, dependent: Int32Array, label: Int32Array) -> Array:
            return ((head.astype(np.int64) * (self.n + 1) + dependent) << 32) + label

        sources, targets = graph.endpoints()
        of_edges = keys(sources, targets, all_labels)
        order = np.argsort(of_edges)
        twice = np.flatnonzero(np.diff(of_edges[order]) == 0)
        if len(twice):
            edge = order[twice[0]]
            raise ValueError(
                f"arc {sources[edge]} -> {targets[edge]} has several choices of label "
                f"{all_labels[edge]}"
            )
        wanted = keys(heads, np.arange(1, self.n + 1, dtype=np.int32), labels)
        place = np.searchsorted(of_edges, wanted, sorter=order)
        edges = np.append(order, -1)[place].astype(np.int32)
        edges[np.append(of_edges, -1)[edges] != wanted] = -1
        return edges

    @overload
    def expected_correct(self, heads: KBestResult) -> Float64Array: ...
    @overload
    def expected_correct(self, heads: Tree | RiskTree) -> float: ...
    @overload
    def expected_correct(self, heads: ArrayInput) -> float | Float64Array: ...
    def expected_correct(
        self, heads: ArrayInput | KBestResult | Tree | RiskTree
    ) -> float | Float64Array:
        """How many heads are right, if the truth is drawn from the distribution."""
        if isinstance(heads, (Tree, RiskTree)):
            return float(self.expected_correct(_as_list(heads))[0])
        rows, one = _rows(heads, self.n)
        values = self._core.expected_correct(rows)
        return float(values[0]) if one else values

    def min_risk(self, *, labelled: bool = False) -> RiskTree | None:
        """The tree of which most words are expected to be right, or None where there is no tree.

        A word is right if its head is or, if `labelled`, its head and its label (its edge, of a
        `Multigraph`).
        """
        found = self._core.min_risk(bool(labelled))
        if found is None:
            return None
        heads, edges, score, expected = found
        return RiskTree(heads, score, expected, *self._labels_and_edges(edges))

    def edge_marginals(self) -> Float64Array:
        """The probability of every edge of a `Multigraph`, [edges]."""
        if not self._source.with_edges:
            raise ValueError("edge_marginals are of a Multigraph")
        return self._core.edge_marginals()

    def label_marginals(self) -> Float64Array:
        """The probability of every arc with every label, [words + 1, words + 1, labels].

        With the axes of the scores; only where label scores were given.
        """
        labels, graph = self._source.edge_labels, self._source.graph
        if labels is None or isinstance(graph, np.ndarray):
            raise ValueError("label_marginals without label_scores")
        result = np.zeros((self.n + 1, self.n + 1, int(labels.max(initial=-1)) + 1))
        sources, targets = graph.endpoints()
        np.add.at(result, (sources, targets, labels), self._core.edge_marginals())
        return result if self._axes == "head,dep" else result.swapaxes(0, 1)

    def _labels_and_edges(
        self, edges: Int32Array | None
    ) -> tuple[Int32Array | None, Int32Array | None]:
        labels = self._source.edge_labels
        if labels is not None and edges is not None:
            return labels[edges], None
        return None, edges

    def renyi_entropy(self, order: float) -> float:
        """Of order 0 (log of the number of trees), 1 (`entropy`), any other one, or infinity."""
        return self._core.renyi_entropy(float(order))

    def cross_entropy(self, other: TreeDistribution) -> float:
        """The mean of -log probability under `other` of trees drawn from this distribution."""
        return self._core.cross_entropy(other._core)

    def kl(self, other: TreeDistribution) -> float:
        """The divergence from `other`; infinite where a tree of this one is none of the other."""
        return self._core.kl(other._core)

    def expectation(self, values: ArrayInput) -> float:
        """The mean of a function that is a sum over arcs, given as an array like `marginals`."""
        return self._core.expectation(self._values(values))

    def variance(self, values: ArrayInput) -> float:
        """Of such a function."""
        return max(0.0, self.covariance(values, values))

    def covariance(self, values: ArrayInput, others: ArrayInput) -> float:
        """Of two such functions."""
        return self._core.covariance(self._values(values), self._values(others))

    def covariances(self, values: ArrayInput) -> Float64Array:
        """Of such a function with every arc: the gradient of `expectation` in the scores.

        With 1 for the arcs of a tree and 0 elsewhere, that of `expected_correct`.
        """
        found = self._core.covariances(self._values(values))
        return found if self._axes == "head,dep" else found.T

    def _values(self, values: ArrayInput) -> Float64Array:
        array = as_matrix(values, self._axes)
        need = (self.n + 1, self.n + 1)
        if array.shape != need:
            raise ValueError(f"values has shape {array.shape}; need {need}")
        return np.ascontiguousarray(array, np.float64)

    def sample_where(
        self,
        accept: Callable[[Int32Array], bool],
        count: int,
        *,
        seed: int | None,
        draws: int = 100_000,
    ) -> AcceptedTrees:
        """Samples among the trees that `accept` accepts, by rejection.

        Draws until there are `count` of them or `draws` were made. Accepted / drawn estimates the
        probability that a tree is accepted; its standard error comes with it.
        """
        accepted: list[Int32Array] = []
        wanted, limit = as_count(count, "count", 0), as_count(draws, "draws", 0)
        drawn, batch, seed = 0, 64, _as_seed(seed)
        while len(accepted) < wanted and drawn < limit:
            # Fewer samples are a prefix of more.
            trees = self.sample(min(limit, drawn + batch), seed=seed)[drawn:]
            if not len(trees):
                break
            for heads in trees:
                drawn += 1
                if accept(heads):
                    accepted.append(heads)
                    if len(accepted) == wanted:
                        break
            batch *= 2
        heads = np.array(accepted, np.int32).reshape(len(accepted), self.n)
        return AcceptedTrees(heads, drawn)

    def sample_legal(
        self,
        rules: Iterable[AnyRule],
        count: int | None = None,
        *,
        seed: int | None,
        draws: int = 10_000,
        facts: Facts | None = None,
    ) -> AcceptedTrees:
        """Samples among the trees that obey all rules (`coppice.rules`), by rejection.

        Draws until there are `count` of them or `draws` were made; without `count` all `draws`. The
        rate of what is returned estimates the probability that a tree is legal. `facts` is what
        rules need to know of the sentence, as for `kbest`.
        """
        legal = make_which(self._root)
        known = add_rules(legal, rules, self._source, facts)
        limit = as_count(draws, "draws", 0)
        heads, edges, drawn = self._core.sample_legal(
            self._source.graph,
            known,
            legal,
            limit if count is None else as_count(count, "count", 0),
            limit,
            _as_seed(seed),
        )
        return AcceptedTrees(heads, drawn, *self._labels_and_edges(edges))

    def _draw(
        self, count: int, seed: int | None, distinct: bool, with_edges: bool
    ) -> tuple[Int32Array, Int32Array | None]:
        return self._core.sample(
            as_count(count, "count", 0), _as_seed(seed), bool(distinct), with_edges
        )

    def sample(self, count: int, *, seed: int | None, distinct: bool = False) -> Int32Array:
        """Heads of trees drawn from the distribution, exactly, [count, words].

        The same seed gives the same trees, None different ones each time. With `distinct` each is
        drawn from what the earlier ones left, and there are fewer than `count` where the graph has
        fewer trees.
        """
        return self._draw(count, seed, distinct, with_edges=False)[0]

    def samples(self, count: int, *, seed: int | None, distinct: bool = False) -> Samples:
        """The trees of `sample` with their labels, or with their edges of a `Multigraph`.

        With `distinct` they differ in their heads.
        """
        with_edges = not isinstance(self._source.graph, np.ndarray)
        heads, edges = self._draw(count, seed, distinct, with_edges)
        return Samples(heads, *self._labels_and_edges(edges))

    def kbest(self, k: int) -> tuple[KBestResult, Float64Array]:
        """The K best trees and their probabilities; the sum is the mass that they cover."""
        result, edges = solve_edges(self._source, self._which, make_how_many(k))
        return result, np.exp(self._core.log_prob(result.heads, edges))

    def most_likely(self, mass: float) -> Iterator[LikelyTree]:
        """The best trees one by one, until together they cover this much, such as 0.95."""
        return self._likely(_core.Mass(self._source.graph, self._which, float(mass)))

    def _likely(self, stream: _core.Mass) -> Iterator[LikelyTree]:
        best_score = None
        while (found := stream.next()) is not None:
            heads, edges, score, probability, covered = found
            best_score = score if best_score is None else best_score
            tree = Tree(heads, score, best_score - score, *self._labels_and_edges(edges))
            yield LikelyTree(tree, probability, covered)

    def __repr__(self) -> str:
        return (
            f"<TreeDistribution: {counted(self.n, 'word')}, root={self._root!r}, "
            f"log_partition {self.log_partition:g}>"
        )


def _list_arrays(result: KBestResult) -> tuple[Int32Array, Float64Array]:
    heads = np.ascontiguousarray(result.heads)
    return heads, np.ascontiguousarray(result.scores, np.float64)


def list_probabilities(result: KBestResult) -> Float64Array:
    """The probability of each tree if the list were all there is: the softmax of the scores."""
    return _core.list_probabilities(*_list_arrays(result))


def expected_attachment(result: KBestResult) -> Float64Array:
    """For each tree how many heads it is expected to share with one drawn from the list.

    The tree of the largest is the minimum-risk choice within the list.
    """
    return _core.expected_attachment(*_list_arrays(result))


class DistributionBatch(NamedTuple):
    """What `distribution_batch` returns."""

    #: float64 [sentences].
    log_partition: Float64Array
    #: float64 [sentences].
    entropy: Float64Array
    #: float64 [sentences, most words + 1, most words + 1], 0 where there is no word.
    marginals: Float64Array
    #: Sentence -> the exception that says what is wrong with it; empty if all is well.
    errors: Mapping[int, Exception]


def distribution_batch(
    scores: ArrayInput | Sequence[ArrayInput],
    *,
    root: RootRule,
    lengths: ArrayInput | None = None,
    axes: Axes = "head,dep",
    threads: int = 1,
    marginals: bool = True,
    temperature: AnyTemperature | None = None,
    on_error: OnError = "raise",
) -> DistributionBatch:
    """log_partition, entropy and marginals of many sentences; arguments as for `kbest_batch`.

    Without `marginals` there is `log_partition` alone: entropy is 0, the marginals are empty.
    """
    sentences = as_sentences(scores, lengths, axes, on_error, as_temperature(temperature))
    count, nodes = len(sentences.lengths), sentences.width + 1
    log_partition, entropy = np.zeros(count), np.zeros(count)
    arcs: Array = np.zeros((count, nodes, nodes) if marginals else (0, 0, 0))
    errors = _core.distribution_batch(
        sentences.to_core(),
        make_which(root),
        as_threads(threads),
        log_partition,
        entropy,
        arcs if marginals else None,
    )
    check_errors(errors, on_error)
    if axes == "dep,head":
        arcs = arcs.swapaxes(1, 2)
    return DistributionBatch(log_partition, entropy, arcs, errors)
