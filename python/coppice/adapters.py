"""K best trees for parsers as they are: their scores in, heads as they want them out.

Libraries differ in which axis is the head, where the root is, what a length counts, and what
stands at the root in a list of heads. Each function here takes what one of them has at the place
where it decodes, and gives back what it expects there. With ``k=None`` that is the best tree in
just the form the library has; with a number of trees there is one more axis, for the ranks.

Scores may be numpy arrays or torch tensors; heads are of the same kind.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from coppice._arrays import Array, ArrayInput, Axes, Int32Array, as_array, as_scores, is_tensor
from coppice._batch import kbest_batch
from coppice._decode import kbest
from coppice._results import BatchResult, with_root
from coppice._which import RootRule

__all__ = [
    "allennlp",
    "from_diagonal",
    "spacy",
    "stanza",
    "supar",
    "synjax",
    "to_diagonal",
    "torch_struct",
]


def _like(values: ArrayInput, array: Array) -> Any:
    """The array as a tensor on the device of `values`, where those are a tensor."""
    if not is_tensor(values):
        return array
    import torch

    tensor: Any = values
    return torch.from_numpy(array).to(tensor.device)


def _words(lengths: ArrayInput, nodes_counted: bool) -> Array:
    """The number of words, where the root may be counted in."""
    array = as_array(lengths, "lengths")
    return array if array.dtype == np.bool_ else array - int(nodes_counted)


def _padded_heads(result: BatchResult, root_value: int, pad_value: int = 0) -> Array:
    """int64 [sentences, k, words + 1] with an entry for the root."""
    heads = result.heads.astype(np.int64)
    heads[heads < 0] = pad_value
    padding = ((0, 0), (0, 0), (1, 0))
    return np.pad(heads, padding, constant_values=root_value)


def stanza(
    scores: ArrayInput, lengths: ArrayInput, k: int | None = None, *, root: RootRule = "single"
) -> list[Int32Array]:
    """stanza: [sentences, dependent, head], root 0, lengths that count the root.

    Instead of ``[chuliu_edmonds_one_root(adj[:l, :l])[1:] for adj, l in zip(scores, lengths)]``:
    for every sentence its heads [words], or [trees, words].
    """
    words = _words(lengths, nodes_counted=True)
    result = kbest_batch(scores, k or 1, lengths=words, root=root, axes="dep,head")
    found = [sentence.heads for sentence in result]
    if k is not None:
        return found
    missing = [i for i, heads in enumerate(found) if not len(heads)]
    if missing:
        raise ValueError(f"sentence {missing[0]}: there is no tree")
    return [heads[0] for heads in found]


def supar(
    scores: ArrayInput,
    mask: ArrayInput,
    k: int | None = None,
    *,
    multiroot: bool = False,
    root_value: int = 0,
) -> Any:
    """SuPar, diaparser: [sentences, dependent, head], root 0, a mask that is false for the root.

    Instead of ``MatrixTree(scores, lens, multiroot).argmax`` or ``mst(scores, mask, multiroot)``:
    heads, int64 [sentences, words + 1] (with `k`: [sentences, k, words + 1]), `root_value` at the
    root and 0 at padding. `mask` may also be lengths, which do not count the root.
    """
    rule: RootRule = "any" if multiroot else "single"
    result = kbest_batch(scores, k or 1, lengths=mask, root=rule, axes="dep,head")
    heads = _padded_heads(result, root_value)
    return _like(scores, heads if k is not None else heads[:, 0])


def allennlp(
    energy: ArrayInput,
    length: int,
    has_labels: bool = False,
    k: int | None = None,
    *,
    root: RootRule = "any",
    root_value: int = -1,
) -> tuple[Array, Array | None]:
    """AllenNLP, udify, MaChAmp: one sentence [head, dependent] or [label, head, dependent].

    Instead of ``decode_mst(energy, length, has_labels)``, where `length` counts the root: heads
    and labels, int32 [nodes] (with `k`: [trees, nodes]), padded with 0, `root_value` at the root.
    As there, every arc has its best label. The energies are not changed.
    """
    array = as_scores(energy, "energy")
    if array.ndim != (3 if has_labels else 2):
        raise ValueError(f"energy has shape {array.shape}; has_labels is {has_labels}")
    nodes = array.shape[-1]
    arcs = (array.max(axis=0) if has_labels else array)[:length, :length]
    result = kbest(arcs, k or 1, root=root)
    heads = np.zeros((len(result), nodes), np.int32)
    heads[:, :length] = with_root(result.heads, root_value)
    labels = None
    if has_labels:
        best = array.argmax(axis=0).astype(np.int32)
        labels = best[np.maximum(heads, 0), np.arange(nodes)]
        labels[:, 0] = 0
        labels[:, length:] = 0
    if k is not None:
        return heads, labels
    if not len(heads):
        raise ValueError("there is no tree")
    return heads[0], None if labels is None else labels[0]


def synjax(
    log_potentials: ArrayInput,
    lengths: ArrayInput | None = None,
    k: int = 1,
    *,
    single_root_edge: bool,
) -> tuple[Array, Array]:
    """SynJax: [..., head, dependent], root 0, lengths that count the root.

    Instead of ``SpanningNonProjectiveCRF(..., single_root_edge=...).top_k(k)``, but exact: trees
    as 0/1 matrices [k, ..., nodes, nodes] and scores [k, ...], minus infinity (and a matrix of
    zeros) for trees that do not exist.
    """
    array = as_scores(log_potentials, "log_potentials")
    batch, nodes = array.shape[:-2], array.shape[-1]
    words = None if lengths is None else _words(lengths, nodes_counted=True).reshape(-1)
    rule: RootRule = "single" if single_root_edge else "any"
    result = kbest_batch(array.reshape(-1, nodes, nodes), k, lengths=words, root=rule)
    sentence, rank, word = np.nonzero(result.heads >= 0)
    trees = np.zeros((len(result), k, nodes, nodes), np.float32)
    trees[sentence, rank, result.heads[sentence, rank, word], word + 1] = 1
    scores = np.moveaxis(result.scores, 1, 0).reshape(k, *batch)
    return np.moveaxis(trees, 1, 0).reshape(k, *batch, nodes, nodes), scores


def from_diagonal(scores: ArrayInput) -> Array:
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


def to_diagonal(heads: ArrayInput) -> Int32Array:
    """Heads 0..n of words 1..n as heads of words 0..n-1, where the root's child is its own head."""
    array = as_array(heads, "heads").astype(np.int32)
    return np.where(array == 0, np.arange(array.shape[-1], dtype=np.int32), array - 1)


