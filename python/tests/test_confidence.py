"""How sure trees, heads and labels are: against sums over all trees; temperature."""

import itertools
import json

import numpy as np
import pytest

import coppice
from support import brute_force, padded, random_scores

CONLLU = """# newdoc
# sent_id = s7
# text = abc d
1-2\tabc\t_\t_\t_\t_\t_\t_\t_\t_
1\tab\tab\tNOUN\tNN\tNumber=Sing\t_\t_\t_\t_
2\tc\tc\tVERB\tVB\t_\t_\t_\t_\tSpaceAfter=No
3\td\td\tPUNCT\t.\t_\t_\t_\t_\t_

"""


def labelled_truth(scores, label_scores, root):
    """Weight of every labelled tree."""
    words, labels = len(scores) - 1, label_scores.shape[-1]
    found = {}
    for score, heads in brute_force(scores, root):
        for names in itertools.product(range(labels), repeat=words):
            pairs = zip(heads, names, strict=True)
            own = [label_scores[h, d, name] for d, (h, name) in enumerate(pairs, 1)]
            found[heads, names] = np.exp(score + sum(own))
    return found


def check(result, truth):
    """`truth`: (heads, labels) -> weight."""
    total = sum(truth.values())
    for rank, tree in enumerate(result):
        heads = tuple(tree.heads.tolist())
        names = None if tree.labels is None else tuple(tree.labels.tolist())
        assert result.probabilities[rank] == pytest.approx(truth[heads, names] / total)
        for word, head in enumerate(heads):
            mass = {}
            for (others, _), weight in truth.items():
                mass[others[word]] = mass.get(others[word], 0) + weight / total
            assert result.head_probabilities[rank, word] == pytest.approx(mass[head])
            if names is not None:
                both = sum(
                    weight
                    for (others, tags), weight in truth.items()
                    if (others[word], tags[word]) == (head, names[word])
                )
                expected = both / total / mass[head]
                assert result.label_probabilities[rank, word] == pytest.approx(expected)
            del mass[head]
            other = max(mass, key=mass.get, default=-1)
            assert result.other_heads[rank, word] == other
            assert result.other_head_probabilities[rank, word] == pytest.approx(mass.get(other, 0))


def test_against_all_trees(root):
    for seed in range(3):
        scores = random_scores(5, seed)
        truth = {(heads, None): np.exp(score) for score, heads in brute_force(scores, root)}
        result = coppice.kbest(scores, 6, root=root, probabilities=True)
        assert result.label_probabilities is None
        check(result, truth)
        check(coppice.kbest(scores.T, 6, root=root, axes="dep,head", probabilities=True), truth)
        check(result[2:4], truth)


def test_labels_against_all_trees(root):
    for seed in range(3):
        scores = random_scores(4, seed)
        labels = np.random.default_rng(seed).normal(size=(4, 4, 2)).astype(np.float32)
        truth = labelled_truth(scores, labels, root)
        check(coppice.kbest(scores, 9, root=root, labels=labels, probabilities=True), truth)


def test_batches(root):
    sentences = [random_scores(nodes, nodes) for nodes in (5, 2, 4)]
    labels = [np.random.default_rng(7).normal(size=(*each.shape, 3)) for each in sentences]
    for with_labels in (False, True):
        options = {"root": root, "probabilities": True}
        single = [
            coppice.kbest(each, 3, labels=own if with_labels else None, **options)
            for each, own in zip(sentences, labels, strict=True)
        ]
        wide = np.zeros((3, 5, 5, 3))
        for layer, own in zip(wide, labels, strict=True):
            layer[: len(own), : len(own)] = own
        listed = coppice.kbest_batch(
            sentences, 3, labels=labels if with_labels else None, threads=2, **options
        )
        one_array = coppice.kbest_batch(
            padded(sentences), 3, lengths=[4, 1, 3], labels=wide if with_labels else None, **options
        )
        for batch in (listed, one_array):
            for i, (mine, theirs) in enumerate(zip(batch, single, strict=True)):
                np.testing.assert_allclose(mine.probabilities, theirs.probabilities)
                np.testing.assert_allclose(mine.head_probabilities, theirs.head_probabilities)
                assert (mine.other_heads == theirs.other_heads).all()
                if with_labels:
                    np.testing.assert_allclose(mine.label_probabilities, theirs.label_probabilities)
                count, words = theirs.heads.shape
                assert (batch.probabilities[i, count:] == 0).all()
                assert (batch.head_probabilities[i, :, words:] == 0).all()
                np.testing.assert_array_equal(
                    batch.head_probabilities[i, :count, :words], mine.head_probabilities
                )
        assert (listed.head_probabilities == one_array.head_probabilities).all()


