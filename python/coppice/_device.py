"""The distribution over the trees of tensors, as operators that torch knows.

Tensors on a GPU are computed there by the kernel of `_kernel`, all others by the library.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import torch

from coppice import _core
from coppice._arrays import Axes, as_threads
from coppice._distribution import distribution_batch
from coppice._problem import RootRule, make_problem
from coppice._sentences import as_sentences
from coppice._temperature import Temperature


class Size(NamedTuple):
    """How sentences of fewer nodes than some power of two are solved, whatever the batch."""

    nodes: int
    #: A program solves a word fewer than this.
    block: int
    #: Rows of a matrix that are read at one time.
    chunk: int
    warps: int


#: Measured on one H200. Sentences of more words than all of these are left to the CPU.
_SIZES = (Size(64, 8, 8, 1), Size(128, 16, 16, 4), Size(256, 16, 16, 8), Size(512, 16, 8, 8))
#: Bytes of scratch memory for the sentences of one launch.
_SCRATCH = 1 << 28


def _names(single: bool, head_first: bool) -> tuple[RootRule, Axes]:
    return "single" if single else "any", "head,dep" if head_first else "dep,head"


def result_type(scores: torch.Tensor) -> torch.dtype:
    """Results are float32 or wider."""
    return torch.float64 if scores.dtype == torch.float64 else torch.float32


def _words(lengths: torch.Tensor | None, scores: torch.Tensor) -> torch.Tensor:
    """Words per sentence on the device of the scores, from lengths or a mask."""
    most = scores.shape[1] - 1
    if lengths is None:
        return torch.full((len(scores),), most, device=scores.device)
    if lengths.dtype == torch.bool:
        lengths = lengths[:, lengths.shape[1] - most :].sum(dim=1)
    return lengths.to(scores.device, torch.int64, non_blocking=True).contiguous()


def check_lengths(lengths: torch.Tensor | None, scores: torch.Tensor) -> None:
    """Shapes and types; the numbers themselves are on a GPU, where nobody waits for them."""
    if lengths is None:
        return
    count, most = len(scores), scores.shape[1] - 1
    shape = tuple(lengths.shape)
    if lengths.dtype == torch.bool:
        if shape not in ((count, most), (count, most + 1)):
            raise ValueError(f"mask has shape {shape}; need [sentences, words + 1] (with the root)")
    elif shape != (count,) or lengths.dtype.is_floating_point or lengths.dtype.is_complex:
        raise ValueError(
            f"lengths has shape {shape} and {lengths.dtype}; need an integer for each of "
            f"{count} sentences, or a mask"
        )


@dataclass(slots=True)
class _Launch:
    """All that is the same for all tensors of the same shapes and types on the same device."""

    programs: int
    warps: int
    numbers: tuple[Any, ...]
    run: Any = None

    def __call__(self, *tensors: torch.Tensor) -> None:
        if self.run is not None:
            self.run(*tensors, *self.numbers)
            return
        from coppice._kernel import describe  # Triton is not there where nobody has a GPU

        kernel = describe[self.programs,](
            *tensors, *self.numbers, num_warps=self.warps, num_stages=1
        )
        if kernel is not None:  # the interpreter compiles nothing
            # Triton takes longer to find what it compiled than to launch it.
            self.run = kernel[self.programs, 1, 1]


class _Plan(NamedTuple):
    launches: list[_Launch]
    #: Numbers of float64.
    scratch: int
    #: Whether each program stores all that nobody else does.
    whole: bool


@lru_cache(maxsize=4096)
def _plan(
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    scores: torch.dtype,
    device: torch.device,
    heads: tuple[int, int] | None,
    single: bool,
    head_first: bool,
    sizes: tuple[Size, ...],
) -> _Plan:
    """Of scores of this shape; with gold heads, their pitch and whether the root is among them."""
    from triton.language import float32, float64

    count, nodes, _ = shape
    number = float64 if scores == torch.float64 else float32
    sentence_pitch, *pitches = strides
    out_pitches = [nodes, 1]
    if not head_first:
        pitches.reverse()
        out_pitches.reverse()
    launches, scratch, least = [], 0, 0
    needed = [size for size in sizes if size.nodes < 2 * nodes or size == sizes[0]]
    for size, block, chunk, warps in needed:
        blocks = -(-(nodes - 1) // (block - 1))
        room = blocks * (3 * size * size + size + block * block)
        at_once = min(count, max(1, _SCRATCH // (8 * room)))
        scratch = max(scratch, at_once * room)
        for first in range(0, count, at_once):
            numbers = (
                sentence_pitch, *pitches, *(heads or (0, 0)), *out_pitches, first, nodes - 1,
                blocks, least, single, heads is not None, number, size, block, chunk,
            )  # fmt: skip
            launches.append(_Launch(min(at_once, count - first) * blocks, warps, numbers))
        least = size
    return _Plan(launches, scratch, len(needed) == 1)


def launch(
    scores: torch.Tensor,
    words: torch.Tensor,
    heads: torch.Tensor | None,
    single: bool,
    head_first: bool = True,
    sizes: tuple[Size, ...] = _SIZES,
) -> tuple[torch.Tensor, torch.Tensor]:
    """What `distribution` gives, by the kernel."""
    shape = scores.shape
    gold = None if heads is None else (heads.stride(0), heads.shape[1] - shape[1] + 1)
    launches, room, whole = _plan(
        shape, scores.stride(), scores.dtype, scores.device, gold, single, head_first, sizes
    )
    kind = result_type(scores)
    log_partition = scores.new_empty(shape[0], dtype=kind)
    # A program stores rows and columns up to its size.
    marginals = (scores.new_empty if whole else scores.new_zeros)(shape, dtype=kind)
    scratch = scores.new_empty(room, dtype=torch.float64)
    for start in launches:
        start(scores, words, words if heads is None else heads, log_partition, marginals, scratch)
    return log_partition, marginals


def _on_cpu(
    scores: torch.Tensor,
    lengths: torch.Tensor | None,
    heads: torch.Tensor | None,
    single: bool,
    head_first: bool,
    threads: int,
    with_marginals: bool,
) -> tuple[torch.Tensor, torch.Tensor]:
    root, axes = _names(single, head_first)
    found = distribution_batch(
        scores, lengths=lengths, root=root, axes=axes, threads=threads, marginals=with_marginals
    )
    log_partition = torch.from_numpy(found.log_partition)
    marginals = torch.from_numpy(np.ascontiguousarray(found.marginals))
    if heads is not None:
        values, arcs = scores.detach().double().cpu(), marginals
        if not head_first:
            values, arcs = values.transpose(1, 2), arcs.transpose(1, 2)
        gold, inside = _gold(heads.cpu(), _words(lengths, values))
        score = values.gather(1, gold[:, None])[:, 0]
        log_partition = log_partition - torch.where(inside, score, 0).sum(dim=1)
        if with_marginals:
            arcs.scatter_add_(1, gold[:, None], -inside[:, None].double())
    kind = result_type(scores)
    return log_partition.to(scores.device, kind), marginals.to(scores.device, kind)


def _gold(heads: torch.Tensor, words: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Gold heads [sentences, nodes], 0 for what is no word, and which nodes are words."""
    nodes = heads.shape[1]
    node = torch.arange(nodes)
    inside = (node > 0) & (node <= words[:, None])
    bad = torch.nonzero(inside & ((heads < 0) | (heads > words[:, None]) | (heads == node)))
    if len(bad):
        sentence, word = bad[0].tolist()
        head, most = int(heads[sentence, word]), int(words[sentence])
        raise ValueError(
            f"sentence {sentence}: the head of word {word} is {head}; need another of 0 to {most}"
        )
    return heads.masked_fill(~inside, 0), inside


