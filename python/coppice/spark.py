"""K best trees of a Spark data frame, on all executors."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import types as T  # noqa: N812 (as everybody writes it)

from coppice._which import RootRule
from coppice.arrow import KBest

__all__ = ["kbest"]


def kbest(df: DataFrame, k: int, *, root: RootRule, **options: Any) -> DataFrame:
    """A row for each tree, as `coppice.arrow` says; `options` are those of `coppice.arrow.KBest`.

    Lazy as all of Spark: nothing is decoded before somebody asks for the rows. Workers need this
    package installed, and pyarrow. Partitions are decoded independently, so a lost executor costs
    its partitions' work and no rows. Around ten thousand sentences a partition is a good size.

    >>> trees = kbest(df, 5, root="single")  # doctest: +SKIP
    """
    function = KBest(k=k, root=root, **options)
    schema = T.StructType(
        [
            df.schema[function.id],
            T.StructField("rank", T.IntegerType()),
            T.StructField("score", T.DoubleType()),
            T.StructField("gap", T.DoubleType()),
            T.StructField("heads", T.ArrayType(T.IntegerType())),
            T.StructField("status", T.StringType()),
        ]
    )
    columns = df.select(function.id, function.n, function.scores)
    return columns.mapInArrow(function.batches, schema)
