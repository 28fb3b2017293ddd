"""Python libraries, driven as driver.hpp says.

    PYTHON bench/peers/worker.py NAME WORK-FILE

Runs in any environment that has the library and numpy; coppice is not needed. Each class below is
one library: the constructor makes the library's own input of a matrix ``weights[head, dependent]``
before the clock starts; `solve` is timed; `heads` makes head lists of what it returned.
"""

from __future__ import annotations

import importlib.metadata
import sys
import time
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import numpy as np


def version_of(package: str) -> str:
    """The version of a package that is installed, or that says its version itself."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return getattr(sys.modules.get(package), "__version__", "git")


def without_edges(weights: np.ndarray, missing: float) -> np.ndarray:
    """A copy in which the diagonal and what enters the root is no edge."""
    copy = weights.copy()
    np.fill_diagonal(copy, missing)
    copy[:, 0] = missing
    return copy


def single_by_weights(weights: np.ndarray) -> np.ndarray:
    """A copy in which a root edge costs more than all others together can gain."""
    copy = weights.copy()
    edges = without_edges(weights, np.nan)
    copy[0] -= (np.nanmax(edges) - np.nanmin(edges)) * len(weights)
    return copy


class Spanningtrees:
    """The authors' `kbest` and `mst`."""

    package = "spanningtrees"

    def __init__(self, weights: np.ndarray, k: int, single: bool) -> None:
        from spanningtrees.kbest import KBest

        self.graph, self.k, self.single = without_edges(weights, np.nan), k, single
        self.algorithm: Callable[[np.ndarray], Any] = KBest

    def solve(self) -> list[Any]:
        """The trees, as vectors with -1 for the root."""
        found = self.algorithm(self.graph)
        if self.k == 1:
            return [found.mst(self.single)]
        return list(islice(found.kbest(self.single), self.k))

    def heads(self, trees: list[Any]) -> Iterable[Iterable[int]]:
        """Without the root."""
        return (tree[1:] for tree in trees)


class Camerini(Spanningtrees):
    """The authors' version of the original algorithm."""

    def __init__(self, weights: np.ndarray, k: int, single: bool) -> None:
        super().__init__(weights, k, single)
        from spanningtrees.kbest_camerini import KBestCamerini

        self.algorithm = KBestCamerini

    def solve(self) -> list[Any]:
        """As its base; it takes no root rule."""
        return list(islice(self.algorithm(self.graph).kbest(), self.k))


class Networkx:
    """`ArborescenceIterator` and `maximum_spanning_arborescence`."""

    package = "networkx"

    def __init__(self, weights: np.ndarray, k: int, single: bool) -> None:
        import networkx

        given = single_by_weights(weights) if single else weights
        self.library, self.k, self.graph = networkx, k, networkx.DiGraph()
        nodes = range(len(weights))
        self.graph.add_weighted_edges_from(
            (head, dependent, float(given[head, dependent]))
            for head in nodes
            for dependent in nodes[1:]
            if head != dependent
        )

    def solve(self) -> list[Any]:
        """Graphs."""
        if self.k == 1:
            return [self.library.maximum_spanning_arborescence(self.graph)]
        trees = self.library.algorithms.tree.branchings.ArborescenceIterator
        return list(islice(trees(self.graph, minimum=False), self.k))

    def heads(self, trees: list[Any]) -> Iterable[Iterable[int]]:
        """The sources of the edges, by target."""
        for tree in trees:
            head_of = {target: source for source, target in tree.edges()}
            yield [head_of.get(node, -1) for node in range(1, len(self.graph))]


class Ufal:
    """`ufal.chu_liu_edmonds`, C++ behind Python."""

    package = "ufal.chu_liu_edmonds"

    def __init__(self, weights: np.ndarray, k: int, single: bool) -> None:
        from ufal.chu_liu_edmonds import chu_liu_edmonds

        self.decode = chu_liu_edmonds
        given = without_edges(single_by_weights(weights) if single else weights, np.nan)
        self.scores = np.ascontiguousarray(given.T)

    def solve(self) -> Any:
        """Heads, and the score."""
        return self.decode(self.scores)

    def heads(self, found: Any) -> Iterable[Iterable[int]]:
        """Without the root."""
        return [found[0][1:]]


