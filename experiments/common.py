"""What all experiments share: where things are, treebanks, CSVs, tables, the look of figures."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
from matplotlib import pyplot as plt

from tools import tables
from tools.tables import Row, read_csv, write_csv

REPOSITORY = Path(__file__).resolve().parents[1]
BUNDLED = REPOSITORY / "data" / "ud-scores"
PAPER = Path(__file__).parent / "paper"

#: Language in the paper, score file; by size of the training set.
TREEBANKS = {
    "English": "English-EWT",
    "North Sami": "North_Sami-Giella",
    "Uyghur": "Uyghur-UDT",
    "Vietnamese": "Vietnamese-VTB",
    "Afrikaans": "Afrikaans-AfriBooms",
    "Maltese": "Maltese-MUDT",
    "Marathi": "Marathi-UFAL",
    "Lithuanian": "Lithuanian-HSE",
    "Kazakh": "Kazakh-KTB",
    "Buryat": "Buryat-BDT",
    "Livvi": "Livvi-KKPP",
}

#: Okabe and Ito's colours, which the colour blind can tell apart.
BLUE, ORANGE, GREEN, PURPLE, BLACK = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#222222"
GREY = "#9A9A9A"


@dataclass(frozen=True)
class Settings:
    """How to measure."""

    folders: Sequence[Path]
    rounds: int = 5
    quick: bool = False


@dataclass(frozen=True)
class Place:
    """Where CSVs, figures and the page are, below one folder."""

    folder: Path

    @property
    def page(self) -> Path:
        """The page that shows tables and figures."""
        return self.folder / "docs" / "experiments.md"

    @property
    def long_tables(self) -> Path:
        """The page with the tables that are too long for the other one."""
        return self.folder / "docs" / "internals" / "experiments.md"

    def put_table(self, name: str, text: str) -> None:
        """Replace the table of that name, on whichever page it is."""
        mark = f"<!-- table {name} -->"
        long = mark in self.long_tables.read_text(encoding="utf-8")
        tables.put_table(self.long_tables if long else self.page, name, text)

    def results(self, name: str) -> Path:
        """The CSV of that name."""
        return self.folder / "experiments" / "results" / f"{name}.csv"

    def figure(self, name: str) -> Path:
        """The figure of that name."""
        return self.folder / "docs" / "images" / "experiments" / f"{name}.svg"

    def copied_to(self, folder: Path) -> Place:
        """The pages and the CSVs as they are now, in another folder."""
        other = Place(folder)
        for path in (self.page, self.long_tables, *self.results("x").parent.glob("*.csv")):
            target = folder / path.relative_to(self.folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
        return other


@dataclass(frozen=True)
class Treebank:
    """Parser scores and gold heads of a test set."""

    language: str
    lengths: np.ndarray
    scores: np.ndarray  # flat, [head, dependent] per sentence
    heads: list[np.ndarray]  # gold, of every sentence


def treebanks(settings: Settings) -> Iterator[Treebank]:
    """Those that are found, and a word about those that are not."""
    missing = []
    for language, name in TREEBANKS.items():
        paths = [folder / f"{name}.npz" for folder in settings.folders]
        path = next((path for path in paths if path.exists()), None)
        if path is None:
            missing.append(language)
        else:
            yield read_treebank(language, path, 20 if settings.quick else None)
    if missing:
        print(f"  not found, kept as recorded: {', '.join(missing)} (--data FOLDER)")


def read_treebank(language: str, path: Path, sentences: int | None = None) -> Treebank:
    """All or the first sentences of a score file (format: data/README.md)."""
    with np.load(path) as arrays:
        lengths = arrays["lengths"][:sentences]
        words = int(lengths.sum())
        cells = int(((lengths.astype(np.int64) + 1) ** 2).sum())
        scores, heads = arrays["scores"][:cells], arrays["heads"][:words]
    return Treebank(language, lengths, scores, np.split(heads, np.cumsum(lengths)[:-1]))


def update_csv(path: Path, rows: Sequence[Row]) -> None:
    """The rows, and those recorded before of languages that are not among them."""
    found = {row["language"] for row in rows}
    old = [row for row in read_csv(path) if row["language"] not in found] if path.exists() else []
    order = {language: i for i, language in enumerate(TREEBANKS)}
    write_csv(path, sorted([*rows, *old], key=lambda row: order[row["language"]]))


def figure(columns: int, width: float = 9.0, height: float = 3.8) -> tuple[Any, Any]:
    """Panels side by side."""
    plt.rcParams.update(
        {
            "axes.grid": True,
            "axes.spines.right": False,
            "axes.spines.top": False,
            "axes.titlelocation": "left",
            "axes.titlesize": 11,
            "figure.facecolor": "white",
            "font.size": 10,
            "grid.color": "#E6E6E6",
            "legend.frameon": False,
            "lines.linewidth": 1.8,
            "lines.markersize": 5,
            "svg.fonttype": "path",
            "svg.hashsalt": "coppice",  # the same file from the same numbers
        }
    )
    drawn, axes = plt.subplots(1, columns, figsize=(width, height), layout="constrained")
    for axis in np.atleast_1d(axes):
        axis.set_axisbelow(True)
    return drawn, axes


def save(drawn: Any, path: Path) -> None:
    """As SVG, with no date in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    drawn.savefig(path, metadata={"Date": None})
    plt.close(drawn)


def timing_program() -> Path:
    """The C++ program that times algorithms (bench/timing.cpp)."""
    path = REPOSITORY / "build" / "bench" / "experiments_timing"
    if not path.exists():
        raise SystemExit(f"no {path.relative_to(REPOSITORY)}; run `make experiments`")
    return path
