"""Rules: which trees are legal.

>>> import coppice
>>> from coppice import rules
>>> scores = [[0, 5, 1, 2], [0, 0, 9, 1], [0, 1, 0, 8], [0, 1, 2, 0]]
>>> coppice.best(scores, root="single", rules=[rules.max_depth(2)]).heads
array([0, 1, 1], dtype=int32)

`kbest`, `best`, `iter_kbest` and `kbest_batch` take a list of rules, each of them one of the below
or a function. A function gets a `coppice.Tree` and returns None for a legal tree; for another one
the arcs that are bad together, ``[(head, dependent), ...]``, or a `Clause`; or, if it knows no
better, True for legal and False for not, and then trees are tried one by one. Whatever it returns
must hold for all legal trees: docs/rules.md.
"""

from __future__ import annotations

import operator
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from coppice import _core
from coppice._arrays import ArrayInput, Int32Array, as_array
from coppice._phrases import counted
from coppice._results import Tree

#: (head, dependent), or (head, dependent, edge) for one of several parallel edges.
ClauseArcs: TypeAlias = Iterable[tuple[int, ...]]


@dataclass(frozen=True)
class Clause:
    """A tree obeys it if it lacks an arc of `without` or has an arc of `with_`.

    Arcs of `without` into the same word are alternatives.
    """

    without: ClauseArcs = field(default_factory=tuple)
    with_: ClauseArcs = field(default_factory=tuple)


@dataclass(frozen=True)
class Facts:
    """What rules on labels and tags need to know of a sentence.

    `label_names` are the names of the labels by their number; `tags`, `feats` and `misc` of every
    word the columns UPOS, FEATS and MISC of CoNLL-U.
    """

    label_names: Sequence[str] = ()
    tags: Sequence[str] = ()
    feats: Sequence[str] = ()
    misc: Sequence[str] = ()

    def to_core(self, edge_labels: Int32Array | None = None) -> _core.Facts:
        """As the extension takes it."""
        for name in ("feats", "misc"):
            given = getattr(self, name)
            if len(given) not in (0, len(self.tags)):
                raise ValueError(
                    f"{name} of {counted(len(given), 'word')}, tags of {len(self.tags)}"
                )
        return _core.Facts(
            [] if edge_labels is None else edge_labels.tolist(),
            [str(name) for name in self.label_names],
            list(self.tags),
            list(self.feats),
            list(self.misc),
        )


Rule: TypeAlias = _core.Rule
Function: TypeAlias = Callable[[Tree], Any]
AnyRule: TypeAlias = Rule | Function
Judge: TypeAlias = Callable[
    [Int32Array, "Int32Array | None"], "tuple[Int32Array, Int32Array] | None"
]


def _count(value: Any, name: str) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, must be a whole number") from None
    if not -(2**31) <= number < 2**31:
        raise ValueError(f"{name} is {value}, must be a small whole number")
    return number


def _counts(values: ArrayInput, name: str) -> list[int]:
    array = as_array(values, name)
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}; need one number per node")
    return [_count(x, name) for x in array.tolist()]


def _labels(labels: Iterable[str]) -> list[str]:
    if isinstance(labels, str):
        raise TypeError(f"labels is {labels!r}; need a list of labels")
    return list(labels)


def at_most(n: int, labels: Iterable[str], *, exact: bool = False) -> Rule:
    """At most `n` children with these labels for every head.

    ``"nsubj"`` stands for ``"nsubj:pass"`` too, unless `exact`.
    """
    return _core.rule_at_most(_count(n, "n"), _labels(labels), bool(exact))


def max_children(d: int | ArrayInput) -> Rule:
    """At most `d` children for every node, the root too; or one number per node, the root first."""
    if np.ndim(d) == 0:  # type: ignore[arg-type]
        return _core.rule_max_children(_count(d, "d"))
    return _core.rule_max_children_each(_counts(d, "d"))


def min_children(d: ArrayInput) -> Rule:
    """At least so many children, one number per node, the root first."""
    return _core.rule_min_children(_counts(d, "d"))


def max_depth(d: int) -> Rule:
    """No word more than `d` arcs away from the root."""
    return _core.rule_max_depth(_count(d, "d"))


def projective() -> Rule:
    """No arcs that cross, the root standing before the first word."""
    return _core.rule_projective()


def leaves(labels: Iterable[str]) -> Rule:
    """Words with these labels have no children."""
    return _core.rule_leaves(_labels(labels))


def sum_condition(frequencies: ArrayInput, *, tolerance: float = 1e-9) -> Rule:
    """The children of a node are together no more frequent than the node, in every sample.

    `frequencies` is [nodes, samples], the root first.
    """
    array = np.asarray(as_array(frequencies, "frequencies"), np.float64)
    if array.ndim != 2:
        raise ValueError(f"frequencies has shape {array.shape}; need [nodes, samples]")
    return _core.rule_sum_condition(array.reshape(-1).tolist(), array.shape[1], float(tolerance))


