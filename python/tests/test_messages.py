"""What is said to somebody who calls a function in the wrong way."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

import coppice
import coppice.adapters
import coppice.rules
import coppice.supar

MANY = np.zeros((4, 3, 3))


@pytest.mark.parametrize(
    "call",
    [
        lambda: coppice.kbest(MANY, 2, root="any"),
        lambda: coppice.best(MANY, root="any"),
        lambda: coppice.iter_kbest(MANY, root="any"),
        lambda: coppice.TreeDistribution(MANY, root="any"),
    ],
)
def test_many_sentences_are_pointed_to_the_batches(call):
    with pytest.raises(ValueError, match=r"shape \(4, 3, 3\).*kbest_batch, distribution_batch"):
        call()


def test_lengths_that_count_the_root():
    said = "lengths do not count the root"
    with pytest.raises(ValueError, match=rf"sentence 1: length 3, .* room for 2; {said}"):
        coppice.kbest_batch(MANY[:2], 1, lengths=[2, 3], root="any")
    with pytest.raises(ValueError, match=rf"sentence 0: length 3, .* room for 2; {said}"):
        coppice.kbest_batch([MANY[0]], 1, lengths=[3], root="any")
    with pytest.raises(ValueError, match=rf"9 elements; these lengths need 16; {said}"):
        coppice.kbest_batch(MANY[0].reshape(-1), 1, lengths=[3], root="any")


def test_shapes_of_labels():
    for labels in [np.zeros((3, 3)), np.zeros((3, 4, 2))]:
        with pytest.raises(ValueError, match=r"need \[3, 3, choices\]"):
            coppice.kbest(MANY[0], 1, root="any", labels=labels)


class TestArrow:
    pa = pytest.importorskip("pyarrow")

    def batch(self, **columns):
        given = {"id": ["a"], "n": [1], "scores": [[0.0] * 4], **columns}
        return self.pa.record_batch({k: v for k, v in given.items() if v is not None})

    @pytest.mark.parametrize("missing", ["id", "n", "scores"])
    def test_columns_that_are_not_there(self, missing):
        from coppice.arrow import KBest

        function = KBest(k=1, root="any")
        there = [name for name in ("id", "n", "scores") if name != missing]
        said = rf"no column '{missing}' among {there}; {missing}=... names it".replace("[", r"\[")
        batch = self.batch(**{missing: None})
        for decode in (function, lambda b: function(self.pa.Table.from_batches([b]))):
            with pytest.raises(ValueError, match=said):
                decode(batch)
        with pytest.raises(ValueError, match=said):
            list(function.batches([batch]))

    def test_files_and_label_columns(self, tmp_path):
        import pyarrow.parquet

        from coppice.arrow import KBest

        table = self.pa.Table.from_batches([self.batch(id=None)])
        pyarrow.parquet.write_table(table, tmp_path / "in")
        with pytest.raises(ValueError, match="no column 'id' among"):
            KBest(k=1, root="any").parquet(tmp_path / "in", tmp_path / "out")
        assert not (tmp_path / "out").exists()
        with pytest.raises(ValueError, match=r"no column 'lp' among .*; label_scores=... names it"):
            KBest(k=1, root="any", label_scores="lp")(self.batch())

    def test_columns_of_another_type(self):
        from coppice.arrow import KBest

        function = KBest(k=1, root="any")
        with pytest.raises(TypeError, match="column n is string; need whole numbers"):
            function(self.batch(n=["1"]))
        with pytest.raises(TypeError, match=r"column scores is .*; need a list of numbers"):
            function(self.batch(scores=["x"]))


def test_integers_beside_floats():
    """They stay what they are, or it is said that they cannot."""
    whole = np.array([[0, 2**40 + 1, 1], [0, 0, 1], [0, 1, 0]])
    real = np.array([[0, 0.5, 1], [0, 0, 1], [0, 1, 0]])
    both = coppice.kbest_batch([whole, real], 2, root="any")
    assert both.scores.dtype == np.float64
    assert both[0].scores.tolist() == coppice.kbest(whole, 2, root="any").scores.tolist()
    huge = whole * 2**14
    assert coppice.kbest_batch([huge, whole], 2, root="any").scores.dtype == np.int64
    with pytest.raises(ValueError, match=r"sentence 1: .* floats"):
        coppice.kbest_batch([real, huge], 2, root="any")
    # A sum that float64 cannot hold is as bad as a weight.
    for numbers in [2**52, -(2**52)]:
        with pytest.raises(ValueError, match=r"sentence 0: .* floats"):
            coppice.kbest_batch([np.full((3, 3), numbers), real], 1, root="any")


def test_scores_of_trees_that_are_not_there():
    whole = np.array([[0, 5, 1], [0, 0, 1], [0, 1, 0]])
    for minimize in (False, True):
        batch = coppice.kbest_batch([whole, whole[:2, :2]], 2, root="any", minimize=minimize)
        assert batch.scores.dtype == np.int64
        assert batch.scores.tolist()[1] == [5, None]
        assert batch.gaps.tolist()[1] == [0, None]
        assert batch.scores.filled().tolist()[1] == [5, 0]
        assert not np.ma.isMaskedArray(batch[1].scores)
        assert batch[1].scores.tolist() == [5]
    again = pickle.loads(pickle.dumps(batch.scores))
    assert again.tolist() == batch.scores.tolist()


def test_one_matrix_is_no_batch():
    with pytest.raises(ValueError, match=r"shape \(3, 3\).*; for one sentence: kbest"):
        coppice.kbest_batch(MANY[0], 1, root="any")
    with pytest.raises(ValueError, match=r"shape \(3, 3\).*; for one sentence: .*TreeDistribution"):
        coppice.distribution_batch(MANY[0], root="any")


def test_rows_of_different_lengths():
    with pytest.raises(ValueError, match="scores: rows of different lengths"):
        coppice.kbest([[1, 2], [3]], 1, root="any")


def test_words_are_a_list():
    result = coppice.kbest(MANY[0], 1, root="any")
    with pytest.raises(TypeError, match="words is a string; need a list"):
        result.annotate("ab")
    with pytest.raises(TypeError, match="tags is a string; need a list"):
        result.annotate(tags="ab")


def test_no_number_of_threads_means_all():
    several = coppice.kbest_batch(MANY, 2, root="any", threads=0)
    assert several.heads.tolist() == coppice.kbest_batch(MANY, 2, root="any").heads.tolist()
    coppice.distribution_batch(MANY, root="any", threads=0)
    with pytest.raises(ValueError, match="threads is -1, must be at least 0"):
        coppice.kbest_batch(MANY, 2, root="any", threads=-1)


def test_the_root_rule_is_not_a_node():
    graph = coppice.Multigraph.from_edges([("a", "b", 1)])
    with pytest.raises(ValueError, match=r"root is 'a'; .*from_edges\(\.\.\., root_node='a'\)"):
        coppice.kbest(graph, 1, root="a")


@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer would end it")
def test_too_many_trees_for_the_memory():
    pytest.importorskip("resource")
    code = """
