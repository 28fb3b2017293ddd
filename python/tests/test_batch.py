import numpy as np
import pytest

import coppice
from support import matrices, padded, random_scores


@pytest.fixture(scope="module")
def expected(english):
    return [coppice.kbest(matrix, 20, root="single") for matrix in matrices(*english)]


def assert_same(result, expected):
    assert len(result) == len(expected)
    for mine, theirs in zip(result, expected, strict=True):
        assert (mine.heads == theirs.heads).all()
        assert (mine.scores == theirs.scores).all()
        assert (mine.gaps == theirs.gaps).all()


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_forms_of_a_batch(english, expected, threads):
    flat, lengths = english
    sentences = matrices(flat, lengths)
    array = padded(sentences)
    mask = np.arange(array.shape[1]) <= lengths[:, None]
    options = {"k": 20, "root": "single", "threads": threads}
    results = [
        coppice.kbest_batch(flat, lengths=lengths, **options),
        coppice.kbest_batch(sentences, **options),
        coppice.kbest_batch([m.T for m in sentences], axes="dep,head", **options),
        coppice.kbest_batch(list(array), lengths=lengths, **options),
        coppice.kbest_batch(array, lengths=lengths, **options),
        coppice.kbest_batch(array, lengths=mask, **options),
        coppice.kbest_batch(array, lengths=mask[:, 1:], **options),
        coppice.kbest_batch(array.swapaxes(1, 2), lengths=lengths, axes="dep,head", **options),
    ]
    for result in results:
        assert_same(result, expected)
        assert (result.heads == results[0].heads).all()
        assert (result.scores == results[0].scores).all()
        assert (result.gaps == results[0].gaps).all()
        assert result.lengths.tolist() == lengths.tolist()
        assert not result.errors


def test_flat_and_dependents_first(english, expected):
    flat, lengths = english
    transposed = np.concatenate([m.T.ravel() for m in matrices(flat, lengths)])
    result = coppice.kbest_batch(transposed, 20, lengths=lengths, root="single", axes="dep,head")
    assert_same(result, expected)


def test_shapes_and_padding():
    sentences = [random_scores(nodes, nodes, np.float32) for nodes in (2, 5, 3)]
    for scores in (sentences, padded(sentences)):
        result = coppice.kbest_batch(scores, 4, lengths=[1, 4, 2], root="any")
        heads, values, counts = result.arrays()
        assert heads.shape == (3, 4, 4)
        assert values.shape == (3, 4)
        assert counts.tolist() == [1, 4, 3]
        assert heads[0].tolist() == [[0, -1, -1, -1]] + [[-1] * 4] * 3
        assert values[0, 1:].tolist() == [-np.inf] * 3
        assert result.gaps[0].tolist() == [0] + [np.inf] * 3
        assert result[0].heads.tolist() == [[0]]
        assert result[-1].heads.shape == (3, 2)
        with pytest.raises(IndexError):
            result[3]
    lowest = coppice.kbest_batch(sentences, k=4, root="any", minimize=True)
    assert lowest.scores[0, 1:].tolist() == [np.inf] * 3
    integers = coppice.kbest_batch([np.ones((2, 2), int), np.ones((3, 3), int)], k=3, root="any")
    assert integers.scores.dtype == np.int64
    assert integers.scores.tolist() == [[1, None, None], [2, 2, 2]]
    assert integers.gaps.tolist() == [[0, None, None], [0, 0, 0]]


def test_empty_batch(root):
    for scores, lengths in (([], None), (np.zeros((0, 4, 4)), None), (np.zeros(0), [])):
        result = coppice.kbest_batch(scores, 3, lengths=lengths, root=root)
        assert len(result) == 0
        assert result.heads.shape[:2] == (0, 3)


def test_types_in_one_list():
    sentences = [np.ones((3, 3), int), np.ones((3, 3), np.float16), np.ones((3, 3))]
    result = coppice.kbest_batch(sentences, k=2, root="any")
    assert result.scores.dtype == np.float64
    assert result.scores.tolist() == [[2, 2]] * 3


def test_no_tree_is_a_count_of_zero():
    scores = np.zeros((2, 3, 3))
    scores[1, :, 1] = -np.inf
    result = coppice.kbest_batch(scores, k=2, root="single")
    assert result.counts.tolist() == [2, 0]
    assert len(result[1]) == 0
    assert not result.errors


@pytest.mark.parametrize("as_list", [True, False])
def test_bad_sentences_are_named(as_list):
    scores = np.zeros((4, 3, 3))
    scores[1, 0, 2] = np.nan
    scores[3, 2, 1] = np.inf
    batch = list(scores) if as_list else scores
    with pytest.raises(ValueError, match=r"sentence 1: weight of 0 -> 2 is NaN.*\(and 1 more\)"):
        coppice.kbest_batch(batch, k=2, root="any")
    result = coppice.kbest_batch(batch, k=2, root="any", on_error="report")
    assert list(result.errors) == [1, 3]
    assert "2 -> 1 is +inf" in str(result.errors[3])
    assert result.counts.tolist() == [2, 0, 2, 0]
    assert (result.heads[1] == -1).all()


def test_empty_sentences_are_errors():
    result = coppice.kbest_batch(
        np.zeros((2, 3, 3)), 2, lengths=[0, 2], root="any", on_error="report"
    )
    assert list(result.errors) == [0]
    assert result.counts.tolist() == [0, 2]


