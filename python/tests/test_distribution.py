import itertools
import pickle

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
    assert distribution.expected_correct(risk) == pytest.approx(max(expected))
    assert distribution.expected_correct(risk.heads) == pytest.approx(max(expected))
    assert risk.gap == pytest.approx(trees[0][0] - risk.score)

    result = distribution.kbest(4)
    assert (result.heads == all_heads[:4]).all()
    np.testing.assert_allclose(result.probabilities, probabilities[:4])
    of_heads = [marginals[heads, np.arange(1, len(scores))] for heads in all_heads[:4]]
    np.testing.assert_allclose(result.head_probabilities, of_heads)


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

    def first_from_root(tree):
        return tree.heads[0] == 0

    first = coppice.Constraints(rules=[first_from_root])
    found = distribution.sample(200, seed=1, constraints=first)
    assert len(found.heads) == 200
    assert (found.heads[:, 0] == 0).all()
    exact = distribution.marginals()[0, 1]
    assert abs(found.rate - exact) < 5 * found.standard_error + 0.02
    few = distribution.sample(200, seed=1, constraints=first, draws=20)
    assert few.drawn == 20
    nothing = coppice.Constraints(rules=[lambda tree: False])
    never = distribution.sample(3, seed=1, constraints=nothing, draws=100)
    assert never.heads.shape == (0, 4)
    assert never.rate == 0


def test_most_likely(root):
    distribution = coppice.TreeDistribution(random_scores(5, seed=1) * 3, root=root)
    found = distribution.kbest(mass=0.9)
    covered = found.probabilities.cumsum()
    assert covered[-1] >= 0.9
    assert (covered[:-1] < 0.9).all()
    assert found == distribution.kbest(len(found))
    assert found[:2] == distribution.kbest(2, mass=0.9)
    with pytest.raises(ValueError, match="mass"):
        distribution.kbest(mass=1.5)
    with pytest.raises(ValueError, match="k"):
        distribution.kbest()


def test_samples(root):
    scores = random_scores(4, seed=2)
    trees = brute_force(scores, root)
    distribution = coppice.TreeDistribution(scores, root=root)
    count = 20_000
    drawn = distribution.sample(count, seed=1)
    assert drawn == distribution.sample(count, seed=1)
    assert drawn.drawn == count
    samples = drawn.heads
    assert samples.shape == (count, 3)
    assert (samples[:10] == distribution.sample(10, seed=1).heads).all()
    found = {heads: 0 for _, heads in trees}
    for heads in map(tuple, samples.tolist()):
        found[heads] += 1
    expected = count * np.exp(distribution.log_prob([heads for _, heads in trees]))
    chi_square = ((np.array(list(found.values())) - expected) ** 2 / expected).sum()
    assert chi_square < 2 * len(trees) + 20

    distinct = distribution.sample(1000, seed=3, distinct=True).heads
    assert sorted(map(tuple, distinct.tolist())) == sorted(heads for _, heads in trees)


def test_no_tree(root):
    distribution = coppice.TreeDistribution(np.full((3, 3), -np.inf), root=root)
    assert distribution.log_partition == -np.inf
    assert distribution.min_risk() is None
    assert distribution.sample(3, seed=0).heads.shape == (0, 2)
    assert len(distribution.kbest(mass=0.5)) == 0


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
    probabilities = result.list_probabilities()
    weights = np.exp(result.scores)
    np.testing.assert_allclose(probabilities, weights / weights.sum())
    shared = (result.heads[:, None] == result.heads[None]).sum(axis=2)
    np.testing.assert_allclose(result.expected_attachment(), shared @ probabilities)


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
        assert distribution.sample(0, seed=1, distinct=distinct).heads.shape == (0, 3)


@pytest.mark.parametrize("mask", [-1e4, -1e9, -1e12, -1e15, -1e300])
def test_finite_masks(mask):
    scores = np.array([[0, 0.3, mask], [0, 0, 0.5], [0, mask, 0]])
    distribution = coppice.TreeDistribution(scores, root="single")
    assert distribution.log_partition == pytest.approx(0.8, rel=1e-15)
    assert distribution.log_prob([0, 1]) == pytest.approx(0, abs=1e-15)
    assert distribution.entropy() == pytest.approx(0, abs=1e-15)
    assert distribution.kbest(mass=0.5).probabilities.tolist() == [1.0]


