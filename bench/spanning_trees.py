"""Spanning trees of undirected graphs beside networkx and scipy, and what adapters take.

    python -m bench.spanning_trees

Both do each task in turns; printed is the median, and what was built is built by both. Their scores
are compared first.
"""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree

import coppice


def median_of(rounds: int, *tasks: Callable[[], Any]) -> list[float]:
    """Seconds of each, in turns."""
    seconds: list[list[float]] = [[] for _ in tasks]
    for _ in range(rounds):
        for task, own in zip(tasks, seconds, strict=True):
            start = time.perf_counter()
            task()
            own.append(time.perf_counter() - start)
    return [statistics.median(each) for each in seconds]


def random_edges(nodes: int, edges: int, seed: int) -> tuple[Any, Any, Any]:
    """Different pairs, connected by a path."""
    random = np.random.default_rng(seed)
    ends = random.integers(0, nodes, (2 * edges, 2))
    path = np.stack([np.arange(nodes - 1), np.arange(1, nodes)], 1)
    pairs = np.sort(np.concatenate([path, ends]), axis=1)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    _, first = np.unique(pairs, axis=0, return_index=True)
    pairs = pairs[np.sort(first)[:edges]]
    return pairs[:, 0], pairs[:, 1], random.random(len(pairs))


def k_best(nodes: int, edges: int, k: int) -> None:
    """The K best trees, beside the iterator of networkx."""
    rows, columns, weights = random_edges(nodes, edges, 1)
    theirs = nx.Graph()
    theirs.add_weighted_edges_from(
        zip(rows.tolist(), columns.tolist(), weights.tolist(), strict=True)
    )

    def ours() -> list[float]:
        graph = coppice.Multigraph.from_networkx(theirs)
        return [tree.score for tree in coppice.kbest(graph, k, root="any", minimize=True)]

    def by_networkx() -> list[float]:
        trees = itertools.islice(nx.SpanningTreeIterator(theirs), k)
        return [tree.size(weight="weight") for tree in trees]

    np.testing.assert_allclose(ours(), by_networkx())
    mine, other = *median_of(5, ours), *median_of(1, by_networkx)
    sizes = f"{k} best of {nodes} nodes, {len(rows)} edges"
    print(f"{sizes}: coppice {mine:.4f} s, networkx {other:.2f} s, {other / mine:.0f} times")


def one_best(nodes: int, edges: int) -> None:
    """The best tree, beside scipy; both from arrays."""
    rows, columns, weights = random_edges(nodes, edges, 2)

    def ours() -> float:
        graph = coppice.Multigraph(rows, columns, weights, nodes=nodes, directed=False)
        return coppice.best(graph, root="any", minimize=True).score

    def by_scipy() -> float:
        matrix = sparse.coo_array((weights, (rows, columns)), shape=(nodes, nodes)).tocsr()
        return minimum_spanning_tree(matrix).sum()

    np.testing.assert_allclose(ours(), by_scipy())
    mine, other = median_of(5, ours, by_scipy)
    sizes = f"one best of {nodes} nodes, {len(rows)} edges"
    print(f"{sizes}: coppice {mine:.3f} s, scipy {other:.3f} s, {mine / other:.2f} times")


def adapters(nodes: int, edges: int) -> None:
    """What it takes to read directed edges, beside the best tree of them."""
    rows, columns, weights = random_edges(nodes, edges, 3)
    # In both directions, but along the path that connects all.
    turned = (np.random.default_rng(4).random(len(rows)) < 0.5) & (columns - rows > 1)
    rows, columns = np.where(turned, columns, rows), np.where(turned, rows, columns)
    matrix = sparse.coo_array((weights, (rows, columns)), shape=(nodes, nodes))
    by_number = pd.DataFrame({"source": rows, "target": columns, "weight": weights})
    named = "node " + by_number[["source", "target"]].astype(str)
    by_name = named.assign(weight=weights)
    graph = coppice.Multigraph.from_scipy(matrix, root_node=0)
    read = coppice.Multigraph
    tasks: dict[str, Callable[[], Any]] = {
        "best tree": lambda: coppice.best(graph, root="any"),
        "from_scipy": lambda: read.from_scipy(matrix, root_node=0),
        "from_frame of integers": lambda: read.from_frame(by_number, root_node=0),
        "from_frame of text": lambda: read.from_frame(by_name, root_node="node 0"),
    }
    print(f"{nodes} nodes, {len(rows)} directed edges")
    for name, seconds in zip(tasks, median_of(5, *tasks.values()), strict=True):
        print(f"  {name}: {seconds:.4f} s")


if __name__ == "__main__":
    k_best(200, 2000, 100)
    one_best(100_000, 1_000_000)
    one_best(300_000, 1_000_000)
    adapters(100_000, 600_000)
