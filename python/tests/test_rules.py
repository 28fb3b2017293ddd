"""Rules in Python: the ready-made ones, functions, budgets; and the validator of UD beside ours."""

import collections
import gc
import itertools
import pickle
import random
import re
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest

import coppice
from coppice import rules
from support import random_scores

DATA = Path(__file__).parents[2] / "data"


def crossing(tree):
    """Arcs that cross, by trying all pairs."""
    arcs = [(int(h), v) for v, h in enumerate(tree.heads, start=1)]
    for a in arcs:
        for b in arcs:
            if min(a) < min(b) < max(a) < max(b):
                return [a, b]
    return None


def says_no(tree):
    return crossing(tree) is None


def clause(tree):
    arcs = crossing(tree)
    return None if arcs is None else rules.Clause(without=arcs)


@pytest.mark.parametrize("root", ["single", "any"])
def test_functions_and_ready_made_rules_agree(root):
    for seed in range(20):
        scores = random_scores(6, seed=seed)
        expected = coppice.kbest(
            scores, 12, root=root, constraints=coppice.Constraints(rules=[rules.projective()])
        )
        for function in (crossing, says_no, clause):
            result = coppice.kbest(
                scores, 12, root=root, constraints=coppice.Constraints(rules=[function])
            )
            np.testing.assert_array_equal(result.scores, expected.scores)
            stream = coppice.iter_kbest(
                scores, 12, root=root, constraints=coppice.Constraints(rules=[function])
            )
            assert [tree.score for tree in stream] == expected.scores.tolist()
        first = coppice.best(scores, root=root, constraints=coppice.Constraints(rules=[crossing]))
        assert first.score == expected.scores[0]
        assert all(crossing(tree) is None for tree in expected)


def test_every_ready_made_rule():
    scores = random_scores(6, seed=3)
    frequencies = np.array([[2.0], [0.9], [0.5], [0.4], [0.3], [0.2]])
    found = {
        "max_children": rules.max_children(2),
        "max_children per node": rules.max_children([1, 1, 1, 1, 1, 1]),
        "min_children": rules.min_children([0, 2, 0, 0, 0, 0]),
        "max_depth": rules.max_depth(2),
        "sum_condition": rules.sum_condition(frequencies),
    }
    legal = {
        "max_children": lambda heads: np.bincount(heads, minlength=6).max() <= 2,
        "max_children per node": lambda heads: np.bincount(heads, minlength=6).max() <= 1,
        "min_children": lambda heads: np.bincount(heads, minlength=6)[1] >= 2,
        "max_depth": lambda heads: all(h == 0 or heads[h - 1] == 0 for h in heads),
        "sum_condition": lambda heads: all(
            frequencies[1:][heads == v].sum() <= frequencies[v].sum() + 1e-9 for v in range(6)
        ),
    }
    everything = coppice.kbest(scores, 10**6, root="any")
    for name, rule in found.items():
        expected = [tree.score for tree in everything if legal[name](tree.heads)]
        result = coppice.kbest(
            scores, 10**6, root="any", constraints=coppice.Constraints(rules=[rule])
        )
        assert result.scores.tolist() == pytest.approx(expected), name
        assert 0 < len(expected) < len(everything), name


def labelled(words, seed):
    rng = np.random.default_rng(seed)
    names = ["nsubj", "punct", "obj", "root"]
    scores = rng.normal(size=(words + 1, words + 1))
    return scores, rng.normal(size=(words + 1, words + 1, 4)), names


def test_labels():
    for seed in range(10):
        scores, label_scores, names = labelled(4, seed)
        facts = rules.Facts(label_names=names)
        options = {"root": "single", "labels": label_scores}
        expected = [
            tree.score
            for tree in coppice.kbest(scores, 3000, root="single", labels=label_scores)
            if all(
                sum(1 for w in np.flatnonzero(tree.heads == h) if tree.labels[w] == 0) <= 1
                for h in range(5)
            )
        ][:10]
        result = coppice.kbest(
            scores,
            10,
            constraints=coppice.Constraints(rules=[rules.at_most(1, ["nsubj"])], facts=facts),
            **options,
        )
        assert result.scores.tolist() == pytest.approx(expected)

        def no_child_of_punct(tree):
            for v, h in enumerate(tree.heads, start=1):
                if h > 0 and tree.labels[h - 1] == 1:
                    return [
                        (int(tree.heads[h - 1]), int(h), int(tree.edges[h - 1])),
                        (int(h), v),
                    ]
            return None

        leaves = coppice.Constraints(rules=[rules.leaves(["punct"])], facts=facts)
        ready_made = coppice.kbest(scores, 10, constraints=leaves, **options)
        own = coppice.kbest(
            scores, 10, constraints=coppice.Constraints(rules=[no_child_of_punct]), **options
        )
        assert own.scores.tolist() == pytest.approx(ready_made.scores.tolist())


