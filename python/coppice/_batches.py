"""What `kbest_batch` returns: the K best trees of many sentences."""

from __future__ import annotations

import copy
import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast, overload

import numpy as np
import numpy.typing as npt

from coppice import _core
from coppice._arrays import Array, Float64Array, Int32Array
from coppice._phrases import counted
from coppice._results import KBestResult, Notes, Probabilities, frozen, same
from coppice._shown import ShownResults


class BatchResult(ShownResults, Sequence[KBestResult]):
    """The K best trees of many sentences, as padded arrays.

    A sequence of sentences: ``for result in batch``, ``batch[i]``, ``len(batch)``, each the
    `KBestResult` of a sentence without any padding. The padded arrays are there by name, or all at
    once by ``heads, scores, counts = batch.arrays()``. Arrays are read-only. Results can be
    pickled, copied and compared.

    >>> import coppice
    >>> batch = coppice.kbest_batch([[[0, 9, 10], [0, 0, 20], [0, 30, 0]]], 2, root="single")
    >>> batch
    <BatchResult: 1 sentence, 2 trees>
    >>> batch[0].heads
    array([[2, 0],
           [0, 1]], dtype=int32)
    """

    __slots__ = (
        "_bound_gaps",
        "_heads",
        "_labels",
        "_notes",
        "_probabilities",
        "_reasons",
        "bounds",
        "counts",
        "errors",
        "label_names",
        "lengths",
        "scores",
    )

    #: [sentences, k]: of trees that do not exist minus infinity (when minimising: plus infinity);
    #: integers are a `numpy.ma.MaskedArray`, in which such trees are masked.
    scores: Array
    #: int32 [sentences]: how many trees there are, 0 where there is none.
    counts: Int32Array
    #: int64 [sentences]: how many words.
    lengths: npt.NDArray[np.int64]
    #: Sentence -> the exception that says what is wrong with it; empty if all is well.
    errors: Mapping[int, Exception]
    #: float64 [sentences]: as `KBestResult.bound`, NaN where the budget sufficed.
    bounds: Float64Array

    def __init__(
        self,
        heads: Blocks,
        labels: Blocks | None,
        scores: Array,
        counts: Int32Array,
        lengths: npt.NDArray[np.int64],
        errors: Mapping[int, Exception],
        bounds: Float64Array,
    ) -> None:
        self._heads = heads
        self._labels = labels
        self.scores = frozen(scores)
        self.counts = frozen(counts)
        self.lengths = frozen(lengths)
        self.errors = errors
        self.bounds, self._bound_gaps = frozen(bounds).T
        self._probabilities: BatchProbabilities | None = None
        self._reasons: Mapping[int, str] = {}  # where rules leave no tree
        self._notes: list[Notes] = []  # none, or one for each
        #: Those of all sentences, where they have no notes of their own.
        self.label_names: tuple[str, ...] = ()

    @property
    def complete(self) -> npt.NDArray[np.bool_]:
        """[sentences]: as `KBestResult.complete`."""
        return np.isnan(self.bounds)

    @property
    def heads(self) -> Int32Array:
        """int32 [sentences, k, most words]: 0 for the root, -1 where there is no word or tree."""
        return self._heads.padded(self.counts, self.lengths)

    @property
    def labels(self) -> Int32Array | None:
        """As `heads`, the labels, where label scores were given."""
        return None if self._labels is None else self._labels.padded(self.counts, self.lengths)

    def _found(self) -> BatchProbabilities:
        if self._probabilities is None:
            raise ValueError(
                "probabilities were not asked for: kbest_batch(..., probabilities=True)"
            )
        return self._probabilities

    @property
    def probabilities(self) -> Float64Array:
        """[sentences, k]: as `KBestResult.probabilities`, 0 where there is no tree."""
        return self._found().trees

    @property
    def head_probabilities(self) -> Float64Array:
        """As `heads`: as `KBestResult.head_probabilities`, 0 where there is no word or tree."""
        return self._found().heads.padded(self.counts, self.lengths)

    @property
    def label_probabilities(self) -> Float64Array | None:
        """The same, as `KBestResult.label_probabilities`."""
        labels = self._found().labels
        return None if labels is None else labels.padded(self.counts, self.lengths)

    @property
    def other_heads(self) -> Int32Array:
        """As `heads`: as `KBestResult.other_heads`."""
        return self._found().other_heads.padded(self.counts, self.lengths)

    @property
    def other_head_probabilities(self) -> Float64Array:
        """The same, as `KBestResult.other_head_probabilities`."""
        return self._found().others.padded(self.counts, self.lengths)

    @property
    def gaps(self) -> Array:
        """[sentences, k]: how much worse than the best tree.

        Where there is none plus infinity, or masked, as for `scores`.
        """
        if isinstance(self.scores, np.ma.MaskedArray):
            return cast(Array, np.abs(self.scores - self.scores[:, :1]))
        exist = np.arange(self.scores.shape[1]) < self.counts[:, None]
        best = np.where(exist[:, :1], self.scores[:, :1], 0)
        gaps = np.abs(np.where(exist, self.scores, 0) - best)
        return np.where(exist, gaps, np.inf)

    def __len__(self) -> int:
        return len(self.counts)

    def __eq__(self, other: object) -> bool:
        """The same trees of the same sentences, as `KBestResult`, and the same errors."""
        if not isinstance(other, BatchResult):
            return NotImplemented
        return self is other or (
            np.array_equal(self.lengths, other.lengths)
            and np.array_equal(self.counts, other.counts)
            and np.array_equal(self.bounds, other.bounds, equal_nan=True)
            and np.array_equal(self._scores_that_exist(), other._scores_that_exist())
            and np.array_equal(self._flat_heads(), other._flat_heads())
            and same(self._flat_labels(), other._flat_labels())
            and self._said() == other._said()
        )

    __hash__ = None  # type: ignore[assignment]

    def _scores_that_exist(self) -> Array:
        exist = np.arange(self.scores.shape[1]) < self.counts[:, None]
        return np.ma.getdata(self.scores)[exist]

    def _said(self) -> dict[int, tuple[type, str]]:
        return {i: (type(error), str(error)) for i, error in self.errors.items()}

    def __iter__(self) -> Iterator[KBestResult]:
        return (self[sentence] for sentence in range(len(self)))

    def arrays(self) -> tuple[Int32Array, Array, Int32Array]:
        """``heads, scores, counts``."""
        return self.heads, self.scores, self.counts

    @overload
    def __getitem__(self, sentence: int) -> KBestResult: ...
    @overload
    def __getitem__(self, sentence: slice) -> list[KBestResult]: ...
    def __getitem__(self, sentence: int | slice) -> KBestResult | list[KBestResult]:
        if isinstance(sentence, slice):
            return [self[i] for i in range(len(self))[sentence]]
        sentence = range(len(self))[operator.index(sentence)]
        count, words = int(self.counts[sentence]), int(self.lengths[sentence])
        labels = None if self._labels is None else self._labels.block(sentence, count, words)
        scores = np.ma.getdata(self.scores)[sentence, :count]
        result = KBestResult(self._heads.block(sentence, count, words), scores, labels=labels)
        result._notes = self._notes_of(sentence)
        if sentence in self.errors:
            result._error = str(self.errors[sentence])
        elif sentence in self._reasons:
            result._error = f"no tree: {self._reasons[sentence]}"
        if not self.complete[sentence]:
            result.bound = float(self.bounds[sentence])
            result.bound_gap = float(self._bound_gaps[sentence])
        if (found := self._probabilities) is not None:
            result._probabilities = found.block(sentence, count, words)
        return result

    def _notes_of(self, sentence: int) -> Notes:
        if self._notes:
            return self._notes[sentence]
        return Notes(id=str(sentence), label_names=self.label_names)

    def annotate(
        self,
        words: Sequence[Sequence[str]] | None = None,
        *,
        tags: Sequence[Sequence[str]] | None = None,
        label_names: Sequence[str] | None = None,
        ids: Sequence[str] | None = None,
        conllu: str | Sequence[str] | None = None,
    ) -> BatchResult:
        """The same trees with words, as `KBestResult.annotate`: for each sentence its own.

        `conllu` is the text of a file, or the sentences one by one; `label_names` are those of all.
        """
        if isinstance(conllu, str):
            conllu = [f"{block}\n\n" for block in re.split(r"\n\s*\n", conllu.strip())]
        given = {"words": words, "tags": tags, "id": ids, "conllu": conllu}
        each = {name: list(values) for name, values in given.items() if values is not None}
        for name, values in each.items():
            if len(values) != len(self):
                raise ValueError(f"{name} of {counted(len(values), 'sentence')} for {len(self)}")
        result = copy.copy(self)
        result._notes = []
        for i, sentence in enumerate(self):
            own: dict[str, Any] = {name: values[i] for name, values in each.items()}
            try:
                result._notes.append(sentence.annotate(label_names=label_names, **own)._notes)
            except ValueError as error:
                raise ValueError(f"sentence {i}: {error}") from None
        return result

    def _flat_heads(self) -> Int32Array:
        """The heads of all trees of all sentences one after the other, without any padding."""
        return self._heads.without_padding(self.counts, self.lengths)

    def _flat_labels(self) -> Int32Array | None:
        """The labels in the same way."""
        if self._labels is None:
            return None
        return self._labels.without_padding(self.counts, self.lengths)

    def _flat_probabilities(self) -> tuple[Float64Array, Float64Array | None]:
        """`head_probabilities` and `label_probabilities` in the same way."""
        found = self._found()
        labels = found.labels
        return (
            found.heads.without_padding(self.counts, self.lengths),
            None if labels is None else labels.without_padding(self.counts, self.lengths),
        )

    def __repr__(self) -> str:
        bad = f", {len(self.errors)} with errors" if self.errors else ""
        size = f"{counted(len(self), 'sentence')}, {counted(self.counts.sum(), 'tree')}"
        return f"<BatchResult: {size}{bad}>"