def test_constraints_and_multigraphs():
    """Among the trees that are allowed, and with parallel edges told apart."""
    rng = np.random.default_rng(5)
    scores = rng.normal(size=(5, 5))
    for root in ("any", "single"):
        meant = coppice.Constraints(required=[(3, 2)], forbidden=[(0, 1)])
        some = {"root": root, "constraints": meant}
        distribution = coppice.TreeDistribution(scores, **some)
        trees = distribution.kbest(10_000)
        assert trees.probabilities.sum() == pytest.approx(1)
        assert len(trees) == len(coppice.kbest(scores, 10_000, **some))
        assert set(distribution.sample(50, seed=1).heads[:, 1]) == {3}
        assert distribution.marginals()[3, 2] == pytest.approx(1)
        assert distribution.marginals()[0, 1] == 0
    sources, targets = [0, 0, 1, 0, 2, 2], [1, 1, 2, 2, 1, 1]
    graph = coppice.Multigraph(sources, targets, rng.normal(size=6))
    distribution = coppice.TreeDistribution(
        graph, root="any", constraints=coppice.Constraints(forbidden_edges=[5])
    )
    trees = distribution.kbest(100)
    assert len(trees) == 2 * 2 + 1  # each of two edges 0 -> 1 with 1 -> 2 or 0 -> 2; 0 -> 2 -> 1
    assert trees.probabilities.sum() == pytest.approx(1)
    assert distribution.log_partition == pytest.approx(np.log(np.exp(trees.scores).sum()))
    assert distribution.kbest(mass=1.0) == trees


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
    distribution = coppice.TreeDistribution(scores, root=root, labels=label_scores)
    np.testing.assert_allclose(distribution.label_marginals(), expected, atol=1e-12)
    np.testing.assert_allclose(distribution.marginals(), expected.sum(2), atol=1e-12)
    turned = coppice.TreeDistribution(
        scores.T, root=root, axes="dep,head", labels=label_scores.swapaxes(0, 1)
    )
    np.testing.assert_allclose(turned.label_marginals(), expected.swapaxes(0, 1), atol=1e-12)

    risk = distribution.min_risk(labelled=True)
    gains = [expected[list(h), [1, 2, 3], list(ls)].sum() for _, h, ls in trees]
    assert distribution.expected_correct(risk, labelled=True) == pytest.approx(max(gains))
    assert expected[risk.heads, [1, 2, 3], risk.labels].sum() == pytest.approx(max(gains))

    samples = distribution.sample(2000, seed=1)
    assert samples.edges is None
    drawn = np.zeros((4, 4, 2))
    np.add.at(drawn, (samples.heads, [1, 2, 3], samples.labels), 1 / 2000)
    np.testing.assert_allclose(drawn, expected, atol=0.06)
    with pytest.raises(ValueError, match="Multigraph"):
        distribution.edge_marginals()
    with pytest.raises(ValueError, match="labels="):
        coppice.TreeDistribution(scores, root=root).label_marginals()


@pytest.mark.parametrize("root", ["any", "single"])
def test_labelled_trees_one_by_one(root):
    random = np.random.default_rng(3)
    scores = random.normal(size=(4, 4))
    label_scores = random.normal(size=(4, 4, 2)).astype(np.float32)
    trees = labelled_trees(scores, label_scores.astype(np.float64), root)
    expected = {(tuple(heads), tuple(labels)): p for p, heads, labels in trees}
    distribution = coppice.TreeDistribution(scores, root=root, labels=label_scores)

    result = distribution.kbest(1000)
    assert len(result) == len(expected)
    for tree, probability in zip(result, result.probabilities, strict=True):
        assert probability == pytest.approx(expected[tuple(tree.heads), tuple(tree.labels)])
    np.testing.assert_allclose(np.exp(distribution.log_prob(result)), result.probabilities)
    unknown = result.labels.copy()
    unknown[0, 1] = 2
    changed = coppice.KBestResult(result.heads, result.scores, labels=unknown)
    assert distribution.log_prob(changed)[0] == -np.inf

    likely = distribution.kbest(mass=0.9)
    assert 1 < len(likely) < len(expected)
    assert likely.edges is None


