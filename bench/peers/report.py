"""The tables of docs/comparison.md."""

from __future__ import annotations

import statistics
from pathlib import Path

from bench.peers.libraries import LIBRARIES
from tools import tables

Task = tuple[str, int, int]  # weights, words, K

MANY: list[Task] = [("english", 0, k) for k in (10, 20, 50)]
MANY += [("peaked", words, 50) for words in (5, 10, 20, 40)]
ONE: list[Task] = [(kind, words, 1) for kind in ("uniform", "peaked") for words in (10, 20, 40, 80)]


def report(rows: list[tables.Row], page: Path) -> None:
    """Who was wrong how often; then one table for each root rule, and for many trees and one."""
    titles = {library.name: library.title for library in LIBRARIES}
    tables.put_table(page, "peers", wrong_answers(rows, titles))
    for root in ("single", "any"):
        of_root = [row for row in rows if row["root"] == root]
        tables.put_table(page, f"kbest-{root}", ratios(of_root, titles, MANY))
        tables.put_table(page, f"best-{root}", ratios(of_root, titles, ONE))


def wrong_answers(rows: list[tables.Row], titles: dict[str, str]) -> str:
    """Over all graphs, lists of many trees and single trees apart."""
    lines = []
    for name, title in titles.items():
        of_peer = [row for row in rows if row["peer"] == name]
        if of_peer:
            many = [row for row in of_peer if row["k"] > 1]
            one = [row for row in of_peer if row["k"] == 1]
            lines.append([title, str(of_peer[0]["version"]), share(many), share(one)])
    return tables.table(["", "version", "wrong lists", "wrong best trees"], lines)


def share(rows: list[tables.Row]) -> str:
    """How many of the graphs got a wrong answer."""
    graphs = sum(row["graphs"] for row in rows)
    return f"{sum(row['wrong'] for row in rows):,} of {graphs:,}" if graphs else ""


def ratios(rows: list[tables.Row], titles: dict[str, str], wanted: list[Task]) -> str:
    """How many times as long as ours each of them takes."""
    found = {(row["peer"], row["weights"], row["words"], row["k"]): row for row in rows}
    ours = ["**coppice (C++), time per graph**"]
    for task in wanted:
        times = [row["our_us"] for key, row in found.items() if key[1:] == task]
        ours.append(f"{statistics.median(times):.3g} µs" if times else "")
    lines = [ours]
    for name, title in titles.items():
        if any((name, *task) in found for task in wanted):
            lines.append([title, *(cell(found.get((name, *task))) for task in wanted)])
    return tables.table(["", *map(heading, wanted)], lines)


def heading(task: Task) -> str:
    """Of a column."""
    weights, words, k = task
    graphs = "English" if weights == "english" else f"{weights}, N = {words}"
    return graphs if k == 1 else f"{graphs}, K = {k}"


def cell(row: tables.Row | None) -> str:
    """The ratio, and the share of wrong answers if there are any."""
    if row is None:
        return ""
    ratio = f"{row['ratio']:,.0f} ×" if row["ratio"] >= 10 else f"{row['ratio']:.1f} ×"
    return ratio if row["wrong"] == 0 else f"{ratio} ({row['wrong'] / row['graphs']:.0%} wrong)"
