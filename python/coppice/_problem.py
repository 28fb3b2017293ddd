"""Which trees are wanted, and how many: what callers say, as the extension takes it."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from coppice import _core
from coppice._arrays import ArrayInput, Axes, Int32Array, as_count, as_int32
from coppice.rules import AnyRule, Facts, Judge, as_rules, to_core

if TYPE_CHECKING:
    from coppice._distribution import Samples
    from coppice._graph import Multigraph, Source
    from coppice._labels import AnyLabels

#: Whether exactly one edge leaves the root, or any number of them.
RootRule: TypeAlias = Literal["single", "any"]
#: (head, dependent) pairs: numbers, or names where the nodes of a graph have them.
Arcs: TypeAlias = Iterable[tuple[Any, ...]]


@dataclass(frozen=True, repr=False)
class Constraints:
    """What every tree must have, and must not: one value for all functions, as ``constraints=``.

    It can be pickled if its rules can: functions by their name.

    Parameters
    ----------
    required, forbidden
        (head, dependent) pairs that every tree must have, or must not. Of a `Multigraph` with
        names, names.
    required_edges, forbidden_edges
        The same for single edges of a `Multigraph`, by their place in its arrays.
    rules
        Only trees that obey all of these: from `coppice.rules`, or functions.
    facts
        Names of labels and tags of words, for the rules that need them.
    budget, time_limit
        With rules: about so many solves, or seconds, at most. Where they do not suffice,
        `KBestResult.complete` is false and no tree beyond those given is better than
        `KBestResult.bound`; a legal tree is given even so, if one is found.

    Raises
    ------
    TypeError, ValueError
        For what is no arc, no rule or no number.

    >>> import coppice
    >>> meant = coppice.Constraints(required=[(1, 2)])
    >>> meant
    Constraints(required=((1, 2),))
    >>> coppice.best([[0, 9, 10], [0, 0, 20], [0, 30, 0]], root="any", constraints=meant).heads
    array([0, 1], dtype=int32)
    """

    required: Arcs = ()
    forbidden: Arcs = ()
    required_edges: Iterable[int] = ()
    forbidden_edges: Iterable[int] = ()
    rules: Iterable[AnyRule] = ()
    facts: Facts | None = None
    budget: int | None = None
    time_limit: float | None = None

    def __post_init__(self) -> None:
        given: dict[str, Any] = {
            "required": _tuples(self.required, "required"),
            "forbidden": _tuples(self.forbidden, "forbidden"),
            "required_edges": _edges(self.required_edges, "required_edges"),
            "forbidden_edges": _edges(self.forbidden_edges, "forbidden_edges"),
            "rules": as_rules(self.rules),
        }
        for name, value in given.items():
            object.__setattr__(self, name, value)
        if self.facts is not None and not isinstance(self.facts, Facts):
            raise TypeError(f"facts is {self.facts!r}; need coppice.rules.Facts")
        if self.budget is not None:
            as_count(self.budget, "budget")
        if self.time_limit is not None and not float(self.time_limit) > 0:
            raise ValueError(f"time_limit is {self.time_limit}, must be more than 0 seconds")

    @classmethod
    def keep(cls, heads: Iterable[int | str | None], **more: Any) -> Constraints:
        """Heads that stay: trees that have all of these, and are free elsewhere.

        `heads` are those of words 1..n; None, -1 or ``"_"`` where any head will do. `more` are
        constraints beside them.

        >>> import coppice
        >>> coppice.Constraints.keep([2, None, -1, "_"], rules=[coppice.rules.projective()])
        Constraints(required=((2, 1),), rules=(<Rule: projective>,))
        """
        kept = []
        for word, head in enumerate(heads, 1):
            if head is None or (isinstance(head, str) and head == "_"):
                continue
            try:
                number = operator.index(int(head) if isinstance(head, str) else head)
            except (TypeError, ValueError):
                number = -2
            if number < -1:
                need = 'a number from 0, or None, -1 or "_" where any head will do'
                raise ValueError(f"the head of word {word} is {head!r}; need {need}")
            if number >= 0:
                kept.append((number, word))
        return cls(required=(*_tuples(more.pop("required", ()), "required"), *kept), **more)

    def count_legal(
        self,
        graph: ArrayInput | Multigraph,
        *,
        root: RootRule,
        axes: Axes = "head,dep",
        labels: AnyLabels | None = None,
        limit: int = 100_000_000,
    ) -> int | None:
        """How many trees of the graph obey all of this, exactly; None if more than `limit` do.

        Every tree is visited, which takes some ten nanoseconds under `rules.sum_condition` and
        `rules.max_children`, which see early where no legal tree is left, and longer under others.

        >>> import coppice
        >>> narrow = coppice.Constraints(rules=[coppice.rules.max_children(1)])
        >>> narrow.count_legal([[0, 1, 1, 1]] * 4, root="any")  # paths
        6
        """
        from coppice import _legal

        return _legal.count(self, _legal.Asked(graph, root, axes, labels, limit))

    def sample_legal(
        self,
        graph: ArrayInput | Multigraph,
        count: int,
        *,
        root: RootRule,
        seed: int | None,
        axes: Axes = "head,dep",
        labels: AnyLabels | None = None,
        limit: int = 100_000_000,
    ) -> Samples:
        """Trees that obey all of this, each drawn with the same probability, whatever its score.

        They are counted, places are drawn, and the trees at these places taken: exact however few
        trees are legal, and an error if more than `limit` are. `seed` as in
        `TreeDistribution.sample`, which samples by score instead.
        """
        from coppice import _legal

        return _legal.sample(self, _legal.Asked(graph, root, axes, labels, limit), count, seed)

    def __repr__(self) -> str:
        said = [
            f"{field.name}={getattr(self, field.name)!r}"
            for field in fields(self)
            if getattr(self, field.name) != field.default
        ]
        return f"Constraints({', '.join(said)})"


def _tuples(arcs: Any, name: str) -> tuple[tuple[Any, ...], ...]:
    """Arcs that do not change any more."""
    if isinstance(arcs, np.ndarray):
        arcs = arcs.tolist()
    if arcs is None:
        return ()
    try:
        listed = list(arcs)
        if isinstance(arcs, str) or any(isinstance(arc, str) for arc in listed):
            raise TypeError
        return tuple(tuple(arc) for arc in listed)
    except TypeError:
        raise ValueError(f"{name} is {arcs!r}; must be (head, dependent) pairs") from None


def _edges(edges: Any, name: str) -> tuple[int, ...]:
    try:
        return () if edges is None else tuple(operator.index(edge) for edge in edges)
    except TypeError:
        raise TypeError(f"{name} is {edges!r}; must be numbers of edges") from None


#: Every tree may be.
NONE = Constraints()


def as_constraints(value: Constraints | None) -> Constraints:
    """What the caller gave as ``constraints=``."""
    if value is None:
        return NONE
    if not isinstance(value, Constraints):
        raise TypeError(f"constraints is {value!r}; need coppice.Constraints(...)")
    return value


#: For a batch: those of all sentences, or one for each.
ManyConstraints: TypeAlias = "Constraints | Sequence[Constraints | None]"


def refuse(constraints: Constraints, what: str, *names: str) -> None:
    """Raise ValueError where the caller asks for what cannot be had of `what`."""
    for name in names:
        if getattr(constraints, name) not in ((), None):
            raise ValueError(f"{what} takes no {name}: constraints is {constraints!r}")


def single_root(root: RootRule) -> bool:
    """Whether the rule asks for exactly one edge from the root."""
    if root == "single":
        return True
    if root == "any":
        return False
    raise ValueError(f'root is {root!r}; must be "single" (one root edge) or "any"')


def make_problem(
    root: RootRule,
    source: Source | None = None,
    constraints: Constraints = NONE,
    *,
    minimize: bool = False,
    owner: list[Judge] | None = None,
) -> _core.Problem:
    """Which trees, checked as far as that is possible without the graph.

    Of a `Multigraph` with names `required` and `forbidden` are names, and where any node may be
    its root, one edge leaves the node that was added. `owner`: see `coppice.rules.to_core`.
    """
    names = None if source is None else source.names
    if names is not None and names.any_root:
        if root != "any":
            raise ValueError(
                f'root is {root!r}; where any node may be the root it is "any" (a node is the '
                f"root by Multigraph.from_edges(..., root_node={root!r}))"
            )
        root = "any" if names.forest else "single"
    problem = _core.Problem(single_root(root), bool(minimize))
    if constraints is NONE:
        return problem
    for name, tell in (("required", problem.require), ("forbidden", problem.forbid)):
        arcs = getattr(constraints, name)
        if arcs:
            tell(_pairs(arcs if names is None else names.arcs(arcs, name), name))
    if constraints.required_edges:
        problem.require_edges(as_int32(list(constraints.required_edges), "required_edges"))
    if constraints.forbidden_edges:
        problem.forbid_edges(as_int32(list(constraints.forbidden_edges), "forbidden_edges"))
    edge_labels = None if source is None else source.edge_labels
    for rule in constraints.rules:
        problem.add_rule(to_core(rule, edge_labels, owner))
    return problem


def _pairs(arcs: Any, name: str) -> Int32Array:
    """Heads and dependents by turns."""
    if any(len(arc) != 2 for arc in arcs):
        raise ValueError(f"{name} is {arcs!r}; must be (head, dependent) pairs")
    return as_int32([end for arc in arcs for end in arc], name)


def make_facts(
    constraints: Constraints,
    source: Source | None = None,
    label_names: Sequence[str] = (),
    *,
    always: bool = False,
) -> _core.Facts | None:
    """What rules know; the names of labels are those of the facts, or else those given."""
    edge_labels, added_root = None, False
    if source is not None:
        edge_labels, label_names = source.edge_labels, source.label_names
        added_root = source.names is not None and source.names.any_root
    known = constraints.facts is not None or label_names or added_root
    if not known or not (constraints.rules or always):
        return None
    facts = constraints.facts or Facts()
    if label_names and not facts.label_names:
        facts = Facts(label_names, facts.tags, facts.feats, facts.misc)
    return facts.to_core(edge_labels, added_root)


def make_request(
    k: int | None = None, max_gap: float | None = None, constraints: Constraints = NONE
) -> _core.Request:
    """How many of them."""
    if max_gap is not None:
        if not isinstance(max_gap, (int, float, np.number)):
            raise TypeError(f"max_gap is {max_gap!r}; must be a number")
        if not max_gap >= 0:
            raise ValueError(f"max_gap is {max_gap}, must be 0 or more")
    budget = constraints.budget
    return _core.Request(
        None if k is None else as_count(k, "k"),
        None if max_gap is None else float(max_gap),
        None if budget is None else as_count(budget, "budget"),
        None if constraints.time_limit is None else float(constraints.time_limit),
    )
