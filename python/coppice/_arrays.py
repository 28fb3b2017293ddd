"""What users hand over, as numpy arrays that the extension reads in place."""

from __future__ import annotations

import operator
import os
import secrets
import sys
from typing import Any, Literal, Protocol, TypeAlias, cast

import numpy as np
import numpy.typing as npt


class SupportsDLPack(Protocol):
    """Arrays of other libraries."""

    def __dlpack__(self, *, stream: Any = None) -> Any: ...
    def __dlpack_device__(self) -> tuple[Any, int]: ...


#: numpy arrays, torch tensors, anything with ``__dlpack__`` or the buffer protocol, nested lists.
ArrayInput: TypeAlias = npt.ArrayLike | SupportsDLPack
Axes: TypeAlias = Literal["head,dep", "dep,head"]
Array: TypeAlias = npt.NDArray[Any]
Float64Array: TypeAlias = npt.NDArray[np.float64]
Int32Array: TypeAlias = npt.NDArray[np.int32]
Int64Array: TypeAlias = npt.NDArray[np.int64]


def is_tensor(values: object) -> bool:
    """Whether this is a torch tensor, without importing torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(values, torch.Tensor)


def _from_tensor(tensor: Any) -> Array:
    tensor = tensor.detach().cpu()  # nothing happens to a CPU tensor
    if str(tensor.dtype) == "torch.bfloat16":  # numpy has no such type
        tensor = tensor.float()
    return np.asarray(tensor.numpy())


def _reject_graphs(values: object, name: str) -> None:
    """Graphs of other libraries are no arrays, though numpy makes some of them into one."""
    for attribute, maker in (
        ("tocoo", "from_scipy"),
        ("get_edgelist", "from_igraph"),
        ("adj", "from_networkx"),
    ):
        if hasattr(values, attribute):
            kind = type(values).__name__
            raise TypeError(f"{name} is a {kind}; coppice.Multigraph.{maker} makes a graph of it")


def as_array(values: ArrayInput, name: str) -> Array:
    """As an array that shares its memory with `values` where that is possible."""
    if isinstance(values, np.ndarray):
        if isinstance(values, np.ma.MaskedArray):
            raise TypeError(f"{name} is a masked array; fill it first, missing edges with -inf")
        return values
    if is_tensor(values):
        return _from_tensor(values)
    _reject_graphs(values, name)
    if hasattr(values, "__dlpack__"):
        try:
            return np.from_dlpack(cast(Any, values))
        except (BufferError, RuntimeError, TypeError):
            pass  # on another device, or of a type that DLPack does not know
    try:
        return np.asarray(values)
    except ValueError:
        if isinstance(values, (list, tuple)):
            raise ValueError(f"{name}: rows of different lengths") from None
        raise


def _readable(array: Array) -> Array:
    """The same numbers where elements are aligned, in native order, a whole number apart."""
    flags = array.flags
    apart = flags.c_contiguous or all(stride % array.itemsize == 0 for stride in array.strides)
    if flags.aligned and array.dtype.isnative and apart:
        return array
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))


def as_scores(values: ArrayInput, name: str = "scores") -> Array:
    """As float32, float64 or int64: float16 becomes float32, integers int64."""
    array = as_array(values, name)
    dtype = array.dtype
    if dtype.kind == "f" or dtype.name == "bfloat16":
        if dtype.itemsize < 4:
            return array.astype(np.float32)
        return _readable(array if dtype.itemsize <= 8 else array.astype(np.float64))
    if dtype.kind in "iu":
        if dtype.kind == "u" and dtype.itemsize == 8 and array.size and array.max() >> 63:
            raise ValueError(f"{name} has {array.max()}, which int64 cannot hold")
        return _readable(array.astype(np.int64, copy=False))
    raise TypeError(f"{name} has dtype {dtype}; need floats or integers")


def to_float32(array: Array) -> tuple[Array, Int64Array]:
    """As float32, and where that is NaN or infinite but should not be: [places, axes]."""
    with np.errstate(over="ignore"):
        narrow = array.astype(np.float32, copy=False)
    bad = ~(narrow < np.inf)
    if array.dtype.itemsize > 4 and array.dtype.kind == "f":
        bad |= np.isinf(narrow) & np.isfinite(array)
    return narrow, np.argwhere(bad)


def head_first(array: Array, axes: Axes, first: int = 0) -> Array:
    """A view in which axis `first` is the head and the next one the dependent."""
    if axes == "head,dep":
        return array
    if axes == "dep,head":
        return np.swapaxes(array, first, first + 1)
    raise ValueError(f'axes is {axes!r}; must be "head,dep" or "dep,head"')


def as_matrix(values: ArrayInput, axes: Axes, name: str = "scores") -> Array:
    """One square matrix of at least two nodes, [head, dependent]."""
    array = as_scores(values, name)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.shape[0] < 2:
        need = "[words + 1, words + 1], the root counted in"
        if array.ndim == 3:
            need += "; for many sentences: kbest_batch, distribution_batch"
        raise ValueError(f"{name} has shape {array.shape}; need {need}")
    return head_first(array, axes)


def as_integers(values: ArrayInput, name: str) -> Int64Array:
    """As a contiguous vector of int64."""
    array = as_array(values, name)
    if array.size == 0:
        return np.zeros(0, np.int64)
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise ValueError(f"{name} must be a vector of integers, not {array.dtype}{array.shape}")
    return np.ascontiguousarray(array, dtype=np.int64)


def as_int32(values: ArrayInput, name: str) -> Int32Array:
    """As a contiguous vector of int32, a copy."""
    array = as_array(values, name)
    if array.dtype == np.int32 and array.ndim == 1:
        return np.array(array)
    wide = as_integers(array, name)
    if wide.size and (wide.min() < -(2**31) or wide.max() >= 2**31):
        raise ValueError(f"{name} has {max(wide, key=abs)}, which is no node or edge")
    return wide.astype(np.int32)


def as_count(value: Any, name: str, least: int = 1) -> int:
    """As an int that is at least 1 (or 0)."""
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; must be an integer") from None
    if count < least:
        raise ValueError(f"{name} is {count}, must be at least {least}")
    return min(count, 2**62)


def as_threads(value: Any) -> int:
    """A number of threads; 0 is as many as there are processors for this process."""
    if count := as_count(value, "threads", least=0):
        return count
    mine = getattr(os, "sched_getaffinity", None)
    return len(mine(0)) if mine else os.cpu_count() or 1


def as_seed(seed: int | None) -> int:
    """64 bits; without a seed those that the system gives."""
    if seed is None:
        return secrets.randbits(64)
    try:
        return operator.index(seed) % 2**64
    except TypeError:
        raise TypeError(f"seed is {seed!r}; must be an integer, or None for any") from None
