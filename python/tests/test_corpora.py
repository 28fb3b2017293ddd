"""Record batches, Parquet, and the engines that run them."""

import os
import pickle
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import coppice
from support import matrices

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

from coppice._parquet import decode_parquet  # noqa: E402
from coppice.arrow import KBest  # noqa: E402

DECODE = KBest(k=5, root="single")


@pytest.fixture(scope="module")
def corpus(english):
    """A table of sentences, some of them bad."""
    flat, lengths = english
    sentences = [m.ravel().tolist() for m in matrices(flat, lengths)]
    words = lengths.tolist()
    sentences[3], sentences[5], sentences[6] = sentences[3][:-1], None, [float("nan")] * 4
    words[4], words[6] = None, 1
    sentences[7], words[7] = [float("-inf")] * 4, 1
    return pa.table(
        {
            "id": pa.array([f"s{i}" for i in range(len(words))]),
            "n": pa.array(words, pa.int32()),
            "scores": pa.array(sentences, pa.list_(pa.float32())),
        }
    )


@pytest.fixture(scope="module")
def expected(corpus):
    """What comes out, as a set of rows."""
    return as_rows(DECODE(corpus))


def as_rows(table):
    return sorted(
        (row["id"], row["rank"], row["score"], row["gap"], tuple(row["heads"] or ()), row["status"])
        for row in table.to_pylist()
    )


def test_rows(english, corpus):
    (batch,) = corpus.combine_chunks().to_batches()
    result = DECODE(batch)
    assert result.schema == DECODE.schema(pa.string())
    rows = result.to_pylist()
    by_id = {}
    for row in rows:
        by_id.setdefault(row["id"], []).append(row)
    assert list(by_id) == corpus["id"].to_pylist()  # none lost, the same order
    for i, matrix in enumerate(matrices(*english)):
        mine = by_id[f"s{i}"]
        if i in (3, 4, 5, 6, 7):
            assert len(mine) == 1
            assert mine[0]["rank"] == 0
            assert mine[0]["heads"] is mine[0]["score"] is mine[0]["gap"] is None
            continue
        truth = coppice.kbest(matrix, 5, root="single")
        assert [row["rank"] for row in mine] == list(range(1, len(truth) + 1))
        assert [row["heads"] for row in mine] == truth.heads.tolist()
        assert [row["score"] for row in mine] == truth.scores.tolist()
        assert [row["gap"] for row in mine] == truth.gaps.tolist()
        assert all(row["status"] is None for row in mine)
    statuses = [by_id[f"s{i}"][0]["status"] for i in (3, 4, 5, 6, 7)]
    assert "elements" in statuses[0]
    assert statuses[1:3] == ["n is null", "scores is null"]
    assert "NaN" in statuses[3]
    assert statuses[4] == "no tree"


def labelled_corpus():
    """Three sentences with labels, one whose labels do not fit."""
    rng = np.random.default_rng(3)
    nodes = [4, 3, 5, 3]
    scores = [rng.normal(size=(n, n)) for n in nodes]
    labels = [rng.normal(size=(n, n, 2)).astype(np.float32) for n in nodes]
    ids = [rng.permuted(np.broadcast_to([4, 7], own.shape), axis=-1) for own in labels]
    table = pa.table(
        {
            "id": pa.array(range(4)),
            "n": pa.array([n - 1 for n in nodes], pa.int32()),
            "scores": [each.ravel().tolist() for each in scores],
            "lp": [each.ravel().tolist() for each in labels[:3]] + [[1.0] * 10],
            "ids": [each.ravel().tolist() for each in ids],
        }
    )
    return table, scores, labels, ids


def test_labels_and_confidence():
    table, scores, labels, ids = labelled_corpus()
    degrees = coppice.Temperature(2.0, 0.5)
    options = {"label_scores": "lp", "probabilities": degrees}
    for label_ids in (None, "ids"):
        decode = KBest(k=4, root="single", label_ids=label_ids, **options)
        rows = pickle.loads(pickle.dumps(decode))(table).to_pylist()
        assert rows[-1]["rank"] == 0
        assert rows[-1]["status"] == "lp has 10 elements for 9 arcs"
        assert (
            rows[-1]["labels"] is rows[-1]["probability"] is rows[-1]["label_probabilities"] is None
        )
        for i in range(3):
            truth = coppice.kbest(
                scores[i],
                4,
                root="single",
                labels=coppice.Labels(labels[i], None if label_ids is None else ids[i]),
                probabilities=degrees,
            )
            mine = [row for row in rows if row["id"] == i]
            assert [row["labels"] for row in mine] == truth.labels.tolist()
            np.testing.assert_allclose([row["probability"] for row in mine], truth.probabilities)
            for name in ("head_probabilities", "label_probabilities"):
                np.testing.assert_allclose([row[name] for row in mine], getattr(truth, name))
    plain = KBest(k=2, root="any", probabilities=True)(table)
    assert plain.schema.names == [
        "id",
        "rank",
        "score",
        "gap",
        "heads",
        "probability",
        "head_probabilities",
        "status",
    ]
    with pytest.raises(ValueError, match="minimize"):
        KBest(k=2, root="any", probabilities=True, minimize=True)
    with pytest.raises(ValueError, match="label_ids without"):
        KBest(k=2, root="any", label_ids="ids")


