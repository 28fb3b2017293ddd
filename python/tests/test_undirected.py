"""Undirected graphs: spanning trees and forests, by edges that are named once."""

from __future__ import annotations

import contextlib
import itertools
import pickle
import random

import numpy as np
import pytest

import coppice

ROADS = [("a", "b", 5), ("c", "b", 4), ("c", "a", 3), ("d", "c", 1), ("b", "d", 2)]


def random_graph(seed, nodes=5, weights=3):
    """Ties, parallel edges; perhaps several parts."""
    rng = random.Random(seed)
    ends = range(rng.randint(2, nodes))
    edges = [
        (rng.choice(ends), rng.choice(ends), rng.randint(-weights, weights))
        for _ in range(rng.randint(1, 9))
    ]
    return list(ends), edges


def forests_of(nodes, edges):
    """All sets of edges without a cycle that connect all that can be."""
    found = []
    for size in range(len(nodes), -1, -1):
        for chosen in itertools.combinations(range(len(edges)), size):
            part = {node: node for node in nodes}

            def top(node, part=part):
                while part[node] != node:
                    node = part[node]
                return node

            for i in chosen:
                one, other = top(edges[i][0]), top(edges[i][1])
                if one == other:
                    break
                part[one] = other
            else:
                found.append(frozenset(chosen))
        if found:
            return found
    return found


def kept(graph, tree):
    return frozenset(i for i in tree.edges.tolist() if i < len(graph))


@pytest.mark.parametrize("seed", range(100))
def test_as_all_sets_of_edges(seed):
    nodes, edges = random_graph(seed)
    forests = forests_of(nodes, edges)
    options = {"nodes": nodes, "directed": False}
    if len(forests[0]) < len(nodes) - 1:
        with pytest.raises(
            ValueError, match=r"parts: no edges connect .* and .*; a forest is made"
        ):
            coppice.Multigraph.from_edges(edges, **options)
        options["forest"] = True
    graph = coppice.Multigraph.from_edges(edges, **options)
    minimize = seed % 2 == 0
    trees = coppice.kbest(graph, 1000, root="any", minimize=minimize)
    weight = {forest: sum(edges[i][2] for i in forest) for forest in forests}
    assert {kept(graph, tree): tree.score for tree in trees} == weight
    assert [tree.score for tree in trees] == sorted(weight.values(), reverse=not minimize)
    best = [forest for forest in forests if weight[forest] == trees[0].score]
    assert coppice.Ties(graph, root="any", minimize=minimize).count() == len(best)
    share = coppice.Ties(graph, root="any", minimize=minimize).support()
    with_edge = coppice.max_marginals(graph, root="any", minimize=minimize)
    for i in range(len(edges)):
        assert share[i] == pytest.approx(sum(i in forest for forest in best) / len(best))
        scores = [weight[forest] for forest in forests if i in forest]
        none = np.inf if minimize else -np.inf
        assert with_edge[i] == (min if minimize else max)(scores, default=none)
    for tree in trees[:3]:
        parents = graph.parents(tree)
        assert len(parents) == len(forests[0])
        for child, parent, weight_of in ((c, p, w) for p, c, w in graph.edges_of(tree)):
            assert parents[child] == parent
            assert (parent, child, weight_of) in edges or (child, parent, weight_of) in edges


