"""The temperature at which gold trees are likeliest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coppice._arrays import Array, ArrayInput, Axes, Float64Array, Int64Array, as_array
from coppice._distribution import TreeDistribution, distribution_batch
from coppice._labels import AnyLabels, Labels, as_labels, unpacked
from coppice._phrases import counted, entries
from coppice._problem import RootRule
from coppice._sentences import Sentences, as_sentences
from coppice._temperature import Temperature

_LEAST, _MOST = 0.01, 100.0


@dataclass(frozen=True)
class _Sentence:
    arcs: Float64Array
    heads: Int64Array
    #: [head, dependent, choice], and of every word the choice that is gold, -1 where there is none.
    labels: Float64Array | None
    gold_choice: Int64Array | None

    @property
    def gold(self) -> tuple[Int64Array, Int64Array]:
        """Where the gold arcs are in a matrix."""
        return self.heads, np.arange(1, len(self.heads) + 1)


def calibrate(
    scores: ArrayInput | Sequence[ArrayInput],
    gold: ArrayInput | Sequence[ArrayInput],
    root: RootRule,
    lengths: ArrayInput | None,
    axes: Axes,
    labels: AnyLabels | None,
    gold_labels: ArrayInput | Sequence[ArrayInput] | None,
    threads: int,
) -> Temperature:
    """What `Temperature.calibrate` does."""
    if (labels is None) != (gold_labels is None):
        raise ValueError("labels and gold_labels go together")
    given = None if labels is None else unpacked(labels)
    sentences = as_sentences(scores, lengths, axes, "raise", Temperature())
    data = _usable(sentences, gold, given, gold_labels, axes, root)
    labelled = given is not None
    fit = _Fit(data, root, threads, labelled)
    best = fit.newton()
    after, before = fit.loss(best)[0], fit.loss(np.zeros(len(best)))[0]
    of_arcs, of_labels = np.exp(best[0]), np.exp(best[1]) if labelled else 1.0
    return Temperature(float(of_arcs), float(of_labels), len(data), float(before), float(after))


def gold_rows(values: Any, lengths: Int64Array, name: str) -> list[Int64Array]:
    """A vector for each sentence."""
    if isinstance(values, (list, tuple)):
        rows = [as_array(row, name) for row in values]
    else:
        array = as_array(values, name)
        if array.ndim == 1:
            if len(array) != lengths.sum():
                raise ValueError(
                    f"{name} has {entries(len(array))} for {counted(lengths.sum(), 'word')}"
                )
            rows = np.split(array, np.cumsum(lengths)[:-1])
        else:
            rows = [row[:n] for row, n in zip(array, lengths.tolist(), strict=False)]
    if len(rows) != len(lengths):
        raise ValueError(f"{name} of {counted(len(rows), 'sentence')} for {len(lengths)}")
    for i, (row, n) in enumerate(zip(rows, lengths.tolist(), strict=True)):
        if row.shape != (n,) or row.dtype.kind not in "iu":
            raise ValueError(f"sentence {i}: {name} is {row.dtype}{row.shape}; need {n} integers")
    return [row.astype(np.int64) for row in rows]


def _usable(
    sentences: Sentences,
    gold: Any,
    labels: Labels | None,
    gold_labels: Any,
    axes: Axes,
    root: RootRule,
) -> list[_Sentence]:
    heads = gold_rows(gold, sentences.lengths, "gold")
    tags = None
    if gold_labels is not None:
        tags = gold_rows(gold_labels, sentences.lengths, "gold_labels")
    data = []
    for i, matrix in enumerate(sentences.matrices()):
        arcs, own = matrix.astype(np.float64), heads[i]
        if own.size and (own.min() < 0 or own.max() > len(own)):
            raise ValueError(f"sentence {i}: gold has a head that is no node 0..{len(own)}")
        if TreeDistribution(arcs, root=root).log_prob(own) == -np.inf:
            continue
        if tags is None or labels is None:
            data.append(_Sentence(arcs, own, None, None))
            continue
        nodes = len(arcs)
        own_labels = Labels(
            as_array(labels.scores[i], "labels")[:nodes, :nodes],
            None
            if labels.ids is None
            else as_array(labels.ids[i], "ids of labels")[:nodes, :nodes],
        )
        part, part_ids = as_labels(own_labels, axes, arcs.shape, Temperature())
        of_gold = part[own, np.arange(1, nodes)]
        numbers: Array = np.arange(part.shape[-1])[None]
        if part_ids is not None:
            numbers = part_ids[own, np.arange(1, nodes)]
        is_gold = (numbers == tags[i][:, None]) & (of_gold > -np.inf)
        choice = np.where(is_gold.any(axis=1), is_gold.argmax(axis=1), -1)
        data.append(_Sentence(arcs, own, part.astype(np.float64), choice))
    if not data:
        raise ValueError("no gold tree is a tree of its sentence")
    return data


def _log_sum(values: Float64Array) -> Float64Array:
    """Of the last axis."""
    highest = values.max(axis=-1, keepdims=True)
    highest = np.where(np.isfinite(highest), highest, 0.0)
    with np.errstate(divide="ignore"):
        found: Float64Array = np.log(np.exp(values - highest).sum(axis=-1)) + highest[..., 0]
    return found


def _mean(weights: Array, values: Array) -> Float64Array:
    """The sum over the last axis, where what has no weight may be infinite."""
    found: Float64Array = np.where(weights > 0, weights * np.where(weights > 0, values, 0), 0).sum(
        -1
    )
    return found


class _Fit:
    """The loss in nats per word, as a function of the logarithms of the temperatures."""

    def __init__(self, data: list[_Sentence], root: RootRule, threads: int, labelled: bool) -> None:
        self.data, self.root, self.threads = data, root, threads
        self.parameters = 2 if labelled else 1
        self.words = sum(len(each.heads) for each in data)

    def loss(self, point: Float64Array) -> tuple[float, Float64Array]:
        """And its gradient."""
        sharpness = np.exp(-point)
        matrices, means = zip(*(self._weigh(each, sharpness) for each in self.data), strict=True)
        solved = distribution_batch(list(matrices), root=self.root, threads=self.threads)
        total, slope = float(solved.log_partition.sum()), np.zeros(len(point))
        for i, each in enumerate(self.data):
            nodes = len(each.arcs)
            marginals = solved.marginals[i, :nodes, :nodes]
            gold = each.gold
            total -= float(matrices[i][gold].sum())
            slope[0] += _mean(marginals, each.arcs).sum() - each.arcs[gold].sum()
            if each.labels is None or each.gold_choice is None:
                continue
            # A gold label that is known is more than the sum over all labels of its arc.
            known = np.flatnonzero(each.gold_choice >= 0)
            at = gold[0][known], gold[1][known]
            own = each.labels[at[0], at[1], each.gold_choice[known]]
            total -= float((own * sharpness[1] - _log_sum(each.labels[at] * sharpness[1])).sum())
            slope[1] += _mean(marginals, means[i]).sum() - means[i][gold].sum()
            slope[1] -= float((own - means[i][at]).sum())
        return total / self.words, -slope * sharpness / self.words

    def _weigh(self, each: _Sentence, sharpness: Float64Array) -> tuple[Array, Array]:
        """Arc scores, labels summed over, and the mean label score of every arc."""
        arcs = each.arcs * sharpness[0]
        if each.labels is None:
            return arcs, arcs
        scaled = each.labels * sharpness[1]
        sums = _log_sum(scaled)
        shares = np.exp(scaled - np.where(np.isfinite(sums), sums, 0.0)[..., None])
        return arcs + sums, _mean(shares, each.labels)

    def newton(self) -> Float64Array:
        """Where the loss is least; a step that does not help is made shorter."""
        point = np.zeros(self.parameters)
        loss, slope = self.loss(point)
        for _ in range(50):
            step = self._step(point, slope)
            size = 1.0
            while size > 1e-6:
                limits = math.log(_LEAST), math.log(_MOST)
                candidate = np.clip(point + size * step, *limits)
                new_loss, new_slope = self.loss(candidate)
                if new_loss < loss:
                    break
                size /= 2
            else:
                return point
            moved = float(np.abs(candidate - point).max())
            point, loss, slope = candidate, new_loss, new_slope
            if moved < 1e-5:
                break
        return point

    def _step(self, point: Float64Array, slope: Float64Array) -> Float64Array:
        """By Newton where the loss is convex, else downhill."""
        width = 1e-4
        columns = [
            (self.loss(point + width * unit)[1] - self.loss(point - width * unit)[1]) / (2 * width)
            for unit in np.eye(len(point))
        ]
        curvature = (np.array(columns) + np.array(columns).T) / 2
        if np.linalg.eigvalsh(curvature)[0] > 1e-9:
            step: Float64Array = -np.linalg.solve(curvature, slope)
        else:
            step = -slope / max(1e-12, float(np.abs(slope).max()))
        longest = float(np.abs(step).max())
        return step if longest <= 2.0 else step * (2.0 / longest)
