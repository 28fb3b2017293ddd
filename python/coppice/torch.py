"""The distribution over trees as differentiable functions of torch tensors.

All take scores [sentences, words + 1, words + 1] or one matrix, and `lengths`, `root`, `axes` and
`threads` as `coppice.kbest_batch` does. Masks may be minus infinity or any finite number. Tensors
on the CPU are computed in float64 by the library, whatever their type; tensors on a GPU there, in
float64, and by the library where that has too small a range.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from coppice import _core, _device
from coppice._arrays import Axes, as_threads
from coppice._distribution import distribution_batch
from coppice._problem import RootRule, make_problem
from coppice._sentences import as_sentences
from coppice._temperature import Temperature

__all__ = ["cross_entropy", "entropy", "kl", "log_partition", "marginals"]


class _How:
    """Everything but the scores."""

    def __init__(self, lengths: Any, root: RootRule, axes: Axes, threads: int) -> None:
        self.lengths, self.root, self.axes, self.threads = lengths, root, axes, threads

    def describe(self, scores: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """log_partition and marginals."""
        if scores.is_cuda:
            return _device.describe(scores, self.lengths, self.root, self.axes, self.on_cpu)
        return self.on_cpu(scores, self.lengths)

    def on_cpu(self, scores: torch.Tensor, lengths: Any) -> tuple[torch.Tensor, torch.Tensor]:
        """The same by the library."""
        found = distribution_batch(
            scores, lengths=lengths, root=self.root, axes=self.axes, threads=self.threads
        )
        marginals = torch.from_numpy(np.ascontiguousarray(found.marginals))
        return torch.from_numpy(found.log_partition).to(scores), marginals.to(scores)

    def log_partition(self, scores: torch.Tensor) -> torch.Tensor:
        """Alone."""
        found = distribution_batch(
            scores,
            lengths=self.lengths,
            root=self.root,
            axes=self.axes,
            threads=self.threads,
            marginals=False,
        )
        return torch.from_numpy(found.log_partition).to(scores)

    def covariances(self, scores: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """Of every arc with an arc-factored function, which is the derivative of the marginals."""
        sentences = as_sentences(scores, self.lengths, self.axes, "raise", Temperature())
        functions = values.detach().double().cpu().numpy()
        if self.axes == "dep,head":
            functions = functions.swapaxes(1, 2)
        result = np.zeros(functions.shape)
        _core.covariance_batch(
            sentences.to_core(),
            make_problem(self.root),
            as_threads(self.threads),
            np.ascontiguousarray(functions),
            result,
        )
        if self.axes == "dep,head":
            result = result.swapaxes(1, 2)
        return torch.from_numpy(np.ascontiguousarray(result)).to(scores)


class _Marginals(torch.autograd.Function):
    """The derivative of the marginals is their covariance matrix."""

    @staticmethod
    def forward(ctx: Any, scores: torch.Tensor, marginals: torch.Tensor, how: _How) -> torch.Tensor:
        ctx.save_for_backward(scores)
        ctx.how = how
        return marginals.clone()

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        (scores,) = ctx.saved_tensors
        return ctx.how.covariances(scores, gradients[0]), None, None


class _LogPartition(torch.autograd.Function):
    """The gradient of log_partition is the marginals, which come with it."""

    @staticmethod
    def forward(ctx: Any, scores: torch.Tensor, how: _How) -> torch.Tensor:
        if not ctx.needs_input_grad[0] and not scores.is_cuda:
            return how.log_partition(scores)
        log_partition, marginals = how.describe(scores)
        ctx.save_for_backward(scores, marginals)
        ctx.how = how
        return log_partition

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, None]:
        scores, marginals = ctx.saved_tensors
        if torch.is_grad_enabled():  # somebody wants the second derivative
            apply: Any = _Marginals.apply
            marginals = apply(scores, marginals, ctx.how)
        return gradients[0][:, None, None] * marginals, None


def log_partition(
    scores: torch.Tensor,
    lengths: Any = None,
    *,
    root: RootRule,
    axes: Axes = "head,dep",
    threads: int = 1,
) -> torch.Tensor:
    """Log of the sum of exp(score) over all trees, [sentences]; its gradient is the marginals.

    The loss of a globally normalised parser is ``log_partition(scores) - score of the gold tree``.
    May be differentiated twice.
    """
    if scores.ndim == 2:
        return log_partition(scores[None], lengths, root=root, axes=axes, threads=threads)[0]
    apply: Any = _LogPartition.apply
    result: torch.Tensor = apply(scores, _How(lengths, root, axes, threads))
    return result


def marginals(
    scores: torch.Tensor,
    lengths: Any = None,
    *,
    root: RootRule,
    axes: Axes = "head,dep",
    threads: int = 1,
) -> torch.Tensor:
    """The probability of every arc, with the shape and axes of the scores; differentiable."""
    if scores.ndim == 2:
        return marginals(scores[None], lengths, root=root, axes=axes, threads=threads)[0]
    how = _How(lengths, root, axes, threads)
    with torch.no_grad():
        _, found = how.describe(scores)
    apply: Any = _Marginals.apply
    result: torch.Tensor = apply(scores, found, how)
    return result


def _mean(probability: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """The sum over all arcs; what has no probability does not count, be it minus infinity."""
    return torch.where(probability > 0, probability * values, 0).sum(dim=(1, 2))


def _relative(
    scores: torch.Tensor, probability: torch.Tensor, axes: Axes
) -> tuple[torch.Tensor, torch.Tensor]:
    """Scores less that of each word's likeliest head, and what was subtracted, [sentences].

    Every tree has one arc into each word, so that nothing changes but the size of the numbers.
    """
    heads = 1 if axes == "head,dep" else 2
    with torch.no_grad():
        likeliest = probability.argmax(dim=heads, keepdim=True)
        reference = scores.gather(heads, likeliest)
        reference = torch.where(probability.sum(dim=heads, keepdim=True) > 0, reference, 0)
    return scores - reference, reference.sum(dim=(1, 2))


def entropy(
    scores: torch.Tensor,
    lengths: Any = None,
    *,
    root: RootRule,
    axes: Axes = "head,dep",
    threads: int = 1,
) -> torch.Tensor:
    """In nats, [sentences]; differentiable."""
    if scores.ndim == 2:
        return entropy(scores[None], lengths, root=root, axes=axes, threads=threads)[0]
    how: dict[str, Any] = {"root": root, "axes": axes, "threads": threads}
    with torch.no_grad():
        likely = marginals(scores, lengths, **how)
    relative, _ = _relative(scores, likely, axes)
    probability = marginals(relative, lengths, **how)
    return log_partition(relative, lengths, **how) - _mean(probability, relative)


def cross_entropy(
    scores: torch.Tensor,
    other: torch.Tensor,
    lengths: Any = None,
    *,
    root: RootRule,
    axes: Axes = "head,dep",
    threads: int = 1,
) -> torch.Tensor:
    """The mean of -log probability under `other` of trees drawn from `scores`; differentiable."""
    if scores.ndim == 2:
        return cross_entropy(
            scores[None], other[None], lengths, root=root, axes=axes, threads=threads
        )[0]
    how: dict[str, Any] = {"root": root, "axes": axes, "threads": threads}
    probability = marginals(scores, lengths, **how)
    relative, _ = _relative(other, probability.detach(), axes)
    return log_partition(relative, lengths, **how) - _mean(probability, relative)


def kl(
    scores: torch.Tensor,
    other: torch.Tensor,
    lengths: Any = None,
    *,
    root: RootRule,
    axes: Axes = "head,dep",
    threads: int = 1,
) -> torch.Tensor:
    """The divergence of `scores` from `other`, [sentences]; differentiable in both."""
    if scores.ndim == 2:
        return kl(scores[None], other[None], lengths, root=root, axes=axes, threads=threads)[0]
    how: dict[str, Any] = {"root": root, "axes": axes, "threads": threads}
    probability = marginals(scores, lengths, **how)
    own, _ = _relative(scores, probability.detach(), axes)
    its, _ = _relative(other, probability.detach(), axes)
    log_ratio = log_partition(its, lengths, **how) - log_partition(own, lengths, **how)
    return log_ratio + _mean(probability, own) - _mean(probability, its)
