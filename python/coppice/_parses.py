"""The K best parses of many sentences, as the modules for parsers give them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from coppice._arrays import Array, Float64Array
from coppice._batch import kbest_batch
from coppice._phrases import counted
from coppice._results import BatchResult, Confidence, KBestResult, ManyResults
from coppice._temperature import AnyTemperature, as_temperature
from coppice._which import RootRule
from coppice.rules import AnyRule, Facts


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


class Parses(ManyResults, Sequence[KBestResult]):
    """The K best parses of every sentence; each a `coppice.KBestResult` with words and labels."""

    def __init__(self, sentences: Sequence[KBestResult]) -> None:
        self._sentences = list(sentences)

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


def _ours(arcs: Array) -> Array:
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
    rules: Sequence[AnyRule],
    labels: bool,
    temperature: AnyTemperature | None,
    max_gap: float | None,
    budget: int | None,
    threads: int,
) -> list[KBestResult]:
    """The K best trees of each, annotated; labels chosen with the heads, or after them."""
    if not sentences:
        return []
    joint = labels and all(each.labels is not None for each in sentences)
    label_scores = [each.labels for each in sentences if each.labels is not None]
    batch: BatchResult = kbest_batch(
        [_ours(each.arcs) for each in sentences],
        k,
        root=root,
        label_scores=label_scores if joint else None,
        max_gap=max_gap,
        rules=rules,
        facts=[each.facts for each in sentences] if rules else None,
        budget=budget,
        temperature=temperature,
        confidence=True,
        threads=threads,
    )
    degrees = as_temperature(temperature).labels
    found = []
    for each, result in zip(sentences, batch, strict=True):
        if not joint and each.labels is not None:
            _add_labels(result, each.labels / degrees)
        found.append(result.annotate(conllu=each.conllu, label_names=each.label_names))
    return found


def _add_labels(result: KBestResult, label_scores: Array) -> None:
    """Of every arc its best label, once the heads are known."""
    of_arcs: Float64Array = label_scores[result.heads, np.arange(1, result.n + 1)]
    result.labels = of_arcs.argmax(axis=-1).astype(np.int32)
    shares = np.exp(log_softmax(of_arcs, -1)).max(axis=-1).astype(np.float64)
    sure = result._sure()
    result._confidence = Confidence(
        sure.probabilities, sure.heads, shares, sure.other_heads, sure.others
    )
