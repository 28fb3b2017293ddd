"""K best parses, and how sure they are, from the biaffine parsers of SuPar and diaparser.

>>> import supar, coppice.supar  # doctest: +SKIP
>>> parser = supar.Parser.load("dep-biaffine-en")  # doctest: +SKIP
>>> for sentence in coppice.supar.kbest(parser, [["She", "saw", "ducks"]], 10):  # doctest: +SKIP
...     print(sentence.best, sentence.probabilities)

Scores are taken where the parser decodes, ``parser.model.decode(s_arc, s_rel, mask, ...)`` (SuPar
1.1, diaparser 1.1). They are raw: here the heads of a word, and the labels of an arc, are
normalised before they are added. docs/parsers.md has more.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from coppice import _parses
from coppice._parses import ManyHeads, Parses, Scored
from coppice._problem import ManyConstraints, RootRule
from coppice._temperature import AnyTemperature
from coppice.rules import Facts

__all__ = ["kbest", "scores"]


def kbest(
    parser: Any,
    sentences: Any,
    k: int,
    *,
    root: RootRule = "single",
    constraints: ManyConstraints | None = None,
    labelled: bool = True,
    temperature: AnyTemperature | None = None,
    max_gap: float | None = None,
    threads: int = 1,
    keep: ManyHeads | bool | None = None,
    **options: Any,
) -> Parses:
    """The `k` best parses of every sentence.

    Parameters
    ----------
    parser
        A ``BiaffineDependencyParser`` of SuPar or diaparser.
    sentences
        What its ``predict`` takes: lists of words, or the name of a CoNLL file.
    k, root, constraints, max_gap, threads
        As for `coppice.kbest_batch`; rules are told labels.
    temperature
        Scores are divided by it: a number, or what `coppice.Temperature.calibrate` found.
    labelled
        The K best labelled parses, heads and labels chosen together. False: the K best trees of
        heads, all different, and of each arc the likeliest label, as the parser itself does it.
    keep
        Heads that stay, of each sentence a list as `coppice.Constraints.keep` takes it, or None;
        True: those of the CoNLL file, where they are not ``_``. The others are chosen to go with
        them.
    options
        For ``predict``, such as ``lang="en"`` for texts or ``batch_size=1000``.

    Every sentence is a `coppice.KBestResult` with words, names of labels and how sure all of it is;
    all of them together give CoNLL-U, a page and a data frame.
    """
    if isinstance(keep, bool):
        keep = _heads(sentences) if keep else None
    scored = scores(parser, sentences, **options)
    found = _parses.parse(
        scored,
        k,
        root=root,
        constraints=_parses.keep(keep, constraints, scored),
        labelled=labelled,
        temperature=temperature,
        max_gap=max_gap,
        threads=threads,
    )
    return Parses(found)


def scores(parser: Any, sentences: Any, **options: Any) -> list[Scored]:
    """The scores of every sentence, normalised: for `Temperature.calibrate`, or to be kept."""
    if not hasattr(parser, "model"):
        raise TypeError(f"parser is {parser!r}; need a BiaffineDependencyParser")
    model = parser.model
    if type(parser).__name__ != "BiaffineDependencyParser":
        raise ValueError(f"{type(parser).__name__}; need a BiaffineDependencyParser")
    matrices: list[tuple[Any, Any]] = []
    decode = model.decode

    def watch(s_arc: Any, s_rel: Any, mask: Any, *rest: Any, **more: Any) -> Any:
        arcs, relations = s_arc.detach().cpu().numpy(), s_rel.detach().cpu().numpy()
        for i, words in enumerate(mask.sum(1).tolist()):
            nodes = words + 1
            matrices.append((_arcs(arcs[i, :nodes, :nodes]), relations[i, :nodes, :nodes]))
        return decode(s_arc, s_rel, mask, *rest, **more)

    model.decode = watch
    try:
        dataset = parser.predict(sentences, **{"verbose": False, **options})
    finally:
        del model.decode
    # Sentences of one length are parsed together.
    order = np.argsort([i for bucket in dataset.buckets.values() for i in bucket])
    vocabulary = parser.transform.DEPREL.vocab
    names = tuple(vocabulary[list(range(len(vocabulary)))])
    found = []
    for sentence, at in zip(dataset.sentences, order.tolist(), strict=True):
        arcs, relations = matrices[at]
        labels = _parses.log_softmax(relations, -1).swapaxes(0, 1)
        found.append(Scored(arcs, labels, names, f"{sentence}\n", Facts(names)))
    return found


def _heads(path: Any) -> list[list[str]]:
    """Of every sentence of a CoNLL file the heads that its words have."""
    if not isinstance(path, (str, os.PathLike)) or not os.path.isfile(path):
        raise TypeError("keep is True; need the name of a CoNLL file, whose heads stay")
    found: list[list[str]] = [[]]
    with open(path, encoding="utf-8") as file:
        for line in file:
            columns = line.rstrip("\n").split("\t")
            if not line.strip():
                found.append([])
            elif columns[0].isdigit() and len(columns) > 6:
                found[-1].append(columns[6])
    return [heads for heads in found if heads]


def _arcs(arcs: Any) -> Any:
    """[head, dependent], no word being its own head."""
    arcs = arcs.copy()
    np.fill_diagonal(arcs, -np.inf)
    return _parses.log_softmax(arcs, 1).T
