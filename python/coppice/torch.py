"""The distribution over trees as differentiable functions of torch tensors, and decoding beside.

All take scores [sentences, words + 1, words + 1] or one matrix, and `lengths`, `root`, `axes` and
`threads` as `coppice.kbest_batch` does. Masks may be minus infinity or any finite number. Tensors
on the CPU are computed in float64 by the library, whatever their type; tensors on a GPU there, in
float64 if they are that and in float32 otherwise, and nothing waits for the GPU. Results are
float32 or wider. Bad scores on the CPU are an error; on a GPU the results of that sentence are NaN.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Any

import torch

from coppice import _device
from coppice._arrays import Axes
from coppice._batch import kbest_batch
from coppice._batches import BatchResult
from coppice._problem import RootRule, single_root

__all__ = ["cross_entropy", "entropy", "kbest", "kl", "log_partition", "marginals", "nll"]


def _check_scores(scores: Any, name: str = "scores") -> None:
    if not isinstance(scores, torch.Tensor):
        kind = f"{type(scores).__module__}.{type(scores).__name__}"
        raise TypeError(f"{name} is a {kind}; need a torch tensor (torch.from_numpy, as_tensor)")
    if not scores.is_floating_point():
        raise TypeError(f"{name} has dtype {scores.dtype}; need floats: {name}.float()")


def _distribution(
    scores: torch.Tensor,
    lengths: Any,
    root: RootRule,
    axes: Axes,
    threads: int,
    with_marginals: bool = True,
    heads: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Log Z and marginals of a batch, less score and arcs of the gold heads if there are some."""
    single = single_root(root)
    if axes not in ("head,dep", "dep,head"):
        raise ValueError(f'axes is {axes!r}; must be "head,dep" or "dep,head"')
    if scores.ndim != 3 or scores.shape[1] != scores.shape[2]:
        raise ValueError(
            f"scores has shape {tuple(scores.shape)}; need [sentences, words + 1, words + 1], or "
            "one square matrix"
        )
    if lengths is not None:
        lengths = torch.as_tensor(lengths)
        _device.check_lengths(lengths, scores)
    return _device.distribution(
        scores, lengths, heads, single, axes == "head,dep", threads, with_marginals
    )


def log_partition(
    scores: torch.Tensor,
    lengths: Any = None,
    *,
    root: RootRule,
    axes: Axes = "head,dep",
    threads: int = 1,
) -> torch.Tensor:
    """Log of the sum of exp(score) over all trees, [sentences]; its gradient is the marginals.

    The loss of a globally normalised parser is ``log_partition(scores) - score of the gold tree``:
    `nll`. May be differentiated twice.
    """
    _check_scores(scores)
    if scores.ndim == 2:
        return log_partition(scores[None], lengths, root=root, axes=axes, threads=threads)[0]
    wanted = scores.is_cuda or (scores.requires_grad and torch.is_grad_enabled())
    return _distribution(scores, lengths, root, axes, threads, wanted)[0]


def marginals(
    scores: torch.Tensor,
    lengths: Any = None,
    *,
    root: RootRule,
    axes: Axes = "head,dep",
    threads: int = 1,
) -> torch.Tensor:
    """The probability of every arc, with the shape and axes of the scores; differentiable."""
    _check_scores(scores)
    if scores.ndim == 2:
        return marginals(scores[None], lengths, root=root, axes=axes, threads=threads)[0]
    return _distribution(scores, lengths, root, axes, threads)[1]


def nll(
    scores: torch.Tensor,
    heads: torch.Tensor,
    lengths: Any = None,
    *,
    root: RootRule,
    axes: Axes = "head,dep",
    threads: int = 1,
    labels: torch.Tensor | None = None,
    gold_labels: torch.Tensor | None = None,
) -> torch.Tensor:
    """Minus the log-probability of the gold trees, [sentences]; differentiable.

    `heads` are integers [sentences, words] or, with an entry for the root, [sentences, words + 1];
    what stands there for the root and for padding is ignored. With scores of `labels` [sentences,
    words + 1, words + 1, labels] and `gold_labels`, laid out as `heads`, trees have labels: an arc
    with a label has the sum of both scores.
    """
    _check_scores(scores)
    if scores.ndim == 2:
        return nll(
            scores[None], heads[None], lengths, root=root, axes=axes, threads=threads,
            labels=None if labels is None else labels[None],
            gold_labels=None if gold_labels is None else gold_labels[None],
        )[0]  # fmt: skip
    if (labels is None) != (gold_labels is None):
        raise ValueError("labels and gold_labels go together")
    gold = _with_root(heads, scores, "heads")
    arcs, of_labels = scores, None
    if labels is not None:
        _check_scores(labels, "labels")
        wide = labels.to(_device.result_type(scores))
        if axes == "dep,head":
            wide = wide.transpose(1, 2)
        total = wide.logsumexp(dim=3)
        arcs = scores + (total if axes == "head,dep" else total.transpose(1, 2))
        of_labels = _label_nll(wide, gold, _with_root(gold_labels, scores, "gold_labels"), lengths)
    wanted = arcs.is_cuda or (arcs.requires_grad and torch.is_grad_enabled())
    found, _ = _distribution(arcs, lengths, root, axes, threads, wanted, gold)
    return found if of_labels is None else found + of_labels


