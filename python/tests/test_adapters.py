"""Arrays as each library has them at the place where it decodes, and heads as it wants them."""

import numpy as np
import pytest

import coppice
from coppice import adapters
from support import brute_force, random_scores

LENGTHS = [4, 2, 3]  # words
NODES = 5
# [sentence, head, dependent]; whatever is behind a sentence must not be read.
SCORES = np.stack([random_scores(NODES, seed, np.float32) for seed in range(3)])
for _scores, _words in zip(SCORES, LENGTHS, strict=True):
    _scores[_words + 1 :] = np.nan
    _scores[:, _words + 1 :] = np.nan


def truth(sentence, root):
    nodes = LENGTHS[sentence] + 1
    return [list(heads) for _, heads in brute_force(SCORES[sentence, :nodes, :nodes], root)]


def test_stanza():
    dependents_first = SCORES.swapaxes(1, 2)
    lengths_with_root = [words + 1 for words in LENGTHS]
    best = adapters.stanza(dependents_first, lengths_with_root)
    assert [heads.tolist() for heads in best] == [truth(i, "single")[0] for i in range(3)]
    five = adapters.stanza(dependents_first, lengths_with_root, 5, root="any")
    assert [heads.tolist() for heads in five.heads] == [truth(i, "any")[:5] for i in range(3)]
    assert five.counts.tolist() == [5, 3, 5]
    assert five.labels is None


@pytest.mark.parametrize("multiroot", [True, False])
@pytest.mark.parametrize("root_value", [0, -1])
def test_supar(multiroot, root_value):
    dependents_first = SCORES.swapaxes(1, 2)
    mask = np.zeros((3, NODES), bool)  # false for the root
    for row, words in zip(mask, LENGTHS, strict=True):
        row[1 : words + 1] = True
    options = {"multiroot": multiroot, "root_value": root_value}
    best = adapters.supar(dependents_first, mask, **options)
    assert best.shape == (3, NODES)
    assert best.dtype == np.int64
    rule = "any" if multiroot else "single"
    for i, words in enumerate(LENGTHS):
        padding = [0] * (NODES - 1 - words)
        assert best[i].tolist() == [root_value, *truth(i, rule)[0], *padding]
    three = adapters.supar(dependents_first, LENGTHS, 3, **options)
    assert three.heads.shape == (3, 3, NODES)
    assert three.heads.dtype == np.int64
    assert three.heads[0, 2].tolist() == [root_value, *truth(0, rule)[2]]
    for i, words in enumerate(LENGTHS):
        exist = min(3, len(truth(i, rule)))
        assert three.counts[i] == exist
        padding = [-1] * (NODES - 1 - words)
        assert three.heads[i, 0].tolist() == [root_value, *truth(i, rule)[0], *padding]
        # What is no tree does not look like one.
        assert (three.heads[i, exist:] == -1).all()
        assert (three.scores[i, exist:] == -np.inf).all()


@pytest.mark.parametrize("root_value", [0, -1])
def test_allennlp(root, root_value):
    rng = np.random.default_rng(0)
    energy = rng.normal(size=(6, NODES, NODES))  # [label, head, dependent]
    before = energy.copy()
    length = 4  # counts the root
    options = {"root": root, "root_value": root_value}
    heads, labels = adapters.allennlp(energy, length, has_labels=True, **options)
    expected = brute_force(energy.max(axis=0)[:length, :length], root)
    assert heads.tolist() == [root_value, *expected[0][1], 0]
    for word, head in enumerate(expected[0][1], start=1):
        assert labels[word] == energy[:, head, word].argmax()
    assert labels[0] == labels[4] == 0
    arcs = adapters.allennlp(energy.max(axis=0), length, k=40, **options)
    assert arcs.labels is None
    assert arcs.counts == len(expected) < 40
    assert arcs.heads[: arcs.counts, 1:length].tolist() == [list(heads) for _, heads in expected]
    assert (arcs.heads[arcs.counts :] == -1).all()
    labelled = adapters.allennlp(energy, length, has_labels=True, k=4, **options)
    assert labelled.heads[0, :length].tolist() == heads[:length].tolist()
    for row, tags, score in zip(labelled.heads, labelled.labels, labelled.scores, strict=True):
        own = [energy[tags[word], row[word], word] for word in range(1, length)]
        assert sum(own) == pytest.approx(score, rel=1e-6)
    assert (energy == before).all()


