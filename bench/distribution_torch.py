"""Loss and gradient of a batch in training, against torch.linalg.slogdet and autograd.

    .venv/bin/python bench/distribution_torch.py [--rounds 15] [--device cuda]

64 sentences of 5 to 40 words, padded to 40, float32 scores; one thread on the CPU. Both take turns
in one process; medians.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from statistics import median

import torch

from coppice.torch import log_partition


def batch(device: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Scores like a parser's, and lengths."""
    torch.manual_seed(1)
    lengths = torch.randint(5, 41, (64,))
    scores = (10 * torch.rand(64, 41, 41)).log_softmax(dim=1)
    return scores.to(device), lengths.to(device)


def textbook(scores: torch.Tensor, lengths: torch.Tensor, single: bool) -> torch.Tensor:
    """Koo et al. (2007), padding replaced by ones on the diagonal."""
    weights = scores.double().exp()
    words = torch.arange(1, scores.shape[1], device=scores.device)
    inside = words[None] <= lengths[:, None]
    both = inside[:, :, None] & inside[:, None, :] & (words[:, None] != words[None, :])
    inner = torch.where(both, weights[:, 1:, 1:], 0)
    root = torch.where(inside, weights[:, 0, 1:], 0)
    diagonal = inner.sum(dim=1) + (0 if single else root)
    laplacian = torch.diag_embed(torch.where(inside, diagonal, 1)) - inner
    if single:
        laplacian = torch.cat([root[:, None], laplacian[:, 1:]], dim=1)
    return torch.linalg.slogdet(laplacian)[1]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    scores, lengths = batch(arguments.device)
    scores.requires_grad_()
    cuda = arguments.device != "cpu"

    def took(loss: Callable[[], torch.Tensor]) -> float:
        scores.grad = None
        if cuda:
            torch.cuda.synchronize()
        start = time.perf_counter() if cuda else time.process_time()
        loss().sum().backward()
        if cuda:
            torch.cuda.synchronize()
        return (time.perf_counter() if cuda else time.process_time()) - start

    for root in ("any", "single"):
        calls: list[Callable[[], torch.Tensor]] = [
            lambda: textbook(scores, lengths, root == "single"),  # noqa: B023
            lambda: log_partition(scores, lengths, root=root),  # noqa: B023
        ]
        for call in calls:
            took(call)
        times = [[took(call) for call in calls] for _ in range(arguments.rounds)]
        theirs, ours = (1e3 * median(column) for column in zip(*times, strict=True))
        print(
            f"{root:7} torch {theirs:8.2f} ms  coppice {ours:8.2f} ms  ratio {theirs / ours:6.2f}"
        )


if __name__ == "__main__":
    main()
