"""Promises with a probability: head sets by split-conformal calibration."""

import json
import math
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pytest

import coppice
from support import REPOSITORY

PROGRAM = Path(sysconfig.get_path("scripts")) / "coppice"


def noisy(sentences, words, seed, noise=1.0):
    """Scores, and gold trees that the scores get right now and then."""
    random = np.random.default_rng(seed)
    truth = random.normal(size=(sentences, words + 1, words + 1))
    gold = [coppice.best(each, root="single").heads for each in truth]
    return truth + noise * random.normal(size=truth.shape), gold


def covered(promise, scores, gold, of):
    """The share of gold trees that are within the gap; or, by sentence, of heads in their sets."""
    shares = []
    for matrix, heads in zip(scores, gold, strict=True):
        arcs = heads, np.arange(1, len(heads) + 1)
        sets = promise.head_sets(matrix, of=of)
        if of == "word":
            shares.append(sets[arcs].mean())
            continue
        gap = coppice.best(matrix, root="single").score - matrix[arcs].sum()
        shares.append(gap <= promise.gap + 1e-9)
        assert sets[arcs].all() or not shares[-1]
    return float(np.mean(shares))


@pytest.mark.parametrize("root", ["single", "any"])
def test_sets_of_trees_are_the_heads_of_all_trees_within_the_gap(root):
    scores, gold = noisy(40, 4, 1)
    promise = coppice.Guarantee.calibrate(scores, gold, root=root, coverage=0.7)
    assert 0.0 < promise.gap < math.inf
    for matrix in scores[:10]:
        expected = np.zeros((5, 5), bool)
        for tree in coppice.kbest(matrix, root=root, max_gap=promise.gap):
            expected[tree.heads, np.arange(1, 5)] = True
        np.testing.assert_array_equal(promise.head_sets(matrix), expected)
        turned = promise.head_sets(matrix.T, axes="dep,head")
        np.testing.assert_array_equal(turned, expected.T)


@pytest.mark.parametrize("coverage", [0.6, 0.8, 0.9, 0.95])
def test_the_gap_is_the_smallest_that_covers(coverage):
    scores, gold = noisy(59, 4, 2)
    promise = coppice.Guarantee.calibrate(scores, gold, root="single", coverage=coverage)
    gaps = sorted(
        float(coppice.best(matrix, root="single").score - matrix[heads, np.arange(1, 5)].sum())
        for matrix, heads in zip(scores, gold, strict=True)
    )
    place = math.ceil(60 * coverage)
    assert promise.gap == pytest.approx(max(0.0, gaps[place - 1]), abs=1e-9)


@pytest.mark.parametrize("of", ["tree", "word"])
def test_coverage_over_many_splits(of):
    """Over random splits the mean coverage is what was promised, or up to 1 / (n + 1) more."""
    scores, gold = noisy(120, 5, 3, noise=1.5)
    for coverage in (0.8, 0.9):
        found = []
        for seed in range(30):
            order = np.random.default_rng(seed).permutation(len(scores))
            held_out, new = order[:60], order[60:]
            promise = coppice.Guarantee.calibrate(
                scores[held_out], [gold[i] for i in held_out], root="single", coverage=coverage
            )
            found.append(covered(promise, scores[new], [gold[i] for i in new], of))
        error = np.std(found, ddof=1) / math.sqrt(len(found))
        assert coverage - 2.5 * error <= np.mean(found) <= coverage + 1 / 61 + 2.5 * error + 0.01


def test_the_likeliest_head_is_always_in_the_set_of_a_word():
    scores, gold = noisy(50, 4, 4, noise=0.1)
    promise = coppice.Guarantee.calibrate(scores, gold, root="single", coverage=0.5)
    assert promise.probability == 1.0
    for matrix in scores[:5]:
        likely = coppice.TreeDistribution(matrix, root="single").marginals()
        sets = promise.head_sets(matrix, of="word")
        np.testing.assert_array_equal(sets.argmax(axis=0)[1:], likely.argmax(axis=0)[1:])
        assert sets[:, 1:].sum() == 4


def test_too_few_sentences_promise_nothing():
    scores, gold = noisy(8, 3, 5)
    promise = coppice.Guarantee.calibrate(scores, gold, root="any", coverage=0.95)
    assert promise.gap == math.inf
    assert promise.probability == 0.0
    sets = promise.head_sets(scores[0])
    assert sets[:, 1:].sum() == 3 * 3  # every head but the word itself
    np.testing.assert_array_equal(promise.head_sets(scores[0], of="word"), sets)
    assert not promise.useful()
    assert "too weak" in str(promise)


def test_gold_trees_that_cannot_be_had_count_as_missed():
    scores = np.zeros((9, 3, 3))
    gold = [[0, 1]] * 7 + [[0, 0]] * 2  # two root edges
    promise = coppice.Guarantee.calibrate(scores, gold, root="single", coverage=0.7)
    assert promise.gap == 0.0
    assert coppice.Guarantee.calibrate(scores, gold, root="single", coverage=0.8).gap == math.inf
    cyclic = [[0, 1]] * 8 + [[2, 1]]
    assert coppice.Guarantee.calibrate(scores, cyclic, root="any", coverage=0.9).gap == math.inf


def test_a_sentence_without_a_tree_has_no_heads():
    scores, gold = noisy(20, 2, 6)
    promise = coppice.Guarantee.calibrate(scores, gold, root="any", coverage=0.8)
    nothing = np.full((3, 3), -np.inf)
    assert not promise.head_sets(nothing).any()
    assert not promise.head_sets(nothing, of="word").any()