class Blocks:
    """Numbers of the words of all trees of a batch in one flat array: a block [k, pitch] each.

    Where the pitch is the same for all, the array is the padded one. Else blocks are only as wide
    as their sentence, and once all is written only as long as it has trees; the padded array is
    made when somebody asks for it. What is no word is -1, of probabilities 0.
    """

    __slots__ = ("_padded", "flat", "k", "offsets", "pitches")

    def __init__(
        self, k: int, pitches: npt.NDArray[np.int64], padded: bool, dtype: Any = np.int32
    ) -> None:
        self.k = k
        self.pitches = pitches
        sizes = pitches * k
        self.offsets: npt.NDArray[np.int64] = np.cumsum(sizes) - sizes
        # Zeros cost nothing until they are touched, and most sentences need not all their rows.
        self.flat: Array = np.zeros(int(sizes.sum()), dtype)
        self._padded: Array | None = None
        if padded:
            width = int(pitches[0]) if len(pitches) else 0
            self._padded = self.flat.reshape(len(pitches), k, width)

    def __getstate__(self) -> Any:
        """Without the padded array, which may be the flat one in another form."""
        width = None if self._padded is None or not self._is_flat() else self._padded.shape
        return self.flat, self.k, self.offsets, self.pitches, width

    def __setstate__(self, state: Any) -> None:
        self.flat, self.k, self.offsets, self.pitches, shape = state
        self._padded = None if shape is None else self.flat.reshape(shape)
        self.freeze()

    def _is_flat(self) -> bool:
        return self._padded is not None and self._padded.base is self.flat

    def freeze(self, counts: Int32Array | None = None) -> None:
        """All is written, and packed by these counts of trees: from now on it is read."""
        if counts is not None and self._padded is None:
            sizes = counts * self.pitches
            self.offsets = np.cumsum(sizes) - sizes
            self.flat = self.flat[: int(sizes.sum())]
        self.flat.flags.writeable = False
        if self._padded is not None:
            self._padded.flags.writeable = False

    def block(self, sentence: int, count: int, words: int) -> Array:
        """[count, words]: the rows of one sentence."""
        begin, pitch = int(self.offsets[sentence]), int(self.pitches[sentence])
        return self.flat[begin : begin + count * pitch].reshape(count, pitch)[:, :words]

    def without_padding(self, counts: Int32Array, lengths: npt.NDArray[np.int64]) -> Array:
        """All rows that are there, one after the other, flat."""
        if self._padded is not None:
            ranks, words = np.arange(self.k), np.arange(self._padded.shape[2])
            exist = (ranks < counts[:, None])[:, :, None] & (words < lengths[:, None])[:, None]
            return self._padded[exist]
        return self.flat

    def padded(self, counts: Int32Array, lengths: npt.NDArray[np.int64]) -> Array:
        """[sentences, k, most words]."""
        if self._padded is None:
            width = int(lengths.max()) if len(lengths) else 0
            fill = -1 if self.flat.dtype.kind == "i" else 0
            self._padded = np.full((len(counts), self.k, width), fill, self.flat.dtype)
            for i, (count, words) in enumerate(zip(counts.tolist(), lengths.tolist(), strict=True)):
                self._padded[i, :count, :words] = self.block(i, count, words)
            self._padded.flags.writeable = False
        return self._padded


@dataclass(frozen=True, slots=True)
class BatchProbabilities:
    """How likely the trees of a batch are, [sentences, k], and what is in them."""

    trees: Float64Array
    heads: Blocks
    labels: Blocks | None
    other_heads: Blocks
    others: Blocks

    def to_core(self) -> _core.ConfidenceOutput:
        """Where the extension writes it."""
        return _core.ConfidenceOutput(
            self.trees,
            self.heads.flat,
            None if self.labels is None else self.labels.flat,
            self.other_heads.flat,
            self.others.flat,
        )

    def freeze(self, counts: Int32Array | None = None) -> None:
        """All is written: from now on it is read."""
        self.trees.flags.writeable = False
        for blocks in (self.heads, self.labels, self.other_heads, self.others):
            if blocks is not None:
                blocks.freeze(counts)

    def block(self, sentence: int, count: int, words: int) -> Probabilities:
        """Of one sentence."""
        labels = None if self.labels is None else self.labels.block(sentence, count, words)
        return Probabilities(
            self.trees[sentence, :count],
            self.heads.block(sentence, count, words),
            labels,
            self.other_heads.block(sentence, count, words),
            self.others.block(sentence, count, words),
        )
