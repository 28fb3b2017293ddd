import itertools

import numpy as np
import pytest

import coppice
from support import brute_force, matrices, random_scores


@pytest.fixture(params=[2, 3, 5])
def scores(request):
    array = random_scores(request.param, seed=request.param)
    if request.param == 5:
        array[1, 2] = -np.inf
    return array


def test_all_of_it_against_brute_force(scores, root):
    trees = brute_force(scores, root)
    weights = np.exp([score for score, _ in trees])
    probabilities = weights / weights.sum()
    distribution = coppice.TreeDistribution(scores, root=root)
    assert distribution.n == len(scores) - 1
    assert distribution.log_partition == pytest.approx(np.log(weights.sum()))
    assert distribution.entropy() == pytest.approx(-(probabilities * np.log(probabilities)).sum())

    marginals = np.zeros(scores.shape)
    for probability, (_, heads) in zip(probabilities, trees, strict=True):
        marginals[heads, np.arange(1, len(scores))] += probability
    np.testing.assert_allclose(distribution.marginals(), marginals, atol=1e-12)
    turned = coppice.TreeDistribution(scores.T, root=root, axes="dep,head")
    np.testing.assert_allclose(turned.marginals(), marginals.T, atol=1e-12)

    all_heads = np.array([heads for _, heads in trees])
    np.testing.assert_allclose(distribution.log_prob(all_heads), np.log(probabilities))
    assert distribution.log_prob(trees[0][1]) == pytest.approx(np.log(probabilities[0]))
    expected = [marginals[heads, np.arange(1, len(scores))].sum() for heads in all_heads]
    np.testing.assert_allclose(distribution.expected_correct(all_heads), expected)
    risk = distribution.min_risk()
    assert risk.expected_correct == pytest.approx(max(expected))
    assert distribution.expected_correct(risk.heads) == pytest.approx(max(expected))

    result, found = distribution.kbest(4)
    assert (result.heads == all_heads[:4]).all()
    np.testing.assert_allclose(found, probabilities[:4])


def test_moments_against_brute_force(scores, root):
    trees = brute_force(scores, root)
    weights = np.exp([score for score, _ in trees])
    probabilities = weights / weights.sum()
    words = np.arange(1, len(scores))
    random = np.random.default_rng(1)
    f, g = random.normal(size=(2, *scores.shape))
    of_f = np.array([f[list(heads), words].sum() for _, heads in trees])
    of_g = np.array([g[list(heads), words].sum() for _, heads in trees])
    distribution = coppice.TreeDistribution(scores, root=root)
    mean_f, mean_g = probabilities @ of_f, probabilities @ of_g
    assert distribution.expectation(f) == pytest.approx(mean_f)
    assert distribution.variance(f) == pytest.approx(probabilities @ (of_f - mean_f) ** 2)
    covariance = probabilities @ ((of_f - mean_f) * (of_g - mean_g))
    assert distribution.covariance(f, g) == pytest.approx(covariance)
    turned = coppice.TreeDistribution(scores.T, root=root, axes="dep,head")
    np.testing.assert_allclose(turned.covariances(f.T), distribution.covariances(f).T)
    assert (distribution.covariances(f) * g).sum() == pytest.approx(covariance)
    for order in (0.0, 0.5, 2.0, 3.0):
        expected = np.log((probabilities**order).sum()) / (1 - order)
        assert distribution.renyi_entropy(order) == pytest.approx(expected)
    assert distribution.renyi_entropy(1) == distribution.entropy()
    assert distribution.renyi_entropy(np.inf) == pytest.approx(-np.log(probabilities.max()))
    with pytest.raises(ValueError, match="order"):
        distribution.renyi_entropy(-1)
    with pytest.raises(ValueError, match="shape"):
        distribution.expectation(f[:-1, :-1])


