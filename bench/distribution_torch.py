"""Loss and gradient of batches in training, against torch.linalg.slogdet and autograd.

    .venv/bin/python bench/distribution_torch.py [--rounds 15] [--device cuda]

Batches of padded sentences, float32 scores; on the CPU one thread and the first batch alone.
All take turns of ten calls in one process: milliseconds for forward and backward with
synchronisation, medians. The textbook computes in float64. torch-struct and SynJax (compiled by
jax.jit) are measured where they import. On a GPU the worst error of a marginal follows, of 500
sentences whose likeliest heads form cycles (bench/distribution_peers.py). Lines KEY VALUE
(tools/figures.py).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from functools import lru_cache
from statistics import median
from typing import Any

import numpy as np
import torch
from distribution_peers import cycles, pad

import coppice
from coppice.torch import log_partition

#: Sentences, and the fewest and most words of them.
BATCHES = [(64, 5, 40), (256, 5, 40), (64, 20, 60), (32, 60, 120)]
Call = Callable[[], Any]


def batch(count: int, fewest: int, most: int, device: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Scores like a parser's, and lengths."""
    torch.manual_seed(1)
    lengths = torch.randint(fewest, most + 1, (count,))
    lengths[0] = most
    scores = (10 * torch.rand(count, most + 1, most + 1)).log_softmax(dim=1)
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


def torch_struct(scores: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Its partition function takes the root's scores on the diagonal."""
    from torch_struct import deptree_part

    root = torch.diag_embed(scores[:, 0, 1:])
    inner = scores[:, 1:, 1:] * (1 - torch.eye(scores.shape[1] - 1, device=scores.device)) + root
    return deptree_part(inner, True, lengths)


def synjax(scores: torch.Tensor, lengths: torch.Tensor, single: bool) -> Call:
    """Compiled before it is timed, on jax's device."""
    values, nodes = scores.detach().cpu().numpy(), (lengths + 1).int().cpu().numpy()

    @lru_cache(maxsize=1)
    def compiled() -> Call:
        os.environ["JAXTYPING_DISABLE"] = "1"  # checks that fail with newer versions of jaxtyping
        import jax
        from synjax import SpanningTreeCRF

        def loss(values: jax.Array, nodes: jax.Array) -> jax.Array:
            trees = SpanningTreeCRF(
                values, directed=True, projective=False, single_root_edge=single, lengths=nodes
            )
            return trees.log_partition().sum()

        both = jax.jit(jax.value_and_grad(loss))
        there = jax.numpy.asarray(values), jax.numpy.asarray(nodes)
        return lambda: jax.block_until_ready(both(*there))

    return lambda: compiled()()


def trained(loss: Callable[[torch.Tensor], torch.Tensor], scores: torch.Tensor) -> Call:
    """Forward and backward."""

    def run() -> None:
        scores.grad = None
        loss(scores).sum().backward()

    return run


def captured(loss: Callable[[torch.Tensor], torch.Tensor], scores: torch.Tensor) -> Call:
    """Forward and backward as a CUDA graph, which is possible where nothing waits for the GPU."""
    leaf = scores.detach().clone().requires_grad_()

    @lru_cache(maxsize=1)
    def graph() -> torch.cuda.CUDAGraph:
        run, recorded = trained(loss, leaf), torch.cuda.CUDAGraph()
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            run()
        torch.cuda.current_stream().wait_stream(side)
        leaf.grad = None
        with torch.cuda.graph(recorded):
            loss(leaf).sum().backward()
        return recorded

    return lambda: graph().replay()


def contenders(scores: torch.Tensor, lengths: torch.Tensor, single: bool) -> dict[str, Call]:
    """By name; those that do not run are said to fail."""
    root = "single" if single else "any"
    found = {
        "slogdet": trained(lambda s: textbook(s, lengths, single), scores),
        "coppice": trained(lambda s: log_partition(s, lengths, root=root), scores),
    }
    if scores.is_cuda:
        found["captured"] = captured(lambda s: log_partition(s, lengths, root=root), scores)
    if not single:
        found["torch-struct"] = trained(lambda s: torch_struct(s, lengths), scores)
    found["SynJax"] = synjax(scores, lengths, single)
    for name, call in list(found.items()):
        try:
            call()
        except Exception as error:  # another package is not there, or fails
            why = f"{type(error).__name__}: {str(error)[:100]}"
            print(f"without {name}: {why}", file=sys.stderr)
            del found[name]
    return found


def times(calls: dict[str, Call], rounds: int, cuda: bool) -> dict[str, float]:
    """Medians in milliseconds; a turn is ten calls, of which the first two are not counted."""
    clock = time.perf_counter if cuda else time.process_time
    took: dict[str, list[float]] = {name: [] for name in calls}
    while any(len(values) < rounds for values in took.values()):
        for name, call in calls.items():
            for again in range(10):
                if cuda:
                    torch.cuda.synchronize()
                start = clock()
                call()
                if cuda:
                    torch.cuda.synchronize()
                if again > 1:
                    took[name].append(1e3 * (clock() - start))
    return {name: median(values) for name, values in took.items()}


def errors(device: str) -> None:
    """Of marginals where the likeliest heads form cycles."""
    scores, words = pad(cycles())
    narrow = scores.astype(np.float32)
    for root in ("any", "single"):
        exact = coppice.distribution_batch(narrow.astype(np.float64), lengths=words, root=root)
        tensor = torch.from_numpy(narrow).to(device).requires_grad_()
        lengths = torch.from_numpy(words).to(device)
        for name, loss in (
            ("coppice", lambda s: log_partition(s, lengths, root=root)),  # noqa: B023
            ("slogdet", lambda s: textbook(s, lengths, root == "single")),  # noqa: B023
        ):
            trained(loss, tensor)()
            assert tensor.grad is not None
            apart = np.abs(tensor.grad.double().cpu().numpy() - exact.marginals)
            print(f"{root}.{name}.error {np.nan_to_num(apart, nan=np.inf).max():.1e}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    cuda = arguments.device != "cpu"
    for shape in BATCHES if cuda else BATCHES[:1]:
        scores, lengths = batch(*shape, arguments.device)
        scores.requires_grad_()
        for root in ("any", "single"):
            key = "{}-{}x{}-{}".format(root, *shape)
            found = times(contenders(scores, lengths, root == "single"), arguments.rounds, cuda)
            for name, value in found.items():
                print(f"{key}.{name}.ms {value:.4g}")
            print(f"{key}.slogdet/coppice {found['slogdet'] / found['coppice']:.4g}", flush=True)
    if cuda:
        errors(arguments.device)


if __name__ == "__main__":
    main()
