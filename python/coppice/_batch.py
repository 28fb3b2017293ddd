"""Many sentences at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np

from coppice import _core
from coppice._arrays import (
    Array,
    ArrayInput,
    Axes,
    Int32Array,
    Int64Array,
    as_array,
    as_count,
    as_integers,
    as_scores,
    head_first,
)
from coppice._graph import as_labels
from coppice._options import Arcs, RootRule, constrain, make_options
from coppice._results import BatchResult, Blocks

OnError = Literal["raise", "report"]


@dataclass(frozen=True, slots=True)
class _Sentences:
    """The matrices of a batch, [head, dependent], in one of three forms."""

    #: [sentences, nodes, nodes]; [elements]; or a list of matrices.
    scores: Array | list[Array]
    lengths: Int64Array
    integers: bool
    axes: Axes

    @property
    def padded(self) -> bool:
        return not isinstance(self.scores, list) and self.scores.ndim == 3

    def add_to(self, batch: _core.Batch) -> None:
        nodes = self.lengths + 1
        if isinstance(self.scores, list):
            for matrix in self.scores:
                batch.add(matrix)
        elif self.scores.ndim == 3:
            batch.add_padded(self.scores, nodes)
        else:
            ends = np.cumsum(nodes * nodes)
            starts = ends - nodes * nodes
            batch.add_flat(self.scores, starts, nodes, self.axes == "dep,head")


def _lengths(values: ArrayInput, sentences: int | None, most: int | None) -> Int64Array:
    """Words per sentence, from lengths or a mask."""
    array = as_array(values, "lengths")
    if array.dtype == np.bool_:
        lengths = _lengths_of_mask(array, most)
    else:
        lengths = as_integers(array, "lengths")
    if sentences is not None and len(lengths) != sentences:
        raise ValueError(f"lengths has {len(lengths)} entries for {sentences} sentences")
    bad = np.flatnonzero((lengths < 0) | (lengths > (2**31 - 2 if most is None else most)))
    if bad.size:
        limit = "" if most is None else f", the matrix has room for {most}"
        raise ValueError(f"sentence {bad[0]}: length {lengths[bad[0]]}{limit}")
    return lengths


def _lengths_of_mask(mask: Array, most: int | None) -> Int64Array:
    """A mask says which nodes are words, [sentences, words + 1] or [sentences, words]."""
    if mask.ndim != 2 or most is None or mask.shape[1] not in (most, most + 1):
        raise ValueError(
            f"mask has shape {mask.shape}; need [sentences, words + 1] (with the root)"
        )
    words = mask[:, mask.shape[1] - most :]
    lengths: Int64Array = words.sum(axis=1, dtype=np.int64)
    holes = np.flatnonzero((words != (np.arange(most) < lengths[:, None])).any(axis=1))
    if holes.size:
        raise ValueError(f"sentence {holes[0]}: its mask has holes; words must stand first")
    return lengths


def _listed(scores: Sequence[ArrayInput], lengths: ArrayInput | None, axes: Axes) -> _Sentences:
    arrays: list[Array] = []
    for i, values in enumerate(scores):
        try:
            array = as_scores(values)
        except (TypeError, ValueError) as error:
            raise type(error)(f"sentence {i}: {error}") from None
        if array.ndim != 2 or array.shape[0] != array.shape[1] or not array.shape[0]:
            raise ValueError(f"sentence {i}: scores has shape {array.shape}; need a square matrix")
        arrays.append(head_first(array, axes))
    most = np.array([len(array) - 1 for array in arrays], np.int64)
    words = most if lengths is None else _lengths(lengths, len(arrays), None)
    too_long = np.flatnonzero(words > most)
    if too_long.size:
        i = too_long[0]
        raise ValueError(f"sentence {i}: length {words[i]}, the matrix has room for {most[i]}")
    if lengths is not None:
        arrays = [array[: n + 1, : n + 1] for array, n in zip(arrays, words.tolist(), strict=True)]
    integers = all(array.dtype == np.int64 for array in arrays)
    if not integers:
        arrays = [a.astype(np.float64) if a.dtype == np.int64 else a for a in arrays]
    return _Sentences(arrays, words, integers, axes)


def _sentences(
    scores: ArrayInput | Sequence[ArrayInput], lengths: ArrayInput | None, axes: Axes
) -> _Sentences:
    if isinstance(scores, (list, tuple)):
        return _listed(scores, lengths, axes)
    array = as_scores(cast(ArrayInput, scores))
    integers = bool(array.dtype == np.int64)
    if array.ndim == 1:
        if lengths is None:
            raise ValueError("a flat array of scores needs lengths, the words of every sentence")
        words = _lengths(lengths, None, None)
        need = int(((words + 1) ** 2).sum())
        if need != array.size:
            raise ValueError(f"scores has {array.size} elements; these lengths need {need}")
        head_first(array.reshape(1, -1), axes)  # is there such an order?
        return _Sentences(np.ascontiguousarray(array), words, integers, axes)
    if array.ndim != 3 or array.shape[1] != array.shape[2] or not array.shape[1]:
        raise ValueError(
            f"scores has shape {array.shape}; need [sentences, words + 1, words + 1], a list of "
            "matrices, or a flat array with lengths"
        )
    most = array.shape[1] - 1
    words = np.full(len(array), most) if lengths is None else _lengths(lengths, len(array), most)
    return _Sentences(head_first(array, axes, 1), words, integers, axes)


def _own_options(
    shared: _core.Options,
    required: Sequence[Arcs | None] | None,
    forbidden: Sequence[Arcs | None] | None,
    sentences: int,
) -> list[_core.Options]:
    """Constraints differ from sentence to sentence."""
    for name, arcs in (("required", required), ("forbidden", forbidden)):
        if arcs is not None and len(arcs) != sentences:
            raise ValueError(f"{name} has {len(arcs)} lists of arcs for {sentences} sentences")
    all_options = []
    for i in range(sentences):
        options = shared.copy()
        try:
            constrain(
                options,
                None if required is None else required[i],
                None if forbidden is None else forbidden[i],
            )
        except ValueError as error:
            raise ValueError(f"sentence {i}: {error}") from None
        all_options.append(options)
    return all_options


def _add_labels(
    batch: _core.Batch, sentences: _Sentences, labels: Any, label_ids: Any, axes: Axes
) -> None:
    if isinstance(sentences.scores, list):
        if len(labels) != len(sentences.scores):
            raise ValueError(f"labels of {len(labels)} sentences for {len(sentences.scores)}")
        for i, matrix in enumerate(sentences.scores):
            try:
                ids = None if label_ids is None else label_ids[i]
                batch.add_labels(*as_labels(labels[i], ids, axes, matrix.shape))
            except (TypeError, ValueError) as error:
                raise type(error)(f"sentence {i}: {error}") from None
    elif sentences.padded:
        batch.add_labels(*as_labels(labels, label_ids, axes, sentences.scores.shape))
    else:
        raise ValueError("labels go with a list of matrices or a padded array, not a flat one")


def kbest_batch(
    scores: ArrayInput | Sequence[ArrayInput],
    lengths: ArrayInput | None = None,
    k: int = 1,
    *,
    root: RootRule,
    axes: Axes = "head,dep",
    max_gap: float | None = None,
    required: Sequence[Arcs | None] | None = None,
    forbidden: Sequence[Arcs | None] | None = None,
    labels: ArrayInput | Sequence[ArrayInput] | None = None,
    label_ids: ArrayInput | Sequence[ArrayInput] | None = None,
    minimize: bool = False,
    threads: int = 1,
    on_error: OnError = "raise",
) -> BatchResult:
    """The `k` best trees of many sentences, exactly and in order, on `threads` threads.

    Parameters
    ----------
    scores
        A padded array [sentences, words + 1, words + 1]; or a list of matrices; or all matrices
        one after the other in a flat array. Types as for `kbest`.
    lengths
        The number of words of every sentence, **the root not counted**; or a mask, bool
        [sentences, words + 1], that is true for words (what it says of the root is ignored).
        Needed for a flat array; without it all of every matrix is meant.
    k
        How many trees of each sentence.
    root, axes, max_gap, minimize
        As for `kbest`.
    required, forbidden
        For every sentence its (head, dependent) pairs, or None.
    labels, label_ids
        As for `kbest`, with the same first axis as `scores`, or lists.
    threads
        How many threads. The result does not depend on it.
    on_error
        A sentence that cannot be decoded (NaN, plus infinity, no words ...) is a `ValueError` that
        names it (``"raise"``), or has no trees and its message in `BatchResult.errors`
        (``"report"``). A sentence without a tree is no error: its count is 0.
    """
    if on_error not in ("raise", "report"):
        raise ValueError(f'on_error is {on_error!r}; must be "raise" or "report"')
    sentences = _sentences(scores, lengths, axes)
    count = len(sentences.lengths)
    k = as_count(k, "k")
    options = make_options(root, k=k, max_gap=max_gap, minimize=minimize)
    batch = _core.Batch(options)
    sentences.add_to(batch)
    if required is not None or forbidden is not None:
        batch.set_options(_own_options(options, required, forbidden, count))
    if labels is not None:
        _add_labels(batch, sentences, labels, label_ids, axes)

    pitches = sentences.lengths
    if sentences.padded:
        pitches = np.full(count, cast(Array, sentences.scores).shape[1] - 1, np.int64)
    heads = Blocks(k, pitches, sentences.padded)
    label_blocks = None if labels is None else Blocks(k, pitches, sentences.padded)
    integers = sentences.integers and labels is None
    tree_scores: Any = np.empty((count, k), np.int64 if integers else np.float64)
    counts: Int32Array = np.empty(count, np.int32)
    errors = dict(
        batch.run(
            as_count(threads, "threads"),
            heads.flat,
            None if label_blocks is None else label_blocks.flat,
            heads.offsets,
            pitches,
            tree_scores,
            counts,
            sentences.padded,
        )
    )
    if errors and on_error == "raise":
        first = min(errors)
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        raise ValueError(f"sentence {first}: {errors[first]}{more}")
    return BatchResult(heads, label_blocks, tree_scores, counts, sentences.lengths, errors)
