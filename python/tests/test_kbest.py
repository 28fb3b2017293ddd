import array
import copy
import inspect
import itertools
import pickle
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import coppice
from support import brute_force, random_scores

# Zero is the root; "she saw ducks".
DUCKS = np.array([[0, -4, -1, -3], [0, 0, -6, -7], [0, -1, 0, -2], [0, -7, -3, 0]], np.float32)


def as_set(heads):
    return {tuple(row) for row in np.asarray(heads).tolist()}


def test_the_three_best_trees_of_three_words():
    result = coppice.kbest(DUCKS, 3, root="single")
    assert result.heads.tolist() == [[2, 0, 2], [2, 3, 0], [2, 0, 1]]
    assert result.scores.tolist() == [-4, -7, -9]
    assert result.gaps.tolist() == [0, 3, 5]
    assert result.heads.dtype == np.int32
    assert result.scores.dtype == np.float64


def test_result_unpacks_and_indexes():
    result = coppice.kbest(DUCKS, 3, root="single")
    heads, scores, gaps = result.arrays()
    assert heads is result.heads
    assert scores is result.scores
    assert gaps is result.gaps
    assert len(result) == 3
    tree = result[1]
    assert tree.heads.tolist() == [2, 3, 0]
    assert (tree.score, tree.gap) == (-7, 3)
    assert result[-1].score == -9
    assert [tree.score for tree in result] == [-4, -7, -9]
    assert result[1:].scores.tolist() == [-7, -9]
    assert result[1:].gaps.tolist() == [3, 5]
    with pytest.raises(IndexError):
        result[3]
    assert repr(result) == "<KBestResult: 3 trees of 3 words, scores -4 to -9>"


@given(
    st.integers(2, 5).flatmap(
        lambda nodes: hnp.arrays(
            np.float64, (nodes, nodes), elements=st.integers(-3, 3) | st.just(-np.inf)
        )
    ),
    st.sampled_from(["single", "any"]),
    st.integers(1, 200),
)
def test_lists_are_those_of_brute_force(scores, root, k):
    truth = brute_force(scores, root)
    result = coppice.kbest(scores, k, root=root)
    assert result.scores.tolist() == [score for score, _ in truth[:k]]
    assert len(as_set(result.heads)) == len(result) == min(k, len(truth))
    by_heads = {heads: score for score, heads in truth}
    for tree in result:
        assert by_heads[tuple(tree.heads.tolist())] == tree.score
    streamed = itertools.islice(coppice.iter_kbest(scores, root=root), k)
    assert [tree.score for tree in streamed] == result.scores.tolist()
    best = coppice.best(scores, root=root)
    if truth:
        assert best is not None
        assert best.score == truth[0][0]
    else:
        assert best is None


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
def test_floats(dtype, root):
    scores = random_scores(5, seed=1, dtype=np.float16).astype(dtype)
    result = coppice.kbest(scores, 10, root=root)
    truth = brute_force(scores.astype(np.float64), root)
    assert result.heads.tolist() == [list(heads) for _, heads in truth[:10]]
    assert result.scores.dtype == np.float64
    np.testing.assert_allclose(result.scores, [score for score, _ in truth[:10]])


@pytest.mark.parametrize(
    "dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
)
def test_integers_are_exact(dtype):
    scores = (random_scores(5, seed=2, dtype=np.int64) % 2).astype(dtype)
    result = coppice.kbest(scores, 20, root="any")
    assert result.scores.dtype == np.int64
    truth = brute_force(scores.astype(np.int64), "any")
    assert result.scores.tolist() == [score for score, _ in truth[:20]]
    big = np.array([[0, 2**56 + 1, 2**56], [0, 0, 1], [0, 2, 0]])
    assert coppice.best(big, root="any").score == 2**57 + 1
    assert coppice.kbest(big, 2, root="single").scores.tolist() == [2**56 + 2, 2**56 + 2]


def test_axes():
    heads = coppice.kbest(DUCKS, 4, root="any").heads
    for transposed in (DUCKS.T, np.ascontiguousarray(DUCKS.T)):
        other = coppice.kbest(transposed, 4, root="any", axes="dep,head").heads
        assert (heads == other).all()


