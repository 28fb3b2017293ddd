"""Rules: which trees are legal.

>>> import coppice
>>> from coppice import rules
>>> scores = [[0, 5, 1, 2], [0, 0, 9, 1], [0, 1, 0, 8], [0, 1, 2, 0]]
>>> legal = coppice.Constraints(rules=[rules.max_depth(2)])
>>> coppice.best(scores, root="single", constraints=legal).heads
array([0, 1, 1], dtype=int32)

`coppice.Constraints` takes a list of rules, each of them one of the below or a function. A function
gets a `coppice.Tree` and returns None (or an empty list) for a legal tree; for another one the arcs
that are bad together, ``[(head, dependent), ...]``, or a `Clause`; or, if it knows no better, True
for legal and False for not, and then trees are tried one by one. Whatever it returns must hold for
all legal trees: docs/rules.md.
"""

from __future__ import annotations

import operator
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
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

    def to_core(
        self, edge_labels: Int32Array | None = None, added_root: bool = False
    ) -> _core.Facts:
        """As the extension takes it; `added_root`: any node may be the root."""
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
            added_root,
        )

    def ud_incidents(self, heads: Sequence[int], labels: Sequence[str]) -> list[tuple[str, int]]:
        """What the validator of Universal Dependencies reports for a tree of this sentence.

        Ids of tests, each with the word that is blamed.
        """
        words = len(heads)
        if len(labels) != words:
            raise ValueError(f"{counted(len(labels), 'label')} for {counted(words, 'head')}")
        names = list(dict.fromkeys(labels))
        number = {name: i for i, name in enumerate(names)}
        graph = _core.Multigraph.of_floats(
            words + 1,
            np.asarray(heads, np.int32),
            np.arange(1, words + 1, dtype=np.int32),
            np.zeros(words),
        )
        return _core.ud_incidents(
            graph,
            replace(self, label_names=names).to_core(
                np.array([number[label] for label in labels], np.int32)
            ),
            np.concatenate([[-1], heads]).astype(np.int32),
            np.arange(-1, words, dtype=np.int32),
        )


class Rule:
    """A rule of this module, made by one of its functions. It can be pickled and compared."""

    __slots__ = ("_core", "_made_from")

    def __init__(self, maker: str, arguments: tuple[Any, ...]) -> None:
        self._made_from = (maker, arguments)
        make: Callable[..., _core.Rule] = getattr(_core, f"rule_{maker}")
        self._core = make(*arguments)

    @property
    def name(self) -> str:
        """What the rule is called in messages."""
        return self._core.name

    def __reduce__(self) -> tuple[type[Rule], tuple[str, tuple[Any, ...]]]:
        return Rule, self._made_from

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rule) and self._made_from == other._made_from

    def __hash__(self) -> int:
        return hash(repr(self._made_from))

    def __repr__(self) -> str:
        return f"<Rule: {self.name}>"


Function: TypeAlias = Callable[[Tree], Any]
AnyRule: TypeAlias = Rule | Function
#: Heads and edges -> None, or the rows of a clause.
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
    return Rule("at_most", (_count(n, "n"), _labels(labels), bool(exact)))


def max_children(d: int | ArrayInput) -> Rule:
    """At most `d` children for every node, the root too; or one number per node, the root first."""
    if np.ndim(d) == 0:  # type: ignore[arg-type]
        return Rule("max_children", (_count(d, "d"),))
    return Rule("max_children_each", (_counts(d, "d"),))


def min_children(d: ArrayInput) -> Rule:
    """At least so many children, one number per node, the root first."""
    return Rule("min_children", (_counts(d, "d"),))


def max_depth(d: int) -> Rule:
    """No word more than `d` arcs away from the root (of a `Multigraph` any node that may be it)."""
    return Rule("max_depth", (_count(d, "d"),))


def projective() -> Rule:
    """No arcs that cross, the root standing before the first word."""
    return Rule("projective", ())


def leaves(labels: Iterable[str]) -> Rule:
    """Words with these labels have no children."""
    return Rule("leaves", (_labels(labels),))


