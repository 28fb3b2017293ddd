"""The partition function and marginals by torch operations, on the device of the tensor.

The elimination without subtraction of docs/distribution.md, section 3, over a whole batch. The
number of words is filled up to a power of two, so that all parts of all sentences that are solved
at one time have the same size. Sentences whose numbers leave the safe range of float64 are left to
the library.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import torch

from coppice._arrays import Axes
from coppice._problem import RootRule, single_root

_SAFE_SUM = 2.0**-300
_SAFE_LOG_PRODUCT = -275.0
_TINY = 2.0**-1000

#: Scores and words per sentence -> log_partition and marginals.
OnCpu = Callable[[torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]]


def words_of(lengths: Any, scores: torch.Tensor) -> torch.Tensor:
    """Words per sentence, from lengths or a mask."""
    most = scores.shape[1] - 1
    if lengths is None:
        return torch.full((len(scores),), most, device=scores.device)
    given = torch.as_tensor(lengths, device=scores.device)
    if given.dtype == torch.bool:
        return given[:, given.shape[1] - most :].sum(dim=1)
    return given.long()


def _filled_up(weights: torch.Tensor, real: torch.Tensor, single: bool) -> torch.Tensor:
    """With a power of two of words. Those added hang from the root, or from the first word."""
    nodes = 1 + real.shape[1]
    result = weights.new_full((len(weights), nodes, nodes), -torch.inf)
    result[:, : weights.shape[1], : weights.shape[2]] = weights
    head = 1 if single else 0
    result[:, head, 1:] = torch.where(real, result[:, head, 1:], 0.0)
    return result


def _scaled(weights: torch.Tensor, single: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """Weights less the maximum of each column (and of the root's row), and what was subtracted."""
    highest = (weights[:, 1:] if single else weights).amax(dim=1, keepdim=True)
    highest = torch.where(torch.isfinite(highest), highest, 0.0)
    weights = weights - highest
    shift = highest[:, 0, 1:].sum(dim=1)
    if single:
        root = weights[:, 0].amax(dim=1)
        root = torch.where(torch.isfinite(root), root, 0.0)
        weights[:, 0] -= root[:, None]
        shift = shift + root
    return weights, shift


def _eliminate(weights: torch.Tensor, keep: int, single: bool) -> torch.Tensor:
    """Eliminates the words after `keep`, in place; gives their pivots, the last word's first."""
    pivots = []
    for v in range(weights.shape[1] - 1, keep, -1):
        column = weights[:, :v, v : v + 1]
        pivot = (column[:, 1:] if single and v > 1 else column).sum(dim=1, keepdim=True)
        pivots.append(pivot[:, 0, 0])
        column /= pivot.clamp(min=_TINY)
        weights[:, :v, 1:v].baddbmm_(column, weights[:, v : v + 1, 1:v])
    return torch.stack(pivots, dim=1)


def _hits(weights: torch.Tensor, keep: int) -> torch.Tensor:
    """Where the walk from each eliminated word first meets a kept one or the root.

    The solution of hit = direct + hit * inner: all terms of the substitution are positive.
    """
    direct, inner = weights[:, : keep + 1, keep + 1 :], weights[:, keep + 1 :, keep + 1 :]
    one = torch.eye(inner.shape[1], dtype=inner.dtype, device=inner.device)
    matrix = one - inner.triu(1)
    hit: torch.Tensor = torch.linalg.solve_triangular(
        matrix, direct, upper=True, left=False, unitriangular=True
    )
    return hit


class _Safety:
    """What of each sentence has stayed in range, and the pivots of elimination in plain order."""

    def __init__(self, sentences: int, device: torch.device) -> None:
        self.safe = torch.ones(sentences, dtype=torch.bool, device=device)
        self.pivots: list[torch.Tensor] = []

    def check(self, pivots: torch.Tensor, kept: torch.Tensor) -> None:
        """The parts of one sentence are as far apart as there are sentences, its own first."""
        # What is asked for a word that is not there may be anything.
        fine = (pivots >= _SAFE_SUM).all(dim=1) | ~kept.any(dim=1)
        self.safe &= fine.view(-1, len(self.safe)).all(dim=0)
        self.pivots.append(pivots[: len(self.safe)])


def _reach(
    weights: torch.Tensor, real: torch.Tensor, single: bool, safety: _Safety
) -> torch.Tensor:
    """[parts, heads, dependents]."""
    words = weights.shape[1] - 1
    if words == 1:
        safety.check(weights[:, 0, 1:], real)
        return torch.zeros_like(weights[:, 1:, 1:])
    half = words // 2
    turned = torch.arange(words + 1, device=weights.device)
    turned[1:] = turned[1:].roll(-half)
    parts = torch.cat([weights, weights[:, turned][:, :, turned]])
    kept = torch.cat([real[:, :half], real[:, half:]])
    safety.check(_eliminate(parts, half, single), kept)
    among = _reach(parts[:, : half + 1, : half + 1], kept, single, safety)
    hit = _hits(parts, half)
    carried = hit[:, 0, :, None] + torch.bmm(hit[:, 1:].transpose(1, 2), among)
    (among_front, among_back), (front, back) = among.chunk(2), carried.chunk(2)
    return torch.cat(
        [torch.cat([among_front, back], dim=2), torch.cat([front, among_back], dim=2)], dim=1
    )


def _log_sum(
    weights: torch.Tensor, real: torch.Tensor, single: bool, safety: _Safety
) -> torch.Tensor:
    """By the pivots that `_reach` left."""
    sums = (weights[:, 1:] if single else weights).sum(dim=1)[:, 1:].flip(1)
    pivots = torch.cat(safety.pivots, dim=1)
    relative = torch.cat([pivots[:, :-1] / sums[:, :-1], pivots[:, -1:].clamp(max=1.0)], dim=1)
    safety.safe &= (pivots >= _SAFE_SUM).all(dim=1)
    safety.safe &= relative.log().sum(dim=1) > _SAFE_LOG_PRODUCT
    return torch.where(real.flip(1), pivots.log(), 0.0).sum(dim=1)


_Solved = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def _solve(scaled: torch.Tensor, real: torch.Tensor, single: bool) -> _Solved:
    """Log Z of the scaled weights, reach, and which sentences stayed in range."""
    safety = _Safety(len(scaled), scaled.device)
    reach = torch.ones_like(scaled)
    reach[:, 1:, 1:] = _reach(scaled, real, single, safety)
    log_sum = _log_sum(scaled, real, single, safety)
    return log_sum, reach, safety.safe


class _Recorded:
    """`_solve` as a CUDA graph: launching hundreds of small kernels takes longer than they do."""

    def __init__(self, scaled: torch.Tensor, real: torch.Tensor, single: bool) -> None:
        self._scaled, self._real = scaled.clone(), real.clone()
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph):
            self._solved = _solve(self._scaled, self._real, single)

    def __call__(self, scaled: torch.Tensor, real: torch.Tensor) -> _Solved:
        self._scaled.copy_(scaled)
        self._real.copy_(real)
        self._graph.replay()
        log_sum, reach, safe = self._solved
        return log_sum.clone(), reach.clone(), safe.clone()


