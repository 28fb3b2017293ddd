"""What a right tree costs an annotator: a simulation with stated costs of looking, keys and clicks.

Seconds are those of the keystroke-level model (Card, Moran and Newell, CACM 1980): a key, pointing
at something and clicking on it, and a thought, here: judging one arc, or
deciding on another head.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

import coppice
from experiments import common, legality
from experiments.common import Place, Settings, Treebank
from tools import tables
from tools.tables import Row

KEY, CLICK, THOUGHT = 0.28, 1.3, 1.35

#: Heads that have a digit.
CHOICES = 9

#: Who goes by certainty stops where fewer wrong arcs than this are expected among those not seen.
ENOUGH = 0.05


@dataclass
class Desk:
    """A sentence in work: the tree as it stands, and what was spent."""

    scores: np.ndarray
    gold: np.ndarray  # of words 1..N
    locked: dict[int, int] = field(default_factory=dict)
    seconds: float = 0.0
    looks: int = 0
    corrections: int = 0

    def __post_init__(self) -> None:
        self.decode()

    def decode(self) -> None:
        """The best tree that has the locked arcs."""
        required = [(head, word) for word, head in self.locked.items()]
        self.heads = np.array(
            coppice.best(
                self.scores, root="single", constraints=coppice.Constraints(required=required)
            ).heads
        )

    def marginals(self) -> np.ndarray:
        """Probability of every arc, given those that are locked."""
        required = [(head, word) for word, head in self.locked.items()]
        trees = coppice.TreeDistribution(
            self.scores, root="single", constraints=coppice.Constraints(required=required)
        )
        return np.asarray(trees.marginals())

    def is_right(self, word: int) -> bool:
        """Look at a word."""
        self.seconds += THOUGHT
        self.looks += 1
        return bool(self.heads[word - 1] == self.gold[word - 1])

    def correct(self, word: int, seconds: float) -> None:
        """Decide on a head and give it to the word; nothing else changes."""
        self.seconds += THOUGHT + seconds
        self.corrections += 1
        self.heads[word - 1] = self.gold[word - 1]

    def lock(self, word: int) -> list[int]:
        """Lock a word as it is; the words that change."""
        before = self.heads
        self.locked[word] = int(before[word - 1])
        self.decode()
        return [v + 1 for v in np.flatnonzero(before != self.heads)]

    def choosing(self, word: int, marginals: np.ndarray) -> float:
        """What it takes to take the right head from the list of heads, or else by the mouse."""
        likelier = int((marginals[:, word] > marginals[self.gold[word - 1], word]).sum())
        return KEY if likelier < CHOICES else CLICK


def plain(desk: Desk) -> None:
    """Every word in order; a wrong one by two clicks."""
    for word in range(1, len(desk.gold) + 1):
        if not desk.is_right(word):
            desk.correct(word, 2 * CLICK)


def by_certainty(desk: Desk) -> None:
    """The least certain word next, by a key, until the rest is certain enough."""
    sure = desk.marginals()[desk.heads, np.arange(1, len(desk.gold) + 1)]
    order = np.argsort(sure, kind="stable")
    unseen = float((1 - sure).sum())
    for place in order:
        if unseen < ENOUGH:
            break
        unseen -= 1 - sure[place]
        desk.seconds += KEY
        if not desk.is_right(int(place) + 1):
            desk.correct(int(place) + 1, CLICK)


def with_choices(desk: Desk) -> None:
    """Every word in order; a wrong one by a click and a digit."""
    marginals = desk.marginals()
    for word in range(1, len(desk.gold) + 1):
        if not desk.is_right(word):
            desk.correct(word, CLICK + desk.choosing(word, marginals))


def redecoding(desk: Desk) -> None:
    """Every word in order; the rest follows each correction, and what changes is seen again."""
    waiting = list(range(1, len(desk.gold) + 1))
    while waiting:
        word = waiting.pop(0)
        if desk.is_right(word):
            continue
        desk.correct(word, 2 * CLICK)
        again = [v for v in desk.lock(word) if v not in waiting and v not in desk.locked]
        waiting = again + waiting


def everything(desk: Desk) -> None:
    """The least certain word next; what is seen is locked, and the rest follows."""
    words = np.arange(1, len(desk.gold) + 1)
    while True:
        marginals = desk.marginals()
        doubt = 1 - marginals[desk.heads, words]
        doubt[[word - 1 for word in desk.locked]] = 0.0
        if doubt.sum() < ENOUGH:
            return
        word = int(doubt.argmax()) + 1
        desk.seconds += KEY
        if desk.is_right(word):
            desk.seconds += KEY
        else:
            desk.correct(word, desk.choosing(word, marginals))
        desk.lock(word)


WAYS: dict[str, Callable[[Desk], None]] = {
    "plain": plain,
    "certainty": by_certainty,
    "choices": with_choices,
    "re-decoding": redecoding,
    "all": everything,
}


def measure(settings: Settings, place: Place) -> None:
    """Every treebank that is found."""
    rows = [row for treebank in common.treebanks(settings) for row in simulate(treebank)]
    common.update_csv(place.results("annotation"), rows)


def simulate(treebank: Treebank) -> Iterator[Row]:
    """One row per way of working. Sentences whose gold tree is none of one root are left out."""
    sentences = [
        (scores, gold)
        for scores, gold in zip(legality.matrices(treebank), treebank.heads, strict=True)
        if (gold == 0).sum() == 1
    ]
    for name, work in WAYS.items():
        desks = [Desk(scores, gold) for scores, gold in sentences]
        for desk in desks:
            work(desk)
            desk.seconds += KEY  # accepts it
        right = sum(bool((desk.heads == desk.gold).all()) for desk in desks)
        words = sum(len(desk.gold) for desk in desks)
        seconds = sum(desk.seconds for desk in desks)
        yield {
            "language": treebank.language,
            "way": name,
            "sentences": len(desks),
            "seconds_per_sentence": f"{seconds / len(desks):.2f}",
            "right_percent": f"{100 * right / len(desks):.2f}",
            "seconds_per_right_tree": f"{seconds / right:.2f}",
            "seen_percent": f"{100 * sum(desk.looks for desk in desks) / words:.2f}",
            "corrections": sum(desk.corrections for desk in desks),
        }


def report(place: Place) -> None:
    """Two tables: seconds per right tree, and what the last way leaves."""
    rows = tables.read_csv(place.results("annotation"))
    found = {(row["language"], row["way"]): row for row in rows}
    languages = list(dict.fromkeys(row["language"] for row in rows))
    header = ["treebank", *WAYS, "saved"]
    body = []
    for language in languages:
        seconds = [found[language, way]["seconds_per_right_tree"] for way in WAYS]
        saved = f"{100 * (1 - seconds[-1] / seconds[0]):.0f} %"
        body.append([language, *(f"{value:.1f}" for value in seconds), saved])
    place.put_table("annotation", tables.table(header, body))
    header = [
        "treebank",
        "certainty: words seen",
        "trees right",
        "all: words seen",
        "trees right",
        "corrections: plain",
        "re-decoding",
    ]
    body = []
    for language in languages:
        cells = [
            f"{found[language, way][column]:.0f} %"
            for way in ("certainty", "all")
            for column in ("seen_percent", "right_percent")
        ]
        corrections = [
            f"{found[language, way]['corrections']:,}" for way in ("plain", "re-decoding")
        ]
        body.append([language, *cells, *corrections])
    place.put_table("annotation-seen", tables.table(header, body))