def _on_gpu(
    scores: torch.Tensor,
    lengths: torch.Tensor | None,
    heads: torch.Tensor | None,
    single: bool,
    head_first: bool,
    threads: int,
    with_marginals: bool,
) -> tuple[torch.Tensor, torch.Tensor]:
    nodes = scores.shape[1]
    if nodes > _SIZES[-1].nodes or scores.numel() == 0 or nodes < 2:
        return _on_cpu(scores, lengths, heads, single, head_first, threads, with_marginals)
    words = _words(lengths, scores)
    if scores.device.index == torch.cuda.current_device():
        return launch(scores, words, heads, single, head_first)
    with torch.cuda.device(scores.device):  # takes its time
        return launch(scores, words, heads, single, head_first)


@torch.library.custom_op("coppice::distribution", mutates_args=())
def _operator(
    scores: torch.Tensor,
    lengths: torch.Tensor | None,
    heads: torch.Tensor | None,
    single: bool,
    head_first: bool,
    threads: int,
    with_marginals: bool,
) -> tuple[torch.Tensor, torch.Tensor]:
    """As `distribution`."""
    solve = _on_gpu if scores.is_cuda else _on_cpu
    return solve(scores, lengths, heads, single, head_first, threads, with_marginals)


@_operator.register_fake
def _(
    scores: torch.Tensor,
    lengths: torch.Tensor | None,
    heads: torch.Tensor | None,
    single: bool,
    head_first: bool,
    threads: int,
    with_marginals: bool,
) -> tuple[torch.Tensor, torch.Tensor]:
    kind = result_type(scores)
    shape = scores.shape if with_marginals else (0, 0, 0)
    return (
        torch.empty(len(scores), dtype=kind, device=scores.device),
        torch.empty(shape, dtype=kind, device=scores.device),
    )


def _setup(ctx: Any, inputs: tuple[Any, ...], output: tuple[torch.Tensor, torch.Tensor]) -> None:
    scores, lengths, heads, *ctx.how = inputs
    ctx.save_for_backward(scores, lengths, heads, output[1])
    ctx.set_materialize_grads(False)


