"""What coppice.verify finds wrong."""

import numpy as np
import pytest

import coppice
from coppice import rules
from support import brute_force, random_scores


@pytest.mark.parametrize("minimize", [False, True])
def test_what_is_right(root, minimize):
    for seed in range(5):
        scores = random_scores(6, seed)
        whole = random_scores(6, seed, np.int64)
        labels = coppice.Labels(random_scores(6, seed + 9)[..., None] * [1, 2])
        legal = coppice.Constraints(forbidden=[(0, 2)], rules=[rules.max_depth(3)])
        for matrix, options in [
            (scores, {}),
            (whole, {}),
            (scores, {"labels": labels}),
            (scores, {"constraints": legal}),
            (np.full((4, 4), -np.inf), {}),
        ]:
            asked = {"root": root, "minimize": minimize, **options}
            result = coppice.kbest(matrix, 20, **asked)
            assert coppice.verify(matrix, result, **asked) == ""


def test_what_is_wrong():
    scores = random_scores(5, 1)
    result = coppice.kbest(scores, 9, root="any")

    def said(heads=result.heads, values=result.scores, **options):
        changed = coppice.KBestResult(np.asarray(heads, np.int32), np.asarray(values, np.float64))
        return coppice.verify(scores, changed, **{"root": "any", **options})

    assert said() == ""
    cycle = result.heads.copy()
    cycle[2, :2] = 2, 1
    assert said(cycle) == "rank 2: the heads are no tree"
    assert said(result.heads - 1) == "rank 0: the heads are no tree"
    assert "the score is" in said(values=result.scores + 0.1)
    assert "it came before" in said(result.heads[[0, 0]], result.scores[[0, 0]])
    assert "better than the one before" in said(result.heads[[0, 2, 1]], result.scores[[0, 2, 1]])
    assert said(result.heads[1:], result.scores[1:]).startswith("rank 0: ")
    assert said(result.heads[:0], result.scores[:0]) == "there is a tree"
    assert said(result.heads[:, :3]) == "heads of 3 words for 4"
    several = next(i for i, heads in enumerate(result.heads) if (heads == 0).sum() > 1)
    assert f"rank {several}: 2 root edges" in said(root="single") or several > 0
    first = brute_force(scores, "any")[0][1]
    arc = [(first[0], 1)]
    assert "is forbidden" in said(constraints=coppice.Constraints(forbidden=arc))
    other = next((h, 1) for h in range(5) if h not in (1, first[0]))
    assert "is required" in said(constraints=coppice.Constraints(required=[other]))
    never = coppice.Constraints(rules=[lambda tree: False])
    assert "it breaks the rule" in said(constraints=never)


def test_edges():
    graph = coppice.Multigraph([0, 0, 1], [1, 1, 2], [1.0, 2.0, 3.0])
    result = coppice.kbest(graph, 2, root="any")
    assert coppice.verify(graph, result, root="any") == ""
    for wrong in (9, -1, 2):
        edges = result.edges.copy()
        edges[1, 0] = wrong
        changed = coppice.KBestResult(result.heads, result.scores, edges=edges)
        said = coppice.verify(graph, changed, root="any")
        assert said == "rank 1: there is no such edge into node 1"
    bare = coppice.KBestResult(result.heads, result.scores)
    assert coppice.verify(graph, bare, root="any") == "the trees have no labels or edges"


def test_a_tree_with_a_missing_edge():
    scores = np.array([[0, 1, 2], [0, 0, -np.inf], [0, 3, 0]])
    for claimed in (100.0, -np.inf):
        wrong = coppice.KBestResult(np.array([[0, 1]], np.int32), np.array([claimed]))
        assert "lacks an edge" in coppice.verify(scores, wrong, root="any")