class _Recordings:
    """Of the shapes that were seen last; one is recorded when it is seen for the second time."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: OrderedDict[Any, _Recorded | None] = OrderedDict()
        self._lock = threading.Lock()

    def solve(self, scaled: torch.Tensor, real: torch.Tensor, single: bool) -> _Solved:
        """As `_solve`."""
        if not scaled.is_cuda or torch.cuda.is_current_stream_capturing():
            return _solve(scaled, real, single)
        with self._lock, torch.cuda.device(scaled.device):
            key = (scaled.device, scaled.shape, single)
            seen = key in self._known
            recorded = self._known.pop(key, None)
            if seen and recorded is None:
                recorded = _Recorded(scaled, real, single)
            self._known[key] = recorded
            while len(self._known) > self._most:
                self._known.popitem(last=False)
            return _solve(scaled, real, single) if recorded is None else recorded(scaled, real)


_recordings = _Recordings(most=16)


def describe(
    scores: torch.Tensor, lengths: Any, root: RootRule, axes: Axes, on_cpu: OnCpu
) -> tuple[torch.Tensor, torch.Tensor]:
    """log_partition [sentences] and marginals, with the type, shape and axes of the scores."""
    single = single_root(root)
    weights = scores.detach().double()
    if axes == "dep,head":
        weights = weights.transpose(1, 2)
    nodes, words = weights.shape[1], words_of(lengths, scores)
    index = torch.arange(nodes, device=scores.device)
    inside = index[None] <= words[:, None]
    wanted = inside[:, :, None] & inside[:, None, :] & (index[:, None] != index[None, :])
    wanted[:, :, 0] = False
    weights = weights.masked_fill(~wanted, -torch.inf)
    bad = ~torch.isfinite(weights) & (weights != -torch.inf)

    size = 1 << max(0, nodes - 2).bit_length()
    real = torch.arange(1, size + 1, device=scores.device)[None] <= words[:, None]
    scaled, shift = _scaled(_filled_up(weights, real, single), single)
    scaled = scaled.exp()
    log_sum, reach, safe = _recordings.solve(scaled, real, single)
    log_partition = log_sum + shift
    probability = (scaled * reach)[:, :nodes, :nodes]
    total = probability.sum(dim=1, keepdim=True)
    probability = torch.where(wanted, probability / total, 0.0)
    if axes == "dep,head":
        probability = probability.transpose(1, 2)
    log_partition, probability = log_partition.to(scores), probability.to(scores)
    left = torch.nonzero(~safe | bad.any(dim=2).any(dim=1))[:, 0]
    if len(left):
        log_partition[left], probability[left] = on_cpu(scores[left], words[left])
    return log_partition, probability