def test_constraints_multigraphs_errors():
    scores = random_scores(4, 3)
    result = coppice.kbest(
        scores,
        5,
        root="any",
        constraints=coppice.Constraints(required=[(1, 2)]),
        probabilities=True,
    )
    np.testing.assert_allclose(result.head_probabilities[:, 1], 1)
    graph = coppice.Multigraph([0, 0, 0], [1, 1, 1], [0.0, 0.0, np.log(2)])
    edges = coppice.kbest(graph, 3, root="any", probabilities=True)
    np.testing.assert_allclose(edges.probabilities, [0.5, 0.25, 0.25])
    np.testing.assert_allclose(edges.label_probabilities[:, 0], [0.5, 0.25, 0.25])
    with pytest.raises(ValueError, match="probabilities=True"):
        _ = coppice.kbest(scores, 2, root="any").probabilities
    with pytest.raises(ValueError, match="probabilities=True"):
        _ = coppice.kbest_batch([scores], 2, root="any").head_probabilities
    for call in (coppice.kbest, lambda s, *a, **o: coppice.kbest_batch([s], *a, **o)):
        with pytest.raises(ValueError, match="minimize"):
            call(scores, 2, root="any", minimize=True, probabilities=True)
    nothing = coppice.kbest(np.full((3, 3), -np.inf), 2, root="any", probabilities=True)
    assert nothing.best is None
    assert nothing.probabilities.shape == (0,)
    assert nothing.head_probabilities.shape == (0, 2)


def test_conllu_page_and_frame():
    pytest.importorskip("pandas")
    scores = random_scores(4, 1)
    labels = np.random.default_rng(1).normal(size=(4, 4, 2))
    result = coppice.kbest(scores, 2, root="single", labels=labels, probabilities=True)
    shown = result.annotate(conllu=CONLLU, label_names=["dep", "obj"])
    text = shown.to_conllu(highlight=0.9)
    assert text.startswith("# newdoc\n# sent_id = s7\n# kbest_rank = 1\n# kbest_score = ")
    lines = text.splitlines()
    sure = shown.head_probabilities[0]
    unsure = " ".join(str(i) for i in range(1, 4) if sure[i - 1] < 0.9)
    assert f"# highlight tokens = {unsure}" in lines
    assert "1-2\tabc\t_\t_\t_\t_\t_\t_\t_\t_" in lines
    columns = next(line for line in lines if line.startswith("2\t")).split("\t")
    assert columns[:6] == ["2", "c", "c", "VERB", "VB", "_"]
    misc = dict(item.split("=") for item in columns[9].split("|"))
    assert misc["SpaceAfter"] == "No"
    assert float(misc["HeadProbability"]) == pytest.approx(sure[1], abs=6e-5)
    assert float(misc["LabelProbability"]) == pytest.approx(
        shown.label_probabilities[0, 1], abs=6e-5
    )
    head, value = misc["OtherHead"].split(":")
    assert int(head) == shown.other_heads[0, 1]
    assert float(value) == pytest.approx(shown.other_head_probabilities[0, 1], abs=6e-5)
    assert "kbest_probability" not in coppice.kbest(scores, 1, root="single").to_conllu()
    frame = shown.to_frame()
    assert len(frame) == 6
    assert frame["form"].tolist() == ["ab", "c", "d"] * 2
    assert frame["rank"].tolist() == [1, 1, 1, 2, 2, 2]
    assert set(frame["label"]) <= {"dep", "obj"}
    np.testing.assert_allclose(frame["head_probability"], shown.head_probabilities.ravel())
    assert "s7" in shown.to_html()
    for bad, message in (("", "no sentence"), (CONLLU * 2, "more than one"), ("x", "ten columns")):
        with pytest.raises(ValueError, match=message):
            result.annotate(conllu=bad)
    with pytest.raises(ValueError, match="entries for 3 words"):
        result.annotate(conllu=CONLLU.replace("3\td\td\tPUNCT\t.\t_\t_\t_\t_\t_\n", ""))


