"""What the functions return for one graph: a tree, the K best trees."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, overload

import numpy as np
import numpy.typing as npt

from coppice import _core, _shown
from coppice._arrays import Array, Float64Array, Int32Array
from coppice._frames import to_frame
from coppice._phrases import counted, entries

if TYPE_CHECKING:
    import pandas


class Tree(NamedTuple):
    """One tree of a graph with words 1..n.

    ``heads[i]`` is the head of word ``i + 1``: another word, or 0 for the root. `gap` is how much
    worse the tree is than the best one, whether maximising or minimising. Trees are equal if heads,
    score, labels and edges are, and can be hashed.

    >>> import coppice
    >>> tree = coppice.kbest([[0, 9, 10], [0, 0, 20], [0, 30, 0]], 1, root="single")[0]
    >>> tree.heads, tree.score
    (array([2, 0], dtype=int32), 40)
    """

    heads: Int32Array
    score: float
    gap: float = 0.0
    #: Of every word the label of its arc, where labels were given.
    labels: Int32Array | None = None
    #: Of every word the edge it hangs from, where the graph is a `Multigraph`.
    edges: Int32Array | None = None
    #: The words, and of every word the name of its label, where these are known.
    words: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        """The same heads, score, labels and edges; gaps depend on what it was found among."""
        if not isinstance(other, Tree):
            return False
        return self is other or (
            self.score == other.score
            and np.array_equal(self.heads, other.heads)
            and same(self.labels, other.labels)
            and same(self.edges, other.edges)
        )

    def __ne__(self, other: object) -> bool:  # that of a tuple would compare arrays
        return not self == other

    def __hash__(self) -> int:
        return hash((np.asarray(self.heads, np.int32).tobytes(), self.score))

    def __repr__(self) -> str:
        """Without what is not there."""
        there = {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in zip(self._fields, self, strict=True)
            if not (value is None or isinstance(value, tuple))
        }
        return f"Tree({', '.join(f'{name}={value!r}' for name, value in there.items())})"

    def __str__(self) -> str:
        """Where words are known, an arc a line; else as ``repr``."""
        if not self.words:
            return repr(self)
        called = ("ROOT", *map(_core.printable, self.words))
        lines = [f"score {self.score:g}, gap {self.gap:g}"]
        for i, (head, word) in enumerate(zip(self.heads.tolist(), called[1:], strict=True)):
            relation = f" ({_core.printable(self.relations[i])})" if self.relations else ""
            lines.append(f"{called[head]} -> {word}{relation}")
        return "\n".join(lines)


def same(one: Array | None, other: Array | None) -> bool:
    """Whether both are the same numbers, or neither is there."""
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)


def same_values(one: Iterable[Any], other: Iterable[Any]) -> bool:
    """Whether two tuples are equal, arrays in them compared as wholes."""
    return all(same(a, b) for a, b in zip(one, other, strict=True))


def frozen(array: Any) -> Any:
    """The same numbers, to be read only: what is drawn and compared stays what was found."""
    if array is not None and array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


def with_root(heads: npt.ArrayLike, root_value: int = -1) -> Int32Array:
    """Heads with an entry for the root itself in front, as many libraries have them."""
    heads = np.asarray(heads, np.int32)
    padding = [(0, 0)] * (heads.ndim - 1) + [(1, 0)]
    return np.pad(heads, padding, constant_values=root_value)


@dataclass(frozen=True, slots=True)
class Probabilities:
    """How likely the trees of a list are, [trees], and what is in them, [trees, words]."""

    trees: Float64Array
    heads: Float64Array
    labels: Float64Array | None
    other_heads: Int32Array
    others: Float64Array

    def __post_init__(self) -> None:
        for name in self.__slots__:
            object.__setattr__(self, name, frozen(getattr(self, name)))

    def of(self, ranks: slice) -> Probabilities:
        """The same for some of the trees."""
        return Probabilities(
            self.trees[ranks],
            self.heads[ranks],
            None if self.labels is None else self.labels[ranks],
            self.other_heads[ranks],
            self.others[ranks],
        )


@dataclass(frozen=True, slots=True)
class Notes:
    """What a result says about its sentence when it is shown."""

    id: str = ""
    words: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    label_names: tuple[str, ...] = ()
    conllu: str = ""


NO_NOTES = Notes()


class KBestResult(Sequence[Tree]):
    """The K best trees of one graph, from best to worst; none where the graph has no tree.

    A sequence of trees: ``for tree in result``, ``result[rank]``, ``len(result)``; ``result[:5]``
    is the first five as a result of their own. The arrays are there by name, or all at once by
    ``heads, scores, gaps = result.arrays()``; they are read-only, since results draw and compare
    themselves by them: copy what you want to change. Results can be pickled, copied and compared.

    >>> import coppice
    >>> result = coppice.kbest([[0, 9, 10], [0, 0, 20], [0, 30, 0]], 2, root="single")
    >>> result
    <KBestResult: 2 trees of 2 words, scores 40 to 29>
    >>> result.heads
    array([[2, 0],
           [0, 1]], dtype=int32)
    """

    __slots__ = (
        "_error", "_gaps", "_notes", "_probabilities", "bound", "bound_gap", "edges", "heads",
        "labels", "scores",
    )  # fmt: skip

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
        self.heads = frozen(heads)
        self.scores = frozen(scores)
        self._gaps = frozen(gaps)
        self.labels = frozen(labels)
        self.edges = frozen(edges)
        #: Where a budget or the time ran out: no tree beyond these is better. Else None.
        self.bound: float | None = None
        #: Then: how much better than the first tree another one may be; 0 if that is the best.
        self.bound_gap = 0.0
        self._notes = NO_NOTES
        self._probabilities: Probabilities | None = None
        self._error = ""

    # --- trees ----------------------------------------------------------------------------------

    @property
    def gaps(self) -> Array:
        """How much worse than the best tree, as `scores`, 0 or more."""
        if self._gaps is None:
            self._gaps = frozen(np.abs(self.scores - self.scores[:1]))
        gaps: Array = self._gaps
        return gaps

    @property
    def complete(self) -> bool:
        """Whether these are all the trees that were asked for, or all there are."""
        return self.bound is None

    @property
    def best(self) -> Tree | None:
        """The best tree, or None where there is none."""
        return self[0] if len(self) else None

    @property
    def error(self) -> str:
        """Why there is no tree; empty where there is one."""
        if len(self):
            return ""
        if self._error:
            return self._error
        if self.bound is not None:
            return f"budget spent before the first tree; none has a better score than {self.bound}"
        return "no tree"

    @property
    def n(self) -> int:
        """The number of words, the root not counted."""
        return int(self.heads.shape[1])

    def __len__(self) -> int:
        return len(self.scores)

    def __eq__(self, other: object) -> bool:
        """The same trees with the same scores, in the same order, and as complete.

        As for `Tree`; words and probabilities are not looked at. Results cannot be hashed.
        """
        if not isinstance(other, KBestResult):
            return NotImplemented
        return self is other or (
            self.bound == other.bound
            and np.array_equal(self.scores, other.scores)
            and np.array_equal(self.heads, other.heads)
            and same(self.labels, other.labels)
            and same(self.edges, other.edges)
        )

    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[Tree]:
        return (self[rank] for rank in range(len(self)))

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
            if self._probabilities is not None:
                part._probabilities = self._probabilities.of(rank)
            return part
        rank = operator.index(rank)
        score, gap = self.scores[rank].item(), self.gaps[rank].item()
        words, relations = self.words, self._relations(labels)
        return Tree(self.heads[rank], score, gap, labels, edges, words, relations)

    def _relations(self, labels: Int32Array | None) -> tuple[str, ...]:
        names = self.label_names
        if labels is None or not names or int(labels.max(initial=-1)) >= len(names):
            return ()
        return tuple(names[label] for label in labels.tolist())

    def __repr__(self) -> str:
        said = f" of {' '.join(self.words)!r}" if self.words else f" of {counted(self.n, 'word')}"
        if not len(self):
            return f"<KBestResult: {'no tree' if self.complete else 'budget spent'}{said}>"
        best, worst = self.scores[0], self.scores[-1]
        return f"<KBestResult: {counted(len(self), 'tree')}{said}, scores {best:g} to {worst:g}>"

    def arrays(self) -> tuple[Int32Array, Array, Array]:
        """``heads, scores, gaps``."""
        return self.heads, self.scores, self.gaps

    def with_root(self, root_value: int = -1) -> Int32Array:
        """``heads`` with an entry for the root in front, [trees, words + 1]."""
        return with_root(self.heads, root_value)

    # --- probabilities --------------------------------------------------------------------------

    def _found(self) -> Probabilities:
        if self._probabilities is None:
            raise ValueError("probabilities were not asked for: kbest(..., probabilities=True)")
        return self._probabilities

    @property
    def probabilities(self) -> Float64Array:
        """[trees]: the probability of each among all trees that the constraints allow.

        Labelled trees where there are labels. Rules are left aside: legal trees are as likely as
        they are among all. This and what follows is there with ``kbest(..., probabilities=True)``.
        """
        return self._found().trees

    @property
    def head_probabilities(self) -> Float64Array:
        """[trees, words]: the probability that the word hangs from the head that it has here."""
        return self._found().heads

    @property
    def label_probabilities(self) -> Float64Array | None:
        """[trees, words]: the probability of the label, if the head is right.

        Times `head_probabilities` that both are right. Of a `Multigraph`, that of the edge.
        """
        return self._found().labels

    @property
    def other_heads(self) -> Int32Array:
        """[trees, words]: the likeliest other head; -1 where there is no other one."""
        return self._found().other_heads

    @property
    def other_head_probabilities(self) -> Float64Array:
        """[trees, words]: how likely that head is."""
        return self._found().others

    def list_probabilities(self) -> Float64Array:
        """The probability of each tree if the list were all there is: the softmax of the scores."""
        return _core.list_probabilities(*self._list_arrays())

    def expected_attachment(self) -> Float64Array:
        """For each tree how many heads it is expected to share with one drawn from the list.

        The tree of the largest is the minimum-risk choice within the list.
        """
        return _core.expected_attachment(*self._list_arrays())

    def _list_arrays(self) -> tuple[Int32Array, Float64Array]:
        heads = np.ascontiguousarray(self.heads)
        return heads, np.ascontiguousarray(self.scores, np.float64)

    # --- to look at and to take away ------------------------------------------------------------

    @property
    def id(self) -> str:
        """The name of the sentence; see `annotate`."""
        return self._notes.id

    @property
    def words(self) -> tuple[str, ...]:
        """The words, where they are known; see `annotate`."""
        return self._notes.words

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of the words, where they are known."""
        return self._notes.tags

    @property
    def label_names(self) -> tuple[str, ...]:
        """The names of the labels by their number, where they are known."""
        return self._notes.label_names

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

        Parameters
        ----------
        words, tags
            One for each word.
        label_names
            The names of the labels by their number.
        id
            The name of the sentence.
        conllu
            The sentence as CoNLL-U: words, tags and name at once. `to_conllu` keeps its other
            columns, its multiword tokens and its comments. Where trees have no labels, a word that
            keeps its head keeps its relation. DEPS stay where the whole tree is the one given.

        >>> import coppice
        >>> result = coppice.kbest([[0, 9, 10], [0, 0, 20], [0, 30, 0]], 2, root="single")
        >>> print(result.annotate(["ducks", "swim"])[0])
        score 40, gap 0
        swim -> ducks
        ROOT -> swim
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
        result.bound, result.bound_gap, result._error = self.bound, self.bound_gap, self._error
        result._notes = Notes(
            old.id if id is None else id,
            old.words if words is None else tuple(words),
            old.tags if tags is None else tuple(tags),
            old.label_names if label_names is None else tuple(label_names),
            old.conllu if conllu is None else conllu,
        )
        return result

    @overload
    def to_conllu(self, file: None = ..., *, text: str = ..., highlight: float = ...) -> str: ...
    @overload
    def to_conllu(self, file: TextIO, *, text: str = ..., highlight: float = ...) -> None: ...
    def to_conllu(
        self, file: TextIO | None = None, *, text: str = "", highlight: float = 0.0
    ) -> str | None:
        """All trees as CoNLL-U, with their rank and score as comments; see `annotate`.

        Parameters
        ----------
        file
            An open text file to write to, tree after tree; then nothing is returned. A long list
            as one string can take more memory than there is.
        text
            The comment ``text``.
        highlight
            Words whose head is less likely than this are marked for ConlluEditor.

        Where there are probabilities, they are in the comment ``kbest_probability`` and in the
        column MISC: ``HeadProbability``, ``LabelProbability`` given the head, ``OtherHead`` and its
        probability. A sentence without a tree is a block of comments with ``kbest_rank = 0``.
        """
        return _shown.written(_shown.conllu_of(self, text, highlight), file)

    def to_text(self) -> str:
        """All trees drawn with lines of text, as ``coppice decode --format text`` does."""
        return _shown.sentence_of(self).text()

    def to_svg(self, rank: int = 0) -> str:
        """One tree as a drawing; arcs that differ from the best tree are marked.

        It has no background, and the colour of the text around it.
        """
        return _shown.sentence_of(self).svg(range(len(self))[rank])

    def to_html(self, *, title: str = "coppice", caption: str = "") -> str:
        """A page to walk through the trees, as ``coppice view`` makes it. Needs no network."""
        return _shown.to_html([self], title=title, caption=caption)

    def show(self, *, title: str = "coppice") -> _shown.Page:
        """Open the page: in a notebook below the cell, else in the browser."""
        return _shown.show([self], title)

    def _repr_html_(self) -> str:
        return _shown.drawings(self)

    def to_frame(self) -> pandas.DataFrame:
        """A row for each word of each tree, as a pandas data frame.

        Columns: sentence, rank, score, word, form, tag, head; label where there are labels; where
        there are probabilities, probability, head_probability, label_probability, other_head and
        other_head_probability. A sentence without a tree has its words with rank 0 and head -1.
        """
        return to_frame([self])
