"""The interpreter lock, other threads, and Ctrl-C."""

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import coppice
from support import matrices, random_scores


def test_python_threads_share_a_decoder_safely(english):
    sentences = matrices(*english)[:60]
    expected = [coppice.kbest(matrix, 10, root="single").scores.tolist() for matrix in sentences]
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda m: coppice.kbest(m, 10, root="single").scores.tolist(), sentences)
        assert list(found) == expected


def test_python_threads_share_a_stream():
    scores = random_scores(8, seed=5)
    expected = coppice.kbest(scores, 400, root="any").scores.tolist()
    lock, found = threading.Lock(), []
    stream = coppice._core.Stream(
        scores, coppice._core.Which(False, False), coppice._core.HowMany(400, None, None), None
    )

    def take():
        while (tree := stream.next()) is not None:
            with lock:
                found.append(tree[1])

    takers = [threading.Thread(target=take) for _ in range(3)]
    for taker in takers:
        taker.start()
    for taker in takers:
        taker.join()
    assert sorted(found, reverse=True) == expected


def test_the_lock_is_released():
    scores = np.stack([random_scores(60, seed) for seed in range(40)])
    ticks = []
    done = threading.Event()

    def work():
        coppice.kbest_batch(scores, 500, root="any")
        done.set()

    worker = threading.Thread(target=work)
    worker.start()
    while not done.is_set():
        ticks.append(time.monotonic())
        time.sleep(0.001)
    worker.join()
    assert len(ticks) > 1


INTERRUPTED = """
import signal, sys, threading, time
import numpy as np
import coppice
rng = np.random.default_rng(0)
{setup}
pressed = []
def press():
    pressed.append(time.monotonic())
    signal.raise_signal(signal.SIGINT)
threading.Timer(0.3, press).start()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted after", time.monotonic() - pressed[0], flush=True)
# Nothing goes on: the processor is idle.
before = time.process_time()
time.sleep(0.2)
print("busy", time.process_time() - before, flush=True)
assert coppice.best([[0, 1], [0, 0]], root='any').score == 1
"""

#: A promise of 0.2 s, and room for a machine that is busy with other things.
PATIENCE = 2.0


@pytest.mark.parametrize(
    ("setup", "call"),
    [
        (
            "s = list(rng.normal(size=(60, 81, 81)))",
            "coppice.kbest_batch(s * 2000, 50, root='any', threads=2)",
        ),
        (
            "s = [rng.normal(size=(41, 41))] * 2",
            "coppice.kbest_batch(s, 3_000_000, root='any', threads=2)",
        ),
        ("s = rng.normal(size=(41, 41))", "coppice.kbest(s, 30_000_000, root='any')"),
        ("s = rng.normal(size=(41, 41))", "[0 for t in coppice.iter_kbest(s, root='any')]"),
    ],
    ids=["short sentences", "long sentences", "kbest", "iter_kbest"],
)
def test_ctrl_c_ends_long_calls(setup, call):
    code = INTERRUPTED.format(setup=setup, call=call)
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 0, ended.stderr
    after, busy = (float(line.split()[-1]) for line in ended.stdout.splitlines())
    assert after < PATIENCE
    assert busy < 0.15
