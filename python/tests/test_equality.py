"""Results are equal if they hold the same trees."""

import numpy as np
import pytest

import coppice

DUCKS = np.array([[0, -4, -1, -3], [0, 0, -6, -7], [0, -1, 0, -2], [0, -7, -3, 0]], np.float32)


def test_lists():
    one, other = (coppice.kbest(DUCKS, 3, root="single") for _ in range(2))
    assert one == other
    assert one[:2] != other
    assert one[:2] == other[:2]
    assert one != list(one)
    assert one == one.annotate(["we", "saw", "ducks"])
    assert one != coppice.kbest(DUCKS + 1, 3, root="single")
    fewer = one[:]
    fewer.bound = 1.0
    assert fewer != one
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)
    none = coppice.kbest(np.full((4, 4), -np.inf), 3, root="single")
    assert none == none[:]
    assert none != one


def test_lists_with_labels_and_edges():
    labels = np.zeros((4, 4, 2))
    one, other = (coppice.kbest(DUCKS, 2, root="any", labels=labels) for _ in range(2))
    assert one == other
    assert one != coppice.kbest(DUCKS, 2, root="any")
    other.labels = 1 - other.labels
    assert one != other
    graph = coppice.Multigraph([0, 0], [1, 1], [1.0, 1.0])
    parallel = coppice.kbest(graph, 2, root="any")
    assert parallel[:1] == coppice.kbest(graph, 1, root="any")
    assert parallel[:1] != parallel[1:]  # another edge between the same nodes


def test_batches():
    sentences = [DUCKS, np.full((2, 2), np.nan), DUCKS[:2, :2]]

    def found(k, scores=sentences, **options):
        return coppice.kbest_batch(scores, k, root="single", on_error="report", **options)

    assert found(3) == found(3)
    assert found(3) != found(2)
    assert found(99) == found(100)  # there are not so many trees
    assert found(3) != found(3, sentences[::-1])
    assert found(3) != found(3, [DUCKS, np.full((2, 2), np.inf), DUCKS[:2, :2]])
    assert found(3) != list(found(3))
    labels = [np.zeros((len(each), len(each), 2)) for each in sentences]
    assert found(3, labels=labels) == found(3, labels=labels)
    assert found(3, labels=labels) != found(3)
    whole = [np.rint(DUCKS).astype(np.int64), np.zeros((2, 2), np.int64)]
    assert found(3, whole) == found(3, whole)
    assert found(3, whole) != found(3, [whole[0] + 1, whole[1]])
    with pytest.raises(TypeError, match="unhashable"):
        hash(found(3))


def test_trees_and_samples_of_distributions():
    distribution = coppice.TreeDistribution(DUCKS, root="single")
    assert distribution.min_risk() == distribution.min_risk()
    assert hash(distribution.min_risk()) == hash(distribution.min_risk())
    assert distribution.min_risk() != distribution.min_risk()._replace(score=0.0)
    assert distribution.sample(5, seed=1) == distribution.sample(5, seed=1)
    assert distribution.sample(5, seed=1) != distribution.sample(6, seed=1)