def _diagonal(
    scores: ArrayInput, lengths: ArrayInput | None, k: int, root: RootRule, axes: Axes
) -> BatchResult:
    return kbest_batch(from_diagonal(scores), k, lengths=lengths, root=root, axes=axes)


def torch_struct(
    scores: ArrayInput, lengths: ArrayInput | None = None, k: int | None = None, *, root: RootRule
) -> Any:
    """torch-struct: [sentences, head, child] without a root, whose scores are on the diagonal.

    Heads 0..n, 0 for the root, int64 [sentences, words] (with `k`: [sentences, k, words]), 0 at
    padding; non-projective, and exact.
    """
    result = _diagonal(scores, lengths, k or 1, root, "head,dep")
    heads = _padded_heads(result, 0)[:, :, 1:]
    return _like(scores, heads if k is not None else heads[:, 0])


def spacy(
    scores: ArrayInput, lengths: ArrayInput | None = None, k: int | None = None, *, root: RootRule
) -> list[Int32Array]:
    """SpaCy's experimental biaffine parser: [sentences, dependent, head], root on the diagonal.

    For every sentence its heads 0..n-1 [words] (with `k`: [trees, words]); the word that hangs
    from the root is its own head.
    """
    result = _diagonal(scores, lengths, k or 1, root, "dep,head")
    found = [to_diagonal(sentence.heads) for sentence in result]
    return found if k is not None else [heads[0] for heads in found]