def test_slices_and_list_types(corpus, expected):
    pieces = [corpus.slice(i, 37) for i in range(0, len(corpus), 37)]
    assert as_rows(pa.concat_tables(DECODE(piece) for piece in pieces)) == expected
    large = corpus.set_column(2, "scores", corpus["scores"].cast(pa.large_list(pa.float32())))
    assert as_rows(DECODE(large)) == expected
    doubles = corpus.set_column(2, "scores", corpus["scores"].cast(pa.list_(pa.float64())))
    assert as_rows(DECODE(doubles)) == expected
    squares = [[0, 1, 2, 0, 0, 3, 0, 4, 0], [0, 9, 8, 0, 0, 7, 0, 6, 0]]
    fixed = pa.record_batch(
        {"id": [1, 2], "n": [2, 2], "scores": pa.array(squares, pa.list_(pa.int16(), 9))}
    )
    found = DECODE(fixed.slice(1, 1)).to_pydict()
    truth = coppice.kbest(np.reshape(squares[1], (3, 3)), 5, root="single")
    assert found["heads"] == truth.heads.tolist()
    assert found["id"] == [2] * len(truth)
    assert len(DECODE(fixed.slice(0, 0))) == 0


def test_options(corpus):
    (batch,) = corpus.slice(10, 20).combine_chunks().to_batches()
    renamed = batch.rename_columns(["sent", "len", "weights"])
    options = {"k": 3, "root": "any", "max_gap": 2.0, "threads": 2}
    result = KBest(id="sent", n="len", scores="weights", **options)(renamed)
    assert result.column_names[0] == "sent"
    assert result.column("gap").to_numpy().max() <= 2
    assert result.column("heads").to_pylist() == KBest(**options)(batch).column("heads").to_pylist()
    with pytest.raises(ValueError, match="root is 'one'"):
        KBest(k=3, root="one")
    with pytest.raises(ValueError, match="axes is 'x'"):
        KBest(k=3, root="any", axes="x")
    with pytest.raises(TypeError, match="column n is"):
        KBest(k=3, root="any", scores="n")(batch)


def test_pickle(corpus, expected):
    assert as_rows(pickle.loads(pickle.dumps(DECODE))(corpus)) == expected


def test_parquet(corpus, expected, tmp_path):
    (tmp_path / "in").mkdir()
    pq.write_table(corpus.slice(0, 100), tmp_path / "in" / "a.parquet")
    pq.write_table(corpus.slice(100), tmp_path / "in" / "b.parquet")
    rows = DECODE.parquet(tmp_path / "in", tmp_path / "out.parquet", sentences_per_batch=16)
    table = pq.read_table(tmp_path / "out.parquet")
    assert len(table) == rows
    assert as_rows(table) == expected


def test_parquet_is_whole_or_not_there(corpus, expected, tmp_path):
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(corpus, source)
    before = source.read_bytes()
    with pytest.raises(ValueError, match="is one of the files that are read"):
        DECODE.parquet(source, source)
    assert source.read_bytes() == before
    target.write_bytes(b"the last good one")
    with pytest.raises(RuntimeError, match="in the middle"):
        Failing(50).parquet(source, target)
    assert target.read_bytes() == b"the last good one"
    assert DECODE.parquet(source, target) == len(pq.read_table(target))
    assert as_rows(pq.read_table(target)) == expected
    assert sorted(os.listdir(tmp_path)) == ["in.parquet", "out.parquet"]


class Failing:
    """Fails behind so many sentences."""

    def __init__(self, most):
        self.most, self.seen = most, 0

    def __getattr__(self, name):
        return getattr(DECODE, name)

    def __repr__(self):
        return repr(DECODE)

    def parquet(self, source, target, *, resume=False, progress=False):
        options = {"sentences_per_batch": 16, "resume": resume, "progress": progress}
        return decode_parquet(source, target, self, **options)

    def __call__(self, batch):
        self.seen += len(batch)
        if self.seen > self.most:
            raise RuntimeError("in the middle")
        return DECODE(batch)


