"""Files are whole or not there."""

import os
import stat
import subprocess
import sys

import numpy as np
import pytest

import coppice

GRAPH = coppice.Multigraph.from_edges(
    [("root", f"node {i}", i) for i in range(1000)], root_node="root"
)
WRITERS = {
    "graphs": lambda path: GRAPH.write(path),
    "scores": lambda path: coppice.write_scores(path, [np.random.default_rng(1).random((99, 99))]),
    "labels": lambda path: coppice.Labels(
        [np.random.default_rng(1).random((30, 30, 9))], names=[f"label {i}" for i in range(9)]
    ).write(path),
}


@pytest.mark.parametrize("name", [*WRITERS, "temperature"])
@pytest.mark.parametrize("old", [None, b"what was there"])
def test_a_full_disk_leaves_what_was_there(tmp_path, name, old):
    path = tmp_path / "file"
    if old is not None:
        path.write_bytes(old)
    limited = (
        "import resource, sys; sys.path[:0] = sys.argv[1:2]\n"
        "import coppice, test_output\n"
        "write = test_output.WRITERS.get(sys.argv[2]) or coppice.Temperature(1.5).save\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))\n"
        "write(sys.argv[3])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", limited, os.path.dirname(__file__), name, path],
        capture_output=True,
        text=True,
    )
    assert "File too large" in done.stderr
    assert [each.read_bytes() for each in tmp_path.iterdir()] == ([] if old is None else [old])


@pytest.mark.parametrize("name", WRITERS)
def test_links_and_modes(tmp_path, name):
    link, target = tmp_path / "link", tmp_path / "target"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    WRITERS[name](link)
    assert link.is_symlink()
    assert len(target.read_bytes()) > 100
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    with pytest.raises(FileNotFoundError):
        WRITERS[name](tmp_path / "no folder" / "file")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link", "target"]


def test_devices_are_written_as_they_are():
    GRAPH.write("/dev/null")
    assert not os.path.isfile("/dev/null")
