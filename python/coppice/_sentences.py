"""The score matrices of many sentences, in the forms in which people have them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from coppice import _core
from coppice._arrays import (
    Array,
    ArrayInput,
    Axes,
    Int64Array,
    as_array,
    as_integers,
    as_scores,
    head_first,
)
from coppice._phrases import counted, entries
from coppice._temperature import Temperature, divided

OnError = Literal["raise", "report"]
_NO_ROOT = "; lengths do not count the root"


@dataclass(frozen=True, slots=True)
class Sentences:
    """The matrices of a batch, [head, dependent], in one of three forms."""

    #: [sentences, nodes, nodes]; [elements]; or a list of matrices.
    scores: Array | list[Array]
    lengths: Int64Array
    integers: bool
    #: Of a flat array: where each matrix begins, and how it is laid out.
    starts: Int64Array | None = None
    axes: Axes = "head,dep"
    #: Where the extension has them already.
    core: _core.Sentences | None = None

    @property
    def padded(self) -> bool:
        """Whether results go into padded arrays, too."""
        return not isinstance(self.scores, list) and self.scores.ndim == 3

    @property
    def width(self) -> int:
        """The most words there is room for."""
        if not isinstance(self.scores, list) and self.scores.ndim == 3:
            return int(self.scores.shape[1]) - 1
        return int(self.lengths.max(initial=0))

    def matrices(self) -> list[Array]:
        """Each on its own, [head, dependent]."""
        nodes = (self.lengths + 1).tolist()
        if isinstance(self.scores, list):
            return self.scores
        if self.starts is None:
            return [self.scores[i, :n, :n] for i, n in enumerate(nodes)]
        flat = [
            self.scores[start : start + n * n].reshape(n, n)
            for start, n in zip(self.starts.tolist(), nodes, strict=True)
        ]
        return [head_first(matrix, self.axes) for matrix in flat]

    def to_core(self) -> _core.Sentences:
        """As the extension takes them."""
        if self.core is not None:
            return self.core
        sentences = _core.Sentences()
        nodes = self.lengths + 1
        if isinstance(self.scores, list):
            for matrix in self.scores:
                sentences.add(matrix)
        elif self.scores.ndim == 3:
            sentences.add_padded(self.scores, nodes)
        else:
            assert self.starts is not None
            sentences.add_flat(self.scores, self.starts, nodes, self.axes == "dep,head")
        return sentences


def _lengths(values: ArrayInput, sentences: int | None, most: int | None) -> Int64Array:
    """Words per sentence, from lengths or a mask."""
    array = as_array(values, "lengths")
    if array.dtype == np.bool_:
        lengths = _lengths_of_mask(array, most)
    else:
        lengths = as_integers(array, "lengths")
    if sentences is not None and len(lengths) != sentences:
        raise ValueError(
            f"lengths has {entries(len(lengths))} for {counted(sentences, 'sentence')}"
        )
    bad = np.flatnonzero((lengths < 0) | (lengths > (2**31 - 2 if most is None else most)))
    if bad.size:
        limit = "" if most is None else f", the matrix has room for {most}{_NO_ROOT}"
        raise ValueError(f"sentence {bad[0]}: length {lengths[bad[0]]}{limit}")
    return lengths


def matrix_sizes(words: Int64Array, most: int) -> Int64Array:
    """(words + 1)², or -1 where that is more than `most`: squares of large numbers would wrap."""
    fits = (words >= 0) & (words < math.isqrt(most))
    return np.where(fits, np.where(fits, words + 1, 0) ** 2, -1)


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


def _beside_floats(array: Array, sentence: int) -> Array:
    """Integers among sentences of floats: as float64, in which all their sums must be exact."""
    if array.dtype != np.int64:
        return array
    largest = max(abs(int(array.max())), abs(int(array.min())))
    if largest * len(array) > 2**53:
        raise ValueError(
            f"sentence {sentence}: integers as large as {largest}, beside sentences of floats, "
            "would lose digits; give them as integers all, or as floats all"
        )
    return array.astype(np.float64)


def _plain(scores: list[ArrayInput]) -> Sentences | None:
    """A list of arrays that need no change, without a look at each from Python."""
    core = _core.Sentences()
    nodes = core.add_plain(scores, np.ndarray)
    if not nodes:
        return None
    arrays = cast(list[Array], scores)
    words = np.array(nodes, np.int64) - 1
    return Sentences(arrays, words, bool(arrays[0].dtype == np.int64), core=core)


def _listed(
    scores: Sequence[ArrayInput], lengths: ArrayInput | None, axes: Axes, temperature: Temperature
) -> Sentences:
    if lengths is None and axes == "head,dep" and temperature.arcs == 1.0:
        plain = _plain(list(scores))
        if plain is not None:
            return plain
    arrays: list[Array] = []
    for i, values in enumerate(scores):
        try:
            array = divided(as_scores(values), temperature.arcs)
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
        room = f"the matrix has room for {most[i]}{_NO_ROOT}"
        raise ValueError(f"sentence {i}: length {words[i]}, {room}")
    if lengths is not None:
        arrays = [array[: n + 1, : n + 1] for array, n in zip(arrays, words.tolist(), strict=True)]
    integers = all(array.dtype == np.int64 for array in arrays)
    if not integers:
        arrays = [_beside_floats(array, i) for i, array in enumerate(arrays)]
    return Sentences(arrays, words, integers)


def as_sentences(
    scores: ArrayInput | Sequence[ArrayInput],
    lengths: ArrayInput | None,
    axes: Axes,
    on_error: OnError,
    temperature: Temperature,
) -> Sentences:
    """Whatever the caller gave."""
    if on_error not in ("raise", "report"):
        raise ValueError(f'on_error is {on_error!r}; must be "raise" or "report"')
    if isinstance(scores, (list, tuple)):
        return _listed(scores, lengths, axes, temperature)
    array = divided(as_scores(cast(ArrayInput, scores)), temperature.arcs)
    integers = bool(array.dtype == np.int64)
    if array.ndim == 1:
        if lengths is None:
            raise ValueError("a flat array of scores needs lengths, the words of every sentence")
        words = _lengths(lengths, None, None)
        sizes = matrix_sizes(words, array.size)
        if (sizes < 0).any() or sizes.sum() != array.size:
            need = f"these lengths need {sum((n + 1) ** 2 for n in words.tolist())}{_NO_ROOT}"
            raise ValueError(f"scores has {array.size} elements; {need}")
        head_first(array.reshape(1, -1), axes)  # is there such an order?
        starts = np.cumsum(sizes) - sizes
        return Sentences(np.ascontiguousarray(array), words, integers, starts, axes)
    if array.ndim != 3 or array.shape[1] != array.shape[2] or not array.shape[1]:
        one = "; for one sentence: kbest, TreeDistribution" if array.ndim == 2 else ""
        raise ValueError(
            f"scores has shape {array.shape}; need [sentences, words + 1, words + 1], a list of "
            f"matrices, or a flat array with lengths{one}"
        )
    most = array.shape[1] - 1
    words = np.full(len(array), most) if lengths is None else _lengths(lengths, len(array), most)
    return Sentences(head_first(array, axes, 1), words, integers)


def check_errors(errors: Mapping[int, Exception], on_error: OnError) -> None:
    """Raise the first one, unless the caller wants to have them reported."""
    if errors and on_error == "raise":
        first = min(errors)
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        raise type(errors[first])(f"sentence {first}: {errors[first]}{more}")
