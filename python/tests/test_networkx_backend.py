"""networkx's own tests of arborescences, run with ours in the place of its functions."""

from __future__ import annotations

import inspect
import itertools
import os
import subprocess
import sys

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
    assert coppice.Ties(forests, root="any").count() == 2
    graph = nx.from_numpy_array(theirs.G_array, create_using=nx.DiGraph)
    graph.remove_edges_from([(3, 0), (7, 3), (0, 2)])
    arborescences = coppice.Multigraph.from_networkx(graph)
    included = [(2, 3), (6, 2)]
    count = coppice.Ties(
        arborescences, root="any", minimize=True, constraints=coppice.Constraints(required=included)
    ).count()
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


CALLS = {
    "maximum_spanning_arborescence": nx.DiGraph,
    "minimum_spanning_arborescence": nx.DiGraph,
    "minimum_branching": nx.DiGraph,
    "maximum_branching": nx.DiGraph,
    "maximum_spanning_edges": nx.Graph,
    "minimum_spanning_edges": nx.Graph,
    "maximum_spanning_tree": nx.Graph,
    "minimum_spanning_tree": nx.Graph,
    "number_of_spanning_trees": nx.Graph,
    "partition_spanning_tree": nx.Graph,
    "random_spanning_tree": nx.Graph,
}
#: networkx says that they change their input, and never gives them to a backend by itself.
ONLY_BY_NAME = {
    "maximum_spanning_arborescence",
    "minimum_spanning_arborescence",
    "minimum_branching",
}


@pytest.mark.parametrize("name", sorted(CALLS))
def test_which_functions_a_priority_sends_here(name, monkeypatch):
    called = []
    unspied = getattr(ours.BackendInterface, name)

    def spy(*args, **options):
        called.append(name)
        return unspied(*args, **options)

    monkeypatch.setattr(ours.BackendInterface, name, staticmethod(spy))
    graph = nx.relabel_nodes(CALLS[name](random_digraph(5, 1)), str)
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))

    def call(**options):
        called.clear()
        result = getattr(nx, name)(graph, **options)
        return list(result) if name.endswith("edges") else result

    call(backend="coppice")
    assert called
    with nx.config.backend_priority(algos=["coppice"], generators=["coppice"]):
        call()
    assert bool(called) == (name not in ONLY_BY_NAME)
    # A graph that was converted before stays with the backend.
    graph = ours.BackendInterface.convert_from_nx(graph)
    assert len(graph) == graph.number_of_nodes() == 5
    call()
    assert called


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


def random_graph(seed, kind=nx.Graph):
    """Ties; parallel edges of a multigraph; perhaps several parts."""
    import random

    rng = random.Random(seed)
    nodes = rng.randint(1, 5)
    graph = kind()
    graph.add_nodes_from(range(nodes))
    for _ in range(rng.randint(0, 8)):
        edge = rng.randrange(nodes), rng.randrange(nodes)
        graph.add_edge(*edge, weight=rng.randint(-2, 2), note=f"{edge}")
    return graph


def bare(tree):
    return frozenset(frozenset(edge[:2]) if len(edge) == 2 else edge for edge in tree.edges)


@pytest.mark.parametrize("seed", range(60))
def test_spanning_trees_weigh_the_same(seed):
    kind = [nx.Graph, nx.MultiGraph][seed % 2]
    graph = random_graph(seed, kind)
    before = nx.Graph(graph) if kind is nx.Graph else nx.MultiGraph(graph)
    for name in ("minimum_spanning_tree", "maximum_spanning_tree"):
        found = getattr(nx, name)(graph, backend="coppice")
        expected = getattr(nx, name)(graph)
        assert type(found) is kind
        assert nx.is_forest(found)
        assert list(found) == list(graph)
        assert found.size() == expected.size()
        assert found.size(weight="weight") == expected.size(weight="weight")
        assert all(data["note"] for *_, data in found.edges(data=True))
    for name in ("minimum_spanning_edges", "maximum_spanning_edges"):
        for options in ({}, {"data": False}, {"keys": False, "data": False}):
            found = list(getattr(nx, name)(graph, **options, backend="coppice"))
            expected = list(getattr(nx, name)(graph, **options))
            assert [len(edge) for edge in found] == [len(edge) for edge in expected]
    number = nx.number_of_spanning_trees(graph, backend="coppice")
    assert number == pytest.approx(nx.number_of_spanning_trees(graph), abs=1e-9)
    positive = kind(graph)
    for *_, data in positive.edges(data=True):
        data["weight"] += 2
    number = nx.number_of_spanning_trees(positive, weight="weight", backend="coppice")
    assert number == pytest.approx(nx.number_of_spanning_trees(positive, weight="weight"), abs=1e-9)
    assert nx.utils.graphs_equal(graph, before)