def test_batches_use_all_threads():
    scores = [random_scores(7, seed=seed) for seed in range(30)]
    for rule in (rules.projective(), crossing):
        result = coppice.kbest_batch(
            scores, 5, root="single", constraints=coppice.Constraints(rules=[rule]), threads=3
        )
        for i, matrix in enumerate(scores):
            alone = coppice.kbest(
                matrix, 5, root="single", constraints=coppice.Constraints(rules=[rule])
            )
            np.testing.assert_array_equal(result[i].scores, alone.scores)


def test_budget():
    scores = random_scores(12, seed=1)
    rule = rules.max_children(1)
    whole = coppice.kbest(scores, 5, root="any", constraints=coppice.Constraints(rules=[rule]))
    assert whole.complete
    assert whole.bound is None
    cut = coppice.kbest(
        scores, 5, root="any", constraints=coppice.Constraints(rules=[rule], budget=2)
    )
    assert not cut.complete
    assert cut.bound >= whole.scores[0]
    assert len(cut) == 1  # legal, but not proved to be the best
    assert cut.bound_gap == cut.bound - cut.scores[0] > 0
    assert max(np.bincount(cut.heads[0])) == 1
    assert cut.annotate(id="cut").bound == cut.bound
    assert cut.annotate(id="cut").bound_gap == cut.bound_gap
    assert whole.bound_gap == 0


def test_a_time_limit():
    scores = random_scores(60, seed=1)
    rule = rules.max_children(2)
    for minimize in (False, True):
        meant = coppice.Constraints(rules=[rule], time_limit=1e-9)
        found = coppice.kbest(scores, 3, root="any", constraints=meant, minimize=minimize)
        assert not found.complete
        gain = found.scores[0] - found.bound if minimize else found.bound - found.scores[0]
        assert found.bound_gap == gain > 0
        assert max(np.bincount(found.heads[0])) <= 2
    with pytest.raises(ValueError, match="time_limit is 0, must be more than 0 seconds"):
        coppice.Constraints(time_limit=0)
    with pytest.raises(ValueError, match="best takes no time_limit"):
        coppice.best(scores, root="any", constraints=meant)


def test_why_no_tree_is_legal():
    scores = random_scores(4, seed=1)

    def error(graph, *chosen):
        meant = coppice.Constraints(rules=chosen)
        return coppice.kbest(graph, 1, root="any", constraints=meant).error

    assert error(scores, rules.max_children(0)) == (
        "no tree: rule max-children=0 allows no edge into node 1"
    )
    assert error(scores, rules.max_children(1), rules.max_depth(1)) == (
        "no tree: no tree obeys all rules together"
    )
    named = coppice.Multigraph.from_edges([("r", "a", 1), ("a", "b", 1)], root_node="r")
    narrow = rules.sum_condition([[1.0], [0.2], [0.5]])
    assert error(named, narrow) == "no tree: rule sum-condition allows no edge into 'b'"
    assert error(scores) == ""


def all_clones(lower, upper, tolerance):
    """Head lists of trees that obey the sum condition, by trying all."""
    nodes = len(lower)
    for heads in itertools.product(range(nodes), repeat=nodes - 1):
        if not is_tree(heads):
            continue
        least = lower.copy()
        depth = {0: 0}
        for v in range(1, nodes):
            path = [v]
            while path[-1] not in depth:
                path.append(heads[path[-1] - 1])
            base = depth[path.pop()]
            depth |= {w: base + i for i, w in enumerate(reversed(path), 1)}
        legal = True
        for v in sorted(range(nodes), key=lambda v: -depth[v]):
            children = [w for w in range(1, nodes) if heads[w - 1] == v]
            least[v] = np.maximum(lower[v], least[children].sum(axis=0) - tolerance)
            legal = legal and bool((least[v] <= upper[v] + 1e-12).all())
        if legal:
            yield heads