import resource
import numpy as np
import coppice
import coppice.adapters
import coppice.rules
words = np.arange(1, 50_000)
twice = np.concatenate([words, words[:20]])
graph = coppice.Multigraph(np.zeros_like(twice), twice, np.arange(len(twice)) % 1000.0)
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
try:
    coppice.kbest(graph, 50_000, root="any")
except MemoryError as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert said.stdout == "out of memory\n"


def labels_with(value, *place, many=()):
    labels = np.zeros((*many, 3, 3, 2))
    labels[place] = value
    return labels


@pytest.mark.filterwarnings("error")
def test_label_scores_that_float32_cannot_hold(tmp_path):
    said = r"label score of 1 -> 2, choice 1, is -1e\+39; .*float32"
    bad = labels_with(-1e39, 1, 2, 1)
    with pytest.raises(ValueError, match=said):
        coppice.kbest(MANY[0], 1, root="any", labels=bad)
    with pytest.raises(ValueError, match=said):
        coppice.kbest(MANY[0], 1, root="any", axes="dep,head", labels=bad.swapaxes(0, 1))
    with pytest.raises(ValueError, match=f"sentence 1: {said}"):
        coppice.kbest_batch([MANY[0]] * 2, 1, root="any", labels=[bad * 0, bad])
    padded = labels_with(-1e39, 1, 1, 2, 1, many=(2,))
    with pytest.raises(ValueError, match=f"sentence 1: {said}"):
        coppice.kbest_batch(MANY[:2], 1, root="any", labels=padded)
    for labels, scores in [(padded, MANY[:2]), ([bad * 0, bad], [MANY[0]] * 2)]:
        batch = coppice.kbest_batch(
            scores, 1, root="any", labels=labels, on_error="report", threads=2
        )
        assert batch.counts.tolist() == [1, 0]
        assert list(batch.errors) == [1]
        assert re.match(said, str(batch.errors[1]))
    with pytest.raises(ValueError, match=f"sentence 0: {said}"):
        coppice.Labels([bad], names=["a", "b"]).write(tmp_path / "labels.npz")
    assert not (tmp_path / "labels.npz").exists()
    fixed = np.zeros((2, 3, 3, 2), np.float32)
    fixed.flags.writeable = False
    coppice.kbest_batch(MANY[:2], 1, root="any", labels=fixed)
    # What nobody reads may hold anything; missing labels are -inf.
    coppice.kbest_batch(MANY[:2], 1, root="any", lengths=[2, 1], labels=padded)
    without = np.zeros((2, 3, 3))
    without[1, 1, 2] = -np.inf
    coppice.kbest_batch(without, 1, root="any", labels=padded)
    for value, *place in [(1e39, 1, 1, 0), (1e39, 1, 0, 0), (-np.inf, 1, 2, 0)]:
        coppice.kbest(MANY[0], 1, root="any", labels=labels_with(value, *place))