def test_parquet_goes_on(corpus, expected, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("coppice._parquet._SENTENCES_PER_PART", 32)
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(corpus, source, row_group_size=50)
    with pytest.raises(RuntimeError):
        Failing(90).parquet(source, target)
    again = Failing(10**9)
    with pytest.raises(ValueError, match="of another run"):
        KBest(k=6, root="single").parquet(source, target, resume=True)
    rows = again.parquet(source, target, resume=True, progress=True)
    assert again.seen < len(corpus)  # not all of them again
    assert as_rows(pq.read_table(target)) == expected
    assert rows == len(expected)
    assert f"{len(corpus):,} of {len(corpus):,} sentences" in capsys.readouterr().err
    assert sorted(os.listdir(tmp_path)) == ["in.parquet", "out.parquet"]


def test_parquet_one_call_at_a_time(corpus, expected, tmp_path):
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(corpus, source)
    refused = []

    class Meanwhile(Failing):
        def __call__(self, batch):
            for resume in (False, True):
                with pytest.raises(ValueError, match="another call is writing to") as error:
                    DECODE.parquet(source, target, resume=resume)
                refused.append(error)
            return DECODE(batch)

    Meanwhile(0).parquet(source, target)
    assert refused
    assert as_rows(pq.read_table(target)) == expected


def test_parquet_removes_only_what_it_made(corpus, tmp_path):
    target, folder = tmp_path / "out.parquet", tmp_path / "out.parquet.partial"
    folder.mkdir()
    for name in ("thesis.txt", "run", "000000-5.parquet"):
        pq.write_table(corpus, folder / name)
        with pytest.raises(ValueError, match=f"has '{name}' of another program"):
            DECODE.parquet(write(corpus, tmp_path / "in"), target)
        assert (folder / name).read_bytes() == (tmp_path / "in").read_bytes()
        with pytest.raises(ValueError, match="would be removed"):
            DECODE.parquet(folder / name, target)
        (folder / name).unlink()
    DECODE.parquet(tmp_path / "in", target)
    assert sorted(os.listdir(tmp_path)) == ["in", "out.parquet"]


def write(corpus, path):
    pq.write_table(corpus, path)
    return path


def test_parquet_resumes_what_is_broken(corpus, expected, tmp_path, monkeypatch):
    monkeypatch.setattr("coppice._parquet._SENTENCES_PER_PART", 32)
    source, target = write(corpus, tmp_path / "in.parquet"), tmp_path / "out.parquet"
    with pytest.raises(RuntimeError):
        Failing(90).parquet(source, target)
    folder = tmp_path / "out.parquet.partial"
    min(folder.glob("*.parquet")).unlink()
    with pytest.raises(ValueError, match="part 0 is missing"):
        DECODE.parquet(source, target, resume=True)
    for name in os.listdir(folder):
        (folder / name).unlink()
    DECODE.parquet(source, target, resume=True)  # as after a kill behind mkdir
    assert as_rows(pq.read_table(target)) == expected


def test_offsets_of_broken_files():
    ends, values = pa.array([0, 4, 200_000_000, 200_000_004, 4], pa.int32()), pa.array([0.0] * 9)
    lists = pa.Array.from_buffers(
        pa.list_(values.type), 4, [None, ends.buffers()[1]], children=[values]
    )
    batch = pa.record_batch({"id": list("abcd"), "n": [1] * 4, "scores": lists})
    with pytest.raises(ValueError, match="column scores is broken"):
        KBest(k=1, root="any")(batch)


def test_integers_that_are_none(tmp_path):
    """Of the sentence, not of the batch: the others stay integers."""
    close = [[0, 5, 2**53, 0, 0, 2**53 + 1, 0, 0, 0], [0, 1, 0, 0]]
    for kind, bad in ((pa.int64(), None), (pa.uint64(), 2**64 - 5)):
        scores = pa.array([*close, [0, bad, 0, 0]], pa.list_(kind))
        rows = KBest(k=2, root="any")(
            pa.record_batch({"id": ["a", "b", "c"], "n": [2, 1, 1], "scores": scores})
        ).to_pylist()
        assert [row["id"] for row in rows] == ["a", "a", "b", "c"]
        assert rows[1]["gap"] == 1
        assert rows[3]["status"] == "scores has nulls, or more than int64 holds"


def test_sizes_that_wrap():
    """(2**62 + 2)**2 is 4 in 64 bits."""
    batch = pa.record_batch({"id": ["a", "b"], "n": [2**62 + 1, 1], "scores": [[0.0] * 4] * 2})
    rows = KBest(k=1, root="any")(batch).to_pylist()
    assert rows[0]["status"].startswith("scores has 4 elements; 4611686018427387905 words need ")
    assert rows[1]["heads"] == [0]


# --- engines -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def spark():
    """A Spark of its own: a master and two executor processes."""
    pyspark_sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        pyspark_sql.SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.executor.memory", "768m")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "20")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.executorEnv.PYTHONPATH", os.pathsep.join(sys.path))
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    logs = Path(pyspark_sql.__file__).parents[1] / "work" / session.sparkContext.applicationId
    session.stop()
    shutil.rmtree(logs, ignore_errors=True)