def test_divergence_against_brute_force(scores, root):
    trees = brute_force(scores, root)
    other_scores = np.where(
        np.isfinite(scores), np.random.default_rng(2).normal(size=scores.shape), scores
    )
    one, other = (coppice.TreeDistribution(s, root=root) for s in (scores, other_scores))
    heads = [heads for _, heads in trees]
    p, q = one.log_prob(heads), other.log_prob(heads)
    assert one.cross_entropy(other) == pytest.approx(-np.exp(p) @ q)
    assert one.kl(other) == pytest.approx(np.exp(p) @ (p - q))
    assert one.kl(one) == pytest.approx(0, abs=1e-14)
    nothing = coppice.TreeDistribution(np.full(scores.shape, -np.inf), root=root)
    assert one.kl(nothing) == np.inf
    with pytest.raises(ValueError, match="over trees of"):
        one.kl(coppice.TreeDistribution(np.zeros((7, 7)), root=root))


def test_rejection_sampling(root):
    distribution = coppice.TreeDistribution(random_scores(5, seed=2), root=root)

    def first_from_root(heads):
        return heads[0] == 0

    found = distribution.sample_where(first_from_root, 200, seed=1)
    assert len(found.heads) == 200
    assert (found.heads[:, 0] == 0).all()
    exact = distribution.marginals()[0, 1]
    assert abs(found.rate - exact) < 5 * found.standard_error + 0.02
    few = distribution.sample_where(first_from_root, 200, seed=1, draws=20)
    assert few.drawn == 20
    never = distribution.sample_where(lambda heads: False, 3, seed=1, draws=100)
    assert never.heads.shape == (0, 4)
    assert never.rate == 0


def test_most_likely(root):
    distribution = coppice.TreeDistribution(random_scores(5, seed=1) * 3, root=root)
    found = list(distribution.most_likely(0.9))
    assert found[-1].covered >= 0.9
    assert all(item.covered < 0.9 for item in found[:-1])
    covered = itertools.accumulate(item.probability for item in found)
    np.testing.assert_allclose([item.covered for item in found], list(covered))
    result = distribution.kbest(len(found))[0]
    assert [item.tree.score for item in found] == result.scores.tolist()
    with pytest.raises(ValueError, match="mass"):
        distribution.most_likely(1.5)


def test_samples(root):
    scores = random_scores(4, seed=2)
    trees = brute_force(scores, root)
    distribution = coppice.TreeDistribution(scores, root=root)
    count = 20_000
    samples = distribution.sample(count, seed=1)
    assert samples.shape == (count, 3)
    assert (samples == distribution.sample(count, seed=1)).all()
    assert (samples[:10] == distribution.sample(10, seed=1)).all()
    found = {heads: 0 for _, heads in trees}
    for heads in map(tuple, samples.tolist()):
        found[heads] += 1
    expected = count * np.exp(distribution.log_prob([heads for _, heads in trees]))
    chi_square = ((np.array(list(found.values())) - expected) ** 2 / expected).sum()
    assert chi_square < 2 * len(trees) + 20

    distinct = distribution.sample(1000, seed=3, distinct=True)
    assert sorted(map(tuple, distinct.tolist())) == sorted(heads for _, heads in trees)


def test_no_tree(root):
    distribution = coppice.TreeDistribution(np.full((3, 3), -np.inf), root=root)
    assert distribution.log_partition == -np.inf
    assert distribution.min_risk() is None
    assert distribution.sample(3, seed=0).shape == (0, 2)
    assert list(distribution.most_likely(0.5)) == []


def test_batch(english, root):
    flat, lengths = english
    sentences = matrices(flat, lengths)[:50]
    batch = coppice.distribution_batch(sentences, root=root, threads=2)
    for i, matrix in enumerate(sentences):
        alone = coppice.TreeDistribution(matrix, root=root)
        assert batch.log_partition[i] == alone.log_partition
        assert batch.entropy[i] == alone.entropy()
        nodes = len(matrix)
        assert (batch.marginals[i, :nodes, :nodes] == alone.marginals()).all()
        assert not batch.marginals[i, nodes:].any()
    alone = coppice.distribution_batch(sentences, root=root, marginals=False)
    assert (alone.log_partition == batch.log_partition).all()
    assert alone.marginals.size == 0
    bad = np.zeros((2, 3, 3))
    bad[1, 0, 1] = np.nan
    with pytest.raises(ValueError, match=r"sentence 1: .*NaN"):
        coppice.distribution_batch(bad, root=root)
    reported = coppice.distribution_batch(bad, root=root, on_error="report")
    assert list(reported.errors) == [1]
    assert np.isfinite(reported.log_partition[0])


