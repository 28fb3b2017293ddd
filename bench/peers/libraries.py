"""The libraries that can be compared, and what each of them offers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Library:
    """What a library offers."""

    name: str
    title: str
    many: bool = False  # K best
    single: bool = True  # exactly one root edge (by itself, or by weights: see its adapter)
    best: bool = True  # one best, in the table of one best
    share: int = 1  # takes every so many graphs, being slow


LIBRARIES = [
    Library("spanningtrees", "the authors' `spanningtrees` (Python)", many=True),
    Library(
        "spanningtrees-camerini", "the same, `KBestCamerini`", many=True, single=False, best=False
    ),
    Library("chuliuedmonds", "ChuLiuEdmonds (Java)", many=True, single=False, best=False),
    Library("networkx", "networkx, `ArborescenceIterator`", many=True, single=False, share=5),
    Library("networkx-2.8", "networkx 2.8", many=True, single=False, best=False, share=5),
    Library("arbok", "arbok, matrix solver (C++)"),
    Library("lemon", "LEMON (C++)"),
    Library("edmonds-alg", "edmonds-alg on Boost (C++)"),
    Library("ufal", "ufal (C++ in Python)"),
    Library("synjax", "SynJax, compiled function"),
    Library("stanza", "stanza (numpy)"),
    Library("supar", "SuPar (torch)"),
    Library("coppice-python", "coppice, called from Python", many=True),
]