@pytest.fixture(scope="module")
def frame(spark, corpus, tmp_path_factory):
    path = tmp_path_factory.mktemp("spark") / "corpus.parquet"
    pq.write_table(corpus, path)
    return spark.read.parquet(str(path)).repartition(6)


def spark_rows(frame):
    return sorted(
        (row.id, row.rank, row.score, row.gap, tuple(row.heads or ()), row.status)
        for row in frame.collect()
    )


@pytest.mark.filterwarnings("ignore")
def test_spark_gives_the_rows_of_one_process(frame, expected):
    trees = DECODE.spark(frame)
    assert trees.columns == ["id", "rank", "score", "gap", "heads", "status"]
    assert spark_rows(trees) == expected


def executors():
    """Processes of executors that descend from this one."""
    parents, found = {}, []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat") as file:
                    parents[int(entry)] = int(file.read().rpartition(")")[2].split()[1])
                with open(f"/proc/{entry}/cmdline", "rb") as file:
                    if b"ExecutorBackend" in file.read():
                        found.append(int(entry))
            except OSError:
                continue

    def is_ours(pid):
        while pid > 1:
            if pid == os.getpid():
                return True
            pid = parents.get(pid, 0)
        return False

    return [pid for pid in found if is_ours(pid)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(not os.path.isdir("/proc"), reason="looks for the executor in /proc")
def test_a_killed_executor_loses_nothing(frame, expected, tmp_path):
    begun = tmp_path / "begun"

    def slowly(batches):
        for batch in batches:
            with open(begun, "a") as file:
                file.write("x")
            time.sleep(0.2)
            yield batch

    slow = frame.mapInArrow(slowly, frame.schema)
    killed = []

    def kill_one():
        while not begun.exists() or len(begun.read_text()) < 3:
            time.sleep(0.02)
        killed.append(executors()[0])
        os.kill(killed[0], signal.SIGKILL)

    killer = threading.Thread(target=kill_one, daemon=True)
    killer.start()
    assert spark_rows(DECODE.spark(slow)) == expected
    killer.join()
    assert killed


@pytest.mark.filterwarnings("ignore")
def test_ray_gives_the_rows_of_one_process(corpus, expected):
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")

    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    try:
        dataset = ray.data.from_arrow([corpus.slice(0, 120), corpus.slice(120)])
        tables = [
            pa.table(batch) for batch in DECODE.ray(dataset).iter_batches(batch_format="pyarrow")
        ]
        assert as_rows(pa.concat_tables(tables)) == expected
    finally:
        ray.shutdown()


@pytest.mark.filterwarnings("ignore")
def test_datasets_gives_the_rows_of_one_process(corpus, expected, tmp_path):
    datasets = pytest.importorskip("datasets")
    datasets.disable_progress_bars()
    dataset = datasets.Dataset(corpus)
    trees = DECODE.datasets(dataset)
    assert as_rows(trees.with_format("arrow")[:]) == expected
    assert (
        trees[0]["heads"]
        == coppice.kbest(
            np.reshape(corpus["scores"][0].as_py(), (corpus["n"][0].as_py() + 1,) * 2),
            1,
            root="single",
        )
        .heads[0]
        .tolist()
    )


def test_datasets_that_are_streams(corpus, expected):
    datasets = pytest.importorskip("datasets")
    rows = corpus.slice(0, 3).to_pylist()
    few = datasets.IterableDataset.from_generator(lambda: iter(rows))  # of columns not known
    assert [row["rank"] for row in KBest(1, root="single").datasets(few)] == [1, 1, 1]
    stream = datasets.Dataset(corpus).to_iterable_dataset()
    trees = DECODE.datasets(stream)
    assert as_rows(pa.Table.from_pylist(list(trees))) == expected
    with pytest.raises(ValueError, match="num_proc is 2"):
        DECODE.datasets(stream, num_proc=2)