def test_any_memory_layout():
    expected = coppice.kbest(DUCKS, 10, root="any")
    strided = np.zeros((8, 8), np.float32)[::2, ::2]
    strided[:] = DUCKS
    negative = DUCKS[::-1, ::-1].copy()[::-1, ::-1]
    packed = np.zeros(16, [("odd", "i1"), ("score", "f4")])["score"].reshape(4, 4)
    packed[:] = DUCKS
    read_only = DUCKS.copy()
    read_only.flags.writeable = False
    big_endian = DUCKS.astype(">f4")
    for scores in (strided, negative, packed, read_only, big_endian, np.asfortranarray(DUCKS)):
        before = scores.copy()
        result = coppice.kbest(scores, 10, root="any")
        assert (result.heads == expected.heads).all()
        assert (scores == before).all()


def test_lists_buffers_and_dlpack():
    class Foreign:
        """Knows nothing but DLPack."""

        def __init__(self, values):
            self._values = values

        def __dlpack__(self, **options):
            return self._values.__dlpack__(**options)

        def __dlpack_device__(self):
            return self._values.__dlpack_device__()

    buffer = memoryview(array.array("f", DUCKS.ravel().tolist())).cast("B").cast("f", (4, 4))
    for scores in (DUCKS.tolist(), Foreign(DUCKS), buffer):
        assert coppice.best(scores, root="single").heads.tolist() == [2, 0, 2]


def test_diagonal_and_root_column_are_not_read():
    scores = DUCKS.copy()
    np.fill_diagonal(scores, np.nan)
    scores[:, 0] = np.inf
    assert coppice.best(scores, root="single").heads.tolist() == [2, 0, 2]


def test_no_tree_is_an_empty_result(root):
    scores = np.full((3, 3), -np.inf)
    result = coppice.kbest(scores, 4, root=root)
    assert len(result) == 0
    assert result.heads.shape == (0, 2)
    assert result.gaps.shape == (0,)
    assert repr(result) == "<KBestResult: no tree of 2 words>"
    assert coppice.best(scores, root=root) is None
    assert list(coppice.iter_kbest(scores, root=root)) == []


def test_max_gap(root):
    everything = coppice.kbest(DUCKS, 1000, root=root)
    result = coppice.kbest(DUCKS, root=root, max_gap=4)
    assert result.scores.tolist() == [s for s in everything.scores if s >= everything.scores[0] - 4]
    assert (
        len(coppice.kbest(np.zeros((4, 4)), root=root, max_gap=0)) == {"single": 9, "any": 16}[root]
    )


def test_minimize(root):
    lowest = coppice.kbest(DUCKS, 5, root=root, minimize=True)
    highest = coppice.kbest(-DUCKS, 5, root=root)
    assert lowest.scores.tolist() == (-highest.scores).tolist()
    assert lowest.gaps.tolist() == highest.gaps.tolist()
    assert (lowest.gaps >= 0).all()


def test_constraints():
    everything = coppice.kbest(DUCKS, 1000, root="single")
    required = coppice.kbest(
        DUCKS, 1000, root="single", constraints=coppice.Constraints(required=[(3, 2)])
    )
    assert as_set(required.heads) == {h for h in as_set(everything.heads) if h[1] == 3}
    forbidden = coppice.kbest(
        DUCKS,
        1000,
        root="single",
        constraints=coppice.Constraints(forbidden=np.array([[2, 1], [2, 3]])),
    )
    assert as_set(forbidden.heads) == {
        h for h in as_set(everything.heads) if h[0] != 2 and h[2] != 2
    }
    best = coppice.best(DUCKS, root="single", constraints=coppice.Constraints(required=[(3, 2)]))
    assert best.heads.tolist() == required.heads[0].tolist()
    streamed = coppice.iter_kbest(
        DUCKS, root="single", constraints=coppice.Constraints(required=[(3, 2)])
    )
    assert [tree.score for tree in streamed] == required.scores.tolist()


def test_heads_that_stay_are_required_arcs():
    keep = coppice.Constraints.keep
    assert keep([None, -1, "_"]) == coppice.Constraints()
    wanted = coppice.Constraints(required=[(0, 1), (3, 2)], forbidden=[(1, 3)])
    assert keep(np.array([-1, 3, -1]), required=[(0, 1)], forbidden=[(1, 3)]) == wanted
    assert keep(["_", "3"]).required == ((3, 2),)
    kept = coppice.kbest(DUCKS, 100, root="single", constraints=keep([None, 3, None]))
    every = coppice.kbest(DUCKS, 100, root="single")
    assert kept.heads.tolist() == [heads for heads in every.heads.tolist() if heads[1] == 3]
    for bad, word in (([-2], 1), ([0, "x"], 2), ([0.5], 1)):
        with pytest.raises(ValueError, match=f"the head of word {word} is"):
            keep(bad)
    with pytest.raises(ValueError, match="the required edges form a cycle, 2 -> 1 -> 2"):
        coppice.best(DUCKS, root="single", constraints=keep([2, 1, None]))


