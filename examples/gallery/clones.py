"""Clones of a tumour: the best trees under the sum condition, and how sure each edge is.

Simulated, in the shape of bulk sequencing: mutation clusters with a frequency in each of several
samples, known from a few hundred reads. A clone can descend from another only if it is nowhere
more frequent; and the children of a clone are together no more frequent than the clone (the sum
condition), which no edge can say by itself: it is a rule.

    python examples/gallery/clones.py [PICTURE.svg]
"""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np

import coppice
from coppice import rules

TRUTH = {"A": "normal", "B": "A", "C": "A", "D": "B", "E": "B", "F": "C", "G": "D", "H": "C"}
SAMPLES, READS, TREES = 4, 300, 200


def simulate(seed: int) -> dict[str, np.ndarray]:
    """Of every clone its frequency in every sample, as reads show it."""
    random = np.random.default_rng(seed)
    names = ["normal", *TRUTH]
    own = random.dirichlet(np.full(len(names), 0.7), SAMPLES).T  # cells that stopped there
    frequency = dict(zip(names, own, strict=True))
    for clone in reversed(TRUTH):  # children come after their parents
        frequency[TRUTH[clone]] = frequency[TRUTH[clone]] + frequency[clone]
    reads = {name: random.binomial(READS, np.clip(f, 0, 1)) for name, f in frequency.items()}
    return {name: np.ones(SAMPLES) if name == "normal" else n / READS for name, n in reads.items()}


def ancestry(frequency: dict[str, np.ndarray]) -> list[tuple[str, str, float]]:
    """How well the reads go with one clone descending from another: a log-likelihood."""
    edges = []
    for parent, above in frequency.items():
        for child, below in frequency.items():
            if child in ("normal", parent):
                continue
            spread = np.sqrt((above * (1 - above) + below * (1 - below)) / READS + 1e-4)
            excess = (below - above) / spread
            # The best parent is the closest one that is still as frequent.
            edges.append((parent, child, float(-np.logaddexp(0, 3 * excess).sum() - above.sum())))
    return edges


def main(picture: str = "clones.svg") -> None:
    """Find the trees, say what they have in common, and draw the best one."""
    frequency = simulate(seed=3)
    graph = coppice.Multigraph.from_edges(ancestry(frequency), root_node="normal")
    assert graph.names is not None
    table = np.array([frequency[name] for name in graph.names])
    condition = rules.sum_condition(table, tolerance=0.1)
    trees = coppice.kbest(
        graph, TREES, root="any", constraints=coppice.Constraints(rules=[condition])
    )
    free = coppice.best(graph, root="any")
    assert free is not None

    weights = np.exp(trees.scores - trees.scores[0])
    weights /= weights.sum()
    share: Counter[int] = Counter()
    for tree, weight in zip(trees, weights, strict=True):
        assert tree.edges is not None
        share.update({edge: weight for edge in tree.edges.tolist()})

    right = sum(graph.parents(trees[0])[clone] == TRUTH[clone] for clone in TRUTH)
    lost = trees.scores[0] - free.score
    print(f"{len(trees)} trees obey the sum condition")
    print(f"the best has {right} of {len(TRUTH)} edges right")
    print(f"without the condition a tree would be {-lost:.2f} better, and impossible")
    for source, target, _ in graph.edges_of(trees[0]):
        edge = next(
            i for i, ends in enumerate(zip(graph.sources, graph.targets, strict=True))
            if (graph.name(ends[0]), graph.name(ends[1])) == (source, target)
        )  # fmt: skip
        print(f"  {source:>6} -> {target}  {share[edge]:4.0%}")
    labels = [f"{share[edge]:.0%}" for edge in range(len(graph))]
    with open(picture, "w", encoding="utf-8") as file:
        file.write(graph.to_svg(trees, labels=labels))


if __name__ == "__main__":
    main(*sys.argv[1:])
