"""Files that the program reads: scores, labels and graphs (docs/formats.md)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from coppice._arrays import ArrayInput, Axes, as_array, as_matrix
from coppice._graph import Multigraph
from coppice._labels import Labels, narrow_labels
from coppice._output import whole_file
from coppice._phrases import counted


def write_scores(
    path: str | os.PathLike[str],
    matrices: Iterable[ArrayInput],
    *,
    axes: Axes = "head,dep",
    heads: Iterable[Sequence[int]] | None = None,
) -> None:
    """Score matrices as an archive (``.npz``) for ``coppice decode`` and all other commands.

    `heads` are the gold heads of every sentence, one for each word, 0 for the root.
    """
    scores = [as_matrix(matrix, axes) for matrix in matrices]
    flat = [matrix.ravel() for matrix in scores] or [np.zeros(0, np.float32)]
    arrays: dict[str, Any] = {
        "scores": np.concatenate(flat),
        "lengths": np.asarray([len(m) - 1 for m in scores], np.int64),
    }
    if heads is not None:
        gold = [np.asarray(sentence, np.int32) for sentence in heads]
        for i, (matrix, sentence) in enumerate(zip(scores, gold, strict=True)):
            if sentence.shape != (len(matrix) - 1,):
                words = counted(len(matrix) - 1, "word")
                raise ValueError(f"sentence {i}: {counted(len(sentence), 'head')} for {words}")
        arrays["heads"] = np.concatenate([np.zeros(0, np.int32), *gold])
    with whole_file(path) as file:
        np.savez_compressed(file, **arrays)


def write_labels(path: str | os.PathLike[str], labels: Labels) -> None:
    """What `Labels.write` does."""
    scores = []
    for i, given in enumerate(labels.scores):
        values = as_array(given, "labels")
        if values.ndim != 3 or values.shape[0] != values.shape[1]:
            raise ValueError(f"sentence {i}: labels has shape {values.shape}")
        try:
            scores.append(narrow_labels(values))
        except ValueError as error:
            raise ValueError(f"sentence {i}: {error}") from None
    if len({values.shape[2] for values in scores}) > 1:
        raise ValueError("all sentences must have the same number of choices")
    choices = scores[0].shape[2] if scores else 1
    if labels.ids is None:
        ids = [np.broadcast_to(np.arange(choices), values.shape) for values in scores]
    else:
        ids = [as_array(values, "ids of labels") for values in labels.ids]
    for i, (values, own) in enumerate(zip(scores, ids, strict=True)):
        if own.shape != values.shape:
            raise ValueError(f"sentence {i}: ids of labels has shape {own.shape}")
        if own.size and not 0 <= own.min() <= own.max() < len(labels.names):
            raise ValueError(f"sentence {i}: a label has no name in names")
    flat = [np.zeros((0, choices), np.float32), *(values.reshape(-1, choices) for values in scores)]
    flat_ids = [np.zeros((0, choices)), *(values.reshape(-1, choices) for values in ids)]
    arrays: dict[str, Any] = {
        "lp": np.concatenate(flat),
        "id": np.concatenate(flat_ids).astype(np.int32),
        "names": np.asarray(list(labels.names)),
    }
    with whole_file(path) as file:
        np.savez_compressed(file, **arrays)


def write_graphs(path: str | os.PathLike[str], graphs: Iterable[Multigraph]) -> None:
    """What `Multigraph.write_many` does."""
    text = "\n".join(_edge_list(graph, i) for i, graph in enumerate(graphs)).encode()
    with whole_file(path) as file:
        file.write(text)


def _edge_list(graph: Multigraph, place: int) -> str:
    if not isinstance(graph, Multigraph):
        raise TypeError(f"graph {place} is a {type(graph).__name__}; need a Multigraph")
    lines = ["source\ttarget\tweight\n"]
    count = len(graph)
    for source, target, weight in zip(
        graph.sources[:count].tolist(),
        graph.targets[:count].tolist(),
        graph.weights[:count].tolist(),
        strict=True,
    ):
        names = [str(graph.name(node)) for node in (source, target)]
        for name in names:
            if not name or name.startswith("#") or set(name) & set("\t\n\r"):
                raise ValueError(f"{name!r} cannot be written as a name in TSV")
        lines.append(f"{names[0]}\t{names[1]}\t{weight!r}\n")
    return "".join(lines)