@pytest.mark.parametrize("interval", [False, True])
def test_clones_are_counted_and_drawn(interval):
    rng = np.random.default_rng(3)
    for _ in range(10):
        lower = rng.integers(0, 20, size=(5, 2)) / 20
        lower[0] = 1
        upper = lower + rng.integers(0, 4, size=lower.shape) / 20 if interval else lower
        expected = set(all_clones(lower, upper, 1e-4))
        rule = rules.sum_condition(lower, most=upper if interval else None)
        meant = coppice.Constraints(rules=[rule])
        scores = np.zeros((5, 5))
        assert meant.count_legal(scores, root="any") == len(expected)
        listed = coppice.kbest(scores, 1000, root="any", constraints=meant)
        assert {tuple(heads) for heads in listed.heads.tolist()} == expected
        drawn = meant.sample_legal(scores, 300, root="any", seed=1)
        assert {tuple(heads) for heads in drawn.heads.tolist()} <= expected
        assert drawn.drawn == len(drawn.heads) == (300 if expected else 0)
        assert drawn == meant.sample_legal(scores, 300, root="any", seed=1)
    assert meant.count_legal(scores, root="any", limit=0) is (None if expected else 0)


def test_what_is_counted():
    graph = coppice.Multigraph.from_edges(
        [("a", "b", 1), ("b", "a", 1), ("b", "c", 2), ("b", "c", 1)]
    )
    free = coppice.Constraints()
    assert free.count_legal(graph, root="any") == 4
    assert coppice.Constraints(forbidden=[("a", "b")]).count_legal(graph, root="any") == 2
    drawn = free.sample_legal(graph, 5, root="any", seed=1)
    assert drawn.edges.shape == (5, 3)
    labels = np.zeros((3, 3, 2))
    assert free.count_legal(np.zeros((3, 3)), root="single", labels=labels) == 8
    assert free.sample_legal(
        np.zeros((3, 3)), 4, root="single", seed=1, labels=labels
    ).labels.shape == (4, 2)
    with pytest.raises(ValueError, match="more than 3 legal trees"):
        free.sample_legal(graph, 5, root="any", seed=1, limit=3)
    with pytest.raises(ValueError, match="count_legal takes no budget"):
        coppice.Constraints(budget=3).count_legal(graph, root="any")
    with pytest.raises(ValueError, match=r"most has shape \(2, 1\); need \[nodes, samples\]"):
        rules.sum_condition([[1.0], [0.5], [0.5]], most=[[1.0], [0.5]])
    with pytest.raises(ValueError, match=r"of node 1 in sample 0 is at least 0.5 and at most 0.4"):
        rules.sum_condition([[1.0], [0.5]], most=[[1.0], [0.4]])


def test_batches_say_why_no_tree_is_legal():
    scores = [random_scores(nodes, seed=1) for nodes in (2, 6, 6, 6)]
    narrow = coppice.Constraints(rules=[rules.max_depth(1)])
    wanted = [narrow, narrow, None, coppice.Constraints(required=[(1, 2)], budget=1)]
    labels = [np.zeros((*matrix.shape, 2)) for matrix in scores]
    for given in (None, labels):
        batch = coppice.kbest_batch(
            scores, 2, root="single", labels=given, constraints=wanted, threads=2
        )
        for again in (batch, pickle.loads(pickle.dumps(batch)), batch.annotate(ids=list("abcd"))):
            assert [result.error for result in again] == [
                "", "no tree: no tree obeys rule max-depth=1", "", ""
            ]  # fmt: skip
    single = coppice.kbest(scores[1], 2, root="single", constraints=narrow)
    assert batch[1].error == single.error


def test_budget_of_batches():
    scores = [random_scores(nodes, seed=1) for nodes in (2, 12)]
    rule = rules.max_children(1)
    batch = coppice.kbest_batch(
        scores, 5, root="any", constraints=coppice.Constraints(rules=[rule], budget=2), threads=2
    )
    assert batch.complete.tolist() == [True, False]
    assert np.isnan(batch.bounds).tolist() == [True, False]
    alone = coppice.kbest(
        scores[1], 5, root="any", constraints=coppice.Constraints(rules=[rule], budget=2)
    )
    assert batch[1].bound == alone.bound
    assert batch[1].bound_gap == alone.bound_gap > 0
    assert batch[1] == alone
    assert batch[0].bound is None
    assert coppice.kbest_batch(
        scores, 5, root="any", constraints=coppice.Constraints(rules=[rule])
    ).complete.all()