def _backward(
    ctx: Any, of_first: torch.Tensor | None, of_second: torch.Tensor | None
) -> tuple[torch.Tensor | None, ...]:
    """The gradient of the first result is the second, that of the second a covariance matrix."""
    scores, lengths, heads, gradient = ctx.saved_tensors
    single, head_first, threads, with_marginals = ctx.how
    found = None
    if of_first is not None:
        if not with_marginals:
            gradient = distribution(scores, lengths, heads, single, head_first, threads, True)[1]
        found = of_first.view(-1, 1, 1) * gradient
    if of_second is not None:
        more = covariances(scores, lengths, of_second, single, head_first, threads)
        found = more if found is None else found + more
    return None if found is None else found.to(scores.dtype), *[None] * 6


_operator.register_autograd(_backward, setup_context=_setup)


class _Function(torch.autograd.Function):
    """The same without what torch does around an operator, which takes longer than the kernel."""

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> tuple[torch.Tensor, torch.Tensor]:
        output = (_on_gpu if inputs[0].is_cuda else _on_cpu)(*inputs)
        _setup(ctx, inputs, output)
        return output

    backward = staticmethod(_backward)


class _Transformed(torch.autograd.Function):
    """The same as torch.func needs it, which takes longer, too."""

    @staticmethod
    def forward(*inputs: Any) -> tuple[torch.Tensor, torch.Tensor]:
        return (_on_gpu if inputs[0].is_cuda else _on_cpu)(*inputs)

    setup_context = staticmethod(_setup)
    backward = staticmethod(_backward)


def distribution(
    scores: torch.Tensor,
    lengths: torch.Tensor | None,
    heads: torch.Tensor | None,
    single: bool,
    head_first: bool,
    threads: int,
    with_marginals: bool,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Log Z [sentences], and marginals with the axes of the scores if they are asked for.

    With gold heads [sentences, nodes]: log Z less the score of the gold tree, and the marginals
    less its arcs, which is the gradient.
    """
    call: Any = _Function.apply
    if torch.compiler.is_compiling():
        call = _operator
    elif torch._C._are_functorch_transforms_active():
        call = _Transformed.apply
    result: tuple[torch.Tensor, torch.Tensor] = call(
        scores, lengths, heads, single, head_first, threads, with_marginals
    )
    return result


def covariances_on_cpu(
    scores: torch.Tensor,
    lengths: torch.Tensor | None,
    values: torch.Tensor,
    single: bool,
    head_first: bool,
    threads: int,
) -> torch.Tensor:
    """By numbers with a slope: docs/distribution.md, section 8."""
    root, axes = _names(single, head_first)
    sentences = as_sentences(scores, lengths, axes, "raise", Temperature())
    functions = values.detach().double().cpu().numpy()
    if not head_first:
        functions = functions.swapaxes(1, 2)
    result = np.zeros(functions.shape)
    _core.covariance_batch(
        sentences.to_core(),
        make_problem(root),
        as_threads(threads),
        np.ascontiguousarray(functions),
        result,
    )
    if not head_first:
        result = result.swapaxes(1, 2)
    return torch.from_numpy(np.ascontiguousarray(result)).to(scores.device, result_type(scores))


def covariances_by_differences(
    scores: torch.Tensor, words: torch.Tensor, values: torch.Tensor, single: bool, head_first: bool
) -> torch.Tensor:
    """From the marginals of four neighbours, in float64: right to nine digits."""
    step = 2.0**-7 / (values.abs().amax(dim=(1, 2)).double() * words).clamp(min=1e-100)
    step = step[:, None, None]
    change = step * values.double()
    places = (-2, -1, 1, 2)
    neighbours = torch.cat([scores.double() + place * change for place in places])
    _, found = launch(neighbours, words.repeat(len(places)), None, single, head_first)
    far_below, below, above, far_above = found.chunk(len(places))
    slope = (8 * (above - below) - (far_above - far_below)) / (12 * step)
    return slope.to(result_type(scores))


@torch.library.custom_op("coppice::covariances", mutates_args=())
def covariances(
    scores: torch.Tensor,
    lengths: torch.Tensor | None,
    values: torch.Tensor,
    single: bool,
    head_first: bool,
    threads: int,
) -> torch.Tensor:
    """Of every arc with a function that is the sum of `values` over the arcs of a tree."""
    if not scores.is_cuda or scores.shape[1] > _SIZES[-1].nodes or scores.numel() == 0:
        return covariances_on_cpu(scores, lengths, values, single, head_first, threads)
    with torch.cuda.device(scores.device):
        words = _words(lengths, scores)
        return covariances_by_differences(scores, words, values, single, head_first)


@covariances.register_fake
def _(
    scores: torch.Tensor,
    lengths: torch.Tensor | None,
    values: torch.Tensor,
    single: bool,
    head_first: bool,
    threads: int,
) -> torch.Tensor:
    return torch.empty(scores.shape, dtype=result_type(scores), device=scores.device)
