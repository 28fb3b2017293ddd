"""K best trees of a Spark data frame, on all executors."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import types as T  # noqa: N812 (as everybody writes it)

from coppice._problem import RootRule
from coppice.arrow import KBest

__all__ = ["kbest"]

_TYPES = {
    pa.int32(): T.IntegerType(),
    pa.float64(): T.DoubleType(),
    pa.string(): T.StringType(),
    pa.list_(pa.int32()): T.ArrayType(T.IntegerType()),
    pa.list_(pa.float64()): T.ArrayType(T.DoubleType()),
}


def kbest(df: DataFrame, k: int, *, root: RootRule, **options: Any) -> DataFrame:
    """A row for each tree, as `coppice.arrow` says; `options` are those of `coppice.arrow.KBest`.

    Lazy as all of Spark: nothing is decoded before somebody asks for the rows. Workers need this
    package installed, and pyarrow, in the Python that ``PYSPARK_PYTHON`` names. Partitions are
    decoded independently, so a lost executor costs its partitions' work and no rows. Around ten
    thousand sentences a partition is a good size.

    >>> trees = kbest(df, 5, root="single")  # doctest: +SKIP
    """
    function = KBest(k=k, root=root, **options)
    function.check_columns(df.columns)
    columns = [field for field in function.schema(pa.string()) if field.name != function.id]
    schema = T.StructType(
        [df.schema[function.id], *(T.StructField(each.name, _TYPES[each.type]) for each in columns)]
    )
    return df.select(*function.inputs).mapInArrow(function.batches, schema)