@pytest.mark.parametrize("axes", ["head,dep", "dep,head"])
def test_labels(axes):
    rng = np.random.default_rng(7)
    arcs = rng.normal(size=(4, 4))
    labels = rng.normal(size=(4, 4, 3)).astype(np.float32)
    # The K best labelled trees: every tree with every way to label it.
    truth = []
    for score, heads in brute_force(arcs, "single"):
        for names in itertools.product(range(3), repeat=3):
            extra = sum(
                labels[head, word, name]
                for word, (head, name) in enumerate(zip(heads, names, strict=True), start=1)
            )
            truth.append((score + extra, heads, names))
    truth.sort(key=lambda item: -item[0])
    if axes == "dep,head":
        arcs, labels = arcs.T, labels.swapaxes(0, 1)
    result = coppice.kbest(arcs, 40, root="single", labels=labels, axes=axes)
    assert result.heads.tolist() == [list(heads) for _, heads, _ in truth[:40]]
    assert result.labels.tolist() == [list(names) for _, _, names in truth[:40]]
    assert result.edges is None
    ids = np.broadcast_to(np.array([5, 7, 9]), (4, 4, 3))
    named = coppice.kbest(arcs, 40, root="single", labels=coppice.Labels(labels, ids), axes=axes)
    assert (named.labels == np.array([5, 7, 9])[result.labels]).all()
    first = next(coppice.iter_kbest(arcs, root="single", labels=labels, axes=axes))
    assert first.labels.tolist() == result.labels[0].tolist()


def test_iterator_is_lazy_and_owns_its_weights():
    scores = DUCKS.copy()
    trees = coppice.iter_kbest(scores, root="single")
    first = next(trees)
    scores[:] = 0
    rest = list(trees)
    expected = coppice.kbest(DUCKS, 1000, root="single")
    assert [first.score, *(tree.score for tree in rest)] == expected.scores.tolist()
    assert [first.gap, *(tree.gap for tree in rest)] == expected.gaps.tolist()
    # 40 words have more trees than there are atoms in the world.
    many = coppice.iter_kbest(random_scores(41, seed=3), root="any")
    assert len(list(itertools.islice(many, 1000))) == 1000
    assert len(list(coppice.iter_kbest(DUCKS, 2, root="single"))) == 2


def test_with_root():
    result = coppice.kbest(DUCKS, 2, root="single")
    assert result.with_root().tolist() == [[-1, 2, 0, 2], [-1, 2, 3, 0]]
    assert result[:1].with_root(0).tolist() == [[0, 2, 0, 2]]


