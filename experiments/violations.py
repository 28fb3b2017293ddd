"""How many of the unconstrained K best trees have more than one root edge: the paper's figure."""

from __future__ import annotations

import coppice
from experiments import common
from experiments.common import PAPER, Place, Settings, Treebank
from tools import tables
from tools.tables import Row

KS = (1, 5, 10, 20, 50)

# Where the names of points go that would lie on each other, in points from ours, at K = 1 and 50.
ASIDE = (6, -3)
LABELS = {
    ("Marathi", 1): (-14, 8),
    ("Maltese", 1): (-40, -1),
    ("Vietnamese", 1): (7, 2),
    ("North Sami", 1): (7, -4),
    ("Uyghur", 1): (-12, -14),
    ("English", 1): (-2, 8),
    ("Maltese", 50): (-40, -5),
    ("Vietnamese", 50): (-54, 4),
    ("Uyghur", 50): (5, -11),
    ("English", 50): (-14, 8),
}


def measure(settings: Settings, place: Place) -> None:
    """Count, for every treebank that is found."""
    rows = [row for treebank in common.treebanks(settings) for row in count(treebank)]
    common.update_csv(place.results("violations"), rows)


def count(treebank: Treebank) -> list[Row]:
    """One row per K: of all trees in the lists of length K those that break the rule."""
    paper = paper_rates()[treebank.language]
    batch = coppice.kbest_batch(treebank.scores, max(KS), lengths=treebank.lengths, root="any")
    broken = [(result.heads == 0).sum(axis=1) != 1 for result in batch]
    rows = []
    for k in KS:
        trees = sum(len(of_sentence[:k]) for of_sentence in broken)
        violations = int(sum(of_sentence[:k].sum() for of_sentence in broken))
        rows.append(
            {
                "language": treebank.language,
                "train_sentences": paper["train_sentences"],
                "test_sentences": len(treebank.lengths),
                "k": k,
                "trees": trees,
                "violations": violations,
                "percent": f"{100 * violations / trees:.2f}",
                "paper_percent": f"{paper[f'k{k}']:.2f}",
            }
        )
    return rows


def paper_rates() -> dict[str, Row]:
    """The paper's table, by language."""
    return {row["language"]: row for row in tables.read_csv(PAPER / "violation_rates.csv")}


def report(place: Place) -> None:
    """The table and the figure."""
    rows = tables.read_csv(place.results("violations"))
    by_language: dict[str, list[Row]] = {}
    for row in rows:
        by_language.setdefault(row["language"], []).append(row)
    header = ["treebank", "training", "test", *(f"K = {k}" for k in KS)]
    lines = [
        [
            language,
            f"{of_language[0]['train_sentences']:,}",
            f"{of_language[0]['test_sentences']:,}",
            *(f"**{row['percent']:.2f}** / {row['paper_percent']:.2f}" for row in of_language),
        ]
        for language, of_language in by_language.items()
    ]
    place.put_table("violations", tables.table(header, lines))
    draw(rows, place)


def draw(rows: list[Row], place: Place) -> None:
    """Rate against the size of the training set, at the smallest and the largest K."""
    drawn, axes = common.figure(2, width=10.5, height=4.4)
    others = paper_rates()
    for axis, k in zip(axes, (1, 50), strict=True):
        of_k = [row for row in rows if row["k"] == k]
        sizes = [row["train_sentences"] for row in of_k]
        axis.scatter(
            [row["train_sentences"] for row in others.values()],
            [row[f"k{k}"] for row in others.values()],
            s=14,
            color=common.GREY,
            alpha=0.6,
            linewidths=0,
            label="paper, all 63 languages",
        )
        for row in of_k:
            ends = [row["percent"], row["paper_percent"]]
            axis.plot([row["train_sentences"]] * 2, ends, color=common.GREY, linewidth=0.9)
            axis.annotate(
                row["language"],
                (row["train_sentences"], row["percent"]),
                xytext=LABELS.get((row["language"], k), ASIDE),
                textcoords="offset points",
                fontsize=8,
            )
        paper = [row["paper_percent"] for row in of_k]
        axis.scatter(sizes, paper, marker="o", s=34, color=common.BLUE, label="paper, these eleven")
        ours = [row["percent"] for row in of_k]
        axis.scatter(sizes, ours, marker="D", s=34, color=common.ORANGE, label="our parsers")
        axis.set(xscale="log", title=f"K = {k}", xlabel="training sentences")
        axis.set_ylim(bottom=-1.5)
    axes[0].set_ylabel("trees with several root edges, %")
    axes[0].legend(loc="upper right", fontsize=9)
    common.save(drawn, place.figure("violations"))
