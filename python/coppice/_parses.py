"""The K best parses of many sentences, as the modules for parsers give them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, overload

import numpy as np

from coppice._arrays import Array, Float64Array
from coppice._batch import kbest_batch
from coppice._batches import BatchResult
from coppice._labels import Labels
from coppice._phrases import counted
from coppice._problem import Constraints, ManyConstraints, RootRule, as_constraints
from coppice._results import KBestResult, Tree, frozen
from coppice._shown import ShownResults
from coppice._temperature import AnyTemperature, as_temperature
from coppice.rules import Facts


@dataclass(frozen=True)
class Scored:
    """A sentence as a parser has scored it."""

    #: Log-probabilities of the heads of every word, [head, dependent].
    arcs: Array
    #: Log-probabilities of the labels of every arc, [head, dependent, label].
    labels: Array | None
    label_names: tuple[str, ...]
    #: The sentence itself, without its tree.
    conllu: str
    facts: Facts


class Parses(ShownResults, Sequence[KBestResult]):
    """The results of many sentences as one value: to CoNLL-U, to a page, to a data frame.

    Modules for parsers return it, each `KBestResult` with words and names of labels; and any list
    of results makes one.

    >>> import coppice
    >>> result = coppice.kbest([[0, 9, 10], [0, 0, 20], [0, 30, 0]], 2, root="single")
    >>> coppice.Parses([result, result])
    <Parses: 2 sentences, 4 trees>
    """

    def __init__(self, sentences: Iterable[KBestResult]) -> None:
        if isinstance(sentences, (KBestResult, Tree)) or not isinstance(sentences, Iterable):
            raise TypeError(f"a list of KBestResult expected, not {type(sentences).__name__}")
        self._sentences = list(sentences)
        for i, result in enumerate(self._sentences):
            if not isinstance(result, KBestResult):
                raise TypeError(f"a list of KBestResult expected; {i} is a {type(result).__name__}")

    @overload
    def __getitem__(self, index: int) -> KBestResult: ...
    @overload
    def __getitem__(self, index: slice) -> list[KBestResult]: ...
    def __getitem__(self, index: int | slice) -> KBestResult | list[KBestResult]:
        return self._sentences[index]

    def __eq__(self, other: object) -> bool:
        """The same trees of the same sentences, as `coppice.KBestResult`."""
        if not isinstance(other, Parses):
            return NotImplemented
        return self._sentences == other._sentences

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self._sentences)

    def __iter__(self) -> Iterator[KBestResult]:
        return iter(self._sentences)

    def __repr__(self) -> str:
        trees = sum(len(sentence) for sentence in self)
        return (
            f"<{type(self).__name__}: {counted(len(self), 'sentence')}, {counted(trees, 'tree')}>"
        )


def log_softmax(values: Array, axis: int) -> Array:
    """In float32; where nothing is possible, minus infinity stays."""
    wide = np.asarray(values, np.float64)
    highest = wide.max(axis=axis, keepdims=True)
    highest = np.where(np.isfinite(highest), highest, 0.0)
    with np.errstate(divide="ignore"):
        sums = np.log(np.exp(wide - highest).sum(axis=axis, keepdims=True))
    return np.where(np.isfinite(sums), wide - highest - sums, -np.inf).astype(np.float32)


def ours(arcs: Array) -> Array:
    """What no tree has may be anything in the parser's scores, NaN too."""
    arcs = arcs.copy()
    np.fill_diagonal(arcs, -np.inf)
    arcs[:, 0] = -np.inf
    return arcs


def parse(
    sentences: Sequence[Scored],
    k: int,
    *,
    root: RootRule,
    constraints: ManyConstraints | None,
    labelled: bool,
    temperature: AnyTemperature | None,
    max_gap: float | None,
    threads: int,
) -> list[KBestResult]:
    """The K best trees of each, annotated; labels chosen with the heads, or after them."""
    if not sentences:
        return []
    degrees = as_temperature(temperature)
    joint = labelled and all(each.labels is not None for each in sentences)
    label_scores = [each.labels for each in sentences if each.labels is not None]
    batch: BatchResult = kbest_batch(
        [ours(each.arcs) for each in sentences],
        k,
        root=root,
        labels=Labels(label_scores) if joint else None,
        max_gap=max_gap,
        constraints=_with_facts(constraints, sentences),
        probabilities=degrees,
        threads=threads,
    )
    found = []
    for each, result in zip(sentences, batch, strict=True):
        if not joint and each.labels is not None:
            _add_labels(result, each.labels / degrees.labels)
        found.append(result.annotate(conllu=each.conllu, label_names=each.label_names))
    return found


def _with_facts(
    constraints: ManyConstraints | None, sentences: Sequence[Scored]
) -> ManyConstraints | None:
    """Rules are told what the parser knows, unless the caller tells them more."""
    if constraints is None:
        return None
    if isinstance(constraints, Constraints):
        if not constraints.rules:
            return constraints
        constraints = [constraints] * len(sentences)
    if len(constraints) != len(sentences):
        said = f"{counted(len(constraints), 'sentence')} for {len(sentences)}"
        raise ValueError(f"constraints of {said}")
    each = [as_constraints(one) for one in constraints]
    return [
        replace(one, facts=sentence.facts) if one.rules and one.facts is None else one
        for one, sentence in zip(each, sentences, strict=True)
    ]


#: Heads that stay, of each sentence those of its words (`Constraints.keep`), or None for none.
ManyHeads: TypeAlias = "Sequence[Iterable[int | str | None] | None]"


def keep(
    heads: ManyHeads | None, constraints: ManyConstraints | None, sentences: Sequence[Scored]
) -> ManyConstraints | None:
    """The constraints, and beside them that these heads stay; errors name the sentence."""
    if heads is None:
        return constraints
    if constraints is None or isinstance(constraints, Constraints):
        constraints = [constraints] * len(sentences)
    for name, given in (("keep", heads), ("constraints", constraints)):
        if isinstance(given, (str, bool)) or not hasattr(given, "__len__"):
            raise TypeError(f"{name} is {given!r}; need a list with one entry for each sentence")
        if len(given) != len(sentences):
            said = f"{counted(len(given), 'sentence')} for {len(sentences)}"
            raise ValueError(f"{name} of {said}")
    found = []
    for i, (own, one, sentence) in enumerate(zip(heads, constraints, sentences, strict=True)):
        asked = as_constraints(one)
        if own is not None:
            listed, words = list(own), len(sentence.arcs) - 1
            if len(listed) != words:
                raise ValueError(f"sentence {i}: {counted(len(listed), 'head')} for {words} words")
            try:
                kept = Constraints.keep(listed).required
            except ValueError as error:
                raise ValueError(f"sentence {i}: {error}") from None
            asked = replace(asked, required=(*asked.required, *kept))
        found.append(asked)
    return found


def _add_labels(result: KBestResult, label_scores: Array) -> None:
    """Of every arc its best label, once the heads are known."""
    of_arcs: Float64Array = label_scores[result.heads, np.arange(1, result.n + 1)]
    result.labels = frozen(of_arcs.argmax(axis=-1).astype(np.int32))
    shares = np.exp(log_softmax(of_arcs, -1)).max(axis=-1).astype(np.float64)
    result._probabilities = replace(result._found(), labels=shares)
