"""One graph: the best tree, the K best, a stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from coppice import _core
from coppice._arrays import ArrayInput, Axes, Float64Array, Int32Array
from coppice._graph import Multigraph, Source, as_source
from coppice._results import Confidence, KBestResult, Tree
from coppice._temperature import AnyTemperature, as_temperature
from coppice._which import Arcs, RootRule, make_how_many, make_which
from coppice.rules import AnyRule, Facts, Judge, as_rules, facts_to_core, to_core


def solve(
    source: Source,
    which: _core.Which,
    how_many: _core.HowMany,
    facts: _core.Facts | None = None,
) -> KBestResult:
    """What `kbest` does once all is understood."""
    return solve_edges(source, which, how_many, facts)[0]


def solve_edges(
    source: Source,
    which: _core.Which,
    how_many: _core.HowMany,
    facts: _core.Facts | None = None,
) -> tuple[KBestResult, Int32Array | None]:
    """The same, with the edges of the trees also where edges stand for labels."""
    solved: tuple[Int32Array, Any, Int32Array | None, float | None]
    if isinstance(source.graph, np.ndarray):
        solved = _core.kbest(source.graph, which, how_many, facts)
    else:
        solved = _core.kbest_edges(source.graph, which, how_many, facts)
    heads, scores, edges, bound = solved
    result = KBestResult(
        heads,
        # numpy has two names for 64 bits; this one is its default.
        scores.view(np.int64) if source.integers else scores,
        labels=_labels(source, edges),
        edges=edges if source.with_edges else None,
    )
    result.bound = bound
    return result, edges


def judge(
    source: Source,
    which: _core.Which,
    result: KBestResult,
    edges: Int32Array | None,
    *,
    minimize: bool,
) -> Confidence:
    """How sure the trees are."""
    check_objective(minimize)
    if isinstance(source.graph, np.ndarray):
        found = _core.confidence(source.graph, which, result.heads)
    else:
        assert edges is not None
        found = _core.confidence_edges(source.graph, which, source.edge_labels, result.heads, edges)
    probabilities, heads, labels, other_heads, others = found
    has_labels = source.edge_labels is not None or source.with_edges
    return Confidence(probabilities, heads, labels if has_labels else None, other_heads, others)


def check_objective(minimize: bool) -> None:
    """Probabilities are of scores, not of costs."""
    if minimize:
        raise ValueError("confidence takes scores for log-potentials: it does not go with minimize")


def add_rules(
    which: _core.Which,
    rules: Iterable[AnyRule],
    source: Source,
    facts: Facts | None,
    owner: list[Judge] | None = None,
) -> _core.Facts | None:
    """The rules join `which`; what they need to know is returned."""
    for rule in as_rules(rules):
        which.add_rule(to_core(rule, source.edge_labels, owner))
    return None if facts is None else facts_to_core(facts, source.edge_labels)


def _labels(source: Source, edges: Int32Array | None) -> Int32Array | None:
    return None if source.edge_labels is None else source.edge_labels[edges]


def best(
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
    minimize: bool = False,
    rules: Iterable[AnyRule] = (),
    facts: Facts | None = None,
    temperature: AnyTemperature | None = None,
) -> Tree | None:
    """The best tree, or None where there is none.

    Arguments as for `kbest`, but for ``budget``: whether a search was given up is told by a list.

    >>> import coppice
    >>> coppice.best([[0, 9, 10], [0, 0, 20], [0, 30, 0]], root="single").heads
    array([2, 0], dtype=int32)
    """
    which = make_which(
        root,
        graph=scores,
        minimize=minimize,
        required=required,
        forbidden=forbidden,
        required_edges=required_edges,
        forbidden_edges=forbidden_edges,
    )
    source = as_source(scores, axes, label_scores, label_ids, as_temperature(temperature))
    known = add_rules(which, rules, source, facts)
    result = solve(source, which, make_how_many(1), known)
    return result[0] if len(result) else None


def max_marginals(
    scores: ArrayInput | Multigraph,
    *,
    root: RootRule,
    axes: Axes = "head,dep",
    required: Arcs | None = None,
    forbidden: Arcs | None = None,
    required_edges: Iterable[int] | None = None,
    forbidden_edges: Iterable[int] | None = None,
    minimize: bool = False,
    temperature: AnyTemperature | None = None,
) -> Float64Array:
    """For every arc the score of the best tree that has it: what insisting on the arc would cost.

    Arguments as for `kbest`. An array like the scores; of a `Multigraph` one score for each edge.
    Minus infinity (with `minimize` plus infinity) where no tree has the arc.

    >>> import coppice
    >>> coppice.max_marginals([[0, 9, 10], [0, 0, 20], [0, 30, 0]], root="single")
    array([[-inf,  29.,  40.],
           [-inf, -inf,  29.],
           [-inf,  40., -inf]])
    """
    source = as_source(scores, axes, None, None, as_temperature(temperature))
    which = make_which(
        root,
        graph=scores,
        minimize=minimize,
        required=required,
        forbidden=forbidden,
        required_edges=required_edges,
        forbidden_edges=forbidden_edges,
    )
    found = _core.max_marginals(source.graph, which)
    return found.T if axes == "dep,head" and found.ndim == 2 else found


def kbest(
    scores: ArrayInput | Multigraph,
    k: int | None = None,
    *,
    root: RootRule,
    axes: Axes = "head,dep",
    max_gap: float | None = None,
    required: Arcs | None = None,
    forbidden: Arcs | None = None,
    required_edges: Iterable[int] | None = None,
    forbidden_edges: Iterable[int] | None = None,
    label_scores: ArrayInput | None = None,
    label_ids: ArrayInput | None = None,
    minimize: bool = False,
    rules: Iterable[AnyRule] = (),
    facts: Facts | None = None,
    budget: int | None = None,
    temperature: AnyTemperature | None = None,
    confidence: bool = False,
) -> KBestResult:
    """The `k` best trees of a graph, exactly and in order; fewer where there are fewer.

    Parameters
    ----------
    scores
        A matrix [words + 1, words + 1]; node 0 is the root. Scores are finite, or minus infinity
        for an edge that does not exist. What edges into the root and the diagonal hold does not
        matter. float32, float64 and int64 are read in place, float16 and other integers converted;
        integers are exact. A torch tensor on another device is moved to the CPU once. Or a
        `Multigraph`.
    k
        How many trees. May be left out where `max_gap` is given.
    root
        ``"single"``: exactly one word hangs from the root, as in dependency trees. ``"any"``: one
        or more. There is no default, since both are common and mixing them up goes unnoticed.
    axes
        ``"head,dep"``: ``scores[head, dependent]``. ``"dep,head"``: ``scores[dependent, head]``.
    max_gap
        Only trees whose score is within this distance of the best; 0 gives all co-optimal trees.
    required, forbidden
        (head, dependent) pairs that every tree must have, or must not.
    required_edges, forbidden_edges
        The same for single edges of a `Multigraph`, by their place in its arrays.
    label_scores
        Label scores [words + 1, words + 1, choices], the first two axes as `axes` says: then every
        (arc, label) is a choice with the sum of both scores, and `KBestResult.labels` has the
        labels. Kept as float32, integers too; a number that float32 cannot hold is an error.
    label_ids
        Which labels these are, of the same shape; without it choice c is label c.
    minimize
        Lowest scores first. Minus infinity still means a missing edge.
    rules
        Only trees that obey all of these: from `coppice.rules`, or functions.
    facts
        Names of labels and tags of words, for the rules that need them.
    budget
        With rules: about so many solves at most. Where they do not suffice, `KBestResult.complete`
        is false and no tree beyond those given is better than `KBestResult.bound`.
    temperature
        Scores are divided by it before anything else: a number, or what `calibrate` found.
    confidence
        Also how likely the trees are and their heads and labels: `KBestResult.probabilities`,
        `KBestResult.arc_confidence` and so on. Scores are then log-potentials.

    Raises
    ------
    ValueError
        For NaN, plus infinity, contradictory constraints, ..., naming the place. A graph without
        a tree is no error: the result is empty.
    """
    which = make_which(
        root,
        graph=scores,
        minimize=minimize,
        required=required,
        forbidden=forbidden,
        required_edges=required_edges,
        forbidden_edges=forbidden_edges,
    )
    source = as_source(scores, axes, label_scores, label_ids, as_temperature(temperature))
    known = add_rules(which, rules, source, facts)
    result, edges = solve_edges(source, which, make_how_many(k, max_gap, budget), known)
    if confidence:
        result._confidence = judge(source, which, result, edges, minimize=minimize)
    return result


def iter_kbest(
    scores: ArrayInput | Multigraph,
    k: int | None = None,
    *,
    root: RootRule,
    axes: Axes = "head,dep",
    max_gap: float | None = None,
    required: Arcs | None = None,
    forbidden: Arcs | None = None,
    required_edges: Iterable[int] | None = None,
    forbidden_edges: Iterable[int] | None = None,
    label_scores: ArrayInput | None = None,
    label_ids: ArrayInput | None = None,
    minimize: bool = False,
    rules: Iterable[AnyRule] = (),
    facts: Facts | None = None,
    budget: int | None = None,
    temperature: AnyTemperature | None = None,
) -> TreeStream:
    """The trees one by one from best to worst, each computed when it is asked for.

    Without `k` and `max_gap` until there is none left: take trees until one is good enough.
    Arguments as for `kbest`; the weights are copied at once, so the array may be changed later.
    Where a `budget` runs out, the trees end, and `TreeStream.complete` and `.bound` say so.
    """
    which = make_which(
        root,
        graph=scores,
        minimize=minimize,
        required=required,
        forbidden=forbidden,
        required_edges=required_edges,
        forbidden_edges=forbidden_edges,
    )
    source = as_source(scores, axes, label_scores, label_ids, as_temperature(temperature))
    functions: list[Judge] = []
    known = add_rules(which, rules, source, facts, functions)
    how_many = make_how_many(k, max_gap, budget)
    return TreeStream(source, _core.Stream(source.graph, which, how_many, known), functions)


class TreeStream(Iterator[Tree]):
    """The trees of `iter_kbest`."""

    __slots__ = ("_best_score", "_functions", "_source", "_stream")

    def __init__(self, source: Source, stream: _core.Stream, functions: list[Judge]) -> None:
        self._source = source
        self._stream = stream
        self._functions = functions  # the rules of the stream, which only refers to them
        self._best_score: float | None = None

    def __next__(self) -> Tree:
        found = self._stream.next()
        if found is None:
            raise StopIteration
        heads, score, edges = found
        if self._best_score is None:
            self._best_score = score
        kept = edges if self._source.with_edges else None
        gap = abs(score - self._best_score)
        return Tree(heads, score, gap, _labels(self._source, edges), kept)

    @property
    def bound(self) -> float | None:
        """Where the budget ran out: no tree beyond those given is better. Else None."""
        return self._stream.bound

    @property
    def complete(self) -> bool:
        """Whether the trees did not end for want of a budget."""
        return self.bound is None
