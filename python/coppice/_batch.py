"""Many sentences at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from coppice import _core
from coppice._arrays import ArrayInput, Axes, Float64Array, Int32Array, as_count, as_threads
from coppice._decode import check_objective
from coppice._graph import as_labels
from coppice._phrases import counted
from coppice._results import BatchConfidence, BatchResult, Blocks
from coppice._sentences import OnError, Sentences, as_sentences, check_errors
from coppice._temperature import AnyTemperature, Temperature, as_temperature
from coppice._which import Arcs, RootRule, constrain, make_how_many, make_which
from coppice.rules import AnyRule, Facts, as_rules, facts_to_core, to_core


def _own_which(
    shared: _core.Which,
    required: Sequence[Arcs | None] | None,
    forbidden: Sequence[Arcs | None] | None,
    sentences: int,
) -> list[_core.Which]:
    """Constraints differ from sentence to sentence."""
    for name, arcs in (("required", required), ("forbidden", forbidden)):
        if arcs is not None and len(arcs) != sentences:
            lists = counted(len(arcs), "list of arcs", "lists of arcs")
            raise ValueError(f"{name} has {lists} for {counted(sentences, 'sentence')}")
    each = []
    for i in range(sentences):
        which = shared.copy()
        try:
            constrain(
                which,
                None if required is None else required[i],
                None if forbidden is None else forbidden[i],
            )
        except ValueError as error:
            raise ValueError(f"sentence {i}: {error}") from None
        each.append(which)
    return each


def _known(facts: Sequence[Facts] | None, sentences: int) -> list[_core.Facts]:
    """What rules know, of every sentence."""
    if facts is None:
        return []
    if not isinstance(facts, Sequence):
        raise TypeError(f"facts is {facts!r}; need a list of coppice.rules.Facts")
    if len(facts) != sentences:
        raise ValueError(f"facts of {counted(len(facts), 'sentence')} for {sentences}")
    return [facts_to_core(each) for each in facts]


def _labels(
    sentences: Sentences, label_scores: Any, label_ids: Any, axes: Axes, temperature: Temperature
) -> tuple[_core.Labels, dict[int, Exception]]:
    """The labels, and what is wrong with some: those of a sentence that is then found broken."""
    found = _core.Labels()
    errors: dict[int, Exception] = {}
    if isinstance(sentences.scores, list):
        if len(label_scores) != len(sentences.scores):
            raise ValueError(
                f"label_scores of {counted(len(label_scores), 'sentence')} "
                f"for {len(sentences.scores)}"
            )
        for i, matrix in enumerate(sentences.scores):
            try:
                ids = None if label_ids is None else label_ids[i]
                own: dict[int, Exception] = {}
                shape = matrix.shape
                found.add(*as_labels(label_scores[i], ids, axes, shape, temperature, errors=own))
                if own:
                    errors[i] = own[0]
            except (TypeError, ValueError) as error:
                raise type(error)(f"sentence {i}: {error}") from None
    elif sentences.padded:
        shape = sentences.scores.shape
        lengths = sentences.lengths
        found.add(*as_labels(label_scores, label_ids, axes, shape, temperature, lengths, errors))
    else:
        raise ValueError(
            "label_scores go with a list of matrices or a padded array, not a flat one"
        )
    return found, errors


def kbest_batch(
    scores: ArrayInput | Sequence[ArrayInput],
    k: int,
    *,
    root: RootRule,
    lengths: ArrayInput | None = None,
    axes: Axes = "head,dep",
    max_gap: float | None = None,
    required: Sequence[Arcs | None] | None = None,
    forbidden: Sequence[Arcs | None] | None = None,
    label_scores: ArrayInput | Sequence[ArrayInput] | None = None,
    label_ids: ArrayInput | Sequence[ArrayInput] | None = None,
    minimize: bool = False,
    rules: Iterable[AnyRule] = (),
    facts: Sequence[Facts] | None = None,
    budget: int | None = None,
    temperature: AnyTemperature | None = None,
    confidence: bool = False,
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
    root, axes, max_gap, minimize
        As for `kbest`; `max_gap` goes with `k` here, not in its place.
    required, forbidden
        For every sentence its (head, dependent) pairs, or None.
    label_scores, label_ids
        As for `kbest`, with the same first axis as `scores`, or lists.
    rules, budget
        As for `kbest`, the same for all sentences. Rules of `coppice.rules` run on all threads;
        functions take turns, and are told heads and edges but no labels.
    facts
        As for `kbest`, one for each sentence.
    temperature, confidence
        As for `kbest`.
    threads
        How many threads; 0: as many as processors. The result does not depend on it.
    on_error
        A sentence that cannot be decoded (NaN, plus infinity, no words ...) is a `ValueError` that
        names it (``"raise"``), or has no trees and its exception in `BatchResult.errors`
        (``"report"``); one for which there is no memory a `MemoryError`. A sentence without a tree
        is no error: its count is 0.
    """
    degrees = as_temperature(temperature)
    sentences = as_sentences(scores, lengths, axes, on_error, degrees)
    if confidence:
        check_objective(minimize)
    which = [make_which(root, minimize=minimize)]
    for rule in as_rules(rules):
        which[0].add_rule(to_core(rule))
    known = _known(facts, len(sentences.lengths))
    if required is not None or forbidden is not None:
        which = _own_which(which[0], required, forbidden, len(sentences.lengths))
    label_choices = None
    label_errors: dict[int, Exception] = {}
    if label_scores is not None:
        label_choices, label_errors = _labels(sentences, label_scores, label_ids, axes, degrees)
    result = decode(
        sentences,
        which,
        k,
        max_gap,
        threads=threads,
        labels=label_choices,
        facts=known,
        budget=budget,
        confidence=confidence,
    )
    result.errors = {i: label_errors.get(i, error) for i, error in result.errors.items()}
    check_errors(result.errors, on_error)
    return result


