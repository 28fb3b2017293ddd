"""What the functions return: a tree, the K best trees of one sentence, those of a batch."""

from __future__ import annotations

import base64
import html
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, overload

import numpy as np
import numpy.typing as npt

from coppice import _core
from coppice._arrays import Array, Float64Array, Int32Array


class Tree(NamedTuple):
    """One tree of a graph with words 1..n.

    ``heads[i]`` is the head of word ``i + 1``: another word, or 0 for the root. `gap` is how much
    worse the tree is than the best one, whether maximising or minimising.
    """

    heads: Int32Array
    score: float
    gap: float = 0.0
    #: Of every word the label of its arc, where label scores were given.
    labels: Int32Array | None = None
    #: Of every word the edge it hangs from, where the graph is a `Multigraph`.
    edges: Int32Array | None = None


def with_root(heads: npt.ArrayLike, root_value: int = -1) -> Int32Array:
    """Heads with an entry for the root itself in front, as many libraries have them.

    >>> with_root([2, 0, 2])
    array([-1,  2,  0,  2], dtype=int32)
    """
    heads = np.asarray(heads, np.int32)
    padding = [(0, 0)] * (heads.ndim - 1) + [(1, 0)]
    return np.pad(heads, padding, constant_values=root_value)


@dataclass(frozen=True, slots=True)
class _Notes:
    """What a result says about its sentence when it is shown."""

    id: str = ""
    words: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    label_names: tuple[str, ...] = ()