def test_one_rule_is_no_list():
    for rule in (coppice.rules.projective(), lambda _: True, 3, "ud"):
        with pytest.raises(TypeError, match=r"rules is .*; a list of rules expected"):
            coppice.Constraints(rules=rule)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_label_scores_that_are_no_numbers(bad):
    labels = np.zeros((3, 3, 2), np.float32)
    labels[1, 2, 1] = bad
    said = f"label score of 1 -> 2, choice 1, is {bad}; label scores are finite"
    with pytest.raises(ValueError, match=said):
        coppice.kbest(MANY[0], 1, root="any", labels=labels)
    with pytest.raises(ValueError, match=f"sentence 0: {said}"):
        coppice.kbest_batch([MANY[0]], 1, root="any", labels=[labels])
    assert np.array_equal(labels[1, 2, 1], bad, equal_nan=True)
    missing = MANY[0].copy()
    missing[1, 2] = -np.inf  # and then nobody reads its labels
    assert coppice.best(missing, root="any", labels=labels) is not None


def test_no_trees_are_no_answer():
    for adapter in (coppice.adapters.stanza, coppice.adapters.supar):
        with pytest.raises(ValueError, match="k is 0, must be at least 1"):
            adapter(MANY, [3] * 4 if adapter is coppice.adapters.stanza else [2] * 4, 0)


def test_a_rule_that_was_not_called():
    said = r"rules\[1\] is the function coppice\.rules\.projective; call it: projective\(...\)"
    with pytest.raises(TypeError, match=said):
        coppice.Constraints(rules=[coppice.rules.ud(), coppice.rules.projective])
    with pytest.raises(TypeError, match=r"rules\[0\] is 'ud': neither a rule of"):
        coppice.Constraints(rules=["ud"])


def test_constraints_of_batches():
    each = [coppice.Constraints()] * 3
    with pytest.raises(ValueError, match="constraints of 3 sentences for 4"):
        coppice.kbest_batch(MANY, 1, root="any", constraints=each)
    with pytest.raises(TypeError, match="sentence 2: constraints is 3; need"):
        coppice.kbest_batch(MANY, 1, root="any", constraints=[None, None, 3, None])
    for wrong in (3, "single", {}):
        with pytest.raises(TypeError, match=r"constraints is .*, or a list with one for each"):
            coppice.kbest_batch(MANY, 1, root="any", constraints=wrong)


def test_pages_are_of_results():
    result = coppice.kbest(MANY[0], 2, root="any")
    assert result.to_html() == coppice.Parses([result]).to_html()
    for wrong, said in [
        (result, "not KBestResult"),
        (result[0], "not Tree"),
        (3, "not int"),
        ([result, result[0]], "1 is a Tree"),
    ]:
        with pytest.raises(TypeError, match=f"a list of KBestResult expected.*{said}"):
            coppice.Parses(wrong)


def test_graphs_of_others_are_pointed_to_the_multigraph():
    nx, sparse, igraph = map(pytest.importorskip, ("networkx", "scipy.sparse", "igraph"))
    for graph, maker in [
        (nx.DiGraph([(0, 1)]), "from_networkx"),
        (sparse.eye_array(2).tocsr(), "from_scipy"),
        (igraph.Graph(2, [(0, 1)], directed=True), "from_igraph"),
    ]:
        assert hasattr(coppice.Multigraph, maker)
        said = rf"scores is a {type(graph).__name__}; coppice\.Multigraph\.{maker}"
        with pytest.raises(TypeError, match=said):
            coppice.kbest(graph, 1, root="any")
        with pytest.raises(TypeError, match=f"sentence 0: {said}"):
            coppice.kbest_batch([graph], 1, root="any")


def test_lengths_of_parsers_that_count_the_root():
    said = "the matrix has 3 nodes; lengths count the root here"
    adapters = coppice.adapters
    for length in (0, 4):
        for scores in (MANY[:2], [MANY[0], MANY[0]]):
            with pytest.raises(ValueError, match=f"sentence 1: length {length}, {said}"):
                adapters.stanza(scores, [3, length])
        with pytest.raises(ValueError, match=f"sentence 0: length {length}, {said}"):
            adapters.allennlp(MANY[0], length)
        with pytest.raises(ValueError, match=f"sentence 0: length {length}, {said}"):
            adapters.synjax(MANY[0], length, single_root_edge=True)


def test_what_is_no_parser():
    with pytest.raises(TypeError, match="parser is None; need a BiaffineDependencyParser"):
        coppice.supar.kbest(None, [["word"]], 1)