@pytest.mark.parametrize("seed", range(60))
def test_spanning_trees_in_order(seed):
    graph = random_graph(seed, [nx.Graph, nx.MultiGraph][seed % 2])
    minimum = seed % 4 < 2
    found = list(ours.SpanningTreeIterator(graph, minimum=minimum))
    weights = [tree.size(weight="weight") for tree in found]
    assert weights == sorted(weights, reverse=not minimum)
    assert len({bare(tree) for tree in found}) == len(found)
    if nx.is_connected(graph):
        expected = [
            tree.size(weight="weight") for tree in nx.SpanningTreeIterator(graph, minimum=minimum)
        ]
        assert weights == expected


def test_partitions_of_spanning_trees():
    for seed in range(40):
        graph = random_graph(seed)
        tree = nx.maximum_spanning_tree(graph)
        for i, (u, v, data) in enumerate(graph.edges(data=True)):
            if i % 3 == 0 and tree.has_edge(u, v):
                data["part"] = nx.EdgePartition.INCLUDED
            elif i % 3 == 1:
                data["part"] = nx.EdgePartition.EXCLUDED
        expected = nx.partition_spanning_tree(graph, partition="part")
        found = nx.partition_spanning_tree(graph, partition="part", backend="coppice")
        assert found.size(weight="weight") == expected.size(weight="weight")
        assert found.size() == expected.size()
        for u, v, kind in graph.edges(data="part"):
            if kind is not None:
                assert found.has_edge(u, v) == (kind == nx.EdgePartition.INCLUDED)


def test_random_spanning_trees():
    graph = nx.Graph()
    graph.add_weighted_edges_from([(0, 1, 1), (1, 2, 2), (0, 2, 3)])
    drawn = [
        nx.random_spanning_tree(graph, weight="weight", seed=seed, backend="coppice")
        for seed in range(600)
    ]
    shares = [sum(tree.has_edge(*edge) for tree in drawn) / 600 for edge in graph.edges]
    assert shares == pytest.approx([5 / 11, 9 / 11, 8 / 11], abs=0.06)
    with pytest.raises(NotImplementedError):
        nx.random_spanning_tree(graph, multiplicative=False, backend="coppice")


def test_nan_as_networkx_has_it():
    graph = nx.Graph()
    graph.add_weighted_edges_from([(0, 1, float("nan")), (1, 2, 2), (0, 2, 3)])
    with pytest.raises(ValueError, match="NaN found as an edge weight"):
        nx.minimum_spanning_tree(graph, backend="coppice")
    tree = nx.minimum_spanning_tree(graph, ignore_nan=True, backend="coppice")
    assert sorted(tree.edges) == [(0, 2), (1, 2)]
    with pytest.raises(nx.NetworkXNotImplemented):
        nx.minimum_spanning_tree(nx.DiGraph(graph), backend="coppice")


#: They compare the edges of one of several optima, or the tree of one seed.
OTHER_OPTIMA = (
    "(test_branchings and test_mst)",
    "test_mixed_nodetypes",
    "test_partition_spanning_arborescence",
    "test_arborescence_iterator_min",
    "test_arborescence_iterator_max",
    "test_branchings_with_default_weights",
    "test_random_spanning_tree_multiplicative_small",
)


@pytest.mark.skipif(os.environ.get("PYTHON_TESTS") != "all", reason="ten seconds: in CI")
def test_what_networkx_tests_of_backends(tmp_path):
    """All its tests of trees, whatever calls whatever; what is not here falls back to it."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--pyargs"]
    command += ["networkx.algorithms.tree", "-k", " and ".join(f"not {n}" for n in OTHER_OPTIMA)]
    backend = {"NETWORKX_TEST_BACKEND": "coppice", "NETWORKX_FALLBACK_TO_NX": "True"}
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, **backend}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-5000:]
    assert int(done.stdout.rsplit(" passed", 1)[0].split()[-1].lstrip("=")) > 200