def _label_nll(
    label_scores: torch.Tensor, heads: torch.Tensor, labels: torch.Tensor, lengths: Any
) -> torch.Tensor:
    """Of the labels, given the heads, [sentences]."""
    node = torch.arange(heads.shape[1], device=heads.device)
    inside = (node > 0).expand(heads.shape)
    if lengths is not None:
        given = torch.as_tensor(lengths, device=heads.device)
        given = given[:, 1 - heads.shape[1] :].sum(dim=1) if given.dtype == torch.bool else given
        inside = inside & (node <= given[:, None])
    heads, labels = heads.masked_fill(~inside, 0), labels.masked_fill(~inside, 0)
    places = heads[:, None, :, None].expand(-1, -1, -1, label_scores.shape[3])
    arcs = label_scores.gather(1, places)[:, 0]
    lost = arcs.logsumexp(dim=2) - arcs.gather(2, labels[:, :, None])[:, :, 0]
    result: torch.Tensor = torch.where(inside, lost, 0).sum(dim=1)
    return result


def _with_root(values: Any, scores: torch.Tensor, name: str) -> torch.Tensor:
    """Integers of words with an entry for the root in front."""
    values = torch.as_tensor(values, device=scores.device)
    count, nodes = scores.shape[:2]
    if values.dtype.is_floating_point or tuple(values.shape) not in (
        (count, nodes),
        (count, nodes - 1),
    ):
        raise ValueError(
            f"{name} has shape {tuple(values.shape)} and {values.dtype}; need integers "
            f"[{count}, {nodes - 1}], or [{count}, {nodes}] with the root"
        )
    found: torch.Tensor = values.long()
    if found.shape[1] < nodes:
        found = torch.nn.functional.pad(found, (1, 0))
    return found.contiguous()


def _mean(probability: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """The sum over all arcs; what has no probability does not count, be it minus infinity."""
    return (probability * torch.where(probability > 0, values, 0)).sum(dim=(1, 2))


def _relative(
    scores: torch.Tensor, probability: torch.Tensor, axes: Axes
) -> tuple[torch.Tensor, torch.Tensor]:
    """Scores less that of each word's likeliest head, and what was subtracted, [sentences].

    Every tree has one arc into each word, so that nothing changes but the size of the numbers.
    """
    scores = scores.to(_device.result_type(scores))
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
    _check_scores(scores)
    if scores.ndim == 2:
        return entropy(scores[None], lengths, root=root, axes=axes, threads=threads)[0]
    how = (lengths, root, axes, threads)
    with torch.no_grad():
        _, likely = _distribution(scores, *how)
    relative, _ = _relative(scores, likely, axes)
    log_z, probability = _distribution(relative, *how)
    return log_z - _mean(probability, relative)


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
    _check_scores(scores)
    _check_scores(other, "other")
    if scores.ndim == 2:
        return cross_entropy(
            scores[None], other[None], lengths, root=root, axes=axes, threads=threads
        )[0]
    probability = marginals(scores, lengths, root=root, axes=axes, threads=threads)
    relative, _ = _relative(other, probability.detach(), axes)
    log_z = log_partition(relative, lengths, root=root, axes=axes, threads=threads)
    return log_z - _mean(probability, relative)


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
    _check_scores(scores)
    _check_scores(other, "other")
    if scores.ndim == 2:
        return kl(scores[None], other[None], lengths, root=root, axes=axes, threads=threads)[0]
    how: dict[str, Any] = {"root": root, "axes": axes, "threads": threads}
    probability = marginals(scores, lengths, **how)
    own, _ = _relative(scores, probability.detach(), axes)
    its, _ = _relative(other, probability.detach(), axes)
    log_ratio = log_partition(its, lengths, **how) - log_partition(own, lengths, **how)
    return log_ratio + _mean(probability, own) - _mean(probability, its)


@cache
def _workers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=2, thread_name_prefix="coppice")


@cache
def _stream(device: torch.device) -> Any:
    stream: Any = torch.cuda.Stream
    return stream(device)


def _to_memory(tensor: torch.Tensor) -> tuple[torch.Tensor, torch.cuda.Event | None]:
    """A copy in the memory of the CPU, and what says when it is there."""
    tensor = tensor.detach()
    if not tensor.is_cuda:
        return tensor.clone(), None
    stream = _stream(tensor.device)
    copy = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
    stream.wait_stream(torch.cuda.current_stream(tensor.device))
    with torch.cuda.stream(stream):
        copy.copy_(tensor, non_blocking=True)
        tensor.record_stream(stream)
        return copy, stream.record_event()


def kbest(
    scores: torch.Tensor, k: int, lengths: Any = None, *, root: RootRule, **options: Any
) -> Future[BatchResult]:
    """`coppice.kbest_batch` beside the GPU: returns at once a future of the result.

    The scores are copied while the GPU goes on, and decoded by other threads as soon as they are
    there. Options are those of `kbest_batch`, `threads` among them.
    """
    _check_scores(scores)
    options |= {"scores": scores, "lengths": lengths}
    copies = {name: _to_memory(v) for name, v in options.items() if isinstance(v, torch.Tensor)}

    def decode() -> BatchResult:
        for name, (copy, ready) in copies.items():
            if ready is not None:
                ready.synchronize()
            options[name] = copy
        return kbest_batch(k=k, root=root, **options)

    return _workers().submit(decode)
