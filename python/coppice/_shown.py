"""Results to look at and to take away: CoNLL-U, text, drawings, pages, data frames."""

from __future__ import annotations

import html
import itertools
import os
import sys
import tempfile
import webbrowser
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, overload

import numpy as np

from coppice import _core
from coppice._frames import to_frame

if TYPE_CHECKING:
    import pandas

    from coppice._results import KBestResult


def sentence_of(result: KBestResult) -> _core.Sentence:
    """As the extension draws and writes it; it checks every number."""
    labels, names = result.labels, list(result.label_names)
    if labels is not None:
        labels = np.maximum(labels, np.iinfo(np.int32).min)  # what is negative is refused
        # Labels without a name are called by their number; their places follow the names.
        unnamed = np.unique(labels[labels >= len(names)])
        places = len(names) + np.searchsorted(unnamed, labels)
        labels = np.where(labels < len(names), labels, places).astype(np.int32)
        names += [str(label) for label in unnamed.tolist()]
    sentence = _core.Sentence(result.id, result.words, result.tags)
    heads, scores = np.ascontiguousarray(result.heads), np.ascontiguousarray(result.scores)
    sentence.set_trees(heads, scores, labels, names if labels is not None else [])
    sentence.set_error(result.error)
    if result._notes.conllu:
        sentence.set_conllu(result._notes.conllu)
    if (found := result._probabilities) is not None:
        sentence.set_confidence(
            np.ascontiguousarray(found.trees),
            np.ascontiguousarray(found.heads),
            None if found.labels is None else np.ascontiguousarray(found.labels),
            np.ascontiguousarray(found.other_heads),
            np.ascontiguousarray(found.others),
        )
    return sentence


#: Characters of a text that are made at a time.
_PIECE = 1 << 20


def conllu_of(result: KBestResult, text: str, highlight: float) -> Iterator[str]:
    """All trees as CoNLL-U, in pieces of some trees each."""
    sentence = sentence_of(result)
    rank, trees = 0, len(result)
    while True:
        piece, rank = sentence.conllu(text, float(highlight), rank, _PIECE)
        yield piece
        if rank >= trees:
            return


def written(pieces: Iterable[str], file: TextIO | None) -> str | None:
    """Into the file, one after the other; without one, all of them as one string."""
    if file is None:
        return "".join(pieces)
    if not hasattr(file, "write"):
        raise TypeError(f"file is {file!r}; need an open text file: open(path, 'w')")
    for piece in pieces:
        file.write(piece)
    return None


def drawings(result: KBestResult) -> str:
    """The best trees, drawn; for notebooks."""
    parts = [f"<div>{html.escape(repr(result))}</div>"]
    for rank in range(min(len(result), 3)):
        caption = f"{rank + 1}: score {result.scores[rank]:g}, gap {result.gaps[rank]:g}"
        # At their own size: long sentences scroll.
        parts.append(f'<div style="overflow-x:auto">{caption}<br>{result.to_svg(rank)}</div>')
    return "\n".join(parts)


class ShownResults(Iterable["KBestResult"]):
    """How the trees of many sentences are shown."""

    __slots__ = ()

    @overload
    def to_conllu(self, file: None = ..., *, highlight: float = ...) -> str: ...
    @overload
    def to_conllu(self, file: TextIO, *, highlight: float = ...) -> None: ...
    def to_conllu(self, file: TextIO | None = None, *, highlight: float = 0.0) -> str | None:
        """All trees of all sentences, as `KBestResult.to_conllu`."""
        pieces = (piece for each in self for piece in conllu_of(each, "", highlight))
        return written(pieces, file)

    def to_text(self) -> str:
        """All trees of all sentences, as `KBestResult.to_text`."""
        return "".join(sentence.to_text() for sentence in self)

    def to_html(self, *, title: str = "coppice", caption: str = "") -> str:
        """One page of all sentences, as ``coppice view`` makes it."""
        return to_html(self, title=title, caption=caption)

    def show(self, *, title: str = "coppice") -> Page:
        """Open that page: in a notebook below the cell, else in the browser."""
        return show(self, title)

    def to_frame(self) -> pandas.DataFrame:
        """One data frame, as `KBestResult.to_frame`."""
        return to_frame(self)

    def _repr_html_(self) -> str:
        """The best trees of the first sentences, drawn; for notebooks."""
        parts = [f"<div>{html.escape(repr(self))}</div>"]
        for result in itertools.islice(self, 3):
            best = result.to_svg() if len(result) else html.escape(result.error)
            caption = html.escape(result.id)
            parts.append(f'<div style="overflow-x:auto">{caption}<br>{best}</div>')
        return "\n".join(parts)


class Page:
    """A page as ``coppice view`` makes it; notebooks show it in a frame of its own."""

    def __init__(self, text: str) -> None:
        self.text = text

    def open(self) -> Path:
        """Show it in the browser; returns the file that it lies in."""
        handle, name = tempfile.mkstemp(prefix="coppice-", suffix=".html")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(self.text)
        webbrowser.open(Path(name).as_uri())
        return Path(name)

    def _repr_html_(self) -> str:
        frame = 'style="width:100%;height:720px;border:0"'
        return f'<iframe {frame} srcdoc="{html.escape(self.text)}"></iframe>'

    def __repr__(self) -> str:
        return f"<Page of {len(self.text)} characters>"


def show(results: Iterable[KBestResult], title: str) -> Page:
    """Opened in the browser; a notebook shows what is returned."""
    page = Page(to_html(results, title=title))
    if not in_notebook():
        page.open()
    return page


def in_notebook() -> bool:
    """Whether what a cell returns is shown as HTML."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


def to_html(results: Iterable[KBestResult], *, title: str, caption: str = "") -> str:
    """A page to walk through the trees of many sentences."""
    return _core.page([sentence_of(result) for result in results], title, caption)
