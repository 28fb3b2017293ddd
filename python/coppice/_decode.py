"""One graph: the best tree, the K best, a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from coppice import _core
from coppice._arrays import ArrayInput, Axes, Float64Array, Int32Array
from coppice._graph import Multigraph, Source, as_source
from coppice._labels import AnyLabels
from coppice._problem import (
    NONE,
    Constraints,
    RootRule,
    as_constraints,
    make_facts,
    make_problem,
    make_request,
    refuse,
)
from coppice._results import KBestResult, Notes, Probabilities, Tree
from coppice._temperature import NONE as NOTHING_DIVIDED
from coppice._temperature import Temperature, as_probabilities
from coppice._ties import exact_problem
from coppice.rules import Judge

#: Heads, scores, edges of a multigraph, and the bound with its gap where a budget was spent.
Solved: TypeAlias = "tuple[Int32Array, Any, Int32Array | None, tuple[float, float] | None]"


def solve(
    source: Source,
    problem: _core.Problem,
    request: _core.Request,
    constraints: Constraints = NONE,
) -> tuple[KBestResult, Int32Array | None]:
    """What `kbest` does once all is understood; and the edges of trees, which stand for labels."""
    solved: Solved
    facts = make_facts(constraints, source)
    if isinstance(source.graph, np.ndarray):
        solved = _core.kbest(source.graph, problem, request, facts)
    else:
        solved = _core.kbest_edges(source.graph, problem, request, facts)
    result, edges = to_result(source, solved)
    nothing = constraints.rules and not len(result) and result.complete
    if nothing and not isinstance(source.graph, _core.UndirectedGraph):
        names = [] if source.names is None else [repr(name) for name in source.names.of]
        why = _core.why_none_legal(source.graph, problem, facts, names)
        result._error = f"no tree: {why}" if why else ""
    return result, edges


def to_result(source: Source, solved: Solved) -> tuple[KBestResult, Int32Array | None]:
    """What the extension found, as callers get it; and the edges of the trees."""
    heads, scores, edges, bound = solved
    # numpy has two names for 64 bits; this one is its default.
    scores = scores.view(np.int64) if source.integers else scores
    labels = None if source.edge_labels is None else source.edge_labels[edges]
    result = KBestResult(heads, scores, labels=labels, edges=edges if source.with_edges else None)
    if source.label_names:
        result._notes = Notes(label_names=source.label_names)
    if bound is not None:
        result.bound, result.bound_gap = bound
    return result, edges


def judge(
    source: Source,
    problem: _core.Problem,
    result: KBestResult,
    edges: Int32Array | None,
) -> Probabilities:
    """How likely the trees are."""
    if isinstance(source.graph, _core.UndirectedGraph):
        need = "TreeDistribution has log_prob of trees and edge_marginals"
        raise ValueError(f"an undirected graph has no heads to have probabilities; {need}")
    if isinstance(source.graph, np.ndarray):
        found = _core.confidence(source.graph, problem, result.heads)
    else:
        assert edges is not None
        found = _core.confidence_edges(
            source.graph, problem, source.edge_labels, result.heads, edges
        )
    probabilities, heads, labels, other_heads, others = found
    has_labels = source.edge_labels is not None or source.with_edges
    return Probabilities(probabilities, heads, labels if has_labels else None, other_heads, others)


def check_objective(probabilities: object, minimize: bool) -> None:
    """Probabilities are of scores, not of costs."""
    if minimize and probabilities is not None:
        raise ValueError(
            "probabilities take scores for log-potentials: they do not go with minimize"
        )


def best(
    scores: ArrayInput | Multigraph,
    *,
    root: RootRule,
    axes: Axes = "head,dep",
    labels: AnyLabels | None = None,
    constraints: Constraints | None = None,
    minimize: bool = False,
) -> Tree | None:
    """The best tree, or None where there is none.

    Arguments as for `kbest`, but for a budget: only a list can tell that it was spent.

    >>> import coppice
    >>> coppice.best([[0, 9, 10], [0, 0, 20], [0, 30, 0]], root="single").heads
    array([2, 0], dtype=int32)
    """
    wanted = as_constraints(constraints)
    refuse(wanted, "best", "budget", "time_limit")
    source = as_source(scores, axes, labels)
    problem = make_problem(root, source, wanted, minimize=minimize)
    return solve(source, problem, make_request(1), wanted)[0].best


def best_by_root(
    scores: ArrayInput | Multigraph,
    *,
    axes: Axes = "head,dep",
    labels: AnyLabels | None = None,
    constraints: Constraints | None = None,
    minimize: bool = False,
) -> list[Tree | None]:
    """For every word the best tree in which it alone hangs from the root; None where there is none.

    Arguments as for `kbest`. Of a `Multigraph` in which any node may be the root: for every node
    the best tree with this root. The gap of each tree is that to the best of all. The scores alone
    are the first row of `max_marginals` with the rule ``"single"``, and cost less.

    >>> import coppice
    >>> trees = coppice.best_by_root([[0, 9, 10], [0, 0, 20], [0, 30, 0]])
    >>> [(tree.heads.tolist(), tree.score, tree.gap) for tree in trees]
    [([0, 1], 29, 11), ([2, 0], 40, 0)]
    """
    wanted = as_constraints(constraints)
    source = as_source(scores, axes, labels)
    any_root = source.names is not None and source.names.any_root
    rule: RootRule = "any" if any_root else "single"  # one edge leaves the root either way
    request = make_request(1, None, wanted)

    def solved(*without: int) -> Tree | None:
        problem = make_problem(rule, source, wanted, minimize=minimize)
        if without:
            problem.forbid(np.array([end for word in without for end in (0, word)], np.int32))
        return solve(source, problem, request, wanted)[0].best

    first = solved()
    if first is None:
        return [None] * source.words
    words = range(1, source.words + 1)
    trees = [solved(*(word for word in words if word != own)) for own in words]
    return [tree and tree._replace(gap=abs(first.score - tree.score)) for tree in trees]


def max_marginals(
    scores: ArrayInput | Multigraph,
    *,
    root: RootRule,
    axes: Axes = "head,dep",
    constraints: Constraints | None = None,
    minimize: bool = False,
) -> Float64Array:
    """For every arc the score of the best tree that has it: what insisting on the arc would cost.

    Arguments as for `kbest`, but no rules. An array like the scores; of a `Multigraph` one score
    for each edge. Minus infinity (with `minimize` plus infinity) where no tree has the arc.

    >>> import coppice
    >>> coppice.max_marginals([[0, 9, 10], [0, 0, 20], [0, 30, 0]], root="single")
    array([[-inf,  29.,  40.],
           [-inf, -inf,  29.],
           [-inf,  40., -inf]])
    """
    source, problem = exact_problem("max_marginals", scores, root, axes, constraints, minimize)
    found = _core.max_marginals(source.graph, problem)
    return found.T if axes == "dep,head" and found.ndim == 2 else found


def root_scores(
    graph: Multigraph, constraints: Constraints | None, minimize: bool
) -> dict[Any, float]:
    """What `Multigraph.root_scores` does."""
    if not graph.directed or not graph.any_root:
        need = "a directed graph in which any node may be the root"
        raise ValueError(f"root_scores are those of {need}")
    found = max_marginals(graph, root="any", constraints=constraints, minimize=minimize)
    scores = found[len(graph) :]
    order = np.argsort(scores if minimize else -scores, kind="stable")
    names = graph.targets[len(graph) :][order].tolist()
    pairs = zip(names, scores[order].tolist(), strict=True)
    return {graph.name(node): score for node, score in pairs if np.isfinite(score)}


def kbest(
    scores: ArrayInput | Multigraph,
    k: int | None = None,
    *,
    root: RootRule,
    axes: Axes = "head,dep",
    labels: AnyLabels | None = None,
    max_gap: float | None = None,
    constraints: Constraints | None = None,
    minimize: bool = False,
    probabilities: bool | Temperature = False,
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
    labels
        Label scores [words + 1, words + 1, choices], the first two axes as `axes` says, or `Labels`
        with names: then every (arc, label) is a choice with the sum of both scores, and
        `KBestResult.labels` has the labels. Kept as float32, integers too; a number that float32
        cannot hold is an error.
    max_gap
        Only trees whose score is within this distance of the best; 0 gives all co-optimal trees.
    constraints
        What every tree must have, and must not: `Constraints`.
    minimize
        Lowest scores first. Minus infinity still means a missing edge.
    probabilities
        Also how likely the trees are and their heads and labels: `KBestResult.probabilities`,
        `KBestResult.head_probabilities` and so on. Scores are then log-potentials. A `Temperature`,
        which `Temperature.calibrate` finds: the scores are first divided by it.

    Returns
    -------
    KBestResult
        The trees, from best to worst. A graph without a tree is no error: the result is empty.

    Raises
    ------
    ValueError
        For NaN, plus infinity, contradictory constraints, ..., naming the place.

    Examples
    --------
    >>> import coppice
    >>> scores = [[0, 9, 10], [0, 0, 20], [0, 30, 0]]
    >>> [(tree.heads.tolist(), tree.score) for tree in coppice.kbest(scores, 2, root="single")]
    [([2, 0], 40), ([0, 1], 29)]
    """
    degrees = as_probabilities(probabilities)
    check_objective(degrees, minimize)
    wanted = as_constraints(constraints)
    source = as_source(scores, axes, labels, degrees or NOTHING_DIVIDED)
    problem = make_problem(root, source, wanted, minimize=minimize)
    result, edges = solve(source, problem, make_request(k, max_gap, wanted), wanted)
    if degrees is not None:
        result._probabilities = judge(source, problem, result, edges)
    return result


