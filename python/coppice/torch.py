"""The distribution over trees as a differentiable function of torch tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from coppice._arrays import Axes
from coppice._distribution import distribution_batch
from coppice._which import RootRule

__all__ = ["log_partition"]


class _LogPartition(torch.autograd.Function):
    """The gradient of log_partition is the marginals, which come with it."""

    @staticmethod
    def forward(
        ctx: Any, scores: torch.Tensor, lengths: Any, root: RootRule, axes: Axes, threads: int
    ) -> torch.Tensor:
        found = distribution_batch(scores, lengths=lengths, root=root, axes=axes, threads=threads)
        marginals = torch.from_numpy(np.ascontiguousarray(found.marginals))
        ctx.save_for_backward(marginals.to(scores))
        return torch.from_numpy(found.log_partition).to(scores)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, None, None, None, None]:
        (marginals,) = ctx.saved_tensors
        return gradients[0][:, None, None] * marginals, None, None, None, None


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
    Computed on the CPU in float64, whatever the tensor is.

    Parameters
    ----------
    scores
        [sentences, words + 1, words + 1], or one matrix; then the result is a scalar.
    lengths, root, axes, threads
        As for `coppice.kbest_batch`.
    """
    if scores.ndim == 2:
        return log_partition(scores[None], lengths, root=root, axes=axes, threads=threads)[0]
    apply: Any = _LogPartition.apply
    result: torch.Tensor = apply(scores, lengths, root, axes, threads)
    return result
