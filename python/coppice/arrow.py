"""Corpora: one pure function from Arrow record batch to Arrow record batch.

In: a row for each sentence, with its ``id``, its number of words ``n`` and its ``scores``, the
(n + 1) x (n + 1) matrix as a list. Out: a row for each tree,

========  ==========================================================================
id        as it came in
rank      1 for the best tree, 2, ...; 0 in a status row
score     float64
gap       how much worse than the best tree
heads     list of int32: of every word its head, 0 for the root
labels    list of int32, where `KBest.label_scores` names a column
status    null; in a status row why the sentence has no tree, and all but `id` is null
========  ==========================================================================

and with ``probabilities=True`` before the last one

===================  ===============================================================
probability          float64: the probability of the tree, as for `kbest`
head_probabilities   list of float64: as `KBestResult.head_probabilities`
label_probabilities  list of float64, with labels: as `KBestResult.label_probabilities`
===================  ===============================================================

No id is ever lost: a sentence that cannot be decoded has one status row, and so has a sentence
that has no tree. `KBest` can be pickled, so engines send it to their workers as it is; it uses one
thread unless told otherwise, since an engine runs a worker on every core. Its methods decode
Parquet files, and the corpora of Spark, Ray and Hugging Face.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from coppice import _core
from coppice._arrays import Array, Axes, Int64Array, as_count, as_threads
from coppice._batch import decode, make_asked
from coppice._batches import BatchResult
from coppice._corpora import decode_datasets, decode_ray, decode_spark
from coppice._decode import check_objective
from coppice._labels import Labels, as_labels
from coppice._parquet import decode_parquet
from coppice._problem import Constraints, RootRule, as_constraints
from coppice._sentences import Sentences, matrix_sizes
from coppice._temperature import NONE, Temperature, as_probabilities, divided

__all__ = ["KBest"]

#: Trees of one batch that comes out: few enough for the processor's cache.
_ROWS = 16_384

_Batch = TypeVar("_Batch", pa.RecordBatch, pa.Table)


@dataclass(frozen=True)
class KBest:
    """The function, with its options and the names of its columns.

    The options mean what they mean for `coppice.kbest_batch`; `constraints` are the same for all
    sentences. Rules that are functions travel to workers by their names.

    >>> import pyarrow as pa
    >>> scores = [[0, 9, 10, 0, 0, 20, 0, 30, 0]]
    >>> batch = pa.record_batch({"id": ["a"], "n": [2], "scores": scores})
    >>> KBest(k=2, root="single")(batch).column("heads").to_pylist()
    [[2, 0], [0, 1]]
    """

    k: int
    root: RootRule
    axes: Axes = "head,dep"
    max_gap: float | None = None
    minimize: bool = False
    threads: int = 1
    id: str = "id"
    n: str = "n"
    scores: str = "scores"
    #: Columns with the label scores of every arc, (n + 1) x (n + 1) x choices as a list, and, where
    #: arcs have different choices, with the numbers of these labels.
    label_scores: str | None = None
    label_ids: str | None = None
    constraints: Constraints | None = None
    probabilities: bool | Temperature = False

    def __post_init__(self) -> None:
        # Say here what is wrong, not on some worker an hour later.
        make_asked(self.root, self.k, self.max_gap, self._constraints(), 0)
        if self.axes not in ("head,dep", "dep,head"):
            raise ValueError(f'axes is {self.axes!r}; must be "head,dep" or "dep,head"')
        as_threads(self.threads)
        if self.label_ids is not None and self.label_scores is None:
            raise ValueError("label_ids without label_scores")
        check_objective(as_probabilities(self.probabilities), self.minimize)

    def _constraints(self) -> Constraints:
        """One value for all: sentences come in no order that a list could follow."""
        return as_constraints(self.constraints)

    @property
    def inputs(self) -> list[str]:
        """The columns that are read."""
        names = (self.id, self.n, self.scores, self.label_scores, self.label_ids)
        return [name for name in names if name is not None]

    def schema(self, id_type: pa.DataType) -> pa.Schema:
        """Of the batches that come out."""
        columns = [
            (self.id, id_type),
            ("rank", pa.int32()),
            ("score", pa.float64()),
            ("gap", pa.float64()),
            ("heads", pa.list_(pa.int32())),
        ]
        if self.label_scores is not None:
            columns.append(("labels", pa.list_(pa.int32())))
        if as_probabilities(self.probabilities) is not None:
            of_words = pa.list_(pa.float64())
            columns += [("probability", pa.float64()), ("head_probabilities", of_words)]
            if self.label_scores is not None:
                columns.append(("label_probabilities", of_words))
        return pa.schema([*columns, ("status", pa.string())])

    def check_columns(self, there: Iterable[str]) -> None:
        """Raise ValueError where one of the columns that are read is missing."""
        there = list(there)
        for option in ("id", "n", "scores", "label_scores", "label_ids"):
            name = getattr(self, option)
            if name is not None and name not in there:
                raise ValueError(f"no column {name!r} among {there}; {option}=... names it")

    def __call__(self, batch: _Batch) -> _Batch:
        """The trees of all sentences of a record batch, or of a table."""
        self.check_columns(batch.schema.names)
        if isinstance(batch, pa.Table):
            columns = batch.select(self.inputs)
            decoded = self.batches(columns.to_batches())
            return pa.Table.from_batches(decoded, self.schema(batch.field(self.id).type))
        return self._decode(batch)

    def batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The same for one batch after the other; some thousand trees come out at a time."""
        sentences = max(1, _ROWS // self.k)
        for batch in batches:
            for first in range(0, len(batch), sentences):
                yield self._decode(batch.slice(first, sentences))

    def parquet(
        self,
        source: str | os.PathLike[str] | list[str],
        target: str | os.PathLike[str],
        *,
        sentences_per_batch: int = 1024,
        resume: bool = False,
        progress: bool = False,
    ) -> int:
        """Decode a Parquet file (or folder, or list of files) into another; the number of rows.

        A batch at a time is in memory, whatever the size of the files. `target` has its name only
        when it is whole; until then ``TARGET.partial`` is a folder of parts. After a crash, a kill
        or an error the same call with `resume` goes on behind the last part of some 65,000
        sentences. `progress` shows on standard error how far it is. Raises ValueError where
        `target` is one of the files that are read, where another call is writing to it, and where
        that folder has other files.
        """
        return decode_parquet(
            source,
            target,
            self,
            sentences_per_batch=as_count(sentences_per_batch, "sentences_per_batch"),
            resume=resume,
            progress=progress,
        )

    def spark(self, df: Any) -> Any:
        """The trees of a Spark data frame, decoded on all executors.

        Lazy as all of Spark: nothing is decoded before somebody asks for the rows. Workers need
        this package installed, and pyarrow, in the Python that ``PYSPARK_PYTHON`` names. Partitions
        are decoded independently, so a lost executor costs its partitions' work and no rows. Around
        ten thousand sentences a partition is a good size.

        >>> trees = KBest(5, root="single").spark(df)  # doctest: +SKIP
        """
        return decode_spark(self, df)

    def ray(self, dataset: Any) -> Any:
        """The trees of a Ray dataset; lazy as all of Ray Data.

        >>> trees = KBest(5, root="single").ray(dataset)  # doctest: +SKIP
        """
        return decode_ray(self, dataset)

    def datasets(self, dataset: Any, *, num_proc: int | None = None) -> Any:
        """The trees of a Hugging Face dataset.

        Processes, not threads, make it parallel: `num_proc` is that of ``Dataset.map``. A streaming
        ``IterableDataset`` stays one; it is decoded where it is read, and has no `num_proc`.

        >>> trees = KBest(5, root="single").datasets(dataset, num_proc=8)  # doctest: +SKIP
        """
        return decode_datasets(self, dataset, num_proc)

    def _decode(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        self.check_columns(batch.schema.names)
        for name in self.inputs:  # arrow trusts its offsets, even those of a broken file
            try:
                batch.column(name).validate(full=True)
            except pa.ArrowInvalid as broken:
                raise ValueError(f"column {name} is broken: {broken}") from None
        ids = batch.column(self.id)
        values, starts, sizes, wrong = _flat(batch.column(self.scores), self.scores)
        words, status = _words(batch, self.n, self.scores, sizes)
        status = np.where(status == None, wrong, status)  # noqa: E711 (of every element)
        degrees = as_probabilities(self.probabilities)
        labels = self._labels(batch, words, status, degrees or NONE)
        good = np.flatnonzero(status == None)  # noqa: E711 (of every element)
        values = divided(values, (degrees or NONE).arcs)
        integers = values.dtype == np.int64
        sentences = Sentences(values, words[good], integers, starts[good], self.axes)
        asked = make_asked(
            self.root, self.k, self.max_gap, self._constraints(), len(good), minimize=self.minimize
        )
        choices = None
        if labels is not None:
            choices = _core.Labels()
            for i in good.tolist():
                choices.add(*labels[i])
        result = decode(
            sentences,
            asked,
            as_count(self.k, "k"),
            threads=self.threads,
            labels=choices,
            probabilities=degrees is not None,
        )
        status[good[result.counts == 0]] = "no tree"
        for sentence, error in result.errors.items():
            status[good[sentence]] = str(error)
        return _rows(self.schema(ids.type), ids, result, good, status)

    def _labels(
        self, batch: pa.RecordBatch, words: Int64Array, status: Any, degrees: Temperature
    ) -> dict[int, tuple[Array, Array | None]] | None:
        """Of every sentence that is good so far its label scores; what is wrong is in `status`."""
        if self.label_scores is None:
            return None
        names = [name for name in (self.label_scores, self.label_ids) if name is not None]
        columns = [(name, *_flat(batch.column(name), name)) for name in names]
        found: dict[int, tuple[Array, Array | None]] = {}
        for i in np.flatnonzero(status == None).tolist():  # noqa: E711 (of every element)
            nodes, parts = int(words[i]) + 1, []
            for name, values, starts, sizes, wrong in columns:
                if wrong[i] is not None:
                    status[i] = wrong[i]
                    break
                if sizes[i] == 0 or sizes[i] % (nodes * nodes):
                    status[i] = f"{name} has {sizes[i]} elements for {nodes * nodes} arcs"
                    break
                parts.append(values[starts[i] : starts[i] + sizes[i]].reshape(nodes, nodes, -1))
            if len(parts) < len(columns):
                continue
            ids = parts[1] if len(parts) > 1 else None
            try:
                given = Labels(parts[0], ids)
                found[i] = as_labels(given, self.axes, (nodes, nodes), degrees)
            except (TypeError, ValueError) as error:
                status[i] = str(error)
        return found


def _flat(column: pa.Array, name: str) -> tuple[Array, Int64Array, Int64Array, Any]:
    """A column of lists as one array; of each list where it begins, its length, what is wrong."""
    if pa.types.is_fixed_size_list(column.type):
        ends = (np.arange(len(column) + 1, dtype=np.int64) + column.offset) * column.type.list_size
    elif pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        ends = column.offsets.to_numpy().astype(np.int64)
    else:
        raise TypeError(f"column {name} is {column.type}; need a list of numbers")
    starts, sizes = ends[:-1] - ends[0], np.diff(ends)
    numbers = column.values.slice(ends[0], ends[-1] - ends[0])  # a slice is not charged for all
    wrong = np.full(len(column), None, object)
    if pa.types.is_integer(numbers.type):
        values = numbers.fill_null(0).to_numpy(zero_copy_only=False)
        bad = numbers.is_null().to_numpy(zero_copy_only=False) | (values > np.int64(2**63 - 1))
        before = np.concatenate(([0], np.cumsum(bad)))
        wrong[before[starts + sizes] > before[starts]] = (
            f"{name} has nulls, or more than int64 holds"
        )
        return np.ascontiguousarray(values.astype(np.int64, copy=False)), starts, sizes, wrong
    values = numbers.to_numpy(zero_copy_only=False)  # nulls become NaN
    if values.dtype == np.float16:
        values = values.astype(np.float32)
    elif values.dtype not in (np.float32, np.float64):
        raise TypeError(f"column {name} is {column.type}; need a list of numbers")
    return np.ascontiguousarray(values), starts, sizes, wrong


def _words(batch: pa.RecordBatch, n: str, scores: str, sizes: Int64Array) -> tuple[Int64Array, Any]:
    """Words of every sentence, and why it cannot be decoded, as far as shapes tell."""
    column = batch.column(n)
    if not pa.types.is_integer(column.type):
        raise TypeError(f"column {n} is {column.type}; need whole numbers")
    known = column.is_valid().to_numpy(zero_copy_only=False)
    words: Int64Array = column.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    status = np.full(len(batch), None, object)
    wrong = (sizes != matrix_sizes(words, int(sizes.max(initial=0)))) | (words < 1)
    for i in np.flatnonzero(wrong):
        need = f"{words[i]} words need {(int(words[i]) + 1) ** 2}"
        status[i] = f"{scores} has {sizes[i]} elements; {need}"
    for i in np.flatnonzero(words < 1):
        status[i] = f"{n} is {words[i]}, must be at least 1"
    for i in np.flatnonzero(~batch.column(scores).is_valid().to_numpy(zero_copy_only=False)):
        status[i] = f"{scores} is null"
    for i in np.flatnonzero(~known):
        status[i] = f"{n} is null"
    return words, status


def _rows(
    schema: pa.Schema, ids: pa.Array, result: BatchResult, good: Int64Array, status: Any
) -> pa.RecordBatch:
    """A row for each tree, and one for each sentence that has none, in the order of the input."""
    trees = np.zeros(len(ids), np.int64)
    trees[good] = result.counts
    rows = np.maximum(trees, 1)
    sentence = np.repeat(np.arange(len(ids)), rows)
    is_tree = np.repeat(trees > 0, rows)
    first = np.cumsum(rows) - rows
    rank = np.where(is_tree, np.arange(1, len(sentence) + 1) - np.repeat(first, rows), 0)
    exist = np.arange(result.scores.shape[1]) < result.counts[:, None]
    no_tree = None if is_tree.all() else ~is_tree  # for most batches there is no mask

    def numbers(of_trees: Array) -> pa.Array:
        if no_tree is None:
            return pa.array(of_trees, pa.float64())
        values = np.zeros(len(sentence))
        values[is_tree] = of_trees
        return pa.array(values, mask=no_tree)

    lengths = np.zeros(len(sentence), np.int64)
    lengths[is_tree] = np.repeat(result.lengths, result.counts)
    ends = pa.array(np.concatenate(([0], np.cumsum(lengths))), pa.int32())
    mask = None if no_tree is None else pa.array(no_tree)

    def lists(flat: Array) -> pa.Array:
        return pa.ListArray.from_arrays(ends, pa.array(flat), mask=mask)

    scores = np.ma.getdata(result.scores)
    score = scores[exist]
    columns = {
        "rank": pa.array(rank, pa.int32()),
        "score": numbers(score),
        "gap": numbers(np.abs(np.repeat(scores[:, 0], result.counts) - score)),
        "heads": lists(result._flat_heads()),
    }
    if (labels := result._flat_labels()) is not None:
        columns["labels"] = lists(labels)
    if "probability" in schema.names:
        columns["probability"] = numbers(result.probabilities[exist])
        of_heads, of_labels = result._flat_probabilities()
        columns["head_probabilities"] = lists(of_heads)
        if of_labels is not None:
            columns["label_probabilities"] = lists(of_labels)
    of_row = pa.array(sentence)
    if no_tree is None:
        columns["status"] = pa.nulls(len(sentence), pa.string())
    else:
        columns["status"] = pa.array(status, pa.string()).take(of_row)
    return pa.record_batch([ids.take(of_row), *columns.values()], schema=schema)