class KBestResult:
    """The K best trees of one graph, from best to worst; none where the graph has no tree.

    A sequence of trees: ``for tree in result``, ``result[rank]``, ``len(result)``; ``result[:5]``
    is the first five as a result of their own. The arrays are there by name, or all at once by
    ``heads, scores, gaps = result.arrays()``.
    """

    __slots__ = ("_notes", "bound", "edges", "gaps", "heads", "labels", "scores")

    #: int32 [trees, words]: of every word its head, 0 for the root.
    heads: Int32Array
    #: [trees], float64; int64, and exact, where all weights are integers.
    scores: Array
    #: How much worse than the best tree, as `scores`, 0 or more.
    gaps: Array
    #: As `Tree.labels`, [trees, words].
    labels: Int32Array | None
    #: As `Tree.edges`, [trees, words].
    edges: Int32Array | None

    def __init__(
        self,
        heads: Int32Array,
        scores: Array,
        gaps: Array | None = None,
        labels: Int32Array | None = None,
        edges: Int32Array | None = None,
    ) -> None:
        self.heads = heads
        self.scores = scores
        self.gaps = np.abs(scores - scores[:1]) if gaps is None else gaps
        self.labels = labels
        self.edges = edges
        #: Where a budget ran out: no tree beyond these is better. Else None.
        self.bound: float | None = None
        self._notes = _Notes()

    @property
    def complete(self) -> bool:
        """Whether these are all the trees that were asked for, or all there are."""
        return self.bound is None

    def __len__(self) -> int:
        return len(self.scores)

    def __iter__(self) -> Iterator[Tree]:
        return (self[rank] for rank in range(len(self)))

    def arrays(self) -> tuple[Int32Array, Array, Array]:
        """``heads, scores, gaps``."""
        return self.heads, self.scores, self.gaps

    @overload
    def __getitem__(self, rank: int) -> Tree: ...
    @overload
    def __getitem__(self, rank: slice) -> KBestResult: ...
    def __getitem__(self, rank: int | slice) -> Tree | KBestResult:
        labels = None if self.labels is None else self.labels[rank]
        edges = None if self.edges is None else self.edges[rank]
        if isinstance(rank, slice):
            part = KBestResult(self.heads[rank], self.scores[rank], self.gaps[rank], labels, edges)
            part._notes = self._notes
            return part
        rank = operator.index(rank)
        score, gap = self.scores[rank].item(), self.gaps[rank].item()
        return Tree(self.heads[rank], score, gap, labels, edges)

    @property
    def n(self) -> int:
        """The number of words, the root not counted."""
        return int(self.heads.shape[1])

    def with_root(self, root_value: int = -1) -> Int32Array:
        """``heads`` with an entry for the root in front, [trees, words + 1]."""
        return with_root(self.heads, root_value)

    def annotate(
        self,
        words: Sequence[str] | None = None,
        *,
        tags: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        id: str | None = None,
    ) -> KBestResult:
        """The same trees with words (and tags, names of labels, a name) to show them with."""
        for name, values in (("words", words), ("tags", tags)):
            if values is not None and len(values) != self.n:
                raise ValueError(f"{name} has {len(values)} entries for {self.n} words")
        old = self._notes
        result = self[:]
        result.bound = self.bound
        result._notes = _Notes(
            old.id if id is None else id,
            old.words if words is None else tuple(words),
            old.tags if tags is None else tuple(tags),
            old.label_names if label_names is None else tuple(label_names),
        )
        return result

    def _to_core(self) -> _core.Sentence:
        notes, labels, names = self._notes, self.labels, list(self._notes.label_names)
        if labels is not None:
            labels = np.ascontiguousarray(labels)
            unnamed = range(len(names), int(labels.max(initial=-1)) + 1)
            names += [str(label) for label in unnamed]
        sentence = _core.Sentence(notes.id, notes.words, notes.tags)
        heads, scores = np.ascontiguousarray(self.heads), np.ascontiguousarray(self.scores)
        sentence.set_trees(heads, scores, labels, names if labels is not None else [])
        return sentence

    def to_conllu(self, *, text: str = "") -> str:
        """All trees as CoNLL-U, with their rank and score as comments; see `annotate`."""
        return self._to_core().conllu(text)

    def to_svg(self, rank: int = 0) -> str:
        """One tree as a drawing; arcs that differ from the best tree are marked."""
        return self._to_core().svg(range(len(self))[rank])

    def to_html(self, *, title: str = "coppice", caption: str = "") -> str:
        """A page to walk through the trees, as ``coppice view`` makes it. Needs no network."""
        return to_html([self], title=title, caption=caption)

    def _repr_html_(self) -> str:
        """The best trees, drawn; for notebooks."""
        drawings = [f"<div>{html.escape(repr(self))}</div>"]
        for rank in range(min(len(self), 3)):
            # An image of its own, so that styles do not leak into the notebook.
            data = base64.b64encode(self.to_svg(rank).encode()).decode()
            caption = f"{rank + 1}: score {self.scores[rank]:g}, gap {self.gaps[rank]:g}"
            drawings.append(
                f'<div>{caption}<br><img alt="tree {rank + 1}" '
                f'src="data:image/svg+xml;base64,{data}"></div>'
            )
        return "\n".join(drawings)

    def __repr__(self) -> str:
        if not len(self):
            return f"<KBestResult: no tree of {self.n} words>"
        count = f"{len(self)} tree{'s' if len(self) > 1 else ''}"
        best, worst = self.scores[0], self.scores[-1]
        return f"<KBestResult: {count} of {self.n} words, scores {best:g} to {worst:g}>"