def test_lists_as_distributions():
    result = coppice.kbest(random_scores(5, seed=4), 10, root="single")
    probabilities = coppice.list_probabilities(result)
    weights = np.exp(result.scores)
    np.testing.assert_allclose(probabilities, weights / weights.sum())
    shared = (result.heads[:, None] == result.heads[None]).sum(axis=2)
    np.testing.assert_allclose(coppice.expected_attachment(result), shared @ probabilities)


def test_errors_name_the_argument():
    distribution = coppice.TreeDistribution(np.zeros((3, 3)), root="any")
    with pytest.raises(ValueError, match="need a head for each of 2 words"):
        distribution.log_prob([0, 1, 2])
    with pytest.raises(ValueError, match="shape"):
        coppice.TreeDistribution(np.zeros(4), root="any")
    with pytest.raises(ValueError, match="NaN"):
        coppice.TreeDistribution(np.full((3, 3), np.nan), root="any")
    with pytest.raises(ValueError, match="count is -1"):
        distribution.sample(-1, seed=1)


def test_no_samples(root):
    distribution = coppice.TreeDistribution(random_scores(4, seed=2), root=root)
    for distinct in (False, True):
        assert distribution.sample(0, seed=1, distinct=distinct).shape == (0, 3)


@pytest.mark.parametrize("mask", [-1e4, -1e9, -1e12, -1e15, -1e300])
def test_finite_masks(mask):
    scores = np.array([[0, 0.3, mask], [0, 0, 0.5], [0, mask, 0]])
    distribution = coppice.TreeDistribution(scores, root="single")
    assert distribution.log_partition == pytest.approx(0.8, rel=1e-15)
    assert distribution.log_prob([0, 1]) == pytest.approx(0, abs=1e-15)
    assert distribution.entropy() == pytest.approx(0, abs=1e-15)
    assert [item.covered for item in distribution.most_likely(0.5)] == [1.0]


def test_constraints_and_multigraphs():
    """Among the trees that are allowed, and with parallel edges told apart."""
    rng = np.random.default_rng(5)
    scores = rng.normal(size=(5, 5))
    for root in ("any", "single"):
        some = {"root": root, "required": [(3, 2)], "forbidden": [(0, 1)]}
        distribution = coppice.TreeDistribution(scores, **some)
        trees, probabilities = distribution.kbest(10_000)
        assert probabilities.sum() == pytest.approx(1)
        assert len(trees) == len(coppice.kbest(scores, 10_000, **some))
        assert set(distribution.sample(50, seed=1)[:, 1]) == {3}
        assert distribution.marginals()[3, 2] == pytest.approx(1)
        assert distribution.marginals()[0, 1] == 0
    sources, targets = [0, 0, 1, 0, 2, 2], [1, 1, 2, 2, 1, 1]
    graph = coppice.Multigraph(sources, targets, rng.normal(size=6))
    distribution = coppice.TreeDistribution(graph, root="any", forbidden_edges=[5])
    trees, probabilities = distribution.kbest(100)
    assert len(trees) == 2 * 2 + 1  # each of two edges 0 -> 1 with 1 -> 2 or 0 -> 2; 0 -> 2 -> 1
    assert probabilities.sum() == pytest.approx(1)
    assert distribution.log_partition == pytest.approx(np.log(np.exp(trees.scores).sum()))
    assert sum(item.probability for item in distribution.most_likely(1.0)) == pytest.approx(1)


def labelled_trees(scores, label_scores, root):
    """Every tree with every choice of labels: probability, heads, labels."""
    words = range(1, len(scores))
    found = []
    for score, heads in brute_force(scores, root):
        for labels in itertools.product(range(label_scores.shape[2]), repeat=len(scores) - 1):
            parts = zip(heads, words, labels, strict=True)
            found.append((score + sum(label_scores[arc] for arc in parts), heads, labels))
    weights = np.exp([score for score, _, _ in found])
    return [(w, h, ls) for w, (_, h, ls) in zip(weights / weights.sum(), found, strict=True)]