def test_the_distribution_is_over_edges():
    graph = coppice.Multigraph.from_edges(ROADS, directed=False)
    trees = coppice.TreeDistribution(graph, root="any")
    listed = coppice.kbest(graph, 100, root="any")
    mass = np.exp(listed.scores.astype(float))
    assert trees.log_partition == pytest.approx(np.log(mass.sum()))
    np.testing.assert_allclose(np.exp(trees.log_prob(listed)), mass / mass.sum())
    marginals = trees.edge_marginals()
    for i in range(len(ROADS)):
        has = [i in kept(graph, tree) for tree in listed]
        assert marginals[i] == pytest.approx(mass[has].sum() / mass.sum())
    assert marginals.sum() == pytest.approx(3)
    drawn = trees.sample(2000, seed=1)
    shares = np.bincount(drawn.edges.ravel(), minlength=len(ROADS)) / 2000
    np.testing.assert_allclose(shares, marginals, atol=0.05)
    safest = trees.min_risk()
    assert trees.expected_correct(safest) == pytest.approx(
        max(marginals[list(kept(graph, tree))].sum() for tree in listed)
    )
    with pytest.raises(ValueError, match="marginals is of directed graphs"):
        trees.marginals()
    again = pickle.loads(pickle.dumps(trees))
    assert again.log_partition == trees.log_partition


def test_required_and_forbidden_edges_in_either_direction():
    graph = coppice.Multigraph.from_edges(ROADS, directed=False, root_node="d")
    wanted = coppice.Constraints(required=[("b", "a"), ("d", "c")], forbidden=[("b", "d")])
    tree = coppice.best(graph, root="any", constraints=wanted)
    assert graph.parents(tree) == {"c": "d", "b": "c", "a": "b"}
    assert graph.root_of(tree) == "d"
    assert graph.to_newick(tree) == "(((a:5)b:4)c:1)d;"
    assert kept(graph, tree) == {0, 1, 3}
    by_number = coppice.Constraints(required_edges=[2, 3], forbidden_edges=[0])
    assert kept(graph, coppice.best(graph, root="any", constraints=by_number)) == {1, 2, 3}
    stream = coppice.iter_kbest(graph, root="any", constraints=wanted)
    assert [tree.score for tree in stream] == [10, 9]
    with pytest.raises(ValueError, match="the required edges form a cycle"):
        coppice.best(graph, root="any", constraints=coppice.Constraints(required_edges=[0, 1, 2]))


@pytest.mark.parametrize("seed", range(60))
def test_every_call_obeys_the_constraints(seed):
    nodes, edges = random_graph(seed, weights=2)
    graph = coppice.Multigraph.from_edges(edges, nodes=nodes, directed=False, forest=True)
    rng = random.Random(seed)
    required, forbidden = ([i for i in range(len(edges)) if rng.random() < 0.15] for _ in "rf")
    forests = {
        forest: sum(edges[i][2] for i in forest)
        for forest in forests_of(nodes, edges)
        if forest.issuperset(required) and forest.isdisjoint(forbidden)
    }
    asked = {"root": "any", "minimize": seed % 3 == 0}
    asked["constraints"] = coppice.Constraints(required_edges=required, forbidden_edges=forbidden)
    if not forests:  # perhaps the required edges even form a cycle
        with contextlib.suppress(ValueError):
            assert len(coppice.kbest(graph, 1000, **asked)) == 0
            assert coppice.verify(graph, coppice.kbest(graph, 1, **asked), **asked) == ""
        return
    trees = coppice.kbest(graph, 1000, **asked)
    assert {kept(graph, tree): tree.score for tree in trees} == forests
    assert [kept(graph, tree) for tree in coppice.iter_kbest(graph, **asked)] == [
        kept(graph, tree) for tree in trees
    ]
    assert coppice.verify(graph, trees, **asked) == ""
    best = coppice.best(graph, **asked)
    assert best.score == trees[0].score
    ties = coppice.Ties(graph, **asked)
    tied = [forest for forest in forests if forests[forest] == trees[0].score]
    assert ties.count() == len(tied)
    with_edge = coppice.max_marginals(graph, **asked)
    legal = asked["constraints"]
    assert legal.count_legal(graph, root="any") == len(forests)
    drawn = legal.sample_legal(graph, 50, root="any", seed=seed)
    assert {frozenset(i for i in row if i < len(graph)) for row in drawn.edges.tolist()} <= (
        forests.keys()
    )
    mass = np.exp(list(forests.values()))
    share = coppice.TreeDistribution(graph, root="any", constraints=legal).edge_marginals()
    for i in range(len(edges)):
        has = np.array([i in forest for forest in forests], bool)
        worst = np.inf if asked["minimize"] else -np.inf
        scores = [score for forest, score in forests.items() if i in forest]
        assert with_edge[i] == (min if asked["minimize"] else max)(scores, default=worst)
        assert share[i] == pytest.approx(mass[has].sum() / mass.sum())
        assert ties.support()[i] == pytest.approx(np.mean([i in forest for forest in tied]))


