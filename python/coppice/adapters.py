"""K best trees for parsers as they are: their scores in, heads as they want them out.

Libraries differ in which axis is the head, where the root is, what a length counts, and what
stands at the root in a list of heads. Each function here takes what one of them has at the place
where it decodes, and gives back what it expects there. With ``k=None`` that is the best tree in
just the form the library has, and a sentence without a tree is a `ValueError` that names it. With
a number of trees there are `KBestHeads`: one more axis, for the ranks, and how many there are.

Scores may be numpy arrays or torch tensors; heads are of the same kind. Label scores are added to
arc scores as they are: both must be log-probabilities, or logits that were trained together
(docs/parsers.md has the traps). `constraints` are those of `coppice.kbest_batch`.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast, overload

import numpy as np

from coppice._arrays import Array, ArrayInput, Axes, Int32Array, as_array, as_scores, is_tensor
from coppice._batch import kbest_batch
from coppice._batches import BatchResult
from coppice._decode import best
from coppice._problem import Constraints, ManyConstraints, RootRule

__all__ = [
    "allennlp",
    "chu_liu_edmonds",
    "spacy",
    "stanza",
    "supar",
    "synjax",
    "torch_struct",
]


class KBestHeads(NamedTuple):
    """K best trees in the form of a library.

    Where there is no word or no tree, heads and labels are -1, which is no node; lists have as many
    rows as there are trees. The best tree of sentence i is there if ``counts[i]`` is not 0.
    """

    heads: Any
    #: As `heads`, where labels were given.
    labels: Any
    #: [sentences, k], minus infinity where there is no tree.
    scores: Any
    #: [sentences]: how many trees there are, at most k.
    counts: Any


def _like(values: ArrayInput, array: Array) -> Any:
    """The array as a tensor on the device of `values`, where those are a tensor."""
    if not is_tensor(values):
        return array
    import torch

    tensor: Any = values
    return torch.from_numpy(array if array.flags.writeable else array.copy()).to(tensor.device)


def _count(k: int | None) -> int:
    """How many trees to ask for; without `k` the best one."""
    return 1 if k is None else k


def _words(lengths: ArrayInput, scores: ArrayInput) -> Array:
    """The numbers of words, where lengths count the root; a mask stays what it is."""
    array = as_array(lengths, "lengths")
    if array.dtype == np.bool_:
        return array
    listed = isinstance(scores, (list, tuple))
    nodes = [len(each) for each in cast(Any, scores)] if listed else np.shape(cast(Any, scores))[-1]
    room = np.resize(nodes, array.size)
    for i, length in enumerate(array.ravel().tolist()):
        if not 1 <= length <= room[i]:
            said = f"length {length}, the matrix has {room[i]} nodes; lengths count the root here"
            raise ValueError(f"sentence {i}: {said}")
    return array - 1


def _need_trees(result: BatchResult) -> None:
    """Whoever asks for the best tree alone cannot be told that there is none but by an error."""
    missing = np.flatnonzero(result.counts == 0)
    if missing.size:
        raise ValueError(f"sentence {missing[0]}: there is no tree")


def _with_root(rows: Int32Array, counts: Array, root_value: int) -> Array:
    """int64 [sentences, k, words + 1], with an entry for the root where there is a tree."""
    padded = np.pad(rows.astype(np.int64), ((0, 0), (0, 0), (1, 0)), constant_values=-1)
    padded[:, :, 0][np.arange(rows.shape[1]) < counts[:, None]] = root_value
    return padded


def _without_padding(best: Array, lengths: Array) -> Array:
    """[sentences, words + 1] with 0 behind the words, as the libraries have it."""
    return np.where(np.arange(best.shape[1]) <= lengths[:, None], best, 0)


def _dense(
    like: ArrayInput, result: BatchResult, k: int | None, root_value: int, root_column: bool = True
) -> Any:
    """Padded arrays, int64, with or without a column for the root."""
    rows = [result.heads] if result.labels is None else [result.heads, result.labels]
    first = 0 if root_column else 1
    arrays = [
        _with_root(each, result.counts, value)
        for each, value in zip(rows, (root_value, 0), strict=False)
    ]
    if k is None:
        _need_trees(result)
        best = [
            _like(like, _without_padding(each[:, 0], result.lengths)[:, first:]) for each in arrays
        ]
        return best[0] if len(best) == 1 else tuple(best)
    all_trees = [_like(like, np.ascontiguousarray(each[:, :, first:])) for each in arrays]
    return KBestHeads(
        all_trees[0],
        all_trees[1] if len(all_trees) > 1 else None,
        _like(like, result.scores),
        _like(like, result.counts),
    )


def _listed(result: BatchResult, k: int | None, diagonal: bool = False) -> Any:
    """An array [trees, words] for every sentence."""
    heads = [_to_diagonal(each.heads) if diagonal else each.heads for each in result]
    labels = None if result.labels is None else [each.labels for each in result]
    if k is not None:
        return KBestHeads(heads, labels, result.scores, result.counts)
    _need_trees(result)
    best = [each[0] for each in heads]
    if labels is None:
        return best
    return best, [each[0] for each in labels if each is not None]


@overload
def stanza(
    scores: ArrayInput,
    lengths: ArrayInput,
    k: None = ...,
    *,
    root: RootRule = ...,
    labels: ArrayInput | None = ...,
    constraints: ManyConstraints | None = ...,
) -> Any: ...
@overload
def stanza(
    scores: ArrayInput,
    lengths: ArrayInput,
    k: int,
    *,
    root: RootRule = ...,
    labels: ArrayInput | None = ...,
    constraints: ManyConstraints | None = ...,
) -> KBestHeads: ...
def stanza(
    scores: ArrayInput,
    lengths: ArrayInput,
    k: int | None = None,
    *,
    root: RootRule = "single",
    labels: ArrayInput | None = None,
    constraints: ManyConstraints | None = None,
) -> Any:
    """stanza, trankit: [sentences, dependent, head], root 0, lengths that count the root.

    In ``GraphParser.decode_graph_predictions`` of ``stanza/models/depparse/model.py`` (1.15) these
    are ``preds[0]``, ``sentlens`` and, as `labels`, ``preds[2]``; label ids lack
    ``VOCAB_PREFIX_SIZE``. Instead of ``chuliu_edmonds_one_root(scores)[1:]`` in that loop: for
    every sentence its heads [words], with `labels` (heads, labels); with `k` lists of
    [trees, words] in `KBestHeads`. `coppice.stanza` does all of it for a ``stanza.Pipeline``.
    In trankit 1.1 (``pipeline.py``) these are ``predicted_dep[0]`` and ``sentlens``, instead of
    ``chuliu_edmonds_one_root(adj[:l, :l])[1:]``.
    """
    words = _words(lengths, scores)
    result = kbest_batch(
        scores,
        _count(k),
        lengths=words,
        root=root,
        axes="dep,head",
        labels=labels,
        constraints=constraints,
    )
    return _listed(result, k)


@overload
def supar(
    scores: ArrayInput,
    mask: ArrayInput,
    k: None = ...,
    *,
    multiroot: bool = ...,
    root_value: int = ...,
    labels: ArrayInput | None = ...,
    constraints: ManyConstraints | None = ...,
) -> Any: ...
@overload
def supar(
    scores: ArrayInput,
    mask: ArrayInput,
    k: int,
    *,
    multiroot: bool = ...,
    root_value: int = ...,
    labels: ArrayInput | None = ...,
    constraints: ManyConstraints | None = ...,
) -> KBestHeads: ...
def supar(
    scores: ArrayInput,
    mask: ArrayInput,
    k: int | None = None,
    *,
    multiroot: bool = False,
    root_value: int = 0,
    labels: ArrayInput | None = None,
    constraints: ManyConstraints | None = None,
) -> Any:
    """SuPar, diaparser: [sentences, dependent, head], root 0, a mask that is false for the root.

    Instead of ``MatrixTree(scores, lens, multiroot).argmax`` or ``mst(scores, mask, multiroot)``:
    heads, int64 [sentences, words + 1], `root_value` at the root and 0 at padding; with `k`
    `KBestHeads` of [sentences, k, words + 1]. `mask` may also be lengths, which do not count the
    root. With `labels`, ``s_rel`` there, (heads, labels). `coppice.supar` does all of it for a
    loaded parser.
    """
    rule: RootRule = "any" if multiroot else "single"
    result = kbest_batch(
        scores,
        _count(k),
        lengths=mask,
        root=rule,
        axes="dep,head",
        labels=labels,
        constraints=constraints,
    )
    return _dense(scores, result, k, root_value)


@overload
def allennlp(
    energy: ArrayInput,
    length: int,
    has_labels: bool = ...,
    k: None = ...,
    *,
    root: RootRule = ...,
    root_value: int = ...,
    constraints: Constraints | None = ...,
) -> Any: ...
@overload
def allennlp(
    energy: ArrayInput,
    length: int,
    has_labels: bool,
    k: int,
    *,
    root: RootRule = ...,
    root_value: int = ...,
    constraints: Constraints | None = ...,
) -> KBestHeads: ...
@overload
def allennlp(
    energy: ArrayInput,
    length: int,
    has_labels: bool = ...,
    *,
    k: int,
    root: RootRule = ...,
    root_value: int = ...,
    constraints: Constraints | None = ...,
) -> KBestHeads: ...
def allennlp(
    energy: ArrayInput,
    length: int,
    has_labels: bool = False,
    k: int | None = None,
    *,
    root: RootRule = "any",
    root_value: int = -1,
    constraints: Constraints | None = None,
) -> Any:
    """AllenNLP, udify, MaChAmp: one sentence [head, dependent] or [label, head, dependent].

    Instead of ``decode_mst(energy, length, has_labels)``, where `length` counts the root: heads
    and labels (or None), int32 [nodes], padded with 0, `root_value` at the root; with `k`
    `KBestHeads` of [k, nodes] with one count. With labels these are the best labelled trees; the
    energies are not changed. Where they are probabilities, as in AllenNLP, take their logarithm
    first.
    """
    array = as_scores(energy, "energy")
    if array.ndim != (3 if has_labels else 2):
        raise ValueError(f"energy has shape {array.shape}; has_labels is {has_labels}")
    arcs, choices = array, None
    if has_labels:
        arcs, choices = np.zeros(array.shape[1:]), np.moveaxis(array, 0, -1)[None]
    result = kbest_batch(
        arcs[None],
        _count(k),
        lengths=_words([length], arcs[None]),
        root=root,
        labels=choices,
        constraints=constraints,
    )
    found = _dense(arcs, result, k, root_value)
    if k is not None:
        heads, labels = found.heads[0].astype(np.int32), found.labels
        labels = None if labels is None else labels[0].astype(np.int32)
        return KBestHeads(heads, labels, found.scores[0], int(found.counts[0]))
    heads, labels = found if has_labels else (found, None)
    return heads[0].astype(np.int32), None if labels is None else labels[0].astype(np.int32)


@overload
def synjax(
    log_potentials: ArrayInput,
    lengths: ArrayInput | None = ...,
    k: int = ...,
    *,
    single_root_edge: bool,
    constraints: ManyConstraints | None = ...,
) -> tuple[Array, Array]: ...
@overload
def synjax(
    log_potentials: ArrayInput,
    lengths: ArrayInput | None = ...,
    *,
    k: None,
    single_root_edge: bool,
    constraints: ManyConstraints | None = ...,
) -> Array: ...
def synjax(
    log_potentials: ArrayInput,
    lengths: ArrayInput | None = None,
    k: int | None = 1,
    *,
    single_root_edge: bool,
    constraints: ManyConstraints | None = None,
) -> Any:
    """SynJax: [..., head, dependent], root 0, lengths that count the root.

    Instead of ``SpanningNonProjectiveCRF(..., single_root_edge=...).top_k(k)``, but exact: trees
    as 0/1 matrices [k, ..., nodes, nodes] and scores [k, ...], minus infinity (and a matrix of
    zeros) for trees that do not exist. With ``k=None`` instead of ``.argmax()``: a matrix
    [..., nodes, nodes].
    """
    array = as_scores(log_potentials, "log_potentials")
    batch, nodes = array.shape[:-2], array.shape[-1]
    words = None if lengths is None else _words(lengths, array).reshape(-1)
    rule: RootRule = "single" if single_root_edge else "any"
    flat = array.reshape(-1, nodes, nodes)
    count = _count(k)
    result = kbest_batch(flat, count, lengths=words, root=rule, constraints=constraints)
    sentence, rank, word = np.nonzero(result.heads >= 0)
    trees = np.zeros((len(result), count, nodes, nodes), np.float32)
    trees[sentence, rank, result.heads[sentence, rank, word], word + 1] = 1
    if k is None:
        _need_trees(result)
        return trees.reshape(*batch, nodes, nodes)
    scores = np.moveaxis(result.scores, 1, 0).reshape(k, *batch)
    return np.moveaxis(trees, 1, 0).reshape(k, *batch, nodes, nodes), scores


def _from_diagonal(scores: ArrayInput) -> Array:
    """Root scores on the diagonal, [..., n, n], as a matrix with a root, [..., n + 1, n + 1].

    The order of the axes stays. Copies, since there is no root in the memory to point at.
    """
    array = as_scores(scores)
    if array.ndim < 2 or array.shape[-1] != array.shape[-2]:
        raise ValueError(f"scores has shape {array.shape}; need [..., words, words]")
    words = array.shape[-1]
    result = np.zeros((*array.shape[:-2], words + 1, words + 1), array.dtype)
    result[..., 1:, 1:] = array
    diagonal = np.diagonal(array, axis1=-2, axis2=-1)
    # Whichever axis is the head, the other entry is an edge into the root, which nobody reads.
    result[..., 0, 1:] = diagonal
    result[..., 1:, 0] = diagonal
    return result


def _to_diagonal(heads: ArrayInput) -> Int32Array:
    """Heads 0..n of words 1..n as heads of words 0..n-1, where the root's child is its own head."""
    array = as_array(heads, "heads").astype(np.int32)
    return np.where(array == 0, np.arange(array.shape[-1], dtype=np.int32), array - 1)