def test_labelled_graphs(root):
    random = np.random.default_rng(4)
    scores = random.normal(size=(4, 4))
    label_scores = random.normal(size=(4, 4, 2)).astype(np.float32)
    trees = labelled_trees(scores, label_scores.astype(np.float64), root)
    expected = np.zeros((4, 4, 2))
    for probability, heads, labels in trees:
        expected[list(heads), [1, 2, 3], list(labels)] += probability
    distribution = coppice.TreeDistribution(scores, root=root, label_scores=label_scores)
    np.testing.assert_allclose(distribution.label_marginals(), expected, atol=1e-12)
    np.testing.assert_allclose(distribution.marginals(), expected.sum(2), atol=1e-12)
    turned = coppice.TreeDistribution(
        scores.T, root=root, axes="dep,head", label_scores=label_scores.swapaxes(0, 1)
    )
    np.testing.assert_allclose(turned.label_marginals(), expected.swapaxes(0, 1), atol=1e-12)

    risk = distribution.min_risk(labelled=True)
    gains = [expected[list(h), [1, 2, 3], list(ls)].sum() for _, h, ls in trees]
    assert risk.expected_correct == pytest.approx(max(gains))
    assert expected[risk.heads, [1, 2, 3], risk.labels].sum() == pytest.approx(max(gains))

    samples = distribution.samples(2000, seed=1)
    assert samples.edges is None
    drawn = np.zeros((4, 4, 2))
    np.add.at(drawn, (samples.heads, [1, 2, 3], samples.labels), 1 / 2000)
    np.testing.assert_allclose(drawn, expected, atol=0.06)
    np.testing.assert_array_equal(samples.heads, distribution.sample(2000, seed=1))
    with pytest.raises(ValueError, match="Multigraph"):
        distribution.edge_marginals()
    with pytest.raises(ValueError, match="label_scores"):
        coppice.TreeDistribution(scores, root=root).label_marginals()


@pytest.mark.parametrize("root", ["any", "single"])
def test_labelled_trees_one_by_one(root):
    random = np.random.default_rng(3)
    scores = random.normal(size=(4, 4))
    label_scores = random.normal(size=(4, 4, 2)).astype(np.float32)
    trees = labelled_trees(scores, label_scores.astype(np.float64), root)
    expected = {(tuple(heads), tuple(labels)): p for p, heads, labels in trees}
    distribution = coppice.TreeDistribution(scores, root=root, label_scores=label_scores)

    result, probabilities = distribution.kbest(1000)
    assert len(result) == len(expected)
    for tree, probability in zip(result, probabilities, strict=True):
        assert probability == pytest.approx(expected[tuple(tree.heads), tuple(tree.labels)])
    np.testing.assert_array_equal(np.exp(distribution.log_prob(result)), probabilities)
    result.labels[0, 1] = 2
    assert distribution.log_prob(result)[0] == -np.inf

    likely = list(distribution.most_likely(0.9))
    assert 1 < len(likely) < len(expected)
    for tree, probability, _ in likely:
        assert tree.edges is None
        assert probability == pytest.approx(expected[tuple(tree.heads), tuple(tree.labels)])


def test_the_same_label_twice():
    distribution = coppice.TreeDistribution(
        np.zeros((2, 2)),
        root="any",
        label_scores=np.zeros((2, 2, 3)),
        label_ids=np.zeros((2, 2, 3), np.int32),
    )
    result, probabilities = distribution.kbest(3)
    np.testing.assert_allclose(probabilities, [1 / 3] * 3)
    with pytest.raises(ValueError, match="0 -> 1 has several choices of label 0"):
        distribution.log_prob(result)


@pytest.mark.parametrize("head", [2**32, -(2**32), 3, -1])
def test_heads_that_are_no_node(head):
    distribution = coppice.TreeDistribution(np.zeros((3, 3)), root="any")
    for ask in (distribution.log_prob, distribution.expected_correct):
        with pytest.raises(ValueError, match=f"head of 2 is {head}, not a node 0..2"):
            ask([[0, 0], [0, head]])


