"""Some heads are known: the others filled around them, or known ones written over a free parse."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np

import coppice
from experiments import common, legality
from experiments.common import Place, Settings, Treebank
from tools import tables
from tools.tables import Row

#: How many per cent of the gold heads are blanked.
BLANKS = (10, 30, 50, 70, 90)


def measure(settings: Settings, place: Place) -> None:
    """Every treebank."""
    rows = [row for treebank in common.treebanks(settings) for row in compare(treebank, settings)]
    common.update_csv(place.results("keep"), rows)


def compare(treebank: Treebank, settings: Settings) -> Iterator[Row]:
    """One row per share of blanks."""
    scores = legality.matrices(treebank)
    free, free_seconds = decoded(scores, None, settings.rounds)
    known_labels = legality.annotation(treebank, settings)
    free_labels = None if known_labels is None else right_labels(scores, None, known_labels)
    random = np.random.default_rng(0)
    for percent in BLANKS:
        blank = [random.random(len(gold)) < percent / 100 for gold in treebank.heads]
        known = [
            coppice.Constraints.keep(np.where(out, -1, gold).tolist())
            for gold, out in zip(treebank.heads, blank, strict=True)
        ]
        filled, seconds = decoded(scores, known, settings.rounds)
        overwritten = [
            np.where(out, heads, gold)
            for heads, out, gold in zip(free, blank, treebank.heads, strict=True)
        ]
        las = ["", ""]
        if known_labels is not None and free_labels is not None:
            las = [
                f"{accuracy(right, treebank.heads, blank):.2f}"
                for right in (right_labels(scores, known, known_labels), free_labels)
            ]
        yield {
            "language": treebank.language,
            "sentences": len(scores),
            "blanks": percent,
            "words": sum(int(each.sum()) for each in blank),
            "uas_filled": f"{accuracy(filled, treebank.heads, blank):.2f}",
            "uas_overwritten": f"{accuracy(overwritten, treebank.heads, blank):.2f}",
            "las_filled": las[0],
            "las_overwritten": las[1],
            "trees_filled": sum(map(is_tree, filled)),
            "trees_overwritten": sum(map(is_tree, overwritten)),
            "us_filled": f"{1e6 * seconds / len(scores):.2f}",
            "us_free": f"{1e6 * free_seconds / len(scores):.2f}",
        }


def decoded(
    scores: Sequence[np.ndarray], known: list[coppice.Constraints] | None, rounds: int
) -> tuple[list[np.ndarray], float]:
    """The heads of every best tree (none where there is no tree), and the least time for all."""
    least = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        batch = coppice.kbest_batch(scores, 1, root="single", constraints=known)
        least = min(least, time.perf_counter() - start)
    none = [np.full(len(each) - 1, -1) for each in scores]
    return [
        found.heads[0] if len(found) else empty for found, empty in zip(batch, none, strict=True)
    ], least


def right_labels(
    scores: Sequence[np.ndarray],
    known: list[coppice.Constraints] | None,
    annotation: legality.Annotation,
) -> list[np.ndarray]:
    """The heads of every best labelled tree, -1 where the label is not the gold one."""
    batch = coppice.kbest_batch(
        scores,
        1,
        root="single",
        labels=coppice.Labels(annotation.label_scores, annotation.label_ids),
        constraints=known,
    )
    found = []
    for result, gold in zip(batch, annotation.gold, strict=True):
        if not len(result) or result.labels is None:
            found.append(np.full(len(gold), -1))
            continue
        names = [annotation.names[label].split(":")[0] for label in result.labels[0]]
        found.append(np.where(np.array(names) == np.array(gold), result.heads[0], -1))
    return found


def accuracy(
    heads: Sequence[np.ndarray], gold: Sequence[np.ndarray], blank: Sequence[np.ndarray]
) -> float:
    """Per cent of the blanked heads that are right."""
    right = np.concatenate(heads) == np.concatenate(gold)
    return float(100 * right[np.concatenate(blank)].mean())


def is_tree(heads: np.ndarray) -> bool:
    """One word hangs from the root, and all others from it in the end."""
    if (heads < 0).any() or (heads == 0).sum() != 1:
        return False
    up = np.r_[0, heads]
    for _ in range(len(up).bit_length()):  # twice as far each time
        up = up[up]
    return not up.any()


def by_language(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows of every treebank."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(str(row["language"]), []).append(row)
    return found


def report(place: Place) -> None:
    """The table."""
    rows = tables.read_csv(place.results("keep"))
    lines = []
    for language, each in by_language(rows).items():
        own = {row["blanks"]: row for row in each}
        lines.append(
            [
                language,
                *(
                    f"{own[p]['uas_filled']:.1f} / {own[p]['uas_overwritten']:.1f}, "
                    f"{100 - 100 * own[p]['trees_overwritten'] / own[p]['sentences']:.0f} %"
                    for p in BLANKS
                ),
            ]
        )
        if each[0]["las_filled"] != "":
            las = (f"{row['las_filled']:.1f} / {row['las_overwritten']:.1f}" for row in each)
            lines.append([f"{language}, LAS", *las])
    header = ["treebank", *(f"{percent} % blank" for percent in BLANKS)]
    place.put_table("keep", tables.table(header, lines))