def iter_kbest(
    scores: ArrayInput | Multigraph,
    k: int | None = None,
    *,
    root: RootRule,
    axes: Axes = "head,dep",
    labels: AnyLabels | None = None,
    max_gap: float | None = None,
    constraints: Constraints | None = None,
    minimize: bool = False,
) -> TreeStream:
    """The trees one by one from best to worst, each computed when it is asked for.

    Without `k` and `max_gap` until there is none left: take trees until one is good enough.
    Arguments as for `kbest`; the weights are copied at once, so the array may be changed later.
    Where a budget runs out, the trees end, and `TreeStream.complete` and `.bound` say so; if none
    had been found, one legal tree is given that need not be the best.

    >>> import coppice
    >>> next(coppice.iter_kbest([[0, 9, 10], [0, 0, 20], [0, 30, 0]], root="single")).score
    40
    """
    wanted = as_constraints(constraints)
    source = as_source(scores, axes, labels)
    functions: list[Judge] = []
    problem = make_problem(root, source, wanted, minimize=minimize, owner=functions)
    request = make_request(k, max_gap, wanted)
    facts = make_facts(wanted, source)
    return TreeStream(source, _core.Stream(source.graph, problem, request, facts), functions)


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
        of_edges = self._source.edge_labels
        gap = abs(score - self._best_score)
        return Tree(heads, score, gap, None if of_edges is None else of_edges[edges], kept)

    @property
    def bound(self) -> float | None:
        """Where the budget ran out: no tree beyond those given is better. Else None."""
        found = self._stream.bound
        return None if found is None else found[0]

    @property
    def bound_gap(self) -> float:
        """As `KBestResult.bound_gap`, once the first tree has been given."""
        found = self._stream.bound
        return 0.0 if found is None else found[1]

    @property
    def complete(self) -> bool:
        """Whether the trees did not end for want of a budget."""
        return self.bound is None
