"""The chart of the README: the time for fifty trees of a sentence, on a logarithmic scale."""

from __future__ import annotations

import math
from pathlib import Path

from tools import tables
from tools.figures import as_time

WIDTH, LEFT, RIGHT, ROW, TOP = 760, 250, 150, 34, 64
AXIS = (1.0, 1e7)  # µs
# The programs that list K best trees, as bars; those that are older versions of one are left out.
BARS = {
    "coppice": "coppice (C++)",
    "coppice-python": "coppice from Python",
    "rank-spanning-branchings": "rank_spanning_branchings (C++)",
    "chuliuedmonds": "ChuLiuEdmonds (Java)",
    "spanningtrees": "spanningtrees (Python)",
    "networkx": "networkx (Python)",
}


#: What it shows: weights, K, root rule.
TASK = ("english", 50, "any")


def times(rows: list[tables.Row]) -> dict[str, tuple[float, str]]:
    """Of English, any root, K = 50: microseconds for each program, a note where lists are wrong."""
    of_task = [row for row in rows if (row["weights"], row["k"], row["root"]) == TASK]
    found = {"coppice": (sorted(row["our_us"] for row in of_task)[len(of_task) // 2], "")}
    for row in of_task:
        wrong = f", {row['wrong']} of {row['graphs']} lists wrong" if row["wrong"] else ""
        found[row["peer"]] = (row["us"], wrong)
    return {name: found[name] for name in BARS if name in found}


def place(microseconds: float) -> float:
    """Where a time is on the axis."""
    low, high = (math.log10(end) for end in AXIS)
    share = (math.log10(microseconds) - low) / (high - low)
    return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)


def chart(rows: list[tables.Row]) -> str:
    """The chart as SVG."""
    bars = times(rows)
    bottom = TOP + ROW * len(bars)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 34}" '
        'font-family="sans-serif" font-size="14" fill="#222">',
        f'<rect width="{WIDTH}" height="{bottom + 34}" rx="8" fill="#fff"/>',
        '<text x="16" y="26" font-size="16" font-weight="bold">'
        "The 50 best trees of an English sentence: time on one core</text>",
        '<text x="16" y="46" font-size="12" fill="#555">'
        "English test set, any number of root edges, logarithmic scale</text>",
    ]
    for power in range(int(math.log10(AXIS[0])), int(math.log10(AXIS[1])) + 1):
        x = place(10**power)
        lines.append(f'<path d="M{x} {TOP}V{bottom}" stroke="#ddd"/>')
        lines.append(
            f'<text x="{x}" y="{bottom + 18}" font-size="12" fill="#555" text-anchor="middle">'
            f"{as_time(10**power)}</text>"
        )
    for i, (name, (microseconds, wrong)) in enumerate(bars.items()):
        y, end = TOP + ROW * i, place(microseconds)
        colour = "#1f6b4c" if name.startswith("coppice") else "#b9b9b9"
        lines.append(f'<text x="{LEFT - 10}" y="{y + 21}" text-anchor="end">{BARS[name]}</text>')
        lines.append(
            f'<rect x="{LEFT}" y="{y + 6}" width="{end - LEFT:.1f}" '
            f'height="{ROW - 12}" fill="{colour}"/>'
        )
        lines.append(f'<text x="{end + 6:.1f}" y="{y + 21}">{as_time(microseconds)}{wrong}</text>')
    return "\n".join([*lines, "</svg>", ""])


def write(rows: list[tables.Row], path: Path) -> None:
    """Write the chart."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(chart(rows), encoding="utf-8")
