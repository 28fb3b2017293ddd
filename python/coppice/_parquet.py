"""From Parquet to Parquet: whole files, taken up again where a run was ended."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq

_SENTENCES_PER_PART = 65_536


def decode_parquet(
    source: str | os.PathLike[str] | list[str],
    target: str | os.PathLike[str],
    function: Any,
    *,
    sentences_per_batch: int,
    resume: bool,
    progress: bool,
) -> int:
    """What `coppice.arrow.KBest.parquet` does."""
    dataset = pyarrow.dataset.dataset(source, format="parquet")
    function.check_columns(dataset.schema.names)
    schema = function.schema(dataset.schema.field(function.id).type)
    path = Path(os.path.realpath(target))
    _refuse_to_overwrite(dataset.files, path)
    description = _describe(dataset.files, function)
    folder = path.with_name(path.name + ".partial")
    parts = _parts_done(folder, description) if resume else []
    if not parts:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "run").write_text(description)
    sentences = sum(map(_sentences_of, parts))
    bar = _Bar(dataset, sentences) if progress else None
    for group in _groups(_batches(dataset, function.inputs, sentences, sentences_per_batch)):
        part = _write_part(folder, len(parts), group, function, schema, bar)
        if part is None:
            break
        parts.append(part)
    rows = _join(parts, folder / "whole.new", path, schema)
    shutil.rmtree(folder)
    if bar is not None:
        bar.finish()
    return rows


def _refuse_to_overwrite(files: list[str], target: Path) -> None:
    for file in files:
        same = target.exists() and os.path.exists(file) and os.path.samefile(file, target)
        if same or os.path.realpath(file) == str(target):
            raise ValueError(f"target {str(target)!r} is one of the files that are read")


def _describe(files: list[str], function: Any) -> str:
    """Of a run: what it reads, and what it makes of it."""
    stats = [(file, *_stamp(file)) for file in files]
    return hashlib.sha256(repr((stats, function)).encode()).hexdigest()


def _stamp(file: str) -> tuple[int, int]:
    try:
        status = os.stat(file)
    except OSError:  # in a store of another kind
        return (0, 0)
    return (status.st_size, status.st_mtime_ns)


def _parts_done(folder: Path, description: str) -> list[Path]:
    """The parts of the same run that are whole, in order."""
    if not folder.exists():
        return []
    if (folder / "run").read_text() != description:
        raise ValueError(
            f"{str(folder)!r} is of another run, with other files or options; "
            "without resume=True it is begun anew"
        )
    return sorted(folder.glob("*.parquet"))


def _sentences_of(part: Path) -> int:
    return int(part.stem.split("-")[1])


def _batches(
    dataset: Any, columns: list[str], passed: int, sentences_per_batch: int
) -> Iterator[pa.RecordBatch]:
    """Of the file, but the first so many sentences; one after the other in memory."""
    few = pyarrow.dataset.ParquetFragmentScanOptions(pre_buffer=False, use_buffered_stream=True)
    for batch in dataset.to_batches(
        columns=columns,
        batch_size=sentences_per_batch,
        batch_readahead=1,
        fragment_readahead=1,
        fragment_scan_options=few,
        use_threads=False,
    ):
        if passed >= len(batch):
            passed -= len(batch)
            continue
        yield batch.slice(passed)
        passed = 0


def _groups(batches: Iterator[pa.RecordBatch]) -> Iterator[Iterator[pa.RecordBatch]]:
    """The batches of one part after those of the other; the last group is empty."""

    def group() -> Iterator[pa.RecordBatch]:
        sentences = 0
        for batch in batches:
            sentences += len(batch)
            yield batch
            if sentences >= _SENTENCES_PER_PART:
                return

    while True:
        yield group()


def _write_part(
    folder: Path,
    number: int,
    batches: Iterator[pa.RecordBatch],
    function: Any,
    schema: pa.Schema,
    bar: _Bar | None,
) -> Path | None:
    """A part whose name says of how many sentences it is; none where there are no more."""
    aside = folder / "part.new"
    sentences = 0
    with pq.ParquetWriter(aside, schema) as writer:
        for batch in batches:
            writer.write_batch(function(batch))
            sentences += len(batch)
            if bar is not None:
                bar.add(len(batch))
    if sentences == 0:
        return None
    part = folder / f"{number:06}-{sentences}.parquet"
    _rename(aside, part)
    return part


def _rename(aside: Path, path: Path) -> None:
    """Under its name only when it is on the disk."""
    with open(aside, "rb") as file:
        os.fsync(file.fileno())
    os.replace(aside, path)


def _join(parts: list[Path], aside: Path, target: Path, schema: pa.Schema) -> int:
    rows = 0
    with pq.ParquetWriter(aside, schema) as writer:
        for part in parts:
            with pq.ParquetFile(part, pre_buffer=False) as file:
                for i in range(file.num_row_groups):
                    table = file.read_row_group(i).cast(schema)
                    writer.write_table(table)
                    rows += len(table)
    with contextlib.suppress(FileNotFoundError):
        shutil.copymode(target, aside)
    _rename(aside, target)
    return rows


class _Bar:
    """Sentences done, of all, on standard error."""

    def __init__(self, dataset: Any, done: int) -> None:
        self._all = dataset.count_rows()
        self._done, self._first = done, done
        self._start = self._said = time.monotonic()

    def add(self, sentences: int) -> None:
        self._done += sentences
        now = time.monotonic()
        if now - self._said >= 0.5:
            self._said = now
            self._say("\r")

    def finish(self) -> None:
        self._say("\r")
        sys.stderr.write("\n")

    def _say(self, before: str) -> None:
        seconds = max(time.monotonic() - self._start, 1e-9)
        rate = (self._done - self._first) / seconds
        sys.stderr.write(
            f"{before}{self._done:,} of {self._all:,} sentences, {rate:,.0f} a second "
        )
        sys.stderr.flush()