def test_temperature_divides(root, tmp_path):
    scores = random_scores(5, 11)
    labels = np.random.default_rng(1).normal(size=(5, 5, 2)).astype(np.float32)
    two = coppice.Temperature(2.0, 4.0)
    two.save(tmp_path / "t.json")
    assert coppice.Temperature.load(tmp_path / "t.json") == two
    expected = coppice.kbest(scores / 2, 7, root=root, labels=labels / 4, probabilities=True)
    for temperature in (two, tmp_path / "t.json", str(tmp_path / "t.json")):
        options = {"root": root, "labels": labels, "temperature": temperature}
        assert coppice.TreeDistribution(scores, **options).log_partition == pytest.approx(
            coppice.TreeDistribution(scores / 2, root=root, labels=labels / 4).log_partition
        )
    found = coppice.kbest(scores, 7, root=root, labels=labels, probabilities=two)
    assert (found.heads == expected.heads).all()
    np.testing.assert_allclose(found.probabilities, expected.probabilities)
    batch = coppice.kbest_batch([scores], 7, root=root, labels=[labels], probabilities=two)
    np.testing.assert_allclose(batch.scores[0], found.scores)
    plain = coppice.distribution_batch([scores / 3], root=root)
    tempered = coppice.distribution_batch([scores], root=root, temperature=3)
    np.testing.assert_allclose(tempered.marginals, plain.marginals)
    four, eight = coppice.Temperature(4.0), coppice.Temperature(8.0)
    integers = coppice.kbest([[0, 9, 10], [0, 0, 20], [0, 30, 0]], 2, root=root, probabilities=four)
    assert integers.scores[0] == 10
    graph = coppice.Multigraph([0, 0], [1, 1], [4, 8])
    assert coppice.kbest(graph, 2, root=root, probabilities=eight).scores.tolist() == [1, 0.5]


def test_bad_temperatures(tmp_path):
    for bad in (0, -1, 1e-320, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="must be a number from 1e-30 to 1e30"):
            coppice.TreeDistribution(np.zeros((2, 2)), root="any", temperature=bad)
    with pytest.raises(TypeError, match="need a number"):
        coppice.TreeDistribution(np.zeros((2, 2)), root="any", temperature=[1])
    for wrong in (2, 0.5, "temperature.json", [1]):
        with pytest.raises(TypeError, match="need True or a"):
            coppice.kbest(np.zeros((2, 2)), 1, root="any", probabilities=wrong)
    for text in ("{", "[]", json.dumps({"arcs": 1})):
        (tmp_path / "bad.json").write_text(text)
        with pytest.raises(ValueError, match=r"bad\.json"):
            coppice.Temperature.load(tmp_path / "bad.json")


def drawn(count, sharpness, seed, labels=0):
    """Sentences whose gold trees are drawn at a known temperature."""
    rng = np.random.default_rng(seed)
    scores, gold, label_scores, gold_labels = [], [], [], []
    for i in range(count):
        nodes = int(rng.integers(4, 9))
        scores.append(rng.normal(size=(nodes, nodes)) * 3)
        own = rng.normal(size=(nodes, nodes, max(labels, 1))).astype(np.float32) * 3
        label_scores.append(own)
        distribution = coppice.TreeDistribution(
            scores[-1] * sharpness[0], root="single", labels=own * sharpness[1] if labels else None
        )
        sample = distribution.sample(1, seed=i)
        gold.append(sample.heads[0])
        gold_labels.append(sample.labels[0] if labels else None)
    return scores, gold, label_scores, gold_labels