def test_budget_of_streams():
    scores = random_scores(12, seed=1)
    rule = rules.max_children(1)
    whole = coppice.kbest(
        scores, 5, root="any", constraints=coppice.Constraints(rules=[rule])
    ).scores.tolist()
    stream = coppice.iter_kbest(
        scores, 5, root="any", constraints=coppice.Constraints(rules=[rule], budget=2)
    )
    found = [tree.score for tree in stream]
    assert not stream.complete
    assert len(found) == 1
    assert found[0] <= whole[0] <= stream.bound
    assert stream.bound_gap == stream.bound - found[0] > 0
    stream = coppice.iter_kbest(
        scores, 5, root="any", constraints=coppice.Constraints(rules=[rule])
    )
    assert [tree.score for tree in stream] == whole
    assert stream.complete
    assert stream.bound is None
    assert stream.bound_gap == 0


def test_features_of_words_count():
    facts = rules.Facts(tags=["ADJ", "ADP", "NOUN"], feats=["Degree=Pos|ExtPos=ADP", "_", "_"])
    heads, labels = [3, 1, 0], ["advmod", "fixed", "root"]
    assert facts.ud_incidents(heads, labels) == [("rel-upos-advmod", 1)]
    assert rules.Facts(tags=facts.tags).ud_incidents(heads, labels) == []
    with pytest.raises(ValueError, match="2 labels for 3 heads"):
        facts.ud_incidents(heads, labels[:2])


def test_an_empty_list_says_that_a_tree_is_legal():
    scores = random_scores(5, seed=0)
    expected = coppice.kbest(scores, 9, root="single")
    for nothing in ([], (), np.zeros((0, 2), int), iter([])):
        meant = coppice.Constraints(rules=[lambda tree, nothing=nothing: nothing])
        assert coppice.kbest(scores, 9, root="single", constraints=meant) == expected


@pytest.mark.parametrize("answer", ["ab", b"", 3, [1], [(1, 2, 3, 4)], rules.Clause(), 0.5])
def test_answers_that_are_not_understood(answer):
    def odd(tree):
        return answer

    with pytest.raises(ValueError, match=r"rule odd: returned .*; need None, True, False"):
        coppice.best(
            random_scores(4, seed=0), root="single", constraints=coppice.Constraints(rules=[odd])
        )