@pytest.mark.parametrize(
    ("scores", "options", "error", "message"),
    [
        (DUCKS, {"root": "one"}, ValueError, "root is 'one'; must be \"single\""),
        (DUCKS, {"root": "any", "axes": "rows"}, ValueError, "axes is 'rows'"),
        (DUCKS, {"root": "any", "k": 0}, ValueError, "k is 0, must be at least 1"),
        (DUCKS, {"root": "any", "k": 1.5}, TypeError, "k is 1.5; must be an integer"),
        (DUCKS, {"root": "any", "k": None}, ValueError, "give k, max_gap or both"),
        (DUCKS, {"root": "any", "max_gap": -1.0}, ValueError, "max_gap is -1"),
        (DUCKS, {"root": "any", "max_gap": "1"}, TypeError, "max_gap is '1'; must be a number"),
        (DUCKS, {"root": "any", "labels": np.zeros((4, 4))}, ValueError, "labels has shape (4, 4)"),
        (DUCKS, {"root": "any", "probabilities": 2}, TypeError, "probabilities is 2; need True"),
        (DUCKS > 0, {"root": "any"}, TypeError, "scores has dtype bool"),
        (DUCKS[:3], {"root": "any"}, ValueError, "shape (3, 4)"),
        (DUCKS[:1, :1], {"root": "any"}, ValueError, "shape (1, 1)"),
        (DUCKS[0], {"root": "any"}, ValueError, "shape (4,)"),
        (DUCKS * np.nan, {"root": "any"}, ValueError, "weight of 0 -> 1 is NaN"),
        (DUCKS.astype(complex), {"root": "any"}, TypeError, "complex128"),
        ([["a", "b"], ["c", "d"]], {"root": "any"}, TypeError, "<U1"),
        (np.full((2, 2), 2**63, np.uint64), {"root": "any"}, ValueError, "int64 cannot hold"),
        (np.ma.masked_less(DUCKS, -3), {"root": "any"}, TypeError, "masked array"),
    ],
)
def test_errors_name_the_argument_and_its_value(scores, options, error, message):
    with pytest.raises(error) as caught:
        coppice.kbest(scores, **{"k": 3, **options})
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"required": [(1, 9)]}, ValueError, "required edge 1 -> 9"),
        ({"required": [(1, 2, 3)]}, ValueError, "required is ((1, 2, 3),); must be (head, dep"),
        ({"required": [1]}, ValueError, "required is [1]; must be (head, dependent) pairs"),
        ({"forbidden": ["ab"]}, ValueError, "forbidden is ['ab']; must be (head, dependent) pairs"),
        ({"forbidden": [(2**40, 2)]}, ValueError, str(2**40)),
        ({"required_edges": [0.5]}, TypeError, "required_edges is [0.5]; must be numbers"),
        ({"budget": 0}, ValueError, "budget is 0, must be at least 1"),
        ({"facts": {}}, TypeError, "facts is {}; need coppice.rules.Facts"),
    ],
)
def test_errors_of_constraints(given, error, message):
    with pytest.raises(error) as caught:
        coppice.kbest(DUCKS, 3, root="any", constraints=coppice.Constraints(**given))
    assert message in str(caught.value)


def test_constraints_are_one_value():
    meant = coppice.Constraints(required=[[3, 2]], rules=[coppice.rules.max_depth(2)], budget=9)
    assert repr(meant) == (
        "Constraints(required=((3, 2),), rules=(<Rule: max-depth=2>,), budget=9)"
    )
    assert pickle.loads(pickle.dumps(meant)) == meant
    assert meant == copy.deepcopy(meant)
    assert meant != coppice.Constraints()
    assert coppice.Constraints(required=np.array([[3, 2]])) == coppice.Constraints(
        required=[(3, 2)]
    )
    for call in (coppice.kbest, coppice.best, coppice.iter_kbest, coppice.max_marginals):
        with pytest.raises(TypeError, match=r"constraints is .*; need coppice\.Constraints"):
            call(DUCKS, root="any", constraints=[(3, 2)])


def test_constraints_that_a_call_cannot_honour():
    legal = coppice.Constraints(rules=[coppice.rules.projective()])
    for call in (coppice.max_marginals, coppice.Ties, coppice.TreeDistribution):
        with pytest.raises(ValueError, match=f"{call.__name__} takes no rules"):
            call(DUCKS, root="any", constraints=legal)
    with pytest.raises(ValueError, match="best takes no budget"):
        coppice.best(DUCKS, root="any", constraints=coppice.Constraints(budget=2))


def test_names_of_labels():
    """Results show them, and rules are told them."""
    scores = np.zeros((4, 4, 2))
    scores[..., 1] = -1
    labels = coppice.Labels(scores, names=["obj", "dep"])
    legal = coppice.Constraints(rules=[coppice.rules.at_most(1, ["obj"])])
    result = coppice.kbest(DUCKS, 9, root="any", labels=labels, constraints=legal)
    assert result.label_names == ("obj", "dep")
    for tree in result.annotate(["she", "saw", "ducks"]):
        heads = [h for h, name in zip(tree.heads, tree.relations, strict=True) if name == "obj"]
        assert len(set(heads)) == len(heads)
        assert len(str(tree).splitlines()) == 4
    batch = coppice.kbest_batch(
        [DUCKS],
        9,
        root="any",
        labels=coppice.Labels([scores], names=["obj", "dep"]),
        constraints=legal,
    )
    assert batch[0] == result
    assert batch[0].label_names == result.label_names


def test_root_is_required():
    with pytest.raises(TypeError, match="root"):
        coppice.kbest(DUCKS, 3)