def test_the_same_label_twice():
    distribution = coppice.TreeDistribution(
        np.zeros((2, 2)),
        root="any",
        labels=coppice.Labels(np.zeros((2, 2, 3)), np.zeros((2, 2, 3), np.int32)),
    )
    result = distribution.kbest(3)
    np.testing.assert_allclose(result.probabilities, [1 / 3] * 3)
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
    risk = distribution.min_risk(labelled=True)
    assert risk.edges.tolist() == [0, 2]
    assert distribution.expected_correct(risk, labelled=True) == pytest.approx(1.75)
    assert distribution.expected_correct(distribution.min_risk()) == pytest.approx(2)
    with pytest.raises(ValueError, match="labelled"):
        distribution.expected_correct([0, 1], labelled=True)
    edges = distribution.sample(1000, seed=1).edges
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
    found = distribution.sample(
        seed=1, draws=4000, constraints=coppice.Constraints(rules=[coppice.rules.projective()])
    )
    assert found.drawn == 4000
    assert found.rate == pytest.approx(probability, abs=5 * found.standard_error)
    assert all(is_projective(heads) for heads in found.heads)
    few = distribution.sample(
        7, seed=1, constraints=coppice.Constraints(rules=[coppice.rules.projective()])
    )
    np.testing.assert_array_equal(few.heads, found.heads[:7])

    label_scores = np.zeros((5, 5, 2), np.float32)
    labelled = coppice.TreeDistribution(scores, root=root, labels=label_scores)
    facts = coppice.rules.Facts(label_names=("nsubj", "dep"), tags=("NOUN",) * 4)
    once = labelled.sample(
        20,
        seed=1,
        constraints=coppice.Constraints(rules=[coppice.rules.at_most(1, ["nsubj"])], facts=facts),
    )
    assert len(once.heads) == 20
    for heads, labels in zip(once.heads, once.labels, strict=True):
        subjects = heads[labels == 0]
        assert len(set(subjects)) == len(subjects)


def test_seeds():
    sure = coppice.TreeDistribution(random_scores(6, 1), root="any")
    every = coppice.Constraints(rules=[lambda _: True])
    for seed in ("a", 1.5, [1]):
        for constraints in (None, every):
            with pytest.raises(TypeError, match=r"seed is .*; must be an integer"):
                sure.sample(3, seed=seed, constraints=constraints)
    assert sure.sample(9, seed=np.int64(7)) == sure.sample(9, seed=7)
    assert sure.sample(9, seed=-1) == sure.sample(9, seed=2**64 - 1)
    assert sure.sample(99, seed=None) != sure.sample(99, seed=None)
    assert len(sure.sample(200, seed=None, constraints=every).heads) == 200


def test_what_sample_cannot_do():
    sure = coppice.TreeDistribution(random_scores(6, 1), root="any")
    every = coppice.Constraints(rules=[lambda _: True])
    with pytest.raises(ValueError, match="count is None"):
        sure.sample(seed=1)
    with pytest.raises(ValueError, match="distinct"):
        sure.sample(3, seed=1, distinct=True, constraints=every)
    for other in (coppice.Constraints(required=[(0, 1)]), coppice.Constraints(budget=3)):
        with pytest.raises(ValueError, match="sample takes rules"):
            sure.sample(3, seed=1, constraints=other)
    with pytest.raises(ValueError, match="TreeDistribution takes no rules"):
        coppice.TreeDistribution(np.zeros((3, 3)), root="any", constraints=every)


def test_distributions_can_be_pickled():
    scores = random_scores(5, 1)
    meant = coppice.Constraints(required=[(3, 2)])
    for sure in (
        coppice.TreeDistribution(scores, root="single", constraints=meant),
        coppice.TreeDistribution(scores, root="any", axes="dep,head", temperature=2),
        coppice.TreeDistribution(scores, root="any", labels=random_scores(5, 2)[..., None]),
        coppice.TreeDistribution(
            coppice.Multigraph.from_edges([("a", "b", 1), ("b", "a", 2)]), root="any"
        ),
    ):
        again = pickle.loads(pickle.dumps(sure))
        assert again.log_partition == sure.log_partition
        assert again.kbest(5) == sure.kbest(5)
        assert (again.marginals() == sure.marginals()).all()


def test_probabilities_of_one_tree():
    scores = random_scores(4, 1)
    graph = coppice.Multigraph([0, 0, 1], [1, 1, 2], [0.5, 1.0, 2.0])
    labels = random_scores(4 * 4 * 2, 2)[0].reshape(4, 4, 2)
    for sure in [
        coppice.TreeDistribution(scores, root="any"),
        coppice.TreeDistribution(graph, root="any"),
        coppice.TreeDistribution(scores, root="any", labels=labels),
    ]:
        result = sure.kbest(2)
        for tree, probability in zip(result, result.probabilities, strict=True):
            assert np.exp(sure.log_prob(tree)) == pytest.approx(probability)
        assert sure.expected_correct(result[1]) == sure.expected_correct(result.heads[1])
        risk = sure.min_risk(labelled=sure._source.edge_labels is not None)
        assert sure.log_prob(risk) == pytest.approx(risk.score - sure.log_partition)