def _diagonal(
    scores: ArrayInput,
    lengths: ArrayInput | None,
    k: int | None,
    root: RootRule,
    axes: Axes,
    labels: ArrayInput | None,
    constraints: ManyConstraints | None,
) -> BatchResult:
    by_arc = None
    if labels is not None:
        # One matrix for each label, [..., label, n, n] and back.
        by_label = np.moveaxis(as_scores(labels, "labels"), -1, -3)
        by_arc = np.moveaxis(_from_diagonal(by_label), -3, -1)
    return kbest_batch(
        _from_diagonal(scores),
        _count(k),
        lengths=lengths,
        root=root,
        axes=axes,
        labels=by_arc,
        constraints=constraints,
    )


@overload
def torch_struct(
    scores: ArrayInput,
    lengths: ArrayInput | None = ...,
    k: None = ...,
    *,
    root: RootRule,
    labels: ArrayInput | None = ...,
    constraints: ManyConstraints | None = ...,
) -> Any: ...
@overload
def torch_struct(
    scores: ArrayInput,
    lengths: ArrayInput | None,
    k: int,
    *,
    root: RootRule,
    labels: ArrayInput | None = ...,
    constraints: ManyConstraints | None = ...,
) -> KBestHeads: ...
@overload
def torch_struct(
    scores: ArrayInput,
    lengths: ArrayInput | None = ...,
    *,
    k: int,
    root: RootRule,
    labels: ArrayInput | None = ...,
    constraints: ManyConstraints | None = ...,
) -> KBestHeads: ...
def torch_struct(
    scores: ArrayInput,
    lengths: ArrayInput | None = None,
    k: int | None = None,
    *,
    root: RootRule,
    labels: ArrayInput | None = None,
    constraints: ManyConstraints | None = None,
) -> Any:
    """torch-struct: [sentences, head, child] without a root, whose scores are on the diagonal.

    Heads 0..n, 0 for the root, int64 [sentences, words], 0 at padding (with `k`: `KBestHeads` of
    [sentences, k, words]); non-projective, and exact. With `labels`, [sentences, head, child,
    label], (heads, labels).
    """
    result = _diagonal(scores, lengths, k, root, "head,dep", labels, constraints)
    return _dense(scores, result, k, 0, root_column=False)


