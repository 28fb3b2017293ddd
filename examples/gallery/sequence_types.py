"""Bacterial types: whole-number distances, millions of best trees, and what they agree on.

Simulated in the shape of seven-locus typing (MLST): sequence types differ in a few of seven
alleles, some of which are missing, so that distances are small whole numbers and not symmetric.
Programs draw one minimum tree of very many; here all of them are counted, and every edge has the
share of them that have it.

    python examples/gallery/sequence_types.py [PICTURE.svg]
"""

from __future__ import annotations

import sys

import numpy as np

import coppice

TYPES, LOCI, MISSING = 30, 7, 0.03


def simulate(seed: int) -> np.ndarray:
    """Alleles [type, locus]; -1 where one is missing."""
    random = np.random.default_rng(seed)
    alleles = np.zeros((TYPES, LOCI), int)
    for new in range(1, TYPES):
        alleles[new] = alleles[random.integers(0, new)]
        changed = random.choice(LOCI, 1 + random.binomial(2, 0.3), replace=False)
        alleles[new, changed] = random.integers(1, 60, len(changed))
    missing = random.random(alleles.shape) < MISSING
    missing[0] = False
    return np.where(missing, -1, alleles)


def distances(alleles: np.ndarray) -> np.ndarray:
    """[from, to]: loci in which the second differs, or has an allele that the first lacks."""
    known = alleles >= 0
    differ = (alleles[:, None] != alleles[None]) & known[None]
    return differ.sum(axis=2)


def main(picture: str = "sequence_types.svg") -> None:
    """Count the minimum trees from the first type, and draw one with the support of its edges."""
    table = distances(simulate(seed=5))
    names = [f"ST{i + 1}" for i in range(TYPES)]
    edges = [
        (names[a], names[b], int(table[a, b])) for a in range(TYPES) for b in range(TYPES) if a != b
    ]
    graph = coppice.Multigraph.from_edges(edges, root_node="ST1")
    count = coppice.Ties(graph, root="any", minimize=True).count()
    support = coppice.Ties(graph, root="any", minimize=True).support()
    tree = coppice.best(graph, root="any", minimize=True)
    assert tree is not None
    assert tree.edges is not None
    of_tree = support[tree.edges]
    print(f"{count:,} trees of {tree.score} changes")
    print(f"{sum(of_tree > 0.999)} of {TYPES - 1} edges are in all of them")
    print(f"the least of this tree is in {of_tree.min():.0%}")
    with open(picture, "w", encoding="utf-8") as file:
        file.write(graph.to_svg([tree], labels=[f"{share:.0%}" for share in support]))


if __name__ == "__main__":
    main(*sys.argv[1:])
