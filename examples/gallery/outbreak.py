"""An outbreak with dates: who infected whom, and how sure that is.

Simulated: cases with the day on which symptoms began, and genomes that gather mutations. Nobody is
infected by a later case, so such edges do not exist. The weight of an edge is a log-likelihood, of
the days between two cases and of the mutations between their genomes; so the trees have
probabilities, and so has every edge.

    python examples/gallery/outbreak.py [PICTURE.svg]
"""

from __future__ import annotations

import math
import sys

import numpy as np

import coppice

CASES, RATE, SERIAL = 24, 0.8, (4.0, 1.6)  # mutations a day; shape and scale of days between cases


def simulate(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Days, mutations between every two cases, and who infected whom (-1: the first case)."""
    random = np.random.default_rng(seed)
    day, infector = np.zeros(CASES), np.full(CASES, -1)
    own: list[frozenset[int]] = [frozenset()]
    mutations = 0
    for case in range(1, CASES):
        infector[case] = random.choice(
            case, p=np.exp(day[:case] / 8) / np.exp(day[:case] / 8).sum()
        )
        wait = random.gamma(*SERIAL)
        day[case] = day[infector[case]] + wait
        new = random.poisson(RATE * wait)
        own.append(own[infector[case]] | set(range(mutations, mutations + new)))
        mutations += new
    distance = np.array([[len(a ^ b) for b in own] for a in own])
    return day.round(1), distance, infector


def log_likelihood(days: float, mutations: int) -> float:
    """Of an infection by a case so many days earlier and so many mutations away."""
    shape, scale = SERIAL
    gamma = (
        (shape - 1) * math.log(days) - days / scale - math.lgamma(shape) - shape * math.log(scale)
    )
    expected = RATE * days
    poisson = mutations * math.log(expected) - expected - math.lgamma(mutations + 1)
    return gamma + poisson


def main(picture: str = "outbreak.svg") -> None:
    """Find the likeliest trees and the probability of every edge."""
    day, distance, infector = simulate(seed=11)
    names = [f"case {case + 1} (day {day[case]:g})" for case in range(CASES)]
    first = int(np.argmin(day))
    edges = [
        (names[a], names[b], log_likelihood(day[b] - day[a], int(distance[a, b])))
        for a in range(CASES)
        for b in range(CASES)
        if day[a] < day[b]  # not from later to earlier
    ]
    graph = coppice.Multigraph.from_edges(edges, root_node=names[first])
    trees = coppice.kbest(graph, 100, root="any")
    distribution = coppice.TreeDistribution(graph, root="any")
    probability = distribution.edge_marginals()
    parents = graph.parents(trees[0])
    right = sum(parents[names[c]] == names[infector[c]] for c in range(CASES) if c != first)
    covered = np.exp(trees.scores - distribution.log_partition).sum()
    print(f"{len(edges)} possible infections of {CASES - 1} cases; the best tree has {right} right")
    print(f"the 100 best trees have {covered:.0e} of the probability: what is sure is in the edges")
    best = trees[0].edges
    assert best is not None
    print(f"edges of the best tree: {sum(probability[best] > 0.9)} with more than 90 %")
    with open(picture, "w", encoding="utf-8") as file:
        file.write(graph.to_svg(trees, labels=[f"{p:.0%}" for p in probability]))


if __name__ == "__main__":
    main(*sys.argv[1:])
