"""Edge lists, and graphs of networkx."""

import itertools

import numpy as np
import pytest

import coppice
from support import random_scores

nx = pytest.importorskip("networkx")
from coppice import networkx as coppice_nx  # noqa: E402


def as_edges(scores):
    heads, words = np.nonzero(np.isfinite(scores))
    return heads, words, scores[heads, words]


def test_edge_arrays_give_what_the_matrix_gives(root):
    scores = random_scores(6, seed=1)
    heads, words, weights = as_edges(scores)
    graph = coppice.Multigraph(heads, words, weights)
    assert (graph.nodes, len(graph)) == (6, 36)
    expected = coppice.kbest(scores, 30, root=root)
    result = coppice.kbest(graph, 30, root=root)
    assert (result.heads == expected.heads).all()
    assert (result.scores == expected.scores).all()
    # Its edges lead from the heads to the words.
    assert (graph.sources[result.edges] == result.heads).all()
    assert (graph.targets[result.edges] == np.arange(1, 6)).all()
    assert coppice.best(graph, root=root).edges.tolist() == result.edges[0].tolist()
    first = next(coppice.iter_kbest(graph, root=root))
    assert first.edges.tolist() == result.edges[0].tolist()


def test_parallel_edges_are_different_choices():
    graph = coppice.Multigraph([0, 0, 0], [1, 1, 1], [5, 7, 6])
    result = coppice.kbest(graph, 9, root="single")
    assert result.edges.tolist() == [[1], [2], [0]]
    assert result.scores.tolist() == [7, 6, 5]
    assert result.scores.dtype == np.int64
    without = coppice.kbest(
        graph, 9, root="single", constraints=coppice.Constraints(forbidden_edges=[1])
    )
    assert without.edges.tolist() == [[2], [0]]
    assert coppice.kbest(
        graph, 9, root="single", constraints=coppice.Constraints(required_edges=[0])
    ).edges.tolist() == [[0]]


def test_a_large_sparse_graph():
    rng = np.random.default_rng(5)
    nodes = 20_000
    chain = np.arange(nodes - 1), np.arange(1, nodes)
    sources = np.concatenate([chain[0], rng.integers(0, nodes, 100_000)])
    targets = np.concatenate([chain[1], rng.integers(1, nodes, 100_000)])
    graph = coppice.Multigraph(sources, targets, rng.normal(size=len(sources)), nodes=nodes)
    result = coppice.kbest(graph, 50, root="any")
    assert len(result) == 50
    assert (np.diff(result.scores) <= 0).all()
    total = graph.weights[result.edges].sum(axis=1)
    np.testing.assert_allclose(result.scores, total)


@pytest.mark.parametrize(
    ("edges", "options", "message"),
    [
        (([0, 1], [1], [1.0]), {}, "sources"),
        (([0], [1], [np.nan]), {}, "NaN"),
        (([0], [-1], [1.0]), {"nodes": 3}, "-1"),
        (([0], [5], [1.0]), {"nodes": 3}, "5"),
        (([0.5], [1], [1.0]), {}, "sources must be a vector of integers"),
        (([0], [1], [[1.0]]), {}, "weights has shape (1, 1)"),
        (([], [], []), {}, "1 node"),
    ],
)
def test_errors_name_the_edge(edges, options, message):
    with pytest.raises(ValueError) as caught:
        coppice.Multigraph(*edges, **options)
    assert message in str(caught.value)


def test_labels_do_not_go_with_edges():
    graph = coppice.Multigraph([0], [1], [1.0])
    with pytest.raises(ValueError, match="labels go with a matrix"):
        coppice.kbest(graph, 1, root="any", labels=np.zeros((2, 2, 1)))


def as_digraph(scores):
    graph = nx.DiGraph(name="example")
    graph.add_nodes_from(range(len(scores)), kind="word")
    for head, word, weight in zip(*as_edges(scores), strict=True):
        if head != word:
            graph.add_edge(head.item(), word.item(), weight=weight, colour="green")
    return graph


