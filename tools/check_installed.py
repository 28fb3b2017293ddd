"""Checks an installed coppice: the README's Python, the program, and a digest of lists of trees.

python tools/check_installed.py [PROGRAM]

The last line is the digest: of the bits of every score and every head, over bundled sentences and
random graphs. It is the same on every machine. PROGRAM is the command that starts the program.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import coppice

REPOSITORY = Path(__file__).resolve().parent.parent
SENTENCES = 40  # of each treebank
WORDS = 40  # at most, so that an emulated machine is done soon
TREES = 20
GRAPHS = 60


def run_readme() -> int:
    """Run its Python, which must print what it promises; how many snippets there were."""
    sys.path.insert(0, str(REPOSITORY / "tests" / "readme"))
    from snippets import snippets

    names: dict[str, Any] = {}
    found = [s for s in snippets(REPOSITORY / "README.md") if s.language == "python"]
    for snippet in found:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(snippet.code, names)
        if snippet.output is not None and printed.getvalue() != snippet.output:
            raise SystemExit(f"{snippet.name} printed:\n{printed.getvalue()}")
    if not found:
        raise SystemExit("README.md has no Python")
    return len(found)


def run_program(command: list[str]) -> str:
    """Check that the program gives the trees that the module gives; what it says of itself."""
    scores = REPOSITORY / "data" / "ud-scores" / "Marathi-UFAL.npz"
    decode = [*command, "decode", str(scores), "--root", "single", "-k", "1", "--limit", "3"]
    printed = subprocess.run(decode, capture_output=True, text=True, check=True).stdout
    for line, matrix in zip(printed.splitlines(), sentences(scores), strict=False):
        heads = coppice.best(matrix, root="single").heads.tolist()
        if f'"heads": {heads}' not in line:
            raise SystemExit(f"the program says {line}, the module {heads}")
    return subprocess.run(
        [*command, "--version"], capture_output=True, text=True, check=True
    ).stdout.strip()


def sentences(path: Path) -> Iterator[np.ndarray]:
    """Score matrices of a file, in order."""
    with np.load(path) as arrays:
        lengths, scores = arrays["lengths"], arrays["scores"]
    at = 0
    for words in lengths.tolist():
        size = (words + 1) ** 2
        yield scores[at : at + size].reshape(words + 1, words + 1)
        at += size


def graphs() -> Iterator[np.ndarray]:
    """Random matrices of every type, from whole numbers: no machine makes others of them."""
    bits = np.random.PCG64(2021)
    for number in range(GRAPHS):
        nodes = 3 + number % 30
        whole = (bits.random_raw(nodes * nodes) >> np.uint64(40)).astype(np.int64)
        matrix = whole.reshape(nodes, nodes) - 2**23
        if number % 4 == 3:
            yield matrix % 7  # ties
        else:
            yield [matrix / 2**20, (matrix / 2**20).astype(np.float32), matrix][number % 3]


def digest() -> tuple[str, int]:
    """The digest, and how many trees it is of."""
    total = hashlib.sha256()
    trees = 0

    def add(matrix: np.ndarray, **options: Any) -> None:
        nonlocal trees
        result = coppice.kbest(matrix, TREES, **options)
        scores = result.scores
        total.update(scores.astype(scores.dtype.newbyteorder("<")).tobytes())
        total.update(result.heads.astype("<i4").tobytes())
        trees += len(result.heads)

    for path in sorted((REPOSITORY / "data" / "ud-scores").glob("*[!s].npz")):
        short = (matrix for matrix in sentences(path) if len(matrix) <= WORDS + 1)
        for matrix, _ in zip(short, range(SENTENCES), strict=False):
            add(matrix, root="single")
    for matrix in graphs():
        for minimize in (False, True):
            add(matrix, root="any", minimize=minimize)
            add(matrix, root="single", minimize=minimize)
    return total.hexdigest(), trees


def main() -> None:
    """Run all of it."""
    print(f"Python {sys.version.split()[0]}, numpy {np.__version__}, {coppice.__file__}")
    print(f"{run_readme()} snippets of the README")
    if len(sys.argv) > 1:
        print(run_program(shlex.split(sys.argv[1])))
    value, trees = digest()
    print(f"digest of {trees} trees: {value}")


if __name__ == "__main__":
    main()