def test_edges_of_a_multigraph():
    graph = coppice.Multigraph([0, 1, 1], [1, 2, 2], np.log([1.0, 1.0, 3.0]))
    distribution = coppice.TreeDistribution(graph, root="any")
    np.testing.assert_allclose(distribution.edge_marginals(), [1, 0.25, 0.75])
    assert distribution.min_risk(labelled=True).edges.tolist() == [0, 2]
    assert distribution.min_risk(labelled=True).expected_correct == pytest.approx(1.75)
    assert distribution.min_risk().expected_correct == pytest.approx(2)
    edges = distribution.samples(1000, seed=1).edges
    assert set(edges[:, 0]) == {0}
    assert np.mean(edges[:, 1] == 2) == pytest.approx(0.75, abs=0.06)


def is_projective(heads):
    arcs = [sorted((head, word)) for word, head in enumerate(heads, 1)]
    return not any(a < c < b < d for (a, b) in arcs for (c, d) in arcs)


def test_legal_trees(root):
    scores = random_scores(5, 2)
    trees = brute_force(scores, root)
    weights = np.exp([score for score, _ in trees])
    legal = np.array([is_projective(heads) for _, heads in trees])
    probability = weights[legal].sum() / weights.sum()
    distribution = coppice.TreeDistribution(scores, root=root)
    found = distribution.sample_legal([coppice.rules.projective()], seed=1, draws=4000)
    assert found.drawn == 4000
    assert found.rate == pytest.approx(probability, abs=5 * found.standard_error)
    assert all(is_projective(heads) for heads in found.heads)
    few = distribution.sample_legal([coppice.rules.projective()], 7, seed=1)
    np.testing.assert_array_equal(few.heads, found.heads[:7])

    label_scores = np.zeros((5, 5, 2), np.float32)
    labelled = coppice.TreeDistribution(scores, root=root, label_scores=label_scores)
    facts = coppice.rules.Facts(label_names=("nsubj", "dep"), tags=("NOUN",) * 4)
    once = labelled.sample_legal([coppice.rules.at_most(1, ["nsubj"])], 20, seed=1, facts=facts)
    assert len(once.heads) == 20
    for heads, labels in zip(once.heads, once.labels, strict=True):
        subjects = heads[labels == 0]
        assert len(set(subjects)) == len(subjects)


def test_seeds():
    sure = coppice.TreeDistribution(random_scores(6, 1), root="any")
    for seed in ("a", 1.5, [1]):
        for draw in (sure.sample, sure.samples):
            with pytest.raises(TypeError, match=r"seed is .*; must be an integer"):
                draw(3, seed=seed)
        with pytest.raises(TypeError, match=r"seed is .*; must be an integer"):
            sure.sample_where(lambda _: True, 3, seed=seed)
        with pytest.raises(TypeError, match=r"seed is .*; must be an integer"):
            sure.sample_legal([], 3, seed=seed)
    assert (sure.sample(9, seed=np.int64(7)) == sure.sample(9, seed=7)).all()
    assert (sure.sample(9, seed=-1) == sure.sample(9, seed=2**64 - 1)).all()
    assert not (sure.sample(99, seed=None) == sure.sample(99, seed=None)).all()
    assert len(sure.sample_where(lambda _: True, 200, seed=None).heads) == 200


def test_probabilities_of_one_tree():
    scores = random_scores(4, 1)
    graph = coppice.Multigraph([0, 0, 1], [1, 1, 2], [0.5, 1.0, 2.0])
    labels = random_scores(4 * 4 * 2, 2)[0].reshape(4, 4, 2)
    for sure in [
        coppice.TreeDistribution(scores, root="any"),
        coppice.TreeDistribution(graph, root="any"),
        coppice.TreeDistribution(scores, root="any", label_scores=labels),
    ]:
        result, probabilities = sure.kbest(2)
        for tree, probability in zip(result, probabilities, strict=True):
            assert np.exp(sure.log_prob(tree)) == pytest.approx(probability)
        assert sure.expected_correct(result[1]) == sure.expected_correct(result.heads[1])
        risk = sure.min_risk(labelled=sure._source.edge_labels is not None)
        assert sure.log_prob(risk) == pytest.approx(risk.score - sure.log_partition)
