"""K best trees of a Hugging Face dataset."""

from __future__ import annotations

from typing import Any

from coppice._problem import RootRule
from coppice.arrow import KBest

__all__ = ["kbest"]


def kbest(
    dataset: Any, k: int, *, root: RootRule, num_proc: int | None = None, **options: Any
) -> Any:
    """A row for each tree, as `coppice.arrow` says; `options` are those of `coppice.arrow.KBest`.

    Processes, not threads, make it parallel: `num_proc` is that of ``Dataset.map``.

    >>> trees = kbest(dataset, 5, root="single", num_proc=8)  # doctest: +SKIP
    """
    function = KBest(k=k, root=root, **options)
    decoded = dataset.with_format("arrow").map(
        function, batched=True, num_proc=num_proc, remove_columns=dataset.column_names
    )
    return decoded.with_format(None)