def test_constraints_of_each_sentence():
    scores = np.stack([random_scores(5, 1), random_scores(5, 2), random_scores(5, 3)])
    required = [[(1, 2)], None, []]
    forbidden = [None, [(0, 1), (0, 2)], []]
    result = coppice.kbest_batch(
        scores,
        k=7,
        root="single",
        constraints=[
            coppice.Constraints(required=each_required, forbidden=each_forbidden)
            for each_required, each_forbidden in zip(required, forbidden, strict=True)
        ],
        threads=2,
    )
    for i, matrix in enumerate(scores):
        alone = coppice.kbest(
            matrix,
            7,
            root="single",
            constraints=coppice.Constraints(required=required[i], forbidden=forbidden[i]),
        )
        assert (result[i].heads == alone.heads).all()
    with pytest.raises(ValueError, match=r"required is \[1\]; must be"):
        coppice.kbest_batch(
            scores,
            k=7,
            root="single",
            constraints=[coppice.Constraints(required=each) for each in [[1], [], []]],
        )
    with pytest.raises(ValueError, match="sentence 2: required edge 9 -> 1"):
        coppice.kbest_batch(
            scores,
            k=7,
            root="single",
            constraints=[coppice.Constraints(required=each) for each in [[], [], [(9, 1)]]],
        )
    with pytest.raises(ValueError, match="constraints of 1 sentence for 3"):
        coppice.kbest_batch(
            scores,
            k=7,
            root="single",
            constraints=[coppice.Constraints(required=each) for each in [[(0, 1)]]],
        )


@pytest.mark.parametrize("axes", ["head,dep", "dep,head"])
def test_labels(axes):
    rng = np.random.default_rng(3)
    scores, labels = rng.normal(size=(3, 5, 5)), rng.normal(size=(3, 5, 5, 4))
    ids = rng.integers(0, 99, size=(3, 5, 5, 4))
    lengths = [4, 2, 3]
    options = {"k": 6, "root": "single", "axes": axes}
    expected = [
        coppice.kbest(
            s[: n + 1, : n + 1],
            labels=coppice.Labels(e[: n + 1, : n + 1], i[: n + 1, : n + 1]),
            **options,
        )
        for s, e, i, n in zip(scores, labels, ids, lengths, strict=True)
    ]
    as_array = coppice.kbest_batch(
        scores, lengths=lengths, labels=coppice.Labels(labels, ids), **options
    )
    cut = [slice(n + 1) for n in lengths]
    as_lists = coppice.kbest_batch(
        [s[c, c] for s, c in zip(scores, cut, strict=True)],
        labels=coppice.Labels(
            [e[c, c] for e, c in zip(labels, cut, strict=True)],
            [i[c, c] for i, c in zip(ids, cut, strict=True)],
        ),
        **options,
    )
    for result in (as_array, as_lists):
        assert_same(result, expected)
        for mine, theirs in zip(result, expected, strict=True):
            assert (mine.labels == theirs.labels).all()
        assert (result.labels == as_array.labels).all()


@pytest.mark.parametrize(
    ("scores", "lengths", "options", "message"),
    [
        (np.zeros((2, 3, 3)), [1], {}, "lengths has 1 entry for 2 sentences"),
        (np.zeros((2, 3, 3)), [1, 3], {}, "sentence 1: length 3, the matrix has room for 2"),
        (np.zeros((2, 3, 3)), [1, -1], {}, "sentence 1: length -1"),
        (np.zeros((2, 3, 3)), [1.0, 2.0], {}, "lengths must be a vector of integers"),
        (np.zeros((1, 4, 4)), np.array([[0, 1, 0, 1]], bool), {}, "sentence 0: its mask has holes"),
        (np.zeros((1, 4, 4)), np.ones((1, 6), bool), {}, "mask has shape (1, 6)"),
        (np.zeros((2, 3, 4)), None, {}, "scores has shape (2, 3, 4)"),
        (np.zeros((3, 3)), None, {}, "scores has shape (3, 3)"),
        (np.zeros(9), None, {}, "needs lengths"),
        (np.zeros(10), [2], {}, "scores has 10 elements; these lengths need 9"),
        ([np.zeros((3, 3)), np.zeros((2, 3))], None, {}, "sentence 1: scores has shape (2, 3)"),
        ([np.zeros((3, 3))], [3], {}, "sentence 0: length 3, the matrix has room for 2"),
        (np.zeros((2, 3, 3)), None, {"threads": -1}, "threads is -1, must be at least 0"),
        (np.zeros((2, 3, 3)), None, {"k": 0}, "k is 0"),
        (np.zeros((2, 3, 3)), None, {"max_gap": np.nan}, "max_gap is nan"),
        (np.zeros((2, 3, 3)), None, {"on_error": "ignore"}, "on_error is 'ignore'"),
        (np.zeros(9), [2], {"labels": np.zeros((9, 1))}, "not a flat one"),
    ],
)
def test_errors_name_the_argument_and_its_value(scores, lengths, options, message):
    with pytest.raises(ValueError) as caught:
        coppice.kbest_batch(scores, lengths=lengths, **{"k": 2, "root": "any", **options})
    assert message in str(caught.value)


def test_lengths_of_the_caller_are_copied():
    scores, lengths = np.random.default_rng(1).normal(size=(2, 4, 4)), np.array([3, 2])
    batch = coppice.kbest_batch(scores, 2, root="any", lengths=lengths)
    first = batch[0].heads.copy()
    lengths[:] = 1
    assert np.array_equal(batch[0].heads, first)
    assert not batch.lengths.flags.writeable
