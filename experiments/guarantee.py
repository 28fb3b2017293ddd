"""Are promises kept? Coverage of conformal head sets over random splits; trees that differ."""

from __future__ import annotations

import numpy as np

import coppice
from coppice._guarantee import gaps_of, least_gap, least_probability, limits_of
from experiments import common
from experiments.common import Place, Settings, Treebank
from tools import tables
from tools.tables import Row

COVERAGES = (0.8, 0.9, 0.95)
SPLITS = 20
TREES, DISTANCES = 10, (2, 4)


def measure(settings: Settings, place: Place) -> None:
    """For every treebank that is found."""
    promises: list[Row] = []
    lengths: list[Row] = []
    oracle: list[Row] = []
    for treebank in common.treebanks(settings):
        found = Sentences(treebank)
        promises += [found.coverage(coverage) for coverage in COVERAGES]
        lengths += found.by_length(0.9)
        oracle.append(diverse(treebank))
    common.update_csv(place.results("guarantee"), promises)
    common.update_csv(place.results("guarantee_length"), lengths)
    common.update_csv(place.results("diverse"), oracle)


def matrices(treebank: Treebank) -> list[np.ndarray]:
    """The scores of each sentence, [head, dependent]."""
    nodes = treebank.lengths.astype(np.int64) + 1
    parts = np.split(treebank.scores, np.cumsum(nodes**2)[:-1])
    return [part.reshape(n, n) for part, n in zip(parts, nodes.tolist(), strict=True)]


class Sentences:
    """What calibration needs of every sentence, computed once for all splits."""

    def __init__(self, treebank: Treebank) -> None:
        self.language = treebank.language
        scores = matrices(treebank)
        self.words = treebank.lengths
        heads = [np.asarray(own, np.int64) for own in treebank.heads]
        self.gaps = gaps_of(scores, heads, "single", threads=2)
        self.marginals = coppice.distribution_batch(scores, root="single", threads=2).marginals
        self.limits = [limits_of(*pair) for pair in zip(self.marginals, heads, strict=True)]
        worth = [coppice.max_marginals(each, root="single") for each in scores]
        self.losses = [each.max() - each[:, 1:] for each in worth]

    def splits(self, coverage: float):
        """New sentences, the gap, and the probability, of every split into halves."""
        for seed in range(SPLITS):
            order = np.random.default_rng(seed).permutation(len(self.words))
            held_out, new = np.split(order, [len(order) // 2])
            gap = least_gap(self.gaps[held_out], coverage)
            yield new, gap, least_probability([self.limits[i] for i in held_out], coverage)

    def coverage(self, coverage: float) -> Row:
        """Means over splits; the standard error of the coverage of trees."""
        trees, words, sizes = [], [], np.zeros(5)
        for new, gap, limit in self.splits(coverage):
            trees.append((self.gaps[new] <= gap).mean())
            words.append(np.mean([(self.limits[i] >= limit).mean() for i in new]))
            for i in new:
                left = (self.losses[i] <= gap).sum(axis=0)
                n = self.words[i]
                likely = self.marginals[i, : n + 1, 1 : n + 1]
                close = (likely >= np.minimum(limit, likely.max(axis=0))).sum(axis=0)
                sizes += n, left.sum(), (left == 1).sum(), close.sum(), (close == 1).sum()
        total, left_heads, settled, close_heads, close_settled = sizes
        return {
            "language": self.language,
            "coverage": coverage,
            "sentences": len(self.words),
            "trees": f"{np.mean(trees):.4f}",
            "standard_error": f"{np.std(trees, ddof=1) / np.sqrt(SPLITS):.4f}",
            "heads": f"{left_heads / total:.2f}",
            "settled": f"{settled / total:.4f}",
            "words": f"{np.mean(words):.4f}",
            "word_heads": f"{close_heads / total:.2f}",
            "word_settled": f"{close_settled / total:.4f}",
        }

    def by_length(self, coverage: float) -> list[Row]:
        """The coverage of trees by length, for which nothing is promised."""
        borders = np.quantile(self.words, [1 / 3, 2 / 3])
        part = np.searchsorted(borders, self.words)
        covered: list[list[float]] = [[], [], []]
        for new, gap, _ in self.splits(coverage):
            for i in range(3):
                covered[i].append((self.gaps[new[part[new] == i]] <= gap).mean())
        row: Row = {"language": self.language, "coverage": coverage}
        names = ("short", "middling", "long")
        row.update(
            (name, f"{np.mean(all_):.4f}") for name, all_ in zip(names, covered, strict=True)
        )
        return [row]


def diverse(treebank: Treebank) -> Row:
    """The best attachment score among ten trees: the ten best, and ten that differ."""
    row: Row = {"language": treebank.language}
    right = dict.fromkeys((1, *DISTANCES), 0)
    for scores, gold in zip(matrices(treebank), treebank.heads, strict=True):
        for distance in right:
            if distance == 1:
                trees = coppice.kbest(scores, TREES, root="single")
            else:
                meant = coppice.Constraints(budget=2_000)
                trees = coppice.diverse(
                    scores, TREES, root="single", distance=distance, constraints=meant
                )
            right[distance] += int((trees.heads == gold).sum(axis=1).max(initial=0))
    words = int(treebank.lengths.sum())
    row.update((f"distance_{d}", f"{100 * count / words:.2f}") for d, count in right.items())
    return row


def percent(value: float) -> str:
    """As text."""
    return f"{100 * value:.1f} %"


def report(place: Place) -> None:
    """Four tables."""
    rows = tables.read_csv(place.results("guarantee"))
    languages = list(dict.fromkeys(row["language"] for row in rows))
    for kind, names in (
        ("trees", ("trees", "heads", "settled")),
        ("words", ("words", "word_heads", "word_settled")),
    ):
        header = ["treebank"]
        for coverage in COVERAGES:
            header += [f"{coverage:.0%}: covered", "heads a word", "settled"]
        lines = []
        for language in languages:
            line = [language]
            for row in (row for row in rows if row["language"] == language):
                covered, heads, settled = (row[name] for name in names)
                line += [percent(covered), f"{heads:.2f}", percent(settled)]
            lines.append(line)
        place.put_table(f"guarantee-{kind}", tables.table(header, lines))
    lines = [
        [row["language"], *(percent(row[name]) for name in ("short", "middling", "long"))]
        for row in tables.read_csv(place.results("guarantee_length"))
    ]
    header = ["treebank", "short", "middling", "long"]
    place.put_table("guarantee-length", tables.table(header, lines))
    lines = [
        [row["language"], *(f"{row[f'distance_{d}']:.1f} %" for d in (1, *DISTANCES))]
        for row in tables.read_csv(place.results("diverse"))
    ]
    header = ["treebank", "ten best", *(f"ten that differ in {d} heads" for d in DISTANCES)]
    place.put_table("diverse", tables.table(header, lines))
