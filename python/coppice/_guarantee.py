"""Promises with a probability: which heads are left, by split-conformal calibration.

Whole trees. Of every held-out sentence take the gap of its gold tree: by how much it scores less
than the best tree. If the held-out sentences and a new one are exchangeable, the gap of the new
gold tree is equally likely to take each of the n + 1 places in their order. So it is at most the
ceil((n + 1) * coverage)-th smallest gap with at least that probability (Vovk et al. 2005).

Single words. Take a word at random from every sentence: the probability of its gold head takes
each place with the same probability, too. Instead of drawing words, every sentence counts each of
its words by one part of its length (Lee, Barber and Willett 2023), so that nothing is random.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from coppice._arrays import ArrayInput, Axes, Float64Array, Int64Array
from coppice._batch import kbest_batch
from coppice._calibrate import gold_rows
from coppice._decode import max_marginals
from coppice._distribution import distribution_batch
from coppice._output import whole_file
from coppice._problem import RootRule, single_root
from coppice._sentences import as_sentences
from coppice._temperature import (
    NONE,
    TEMPERATURES,
    AnyTemperature,
    as_temperature,
    is_temperature,
    read_settings,
)

#: Fewer settled words than this share: head sets are of no use.
_USEFUL = 0.1


@dataclass(frozen=True)
class Guarantee:
    """Head sets that have the gold heads in them with a probability that is promised.

    `calibrate` makes it from held-out sentences. Save it, and ask it for the heads that are left in
    new sentences.

    The promise: of new sentences that are exchangeable with the held-out ones (drawn in the same
    way: same kind of text, same parser, same gold standard), the gold tree gives every word a head
    of its set with a probability of at least `coverage` (``of="tree"``), or the head of a word
    drawn at random from the sentence is in its set with that probability (``of="word"``). The
    probability is over held-out and new sentences together: it says nothing about one sentence.
    """

    coverage: float
    root: RootRule
    #: Trees whose score is within this gap of the best are in the set; infinite where there are
    #: too few held-out sentences.
    gap: float
    #: Heads of at least this probability are in the set of their word, and so is the likeliest one;
    #: 0 lets all in, 1 no other.
    probability: float
    #: The number of held-out sentences, and by how much arc scores are divided for probabilities.
    sentences: int
    temperature: float
    #: How large the sets of the held-out sentences are: heads for each word, and the share of words
    #: that have one left.
    tree_sizes: tuple[float, float]
    word_sizes: tuple[float, float]

    @classmethod
    def calibrate(
        cls,
        scores: ArrayInput | Sequence[ArrayInput],
        gold: ArrayInput | Sequence[ArrayInput],
        *,
        root: RootRule,
        coverage: float = 0.9,
        lengths: ArrayInput | None = None,
        axes: Axes = "head,dep",
        temperature: AnyTemperature | None = None,
        threads: int = 1,
    ) -> Guarantee:
        """Find how large head sets must be, on held-out sentences.

        Parameters
        ----------
        scores, root, lengths, axes, temperature, threads
            As for `kbest_batch`: held-out sentences, some hundred or more, on which nothing was
            trained, nor a temperature calibrated. A temperature may make sets of single words
            smaller; the promise holds without it.
        gold
            Their heads, as for `calibrate`. A gold tree that cannot be had (two root edges where
            `root` is ``"single"``, a missing arc) counts as one that no set has.
        coverage
            Between 0 and 1. With n sentences at most n / (n + 1) can be promised; beyond that the
            sets have all heads.

        Returns
        -------
        Guarantee
            Its ``head_sets(scores)`` are the heads that are left in a new sentence.

        >>> import coppice, numpy as np
        >>> random = np.random.default_rng(1)
        >>> scores = random.normal(size=(99, 6, 6))
        >>> gold = [coppice.best(each, root="single").heads for each in scores]
        >>> coppice.Guarantee.calibrate(scores, gold, root="single", coverage=0.8).gap
        0.0
        """
        if not 0.0 < coverage < 1.0:
            raise ValueError(f"coverage is {coverage!r}; must be between 0 and 1")
        tempered = as_temperature(temperature)
        sentences = as_sentences(scores, lengths, axes, "raise", NONE)
        if not len(sentences.lengths):
            raise ValueError("scores has no sentences; a promise needs held-out ones")
        heads = gold_rows(gold, sentences.lengths, "gold")
        matrices = sentences.matrices()
        gaps = gaps_of(matrices, heads, root, threads)
        likely = distribution_batch(
            matrices, root=root, temperature=tempered, threads=threads
        ).marginals
        limits = [limits_of(each, own) for each, own in zip(likely, heads, strict=True)]
        found = cls(
            coverage=coverage,
            root=root,
            gap=least_gap(gaps, coverage),
            probability=least_probability(limits, coverage),
            sentences=len(matrices),
            temperature=tempered.arcs,
            tree_sizes=(0.0, 0.0),
            word_sizes=(0.0, 0.0),
        )
        return _with_sizes(found, matrices, likely)

    def head_sets(
        self,
        scores: ArrayInput,
        *,
        of: Literal["tree", "word"] = "tree",
        axes: Axes = "head,dep",
    ) -> npt.NDArray[np.bool_]:
        """Which heads are left for each word of one sentence: true or false, as the scores lie.

        ``of="tree"``: the heads that any tree within the gap gives the word; ``of="word"``: those
        that are probable enough. A sentence without a tree has no heads at all.
        """
        if of == "tree":
            best = max_marginals(scores, root=self.root, axes=axes)
            had = best > -math.inf
            highest, lowest = best.max(initial=-math.inf), best.min(initial=math.inf, where=had)
            if highest == -math.inf:
                return had
            # A tree at the gap is within it: what is listed here and what the gap was found by
            # are rounded otherwise.
            slip = 2.0**-50 * best.shape[0] ** 2 * (abs(highest) + highest - lowest)
            within: npt.NDArray[np.bool_] = had & (best >= highest - self.gap - slip)
            return within
        if of != "word":
            raise ValueError(f'of is {of!r}; must be "tree" or "word"')
        sentences = as_sentences([scores], None, axes, "raise", NONE)
        marginals = distribution_batch(
            sentences.matrices(), root=self.root, temperature=self.temperature
        ).marginals[0]
        sets = _likely(marginals, sentences.matrices()[0], self.probability)
        return sets if axes == "head,dep" else sets.T

    def useful(self, of: Literal["tree", "word"] = "tree") -> bool:
        """Whether at least a tenth of the held-out words have one head left."""
        return (self.tree_sizes if of == "tree" else self.word_sizes)[1] >= _USEFUL

    def __str__(self) -> str:
        lines = [f"coverage {self.coverage:.0%}, from {self.sentences} sentences"]
        for of, limit, (heads, settled) in (
            ("tree", f"gap {self.gap:.4g}", self.tree_sizes),
            ("word", f"probability {self.probability:.3g}", self.word_sizes),
        ):
            line = f"{of}: {limit}; {heads:.2f} heads a word, {settled:.0%} of the words settled"
            too_weak = "; the parser is too weak for this to be of use"
            lines.append(line + ("" if settled >= _USEFUL else too_weak))
        return "\n".join(lines)

    def save(self, path: str | os.PathLike[str]) -> None:
        """As JSON, for `load` and for ``coppice confidence --guarantee``."""
        values = asdict(self)
        if math.isinf(self.gap):
            values["gap"] = None  # JSON has no infinity
        with whole_file(path) as file:
            file.write(json.dumps(values).encode() + b"\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Guarantee:
        """What `save` wrote."""
        name = os.fspath(path)
        found = read_settings(path)
        needed = [field.name for field in fields(cls)]
        missing = [key for key in needed if not isinstance(found, dict) or key not in found]
        if missing:
            raise ValueError(f'{name}: has no "{missing[0]}"; is it a file of Guarantee.save?')
        values = {key: found[key] for key in needed}
        single_root(values["root"])
        if values["gap"] is None:
            values["gap"] = math.inf
        for key, value in values.items():
            if key.endswith("_sizes"):
                values[key] = tuple(value) if isinstance(value, list) else (value,)
            numbers = values[key] if key.endswith("_sizes") else (value,)
            if key != "root" and not all(map(_is_amount, numbers)):
                raise ValueError(f'{name}: "{key}" is {value!r}; must be 0 or more')
            if key in _RANGES and not _RANGES[key][0](value):
                raise ValueError(f'{name}: "{key}" is {value!r}; must be {_RANGES[key][1]}')
        return cls(**values)


#: Of members of the file, what makes them right, and how that is said; the program says the same.
_RANGES: dict[str, tuple[Callable[[float], bool], str]] = {
    "coverage": (lambda value: 0 < value < 1, "between 0 and 1"),
    "probability": (lambda value: value <= 1, "0 to 1"),
    "temperature": (is_temperature, TEMPERATURES),
    "sentences": (
        lambda value: 1 <= value < 2**53 and value == int(value),
        "a whole number above 0",
    ),
}


def _is_amount(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0


def gaps_of(
    matrices: list[Any], heads: list[Int64Array], root: RootRule, threads: int
) -> Float64Array:
    """By how much every gold tree scores less than the best; infinite where it is none."""
    trees = kbest_batch(matrices, 1, root=root, threads=threads)
    gaps = np.full(len(matrices), math.inf)
    for i, (matrix, own, best) in enumerate(zip(matrices, heads, trees, strict=True)):
        roots = int((own == 0).sum())
        if not len(best) or not is_tree(own) or (roots != 1 and root == "single"):
            continue
        arcs = matrix[own, np.arange(1, len(own) + 1)].astype(np.float64)
        gaps[i] = max(0.0, float(best.scores[0]) - math.fsum(arcs.tolist()))
    return gaps


def is_tree(heads: Int64Array) -> bool:
    """Whether all words reach the root."""
    reached = np.zeros(len(heads) + 1, bool)
    reached[0] = True
    for _ in range(len(heads)):
        further = reached.copy()
        further[1:] |= reached[heads]
        if (further == reached).all():
            break
        reached = further
    return bool(reached.all())


def limits_of(marginals: Float64Array, heads: Int64Array) -> Float64Array:
    """The largest limit at which each gold head is in its set: 1 if it is the likeliest one."""
    words = np.arange(1, len(heads) + 1)
    own: Float64Array = marginals[heads, words]
    likeliest = marginals[:, 1 : len(heads) + 1].max(axis=0)
    return np.where((own == likeliest) & (own > 0), 1.0, own)


def least_gap(gaps: Float64Array, coverage: float) -> float:
    place = math.ceil((len(gaps) + 1) * coverage)
    return float(np.sort(gaps)[place - 1]) if place <= len(gaps) else math.inf


def least_probability(limits: list[Float64Array], coverage: float) -> float:
    """The largest probability that leaves enough gold heads in; every sentence has the weight 1."""
    sizes = [len(each) for each in limits]
    values = np.concatenate([np.zeros(0), *limits])
    weights = np.repeat([1.0 / max(1, size) for size in sizes], sizes)
    order = np.argsort(-values, kind="stable")
    # A sentence without words misses none.
    covered = sizes.count(0) + np.cumsum(weights[order])
    enough = np.flatnonzero(covered >= coverage * (len(sizes) + 1) - 1e-9)
    return float(values[order][enough[0]]) if enough.size else 0.0


def _likely(
    marginals: Float64Array, scores: npt.NDArray[Any], least: float
) -> npt.NDArray[np.bool_]:
    """Heads that are probable enough, the likeliest one always; no missing arcs."""
    nodes = len(scores)
    probable = marginals[:nodes, :nodes]
    possible: npt.NDArray[np.bool_] = (scores > -math.inf) & ~np.eye(nodes, dtype=bool)
    possible[:, 0] = False
    if not probable.any():
        return np.zeros_like(possible)  # no tree
    possible &= probable >= np.minimum(least, probable.max(axis=0))
    return possible


def _with_sizes(found: Guarantee, matrices: list[Any], likely: Float64Array) -> Guarantee:
    """How large the sets of the held-out sentences are."""
    words, sizes = 0, np.zeros(4)
    for matrix, marginals in zip(matrices, likely, strict=True):
        words += len(matrix) - 1
        for place, sets in (
            (0, found.head_sets(matrix)),
            (2, _likely(marginals, matrix, found.probability)),
        ):
            left = sets[:, 1:].sum(axis=0)
            sizes[place : place + 2] += left.sum(), (left == 1).sum()
    heads, settled, word_heads, word_settled = (sizes / max(1, words)).tolist()
    return replace(found, tree_sizes=(heads, settled), word_sizes=(word_heads, word_settled))