def test_lists_that_are_wrong():
    graph = coppice.Multigraph.from_edges(ROADS, directed=False)
    trees = coppice.kbest(graph, 8, root="any")

    def fault(given, **constraints):
        wanted = coppice.Constraints(**constraints)
        return coppice.verify(graph, given, root="any", constraints=wanted)

    assert fault(trees) == ""
    assert fault(trees[1:]).startswith("rank 0: ")
    assert fault(trees[:0]) == "there is a tree"
    assert fault(trees, required_edges=[2]) == "rank 0: edge 1 does not go with the constraints"
    assert fault(trees, forbidden=[("d", "b")]) == (
        "rank 0: edge 4 does not go with the constraints"
    )
    other = coppice.kbest(
        coppice.Multigraph.from_edges(ROADS[::-1], directed=False, nodes="abcd"), 2, root="any"
    )
    assert "is not one between" in fault(other)
    assert coppice.verify(graph, trees, root="any", minimize=True).startswith("rank 0: ")


def test_what_looks_at_heads_says_so():
    graph = coppice.Multigraph.from_edges(ROADS, directed=False)
    ruled = coppice.Constraints(rules=[coppice.rules.max_depth(2)])
    trees = coppice.TreeDistribution(graph, root="any")
    listed = coppice.kbest(graph, 2, root="any")
    for call in (
        lambda: coppice.best(graph, root="any", constraints=ruled),
        lambda: coppice.kbest(graph, 2, root="any", constraints=ruled),
        lambda: coppice.iter_kbest(graph, root="any", constraints=ruled),
        lambda: coppice.verify(graph, listed, root="any", constraints=ruled),
        lambda: ruled.count_legal(graph, root="any"),
        lambda: ruled.sample_legal(graph, 2, root="any", seed=1),
    ):
        with pytest.raises(ValueError, match="rules look at heads and children, which an und"):
            call()
    with pytest.raises(ValueError, match="diverse compares heads, which an undirected graph"):
        coppice.diverse(graph, 2, root="any")
    for call in (
        lambda: coppice.kbest(graph, 1, root="any", probabilities=True),
        lambda: trees.kbest(2),
    ):
        with pytest.raises(ValueError, match="an undirected graph has no heads to have prob"):
            call()
    for call in (lambda: trees.kbest(mass=0.5), lambda: trees.sample(seed=1, constraints=ruled)):
        with pytest.raises(ValueError, match="is of directed graphs; edge_marginals"):
            call()


def test_numbers_as_nodes():
    graph = coppice.Multigraph([1, 0, 2], [0, 2, 1], [3, 2, 1], directed=False)
    assert repr(graph) == "<Multigraph: 3 nodes, 3 edges, undirected>"
    tree = coppice.best(graph, root="any")
    assert tree.heads.tolist() == [0, 0]
    assert tree.edges.tolist() == [0, 1]
    # Node 0 as a leaf.
    tree = coppice.best(graph, root="single")
    assert tree.heads.tolist() == [0, 1]
    assert tree.edges.tolist() == [0, 2]
    with pytest.raises(ValueError, match="the graph has 2 parts: no edges connect 0 and 1"):
        coppice.Multigraph([1, 3], [2, 2], [1, 1], directed=False)
    again = pickle.loads(pickle.dumps(graph._graph))
    assert [each.tolist() for each in again.endpoints()] == [[1, 0, 2], [0, 2, 1]]
    assert again.weights().tolist() == [3, 2, 1]


