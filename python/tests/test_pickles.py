"""What travels to other processes, and what cannot be changed by accident."""

import copy
import pickle

import numpy as np
import pytest

import coppice
from coppice import rules
from support import random_scores

SCORES = random_scores(5, 3)


def keeps_first(tree):
    """A rule that is found by its name."""
    return tree.heads[0] == 0


def copies(value):
    """The same after every way to copy it."""
    return pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)


def test_rules_and_constraints():
    made = [
        rules.at_most(1, ["nsubj"], exact=True),
        rules.leaves(["punct"]),
        rules.max_children(2),
        rules.max_children([3, 1, 1]),
        rules.max_depth(3),
        rules.min_children([1, 0, 0]),
        rules.projective(),
        rules.sum_condition([[1.0], [0.5]]),
        rules.ud(),
    ]
    for rule in made:
        for again in copies(rule):
            assert again == rule
            assert hash(again) == hash(rule)
            assert again.name == rule.name
    assert len(set(made)) == len(made)
    meant = coppice.Constraints(rules=[keeps_first, rules.projective()], forbidden=[(1, 2)])
    expected = coppice.kbest(SCORES, 9, root="any", constraints=meant)
    for again in copies(meant):
        assert again == meant
        assert coppice.kbest(SCORES, 9, root="any", constraints=again) == expected


def test_graphs():
    for graph in (
        coppice.Multigraph([0, 0, 1], [1, 1, 2], [1, 2, 3]),
        coppice.Multigraph([0, 0, 1], [1, 1, 2], [1.0, 2.0, 3.0]),
        coppice.Multigraph.from_edges([("a", "b", 5), ("b", "c", 1)], root_node="a"),
        coppice.Multigraph.from_edges([("a", "b", 5), ("b", "c", 1)]),
    ):
        expected = coppice.kbest(graph, 5, root="any")
        for again in copies(graph):
            assert coppice.kbest(again, 5, root="any") == expected
            assert again.names == graph.names
            assert repr(again) == repr(graph)


def test_results():
    labels = coppice.Labels(random_scores(5, 8)[..., None] * [1, 2], names=["x", "y"])
    result = coppice.kbest(SCORES, 5, root="any", labels=labels, probabilities=True)
    flat = np.concatenate([SCORES.ravel(), SCORES.ravel()])
    for batch in (
        coppice.kbest_batch([SCORES, SCORES], 5, root="any", probabilities=True),
        coppice.kbest_batch(np.stack([SCORES, SCORES]), 5, root="any", probabilities=True),
        coppice.kbest_batch(flat, 5, lengths=[4, 4], root="any", probabilities=True),
    ):
        for again in copies(batch):
            assert again == batch
            assert (again.heads == batch.heads).all()
            assert again[1].to_conllu() == batch[1].to_conllu()
    for again in copies(result):
        assert again == result
        assert again.to_conllu() == result.to_conllu()
        assert again.label_names == ("x", "y")


def test_arrays_of_results_are_read_only():
    mine = np.zeros((1, 4), np.int32)
    assert not coppice.KBestResult(mine, np.zeros(1)).heads.flags.writeable
    assert mine.flags.writeable
    labels = np.zeros((5, 5, 2))
    result = coppice.kbest(SCORES, 5, root="any", labels=labels, probabilities=True)
    arrays = [result.heads, result.scores, result.gaps, result.labels, result.probabilities]
    arrays += [result.head_probabilities, result.other_heads, result[0].heads, result[1:].heads]
    batches = [[SCORES] * 2, np.stack([SCORES] * 2)]
    for scores in batches:
        batch = coppice.kbest_batch(scores, 3, root="any", probabilities=True)
        arrays += [batch.heads, batch.scores, batch.counts, batch.head_probabilities]
        arrays += [batch[0].heads, batch[0].scores]
    graph = coppice.Multigraph([0, 0, 1], [1, 1, 2], [1, 2, 3])
    arrays += [coppice.kbest(graph, 2, root="any").edges]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


@pytest.mark.parametrize("wrong", [-1, 5, 10**6, -(10**6), 1])
def test_what_is_drawn_is_looked_at(wrong):
    """Also where somebody made a result of arrays of his own; 1 is the word itself."""
    heads = coppice.kbest(SCORES, 2, root="any").heads.copy()
    heads[1, 0] = wrong
    changed = coppice.KBestResult(heads, np.zeros(2))
    for draw in (
        changed.to_svg,
        changed.to_text,
        changed.to_conllu,
        changed.to_html,
        changed._repr_html_,
        coppice.Parses([changed]).to_html,
    ):
        with pytest.raises(ValueError, match="heads of rank 1 are no tree"):
            draw()


def test_labels_and_graphs_that_are_drawn_are_looked_at():
    heads = coppice.kbest(SCORES, 1, root="any").heads
    for wrong in (-1, -(10**6)):
        labels = np.array([[0, wrong, 0, 0]], np.int32)
        changed = coppice.KBestResult(heads, np.zeros(1), labels=labels)
        with pytest.raises(ValueError, match=f"label of word 2 in rank 0 is {wrong}"):
            changed.to_svg()
    graph = coppice.Multigraph([0, 0, 1], [1, 2, 2], [1, 2, 3])
    tree = coppice.best(graph, root="any")
    for wrong in (-1, 7):
        broken = tree._replace(heads=np.array([wrong, 0], np.int32))
        with pytest.raises(ValueError, match="no tree"):
            graph.to_svg(broken)
        with pytest.raises(ValueError, match=f"it has edge {wrong}"):
            graph.to_svg(tree._replace(edges=np.array([0, wrong], np.int32)))
