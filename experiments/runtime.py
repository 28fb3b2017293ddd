"""The paper's second table: Camerini's algorithm, the paper's and the engine, on English."""

from __future__ import annotations

import subprocess

from experiments import common
from experiments.common import BUNDLED, PAPER, Place, Settings
from tools import tables
from tools.tables import Row

KS = (10, 20, 50)


def measure(settings: Settings, place: Place) -> None:
    """Time in C++ (bench/timing.cpp)."""
    every = ["100"] if settings.quick else []
    command = ["runtime", str(BUNDLED / "English-EWT.npz"), str(settings.rounds), *every]
    place.results("runtime").write_text(run_timing(command), encoding="utf-8")


def run_timing(arguments: list[str]) -> str:
    """What the timing program prints."""
    command = [str(common.timing_program()), *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def report(place: Place) -> None:
    """Two tables of times, and one of what was solved."""
    found = {
        (row["graphs"], row["algorithm"], row["k"]): row
        for row in tables.read_csv(place.results("runtime"))
    }
    paper = {row["algorithm"]: row for row in tables.read_csv(PAPER / "runtime.csv")}

    def times(algorithm: str) -> list[str]:
        return [f"{found['english', algorithm, k]['us_per_sentence']:.1f} µs" for k in KS]

    def ratios(slow: str, fast: str, graphs: str = "english") -> list[str]:
        took = "us_per_sentence"
        return [f"{found[graphs, slow, k][took] / found[graphs, fast, k][took]:.2f}" for k in KS]

    header = ["", *(f"K = {k}" for k in KS)]
    lines = [
        ["Camerini et al.", *times("camerini")],
        ["`kbest`", *times("kbest")],
        ["the engine", *times("engine_any")],
        ["**`kbest` over Camerini**", *ratios("camerini", "kbest")],
        ["the same in the paper", *speed_ups(paper)],
        ["the same on 12 words with random weights", *ratios("camerini", "kbest", "random")],
        ["**engine over `kbest`**", *ratios("kbest", "engine_any")],
    ]
    place.put_table("runtime", tables.table(header, lines))
    lines = [
        ["naive start", *times("naive_dep")],
        ["`kbest_dep`", *times("kbest_dep")],
        ["the engine", *times("engine_single")],
        ["**`kbest_dep` over naive start**", *ratios("naive_dep", "kbest_dep")],
        ["the same on 12 words with random weights", *ratios("naive_dep", "kbest_dep", "random")],
        ["**engine over `kbest_dep`**", *ratios("kbest_dep", "engine_single")],
    ]
    place.put_table("runtime-single", tables.table(header, lines))
    names = {
        "camerini": "Camerini et al.",
        "kbest": "`kbest`",
        "naive_dep": "naive start",
        "kbest_dep": "`kbest_dep`",
    }
    lines = [
        [f"{name}, {graphs}", *(solved(found[graphs_key, algorithm, k]) for k in KS)]
        for graphs_key, graphs in (("english", "English"), ("random", "random"))
        for algorithm, name in names.items()
    ]
    place.put_table("solves", tables.table(header, lines))


def speed_ups(paper: dict[str, Row]) -> list[str]:
    """The third row of the paper's table."""
    return [f"{paper['camerini'][f'k{k}'] / paper['kbest'][f'k{k}']:.2f}" for k in KS]


def solved(row: Row) -> str:
    """Calls of `opt` and `next`, and contractions."""
    return f"{row['opt']:.1f} + {row['next']:.1f}, {row['contractions']:.1f}"