def ud() -> Rule:
    """What the validator of Universal Dependencies, level 3, says of heads, labels and tags."""
    return _core.rule_ud()


def ud_incidents(
    heads: Sequence[int], labels: Sequence[str], facts: Facts
) -> list[tuple[str, int]]:
    """What the validator reports for a tree: ids of tests, each with the word that is blamed."""
    words = len(heads)
    if len(labels) != words:
        raise ValueError(f"{counted(len(labels), 'label')} for {counted(words, 'head')}")
    names = list(dict.fromkeys(labels))
    number = {name: i for i, name in enumerate(names)}
    own = Facts(names, facts.tags, facts.feats, facts.misc)
    graph = _core.Multigraph.of_floats(
        words + 1,
        np.asarray(heads, np.int32),
        np.arange(1, words + 1, dtype=np.int32),
        np.zeros(words),
    )
    return _core.ud_incidents(
        graph,
        own.to_core(np.array([number[label] for label in labels], np.int32)),
        np.concatenate([[-1], heads]).astype(np.int32),
        np.arange(-1, words, dtype=np.int32),
    )


def _rows(arcs: ClauseArcs, name: str) -> Int32Array:
    try:
        rows = [tuple(operator.index(x) for x in arc) for arc in arcs]
        if any(len(row) not in (2, 3) for row in rows):
            raise TypeError
        return np.array([(*row, -1)[:3] for row in rows], np.int32).reshape(-1, 3)
    except (TypeError, OverflowError):
        raise ValueError(
            f"rule {name}: returned {arcs!r}; need None, True, False, a Clause, or arcs: "
            "(head, dependent) or (head, dependent, edge)"
        ) from None


def _judge(function: Function, name: str, edge_labels: Int32Array | None) -> Judge:
    def judge(heads: Int32Array, edges: Int32Array | None) -> tuple[Int32Array, Int32Array] | None:
        labels = None if edge_labels is None or edges is None else edge_labels[edges]
        answer = function(Tree(heads, float("nan"), float("nan"), labels, edges))
        if isinstance(answer, (bool, np.bool_)):
            answer = None if answer else False
        if answer is None:
            return None
        if answer is False:
            arcs = enumerate(heads.tolist(), start=1)
            ids = [-1] * len(heads) if edges is None else edges.tolist()
            whole = [(h, v, e) for (v, h), e in zip(arcs, ids, strict=True)]
            return _rows(whole, name), _rows((), name)
        if isinstance(answer, Clause):
            return _rows(answer.without, name), _rows(answer.with_, name)
        return _rows(answer, name), _rows((), name)

    return judge


def _weakly(judge: Judge) -> Judge:
    """The same, without keeping it alive."""
    reference = weakref.ref(judge)

    def call(heads: Int32Array, edges: Int32Array | None) -> tuple[Int32Array, Int32Array] | None:
        alive = reference()
        assert alive is not None
        return alive(heads, edges)

    return call


def as_rules(rules: Iterable[AnyRule]) -> list[AnyRule]:
    """A list, where it is one."""
    if not isinstance(rules, Iterable):
        raise TypeError(f"rules is {rules!r}; a list of rules expected: rules=[...]")
    return list(rules)


def facts_to_core(facts: Facts, edge_labels: Int32Array | None = None) -> _core.Facts:
    """Facts as the extension takes them, where they are facts."""
    if not isinstance(facts, Facts):
        raise TypeError(f"facts is {facts!r}; need coppice.rules.Facts")
    return facts.to_core(edge_labels)


def to_core(
    rule: AnyRule, edge_labels: Int32Array | None = None, owner: list[Judge] | None = None
) -> _core.Rule:
    """A rule as the extension takes it.

    Python's collector does not see what the extension holds. A stream may be held by what its own
    rule knows: where there is an `owner`, a function lives as long as that, and no longer.
    """
    if isinstance(rule, _core.Rule):
        return rule
    if not callable(rule):
        raise TypeError(f"{rule!r} is no rule: neither one of coppice.rules nor a function")
    name = getattr(rule, "__name__", type(rule).__name__)
    judge = _judge(rule, name, edge_labels)
    if owner is not None:
        owner.append(judge)
        judge = _weakly(judge)
    return _core.rule_of(name, judge)


__all__ = [
    "Clause",
    "Facts",
    "Rule",
    "at_most",
    "leaves",
    "max_children",
    "max_depth",
    "min_children",
    "projective",
    "sum_condition",
    "ud",
    "ud_incidents",
]