class BatchResult:
    """The K best trees of many sentences, as padded arrays.

    A sequence of sentences: ``for result in batch``, ``batch[i]``, ``len(batch)``, each the
    `KBestResult` of a sentence without any padding. The padded arrays are there by name, or all at
    once by ``heads, scores, counts = batch.arrays()``.
    """

    __slots__ = ("_heads", "_labels", "bounds", "counts", "errors", "lengths", "scores")

    #: [sentences, k]: of trees that do not exist minus infinity (when minimising: plus infinity).
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
        self.scores = scores
        self.counts = counts
        self.lengths = lengths
        self.errors = errors
        self.bounds = bounds

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

    @property
    def gaps(self) -> Array:
        """[sentences, k]: how much worse than the best tree; plus infinity where there is none."""
        exist = np.arange(self.scores.shape[1]) < self.counts[:, None]
        best = np.where(exist[:, :1], self.scores[:, :1], 0)
        gaps = np.abs(np.where(exist, self.scores, 0) - best)
        worst = np.inf if gaps.dtype.kind == "f" else np.iinfo(np.int64).max
        return np.where(exist, gaps, worst).astype(gaps.dtype, copy=False)

    def __len__(self) -> int:
        return len(self.counts)

    def __iter__(self) -> Iterator[KBestResult]:
        return (self[sentence] for sentence in range(len(self)))

    def arrays(self) -> tuple[Int32Array, Array, Int32Array]:
        """``heads, scores, counts``."""
        return self.heads, self.scores, self.counts

    def __getitem__(self, sentence: int) -> KBestResult:
        sentence = range(len(self))[operator.index(sentence)]
        count, words = int(self.counts[sentence]), int(self.lengths[sentence])
        labels = None if self._labels is None else self._labels.block(sentence, count, words)
        result = KBestResult(
            self._heads.block(sentence, count, words), self.scores[sentence, :count], labels=labels
        )
        if not self.complete[sentence]:
            result.bound = float(self.bounds[sentence])
        return result

    def flat_heads(self) -> Int32Array:
        """The heads of all trees of all sentences one after the other, without any padding."""
        return self._heads.without_padding(self.counts, self.lengths)

    def __repr__(self) -> str:
        bad = f", {len(self.errors)} with errors" if self.errors else ""
        return f"<BatchResult: {len(self)} sentences, {self.counts.sum()} trees{bad}>"


class Blocks:
    """The heads of a batch in one flat array, a block [k, pitch] for each sentence.

    Where the pitch is the same for all, the array is the padded one. Else blocks are only as wide
    as their sentence, and the padded array is made when somebody asks for it.
    """

    __slots__ = ("_padded", "flat", "k", "offsets", "pitches")

    def __init__(self, k: int, pitches: npt.NDArray[np.int64], padded: bool) -> None:
        self.k = k
        self.pitches = pitches
        sizes = pitches * k
        self.offsets: npt.NDArray[np.int64] = np.cumsum(sizes) - sizes
        size = int(sizes.sum())
        # Zeros cost nothing until they are touched, and most sentences need not all their rows.
        self.flat: Int32Array = np.empty(size, np.int32) if padded else np.zeros(size, np.int32)
        self._padded: Int32Array | None = None
        if padded:
            width = int(pitches[0]) if len(pitches) else 0
            self._padded = self.flat.reshape(len(pitches), k, width)

    def block(self, sentence: int, count: int, words: int) -> Int32Array:
        """[count, words]: the rows of one sentence."""
        begin, pitch = int(self.offsets[sentence]), int(self.pitches[sentence])
        return self.flat[begin : begin + count * pitch].reshape(count, pitch)[:, :words]

    def without_padding(self, counts: Int32Array, lengths: npt.NDArray[np.int64]) -> Int32Array:
        """All rows that are there, one after the other, flat."""
        if self._padded is not None:
            ranks, words = np.arange(self.k), np.arange(self._padded.shape[2])
            exist = (ranks < counts[:, None])[:, :, None] & (words < lengths[:, None])[:, None]
            return self._padded[exist]
        sizes = (counts * lengths).tolist()
        starts = self.offsets.tolist()
        parts = [self.flat[at : at + size] for at, size in zip(starts, sizes, strict=True)]
        return np.concatenate(parts) if parts else np.zeros(0, np.int32)

    def padded(self, counts: Int32Array, lengths: npt.NDArray[np.int64]) -> Int32Array:
        """[sentences, k, most words]."""
        if self._padded is None:
            width = int(lengths.max()) if len(lengths) else 0
            self._padded = np.full((len(counts), self.k, width), -1, np.int32)
            for i, (count, words) in enumerate(zip(counts.tolist(), lengths.tolist(), strict=True)):
                self._padded[i, :count, :words] = self.block(i, count, words)
        return self._padded


def to_html(results: Iterable[KBestResult], *, title: str = "coppice", caption: str = "") -> str:
    """A page to walk through the trees of many sentences; see `KBestResult.annotate`."""
    return _core.page([result._to_core() for result in results], title, caption)
