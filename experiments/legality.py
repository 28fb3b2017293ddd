"""How often the best tree breaks a rule, what obeying it costs, and what it does to accuracy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import coppice
from coppice import rules
from experiments import common
from experiments.common import REPOSITORY, Place, Settings, Treebank
from tools import tables
from tools.tables import Row

#: Score file -> the sentences themselves, for rules on labels and tags.
TEXTS = {"English": "en_ewt-ud-test.conllu", "Uyghur": "ug_udt-ud-test.conllu"}


@dataclass(frozen=True)
class Annotation:
    """What `rules.ud` knows of a test set, and its gold labels."""

    label_scores: list[np.ndarray]
    label_ids: list[np.ndarray]
    names: list[str]
    facts: list[rules.Facts]
    gold: list[list[str]]


def measure(settings: Settings, place: Place) -> None:
    """Projective trees of every treebank that is found; `ud` where there are labels and text."""
    rows = [row for treebank in common.treebanks(settings) for row in compare(treebank, settings)]
    common.update_csv(place.results("legality"), rows)


def compare(treebank: Treebank, settings: Settings) -> Iterator[Row]:
    """One row per rule."""
    scores = matrices(treebank)
    free = coppice.kbest_batch(scores, 1, root="single")
    legal = coppice.kbest_batch(
        scores, 1, root="single", constraints=coppice.Constraints(rules=[rules.projective()])
    )
    yield row(treebank, "projective", free, legal, None)
    known = annotation(treebank, settings)
    if known is None:
        return
    labelled: dict[str, Any] = {
        "root": "single",
        "labels": coppice.Labels(known.label_scores, known.label_ids),
    }
    free = coppice.kbest_batch(scores, 1, **labelled)
    legal = coppice.kbest_batch(
        scores,
        1,
        constraints=[coppice.Constraints(rules=[rules.ud()], facts=each) for each in known.facts],
        **labelled,
    )
    yield row(treebank, "ud", free, legal, known)


def matrices(treebank: Treebank) -> list[np.ndarray]:
    """The scores of every sentence."""
    sizes = (treebank.lengths.astype(np.int64) + 1) ** 2
    parts = np.split(treebank.scores, np.cumsum(sizes)[:-1])
    return [
        part.reshape(n + 1, n + 1) for part, n in zip(parts, treebank.lengths.tolist(), strict=True)
    ]


def row(
    treebank: Treebank,
    rule: str,
    free: coppice.BatchResult,
    legal: coppice.BatchResult,
    known: Annotation | None,
) -> Row:
    """What changes from the best trees to the best legal ones."""
    pairs = [(before, after) for before, after in zip(free, legal, strict=True) if len(after)]
    costs = [
        float(before.scores[0] - after.scores[0])
        for before, after in pairs
        if before.scores[0] > after.scores[0]
    ]
    found: Row = {
        "language": treebank.language,
        "rule": rule,
        "sentences": len(treebank.lengths),
        "without_legal_tree": len(treebank.lengths) - len(pairs),
        "broken": len(costs),
        "mean_cost": f"{np.mean(costs):.3f}" if costs else "0",
    }
    for name, batch in (("free", free), ("legal", legal)):
        uas, las = accuracy(treebank, batch, known)
        found[f"uas_{name}"] = f"{uas:.2f}"
        found[f"las_{name}"] = "" if las is None else f"{las:.2f}"
    return found


def accuracy(
    treebank: Treebank, batch: Iterable[coppice.KBestResult], known: Annotation | None
) -> tuple[float, float | None]:
    """UAS and LAS in per cent, all words; a sentence without a tree has none right."""
    heads_right = labels_right = 0
    for i, (result, gold) in enumerate(zip(batch, treebank.heads, strict=True)):
        if not len(result):
            continue
        right = result.heads[0] == gold
        heads_right += int(right.sum())
        if known is not None:
            names = [known.names[label] for label in result.labels[0]]
            same = [a.split(":")[0] == b for a, b in zip(names, known.gold[i], strict=True)]
            labels_right += int((right & same).sum())
    words = int(treebank.lengths.sum())
    las = None if known is None else 100 * labels_right / words
    return 100 * heads_right / words, las


def annotation(treebank: Treebank, settings: Settings) -> Annotation | None:
    """Labels beside the scores, text beside them or in the folder above."""
    text_name = TEXTS.get(treebank.language)
    if text_name is None:
        return None
    label_name = f"{common.TREEBANKS[treebank.language]}.labels.npz"
    label_path = first_of([folder / label_name for folder in settings.folders])
    folders = [REPOSITORY / "data", *settings.folders, *(f.parent for f in settings.folders)]
    text_path = first_of([folder / text_name for folder in folders])
    if label_path is None or text_path is None:
        return None
    with np.load(label_path) as arrays:
        names = [str(name) for name in arrays["names"]]
        nodes = treebank.lengths.astype(np.int64) + 1
        ends = np.cumsum(3 * nodes**2)[:-1]
        shapes = [(n, n, 3) for n in nodes.tolist()]
        cells = int(3 * (nodes**2).sum())
        parts = [np.split(arrays[key][:cells], ends) for key in ("lp", "id")]
    scores, ids = (
        [each.reshape(shape) for each, shape in zip(part, shapes, strict=True)] for part in parts
    )
    sentences = read_conllu(text_path, len(treebank.lengths))
    facts = [
        rules.Facts(names, [w[3] for w in words], [w[5] for w in words], [w[9] for w in words])
        for words in sentences
    ]
    gold = [[w[7].split(":")[0] for w in words] for words in sentences]
    return Annotation(scores, ids, names, facts, gold)


def first_of(paths: list[Path]) -> Path | None:
    """The first that exists."""
    return next((path for path in paths if path.exists()), None)


def read_conllu(path: Path, count: int) -> list[list[list[str]]]:
    """The columns of the words of so many sentences."""
    blocks = path.read_text(encoding="utf-8").strip().split("\n\n")[:count]
    lines = [[line.split("\t") for line in block.split("\n")] for block in blocks]
    return [[columns for columns in block if columns[0].isdigit()] for block in lines]


def report(place: Place) -> None:
    """The table."""
    header = ["treebank", "rule", "best trees that break it", "mean cost", "UAS", "LAS"]
    lines = []
    for each in tables.read_csv(place.results("legality")):
        share = 100 * each["broken"] / each["sentences"]
        las = "" if each["las_free"] == "" else f"{each['las_free']:.2f} → {each['las_legal']:.2f}"
        lines.append(
            [
                each["language"],
                f"`{each['rule']}`",
                f"{each['broken']:,} of {each['sentences']:,} ({share:.1f} %)",
                f"{each['mean_cost']:.2f}",
                f"{each['uas_free']:.2f} → {each['uas_legal']:.2f}",
                las,
            ]
        )
    place.put_table("legality", tables.table(header, lines))
