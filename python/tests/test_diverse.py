"""Trees that differ, the best tree for every root word, and what is known of some arcs."""

import itertools
import math

import numpy as np
import pytest

import coppice


def apart(a, b):
    return int((a.heads != b.heads).sum())


@pytest.mark.parametrize("distance", [1, 2, 3])
@pytest.mark.parametrize("root", ["single", "any"])
def test_each_tree_is_the_best_that_is_far_enough(distance, root):
    for seed in range(5):
        scores = np.random.default_rng(seed).normal(size=(5, 5))
        trees = list(coppice.kbest(scores, 10_000, root=root))
        expected = []
        for tree in trees:
            if len(expected) < 4 and all(apart(tree, other) >= distance for other in expected):
                expected.append(tree)
        found = coppice.diverse(scores, 4, root=root, distance=distance)
        assert [tree.heads.tolist() for tree in found] == [t.heads.tolist() for t in expected]


def test_words_with_ignored_labels_do_not_count():
    random = np.random.default_rng(1)
    labels = coppice.Labels(random.normal(size=(5, 5, 2)), names=["dep", "punct"])
    scores = random.normal(size=(5, 5))
    found = coppice.diverse(
        scores, 5, root="any", labels=labels, distance=2, ignored_labels=["punct"]
    )
    assert len(found) > 1
    for one, other in itertools.combinations(found, 2):
        counts = (one.labels == 0) & (other.labels == 0)
        assert ((one.heads != other.heads) & counts).sum() >= 2
    with pytest.raises(ValueError, match="none of these labels"):
        coppice.diverse(scores, 2, root="any", labels=labels, ignored_labels=["nsubj"])
    with pytest.raises(ValueError, match="no labels"):
        coppice.diverse(scores, 2, root="any", ignored_labels=["punct"])


def test_constraints_hold_and_a_budget_ends_the_list():
    scores = np.zeros((13, 13))
    meant = coppice.Constraints(budget=20)
    found = coppice.diverse(scores, 50, root="any", distance=12, constraints=meant)
    assert not found.complete
    assert found.bound <= found.scores[0]
    meant = coppice.Constraints(required=[(0, 3)])
    found = coppice.diverse(scores, 5, root="any", distance=4, constraints=meant)
    assert len(found) == 5
    assert all(tree.heads[2] == 0 for tree in found)
    for wrong in ({"k": 0}, {"k": 2, "distance": 0}):
        with pytest.raises(ValueError, match=r"at least 1|1 or more"):
            coppice.diverse(scores, root="any", **wrong)


def test_best_by_root_is_the_best_with_that_root():
    for seed in range(5):
        scores = np.random.default_rng(seed).normal(size=(6, 6))
        if seed == 0:
            scores[0, 2] = -np.inf
        best = coppice.best(scores, root="single")
        worth = coppice.max_marginals(scores, root="single")[0]
        for word, tree in enumerate(coppice.best_by_root(scores), start=1):
            if tree is None:
                assert worth[word] == -np.inf
                continue
            assert np.flatnonzero(tree.heads == 0).tolist() == [word - 1]
            assert tree.score == pytest.approx(worth[word])
            assert tree.gap == pytest.approx(best.score - tree.score)
    assert coppice.best_by_root(np.full((3, 3), -np.inf)) == [None, None]


def test_best_by_root_of_a_graph_with_any_root():
    graph = coppice.Multigraph.from_edges([("a", "b", 3.0), ("b", "a", 2.0), ("b", "c", 1.0)])
    trees = coppice.best_by_root(graph)
    assert [None if tree is None else tree.score for tree in trees] == [4.0, 3.0, None]


@pytest.mark.parametrize("root", ["single", "any"])
def test_given_and_joint(root):
    scores = np.random.default_rng(2).normal(size=(4, 4))
    trees = list(coppice.kbest(scores, 1000, root=root))
    weights = np.exp([tree.score for tree in trees])
    sure = coppice.TreeDistribution(scores, root=root)
    for arcs in ([(1, 2)], [(1, 2), (0, 1)], [(1, 2), (3, 2)], [(1, 2), (2, 1)], []):
        has = [all(tree.heads[d - 1] == h for h, d in arcs) for tree in trees]
        assert sure.joint(arcs) == pytest.approx(weights[has].sum() / weights.sum(), abs=1e-12)
    known = sure.given(coppice.Constraints(required=[(1, 2)], forbidden=[(0, 3)]))
    has = [tree.heads[1] == 1 and tree.heads[2] != 0 for tree in trees]
    for head, dependent in itertools.permutations(range(4), 2):
        if dependent == 0:
            continue
        both = [ok and t.heads[dependent - 1] == head for ok, t in zip(has, trees, strict=True)]
        expected = weights[both].sum() / weights[has].sum()
        assert known.marginals()[head, dependent] == pytest.approx(expected, abs=1e-12)
    assert known.given(coppice.Constraints(required=[(0, 1)])).joint([(1, 2)]) == pytest.approx(1.0)


def test_arcs_that_exclude_each_other_have_no_joint_probability():
    sure = coppice.TreeDistribution(
        np.zeros((4, 4)), root="single", constraints=coppice.Constraints(forbidden=[(1, 3)])
    )
    for arcs in ([(0, 1), (0, 2)], [(1, 2), (2, 3), (3, 1)], [(1, 3)], [(1, 2), (3, 2)]):
        assert sure.joint(arcs) == 0.0
    for wrong in ([(0, 4)], [(1, 0)], [(2, 2)]):
        with pytest.raises(ValueError, match=r"required edge|4"):
            sure.joint(wrong)


def test_joint_where_there_is_no_tree():
    nothing = coppice.TreeDistribution(np.full((3, 3), -np.inf), root="any")
    assert nothing.joint([(0, 1)]) == 0.0
    assert nothing.given(coppice.Constraints(forbidden=[(0, 1)])).log_partition == -math.inf


def test_joint_beside_masks_that_no_tree_avoids():
    scores = np.array([[0, -26, -1e18], [0, 0, -1e18], [0, 0.0, 0]])
    sure = coppice.TreeDistribution(scores, root="any")
    assert sure.joint([(0, 1)]) == pytest.approx(sure.marginals()[0, 1], rel=1e-12)
    assert sure.joint([(0, 1), (0, 2)]) <= sure.joint([(0, 1)])


def test_joint_of_an_undirected_graph():
    graph = coppice.Multigraph([0, 1, 2, 0, 0], [1, 2, 3, 3, 2], [1, 2, 0.5, 1, 0], directed=False)
    trees = coppice.TreeDistribution(graph, root="any")
    assert trees.joint([(0, 1)]) == pytest.approx(trees.edge_marginals()[0])
