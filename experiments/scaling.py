"""Time against N and against K, dense and sparse, with and without the root rule."""

from __future__ import annotations

from typing import Any

from experiments import common
from experiments.common import BUNDLED, Place, Settings
from experiments.runtime import run_timing
from tools import tables
from tools.tables import Row


def measure(settings: Settings, place: Place) -> None:
    """Time in C++ (bench/timing.cpp)."""
    limit = ["50"] if settings.quick else []
    command = ["scaling", str(BUNDLED / "English-EWT.npz"), str(settings.rounds), *limit]
    place.results("scaling").write_text(run_timing(command), encoding="utf-8")


def report(place: Place) -> None:
    """Two tables and two figures."""
    rows = tables.read_csv(place.results("scaling"))
    draw_n(rows, place)
    draw_k(rows, place)
    for experiment, key in (("n", "words"), ("k", "k")):
        place.put_table(f"scaling-{experiment}", as_table(rows, experiment, key))


def series(rows: list[Row], key: str, **wanted: object) -> tuple[list[int], list[float]]:
    """The chosen rows as coordinates: the key, and milliseconds."""
    chosen = [row for row in rows if all(row[name] == value for name, value in wanted.items())]
    return [row[key] for row in chosen], [row["us"] / 1000 for row in chosen]


def as_table(rows: list[Row], experiment: str, key: str) -> str:
    """The engine's times under the root rule."""
    columns = (
        [("dense", 1), ("dense", 50), ("sparse", 1), ("sparse", 50)]
        if experiment == "n"
        else [("dense", None), ("real", None), ("sparse", None)]
    )
    found = {}
    for graph, k in columns:
        wanted = {"experiment": experiment, "graph": graph, "algorithm": "engine", "root": "single"}
        if k is not None:
            wanted["k"] = k
        found[graph, k] = dict(zip(*series(rows, key, **wanted), strict=True))
    names = {"dense": "dense", "real": "40 real words", "sparse": "sparse"}
    header = ["N" if key == "words" else "K"]
    header += [names[graph] + ("" if k is None else f", K = {k}") for graph, k in columns]
    values = sorted(next(iter(found.values())))
    lines = [
        [f"{value:,}", *(duration(found[column][value]) for column in columns)] for value in values
    ]
    return tables.table(header, lines)


def duration(milliseconds: float) -> str:
    """With a unit and three digits."""
    if milliseconds < 1:
        return f"{milliseconds * 1000:.3g} µs"
    return f"{milliseconds:.3g} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.3g} s"


def lines(axis: Any, rows: list[Row], key: str, curves: tuple[tuple[Any, ...], ...]) -> None:
    """Curves on doubly logarithmic axes."""
    for label, colour, style, marker, wanted in curves:
        axis.plot(*series(rows, key, **wanted), style, marker=marker, color=colour, label=label)
    axis.set(xscale="log", yscale="log")
    axis.legend(loc="upper left", fontsize=9)


def draw_n(rows: list[Row], place: Place) -> None:
    """Against N."""
    drawn, axes = common.figure(2, width=10.5, height=4.2)
    drawn.get_layout_engine().set(wspace=0.06)
    for axis, graph, title in zip(
        axes,
        ("dense", "sparse"),
        ("Dense, uniform random", "Sparse, ten edges a node"),
        strict=True,
    ):
        of = {"experiment": "n", "graph": graph, "root": "single"}
        free = {**of, "root": "any"}
        lines(
            axis,
            rows,
            "words",
            (
                ("paper, K = 50", common.ORANGE, "-", "D", {**of, "algorithm": "paper", "k": 50}),
                ("engine, K = 50", common.BLUE, "-", "o", {**of, "algorithm": "engine", "k": 50}),
                ("  any root", common.BLUE, ":", ".", {**free, "algorithm": "engine", "k": 50}),
                ("engine, K = 1", common.GREEN, "-", "s", {**of, "algorithm": "engine", "k": 1}),
                ("  any root", common.GREEN, ":", ".", {**free, "algorithm": "engine", "k": 1}),
            ),
        )
        axis.set(title=title, xlabel="words, N")
    axes[0].set_ylabel("milliseconds a graph")
    same_range(axes)
    common.save(drawn, place.figure("scaling_n"))


def draw_k(rows: list[Row], place: Place) -> None:
    """Against K."""
    drawn, axes = common.figure(2, width=10.5, height=4.2)
    drawn.get_layout_engine().set(wspace=0.06)
    for axis, root, title in zip(
        axes, ("any", "single"), ("Any number of root edges", "One root edge"), strict=True
    ):
        of = {"experiment": "k", "root": root}
        engine = {**of, "algorithm": "engine"}
        paper = {**of, "algorithm": "paper"}
        lines(
            axis,
            rows,
            "k",
            (
                ("paper, 40 random words", common.ORANGE, "--", "D", {**paper, "graph": "dense"}),
                ("paper, 40 real words", common.PURPLE, "--", "v", {**paper, "graph": "real"}),
                ("engine, 40 random words", common.BLUE, "-", "o", {**engine, "graph": "dense"}),
                ("engine, 40 real words", common.GREEN, "-", "s", {**engine, "graph": "real"}),
                (
                    "engine, sparse, 2,000 nodes",
                    common.BLACK,
                    "-",
                    "^",
                    {**engine, "graph": "sparse"},
                ),
            ),
        )
        axis.set(title=title, xlabel="trees, K")
    axes[0].set_ylabel("milliseconds in all")
    same_range(axes)
    common.save(drawn, place.figure("scaling_k"))


def same_range(axes: Any) -> None:
    """One scale for both panels, so that they can be compared."""
    low = min(axis.get_ylim()[0] for axis in axes)
    high = max(axis.get_ylim()[1] for axis in axes)
    for axis in axes:
        axis.set_ylim(low, high)
