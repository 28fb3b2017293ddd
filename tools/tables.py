"""Small tables: CSV files, and Markdown made of them inside our documents."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def read_csv(path: Path) -> list[Row]:
    """The rows of a CSV, numbers as numbers; lines that begin with # are comments."""
    with path.open(encoding="utf-8", newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
    return [{key: number(value) for key, value in row.items()} for row in csv.DictReader(lines)]


def number(text: str) -> int | float | str:
    """The number that a text is, or the text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """The rows, with the keys of the first as header."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Markdown, all columns but the first to the right."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def put_table(page: Path, name: str, text: str) -> None:
    """Replace what the page has between ``<!-- table NAME -->`` and ``<!-- end -->``."""
    old = page.read_text(encoding="utf-8")
    pattern = re.compile(rf"(<!-- table {re.escape(name)} -->\n).*?(\n<!-- end -->)", re.DOTALL)
    if not pattern.search(old):
        raise SystemExit(f"{page} has no place for the table {name}")
    new = pattern.sub(lambda match: match[1] + text + match[2], old)
    page.write_text(new, encoding="utf-8")
