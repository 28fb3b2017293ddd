"""Trees that differ in more than a comma."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from coppice import _core
from coppice._arrays import ArrayInput, Axes, as_count
from coppice._decode import to_result
from coppice._graph import Multigraph, as_source
from coppice._labels import AnyLabels
from coppice._problem import Constraints, RootRule, as_constraints, make_facts, make_problem
from coppice._results import KBestResult
from coppice.rules import Facts


def diverse(
    scores: ArrayInput | Multigraph,
    k: int,
    *,
    root: RootRule,
    distance: int = 2,
    ignored_labels: Iterable[str] = (),
    axes: Axes = "head,dep",
    labels: AnyLabels | None = None,
    constraints: Constraints | None = None,
    minimize: bool = False,
) -> KBestResult:
    """At most `k` trees of which any two differ in the heads of at least `distance` words.

    The first is the best tree. Each further one is the best of those that differ enough from every
    tree before it: exactly, by a search (docs/rules.md). Far trees can be hard to find: the budget
    of `Constraints` limits the solves for each tree; where it is spent, the list ends, and
    `KBestResult.complete` is false.

    Parameters
    ----------
    scores, k, root, axes, labels, constraints, minimize
        As for `kbest`.
    distance
        In how many heads, at least.
    ignored_labels
        Words with one of these labels in either tree do not count (``["punct"]``). Labels need
        names: `Labels.names`, or the facts of `constraints`.

    Returns
    -------
    KBestResult
        Fewer than `k` trees where no further one differs enough.

    >>> import coppice
    >>> scores = [[0, 9, 10, 2], [0, 0, 20, 2], [0, 30, 0, 2], [0, 1, 1, 0]]
    >>> [tree.heads.tolist() for tree in coppice.diverse(scores, 3, root="any", distance=3)]
    [[2, 0, 0], [0, 1, 1]]
    """
    ignored = [ignored_labels] if isinstance(ignored_labels, str) else list(ignored_labels)
    wanted = as_constraints(constraints)
    source = as_source(scores, axes, labels)
    if isinstance(source.graph, _core.UndirectedGraph):
        raise ValueError("diverse compares heads, which an undirected graph does not have")
    problem = make_problem(root, source, wanted, minimize=minimize)
    request = _core.DiverseRequest(
        as_count(k, "k"), as_count(distance, "distance"), ignored, wanted.budget, wanted.time_limit
    )
    if ignored and wanted.facts is None:
        wanted = replace(wanted, facts=Facts(source.label_names))
    facts = make_facts(wanted, source, always=bool(ignored))
    return to_result(source, _core.diverse(source.graph, problem, request, facts))[0]