@overload
def spacy(
    scores: ArrayInput,
    lengths: ArrayInput | None = ...,
    k: None = ...,
    *,
    root: RootRule,
    labels: ArrayInput | None = ...,
    constraints: ManyConstraints | None = ...,
) -> Any: ...
@overload
def spacy(
    scores: ArrayInput,
    lengths: ArrayInput | None,
    k: int,
    *,
    root: RootRule,
    labels: ArrayInput | None = ...,
    constraints: ManyConstraints | None = ...,
) -> KBestHeads: ...
@overload
def spacy(
    scores: ArrayInput,
    lengths: ArrayInput | None = ...,
    *,
    k: int,
    root: RootRule,
    labels: ArrayInput | None = ...,
    constraints: ManyConstraints | None = ...,
) -> KBestHeads: ...
def spacy(
    scores: ArrayInput,
    lengths: ArrayInput | None = None,
    k: int | None = None,
    *,
    root: RootRule,
    labels: ArrayInput | None = None,
    constraints: ManyConstraints | None = None,
) -> Any:
    """SpaCy's experimental biaffine parser: [sentences, dependent, head], root on the diagonal.

    For every sentence its heads 0..n-1 [words], with `labels` (heads, labels); with `k` lists
    of [trees, words] in `KBestHeads`. The word that hangs from the root is its own head.
    """
    result = _diagonal(scores, lengths, k, root, "dep,head", labels, constraints)
    return _listed(result, k, diagonal=True)


def chu_liu_edmonds(
    score_matrix: ArrayInput,
    *,
    root: RootRule = "any",
    constraints: Constraints | None = None,
) -> tuple[list[int], float]:
    """``ufal.chu_liu_edmonds``: one matrix [dependent, head], root 0, NaN where there is no edge.

    Instead of its ``chu_liu_edmonds(score_matrix)``, with the same result: the heads of all nodes,
    -1 for the root, and the score of the tree. Other types than float64 will do, too, minus
    infinity is no edge either, and where there is no tree a `ValueError` says so.
    """
    array = as_scores(score_matrix, "score_matrix")
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ValueError(f"score_matrix has shape {array.shape}; must be square")
    if len(array) < 2:
        return [-1] * len(array), 0.0
    array = np.where(np.isnan(array), -np.inf, array) if array.dtype.kind == "f" else array
    tree = best(array, root=root, axes="dep,head", constraints=constraints)
    if tree is None:
        raise ValueError("score_matrix has no tree")
    return [-1, *tree.heads.tolist()], float(tree.score)
