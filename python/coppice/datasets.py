"""K best trees of a Hugging Face dataset."""

from __future__ import annotations

from typing import Any

from datasets import IterableDataset

from coppice._problem import RootRule
from coppice.arrow import KBest

__all__ = ["kbest"]


def kbest(
    dataset: Any, k: int, *, root: RootRule, num_proc: int | None = None, **options: Any
) -> Any:
    """A row for each tree, as `coppice.arrow` says; `options` are those of `coppice.arrow.KBest`.

    Processes, not threads, make it parallel: `num_proc` is that of ``Dataset.map``. A streaming
    ``IterableDataset`` stays one; it is decoded where it is read, and has no `num_proc`.

    >>> trees = kbest(dataset, 5, root="single", num_proc=8)  # doctest: +SKIP
    """
    function = KBest(k=k, root=root, **options)
    arrow = dataset.with_format("arrow")
    if not isinstance(dataset, IterableDataset):
        decoded = arrow.map(
            function, batched=True, num_proc=num_proc, remove_columns=dataset.column_names
        )
        return decoded.with_format(None)
    if num_proc is not None:
        raise ValueError(f"num_proc is {num_proc}; a streaming dataset is decoded where it is read")
    columns = dataset.column_names or list(next(iter(dataset)))  # not all streams know them
    columns = [name for name in columns if name != function.id]  # a stream would drop ours, too
    return arrow.map(function, batched=True, remove_columns=columns).with_format(None)
