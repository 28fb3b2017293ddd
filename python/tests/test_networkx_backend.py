"""networkx's own tests of arborescences, run with ours in the place of its functions."""

from __future__ import annotations

import inspect
import itertools

import pytest

nx = pytest.importorskip("networkx")
from networkx.algorithms.tree import branchings  # noqa: E402
from networkx.algorithms.tree.tests import test_branchings as theirs  # noqa: E402

import coppice  # noqa: E402
from coppice import networkx as ours  # noqa: E402

REPLACED = (
    "ArborescenceIterator",
    "maximum_branching",
    "maximum_spanning_arborescence",
    "minimum_branching",
    "minimum_spanning_arborescence",
)
TESTS = {
    name: test
    for name, test in vars(theirs).items()
    if name.startswith("test_") and inspect.isfunction(test)
}
#: These assert one of several optima (`test_there_are_other_optima`): ours must weigh the same.
ONE_OF_SEVERAL = {"test_edmonds2_maxbranch", "test_partition_spanning_arborescence"}
USING_OURS = {
    name: test
    for name, test in TESTS.items()
    if any(replaced in inspect.getsource(test) for replaced in REPLACED)
}


def test_there_are_tests_to_run():
    assert len(USING_OURS) >= 10


@pytest.mark.parametrize("name", sorted(USING_OURS))
def test_of_networkx(name, monkeypatch):
    called = []
    for replaced in REPLACED:
        function = getattr(ours, replaced)

        def spy(*args, function=function, **options):
            called.append(function)
            return function(*args, **options)

        monkeypatch.setattr(branchings, replaced, spy)
        if hasattr(theirs, replaced):
            monkeypatch.setattr(theirs, replaced, spy)
    if name in ONE_OF_SEVERAL:
        monkeypatch.setattr(theirs, "assert_equal_branchings", assert_equal_weights)
    USING_OURS[name]()
    assert called


def assert_equal_weights(first, second, attr="weight", default=1):
    """In the place of the one that compares edges."""
    assert len(first.edges) == len(second.edges)
    assert first.size(weight=attr) == second.size(weight=attr)


def test_there_are_other_optima():
    graph, root = theirs.G2(), "root"
    edges = [*graph.edges(data="weight"), *((root, node, 0) for node in graph)]
    forests = coppice.Multigraph.from_edges(edges, root_node=root)
    assert coppice.count_optimal(forests, root="any") == 2
    graph = nx.from_numpy_array(theirs.G_array, create_using=nx.DiGraph)
    graph.remove_edges_from([(3, 0), (7, 3), (0, 2)])
    arborescences = coppice.Multigraph.from_networkx(graph)
    included = [(2, 3), (6, 2)]
    count = coppice.count_optimal(
        arborescences, root="any", minimize=True, constraints=coppice.Constraints(required=included)
    )
    assert count == 2


def test_the_iterator_loses_none():
    """The graph of docs/migration.md, of which networkx 3.6.1 lists eight arborescences."""
    graph = nx.DiGraph([(0, 1), (0, 3), (1, 0), (1, 3), (3, 2), (2, 1), (2, 3)])
    every = {
        tuple(sorted(edges))
        for edges in itertools.combinations(graph.edges, 3)
        if nx.is_arborescence(nx.DiGraph(edges)) and len(nx.DiGraph(edges)) == 4
    }
    listed = [tuple(sorted(tree.edges)) for tree in ours.ArborescenceIterator(graph)]
    assert len(every) == 9
    assert sorted(listed) == sorted(every)


def random_digraph(nodes, seed, weights=3):
    import random

    rng = random.Random(seed)
    graph = nx.DiGraph()
    graph.add_nodes_from(range(nodes))
    for u, v in itertools.permutations(range(nodes), 2):
        if rng.random() < 0.7:
            graph.add_edge(u, v, weight=rng.randint(-weights, weights), note=f"{u}{v}")
    return graph


@pytest.mark.parametrize("seed", range(20))
def test_backend_finds_the_same_weights(seed):
    graph = random_digraph(5, seed)
    for name in REPLACED[1:]:
        function = getattr(nx, name)
        try:
            expected = function(graph, backend="networkx").size(weight="weight")
        except nx.NetworkXException:
            with pytest.raises(nx.NetworkXException, match="spanning arborescence in G"):
                function(graph, backend="coppice")
            continue
        found = function(graph, backend="coppice", preserve_attrs=True)
        assert found.size(weight="weight") == pytest.approx(expected)
        assert nx.is_branching(found)
        assert all(data["note"] == f"{u}{v}" for u, v, data in found.edges(data=True))
    # The graph that was given is as it was.
    assert nx.utils.graphs_equal(graph, random_digraph(5, seed))


@pytest.mark.parametrize("name", ["maximum_branching", "minimum_branching"])
@pytest.mark.parametrize("kind", [nx.DiGraph, nx.MultiDiGraph])
def test_a_graph_without_nodes_has_an_empty_branching(name, kind):
    for backend in [None, "coppice"]:
        found = getattr(nx, name)(kind(), backend=backend)
        assert type(found) is kind
        assert len(found) == 0


def test_backend_by_priority():
    graph = random_digraph(5, 1)
    with nx.config(backend_priority=["coppice"]):
        found = nx.minimum_spanning_arborescence(graph)
    assert isinstance(found, nx.DiGraph)
    assert nx.is_arborescence(found)


def all_arborescences(graph):
    nodes = list(graph)
    for root in nodes:
        others = [node for node in nodes if node != root]
        for heads in itertools.product(*(list(graph.predecessors(node)) for node in others)):
            tree = nx.DiGraph(zip(heads, others, strict=True))
            if len(tree) == len(nodes) and nx.is_arborescence(tree):
                yield frozenset(tree.edges)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("minimum", [True, False])
def test_iterator_gives_all_of_them_in_order(seed, minimum):
    graph = random_digraph(4, seed)
    truth = set(all_arborescences(graph))
    if not truth:
        with pytest.raises(nx.NetworkXException):
            iter(ours.ArborescenceIterator(graph, minimum=minimum))
        return
    found = list(ours.ArborescenceIterator(graph, minimum=minimum))
    assert {frozenset(tree.edges) for tree in found} == truth
    assert len(found) == len(truth)
    weights = [tree.size(weight="weight") for tree in found]
    assert weights == sorted(weights, reverse=not minimum)
    included, excluded = next(iter(next(iter(truth)))), min(graph.edges)
    if included == excluded:
        return
    parts = list(ours.ArborescenceIterator(graph, init_partition=([included], [excluded])))
    assert {frozenset(tree.edges) for tree in parts} == {
        edges for edges in truth if included in edges and excluded not in edges
    }
