"""How sharp scores are: one number for arcs, one for labels."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from coppice._arrays import Array, ArrayInput, Axes
from coppice._output import whole_file

if TYPE_CHECKING:
    from coppice._labels import AnyLabels
    from coppice._problem import RootRule


#: What a temperature may be, so that no score overflows for it; the program says the same.
TEMPERATURES = "a number from 1e-30 to 1e30"


def is_temperature(value: float) -> bool:
    return 1e-30 <= value <= 1e30


def _finite(text: str) -> float:
    """A number of JSON, which has no Infinity, no NaN, and for the program nothing that is one."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is no finite number")
    return value


def read_settings(path: str | os.PathLike[str]) -> Any:
    """What JSON of ours says: at most 1 MiB, as for the program."""
    name = os.fspath(path)
    with open(path, "rb") as file:
        data = file.read((1 << 20) + 1)
    if len(data) > 1 << 20:
        raise ValueError(f"{name}: is larger than 1 MiB")
    try:
        text = data.decode("utf-8-sig")
        return json.loads(text, parse_float=_finite, parse_constant=_finite)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{name}: is no JSON: {error}") from None


@dataclass(frozen=True)
class Temperature:
    """Arc scores are divided by `arcs`, label scores by `labels`; above 1, less is certain.

    `calibrate` finds it. Pass it, or one number for both, or the name of a file that it was saved
    to, as ``temperature=``; or pass it as ``probabilities=``.
    """

    arcs: float = 1.0
    labels: float = 1.0
    #: What `calibrate` saw: sentences, and nats per word of the gold trees before and after.
    sentences: int = 0
    loss_before: float | None = None
    loss_after: float | None = None

    def __post_init__(self) -> None:
        for name in ("arcs", "labels"):
            value = getattr(self, name)
            if not (isinstance(value, (int, float)) and is_temperature(value)):
                raise ValueError(f"temperature of {name} is {value!r}; must be {TEMPERATURES}")

    def save(self, path: str | os.PathLike[str]) -> None:
        """As JSON, for `load` and for ``coppice --temperature``."""
        with whole_file(path) as file:
            file.write(json.dumps(asdict(self)).encode() + b"\n")

    @classmethod
    def calibrate(
        cls,
        scores: ArrayInput | Sequence[ArrayInput],
        gold: ArrayInput | Sequence[ArrayInput],
        *,
        root: RootRule,
        lengths: ArrayInput | None = None,
        axes: Axes = "head,dep",
        labels: AnyLabels | None = None,
        gold_labels: ArrayInput | Sequence[ArrayInput] | None = None,
        threads: int = 1,
    ) -> Temperature:
        """The temperature at which the gold trees of held-out sentences are likeliest.

        A sentence whose gold tree cannot be had (two root edges where `root` is ``"single"``, a
        missing arc) is left out. Of a word whose gold label is not among the choices of its arc,
        only the head counts.

        Parameters
        ----------
        scores, root, lengths, axes, labels
            As for `kbest_batch`: some hundred sentences that the parser was not trained on.
        gold, gold_labels
            The heads of every sentence (0 for the root), and the numbers of their labels: a list of
            vectors, a padded array, or all of them in one flat array.
        threads
            How many threads.
        """
        from coppice._calibrate import calibrate

        return calibrate(scores, gold, root, lengths, axes, labels, gold_labels, threads)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Temperature:
        """What `save` wrote."""
        found = read_settings(path)
        if not isinstance(found, dict) or not {"arcs", "labels"} <= found.keys():
            raise ValueError(f'{os.fspath(path)}: has no "arcs" and "labels"')
        known = {name: found[name] for name in cls.__dataclass_fields__ if name in found}
        return cls(**known)


AnyTemperature: TypeAlias = "float | Temperature | str | os.PathLike[str]"


#: Nothing is divided.
NONE = Temperature()


def as_temperature(value: AnyTemperature | None) -> Temperature:
    """Whatever the caller gave."""
    if value is None:
        return NONE
    if isinstance(value, Temperature):
        return value
    if isinstance(value, (str, os.PathLike)):
        return Temperature.load(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"temperature is {value!r}; need a number or a Temperature") from None
    return Temperature(number, number)


def as_probabilities(value: bool | Temperature) -> Temperature | None:
    """What the caller gave as ``probabilities=``: at which temperature, or None for not at all."""
    if isinstance(value, (bool, np.bool_)):
        return NONE if value else None
    if not isinstance(value, Temperature):
        raise TypeError(f"probabilities is {value!r}; need True or a coppice.Temperature")
    return value


def divided(scores: Array, by: float) -> Array:
    """The same array where there is nothing to divide by; integers become float64."""
    return scores if by == 1.0 else (scores / by).astype(_quotient(scores), copy=False)


def _quotient(scores: Array) -> str:
    return "float32" if scores.dtype == "float32" else "float64"
