"""Trains a small biaffine parser with the tree loss, and decodes while the device goes on.

    pip install .[torch]
    python examples/train_parser.py [--device cuda] [--epochs 5] [--compile] [--bfloat16]

The parser reads forms and tags of the bundled English test set: four fifths of the sentences to
train on, one to see how well it does. Training maximises the probability of the gold tree among all
trees (coppice.torch.nll). After each epoch come the loss, the share of right heads, and where the
time of a step goes; at the end the three best trees of a sentence and their probabilities.
"""

from __future__ import annotations

import argparse
import copy
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import torch
from torch import nn

import coppice
import coppice.torch

DATA = Path(__file__).resolve().parents[1] / "data" / "en_ewt-ud-test.conllu"


class Sentence(NamedTuple):
    """Columns of a file."""

    forms: list[str]
    tags: list[str]
    heads: list[int]


class Batch(NamedTuple):
    """Padded tensors [sentences, words + 1], words per sentence, and of all."""

    forms: torch.Tensor
    tags: torch.Tensor
    heads: torch.Tensor
    lengths: torch.Tensor
    words: int


def read_conllu(path: Path, most: int) -> list[Sentence]:
    """The first sentences of at most 60 words."""
    sentences, rows = [], []
    for line in path.read_text(encoding="utf-8").splitlines():
        columns = line.split("\t")
        if len(columns) == 10 and columns[0].isdigit():
            rows.append((columns[1].lower(), columns[3], int(columns[6])))
        elif not line and rows:
            if len(rows) <= 60:
                sentences.append(Sentence(*map(list, zip(*rows, strict=True))))
            rows = []
    return sentences[:most]


class Vocabulary:
    """Numbers of strings: 0 for padding, 1 for the root, 2 for what is rare."""

    def __init__(self, lists: list[list[str]], least: int) -> None:
        counts = Counter(text for texts in lists for text in texts)
        known = sorted(text for text, count in counts.items() if count >= least)
        self._ids = {text: i for i, text in enumerate(known, start=3)}

    def __len__(self) -> int:
        return len(self._ids) + 3

    def __call__(self, texts: list[str]) -> list[int]:
        """With the root in front."""
        return [1, *(self._ids.get(text, 2) for text in texts)]


def batches(
    sentences: list[Sentence], forms: Vocabulary, tags: Vocabulary, size: int, device: str
) -> list[Batch]:
    """Of sentences of similar length."""
    found = []
    order = sorted(sentences, key=lambda sentence: len(sentence.heads))
    for begin in range(0, len(order), size):
        part = order[begin : begin + size]
        columns: list[list[list[int]]] = [
            [forms(s.forms) for s in part],
            [tags(s.tags) for s in part],
            [[0, *s.heads] for s in part],
        ]
        padded = [
            nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)
            for rows in columns
        ]
        lengths = torch.tensor([len(s.heads) for s in part])
        tensors = [tensor.to(device) for tensor in (*padded, lengths)]
        found.append(Batch(*tensors, int(lengths.sum())))
    return found


class Biaffine(nn.Module):
    """Scores [sentences, head, dependent]."""

    def __init__(self, forms: int, tags: int, width: int) -> None:
        super().__init__()
        self.forms = nn.Embedding(forms, width, padding_idx=0)
        self.tags = nn.Embedding(tags, width, padding_idx=0)
        self.encode = nn.LSTM(
            2 * width, width, num_layers=2, bidirectional=True, batch_first=True, dropout=0.3
        )
        self.dropout = nn.Dropout(0.3)
        self.head = nn.Linear(2 * width, width)
        self.dependent = nn.Linear(2 * width, width)
        self.bilinear = nn.Parameter(torch.zeros(width + 1, width))

    def forward(self, forms: torch.Tensor, tags: torch.Tensor) -> torch.Tensor:
        """Forms and tags [sentences, nodes]."""
        embedded = self.dropout(torch.cat([self.forms(forms), self.tags(tags)], dim=-1))
        states = self.dropout(self.encode(embedded)[0])
        heads = torch.relu(self.head(states))
        heads = torch.cat([heads, torch.ones_like(heads[..., :1])], dim=-1)
        return heads @ self.bilinear @ torch.relu(self.dependent(states)).transpose(1, 2)


class Clock:
    """Seconds by part of a step; on a GPU every part is waited for."""

    def __init__(self, device: str) -> None:
        self._cuda = device != "cpu"
        self.parts: Counter[str] = Counter()
        self._last = 0.0

    def lap(self, part: str = "") -> None:
        """What was done since the last call belongs to this part."""
        if self._cuda:
            torch.cuda.synchronize()
        now = time.perf_counter()
        if part:
            self.parts[part] += now - self._last
        self._last = now


def loss_of(scores: torch.Tensor, batch: Batch) -> torch.Tensor:
    """Minus the log-probability of the gold trees, per word."""
    loss = coppice.torch.nll(scores, batch.heads, batch.lengths, root="single")
    return loss.sum() / batch.words


def train_step(
    model: nn.Module, optimizer: torch.optim.Optimizer, batch: Batch, clock: Clock, half: bool
) -> torch.Tensor:
    """In parts, so that they can be timed; the loss."""
    clock.lap()
    with torch.autocast(batch.forms.device.type, torch.bfloat16, enabled=half):
        scores = model(batch.forms, batch.tags)
    clock.lap("scores")
    loss = loss_of(scores, batch)
    (gradient,) = torch.autograd.grad(loss, scores)
    clock.lap("tree loss and its gradient")
    optimizer.zero_grad()
    scores.backward(gradient)
    clock.lap("gradient of the parser")
    optimizer.step()
    clock.lap("step")
    return loss.detach()


