"""A wheel, built, installed in an environment that has nothing else, and used."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from support import REPOSITORY

USE = """
import numpy as np, coppice
scores = np.array([[0, 9, 10], [0, 0, 20], [0, 30, 0]], np.float32)
result = coppice.kbest(scores, 2, root="single")
assert result.heads.tolist() == [[2, 0], [0, 1]]
assert coppice.TreeDistribution(scores, root="single").entropy() > 0
assert "<svg" in result.to_svg()
print(coppice.__file__)
"""


def run(*command, **options):
    ended = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, **options
    )
    assert ended.returncode == 0, f"{command}\n{ended.stdout}\n{ended.stderr}"
    return ended.stdout


def expect_licences(wheel):
    """Every library that the wheel carries comes with its terms."""
    names = zipfile.ZipFile(wheel).namelist()
    carried = {
        re.split(r"[-.]", Path(name).name)[0] for name in names if "coppice.libs/lib" in name
    }
    texts = {Path(name).stem for name in names if "/licenses/" in name}
    assert carried
    assert carried <= texts, carried - texts
    assert {"LICENSE", "eigen", "nanobind", "nlohmann-json", "cli11"} <= texts


@pytest.mark.skipif(sys.platform != "linux", reason="auditwheel is for Linux")
def test_a_wheel_needs_nothing_but_numpy(tmp_path):
    for needed in ("auditwheel", "nanobind", "scikit_build_core"):
        pytest.importorskip(needed)
    if not (REPOSITORY / "build/python/CMakeFiles/coppice_python.dir").exists():
        pytest.skip("compiling all of it takes minutes; `make build` leaves the objects")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    options = ["--quiet", "--no-build-isolation", "--no-deps"]
    # The build of `make build`, which has compiled it.
    options += ["--config-settings", "build-dir=build"]
    for kept in ("TESTS", "EXAMPLES"):
        options += ["--config-settings", f"cmake.define.COPPICE_BUILD_{kept}=ON"]
    run(*pip, "wheel", *options, "--wheel-dir", tmp_path / "built", REPOSITORY)
    (built,) = (tmp_path / "built").iterdir()
    # The tools that auditwheel calls are beside this Python.
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    auditwheel = [sys.executable, "-m", "auditwheel", "repair"]
    run(*auditwheel, "--wheel-dir", tmp_path / "wheel", built, env={**os.environ, "PATH": path})
    (wheel,) = (tmp_path / "wheel").iterdir()
    assert "manylinux" in wheel.name
    expect_licences(wheel)

    clean = tmp_path / "clean"
    run(sys.executable, "-m", "venv", "--without-pip", clean)
    python = clean / "bin" / "python"
    run(*pip, "--python", python, "install", "--quiet", wheel)
    environment = {"PATH": os.environ["PATH"]}
    where = run(python, "-I", "-c", USE, cwd=tmp_path, env=environment)
    assert Path(where.strip()).is_relative_to(clean)
    assert "decode" in run(clean / "bin" / "coppice", "--help", cwd=tmp_path, env=environment)
    libraries = run(shutil.which("ldd"), next(clean.rglob("_core*.so")))
    for library in libraries.splitlines():
        if "libhwy" in library:
            assert str(clean) in library