@pytest.mark.parametrize("single_root_edge", [True, False])
def test_synjax(single_root_edge):
    rule = "single" if single_root_edge else "any"
    lengths_with_root = np.array(LENGTHS) + 1
    options = {"single_root_edge": single_root_edge}
    trees, scores = adapters.synjax(SCORES, lengths_with_root, 3, **options)
    assert trees.shape == (3, 3, NODES, NODES)
    assert scores.shape == (3, 3)
    for i, words in enumerate(LENGTHS):
        for rank, heads in enumerate(truth(i, rule)[:3]):
            adjacency = np.zeros((NODES, NODES))
            adjacency[heads, np.arange(1, words + 1)] = 1
            assert (trees[rank, i] == adjacency).all()
            total = np.nansum(trees[rank, i] * SCORES[i])
            np.testing.assert_allclose(scores[rank, i], total, rtol=1e-5)
    one, _ = adapters.synjax(SCORES[0], k=2, **options)
    assert one.shape == (2, NODES, NODES)
    assert (one[0] == trees[0, 0]).all()
    assert (adapters.synjax(SCORES, lengths_with_root, k=None, **options) == trees[0]).all()
    with pytest.raises(ValueError, match="sentence 0: there is no tree"):
        adapters.synjax(np.full((3, 3), -np.inf), k=None, **options)


def diagonal(words, seed):
    """Scores with the root on the diagonal, and the same with a root, [head, dependent]."""
    scores = random_scores(words, seed)
    with_root = np.zeros((words + 1, words + 1))
    with_root[1:, 1:] = scores
    with_root[0, 1:] = np.diagonal(scores)
    return scores, with_root


def test_torch_struct(root):
    scores, with_root = diagonal(4, seed=8)
    batch = np.stack([scores, scores])
    heads = adapters.torch_struct(batch, [4, 3], root=root)
    expected = brute_force(with_root, root)
    shorter = brute_force(with_root[:4, :4], root)
    assert heads.tolist() == [list(expected[0][1]), [*shorter[0][1], 0]]
    three = adapters.torch_struct(batch, [4, 3], 3, root=root)
    assert three.heads[0].tolist() == [list(heads) for _, heads in expected[:3]]
    assert three.heads[1, 0].tolist() == [*shorter[0][1], -1]


def test_spacy(root):
    scores, with_root = diagonal(4, seed=9)
    found = adapters.spacy(scores.T[None], k=5, root=root)
    expected = brute_force(with_root, root)[:5]
    # The word that hangs from the root is its own head; words count from 0.
    own = [
        [word if head == 0 else head - 1 for word, head in enumerate(heads)]
        for _, heads in expected
    ]
    assert found.heads[0].tolist() == own
    assert adapters.spacy(scores.T[None], root=root)[0].tolist() == own[0]


def calls(scores, k=None, labels=None):
    """Every adapter on one sentence of two words, [head, dependent] with a root."""
    turned, nodes = scores[None].swapaxes(1, 2), [3]
    inner = scores[1:, 1:].copy()
    np.fill_diagonal(inner, scores[0, 1:])
    some = {} if labels is None else {"labels": labels[None]}
    turned_labels = {} if labels is None else {"labels": labels[None].swapaxes(1, 2)}
    yield adapters.stanza, (turned, nodes, k), turned_labels
    yield adapters.supar, (turned, [2], k), turned_labels
    if labels is None:
        yield adapters.allennlp, (scores, 3, False, k), {"root": "single"}
    else:
        energy = np.moveaxis(scores[..., None] + labels, -1, 0)
        yield adapters.allennlp, (energy, 3, True, k), {"root": "single"}
    if labels is not None:
        inside = labels[1:, 1:].copy()
        inside[[0, 1], [0, 1]] = labels[0, 1:]
        some = {"labels": inside[None]}
        turned_labels = {"labels": inside[None].swapaxes(1, 2)}
    yield adapters.torch_struct, (inner[None], None, k), {"root": "single", **some}
    yield adapters.spacy, (inner.T[None], None, k), {"root": "single", **turned_labels}


def test_no_tree_is_the_same_error_everywhere():
    for adapter, arguments, options in calls(np.full((3, 3), -np.inf)):
        with pytest.raises(ValueError, match=r"^sentence 0: there is no tree$"):
            adapter(*arguments, **options)
    for adapter, arguments, options in calls(np.full((3, 3), -np.inf), k=2):
        found = adapter(*arguments, **options)
        assert np.sum(found.counts) == 0
        assert np.all(np.asarray(found.heads) == -1)  # a list has no rows