def test_calibrate_finds_the_temperature():
    scores, gold, *_ = drawn(400, (0.5, 1), 1)
    found = coppice.Temperature.calibrate(scores, gold, root="single")
    assert found.arcs == pytest.approx(2.0, rel=0.15)
    assert found.labels == 1.0
    assert found.loss_after < found.loss_before
    # No other temperature is better.
    for factor in (0.99, 1.01):
        assert loss(scores, gold, found.arcs * factor) > found.loss_after
    assert loss(scores, gold, found.arcs) == pytest.approx(found.loss_after)
    assert loss(scores, gold, 1.0) == pytest.approx(found.loss_before)
    # The forms in which scores and heads come.
    lengths = [len(heads) for heads in gold]
    forms = (
        (padded([s.T for s in scores]), np.concatenate(gold), "dep,head"),
        (np.concatenate([s.ravel() for s in scores]), gold, "head,dep"),
    )
    for array, heads, axes in forms:
        again = coppice.Temperature.calibrate(
            array, heads, lengths=lengths, root="single", axes=axes
        )
        assert again.arcs == pytest.approx(found.arcs, rel=1e-3)


def loss(scores, gold, temperature):
    total = 0.0
    for matrix, heads in zip(scores, gold, strict=True):
        distribution = coppice.TreeDistribution(matrix, root="single", temperature=temperature)
        total -= distribution.log_prob(heads)
    return total / sum(map(len, gold))


def test_calibrate_with_labels():
    scores, gold, labels, names = drawn(500, (2.0, 0.5), 2, labels=4)
    options = {"root": "single", "labels": labels, "gold_labels": names}
    found = coppice.Temperature.calibrate(scores, gold, **options)
    assert found.arcs == pytest.approx(0.5, rel=0.2)
    assert found.labels == pytest.approx(2.0, rel=0.15)

    def labelled_loss(temperature):
        total = 0.0
        for matrix, heads, own, tags in zip(scores, gold, labels, names, strict=True):
            distribution = coppice.TreeDistribution(
                matrix, root="single", labels=own, temperature=temperature
            )
            tree = coppice.KBestResult(heads[None], np.zeros(1), labels=tags[None])
            total -= distribution.log_prob(tree)[0]
        return total / sum(map(len, gold))

    assert labelled_loss(found) == pytest.approx(found.loss_after, rel=1e-5)
    for arcs, own in ((1.02, 1), (0.98, 1), (1, 1.02), (1, 0.98)):
        near = coppice.Temperature(found.arcs * arcs, found.labels * own)
        assert labelled_loss(near) > found.loss_after
    # Choices of labels by their numbers, some gold labels not among them.
    ids = [np.broadcast_to(np.array([10, 11, 12, 13]), own.shape) for own in labels]
    moved = [tags + 10 for tags in names]
    same = coppice.Temperature.calibrate(
        scores, gold, root="single", labels=coppice.Labels(labels, ids), gold_labels=moved
    )
    assert same.labels == pytest.approx(found.labels, rel=1e-3)
    moved[0] = moved[0] * 0
    without = coppice.Temperature.calibrate(
        scores, gold, root="single", labels=coppice.Labels(labels, ids), gold_labels=moved
    )
    assert without.labels == pytest.approx(found.labels, rel=0.05)


def test_calibrate_says_what_is_wrong():
    scores = [random_scores(4, 1), random_scores(3, 2)]
    gold = [[2, 0, 2], [0, 1]]
    some = coppice.Temperature.calibrate([*scores, scores[0]], [*gold, [0, 0, 0]], root="single")
    assert some.sentences == 2  # the third has three root edges
    for bad, message in (
        ([[2, 0, 2]], "gold of 1 sentence for 2"),
        ([[2, 0], [0, 1]], "sentence 0: gold is"),
        ([[9, 0, 2], [0, 1]], "no node 0..3"),
        ([[0, 0, 0], [0, 0]], "no gold tree"),
        (np.zeros(4, int), "4 entries for 5 words"),
    ):
        with pytest.raises(ValueError, match=message):
            coppice.Temperature.calibrate(scores, bad, root="single")
    with pytest.raises(ValueError, match="go together"):
        coppice.Temperature.calibrate(scores, gold, root="single", gold_labels=gold)
