"""From Parquet to Parquet: whole files, taken up again where a run was ended."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq

_SENTENCES_PER_PART = 65_536

#: The names of what is in a folder of parts.
_OURS = r"run|part\.new|whole\.new|\d{6,}-\d+\.parquet"


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
    folder = path.with_name(path.name + ".partial")
    _refuse_to_overwrite(dataset.files, path, folder)
    description = _describe(dataset.files, function)
    with _claim(folder) as run:
        parts = _parts_done(folder, run.read(), description) if resume else []
        if not parts:
            _empty(folder)
            run.seek(0)
            run.truncate()
            run.write(description)
            run.flush()
        sentences = sum(map(_sentences_of, parts))
        bar = _Bar(dataset, sentences) if progress else None
        for group in _groups(_batches(dataset, function.inputs, sentences, sentences_per_batch)):
            part = _write_part(folder, len(parts), group, function, schema, bar)
            if part is None:
                break
            parts.append(part)
        rows = _join(parts, folder / "whole.new", path, schema)
        _empty(folder)
        with contextlib.suppress(OSError):  # that of another call, as soon as there is no "run"
            (folder / "run").unlink()
            folder.rmdir()
    if bar is not None:
        bar.finish()
    return rows


def _refuse_to_overwrite(files: list[str], target: Path, folder: Path) -> None:
    removed = Path(os.path.realpath(folder))
    for file in files:
        same = target.exists() and os.path.exists(file) and os.path.samefile(file, target)
        if same or os.path.realpath(file) == str(target):
            raise ValueError(f"target {str(target)!r} is one of the files that are read")
        if Path(os.path.realpath(file)).is_relative_to(removed):
            raise ValueError(f"file {file!r} is read, and {str(folder)!r} would be removed")


def _claim(folder: Path) -> IO[str]:
    """The folder's file "run", open and locked: the folder is that of this call until it closes."""
    while True:
        with contextlib.suppress(FileExistsError):
            folder.mkdir()
        try:
            _check_ours(folder)
            run = open(folder / "run", "a+", encoding="ascii")  # noqa: SIM115 (is returned)
        except FileNotFoundError:  # another call has just ended
            continue
        try:
            fcntl.flock(run, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.stat(run.fileno()), os.stat(folder / "run")):
                run.seek(0)
                return run
        except BlockingIOError:
            run.close()
            raise ValueError(f"another call is writing to {str(folder)!r}") from None
        except FileNotFoundError:
            pass
        run.close()


def _check_ours(folder: Path) -> None:
    """Raise ValueError where something in the folder was not put there by `decode_parquet`."""
    names = sorted(os.listdir(folder))
    foreign = [name for name in names if not re.fullmatch(_OURS, name)]
    run = folder / "run"
    if names and not foreign:
        known = run.is_file() and re.fullmatch(b"([0-9a-f]{64})?", run.read_bytes()[:65])
        foreign = [] if known else ["run" if run.exists() else names[0]]
    if foreign:
        raise ValueError(
            f"{str(folder)!r}, which is needed for the parts, has {foreign[0]!r} of another program"
        )


def _empty(folder: Path) -> None:
    """Nothing is left but "run", which says whose folder it is."""
    for name in os.listdir(folder):
        if name != "run":
            (folder / name).unlink()


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


def _parts_done(folder: Path, run: str, description: str) -> list[Path]:
    """The parts of the same run that are whole, in order."""
    parts = sorted(folder.glob("*.parquet"), key=_number_of)
    if not run and not parts:  # ended before it had begun
        return []
    if run != description:
        raise ValueError(
            f"{str(folder)!r} is of another run, with other files or options; "
            "without resume=True it is begun anew"
        )
    for i, part in enumerate(parts):
        if _number_of(part) != i:
            raise ValueError(
                f"part {i} is missing in {str(folder)!r}; without resume=True it is begun anew"
            )
    return parts


def _number_of(part: Path) -> int:
    return int(part.stem.split("-")[0])


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