def test_digraph_with_a_root(root):
    scores = random_scores(5, seed=3)
    expected = coppice.kbest(scores, 7, root=root)
    trees = list(coppice_nx.iter_kbest(as_digraph(scores), 7, root_node=0, root=root))
    assert [tree.graph["score"] for tree in trees] == expected.scores.tolist()
    assert [tree.graph["gap"] for tree in trees] == expected.gaps.tolist()
    for tree, heads in zip(trees, expected.heads.tolist(), strict=True):
        assert set(tree.edges) == {(head, word) for word, head in enumerate(heads, start=1)}
        assert nx.is_arborescence(tree)
        assert tree.graph["name"] == "example"
        assert all(data["colour"] == "green" for *_, data in tree.edges(data=True))
        assert tree.nodes[0]["kind"] == "word"


def test_without_a_root_as_networkx_does():
    # In networkx 3 the iterator loses trees; the best one is right.
    scores = random_scores(5, seed=4, dtype=np.int64)
    graph = as_digraph(scores)
    best = next(coppice_nx.iter_kbest(graph, minimize=True))
    truth = nx.minimum_spanning_arborescence(graph)
    assert best.graph["score"] == truth.size(weight="weight")
    assert isinstance(best.graph["score"], int)
    everything = list(coppice_nx.iter_kbest(graph))
    assert len(everything) == 5**4  # rooted trees of five labelled nodes
    assert len({frozenset(tree.edges) for tree in everything}) == 5**4


def test_without_a_root_negative_weights_are_no_reason_to_stop():
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([("a", "b", -5), ("b", "a", -3), ("a", "c", -2)])
    best, second = coppice_nx.iter_kbest(graph)
    assert set(best.edges) == {("b", "a"), ("a", "c")}
    assert set(second.edges) == {("a", "b"), ("a", "c")}
    assert best.graph["score"] == -5


def test_multidigraph_keeps_its_keys():
    graph = nx.MultiDiGraph()
    graph.add_edge("a", "b", key="slow", weight=1.5)
    graph.add_edge("a", "b", key="fast", weight=2.5)
    graph.add_edge("b", "c", weight=1.0)
    graph.add_edge("c", "b", key="odd")  # no weight: 1
    trees = list(coppice_nx.iter_kbest(graph, 10, root_node="a"))
    assert [tuple(tree.edges(keys=True)) for tree in trees] == [
        (("a", "b", "fast"), ("b", "c", 0)),
        (("a", "b", "slow"), ("b", "c", 0)),
    ]

    def scores(**constraints):
        trees = coppice_nx.iter_kbest(
            graph, 10, constraints=coppice.Constraints(**constraints), root_node="a"
        )
        return [tree.graph["score"] for tree in trees]

    assert scores(required=[("a", "b", "slow")]) == [2.5]
    assert len(scores(required=[("a", "b")])) == 2
    assert scores(forbidden=[("a", "b")]) == []
    assert len(scores(forbidden=[("a", "b", "fast")])) == 1


def test_iterator_is_lazy():
    graph = as_digraph(random_scores(40, seed=6))
    trees = coppice_nx.iter_kbest(graph, root_node=0)
    scores = [tree.graph["score"] for tree in itertools.islice(trees, 100)]
    assert scores == sorted(scores, reverse=True)


def test_networkx_errors():
    graph = nx.DiGraph([("a", "b")])
    with pytest.raises(ValueError, match="'z' is not in the graph"):
        coppice_nx.iter_kbest(graph, 1, root_node="z")
    with pytest.raises(ValueError, match=r"forbidden edge \('b', 'a'\) is not in the graph"):
        coppice_nx.iter_kbest(graph, constraints=coppice.Constraints(forbidden=[("b", "a")]))
    with pytest.raises(ValueError, match="root is 'single'"):
        coppice_nx.iter_kbest(graph, 1, root="single")
    assert next(coppice_nx.iter_kbest(nx.Graph(graph))).size() == 1
    graph.edges["a", "b"]["weight"] = float("nan")
    with pytest.raises(ValueError, match="weight of 'a' -> 'b' is nan"):
        coppice_nx.iter_kbest(graph, 1)
