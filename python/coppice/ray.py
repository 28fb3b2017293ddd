"""K best trees of a Ray dataset."""

from __future__ import annotations

from typing import Any

from coppice._problem import RootRule
from coppice.arrow import KBest

__all__ = ["kbest"]


def kbest(dataset: Any, k: int, *, root: RootRule, **options: Any) -> Any:
    """A row for each tree, as `coppice.arrow` says; `options` are those of `coppice.arrow.KBest`.

    Lazy as all of Ray Data: nothing is decoded before somebody asks for the rows.

    >>> trees = kbest(ray.data.read_parquet("scores/"), 5, root="single")  # doctest: +SKIP
    """
    return dataset.map_batches(KBest(k=k, root=root, **options), batch_format="pyarrow")