def test_labels_are_chosen_with_the_heads():
    scores = random_scores(3, seed=4)
    rng = np.random.default_rng(5)
    labels = rng.normal(size=(3, 3, 4)) * 3
    expected = coppice.kbest(scores, 3, root="single", labels=labels)
    for adapter, arguments, options in calls(scores, 3, labels):
        found = adapter(*arguments, **options)
        name = adapter.__name__
        tags = np.asarray(found.labels)
        tags = tags[0] if tags.ndim == 3 else tags
        assert tags[:, -2:].tolist() == expected.labels.tolist(), name
        np.testing.assert_allclose(np.ravel(found.scores), expected.scores, rtol=1e-5)
    for adapter, arguments, options in calls(scores, None, labels):
        heads, tags = adapter(*arguments, **options)
        assert np.ravel(tags)[-2:].tolist() == expected.labels[0].tolist(), adapter.__name__
        if adapter is not adapters.spacy:
            assert np.ravel(heads)[-2:].tolist() == expected.heads[0].tolist(), adapter.__name__


def test_diagonal_forms():
    scores, with_root = diagonal(3, seed=2)
    assert (adapters._from_diagonal(scores)[:, 1:] == with_root[:, 1:]).all()
    assert (adapters._from_diagonal(scores.T).T[:, 1:] == with_root[:, 1:]).all()
    assert adapters._to_diagonal([2, 0, 2]).tolist() == [1, 1, 1]
    with pytest.raises(ValueError, match=r"shape \(2, 3\)"):
        adapters._from_diagonal(np.zeros((2, 3)))


def test_trankit_decodes_what_stanza_does():
    """Heads as ``pipeline.py`` of trankit 1.1.2 takes them from padded scores; not the package."""
    nodes = [words + 1 for words in LENGTHS]
    predicted = SCORES.swapaxes(1, 2)
    found = adapters.stanza(predicted, nodes)
    assert [heads.tolist() for heads in found] == [truth(i, "single")[0] for i in range(3)]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_chu_liu_edmonds(root, dtype):
    for seed in range(10):
        scores = random_scores(5, seed, np.float32).astype(dtype)
        edges = np.where(np.random.default_rng(seed).random((5, 5)) < 0.3, np.nan, scores)
        trees = brute_force(np.where(np.isnan(edges), -np.inf, edges), root)
        if not trees:
            with pytest.raises(ValueError, match="score_matrix has no tree"):
                adapters.chu_liu_edmonds(edges.T, root=root)
            continue
        heads, score = adapters.chu_liu_edmonds(edges.T, root=root)
        assert heads == [-1, *trees[0][1]]
        assert score == pytest.approx(trees[0][0])
        assert isinstance(heads[1], int)
    assert adapters.chu_liu_edmonds(np.zeros((1, 1))) == ([-1], 0.0)
    assert adapters.chu_liu_edmonds(np.zeros((0, 0))) == ([], 0.0)
    assert adapters.chu_liu_edmonds([[0, 0, 0], [3, 0, 1], [1, 4, 0]]) == ([-1, 0, 1], 7.0)
    kept = coppice.Constraints.keep([None, 0])
    assert adapters.chu_liu_edmonds([[0, 0, 0], [3, 0, 1], [1, 4, 0]], constraints=kept) == (
        [-1, 0, 0],
        4.0,
    )
    with pytest.raises(ValueError, match=r"score_matrix has shape \(2, 3\); must be square"):
        adapters.chu_liu_edmonds(np.zeros((2, 3)))


def test_chu_liu_edmonds_is_that_of_ufal():
    ufal = pytest.importorskip("ufal.chu_liu_edmonds", reason="ufal.chu_liu_edmonds is not here")
    for seed in range(200):
        random = np.random.default_rng(seed)
        scores = random.normal(size=(random.integers(2, 30),) * 2)
        scores[random.random(scores.shape) < 0.3] = np.nan
        heads, score = ufal.chu_liu_edmonds(scores)
        if score == -np.inf:
            with pytest.raises(ValueError, match="no tree"):
                adapters.chu_liu_edmonds(scores)
            continue
        found = adapters.chu_liu_edmonds(scores)
        assert found == (heads, pytest.approx(score))


def test_rycolab_and_ufal_want_an_entry_for_the_root():
    result = coppice.kbest(SCORES[0], 3, root="any")
    assert result.with_root(-1)[0].tolist() == [-1, *truth(0, "any")[0]]
    assert result.with_root(0)[0].tolist() == [0, *truth(0, "any")[0]]


def test_spacy_decodes_the_same():
    """The function that spaCy's experimental parser decodes with."""
    reason = "spacy-experimental is not installed; it needs numpy 1"
    mst = pytest.importorskip("spacy_experimental.biaffine_parser.mst", reason=reason)
    for seed in range(20):
        scores = random_scores(6, seed, np.float32)
        assert adapters.spacy(scores[None], root="any")[0].tolist() == list(mst.mst_decode(scores))
