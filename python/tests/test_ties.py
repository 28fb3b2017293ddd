"""Counts of best trees and what they have in common, against lists of all trees."""

from __future__ import annotations

import math

import numpy as np
import pytest

import coppice
from support import brute_force


@pytest.mark.parametrize("seed", range(30))
def test_as_listed(root, seed):
    random = np.random.default_rng(seed)
    scores = random.integers(0, 3, (5, 5))
    trees = brute_force(scores, root)
    best = [heads for score, heads in trees if score == trees[0][0]]
    assert coppice.Ties(scores, root=root).count() == len(best)
    assert coppice.Ties(scores, root=root).count(log=True) == pytest.approx(math.log(len(best)))
    expected = np.zeros((5, 5))
    for heads in best:
        expected[heads, range(1, 5)] += 1 / len(best)
    support = coppice.Ties(scores, root=root).support()
    np.testing.assert_allclose(support, expected, atol=1e-12)
    turned = coppice.Ties(scores.T, root=root, axes="dep,head").support()
    np.testing.assert_allclose(turned, expected.T, atol=1e-12)
    listed = coppice.kbest(scores, root=root, max_gap=0)
    assert coppice.Ties(scores, root=root).count() == len(listed)


def test_of_edges():
    graph = coppice.Multigraph([0, 0, 1, 1], [1, 1, 2, 2], [1, 1, 5, 4])
    assert coppice.Ties(graph, root="any").count() == 2
    assert coppice.Ties(graph, root="any").support().tolist() == [0.5, 0.5, 1, 0]
    assert (
        coppice.Ties(
            graph, root="any", constraints=coppice.Constraints(forbidden_edges=[0])
        ).count()
        == 1
    )
    assert coppice.Ties(graph, root="any", minimize=True).support().tolist() == [0.5, 0.5, 0, 1]


def test_more_than_float64_holds():
    assert coppice.Ties(np.ones((202, 202)), root="any").count() == 202**200


def test_no_tree():
    graph = coppice.Multigraph([0], [1], [1], nodes=3)
    assert coppice.Ties(graph, root="any").count() == 0
    assert coppice.Ties(graph, root="any").count(log=True) == -math.inf
    assert coppice.Ties(graph, root="any").support().tolist() == [0]
