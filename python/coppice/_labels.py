"""Labels of arcs: their scores, which labels they are, and how these are called."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from coppice._arrays import (
    Array,
    ArrayInput,
    Axes,
    Int32Array,
    Int64Array,
    as_array,
    as_scores,
    head_first,
    to_float32,
)
from coppice._temperature import Temperature, divided


@dataclass(frozen=True, eq=False)
class Labels:
    """Label scores that are more than an array: with the labels that they are of, and their names.

    Parameters
    ----------
    scores
        [words + 1, words + 1, choices], the first two axes as ``axes=`` says. For a batch one more
        axis in front, or a list. Kept as float32.
    ids
        Of the same shape: which labels these are. Without it choice c is label c.
    names
        The names of the labels by their number. Results show them, and rules are told them.

    >>> import coppice, numpy as np
    >>> scores = np.zeros((3, 3)), np.zeros((3, 3, 2))
    >>> labels = coppice.Labels(scores[1], names=["subj", "root"])
    >>> coppice.kbest(scores[0], 1, root="single", labels=labels).label_names
    ('subj', 'root')
    """

    scores: Any
    ids: Any = None
    names: Sequence[str] = ()

    def __post_init__(self) -> None:
        if isinstance(self.names, str):
            raise TypeError(f"names is {self.names!r}; need a list of names")
        object.__setattr__(self, "names", tuple(map(str, self.names)))

    def __repr__(self) -> str:
        shape = getattr(self.scores, "shape", None)
        size = f"{len(self.scores)} sentences" if shape is None else f"shape {tuple(shape)}"
        return f"<Labels: {size}, {len(self.names)} names>"

    def write(self, path: str | os.PathLike[str]) -> None:
        """As an archive for ``--labels``, beside the `write_scores` of the same sentences.

        `scores` and `ids` are lists with an array for each sentence; all have names.
        """
        from coppice._files import write_labels

        write_labels(path, self)


#: Label scores alone, or with more.
AnyLabels: TypeAlias = "ArrayInput | Sequence[ArrayInput] | Labels"


def unpacked(labels: AnyLabels) -> Labels:
    """Scores alone are labels too."""
    return labels if isinstance(labels, Labels) else Labels(labels)


def _label_shape(label_scores: Array, shape: tuple[int, ...]) -> ValueError:
    need = ", ".join([*map(str, shape), "choices"])
    return ValueError(f"labels has shape {label_scores.shape}; need [{need}]")


def _unusable(label_scores: Array, place: Int64Array) -> ValueError:
    *_, source, target, choice = place
    score = label_scores[tuple(place)]
    need = "label scores are kept as float32, which cannot hold it"
    if not np.isfinite(score):
        need = "label scores are finite, or -inf for a label that cannot be"
    return ValueError(f"label score of {source} -> {target}, choice {choice}, is {score}; {need}")


def narrow_labels(
    scores: Array, lengths: Array | None = None, errors: dict[int, Exception] | None = None
) -> Array:
    """As float32, in which what was finite must stay so; NaN and plus infinity are errors.

    What is no arc may hold anything.

    Errors are raised; or, with `errors`, there is one for every sentence, and NaN where it says.
    """
    narrow, lost = to_float32(scores)
    *sentence, head, dependent, _ = lost.T
    read = (head != dependent) & (dependent != 0)
    if sentence and lengths is not None:
        read &= np.maximum(head, dependent) <= lengths[sentence[0]]
    places = lost[read]
    if len(places):
        if errors is None:
            raise _unusable(scores, places[0])
        if narrow is scores:  # which is the caller's
            narrow = narrow.copy()
        narrow[tuple(places.T)] = np.nan
        of = places[:, 0] if sentence else np.zeros(len(places), np.int64)
        for i, first in zip(*np.unique(of, return_index=True), strict=True):
            errors[int(i)] = _unusable(scores, places[first])
    return narrow


def as_labels(
    labels: Labels,
    axes: Axes,
    shape: tuple[int, ...],
    temperature: Temperature,
    lengths: Array | None = None,
    errors: dict[int, Exception] | None = None,
) -> tuple[Array, Int32Array | None]:
    """Label scores (and ids), [..., head, dependent, choice], where arc scores have that shape.

    `lengths` are those of the sentences of a padded array; `errors` as for `narrow_labels`.
    """
    first = len(shape) - 2
    label_scores = as_scores(labels.scores, "labels")
    if label_scores.ndim != len(shape) + 1 or label_scores.shape[-1] < 1:
        raise _label_shape(label_scores, shape)
    label_scores = divided(label_scores, temperature.labels)
    label_scores = head_first(label_scores, axes, first)
    if label_scores.shape[:-1] != shape:
        raise _label_shape(label_scores, shape)
    label_scores = narrow_labels(label_scores, lengths, errors)
    if labels.ids is None:
        return label_scores, None
    label_ids = as_array(labels.ids, "ids of labels")
    if label_ids.dtype.kind not in "iu":
        raise TypeError(f"ids of labels has dtype {label_ids.dtype}; need integers")
    if label_ids.size and (label_ids.min() < -(2**31) or label_ids.max() >= 2**31):
        raise ValueError("ids of labels has numbers that int32 cannot hold")
    label_ids = head_first(label_ids, axes, first).astype(np.int32, copy=False)
    if label_ids.shape != label_scores.shape:
        raise ValueError(
            f"ids of labels has shape {label_ids.shape}; their scores {label_scores.shape}"
        )
    return label_scores, label_ids