def decode(
    sentences: Sentences,
    which: list[_core.Which],
    k: int,
    max_gap: float | None,
    *,
    threads: int,
    labels: _core.Labels | None = None,
    facts: Sequence[_core.Facts] = (),
    budget: int | None = None,
    confidence: bool = False,
) -> BatchResult:
    """What `kbest_batch` does once all is understood; errors are reported."""
    how_many = make_how_many(k, max_gap, budget)
    k = as_count(k, "k")
    count = len(sentences.lengths)
    pitches = np.full(count, sentences.width) if sentences.padded else sentences.lengths
    heads = Blocks(k, pitches, sentences.padded)
    label_rows = None if labels is None else Blocks(k, pitches, sentences.padded)
    integers = sentences.integers and labels is None
    scores: Any = np.empty((count, k), np.int64 if integers else np.float64)
    counts: Int32Array = np.empty(count, np.int32)
    bounds: Float64Array = np.empty(count)
    sure = None
    if confidence:
        sure = BatchConfidence(
            np.zeros((count, k)),
            Blocks(k, pitches, sentences.padded, np.float64),
            None if labels is None else Blocks(k, pitches, sentences.padded, np.float64),
            Blocks(k, pitches, sentences.padded),
            Blocks(k, pitches, sentences.padded, np.float64),
        )
    errors = (
        _core.kbest_batch(
            sentences.to_core(),
            labels or _core.Labels(),
            which,
            facts,
            how_many,
            as_threads(threads),
            heads.flat,
            None if label_rows is None else label_rows.flat,
            heads.offsets,
            pitches,
            scores,
            counts,
            bounds,
            sentences.padded,
            None if sure is None else sure.to_core(),
        )
        if count
        else {}
    )
    if integers:  # of which none can mean "no tree"
        missing = np.arange(k) >= counts[:, None]
        scores[missing] = 0
        scores = np.ma.MaskedArray(scores, missing, fill_value=0)
    result = BatchResult(heads, label_rows, scores, counts, sentences.lengths, errors, bounds)
    result._confidence = sure
    return result
