"""What K best buys: the best attachment score among K trees, and what filtering a list loses."""

from __future__ import annotations

import numpy as np

import coppice
from experiments import common
from experiments.common import Place, Settings, Treebank
from tools import tables
from tools.tables import Row

KS = (1, 2, 5, 10, 20, 50, 100)
SHOWN = ("English", "Uyghur", "Marathi", "Buryat")


def measure(settings: Settings, place: Place) -> None:
    """For every treebank that is found."""
    rows = [row for treebank in common.treebanks(settings) for row in evaluate(treebank)]
    common.update_csv(place.results("oracle"), rows)


def evaluate(treebank: Treebank) -> list[Row]:
    """One row per K: three lists of trees, and the best attachment score in each.

    any: the K best trees. single: the K best dependency trees. filtered: those of the K best trees
    that are dependency trees; where none is, all words of the sentence count as wrong.
    """
    batches = {
        root: coppice.kbest_batch(treebank.scores, max(KS), lengths=treebank.lengths, root=root)
        for root in ("any", "single")
    }
    words = int(treebank.lengths.sum())
    totals = {
        k: dict.fromkeys(("any", "single", "filtered", "trees", "kept", "none"), 0) for k in KS
    }
    lists = (batches[root] for root in ("any", "single"))
    for gold, free, single in zip(treebank.heads, *lists, strict=True):
        free_right = (free.heads == gold).sum(axis=1)
        single_right = (single.heads == gold).sum(axis=1)
        dependency = (free.heads == 0).sum(axis=1) == 1
        for k, total in totals.items():
            kept = free_right[:k][dependency[:k]]
            total["any"] += int(free_right[:k].max())
            total["single"] += int(single_right[:k].max())
            total["filtered"] += int(np.max(kept, initial=0))
            total["trees"] += len(single_right[:k])
            total["kept"] += len(kept)
            total["none"] += len(kept) == 0
    return [
        {
            "language": treebank.language,
            "sentences": len(treebank.lengths),
            "words": words,
            "k": k,
            **{
                f"uas_{name}": f"{100 * total[name] / words:.2f}"
                for name in ("any", "single", "filtered")
            },
            "dependency_trees": total["trees"],
            "left_by_filtering": total["kept"],
            "lost_percent": f"{100 * (1 - total['kept'] / total['trees']):.2f}",
            "sentences_left_with_none": total["none"],
        }
        for k, total in totals.items()
    ]


def report(place: Place) -> None:
    """Three tables and the figure."""
    rows = tables.read_csv(place.results("oracle"))
    languages = list(dict.fromkeys(row["language"] for row in rows))
    found = {(row["language"], row["k"]): row for row in rows}
    header = ["K", "any root", "single root", "filtered", "lost", "sentences left with no tree"]
    english = [
        [
            str(k),
            *(
                f"{found['English', k][f'uas_{name}']:.2f}"
                for name in ("any", "single", "filtered")
            ),
            lost(found["English", k]),
            f"{found['English', k]['sentences_left_with_none']:,}",
        ]
        for k in KS
    ]
    place.put_table("oracle-english", tables.table(header, english))
    header = ["treebank", *(f"K = {k}" for k in KS)]
    scores = [
        [
            language,
            *(
                f"{found[language, k]['uas_single']:.1f} / {found[language, k]['uas_any']:.1f}"
                for k in KS
            ),
        ]
        for language in languages
    ]
    place.put_table("oracle", tables.table(header, scores))
    losses = [
        [language, *(f"{found[language, k]['lost_percent']:.1f} %" for k in KS)]
        for language in languages
    ]
    place.put_table("lost", tables.table(header, losses))
    draw(found, place)


def lost(row: Row) -> str:
    """Dependency trees that filtering loses: number and share."""
    number = row["dependency_trees"] - row["left_by_filtering"]
    return f"{number:,} of {row['dependency_trees']:,} ({row['lost_percent']:.1f} %)"


def draw(found: dict[tuple[str, int], Row], place: Place) -> None:
    """Oracle scores and losses against K."""
    drawn, axes = common.figure(2, width=10.5, height=4.2)
    lists = (
        ("single", "K best dependency trees", common.BLUE, "-", "o"),
        ("filtered", "K best trees, filtered", common.ORANGE, "--", "D"),
        ("any", "K best trees, any root", common.GREEN, ":", "s"),
    )
    for language in SHOWN:
        base = found[language, 1]["uas_single"]
        for name, label, colour, line, marker in lists:
            gains = [found[language, k][f"uas_{name}"] - base for k in KS]
            axes[0].plot(
                KS,
                gains,
                line,
                marker=marker,
                color=colour,
                markersize=4,
                label=label if language == SHOWN[0] else None,
            )
        axes[0].annotate(
            f"{language} ({base:.1f})",
            (KS[-1], found[language, KS[-1]]["uas_single"] - base),
            xytext=(6, -3),
            textcoords="offset points",
            fontsize=9,
        )
    axes[0].set(
        xscale="log", xlabel="K", title="Oracle: points of UAS above the best dependency tree"
    )
    axes[0].set_xlim(0.9, 320)
    axes[0].legend(loc="upper left", fontsize=9)
    languages = list(dict.fromkeys(language for language, _ in found))
    styles = zip(
        SHOWN, (common.BLUE, common.GREEN, common.PURPLE, common.ORANGE), "osDv", strict=True
    )
    for language in languages:
        if language not in SHOWN:
            losses = [found[language, k]["lost_percent"] for k in KS]
            axes[1].plot(KS, losses, color=common.GREY, linewidth=0.9, alpha=0.8)
    for language, colour, marker in styles:
        losses = [found[language, k]["lost_percent"] for k in KS]
        axes[1].plot(KS, losses, marker=marker, color=colour, label=language)
    axes[1].plot([], [], color=common.GREY, linewidth=0.9, label="seven others")
    axes[1].set(xscale="log", xlabel="K", title="Dependency trees lost by filtering, %")
    axes[1].set_ylim(bottom=0)
    axes[1].legend(loc="upper left", fontsize=9)
    for axis in axes:
        axis.set_xticks(KS, [str(k) for k in KS])
        axis.minorticks_off()
    common.save(drawn, place.figure("oracle"))
