"""Corpora of Spark, Ray and Hugging Face, as `coppice.arrow.KBest` decodes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from coppice.arrow import KBest


def decode_spark(function: KBest, df: Any) -> Any:
    """What `KBest.spark` does."""
    from pyspark.sql import types as T  # noqa: N812 (as everybody writes it)

    kinds = {
        pa.int32(): T.IntegerType(),
        pa.float64(): T.DoubleType(),
        pa.string(): T.StringType(),
        pa.list_(pa.int32()): T.ArrayType(T.IntegerType()),
        pa.list_(pa.float64()): T.ArrayType(T.DoubleType()),
    }
    function.check_columns(df.columns)
    columns = [field for field in function.schema(pa.string()) if field.name != function.id]
    schema = T.StructType(
        [df.schema[function.id], *(T.StructField(each.name, kinds[each.type]) for each in columns)]
    )
    return df.select(*function.inputs).mapInArrow(function.batches, schema)


def decode_ray(function: KBest, dataset: Any) -> Any:
    """What `KBest.ray` does."""
    return dataset.map_batches(function, batch_format="pyarrow")


def decode_datasets(function: KBest, dataset: Any, num_proc: int | None) -> Any:
    """What `KBest.datasets` does."""
    from datasets import IterableDataset

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