def test_best_takes_what_kbest_takes():
    graph = coppice.Multigraph([0, 0, 1], [1, 1, 2], [1.0, 2.0, 3.0])
    tree = coppice.best(graph, root="any", constraints=coppice.Constraints(forbidden_edges=[1]))
    assert tree.edges.tolist() == [0, 2]
    missing = {"k", "max_gap", "probabilities"}
    parameters = {f: set(inspect.signature(f).parameters) for f in (coppice.best, coppice.kbest)}
    assert parameters[coppice.kbest] - parameters[coppice.best] == missing


def test_label_ids_that_do_not_fit():
    scores, labels = np.zeros((3, 3)), np.zeros((3, 3, 1))
    with pytest.raises(ValueError, match="ids of labels"):
        coppice.kbest(
            scores, 1, root="any", labels=coppice.Labels(labels, labels.astype(int) + 2**31)
        )


@pytest.mark.parametrize("minimize", [False, True])
def test_max_marginals_are_the_best_trees_with_each_arc(root, minimize):
    scores = random_scores(5, 3)
    worst = np.inf if minimize else -np.inf
    expected = np.full(scores.shape, worst)
    for score, heads in brute_force(scores, root):
        for word, head in enumerate(heads, 1):
            better = min if minimize else max
            expected[head, word] = better(expected[head, word], score)
    found = coppice.max_marginals(scores, root=root, minimize=minimize)
    np.testing.assert_allclose(found, expected)
    turned = coppice.max_marginals(scores.T, root=root, minimize=minimize, axes="dep,head")
    np.testing.assert_allclose(turned, expected.T)
    without = coppice.max_marginals(
        scores, root=root, minimize=minimize, constraints=coppice.Constraints(forbidden=[(1, 2)])
    )
    assert without[1, 2] == worst


def test_max_marginals_of_edges():
    graph = coppice.Multigraph([0, 0, 1, 1], [1, 2, 2, 2], [1.0, 2.0, 3.0, 4.0])
    assert coppice.max_marginals(graph, root="any").tolist() == [5, 3, 4, 5]
    assert coppice.max_marginals(graph, root="single").tolist() == [5, -np.inf, 4, 5]


def test_trees_compare():
    scores = random_scores(5, 3)
    result, again = (coppice.kbest(scores, 4, root="any") for _ in range(2))
    assert result[0] == again[0]
    assert not result[0].__ne__(again[0])
    assert hash(result[0]) == hash(again[0])
    assert result[0] != result[1]
    assert result[0] != "a tree"
    assert result[0] != tuple(result[0])
    assert len({*result, *again}) == 4
    assert next(coppice.iter_kbest(scores, root="any")) == result[0]
    assert result[1:2][0] == result[1]
    worse = result[0]._replace(score=-100.0)
    assert worse != result[0]
    labels = np.zeros((5, 5, 2), np.float32)
    labels[..., 1] = -1
    labelled = coppice.kbest(scores, 2, root="any", labels=labels)
    assert labelled[0] != result[0]
    assert labelled[0] != labelled[0]._replace(labels=1 - labelled[0].labels)
    assert labelled[0]._replace(labels=None) == labelled[0]._replace(labels=None, gap=1.0)


def test_results_are_sequences():
    scores = random_scores(5, 3)
    result, other = (coppice.kbest(scores, 4, root="any") for _ in range(2))
    assert isinstance(result, Sequence)
    assert other[2] in result
    assert result.index(other[2]) == 2
    assert result.count(other[2]) == 1
    assert other[3] not in result[:3]
    assert [tree.score for tree in reversed(result)] == result.scores.tolist()[::-1]
    assert isinstance(result == other, bool)
    batch = coppice.kbest_batch([scores, scores], 4, root="any")
    assert isinstance(batch, Sequence)
    assert [each[0] for each in batch[1:]] == [result[0]]
    assert isinstance(result in batch, bool)
    assert isinstance(batch == batch[:], bool)


@pytest.mark.parametrize("unit", [1.0, 1e-308, 1e-310])
def test_a_gap_of_nothing_gives_the_best_trees_alone(unit):
    scores = np.array([[0, 0, -3], [0, 0, -1], [0, -2, 0]]) * unit
    assert len(coppice.kbest(scores, root="any", max_gap=0)) == 1