class Synjax:
    """The compiled function behind SynJax's `argmax`, without JAX around it."""

    package = "synjax"

    def __init__(self, weights: np.ndarray, k: int, single: bool) -> None:
        from synjax._src.deptree_algorithms import deptree_non_proj_argmax

        self.decode, self.single = deptree_non_proj_argmax._parse, single
        self.scores = without_edges(weights.astype(float), -np.inf)

    def solve(self) -> Any:
        """Heads."""
        return self.decode(self.scores, self.single)

    def heads(self, found: Any) -> Iterable[Iterable[int]]:
        """Without the root."""
        return [found[1:]]


class Stanza:
    """`chuliu_edmonds` and `chuliu_edmonds_one_root`, which are numpy."""

    package = "stanza"

    def __init__(self, weights: np.ndarray, k: int, single: bool) -> None:
        from stanza.models.common import chuliu_edmonds

        self.scores = np.ascontiguousarray(weights.T)
        self.decode = (
            chuliu_edmonds.chuliu_edmonds_one_root if single else chuliu_edmonds.chuliu_edmonds
        )

    def solve(self) -> Any:
        """Heads; it changes the matrix that it is given."""
        return self.decode(self.scores.copy())

    def heads(self, found: Any) -> Iterable[Iterable[int]]:
        """Without the root."""
        return [found[1:]]


class Supar:
    """`supar.structs.fn.mst`, torch and Python."""

    package = "supar"

    def __init__(self, weights: np.ndarray, k: int, single: bool) -> None:
        import torch
        from supar.structs.fn import mst

        torch.set_num_threads(1)
        self.decode, self.single = mst, single
        self.scores = torch.tensor(without_edges(weights, -1e32).T[None])
        self.mask = torch.ones(1, len(weights), dtype=torch.bool)
        self.mask[0, 0] = False

    def solve(self) -> Any:
        """A batch of one."""
        return self.decode(self.scores, self.mask, multiroot=not self.single)

    def heads(self, found: Any) -> Iterable[Iterable[int]]:
        """Without the root."""
        return [found[0, 1:].tolist()]


class Coppice:
    """Ours, called from Python graph by graph."""

    package = "coppice"

    def __init__(self, weights: np.ndarray, k: int, single: bool) -> None:
        import coppice

        self.decode, self.k = coppice.kbest, k
        self.weights, self.root = weights, "single" if single else "any"

    def solve(self) -> Any:
        """A result."""
        return self.decode(self.weights, self.k, root=self.root)

    def heads(self, found: Any) -> Iterable[Iterable[int]]:
        """As they are."""
        return found.heads


PEERS: dict[str, type[Any]] = {
    "spanningtrees": Spanningtrees,
    "spanningtrees-camerini": Camerini,
    "networkx": Networkx,
    "ufal": Ufal,
    "synjax": Synjax,
    "stanza": Stanza,
    "supar": Supar,
    "coppice-python": Coppice,
}


def read_work(path: str) -> tuple[int, bool, list[np.ndarray]]:
    """What driver.hpp describes."""
    with open(path, encoding="utf-8") as file:
        k, root, graphs = file.readline().split()
        matrices = []
        for _ in range(int(graphs)):
            nodes = int(file.readline())
            matrices.append(np.array([file.readline().split() for _ in range(nodes)], float))
    return int(k), root == "single", matrices


def answer(peer: Any) -> str:
    """The trees of one graph, or what went wrong."""
    try:
        trees = [" ".join(str(int(head)) for head in tree) for tree in peer.heads(peer.solve())]
    except Exception as error:
        return f"error {type(error).__name__}: {error}".replace("\n", " ")
    return "\n".join([str(len(trees)), *trees])


def run(peers: list[Any]) -> float:
    """Seconds of processor time for all graphs; an exception is an answer too."""
    start = time.process_time()
    for peer in peers:
        try:
            peer.solve()
        except Exception:
            continue
    return time.process_time() - start


def main() -> None:
    """Obey standard input."""
    name, path = sys.argv[1:]
    k, single, matrices = read_work(path)
    try:
        peers = [PEERS[name](weights, k, single) for weights in matrices]
        if name == "synjax":
            peers[0].solve()  # compiles
    except ImportError as error:
        print(f"missing {error}".replace("\n", " "), flush=True)
        return
    print("ready", version_of(PEERS[name].package), 0, flush=True)
    for line in sys.stdin:
        if line.strip() == "run":
            print(run(peers), flush=True)
        else:
            start = time.process_time()
            for peer in peers:
                print(answer(peer), flush=True)
            print(time.process_time() - start, flush=True)


if __name__ == "__main__":
    main()