def test_saved_and_loaded(tmp_path):
    scores, gold = noisy(12, 3, 7)
    for coverage in (0.8, 0.99):  # an infinite gap, too
        promise = coppice.Guarantee.calibrate(
            list(scores), gold, root="single", coverage=coverage, temperature=2.0
        )
        path = tmp_path / "promise.json"
        promise.save(path)
        assert coppice.Guarantee.load(path) == promise
    good = json.loads(path.read_text())
    for key, value, need in (
        ("coverage", 1.5, "between 0 and 1"),
        ("probability", 2, "0 to 1"),
        ("temperature", 0, "a number from 1e-30 to 1e30"),
        ("temperature", 1e-320, "a number from 1e-30 to 1e30"),
        ("sentences", 0, "a whole number above 0"),
        ("sentences", 9.5, "a whole number above 0"),
        ("gap", -1, "0 or more"),
    ):
        path.write_text(json.dumps(good | {key: value}))
        with pytest.raises(ValueError, match=f'"{key}" is {value}; must be {need}'):
            coppice.Guarantee.load(path)
    path.write_text("\ufeff" + json.dumps(good), encoding="utf-8")  # as the program does
    assert coppice.Guarantee.load(path) == promise
    for number in (
        "Infinity",
        "-Infinity",
        "NaN",
        "1e999",
    ):  # no JSON, or none that the program reads
        path.write_text(json.dumps(good | {"gap": 1.5}).replace("1.5", number))
        with pytest.raises(ValueError, match=f"is no JSON: {number} is no finite number"):
            coppice.Guarantee.load(path)
    path.write_text("[" * 90_000)
    with pytest.raises(ValueError, match="is no JSON"):
        coppice.Guarantee.load(path)
    path.write_text(" " * (1 << 20) + "{}")
    with pytest.raises(ValueError, match="larger than 1 MiB"):
        coppice.Guarantee.load(path)
    path.write_text("{}")
    with pytest.raises(ValueError, match='has no "coverage"'):
        coppice.Guarantee.load(path)
    path.write_text('{"coverage": 0.9')
    with pytest.raises(ValueError, match="is no JSON"):
        coppice.Guarantee.load(path)


@pytest.mark.skipif(not PROGRAM.exists(), reason="the package is not installed here")
def test_the_program_gives_the_same_sets(tmp_path):
    scores = REPOSITORY / "data" / "ud-scores" / "English-EWT.npz"
    labels = scores.with_name("English-EWT.labels.npz")
    with np.load(scores) as file:
        lengths, heads = file["lengths"][:120], file["heads"]
        flat = file["scores"][: ((lengths + 1) ** 2).sum()]
    matrices = [
        part.reshape(n + 1, n + 1)
        for part, n in zip(np.split(flat, np.cumsum((lengths + 1) ** 2)[:-1]), lengths, strict=True)
    ]
    gold = np.split(heads[: lengths.sum()], np.cumsum(lengths)[:-1])
    promise = coppice.Guarantee.calibrate(
        matrices[:60], gold[:60], root="single", coverage=0.9, temperature=2.0
    )
    promise.save(tmp_path / "promise.json")
    command = [PROGRAM, "confidence", scores, "--limit", "120", "-o", tmp_path / "sure.conllu"]
    # What is done to scores and labels does not change what was calibrated.
    more = ["--guarantee", tmp_path / "promise.json", "--temperature", "3", "--labels", labels]
    said = subprocess.run([*command, *more, "--json"], capture_output=True, check=True)
    sets = [[promise.head_sets(each, of=of) for each in matrices] for of in ("tree", "word")]
    written = (tmp_path / "sure.conllu").read_text(encoding="utf-8").split("\n\n")[:120]
    for i, block in enumerate(written):
        words = [line.split("\t")[9] for line in block.splitlines() if not line.startswith("#")]
        for word, misc in enumerate(words, 1):
            items = dict(item.split("=") for item in misc.split("|"))
            for name, of in zip(("TreeHeads", "WordHeads"), sets, strict=True):
                expected = np.flatnonzero(of[i][:, word])
                assert items[name] == ",".join(map(str, expected)), (i, word, name)
    summary = json.loads(said.stdout)["guarantee"]
    left = np.concatenate([each.sum(axis=0)[1:] for each in sets[0]])
    assert summary["tree"]["heads"] == pytest.approx(left.mean())
    assert summary["tree"]["settled"] == pytest.approx((left == 1).mean())
    whole = [
        each[own, np.arange(1, len(own) + 1)].all() for each, own in zip(sets[0], gold, strict=True)
    ]
    assert summary["tree"]["covered"] == pytest.approx(np.mean(whole))


def test_bad_input():
    scores, gold = noisy(3, 2, 8)
    with pytest.raises(ValueError, match=r"coverage is 1\.0; must be between 0 and 1"):
        coppice.Guarantee.calibrate(scores, gold, root="single", coverage=1.0)
    with pytest.raises(ValueError, match="no sentences"):
        coppice.Guarantee.calibrate([], [], root="single")
    promise = coppice.Guarantee.calibrate(scores, gold, root="single", coverage=0.5)
    with pytest.raises(ValueError, match=r"of is 'arc'"):
        promise.head_sets(scores[0], of="arc")


def test_the_gap_covers_the_tree_it_was_found_by():
    random = np.random.default_rng(3)
    for _ in range(300):
        scores = random.integers(0, 10, (4, 4)) / 10
        gold = [[0, 1, 2], [2, 3, 0], [0, 1, 1]][random.integers(3)]
        promise = coppice.Guarantee.calibrate([scores] * 3, [gold] * 3, root="any", coverage=0.5)
        assert promise.head_sets(scores)[gold, np.arange(1, 4)].all()