def sum_condition(
    frequencies: ArrayInput, *, most: ArrayInput | None = None, tolerance: float = 1e-4
) -> Rule:
    """The children of a node are together no more frequent than the node, in every sample.

    `frequencies` is [nodes, samples], the root first. With `most`, of the same shape, `frequencies`
    are the least: a tree is legal where there are frequencies in between that obey the condition.
    `tolerance` is how much more the children may have; this one suits data of six digits.
    """
    arrays = [np.asarray(as_array(frequencies, "frequencies"), np.float64)]
    arrays.append(arrays[0] if most is None else np.asarray(as_array(most, "most"), np.float64))
    for array, name in zip(arrays, ("frequencies", "most"), strict=True):
        if array.ndim != 2 or array.shape != arrays[0].shape:
            raise ValueError(f"{name} has shape {array.shape}; need [nodes, samples]")
    least, largest = (array.reshape(-1).tolist() for array in arrays)
    return Rule("sum_condition", (least, largest, arrays[0].shape[1], float(tolerance)))


def ud() -> Rule:
    """What the validator of Universal Dependencies, level 3, says of heads, labels and tags."""
    return Rule("ud", ())


def _not_understood(name: str, answer: object) -> ValueError:
    return ValueError(
        f"rule {name}: returned {answer!r}; need None, True, False, a Clause, or arcs: "
        "(head, dependent) or (head, dependent, edge)"
    )


def _rows(arcs: Any, name: str) -> Int32Array:
    """(head, dependent, edge or -1) of each arc."""
    try:
        rows = [tuple(operator.index(x) for x in arc) for arc in arcs]
        if any(len(row) not in (2, 3) for row in rows):
            raise TypeError
        return np.array([(*row, -1)[:3] for row in rows], np.int32).reshape(-1, 3)
    except (TypeError, OverflowError):
        raise _not_understood(name, arcs) from None


def _whole(tree: Tree) -> list[tuple[int, int, int]]:
    """All arcs of a tree."""
    edges = [-1] * len(tree.heads) if tree.edges is None else tree.edges.tolist()
    words = range(1, len(tree.heads) + 1)
    return list(zip(tree.heads.tolist(), words, edges, strict=True))


def _judge(function: Function, name: str, edge_labels: Int32Array | None) -> Judge:
    def judge(heads: Int32Array, edges: Int32Array | None) -> tuple[Int32Array, Int32Array] | None:
        labels = None if edge_labels is None or edges is None else edge_labels[edges]
        tree = Tree(heads, float("nan"), float("nan"), labels, edges)
        answer = function(tree)
        if answer is None:
            return None
        if isinstance(answer, (bool, np.bool_)):
            return None if answer else (_rows(_whole(tree), name), _rows((), name))
        if isinstance(answer, Clause):
            without, with_ = _rows(answer.without, name), _rows(answer.with_, name)
            if not len(without) and not len(with_):  # which no tree obeys
                raise _not_understood(name, answer)
            return without, with_
        if isinstance(answer, (str, bytes)):
            raise _not_understood(name, answer)
        rows = _rows(answer, name)
        return (rows, _rows((), name)) if len(rows) else None

    return judge


def _weakly(judge: Judge) -> Judge:
    """The same, without keeping it alive."""
    reference = weakref.ref(judge)

    def call(heads: Int32Array, edges: Int32Array | None) -> tuple[Int32Array, Int32Array] | None:
        alive = reference()
        assert alive is not None
        return alive(heads, edges)

    return call


_MAKERS = (
    at_most, leaves, max_children, max_depth, min_children, projective, sum_condition, ud
)  # fmt: skip


def as_rules(rules: Iterable[AnyRule]) -> tuple[AnyRule, ...]:
    """All of them, each a rule or a function that may be one."""
    if isinstance(rules, (str, Rule)) or not isinstance(rules, Iterable):
        raise TypeError(f"rules is {rules!r}; a list of rules expected: rules=[...]")
    listed = tuple(rules)
    for i, rule in enumerate(listed):
        if rule in _MAKERS:
            name = getattr(rule, "__name__", "")
            raise TypeError(
                f"rules[{i}] is the function coppice.rules.{name}; call it: {name}(...)"
            )
        if not isinstance(rule, Rule) and not callable(rule):
            raise TypeError(
                f"rules[{i}] is {rule!r}: neither a rule of coppice.rules nor a function"
            )
    return listed


def to_core(
    rule: AnyRule, edge_labels: Int32Array | None = None, owner: list[Judge] | None = None
) -> _core.Rule:
    """A rule as the extension takes it.

    Python's collector does not see what the extension holds. A stream may be held by what its own
    rule knows: where there is an `owner`, a function lives as long as that, and no longer.
    """
    if isinstance(rule, Rule):
        return rule._core
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
]