def test_errors_name_the_rule():
    scores = random_scores(3, seed=0)
    with pytest.raises(ValueError, match="rule ud: the graph has no labels"):
        coppice.best(scores, root="single", constraints=coppice.Constraints(rules=[rules.ud()]))
    with pytest.raises(TypeError, match="neither a rule of"):
        coppice.best(scores, root="single", constraints=coppice.Constraints(rules=["projective"]))
    with pytest.raises(ZeroDivisionError):
        coppice.best(
            scores, root="single", constraints=coppice.Constraints(rules=[lambda tree: 1 // 0])
        )

    def outside(tree):
        return [(0, 9)]

    with pytest.raises(ValueError, match="rule outside: the clause names an edge 0 -> 9"):
        coppice.best(scores, root="single", constraints=coppice.Constraints(rules=[outside]))


# --- the validator of Universal Dependencies ---------------------------------------------------

# All but orphan, below the root of which the validator (0.2.9) stops with a KeyError.
RELATIONS = re.findall(
    r"\S+",
    """acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse
    dislocated expl fixed flat goeswith iobj list mark nmod nsubj nsubj:outer nummod obj obl
    parataxis punct reparandum root vocative xcomp""",
)


def read_conllu(path, count):
    """The first sentences as lists of columns, words only."""
    sentences, words = [], []
    with open(path, encoding="utf-8") as file:
        for line in file:
            columns = line.rstrip("\n").split("\t")
            if len(columns) == 10 and columns[0].isdigit():
                words.append(columns)
            elif len(columns) != 10 and not line.strip():
                sentences.append(words)
                words = []
                if len(sentences) == count:
                    break
    return sentences


def random_tree(words, rng):
    """Heads of a random tree, mostly near their words."""
    order = list(range(1, words + 1))
    rng.shuffle(order)
    heads = [0] * (words + 1)
    placed = [order[0]]
    for v in order[1:]:
        near = sorted(placed, key=lambda h: abs(h - v))
        heads[v] = near[0] if rng.random() < 0.6 else rng.choice(placed)
        placed.append(v)
    return heads[1:]


def validator_reports(sentences, path):
    """Counts of (sentence, test) by the validator."""
    with open(path, "w", encoding="utf-8") as file:
        for i, (words, heads, labels) in enumerate(sentences):
            text = "".join(w[1] + ("" if "SpaceAfter=No" in w[9] else " ") for w in words)
            file.write(f"# sent_id = s{i}\n# text = {text.rstrip()}\n")
            for columns, head, label in zip(words, heads, labels, strict=True):
                file.write("\t".join([*columns[:6], str(head), label, "_", columns[9]]) + "\n")
            file.write("\n")
    program = Path(sys.executable).parent / "udvalidate"
    command = [str(program), "--lang", "en", "--level", "3", "--max-err", "0", str(path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    pattern = re.compile(r"\[Line \d+ Sent s(\d+)[^\]]*\]: \[L[23] SYNTAX ([\w-]+)\]")
    return collections.Counter(pattern.findall(run.stdout + run.stderr))


def our_reports(sentences):
    found = collections.Counter()
    for i, (words, heads, labels) in enumerate(sentences):
        facts = rules.Facts(
            tags=[w[3] for w in words], feats=[w[5] for w in words], misc=[w[9] for w in words]
        )
        for test, _ in facts.ud_incidents(heads, labels):
            found[str(i), test] += 1
    return found


def test_ud_reports_what_the_validator_reports(tmp_path):
    pytest.importorskip("udtools", reason="the validator of UD (udtools) is not installed")
    rng = random.Random(1)
    sentences = []
    for words in read_conllu(DATA / "en_ewt-ud-test.conllu", 400):
        gold = [int(w[6]) for w in words], [w[7] for w in words]
        sentences.append((words, *gold))
        # The gold tree with a few changes: each test alone, near its border.
        for _ in range(3):
            heads, labels = list(gold[0]), list(gold[1])
            for _ in range(rng.randint(1, 3)):
                v = rng.randrange(len(words))
                labels[v] = rng.choice(RELATIONS)
                other = list(heads)
                other[v] = rng.randint(0, len(words))
                if is_tree(other):
                    heads = other
            sentences.append((words, heads, labels))
        heads = random_tree(len(words), rng)
        labels = ["root" if h == 0 else rng.choice(RELATIONS) for h in heads]
        sentences.append((words, heads, labels))
    theirs = validator_reports(sentences, tmp_path / "trees.conllu")
    ours = our_reports(sentences)
    assert {test for _, test in theirs} >= {"punct-is-nonproj", "leaf-det", "goeswith-gap"}
    assert ours == theirs


def is_tree(heads):
    for v in range(1, len(heads) + 1):
        up, steps = v, 0
        while up != 0:
            up, steps = heads[up - 1], steps + 1
            if steps > len(heads):
                return False
    return True


def test_ud_leaves_the_validator_nothing_to_report(tmp_path):
    pytest.importorskip("udtools", reason="the validator of UD (udtools) is not installed")
    scores = np.load(DATA / "ud-scores" / "English-EWT.npz")
    label_file = np.load(DATA / "ud-scores" / "English-EWT.labels.npz")
    names = [str(name) for name in label_file["names"]]
    count = 250
    words = read_conllu(DATA / "en_ewt-ud-test.conllu", count)
    parsed, at = [], 0
    for sentence, n in zip(words, scores["lengths"][:count].tolist(), strict=True):
        nodes, size = n + 1, (n + 1) ** 2
        facts = rules.Facts(
            names, [w[3] for w in sentence], [w[5] for w in sentence], [w[9] for w in sentence]
        )
        shape = (nodes, nodes, 3)
        tree = coppice.best(
            scores["scores"][at : at + size].reshape(nodes, nodes),
            root="single",
            labels=coppice.Labels(
                label_file["lp"][3 * at : 3 * (at + size)].reshape(shape),
                label_file["id"][3 * at : 3 * (at + size)].reshape(shape),
            ),
            constraints=coppice.Constraints(rules=[rules.ud()], facts=facts),
        )
        parsed.append((sentence, tree.heads.tolist(), [names[i] for i in tree.labels]))
        at += size
    assert not our_reports(parsed)
    assert not validator_reports(parsed, tmp_path / "trees.conllu")


def test_a_budget_within_a_gap_is_not_complete() -> None:
    """The gap says what is wanted, not what has been looked at."""
    scores = [[2, 1, 0, -2.0], [-1, -3, -3, -3], [-2, 2, 1, 3], [0, 1, 3, 2]]
    chosen = [rules.max_children(1)]
    whole = coppice.kbest(
        scores, 100, root="any", max_gap=3, constraints=coppice.Constraints(rules=chosen)
    )
    assert whole.scores.tolist() == [4, 3, 1, 1]
    for budget in range(1, 60):
        some = coppice.kbest(
            scores,
            100,
            root="any",
            max_gap=3,
            constraints=coppice.Constraints(rules=chosen, budget=budget),
        )
        given = some.scores.tolist()
        assert some.bound_gap or given == whole.scores.tolist()[: len(given)]
        if some.complete:
            assert len(given) == len(whole)
        elif len(given) < len(whole) and not some.bound_gap:
            assert some.bound >= whole.scores[len(given)]


@pytest.mark.parametrize(
    "answer",
    [[(0, 1, 5)], [(0, 1, 0)], rules.Clause(with_=[(0, 2, 7)]), 1, "bad", (0, 1), [(0.5, 1)],
     [(1, 2, 3, 4)], [(2**40, 1)]],
)  # fmt: skip
def test_nonsense_of_a_function_is_an_error(answer: object) -> None:
    """A matrix has no edges by number; whatever else it is, the rule is named."""

    def strange(_tree: coppice.Tree) -> object:
        return answer

    scores = [[0, 5.0, 1], [0, 0, 9], [0, 1, 0]]
    with pytest.raises(ValueError, match="rule strange"):
        coppice.kbest(scores, 1, root="any", constraints=coppice.Constraints(rules=[strange]))


def test_numpy_says_yes_and_no() -> None:
    """The most natural function of all compares with an array."""
    scores = [[0, 5.0, 1], [0, 0, 9], [0, 1, 0]]
    tree = coppice.best(
        scores, root="any", constraints=coppice.Constraints(rules=[lambda tree: tree.heads[0] != 0])
    )
    assert tree.heads[0] != 0


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_what_is_no_error_of_a_sentence_ends_the_batch(kind: type[BaseException]) -> None:
    """Ctrl-C inside a function is not a fault of the sentence."""
    calls = 0

    def rule(_tree: coppice.Tree) -> bool:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise kind
        return True

    scores = np.random.default_rng(1).normal(size=(50, 6, 6))
    for threads in (1, 2):
        calls = 0
        with pytest.raises(kind):
            coppice.kbest_batch(
                scores,
                3,
                root="single",
                constraints=coppice.Constraints(rules=[rule]),
                threads=threads,
                on_error="report",
            )
        assert calls < 50


def test_arguments_of_rules() -> None:
    """Whole numbers of any kind, and one error for the rest."""
    assert rules.max_children(np.int64(2)) is not None
    for wrong in (2.0, "2", None):
        with pytest.raises((TypeError, ValueError)):
            rules.max_children(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="list of labels"):
        rules.at_most(1, "nsubj")
    with pytest.raises(TypeError, match="list of labels"):
        rules.leaves("punct")


def test_a_rule_cannot_ask_its_own_stream() -> None:
    """It would wait for itself: one error instead."""
    streams: list[coppice.TreeStream] = []

    def rule(_tree: coppice.Tree) -> bool:
        next(streams[0])
        return True

    scores = np.random.default_rng(1).normal(size=(6, 6))
    streams.append(
        coppice.iter_kbest(scores, root="single", constraints=coppice.Constraints(rules=[rule]))
    )
    with pytest.raises(RuntimeError, match="cannot ask that stream"):
        next(streams[0])


def test_a_stream_that_its_own_rule_holds_is_let_go():
    class Holder:
        stream = None

    def make():
        holder = Holder()
        legal = [lambda tree: holder is not None]
        holder.stream = coppice.iter_kbest(
            np.zeros((4, 4)), root="any", constraints=coppice.Constraints(rules=legal)
        )
        assert next(holder.stream).score == 0
        return weakref.ref(holder)

    holder = make()
    gc.collect()
    assert holder() is None


def test_nothing_is_said_at_the_end_of_a_program():
    program = """
import numpy, coppice
def rule(tree):
    return stream is not None
scores = numpy.zeros((4, 4))
stream = coppice.iter_kbest(scores, root="any", constraints=coppice.Constraints(rules=[rule]))
meant = coppice.Constraints(rules=[rule])
kept = [next(stream), coppice.kbest_batch([scores], 2, root="any", constraints=meant)]
kept.append(kept)
distribution = coppice.TreeDistribution(scores, root="any")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stderr == b""