def test_other_libraries():
    graph = coppice.Multigraph.from_edges([*ROADS, ("e", "f", 7)], directed=False, forest=True)
    assert repr(graph) == "<Multigraph: 6 nodes, 6 edges, undirected, forest>"
    forest = coppice.best(graph, root="any")
    assert graph.roots_of(forest) == ["a", "e"]
    with pytest.raises(ValueError, match="2 roots"):
        graph.root_of(forest)
    nx = pytest.importorskip("networkx")
    drawn = graph.to_networkx(forest)
    assert nx.is_forest(drawn)
    assert not drawn.is_directed()
    assert drawn.size(weight="weight") == forest.score == 18
    again = coppice.Multigraph.from_networkx(drawn, forest=True)
    assert coppice.best(again, root="any").score == 18
    scipy = pytest.importorskip("scipy.sparse")
    matrix = scipy.coo_array(([5, 4, 3], ([0, 2, 2], [1, 1, 0])), shape=(3, 3))
    table = coppice.Multigraph.from_scipy(matrix, directed=False)
    assert coppice.kbest(table, 9, root="any").scores.tolist() == [9, 8, 7]


def test_branchings_with_prices_of_roots():
    edges = [("a", "b", 5), ("b", "c", 4), ("c", "a", 6), ("a", "c", 1)]
    graph = coppice.Multigraph.from_edges(edges, forest=True, root_weights={"a": 3, "b": 1})
    # Every node hangs from another one, or pays what it weighs to be a root.
    prices = {"a": 3, "b": 1, "c": 0}
    choices = {
        node: [*((u, w) for u, v, w in edges if v == node), (None, prices[node])] for node in "abc"
    }
    scores = []
    for chosen in itertools.product(*choices.values()):
        head = dict(zip("abc", (u for u, _ in chosen), strict=True))
        if all(is_rooted(node, head) for node in head):
            scores.append(sum(w for _, w in chosen))
    trees = coppice.kbest(graph, 100, root="any")
    assert trees.scores.tolist() == sorted(scores, reverse=True)
    assert (graph.roots_of(trees[0]), trees[0].score) == (["a"], 12)
    for wrong in ({"z": 1}, [1, 2], float("nan")):
        with pytest.raises(ValueError, match="root_weights"):
            coppice.Multigraph.from_edges(edges, forest=True, root_weights=wrong)
    with pytest.raises(ValueError, match="root_weights are of graphs in which any node"):
        coppice.Multigraph.from_edges(edges, root_node="a", root_weights=2)
    with pytest.raises(ValueError, match="a forest has roots of its own"):
        coppice.Multigraph.from_edges(edges, root_node="a", forest=True)


def is_rooted(node, head):
    for _ in head:
        node = node if node is None else head[node]
    return node is None


@pytest.mark.parametrize("seed", range(20))
def test_the_best_tree_from_every_root(seed):
    rng = random.Random(seed)
    pairs = [pair for pair in itertools.permutations("abcd", 2) if rng.random() < 0.5]
    edges = [(u, v, rng.randint(0, 3)) for u, v in pairs] or [("a", "b", 1)]
    graph = coppice.Multigraph.from_edges(edges)
    minimize = seed % 2 == 0
    expected = {}
    for node in graph.names[1:]:
        rooted = coppice.Multigraph.from_edges(edges, root_node=node)
        tree = coppice.best(rooted, root="any", minimize=minimize)
        if tree is not None:
            expected[node] = tree.score
    found = graph.root_scores(minimize=minimize)
    assert found == expected
    assert list(found.values()) == sorted(found.values(), reverse=not minimize)
    with pytest.raises(ValueError, match="root_scores are those of a directed graph"):
        coppice.Multigraph.from_edges(edges, root_node=edges[0][0]).root_scores()
