"""The libraries that can be compared, and what each of them offers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Library:
    """What a library offers."""

    name: str
    title: str
    adapter: str = ""  # its name in worker.py; none: a program of its own
    elsewhere: bool = False  # tried only in a Python that is named for it
    many: bool = False  # K best
    one: bool = True  # the best tree
    single: bool = True  # exactly one root edge, by itself or by weights: see its adapter
    share: int = 1  # takes every so many graphs, being slow

    def offers(self, k: int, root: str) -> bool:
        """Whether it can be asked for this."""
        return (self.many if k > 1 else self.one) and (self.single or root == "any")


LIBRARIES = [
    Library(
        "spanningtrees",
        "the authors' `spanningtrees` (Python)",
        adapter="spanningtrees",
        many=True,
    ),
    Library(
        "spanningtrees-camerini",
        "the same, `KBestCamerini`",
        adapter="spanningtrees-camerini",
        many=True,
        one=False,
        single=False,
    ),
    Library("chuliuedmonds", "ChuLiuEdmonds (Java)", many=True, one=False, single=False),
    Library(
        "rank-spanning-branchings",
        "rank_spanning_branchings on Boost (C++)",
        many=True,
        one=False,
        single=False,
    ),
    Library(
        "networkx",
        "networkx, `ArborescenceIterator`",
        adapter="networkx",
        many=True,
        single=False,
        share=10,
    ),
    Library(
        "networkx-2.8",
        "networkx 2.8",
        adapter="networkx",
        elsewhere=True,
        many=True,
        one=False,
        single=False,
        share=10,
    ),
    Library("arbok", "arbok, matrix solver (C++)"),
    Library("lemon", "LEMON (C++)"),
    Library("edmonds-alg", "edmonds-alg on Boost (C++)"),
    Library("ufal", "ufal (C++ in Python)", adapter="ufal"),
    Library("synjax", "SynJax, compiled function", adapter="synjax"),
    Library("stanza", "stanza (numpy)", adapter="stanza"),
    Library("supar", "SuPar (torch)", adapter="supar"),
    Library("coppice-python", "coppice, called from Python", adapter="coppice-python", many=True),
]
