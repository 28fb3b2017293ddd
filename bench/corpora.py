"""What decoding from Arrow costs, and a job of Spark or Ray beside one that only copies its rows.

    .venv/bin/python bench/corpora.py [--rounds 5] [--copies 25] [arrow] [spark] [ray]

The English test set as a record batch: sentences a second of processor time, one thread. Then so
many copies of it, from Parquet files, through each engine: the jobs take turns on two workers, and
what comes out is dropped. Printed is the least time of each over that of the copy.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from coppice.arrow import KBest

SCORES = Path(__file__).resolve().parents[1] / "data" / "ud-scores" / "English-EWT.npz"
WORKERS = 2


def sentences(copy: int) -> pa.Table:
    """The test set, a row for each sentence."""
    with np.load(SCORES) as arrays:
        scores, words = arrays["scores"].astype(np.float32), arrays["lengths"].astype(np.int32)
    ends = np.concatenate(([0], np.cumsum((words.astype(np.int64) + 1) ** 2))).astype(np.int32)
    columns = {
        "id": pa.array([f"s{copy}-{i}" for i in range(len(words))]),
        "n": pa.array(words),
        "scores": pa.ListArray.from_arrays(pa.array(ends), pa.array(scores)),
    }
    return pa.table(columns)


def decode_alone(functions: dict[str, KBest], rounds: int) -> None:
    """In this process."""
    (batch,) = sentences(0).to_batches()
    for name, function in functions.items():
        times = []
        for _ in range(rounds + 1):
            start = time.process_time()
            for _ in function.batches([batch]):
                pass
            times.append(time.process_time() - start)
        rate = len(batch) / min(times[1:])
        print(f"arrow.{name}.rate {rate:.4g}")
        print(f"arrow.{name}.hours {1e9 / rate / 3600:.3g}", flush=True)


def in_turns(jobs: dict[str, Callable[[], None]], rounds: int) -> dict[str, float]:
    """The least time of each, after once to warm up."""
    for job in jobs.values():
        job()
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, job in jobs.items():
            start = time.perf_counter()
            job()
            times[name].append(time.perf_counter() - start)
    return {name: min(taken) for name, taken in times.items()}


def copied(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """As they come."""
    return batches


def spark_jobs(path: str, functions: dict[str, KBest]) -> dict[str, Callable[[], None]]:
    """Into a sink that takes all and keeps nothing."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master(f"local[{WORKERS}]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    df = session.read.parquet(path)

    def job(frame: Any) -> Callable[[], None]:
        return lambda: frame.write.format("noop").mode("overwrite").save()

    jobs = {name: job(function.spark(df)) for name, function in functions.items()}
    return {"copy": job(df.mapInArrow(copied, df.schema)), **jobs}


def ray_jobs(path: str, functions: dict[str, KBest]) -> dict[str, Callable[[], None]]:
    """Through the object store."""
    import ray

    ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    ray.data.DataContext.get_current().print_on_execution_start = False
    dataset = ray.data.read_parquet(path)

    def job(rows: Any) -> Callable[[], None]:
        def run() -> None:
            for _ in rows.iter_internal_ref_bundles():
                pass

        return run

    jobs = {name: job(function.ray(dataset)) for name, function in functions.items()}
    return {"copy": job(dataset.map_batches(lambda t: t, batch_format="pyarrow")), **jobs}


ENGINES = {"spark": spark_jobs, "ray": ray_jobs}


def main() -> None:
    """Print a ratio for each engine and number of trees."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("engines", nargs="*", metavar="arrow|spark|ray")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--copies", type=int, default=25)
    arguments = parser.parse_args()
    functions = {f"k{k}": KBest(k, root="single") for k in (1, 10, 50)}
    wanted = arguments.engines or ["arrow", *ENGINES]
    if "arrow" in wanted:
        decode_alone(functions, arguments.rounds)
    with tempfile.TemporaryDirectory() as folder:
        for copy in range(arguments.copies):
            pq.write_table(sentences(copy), os.path.join(folder, f"{copy}.parquet"))
        for engine in (name for name in wanted if name in ENGINES):
            times = in_turns(ENGINES[engine](folder, functions), arguments.rounds)
            for name in functions:
                print(f"{engine}.{name}.ratio {times[name] / times['copy']:.3g}", flush=True)
            print(f"{engine}.copy.ms {times['copy'] * 1e3:.4g}", flush=True)


if __name__ == "__main__":
    main()
