"""A small biaffine parser in torch that trains globally and decodes K best trees.

    pip install .[torch]
    python examples/biaffine_torch.py

The parser reads tags only, of the first sentences of the English test set: enough to show where
trees come in. Training maximises the probability of the gold tree among all trees
(coppice.torch.log_partition); after each epoch the K best trees of some sentences say how close the
parser is, and an oracle over them how much a reranker could win.
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn

import coppice
from coppice.torch import log_partition

DATA = Path(__file__).resolve().parents[1] / "data" / "en_ewt-ud-test.conllu"


def read_conllu(path: Path, most: int) -> list[tuple[list[str], list[int]]]:
    """Tags and gold heads of sentences of 3 to 15 words."""
    sentences, tags, heads = [], [], []
    for line in path.read_text(encoding="utf-8").splitlines():
        columns = line.split("\t")
        if len(columns) == 10 and columns[0].isdigit():
            tags.append(columns[3])
            heads.append(int(columns[6]))
        elif not line and tags:
            if 3 <= len(tags) <= 15:
                sentences.append((tags, heads))
            tags, heads = [], []
    return sentences[:most]


class Biaffine(nn.Module):
    """Scores [sentences, head, dependent] from tags."""

    def __init__(self, tags: int, width: int = 32) -> None:
        super().__init__()
        self.embed = nn.Embedding(tags + 2, width, padding_idx=0)
        self.encode = nn.LSTM(width, width, bidirectional=True, batch_first=True)
        self.head = nn.Linear(2 * width, width)
        self.dependent = nn.Linear(2 * width, width)
        self.bilinear = nn.Parameter(torch.zeros(width + 1, width))

    def forward(self, tags: torch.Tensor) -> torch.Tensor:
        """Tags [sentences, nodes], 0 for padding and 1 for the root."""
        states, _ = self.encode(self.embed(tags))
        heads = torch.relu(self.head(states))
        heads = torch.cat([heads, torch.ones_like(heads[..., :1])], dim=-1)
        dependents = torch.relu(self.dependent(states))
        return heads @ self.bilinear @ dependents.transpose(1, 2)


def batch(
    sentences: list[tuple[list[str], list[int]]], ids: dict[str, int]
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Padded tags with a root (1) in front, padded heads, and lengths."""
    lengths = torch.tensor([len(tags) for tags, _ in sentences])
    width = int(lengths.max()) + 1
    tags = torch.zeros(len(sentences), width, dtype=torch.long)
    heads = torch.zeros(len(sentences), width, dtype=torch.long)
    tags[:, 0] = 1
    for i, (names, gold) in enumerate(sentences):
        tags[i, 1 : len(names) + 1] = torch.tensor([ids[name] for name in names])
        heads[i, 1 : len(gold) + 1] = torch.tensor(gold)
    return tags, heads, lengths


def loss_of(scores: torch.Tensor, heads: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Minus the log-probability of the gold trees, per word."""
    gold = scores.gather(1, heads[:, None, :])[:, 0]  # [sentences, dependent]
    words = torch.arange(scores.shape[1])
    gold = gold.masked_fill((words == 0) | (words > lengths[:, None]), 0).sum(dim=1)
    return (log_partition(scores, lengths, root="single") - gold).sum() / lengths.sum()


def evaluate(model: Biaffine, sentences: list[tuple[list[str], list[int]]], ids: dict[str, int]):
    """Share of right heads: in the best tree, and in the best of the ten best trees."""
    tags, _, lengths = batch(sentences, ids)
    with torch.no_grad():
        result = coppice.kbest_batch(model(tags), 10, lengths=lengths, root="single")
    first = oracle = 0
    for sentence, (_, gold) in zip(result, sentences, strict=True):
        right = (sentence.heads == gold).sum(axis=1)
        first += right[0]
        oracle += right.max()
    total = int(lengths.sum())
    return first / total, oracle / total


def main(epochs: int = 5, most: int = 240) -> float:
    """Train, and say how it goes; the share of right heads at the end."""
    torch.manual_seed(0)
    sentences = read_conllu(DATA, most)
    train, test = sentences[most // 4 :], sentences[: most // 4]
    names = sorted({tag for tags, _ in sentences for tag in tags})
    ids = {name: i for i, name in enumerate(names, start=2)}
    model = Biaffine(len(names))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    accuracy = 0.0
    for epoch in range(1, epochs + 1):
        for begin in range(0, len(train), 20):
            tags, heads, lengths = batch(train[begin : begin + 20], ids)
            loss = loss_of(model(tags), heads, lengths)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        accuracy, oracle = evaluate(model, test, ids)
        print(
            f"epoch {epoch}: loss {loss.item():.3f}, heads right in the best tree {accuracy:.1%}, "
            f"in the best of ten {oracle:.1%}"
        )

    tags, _, lengths = batch(test[:1], ids)
    scores = model(tags)[0].detach()
    trees = coppice.kbest(scores, 3, root="single").annotate(test[0][0])
    sure = coppice.TreeDistribution(scores, root="single")
    for rank, (tree, probability) in enumerate(
        zip(trees, torch.tensor(sure.log_prob(trees)).exp().tolist(), strict=True), 1
    ):
        print(f"tree {rank}: heads {tree.heads.tolist()}, probability {probability:.2f}")
    return accuracy


if __name__ == "__main__":
    main()
