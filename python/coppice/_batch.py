"""Many sentences at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coppice import _core
from coppice._arrays import ArrayInput, Axes, Float64Array, Int32Array, as_count, as_threads
from coppice._batches import BatchProbabilities, BatchResult, Blocks
from coppice._decode import check_objective
from coppice._labels import AnyLabels, Labels, as_labels, unpacked
from coppice._phrases import counted
from coppice._problem import (
    Constraints,
    ManyConstraints,
    RootRule,
    as_constraints,
    make_facts,
    make_problem,
    make_request,
)
from coppice._sentences import OnError, Sentences, as_sentences, check_errors
from coppice._temperature import NONE, Temperature, as_probabilities


@dataclass(frozen=True, slots=True)
class Asked:
    """Which trees and how many of them: one of each for all sentences, or one for each."""

    problems: list[_core.Problem]
    facts: list[_core.Facts | None]
    requests: list[_core.Request]


def make_asked(
    root: RootRule,
    k: int,
    max_gap: float | None,
    constraints: ManyConstraints | None,
    sentences: int,
    *,
    minimize: bool = False,
    label_names: Sequence[str] = (),
) -> Asked:
    """What the caller says, as the extension takes it; errors name the sentence."""
    as_count(k, "k")
    asked = Asked([], [], [])

    def add(one: Constraints) -> None:
        asked.problems.append(make_problem(root, constraints=one, minimize=minimize))
        asked.facts.append(make_facts(one, label_names=label_names))
        asked.requests.append(make_request(k, max_gap, one))

    if constraints is None or isinstance(constraints, Constraints):
        add(as_constraints(constraints))
        return asked
    if not isinstance(constraints, Sequence) or isinstance(constraints, str):
        need = "need coppice.Constraints(...), or a list with one for each sentence"
        raise TypeError(f"constraints is {constraints!r}; {need}")
    if len(constraints) != sentences:
        raise ValueError(f"constraints of {counted(len(constraints), 'sentence')} for {sentences}")
    for i, one in enumerate(constraints):
        try:
            add(as_constraints(one))
        except (TypeError, ValueError) as error:
            raise type(error)(f"sentence {i}: {error}") from None
    return asked


def _labels(
    sentences: Sentences, labels: Labels, axes: Axes, temperature: Temperature
) -> tuple[_core.Labels, dict[int, Exception]]:
    """The labels, and what is wrong with some: those of a sentence that is then found broken."""
    found = _core.Labels()
    errors: dict[int, Exception] = {}
    if isinstance(sentences.scores, list):
        for name, given in (("labels", labels.scores), ("ids of labels", labels.ids)):
            if given is not None and len(given) != len(sentences.scores):
                counts = f"{counted(len(given), 'sentence')} for {len(sentences.scores)}"
                raise ValueError(f"{name} of {counts}")
        for i, matrix in enumerate(sentences.scores):
            try:
                one = Labels(labels.scores[i], None if labels.ids is None else labels.ids[i])
                own: dict[int, Exception] = {}
                found.add(*as_labels(one, axes, matrix.shape, temperature, errors=own))
                if own:
                    errors[i] = own[0]
            except (TypeError, ValueError) as error:
                raise type(error)(f"sentence {i}: {error}") from None
    elif sentences.padded:
        shape = sentences.scores.shape
        lengths = sentences.lengths
        found.add(*as_labels(labels, axes, shape, temperature, lengths, errors))
    else:
        raise ValueError("labels go with a list of matrices or a padded array, not a flat one")
    return found, errors


def kbest_batch(
    scores: ArrayInput | Sequence[ArrayInput],
    k: int,
    *,
    root: RootRule,
    lengths: ArrayInput | None = None,
    axes: Axes = "head,dep",
    labels: AnyLabels | None = None,
    max_gap: float | None = None,
    constraints: ManyConstraints | None = None,
    minimize: bool = False,
    probabilities: bool | Temperature = False,
    threads: int = 1,
    on_error: OnError = "raise",
) -> BatchResult:
    """The `k` best trees of many sentences, exactly and in order, on `threads` threads.

    Parameters
    ----------
    scores
        A padded array [sentences, words + 1, words + 1]; or a list of matrices; or all matrices
        one after the other in a flat array. Types as for `kbest`.
    k
        How many trees of each sentence.
    lengths
        The number of words of every sentence, **the root not counted**; or a mask, bool
        [sentences, words + 1], that is true for words (what it says of the root is ignored).
        Needed for a flat array; without it all of every matrix is meant.
    root, axes, max_gap, minimize, probabilities
        As for `kbest`; `max_gap` goes with `k` here, not in its place.
    labels
        As for `kbest`, with the same first axis as `scores`, or lists.
    constraints
        `Constraints` for all sentences, or a list with those of each, or None; with
        `Constraints.keep` heads that are known stay and the others are filled. Rules of
        `coppice.rules` run on all threads; functions take turns, and are told heads and edges but
        no labels.
    threads
        How many threads; 0: as many as processors. The result does not depend on it.
    on_error
        A sentence that cannot be decoded (NaN, plus infinity, no words ...) is a `ValueError` that
        names it (``"raise"``), or has no trees and its exception in `BatchResult.errors`
        (``"report"``); one for which there is no memory a `MemoryError`. A sentence without a tree
        is no error: its count is 0.

    Returns
    -------
    BatchResult
        The trees of all sentences, each as `kbest` gives them.

    Raises
    ------
    ValueError
        For what no sentence can have; and for sentences, as `on_error` says.

    >>> import coppice
    >>> scores = [[[0, 9, 10], [0, 0, 20], [0, 30, 0]], [[0, 5], [0, 0]]]
    >>> coppice.kbest_batch(scores, 2, root="single").counts
    array([2, 1], dtype=int32)
    """
    degrees = as_probabilities(probabilities)
    check_objective(degrees, minimize)
    sentences = as_sentences(scores, lengths, axes, on_error, degrees or NONE)
    given = None if labels is None else unpacked(labels)
    names = () if given is None else tuple(given.names)
    asked = make_asked(
        root,
        k,
        max_gap,
        constraints,
        len(sentences.lengths),
        minimize=minimize,
        label_names=names,
    )
    label_choices = None
    label_errors: dict[int, Exception] = {}
    if given is not None:
        label_choices, label_errors = _labels(sentences, given, axes, degrees or NONE)
    result = decode(
        sentences,
        asked,
        as_count(k, "k"),
        threads=threads,
        labels=label_choices,
        probabilities=degrees is not None,
    )
    result.label_names = names
    result.errors = {i: label_errors.get(i, error) for i, error in result.errors.items()}
    check_errors(result.errors, on_error)
    return result


def decode(
    sentences: Sentences,
    asked: Asked,
    k: int,
    *,
    threads: int,
    labels: _core.Labels | None = None,
    probabilities: bool = False,
) -> BatchResult:
    """What `kbest_batch` does once all is understood; errors are reported."""
    lengths = sentences.lengths.copy()  # the caller's may change
    count = len(lengths)
    pitches = np.full(count, sentences.width) if sentences.padded else lengths
    heads = Blocks(k, pitches, sentences.padded)
    label_rows = None if labels is None else Blocks(k, pitches, sentences.padded)
    integers = sentences.integers and labels is None
    scores: Any = np.empty((count, k), np.int64 if integers else np.float64)
    counts: Int32Array = np.empty(count, np.int32)
    bounds: Float64Array = np.empty((count, 2))
    found = None
    if probabilities:
        found = BatchProbabilities(
            np.zeros((count, k)),
            Blocks(k, pitches, sentences.padded, np.float64),
            None if labels is None else Blocks(k, pitches, sentences.padded, np.float64),
            Blocks(k, pitches, sentences.padded),
            Blocks(k, pitches, sentences.padded, np.float64),
        )
    errors, reasons = (
        _core.kbest_batch(
            sentences.to_core(),
            labels or _core.Labels(),
            asked.problems,
            asked.facts,
            asked.requests,
            as_threads(threads),
            heads.flat,
            None if label_rows is None else label_rows.flat,
            heads.offsets,
            pitches,
            scores,
            counts,
            bounds,
            sentences.padded,
            None if found is None else found.to_core(),
        )
        if count
        else ({}, {})
    )
    if integers:  # of which none can mean "no tree"
        missing = np.arange(k) >= counts[:, None]
        scores[missing] = 0
        scores = np.ma.MaskedArray(scores, missing, fill_value=0)
    for written in (heads, label_rows, found):
        if written is not None:
            written.freeze(counts)
    result = BatchResult(heads, label_rows, scores, counts, lengths, errors, bounds)
    result._reasons = reasons
    result._probabilities = found
    return result