@torch.no_grad()
def evaluate(model: nn.Module, dev: list[Batch]) -> float:
    """Share of right heads of the best trees, decoded while the next scores are computed."""
    model.eval()
    decoded = [
        coppice.torch.kbest(model(batch.forms, batch.tags), 1, batch.lengths, root="single")
        for batch in dev
    ]
    right = total = 0
    for batch, future in zip(dev, decoded, strict=True):
        heads = torch.tensor(future.result().heads[:, 0])
        gold, lengths = batch.heads[:, 1:].cpu(), batch.lengths.cpu()
        inside = torch.arange(gold.shape[1]) < lengths[:, None]
        right += int(((heads == gold) & inside).sum())
        total += batch.words
    model.train()
    return right / total


@torch.no_grad()
def time_decoding(model: nn.Module, dev: list[Batch]) -> None:
    """Of all batches: scores alone, decoded one after the other, and decoded beside the scores."""
    model.eval()

    def run(decode: bool, wait: bool) -> None:
        futures = []
        for batch in dev:
            scores = model(batch.forms, batch.tags)
            if decode:
                futures.append(coppice.torch.kbest(scores, 1, batch.lengths, root="single"))
                if wait:
                    futures[-1].result()
        for future in futures:
            future.result()

    clock = Clock(dev[0].forms.device.type)
    for name, how in (
        ("scores alone", (False, False)),
        ("and decoded one by one", (True, True)),
        ("and decoded beside", (True, False)),
    ):
        run(*how)
        clock.lap()
        for _ in range(5):
            run(*how)
        clock.lap(name)
    print("; ".join(f"{200 * seconds:.1f} ms {name}" for name, seconds in clock.parts.items()))


def time_loss(model: nn.Module, data: list[Batch], device: str) -> None:
    """What the tree loss adds to a step: whole steps with it, and with the mean of the scores."""
    model.train()
    model = copy.deepcopy(model)
    for part in model.modules():
        if isinstance(part, nn.LSTM):
            part.flatten_parameters()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)

    def run(tree: bool) -> None:
        for batch in data:
            scores = model(batch.forms, batch.tags)
            loss = loss_of(scores, batch) if tree else scores.sum() / batch.words
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    rounds = 5
    seconds: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(rounds):
        for tree, found in seconds.items():
            run(tree)  # warm
            clock = Clock(device)
            clock.lap()
            run(tree)
            clock.lap("steps")
            found.append(clock.parts["steps"] / len(data))
    whole, rest = (sorted(seconds[tree])[rounds // 2] for tree in (True, False))
    share = (whole - rest) / whole
    print(f"{1e3 * whole:.2f} ms a step, {1e3 * rest:.2f} without the tree loss: {share:.1%}")


def show(model: Biaffine, batch: Batch) -> None:
    """The best trees of the first sentence of a batch."""
    model.eval()
    n = int(batch.lengths[0])
    with torch.no_grad():
        scores = model(batch.forms[:1], batch.tags[:1])[0, : n + 1, : n + 1].float().cpu()
    trees = coppice.TreeDistribution(scores, root="single").kbest(3)
    for rank, (tree, probability) in enumerate(zip(trees, trees.probabilities, strict=True), 1):
        print(f"tree {rank}: heads {tree.heads.tolist()}, probability {probability:.2f}")


def main(arguments: list[str] | None = None) -> float:
    """Train, and say how it goes; the share of right heads at the end."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--most", type=int, default=10_000, help="sentences")
    parser.add_argument("--batch", type=int, default=64, help="sentences of a step")
    parser.add_argument("--width", type=int, default=128, help="of the layers")
    parser.add_argument("--compile", action="store_true", help="the parser, by torch.compile")
    parser.add_argument("--bfloat16", action="store_true", help="the parser, under autocast")
    options = parser.parse_args(arguments)
    torch.manual_seed(0)
    sentences = read_conllu(DATA, options.most)
    dev, train = sentences[::5], [s for i, s in enumerate(sentences) if i % 5]
    forms = Vocabulary([s.forms for s in train], least=2)
    tags = Vocabulary([s.tags for s in train], least=1)
    made = [batches(part, forms, tags, options.batch, options.device) for part in (train, dev)]
    model = Biaffine(len(forms), len(tags), options.width).to(options.device)
    run = torch.compile(model) if options.compile else model
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    accuracy = 0.0
    for epoch in range(1, options.epochs + 1):
        clock = Clock(options.device)
        losses = [
            train_step(run, optimizer, made[0][i], clock, options.bfloat16)
            for i in torch.randperm(len(made[0])).tolist()
        ]
        accuracy = evaluate(run, made[1])
        loss = torch.stack(losses).mean().item()
        print(f"epoch {epoch}: loss {loss:.3f} a word, right heads {accuracy:.1%}; ms a step:")
        whole = sum(clock.parts.values())
        for part, seconds in clock.parts.items():
            print(f"  {1e3 * seconds / len(losses):7.2f} {seconds / whole:6.1%} {part}")
    time_loss(model, made[1], options.device)
    time_decoding(run, made[1])
    show(model, made[1][0])
    return accuracy


if __name__ == "__main__":
    main()
