"""stanza's greedy repair of labelled trees, beside the best trees that are legal."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

import coppice
from coppice import KBestResult, rules
from experiments import common, legality
from experiments.common import Place, Settings, Treebank
from experiments.legality import Annotation
from tools import tables
from tools.tables import Row

#: What stanza repairs: two of these below one head.
SUBJECTS, OBJECTS = ["nsubj", "csubj"], ["obj"]

#: The validator's names for that.
REPAIRED = {"too-many-subjects", "too-many-objects"}

#: For labels that the data does not have: below all that it has, and finite, as stanza needs it.
UNKNOWN_LABEL = -1000.0


@dataclass(frozen=True)
class Vocabulary:
    """Names of labels as stanza asks for them: by number, after its own special entries."""

    names: Sequence[str]
    special: int

    def unmap(self, ids: Iterable[int]) -> list[str]:
        """The names of these labels."""
        return [self.names[i - self.special] for i in ids]


def measure(settings: Settings, place: Place) -> None:
    """Every treebank with labels and text."""
    rows = [row for treebank in common.treebanks(settings) for row in compare(treebank, settings)]
    common.update_csv(place.results("repair"), rows)


def compare(treebank: Treebank, settings: Settings) -> Iterator[Row]:
    """One row per way to choose a tree."""
    known = legality.annotation(treebank, settings)
    if known is None:
        return
    scores = legality.matrices(treebank)

    def exact(*wanted: rules.Rule) -> list[KBestResult]:
        batch = coppice.kbest_batch(
            scores,
            1,
            root="single",
            labels=coppice.Labels(known.label_scores, known.label_ids),
            constraints=[coppice.Constraints(rules=wanted, facts=each) for each in known.facts],
        )
        return list(batch)

    best = exact()
    chosen: dict[str, list[KBestResult] | None] = {"best tree": best}
    chosen.update(by_stanza(scores, known))
    one_each = exact(rules.at_most(1, SUBJECTS), rules.at_most(1, OBJECTS))
    chosen["best tree with one subject, one object"] = one_each
    chosen["best tree under `ud`"] = exact(rules.ud())
    for name, trees in chosen.items():
        yield row(treebank, known, name, trees, best)


def by_stanza(
    scores: Sequence[np.ndarray], known: Annotation
) -> dict[str, list[KBestResult] | None]:
    """Its trees before and after the repair, as its pipeline decodes them; None without stanza."""
    try:
        stanza = importlib.import_module("stanza")
        constraints = importlib.import_module("stanza.models.depparse.head_constraints")
    except ImportError:
        return {"stanza 1.14 or later": None}
    vocabulary = Vocabulary(known.names, constraints.VOCAB_PREFIX_SIZE)
    plain, repaired = [], []
    for arcs, labels, ids in zip(scores, known.label_scores, known.label_ids, strict=True):
        arc_scores, label_scores = as_stanza_has_them(arcs, labels, ids, len(known.names))
        tree = constraints.chuliu_edmonds_one_root(arc_scores)
        likeliest = label_scores[np.arange(1, len(tree)), tree[1:]].argmax(axis=1)
        plain.append(result(tree, likeliest, arc_scores, label_scores))
        tree, relabelled = constraints.resolve_head_constraint_violations(
            arc_scores, label_scores, tree, vocabulary
        )
        repaired.append(result(tree, relabelled, arc_scores, label_scores))
    return {
        f"stanza {stanza.__version__}, not repaired": plain,
        f"stanza {stanza.__version__}, repaired": repaired,
    }


def as_stanza_has_them(
    arcs: np.ndarray, labels: np.ndarray, ids: np.ndarray, names: int
) -> tuple[np.ndarray, np.ndarray]:
    """Dependents first, no loops, nothing into the root, and a score for every label."""
    arc_scores = arcs.T.astype(np.float64)
    np.fill_diagonal(arc_scores, -np.inf)
    arc_scores[0] = -np.inf
    label_scores = np.full((*arcs.shape, names), UNKNOWN_LABEL)
    np.put_along_axis(
        label_scores, ids.transpose(1, 0, 2).astype(np.int64), labels.transpose(1, 0, 2), axis=2
    )
    return arc_scores, label_scores


def result(
    tree: np.ndarray, labels: Sequence[int], arc_scores: np.ndarray, label_scores: np.ndarray
) -> KBestResult:
    """A tree of stanza's as a list of one."""
    heads, words = tree[1:].astype(np.int32), np.arange(1, len(tree))
    score = arc_scores[words, heads].sum() + label_scores[words, heads, labels].sum()
    return KBestResult(
        heads[np.newaxis], np.array([score]), labels=np.array(labels, np.int32)[np.newaxis]
    )


def row(
    treebank: Treebank,
    known: Annotation,
    name: str,
    trees: list[KBestResult] | None,
    best: list[KBestResult],
) -> Row:
    """How often these trees break `ud`, how far they are below the best, how right they are."""
    found: Row = {"language": treebank.language, "sentences": len(best), "tree": name}
    if trees is None:
        return found | dict.fromkeys(["broken", "subjects_or_objects", "below", "uas", "las"], "")
    reports = [
        incidents(each, known.names, facts) for each, facts in zip(trees, known.facts, strict=True)
    ]
    below = [float(a.scores[0] - b.scores[0]) for a, b in zip(best, trees, strict=True) if len(b)]
    uas, las = legality.accuracy(treebank, trees, known)
    return found | {
        "broken": sum(bool(each) for each in reports),
        "subjects_or_objects": sum(bool(each & REPAIRED) for each in reports),
        "below": f"{np.mean(below):.4f}",
        "uas": f"{uas:.2f}",
        "las": f"{las:.2f}",
    }


def incidents(trees: KBestResult, names: Sequence[str], facts: rules.Facts) -> set[str]:
    """The tests of the validator that the tree fails."""
    if not len(trees):
        return set()
    labels = [names[label] for label in trees.labels[0]]
    return {test for test, _ in facts.ud_incidents(trees.heads[0], labels)}


def report(place: Place) -> None:
    """The table."""
    header = [
        "treebank",
        "tree",
        "break `ud`",
        "two subjects or objects",
        "below the best",
        "UAS",
        "LAS",
    ]
    lines = []
    for each in tables.read_csv(place.results("repair")):
        line = [each["language"], each["tree"]]
        if each["broken"] == "":
            line += ["not installed", *[""] * 4]
        else:
            share = 100 * each["broken"] / each["sentences"]
            line += [
                f"{each['broken']:,} of {each['sentences']:,} ({share:.1f} %)",
                f"{each['subjects_or_objects']:,}",
                f"{each['below']:.3f}",
                f"{each['uas']:.2f}",
                f"{each['las']:.2f}",
            ]
        lines.append(line)
    place.put_table("repair", tables.table(header, lines))
