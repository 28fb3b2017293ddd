"""How sure is the parser? The distribution over all trees of a sentence."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
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
    as_seed,
    as_threads,
)
from coppice._decode import judge, solve
from coppice._graph import Multigraph, Source, as_source, edges_with_labels
from coppice._labels import AnyLabels
from coppice._phrases import counted
from coppice._problem import (
    NONE,
    Arcs,
    Constraints,
    RootRule,
    as_constraints,
    make_facts,
    make_problem,
    make_request,
    refuse,
)
from coppice._results import KBestResult, Tree, same_values
from coppice._sentences import OnError, as_sentences, check_errors
from coppice._temperature import AnyTemperature, as_temperature


class Samples(NamedTuple):
    """Trees in the order in which they were drawn; labels and edges as those of a `Tree`.

    >>> import coppice
    >>> sure = coppice.TreeDistribution([[0, 9, 10], [0, 0, 20], [0, 30, 0]], root="single")
    >>> sure.sample(2, seed=1).heads.tolist()
    [[2, 0], [2, 0]]
    """

    #: int32 [trees, words], as labels and edges.
    heads: Int32Array
    #: How many trees were drawn: more than there are where rules refused some.
    drawn: int
    labels: Int32Array | None = None
    edges: Int32Array | None = None

    @property
    def rate(self) -> float:
        """How likely a tree is to obey the rules, as far as the samples tell."""
        return len(self.heads) / self.drawn if self.drawn else 0.0

    @property
    def standard_error(self) -> float:
        """Of the rate."""
        return math.sqrt(self.rate * (1.0 - self.rate) / self.drawn) if self.drawn else 1.0

    def __eq__(self, other: object) -> bool:  # that of a tuple would compare arrays
        return isinstance(other, Samples) and same_values(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other


def _as_list(tree: Tree) -> KBestResult:
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
    infinity, there is nothing to sample, and so on. A distribution can be pickled.

    Parameters
    ----------
    scores, root, axes, constraints
        As for `kbest`, but no rules: "all trees" are those that these allow. The scores are copied;
        what takes longer than `log_partition` is computed when first asked for, and is a method.
    labels
        As for `kbest`. The labels of an arc, and parallel edges of a `Multigraph`, are one arc, as
        likely as all of them together; `label_marginals`, `edge_marginals`, `sample` and
        ``labelled=True`` tell them apart.
    temperature
        Scores are divided by it before anything else: a number, or what `Temperature.calibrate`
        found.

    Examples
    --------
    >>> import coppice
    >>> sure = coppice.TreeDistribution([[0, 1, 0], [0, 0, 2], [0, 0, 0]], root="single")
    >>> sure.marginals().round(3)
    array([[0.   , 0.953, 0.047],
           [0.   , 0.   , 0.953],
           [0.   , 0.047, 0.   ]])
    """

    __slots__ = ("_axes", "_constraints", "_core", "_problem", "_root", "_source")

    def __init__(
        self,
        scores: ArrayInput | Multigraph,
        *,
        root: RootRule,
        axes: Axes = "head,dep",
        labels: AnyLabels | None = None,
        constraints: Constraints | None = None,
        temperature: AnyTemperature | None = None,
    ) -> None:
        source = as_source(scores, axes, labels, as_temperature(temperature))
        if isinstance(source.graph, np.ndarray):
            source = replace(source, graph=source.graph.copy())
        wanted = as_constraints(constraints)
        refuse(wanted, "TreeDistribution", "rules")
        self.__setstate__((source, root, axes, wanted))

    def __getstate__(self) -> tuple[Source, RootRule, Axes, Constraints]:
        return self._source, self._root, self._axes, self._constraints

    def __setstate__(self, state: tuple[Source, RootRule, Axes, Constraints]) -> None:
        self._source, self._root, self._axes, self._constraints = state
        self._problem = make_problem(self._root, self._source, self._constraints)
        graph = self._source.graph
        if isinstance(graph, _core.UndirectedGraph):
            self._core: _core.TreeDistribution | _core.SpanningTreeDistribution
            self._core = _core.SpanningTreeDistribution(graph, self._problem)
        else:
            self._core = _core.TreeDistribution(graph, self._problem)

    def _of_arcs(self, what: str) -> _core.TreeDistribution:
        """For what is about arcs, which undirected graphs do not have."""
        if isinstance(self._core, _core.SpanningTreeDistribution):
            raise ValueError(f"{what} is of directed graphs; edge_marginals() of undirected ones")
        return self._core

    @property
    def n(self) -> int:
        """The number of words, the root not counted."""
        return self._source.words

    @property
    def log_partition(self) -> float:
        """Log of the sum of exp(score) over all trees."""
        return self._core.log_partition()

    def given(self, constraints: Constraints) -> TreeDistribution:
        """The distribution over the trees that obey more constraints: have some arcs, lack others.

        So ``sure.given(Constraints(required=[(2, 1)])).marginals()`` are the probabilities of all
        arcs once the head of word 1 is known to be 2. Arcs that exclude each other raise a
        ValueError.
        """
        more = as_constraints(constraints)
        refuse(more, "given", "rules")
        own = self._constraints
        known = Constraints(
            required=(*own.required, *more.required),
            forbidden=(*own.forbidden, *more.forbidden),
            required_edges=(*own.required_edges, *more.required_edges),
            forbidden_edges=(*own.forbidden_edges, *more.forbidden_edges),
        )
        result = object.__new__(TreeDistribution)
        result.__setstate__((self._source, self._root, self._axes, known))
        return result

    def joint(self, arcs: Arcs) -> float:
        """The probability that a tree has all of these arcs, (head, dependent) pairs."""
        wanted = Constraints(required=arcs)
        if self.log_partition == -math.inf:
            return 0.0
        joint, left = 1.0, self  # one after the other: masks leave no digits to a difference
        try:
            for arc in wanted.required:
                known = left.given(Constraints(required=(arc,)))
                if isinstance(left._core, _core.SpanningTreeDistribution):
                    joint *= math.exp(known.log_partition - left.log_partition)
                else:
                    joint *= float(left._core.marginals()[arc])
                if joint == 0.0:
                    return 0.0
                left = known
        except ValueError:
            alone = TreeDistribution.__new__(TreeDistribution)  # is each of the arcs one at all?
            for arc in wanted.required:
                only = Constraints(required=(arc,))
                alone.__setstate__((self._source, "any", self._axes, only))
            return 0.0  # they exclude each other
        return min(1.0, joint)

    def entropy(self) -> float:
        """In nats; 0 where one tree has all the mass."""
        return self._core.entropy()

    def marginals(self) -> Float64Array:
        """The probability of every arc, [words + 1, words + 1], with the axes of the scores."""
        marginals = self._of_arcs("marginals").marginals()
        return marginals if self._axes == "head,dep" else marginals.T

    @overload
    def log_prob(self, heads: KBestResult) -> Float64Array: ...
    @overload
    def log_prob(self, heads: Tree) -> float: ...
    @overload
    def log_prob(self, heads: ArrayInput) -> float | Float64Array: ...
    def log_prob(self, heads: ArrayInput | KBestResult | Tree) -> float | Float64Array:
        """Of one tree [words], or of many [trees, words]; minus infinity for what is no tree.

        Of a `KBestResult` or a `Tree` with its labels, or edges, where it has them.
        """
        if isinstance(heads, Tree):
            return float(self.log_prob(_as_list(heads))[0])
        rows, one = _rows(heads, self.n)
        values = self._core.log_prob(rows, None)
        edges = self._edges_of_result(rows, heads)
        if edges is not None:
            values[(edges < 0).any(axis=1)] = -np.inf
            trees = values > -np.inf
            values[trees] = self._core.log_prob(rows[trees], np.ascontiguousarray(edges[trees]))
        return float(values[0]) if one else values

    def _edges_of_result(self, rows: Int32Array, heads: object) -> Int32Array | None:
        """The edges that the trees of a result took, where it says labels or edges."""
        if not isinstance(heads, KBestResult):
            return None
        if heads.labels is not None and self._source.edge_labels is not None:
            return edges_with_labels(self._source, rows, heads.labels)
        return heads.edges

    @overload
    def expected_correct(self, heads: KBestResult, *, labelled: bool = ...) -> Float64Array: ...
    @overload
    def expected_correct(self, heads: Tree, *, labelled: bool = ...) -> float: ...
    @overload
    def expected_correct(
        self, heads: ArrayInput, *, labelled: bool = ...
    ) -> float | Float64Array: ...
    def expected_correct(
        self, heads: ArrayInput | KBestResult | Tree, *, labelled: bool = False
    ) -> float | Float64Array:
        """How many words are right, if the truth is drawn from the distribution.

        A word is right if its head is or, if `labelled`, its head and its label (its edge, of a
        `Multigraph`): of a `KBestResult` or a `Tree`, which have them.
        """
        if isinstance(heads, Tree):
            return float(self.expected_correct(_as_list(heads), labelled=labelled)[0])
        rows, one = _rows(heads, self.n)
        if labelled or isinstance(self._core, _core.SpanningTreeDistribution):
            edges = self._edges_of_result(rows, heads)
            if edges is None:
                raise ValueError("what is labelled is right where trees have labels or edges")
            likely = np.append(self._core.edge_marginals(), 0.0)  # of edge -1, which is none
            return np.asarray(likely[edges].sum(axis=1))
        values = self._core.expected_correct(rows)
        return float(values[0]) if one else values

    def min_risk(self, *, labelled: bool = False) -> Tree | None:
        """The tree of which most words are expected to be right, or None where there is no tree.

        What is right: see `expected_correct`, which says how many.
        """
        found = self._core.min_risk(bool(labelled))
        if found is None:
            return None
        heads, edges, score, _ = found
        best, _ = solve(self._source, self._problem, make_request(1))
        gap = max(0.0, float(best.scores[0]) - score)
        return Tree(heads, score, gap, *self._labels_and_edges(edges))

    def edge_marginals(self) -> Float64Array:
        """The probability of every edge of a `Multigraph`, [edges]."""
        if not self._source.with_edges:
            raise ValueError("edge_marginals are those of a Multigraph")
        return self._core.edge_marginals()

    def label_marginals(self) -> Float64Array:
        """The probability of every arc with every label, [words + 1, words + 1, labels].

        With the axes of the scores; only where labels were given.
        """
        labels, graph = self._source.edge_labels, self._source.graph
        if labels is None or isinstance(graph, np.ndarray):
            raise ValueError("label_marginals are those of labels=, which were not given")
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
        what = "cross_entropy"
        return self._of_arcs(what).cross_entropy(other._of_arcs(what))

    def kl(self, other: TreeDistribution) -> float:
        """The divergence from `other`; infinite where a tree of this one is none of the other."""
        return self._of_arcs("kl").kl(other._of_arcs("kl"))

    def expectation(self, values: ArrayInput) -> float:
        """The mean of a function that is a sum over arcs, given as an array like `marginals`."""
        return self._of_arcs("expectation").expectation(self._values(values))

    def variance(self, values: ArrayInput) -> float:
        """Of such a function."""
        return max(0.0, self.covariance(values, values))

    def covariance(self, values: ArrayInput, others: ArrayInput) -> float:
        """Of two such functions."""
        return self._of_arcs("covariance").covariance(self._values(values), self._values(others))

    def covariances(self, values: ArrayInput) -> Float64Array:
        """Of such a function with every arc: the gradient of `expectation` in the scores.

        With 1 for the arcs of a tree and 0 elsewhere, that of `expected_correct`.
        """
        found = self._of_arcs("covariances").covariances(self._values(values))
        return found if self._axes == "head,dep" else found.T

    def _values(self, values: ArrayInput) -> Float64Array:
        array = as_matrix(values, self._axes)
        need = (self.n + 1, self.n + 1)
        if array.shape != need:
            raise ValueError(f"values has shape {array.shape}; need {need}")
        return np.ascontiguousarray(array, np.float64)

    def sample(
        self,
        count: int | None = None,
        *,
        seed: int | None,
        distinct: bool = False,
        constraints: Constraints | None = None,
        draws: int = 10_000,
    ) -> Samples:
        """Trees drawn from the distribution, exactly, with their labels or edges.

        Parameters
        ----------
        count
            How many trees. With rules it may be left out: as many as `draws` give.
        seed
            The same seed gives the same trees, None different ones each time. Fewer samples are a
            prefix of more.
        distinct
            Each tree is drawn from what the earlier ones left: they differ in their heads, and
            there are fewer than `count` where the graph has fewer.
        constraints
            Only trees that obey these rules, by rejection; a rule may be any function of a tree.
            Draws until there are `count` of them or `draws` were made. `Samples.rate` estimates
            the probability that a tree is legal.
        draws
            With rules: at most so many.
        """
        wanted = as_constraints(constraints)
        if wanted.rules:
            if distinct:
                raise ValueError("distinct=True does not go with rules")
            return self._sample_legal(wanted, count, as_count(draws, "draws", 0), as_seed(seed))
        if wanted != NONE:
            raise ValueError("sample takes rules; other constraints are those of TreeDistribution")
        if count is None:
            raise ValueError("count is None; how many trees are wanted?")
        with_edges = not isinstance(self._source.graph, np.ndarray)
        count = as_count(count, "count", 0)
        heads, edges = self._core.sample(count, as_seed(seed), bool(distinct), with_edges)
        return Samples(heads, len(heads), *self._labels_and_edges(edges))

    def _sample_legal(
        self, wanted: Constraints, count: int | None, draws: int, seed: int
    ) -> Samples:
        others = ("required", "forbidden", "required_edges", "forbidden_edges")
        refuse(wanted, "sample", *others, "budget", "time_limit")
        source = self._source
        of_arcs = self._of_arcs("a sample with rules")
        graph = source.graph
        assert not isinstance(graph, _core.UndirectedGraph)
        heads, edges, drawn = of_arcs.sample_legal(
            graph,
            make_facts(wanted, source),
            make_problem(self._root, source, wanted),
            draws if count is None else as_count(count, "count", 0),
            draws,
            seed,
        )
        return Samples(heads, drawn, *self._labels_and_edges(edges))

    def kbest(self, k: int | None = None, *, mass: float | None = None) -> KBestResult:
        """The best trees with their probabilities, whose sum is what they cover.

        Parameters
        ----------
        k
            How many trees.
        mass
            The best trees until together they are this likely, such as 0.95; at most `k` of them.
            The probabilities are those of the distribution, and this is not coverage: with 0.9
            the right tree was there for 73 % of a thousand held-out sentences, after
            `Temperature.calibrate`
            for 86 %. Choose it on sentences whose trees are known.
        """
        if mass is not None:
            k = max(1, self._trees_of(float(mass), None if k is None else as_count(k, "k")))
        result, edges = solve(self._source, self._problem, make_request(k))
        result._probabilities = judge(self._source, self._problem, result, edges)
        return result

    def _trees_of(self, mass: float, most: int | None) -> int:
        """How many of the best trees together are this likely."""
        self._of_arcs("mass")
        graph = self._source.graph
        assert not isinstance(graph, _core.UndirectedGraph)
        stream = _core.Mass(graph, self._problem, mass)
        return sum(1 for _ in itertools.islice(iter(stream.next, None), most))

    def __repr__(self) -> str:
        return (
            f"<TreeDistribution: {counted(self.n, 'word')}, root={self._root!r}, "
            f"log_partition {self.log_partition:g}>"
        )


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
        make_problem(root),
        as_threads(threads),
        log_partition,
        entropy,
        arcs if marginals else None,
    )
    check_errors(errors, on_error)
    if axes == "dep,head":
        arcs = arcs.swapaxes(1, 2)
    return DistributionBatch(log_partition, entropy, arcs, errors)
