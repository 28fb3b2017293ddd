"""The distribution over the trees of tensors, as operators that torch knows.

Tensors on a GPU are computed there by the kernel of `_kernel`, all others by the library.
"""

from __future__ import annotations

from functools import cache
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

    #: A program solves a word fewer than this.
    block: int
    #: Rows of a matrix that are read at one time.
    chunk: int
    warps: int


#: Measured on one H200. Sentences of more words than all of these are left to the CPU.
_SIZES = {64: Size(8, 8, 1), 128: Size(16, 16, 4), 256: Size(16, 16, 8), 512: Size(16, 8, 8)}
#: Bytes of scratch memory for the sentences of one launch.
_SCRATCH = 1 << 28
#: Compiled kernels by all that they depend on.
_compiled: dict[tuple[Any, ...], Any] = {}


def _names(single: bool, head_first: bool) -> tuple[RootRule, Axes]:
    return "single" if single else "any", "head,dep" if head_first else "dep,head"


def result_type(scores: torch.Tensor) -> torch.dtype:
    """Results are float32 or wider."""
    return torch.float64 if scores.dtype == torch.float64 else torch.float32


def _words(lengths: torch.Tensor | None, scores: torch.Tensor) -> torch.Tensor:
    """Words per sentence on the device of the scores, from lengths or a mask."""
    count, most = len(scores), scores.shape[1] - 1
    if lengths is None:
        return torch.full((count,), most, device=scores.device)
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


@cache
def _triton() -> tuple[Any, Any, Any]:
    """The kernel and its types; Triton is not there where nobody has a GPU."""
    import triton.language as tl

    from coppice import _kernel

    return _kernel.describe, tl.float32, tl.float64


def _start(programs: int, arguments: tuple[Any, ...], warps: int, variant: tuple[Any, ...]) -> None:
    """Remembers what was compiled: Triton takes longer to find it than to launch it."""
    kernel = _compiled.get(variant)
    if kernel is None:  # as it always is in the interpreter
        _compiled[variant] = _triton()[0][programs,](*arguments, num_warps=warps, num_stages=1)
    else:
        kernel[programs, 1, 1](*arguments)


def launch(
    scores: torch.Tensor,
    words: torch.Tensor,
    heads: torch.Tensor | None,
    single: bool,
    head_first: bool = True,
    sizes: dict[int, Size] = _SIZES,
) -> tuple[torch.Tensor, torch.Tensor]:
    """What `distribution` gives, by the kernel."""
    _, narrow, wide = _triton()
    count, nodes, _ = scores.shape
    kind = result_type(scores)
    smallest = min(sizes)
    needed = [size for size in sizes if size < 2 * nodes or size == smallest]
    log_partition = scores.new_empty(count, dtype=kind)
    # A program stores rows and columns up to its size.
    new = scores.new_empty if len(needed) == 1 else scores.new_zeros
    marginals = new(scores.shape, dtype=kind)
    sentence_pitch, *pitches = scores.stride()
    how = (scores.device, scores.dtype, max(scores.stride()) < 1 << 31, single, heads is None)
    out_pitches = [nodes, 1]
    if not head_first:
        pitches.reverse()
        out_pitches.reverse()
    gold = () if heads is None else (heads, heads.stride(0), heads.shape[1] - nodes + 1)
    least = 0
    for size in needed:
        block, chunk, warps = sizes[size]
        blocks = -(-(nodes - 1) // (block - 1))
        room = blocks * (3 * size * size + size + block * block)
        at_once = min(count, max(1, _SCRATCH // (8 * room)))
        scratch = scores.new_empty(at_once * room, dtype=torch.float64)
        for first in range(0, count, at_once):
            programs = min(at_once, count - first) * blocks
            arguments = (
                scores, sentence_pitch, *pitches, words, *(gold or (words, 0, 0)), log_partition,
                marginals, *out_pitches, scratch, first, nodes - 1, blocks, least, single,
                bool(gold), wide if kind == torch.float64 else narrow, size, block, chunk,
            )  # fmt: skip
            _start(programs, arguments, warps, (size, sizes[size], *how))
        least = size
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
    if nodes > max(_SIZES) or scores.numel() == 0 or nodes < 2:
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
    if not scores.is_cuda or scores.shape[1] > max(_SIZES) or scores.numel() == 0:
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
