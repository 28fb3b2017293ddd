"""Multigraphs whose nodes have names, and other libraries' graphs and frames."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import coppice

CLONES = [("normal", "A", 5), ("normal", "B", 3), ("A", "B", 4), ("B", "C", 2), ("A", "C", 2)]


def test_a_root_by_name():
    graph = coppice.Multigraph.from_edges(CLONES, root_node="normal")
    assert repr(graph) == "<Multigraph: 4 nodes, 5 edges, root 'normal'>"
    assert graph.names == ("normal", "A", "B", "C")
    trees = coppice.kbest(graph, 9, root="any")
    assert [tree.score for tree in trees] == [11, 11, 10, 10]
    assert graph.parents(trees[0]) == {"A": "normal", "B": "A", "C": "B"}
    assert graph.root_of(trees[0]) == "normal"
    assert graph.to_newick(trees[0]) == "(((C:2)B:4)A:5)normal;"
    only = coppice.kbest(
        graph,
        9,
        root="any",
        constraints=coppice.Constraints(required=[("normal", "B")], forbidden=[("B", "C")]),
    )
    assert [graph.parents(tree) for tree in only] == [{"A": "normal", "B": "normal", "C": "A"}]
    support = coppice.Ties(graph, root="any").support()
    assert support.tolist() == [1, 0, 1, 0.5, 0.5]
    assert coppice.Ties(graph, root="any").count() == 2


def test_any_node_may_be_the_root():
    graph = coppice.Multigraph.from_edges([("a", "b", -5), ("b", "a", -3), ("a", "c", -2)])
    assert graph.any_root
    assert len(graph) == 3
    assert graph.names == (None, "a", "b", "c")
    trees = list(coppice.iter_kbest(graph, root="any"))
    assert [graph.root_of(tree) for tree in trees] == ["b", "a"]
    assert [tree.score for tree in trees] == [-5, -7]
    assert graph.edges_of(trees[0]) == [("b", "a", -3), ("a", "c", -2)]
    assert graph.to_newick(trees[1]) == "(b:-5,c:-2)a;"
    sure = coppice.TreeDistribution(graph, root="any")
    assert sure.log_partition == pytest.approx(np.logaddexp(-5, -7))
    with pytest.raises(ValueError, match='it is "any"'):
        coppice.best(graph, root="single")


def test_drawings():
    for root in ("normal", None):
        graph = coppice.Multigraph.from_edges(CLONES, root_node=root)
        trees = coppice.kbest(graph, 2, root="any")
        svg = graph.to_svg(trees, 1)
        assert all(f">{name}<" in svg for name in ("normal", "A", "B", "C", "5"))
        assert svg.count("changed") > graph.to_svg(trees).count("changed")
        labelled = graph.to_svg(trees, labels=[f"{i} %" for i in range(len(graph))])
        assert ">0 %<" in labelled
        assert ">5<" not in labelled


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames(library):
    frames = pytest.importorskip(library)
    columns = dict(zip(("from", "to", "cost"), zip(*CLONES, strict=True), strict=True))
    frame = frames.DataFrame({name: list(values) for name, values in columns.items()})
    graph = coppice.Multigraph.from_frame(frame, "from", "to", "cost", root_node="normal")
    assert graph.weights.dtype == np.int64
    trees = coppice.kbest(graph, 2, root="any")
    table = graph.to_pandas(trees) if library == "pandas" else graph.to_polars(trees)
    assert list(table.columns) == ["rank", "score", "gap", "source", "target", "weight"]
    assert table["rank"].to_list() == [1, 1, 1, 2, 2, 2]
    assert table["source"].to_list()[:3] == ["normal", "A", "B"]
    with pytest.raises(ValueError, match="no column 'source' among"):
        coppice.Multigraph.from_frame(frame)


NAMES_OF_A_KIND = {
    "integers": ([7, 3, 7], [3, 9, 9]),
    "floats": ([0.5, 2.5, 0.5], [2.5, 1.5, 1.5]),
    "integers beside floats": ([1, 2**60 + 1, 1], [2.0, 5.0, 5.0]),
    "text": (["b", "a", "b"], ["a", "ß", "ß"]),
    "integers beside text": ([1, 2, 1], ["x", "y", "y"]),
    "dates": (["2024-01-02", "2024-01-01"], ["2024-01-01", "2024-01-05"]),
    "categories": (["b", "a", "b"], ["a", "c", "c"]),
    "nullable": ([7, 3, 7], [3, 9, 9]),
}


@pytest.mark.parametrize("kind", NAMES_OF_A_KIND)
def test_frames_keep_the_names_as_they_are(kind):
    pd = pytest.importorskip("pandas")
    sources, targets = NAMES_OF_A_KIND[kind]
    frame = pd.DataFrame({"source": sources, "target": targets, "weight": range(len(sources))})
    types = {
        "dates": "datetime64[ns]",
        "categories": pd.CategoricalDtype(["c", "b", "a", "d"]),
        "nullable": "Int64",
    }
    if kind in types:
        frame = frame.astype({"source": types[kind], "target": types[kind]})
    graph = coppice.Multigraph.from_frame(frame, directed=False)
    columns = frame["source"].tolist(), frame["target"].tolist()
    expected = list(dict.fromkeys(name for row in zip(*columns, strict=True) for name in row))
    assert list(graph.names) == expected
    assert [type(name) for name in graph.names] == [type(name) for name in expected]
    ends = [[graph.name(node) for node in side] for side in (graph.sources, graph.targets)]
    assert ends == [list(column) for column in columns]


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64])
def test_integers_of_the_whole_range_of_their_type(kind):
    names = (np.arange(900) * 7 % 256).astype(kind)
    graph = coppice.Multigraph.from_arrays(names[:-1], names[1:], range(899))
    assert len(graph.names) == 257
    assert [graph.name(node) for node in graph.sources[:899]] == names[:-1].tolist()
    assert [graph.name(node) for node in graph.targets[:899]] == names[1:].tolist()


def test_scipy():
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.csr_array(([5.0, 3.0, 0.0], ([0, 2, 1], [1, 0, 2])), shape=(3, 3))
    graph = coppice.Multigraph.from_scipy(matrix)
    tree = coppice.best(graph, root="any")
    assert graph.parents(tree) == {1: 0, 0: 2}
    assert graph.to_scipy(tree).sum() == 8
    named = coppice.Multigraph.from_scipy(matrix, root_node="x", names=["x", "y", "z"])
    assert named.parents(coppice.best(named, root="any")) == {"y": "x", "z": "y"}
    with pytest.raises(ValueError, match="need a square"):
        coppice.Multigraph.from_scipy(matrix[:2])


def test_igraph():
    igraph = pytest.importorskip("igraph")
    source = igraph.Graph.TupleList(CLONES, directed=True, weights=True)
    graph = coppice.Multigraph.from_igraph(source, root_node="normal")
    tree = graph.to_igraph(coppice.best(graph, root="any"))
    assert tree.vcount() == 4
    assert sum(tree.es["weight"]) == 11
    assert tree.vs[0]["name"] == "normal"
    assert tree.is_dag()
    undirected = coppice.Multigraph.from_igraph(source.as_undirected("each"))
    assert not undirected.directed
    assert not undirected.to_igraph(coppice.best(undirected, root="any")).is_directed()


def test_networkx():
    nx = pytest.importorskip("networkx")
    source = nx.DiGraph()
    source.add_weighted_edges_from(CLONES)
    graph = coppice.Multigraph.from_networkx(source, root_node="normal")
    tree = graph.to_networkx(coppice.best(graph, root="any"))
    assert nx.is_arborescence(tree)
    assert tree.graph["score"] == 11 == tree.size(weight="weight")


def test_errors_speak_of_the_callers_nodes():
    make = coppice.Multigraph.from_edges
    with pytest.raises(ValueError, match="weight of 'a' -> 'b' is nan"):
        make([("a", "b", float("nan"))])
    with pytest.raises(ValueError, match="root_node 'x' is not in the graph"):
        make([("a", "b", 1)], root_node="x")
    with pytest.raises(ValueError, match="required: 'x' is not in the graph"):
        coppice.best(
            make([("a", "b", 1)]),
            root="any",
            constraints=coppice.Constraints(required=[("a", "x")]),
        )
    with pytest.raises(ValueError, match="2 sources, 1 targets"):
        coppice.Multigraph.from_arrays(["a", "b"], ["b"], [1.0])


def test_newick_of_a_long_path_and_odd_names():
    edges = [(i, i + 1, 1) for i in range(20_000)]
    graph = coppice.Multigraph.from_edges(edges, root_node=0)
    assert graph.to_newick(coppice.best(graph, root="any")).count(":") == 20_000
    odd = coppice.Multigraph.from_edges([("it's", "a b", 1.5)])
    assert odd.to_newick(coppice.best(odd, root="any")) == "('a b':1.5)'it''s';"


def program() -> str:
    found = Path(sys.executable).parent / "coppice"
    if not found.exists():
        pytest.skip("the program is not installed")
    return str(found)


def test_files_that_the_program_reads(tmp_path):
    random = np.random.default_rng(1)
    scores = [random.normal(size=(n, n)).astype(np.float32) for n in (3, 5)]
    labels = [random.normal(size=(n, n, 2)).astype(np.float32) for n in (3, 5)]
    coppice.write_scores(tmp_path / "s.npz", scores, heads=[[0, 1], [0, 1, 2, 3]])
    coppice.Labels(labels, names=["x", "y"]).write(tmp_path / "l.npz")
    graphs = [coppice.Multigraph.from_edges(CLONES, root_node="normal")]
    coppice.Multigraph.write_many(tmp_path / "g.tsv", graphs)
    run = [program(), "decode", "--format", "tsv"]
    decoded = subprocess.run(
        [*run, tmp_path / "s.npz", "--labels", tmp_path / "l.npz"],
        capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    for i, matrix in enumerate(scores):
        best = coppice.best(matrix, root="single", labels=labels[i])
        rows = [row.split("\t") for row in decoded[1:] if row.startswith(f"{i}\t")]
        heads = {int(row[5]): int(row[4]) for row in rows}
        assert [heads[word] for word in range(1, len(matrix))] == best.heads.tolist()
        names = {int(row[5]): row[7] for row in rows}
        assert [names[w] for w in range(1, len(matrix))] == [["x", "y"][i] for i in best.labels]
    newick = subprocess.run(
        [program(), "decode", tmp_path / "g.tsv", "--root-node", "normal", "--format", "newick"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert newick == graphs[0].to_newick(coppice.best(graphs[0], root="any")) + "\n"
    with pytest.raises(ValueError, match="sentence 0"):
        coppice.write_scores(tmp_path / "bad.npz", scores, heads=[[0], [0, 1, 2, 3]])


def test_trees_of_least_risk_go_everywhere():
    graph = coppice.Multigraph.from_edges(CLONES)
    tree = coppice.TreeDistribution(graph, root="any").min_risk()
    assert tree is not None
    drawn = graph.to_networkx(tree)
    assert drawn.graph == {"score": tree.score, "gap": tree.gap}
    assert sorted(drawn.edges(data="weight")) == sorted(graph.edges_of(tree))
    rows = graph.to_rows(tree)
    assert rows["target"] == [target for _, target, _ in graph.edges_of(tree)]
    assert set(rows["gap"]) == {tree.gap}
    assert rows == graph.to_rows([tree])
    assert graph.to_svg(tree) == graph.to_svg([tree])


def test_one_tree_is_not_a_list():
    graph = coppice.Multigraph.from_edges(CLONES)
    trees = coppice.kbest(graph, 2, root="any")
    samples = coppice.TreeDistribution(graph, root="any").sample(2, seed=1)
    readers = [graph.to_newick, graph.parents, graph.edges_of, graph.root_of]
    readers += [graph.to_scipy, graph.to_networkx, graph.to_igraph]
    for read in readers:
        for several in (trees, list(trees), samples):
            with pytest.raises(TypeError, match=r"one tree expected, not a list: result\[0\]"):
                read(several)
        with pytest.raises(TypeError, match="one tree expected, not None"):
            read(None)
        with pytest.raises(ValueError, match="not one of this graph: it has 2 nodes, not 5"):
            read(coppice.best([[0, 1], [0, 0]], root="any"))
    # A list may be one tree.
    assert graph.to_svg(trees[0]) == graph.to_svg(trees)
    assert graph.to_rows(trees[0]) == graph.to_rows(trees[:1])
    with pytest.raises(TypeError, match="one tree expected, not a list"):
        graph.to_rows([trees])


def test_names_that_are_missing():
    pandas, polars = (pytest.importorskip(name) for name in ("pandas", "polars"))
    for make, nothing in [
        (pandas.DataFrame, None),
        (pandas.DataFrame, np.nan),
        (pandas.DataFrame, pandas.NA),
        (polars.DataFrame, None),
    ]:
        for column in ("source", "target"):
            columns = {"source": ["a", "b"], "target": ["b", "c"], "weight": [1, 2]}
            columns[column][1] = nothing
            with pytest.raises(ValueError, match=rf"row 1: {column} is (None|nan|<NA>); need"):
                coppice.Multigraph.from_frame(make(columns))
    with pytest.raises(ValueError, match="edge 1: its source is None; need the name"):
        coppice.Multigraph.from_edges([("a", "b", 1), (None, "c", 1)])


def test_names_that_are_not_unique():
    igraph, sparse = (pytest.importorskip(name) for name in ("igraph", "scipy.sparse"))
    source = igraph.Graph(3, [(0, 1), (1, 2)], directed=True)
    source.vs["name"] = ["a", "b", "a"]
    source.es["weight"] = [1, 2]
    with pytest.raises(ValueError, match="two vertices are called 'a'"):
        coppice.Multigraph.from_igraph(source)
    with pytest.raises(ValueError, match="two nodes are called 'a'"):
        coppice.Multigraph.from_scipy(sparse.eye_array(2).tocsr(), names=["a", "a"])


def test_files_of_graphs(tmp_path):
    path = tmp_path / "graphs.tsv"
    graph = coppice.Multigraph.from_edges([("a", "b", 1)])
    graph.write(path)
    alone = path.read_text(encoding="utf-8")
    assert alone == "source\ttarget\tweight\na\tb\t1\n"
    coppice.Multigraph.write_many(path, [graph, graph])
    both = path.read_text(encoding="utf-8")
    assert both == f"{alone}\n{alone}"
    with pytest.raises(TypeError, match="graph 1 is a list; need a Multigraph"):
        coppice.Multigraph.write_many(path, [graph, []])
    for name, said in [("#", "cannot be written"), ("\ud800", "surrogates")]:
        with pytest.raises(ValueError, match=said):
            coppice.Multigraph.write_many(
                path, [graph, coppice.Multigraph.from_edges([(name, "b", 1)])]
            )
    assert path.read_text(encoding="utf-8") == both


def test_depth_counts_from_any_node_that_is_the_root():
    """A chain of three nodes is a tree of depth two; a star is one of depth one."""
    graph = coppice.Multigraph.from_edges([("a", "b", 9), ("b", "c", 9), ("a", "c", 1)])
    for depth, scores in ((2, [18, 10]), (1, [10])):
        legal = coppice.Constraints(rules=[coppice.rules.max_depth(depth)])
        result = coppice.kbest(graph, 9, root="any", constraints=legal)
        assert result.scores.tolist() == scores
        assert coppice.verify(graph, result, root="any", constraints=legal) == ""
        stream = coppice.iter_kbest(graph, root="any", constraints=legal)
        assert [tree.score for tree in stream] == scores
        sample = coppice.TreeDistribution(graph, root="any").sample(
            seed=1, draws=99, constraints=legal
        )
        assert {tuple(heads) for heads in sample.heads.tolist()} <= {
            tuple(tree.heads.tolist()) for tree in result
        }
