"""What the functions return: a tree, the K best trees of one sentence, those of a batch."""

from __future__ import annotations

import copy
import html
import itertools
import operator
import os
import re
import sys
import tempfile
import webbrowser
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast, overload

import numpy as np
import numpy.typing as npt

from coppice import _core
from coppice._arrays import Array, Float64Array, Int32Array
from coppice._phrases import counted, entries

if TYPE_CHECKING:
    import pandas


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

    def __eq__(self, other: object) -> bool:
        """The same heads, score, labels and edges; gaps depend on what it was found among."""
        if not isinstance(other, Tree):
            return False
        return self is other or (
            self.score == other.score
            and np.array_equal(self.heads, other.heads)
            and _same(self.labels, other.labels)
            and _same(self.edges, other.edges)
        )

    def __ne__(self, other: object) -> bool:  # that of a tuple would compare arrays
        return not self == other

    def __hash__(self) -> int:
        return hash((np.asarray(self.heads, np.int32).tobytes(), self.score))


class RiskTree(NamedTuple):
    """A tree and how many of its words are expected to be right."""

    heads: Int32Array
    score: float
    expected_correct: float
    #: Of every word the label of its arc, where label scores were given.
    labels: Int32Array | None = None
    #: Of every word the edge it hangs from, where the graph is a `Multigraph`.
    edges: Int32Array | None = None

    def __eq__(self, other: object) -> bool:  # that of a tuple would compare arrays
        return isinstance(other, RiskTree) and same_values(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((np.asarray(self.heads, np.int32).tobytes(), self.score))


AnyTree: TypeAlias = Tree | RiskTree


def _same(one: Array | None, other: Array | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)


def same_values(one: Iterable[Any], other: Iterable[Any]) -> bool:
    """Whether two tuples are equal, arrays in them compared as wholes."""
    return all(_same(a, b) for a, b in zip(one, other, strict=True))


def with_root(heads: npt.ArrayLike, root_value: int = -1) -> Int32Array:
    """Heads with an entry for the root itself in front, as many libraries have them.

    >>> with_root([2, 0, 2])
    array([-1,  2,  0,  2], dtype=int32)
    """
    heads = np.asarray(heads, np.int32)
    padding = [(0, 0)] * (heads.ndim - 1) + [(1, 0)]
    return np.pad(heads, padding, constant_values=root_value)


@dataclass(frozen=True, slots=True)
class Confidence:
    """How sure the trees of a list are; all [trees, words] but the first."""

    probabilities: Float64Array
    heads: Float64Array
    labels: Float64Array | None
    other_heads: Int32Array
    others: Float64Array

    def of(self, ranks: slice) -> Confidence:
        """The same for some of the trees."""
        labels = None if self.labels is None else self.labels[ranks]
        return Confidence(
            self.probabilities[ranks],
            self.heads[ranks],
            labels,
            self.other_heads[ranks],
            self.others[ranks],
        )


@dataclass(frozen=True, slots=True)
class _Notes:
    """What a result says about its sentence when it is shown."""

    id: str = ""
    words: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    label_names: tuple[str, ...] = ()
    conllu: str = ""


_NO_NOTES = _Notes()


class KBestResult(Sequence[Tree]):
    """The K best trees of one graph, from best to worst; none where the graph has no tree.

    A sequence of trees: ``for tree in result``, ``result[rank]``, ``len(result)``; ``result[:5]``
    is the first five as a result of their own. The arrays are there by name, or all at once by
    ``heads, scores, gaps = result.arrays()``.
    """

    __slots__ = ("_confidence", "_gaps", "_notes", "bound", "edges", "heads", "labels", "scores")

    #: int32 [trees, words]: of every word its head, 0 for the root.
    heads: Int32Array
    #: [trees], float64; int64, and exact, where all weights are integers.
    scores: Array
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
        self._gaps = gaps
        self.labels = labels
        self.edges = edges
        #: Where a budget ran out: no tree beyond these is better. Else None.
        self.bound: float | None = None
        self._notes = _NO_NOTES
        self._confidence: Confidence | None = None

    @property
    def gaps(self) -> Array:
        """How much worse than the best tree, as `scores`, 0 or more."""
        if self._gaps is None:
            self._gaps = np.abs(self.scores - self.scores[:1])
        return self._gaps

    @property
    def complete(self) -> bool:
        """Whether these are all the trees that were asked for, or all there are."""
        return self.bound is None

    @property
    def best(self) -> Tree | None:
        """The best tree, or None where there is none."""
        return self[0] if len(self) else None

    def _sure(self) -> Confidence:
        if self._confidence is None:
            raise ValueError(
                "how sure the trees are was not asked for: kbest(..., confidence=True)"
            )
        return self._confidence

    @property
    def probabilities(self) -> Float64Array:
        """[trees]: the probability of each among all trees that the constraints allow.

        Labelled trees where there are labels. Rules are left aside: legal trees are as likely as
        they are among all. This and what follows is there with ``kbest(..., confidence=True)``.
        """
        return self._sure().probabilities

    @property
    def arc_confidence(self) -> Float64Array:
        """[trees, words]: the probability that the word hangs from the head that it has here."""
        return self._sure().heads

    @property
    def label_confidence(self) -> Float64Array | None:
        """[trees, words]: the probability of the label, if the head is right.

        Times `arc_confidence` that both are right. Of a `Multigraph`, that of the edge.
        """
        return self._sure().labels

    @property
    def alternative_heads(self) -> Int32Array:
        """[trees, words]: the likeliest other head; -1 where there is no other one."""
        return self._sure().other_heads

    @property
    def alternative_confidence(self) -> Float64Array:
        """[trees, words]: how likely that head is."""
        return self._sure().others

    def __len__(self) -> int:
        return len(self.scores)

    def __eq__(self, other: object) -> bool:
        """The same trees with the same scores, in the same order, and as complete.

        As for `Tree`; words and confidence are not looked at. Results cannot be hashed.
        """
        if not isinstance(other, KBestResult):
            return NotImplemented
        return self is other or (
            self.bound == other.bound
            and np.array_equal(self.scores, other.scores)
            and np.array_equal(self.heads, other.heads)
            and _same(self.labels, other.labels)
            and _same(self.edges, other.edges)
        )

    __hash__ = None  # type: ignore[assignment]

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
            part._confidence = None if self._confidence is None else self._confidence.of(rank)
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
        conllu: str | None = None,
    ) -> KBestResult:
        """The same trees with words (and tags, names of labels, a name) to show them with.

        `conllu`, the sentence as CoNLL-U, has words, tags and name at once; `to_conllu` keeps its
        other columns, its multiword tokens and its comments.
        """
        if conllu is not None:
            own_id, own_words, own_tags = _core.read_conllu(conllu)
            words = own_words if words is None else words
            tags = own_tags if tags is None else tags
            id = own_id if id is None else id
        for name, values in (("words", words), ("tags", tags)):
            if isinstance(values, str):
                raise TypeError(f"{name} is a string; need a list of strings")
            if values is not None and len(values) != self.n:
                raise ValueError(f"{name} has {entries(len(values))} for {counted(self.n, 'word')}")
        old = self._notes
        result = self[:]
        result.bound = self.bound
        result._notes = _Notes(
            old.id if id is None else id,
            old.words if words is None else tuple(words),
            old.tags if tags is None else tuple(tags),
            old.label_names if label_names is None else tuple(label_names),
            old.conllu if conllu is None else conllu,
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
        if notes.conllu:
            sentence.set_conllu(notes.conllu)
        if (sure := self._confidence) is not None:
            sentence.set_confidence(
                np.ascontiguousarray(sure.probabilities),
                np.ascontiguousarray(sure.heads),
                None if sure.labels is None else np.ascontiguousarray(sure.labels),
                np.ascontiguousarray(sure.other_heads),
                np.ascontiguousarray(sure.others),
            )
        return sentence

    def to_conllu(self, *, text: str = "", highlight: float = 0.0) -> str:
        """All trees as CoNLL-U, with their rank and score as comments; see `annotate`.

        Where it is known how sure they are, that is in the comment ``kbest_prob`` and in the column
        MISC: ``Confidence`` of the head, ``LabelConfidence`` given the head, ``AltHead`` and its
        probability. Words less sure than `highlight` are marked for ConlluEditor.
        """
        return self._to_core().conllu(text, float(highlight))

    def to_frame(self) -> pandas.DataFrame:
        """A row for each word of each tree, as a pandas data frame.

        Columns: sentence, rank, score, word, form, tag, head, label, and where it is known how sure
        they are, probability, confidence, label_confidence, alternative, alternative_confidence.
        """
        return to_frame([self])

    def _columns(self) -> dict[str, Any]:
        notes, trees, n = self._notes, len(self), self.n
        columns: dict[str, Any] = {
            "sentence": np.full(trees * n, notes.id, object),
            "rank": np.repeat(np.arange(1, trees + 1), n),
            "score": np.repeat(self.scores, n),
            "word": np.tile(np.arange(1, n + 1), trees),
            "form": np.tile(np.array(notes.words or [None] * n, object), trees),
            "tag": np.tile(np.array(notes.tags or [None] * n, object), trees),
            "head": self.heads.reshape(-1),
        }
        if self.labels is not None:
            names = dict(enumerate(notes.label_names))
            columns["label"] = np.array(
                [names.get(label, label) for label in self.labels.reshape(-1).tolist()], object
            )
        if (sure := self._confidence) is not None:
            columns["probability"] = np.repeat(sure.probabilities, n)
            columns["confidence"] = sure.heads.reshape(-1)
            if sure.labels is not None:
                columns["label_confidence"] = sure.labels.reshape(-1)
            columns["alternative"] = sure.other_heads.reshape(-1)
            columns["alternative_confidence"] = sure.others.reshape(-1)
        return columns

    def to_text(self) -> str:
        """All trees drawn with lines of text, as ``coppice decode --format text`` does."""
        return self._to_core().text()

    def to_svg(self, rank: int = 0) -> str:
        """One tree as a drawing; arcs that differ from the best tree are marked.

        It has no background, and the colour of the text around it.
        """
        return self._to_core().svg(range(len(self))[rank])

    def to_html(self, *, title: str = "coppice", caption: str = "") -> str:
        """A page to walk through the trees, as ``coppice view`` makes it. Needs no network."""
        return to_html([self], title=title, caption=caption)

    def show(self, *, title: str = "coppice") -> Page:
        """Open the page: in a notebook below the cell, else in the browser."""
        return show([self], title)

    def _repr_html_(self) -> str:
        """The best trees, drawn; for notebooks."""
        drawings = [f"<div>{html.escape(repr(self))}</div>"]
        for rank in range(min(len(self), 3)):
            caption = f"{rank + 1}: score {self.scores[rank]:g}, gap {self.gaps[rank]:g}"
            # At their own size: long sentences scroll.
            drawings.append(f'<div style="overflow-x:auto">{caption}<br>{self.to_svg(rank)}</div>')
        return "\n".join(drawings)

    def __repr__(self) -> str:
        if not len(self):
            return f"<KBestResult: no tree of {counted(self.n, 'word')}>"
        size = f"{counted(len(self), 'tree')} of {counted(self.n, 'word')}"
        best, worst = self.scores[0], self.scores[-1]
        return f"<KBestResult: {size}, scores {best:g} to {worst:g}>"


class ManyResults(Iterable[KBestResult]):
    """The trees of many sentences, to look at and to take away."""

    __slots__ = ()

    def to_conllu(self, *, highlight: float = 0.0) -> str:
        """All trees of all sentences, as `KBestResult.to_conllu`."""
        return "".join(sentence.to_conllu(highlight=highlight) for sentence in self)

    def to_text(self) -> str:
        """All trees of all sentences, as `KBestResult.to_text`."""
        return "".join(sentence.to_text() for sentence in self)

    def to_html(self, *, title: str = "coppice", caption: str = "") -> str:
        """One page of all sentences, as ``coppice view`` makes it."""
        return to_html(self, title=title, caption=caption)

    def show(self, *, title: str = "coppice") -> Page:
        """Open that page: in a notebook below the cell, else in the browser."""
        return show(self, title)

    def to_frame(self) -> pandas.DataFrame:
        """One data frame, as `KBestResult.to_frame`."""
        return to_frame(self)

    def _repr_html_(self) -> str:
        """The best trees of the first sentences, drawn; for notebooks."""
        drawings = [f"<div>{html.escape(repr(self))}</div>"]
        for result in itertools.islice(self, 3):
            best = result.to_svg() if len(result) else "no tree"
            caption = html.escape(result._notes.id)
            drawings.append(f'<div style="overflow-x:auto">{caption}<br>{best}</div>')
        return "\n".join(drawings)


class BatchResult(ManyResults, Sequence[KBestResult]):
    """The K best trees of many sentences, as padded arrays.

    A sequence of sentences: ``for result in batch``, ``batch[i]``, ``len(batch)``, each the
    `KBestResult` of a sentence without any padding. The padded arrays are there by name, or all at
    once by ``heads, scores, counts = batch.arrays()``.
    """

    __slots__ = (
        "_confidence",
        "_heads",
        "_labels",
        "_notes",
        "bounds",
        "counts",
        "errors",
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
        self.scores = scores
        self.counts = counts
        self.lengths = lengths
        self.errors = errors
        self.bounds = bounds
        self._confidence: BatchConfidence | None = None
        self._notes: list[_Notes] = []  # none, or one for each

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

    def _sure(self) -> BatchConfidence:
        if self._confidence is None:
            raise ValueError(
                "how sure the trees are was not asked for: kbest_batch(..., confidence=True)"
            )
        return self._confidence

    @property
    def probabilities(self) -> Float64Array:
        """[sentences, k]: as `KBestResult.probabilities`, 0 where there is no tree."""
        return self._sure().probabilities

    @property
    def arc_confidence(self) -> Float64Array:
        """As `heads`: as `KBestResult.arc_confidence`, 0 where there is no word or tree."""
        return self._sure().heads.padded(self.counts, self.lengths)

    @property
    def label_confidence(self) -> Float64Array | None:
        """The same, as `KBestResult.label_confidence`."""
        labels = self._sure().labels
        return None if labels is None else labels.padded(self.counts, self.lengths)

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
            and np.array_equal(self.flat_heads(), other.flat_heads())
            and _same(self.flat_labels(), other.flat_labels())
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
        result._notes = self._notes[sentence] if self._notes else _Notes(id=str(sentence))
        if not self.complete[sentence]:
            result.bound = float(self.bounds[sentence])
        if (sure := self._confidence) is not None:
            result._confidence = sure.block(sentence, count, words)
        return result

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

    def flat_heads(self) -> Int32Array:
        """The heads of all trees of all sentences one after the other, without any padding."""
        return self._heads.without_padding(self.counts, self.lengths)

    def flat_labels(self) -> Int32Array | None:
        """The labels in the same way."""
        if self._labels is None:
            return None
        return self._labels.without_padding(self.counts, self.lengths)

    def flat_confidence(self) -> tuple[Float64Array, Float64Array | None]:
        """`arc_confidence` and `label_confidence` in the same way."""
        sure = self._sure()
        labels = sure.labels
        return (
            sure.heads.without_padding(self.counts, self.lengths),
            None if labels is None else labels.without_padding(self.counts, self.lengths),
        )

    def __repr__(self) -> str:
        bad = f", {len(self.errors)} with errors" if self.errors else ""
        size = f"{counted(len(self), 'sentence')}, {counted(self.counts.sum(), 'tree')}"
        return f"<BatchResult: {size}{bad}>"


class Blocks:
    """Numbers of the words of all trees of a batch in one flat array: a block [k, pitch] each.

    Where the pitch is the same for all, the array is the padded one. Else blocks are only as wide
    as their sentence, and the padded array is made when somebody asks for it. What is no word is
    -1, of probabilities 0.
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
        sizes = (counts * lengths).tolist()
        starts = self.offsets.tolist()
        parts = [self.flat[at : at + size] for at, size in zip(starts, sizes, strict=True)]
        return np.concatenate(parts) if parts else self.flat[:0]

    def padded(self, counts: Int32Array, lengths: npt.NDArray[np.int64]) -> Array:
        """[sentences, k, most words]."""
        if self._padded is None:
            width = int(lengths.max()) if len(lengths) else 0
            fill = -1 if self.flat.dtype.kind == "i" else 0
            self._padded = np.full((len(counts), self.k, width), fill, self.flat.dtype)
            for i, (count, words) in enumerate(zip(counts.tolist(), lengths.tolist(), strict=True)):
                self._padded[i, :count, :words] = self.block(i, count, words)
        return self._padded


@dataclass(frozen=True, slots=True)
class BatchConfidence:
    """How sure the trees of a batch are."""

    probabilities: Float64Array
    heads: Blocks
    labels: Blocks | None
    other_heads: Blocks
    others: Blocks

    def to_core(self) -> _core.ConfidenceOutput:
        """Where the extension writes it."""
        return _core.ConfidenceOutput(
            self.probabilities,
            self.heads.flat,
            None if self.labels is None else self.labels.flat,
            self.other_heads.flat,
            self.others.flat,
        )

    def block(self, sentence: int, count: int, words: int) -> Confidence:
        """Of one sentence."""
        labels = None if self.labels is None else self.labels.block(sentence, count, words)
        return Confidence(
            self.probabilities[sentence, :count],
            self.heads.block(sentence, count, words),
            labels,
            self.other_heads.block(sentence, count, words),
            self.others.block(sentence, count, words),
        )


def _listed(results: Iterable[KBestResult] | KBestResult) -> list[KBestResult]:
    """One result is a list of one."""
    if isinstance(results, KBestResult):
        return [results]
    if isinstance(results, Tree) or not isinstance(results, Iterable):
        raise TypeError(f"a list of KBestResult expected, not {type(results).__name__}")
    listed = list(results)
    for i, result in enumerate(listed):
        if not isinstance(result, KBestResult):
            raise TypeError(f"a list of KBestResult expected; {i} is a {type(result).__name__}")
    return listed


def to_frame(results: Iterable[KBestResult] | KBestResult) -> pandas.DataFrame:
    """`KBestResult.to_frame` of many results, one after the other."""
    import pandas

    listed = _listed(results)
    # What is empty would only make columns of numbers into columns of anything.
    some = [result for result in listed if len(result)] or listed[:1]
    frames = [pandas.DataFrame(result._columns()) for result in some]
    return pandas.concat(frames, ignore_index=True) if frames else pandas.DataFrame()


class Page:
    """A page as ``coppice view`` makes it; notebooks show it in a frame of its own."""

    def __init__(self, text: str) -> None:
        self.text = text

    def open(self) -> Path:
        """Show it in the browser; returns the file that it lies in."""
        handle, name = tempfile.mkstemp(prefix="coppice-", suffix=".html")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(self.text)
        webbrowser.open(Path(name).as_uri())
        return Path(name)

    def _repr_html_(self) -> str:
        frame = 'style="width:100%;height:720px;border:0"'
        return f'<iframe {frame} srcdoc="{html.escape(self.text)}"></iframe>'

    def __repr__(self) -> str:
        return f"<Page of {len(self.text)} characters>"


def show(results: Iterable[KBestResult], title: str) -> Page:
    """Opened in the browser; a notebook shows what is returned."""
    page = Page(to_html(results, title=title))
    if not in_notebook():
        page.open()
    return page


def in_notebook() -> bool:
    """Whether what a cell returns is shown as HTML."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


def to_html(
    results: Iterable[KBestResult] | KBestResult, *, title: str = "coppice", caption: str = ""
) -> str:
    """A page to walk through the trees of many sentences; see `KBestResult.annotate`."""
    return _core.page([result._to_core() for result in _listed(results)], title, caption)
