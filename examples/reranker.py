"""Reranking: what whole trees can tell that single arcs cannot.

    python examples/reranker.py [--folds 5] [--k 50] [--limit 500]

The 50 best labelled trees of every English sentence are scored anew by a small model of features
that span several arcs: grandparents, siblings, valency, counts. It is trained on four fifths of the
sentences and tried on the fifth, in turn; what it gains over the best tree is printed with the best
that any choice from the lists could give. Needs torch; runs on the bundled data in a few minutes.
"""

from __future__ import annotations

import argparse
import copy
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

import coppice

DATA = Path(__file__).resolve().parents[1] / "data"
BUCKETS = 1 << 17


@dataclass(frozen=True)
class Sentence:
    """The K best trees, how good they are, and their features."""

    scores: np.ndarray  # [trees]
    heads_right: np.ndarray  # [trees]: words with the right head
    labels_right: np.ndarray  # [trees]: words with the right head and label
    features: list[np.ndarray]  # of every tree, numbers of buckets
    words: int


def read_conllu(path: Path) -> list[list[list[str]]]:
    """The words of every sentence, ten columns each."""
    sentences: list[list[list[str]]] = [[]]
    for line in path.read_text(encoding="utf-8").splitlines():
        columns = line.split("\t")
        if not line and sentences[-1]:
            sentences.append([])
        elif columns[0].isdigit():
            sentences[-1].append(columns)
    return [sentence for sentence in sentences if sentence]


def hashed(kind: int, *parts: np.ndarray) -> np.ndarray:
    """A bucket for each combination of small numbers."""
    mixed = np.full(np.broadcast_shapes(*(part.shape for part in parts)), kind, np.uint64)
    for part in parts:
        mixed = (mixed ^ part.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return (mixed % np.uint64(BUCKETS)).astype(np.int64)


def tree_features(heads: np.ndarray, labels: np.ndarray, tags: np.ndarray) -> list[np.ndarray]:
    """Of every tree; `tags` has one for the root in front."""
    trees, n = heads.shape
    words = np.arange(1, n + 1)
    row = np.arange(trees)[:, None]
    with_root = np.pad(heads, ((0, 0), (1, 0)))
    label_of = np.pad(labels + 1, ((0, 0), (1, 0)))
    grand = with_root[row, heads]
    tag, head_tag, grand_tag = tags[words][None].repeat(trees, 0), tags[heads], tags[grand]
    side = (heads < words).astype(np.int64) * 2 + (grand < heads)
    head_label = label_of[row, heads]
    own = label_of[:, 1:]
    # Children of one head next to each other.
    order = np.argsort(heads, axis=1, kind="stable")
    first, second = order[:, :-1], order[:, 1:]
    siblings = heads[row, first] == heads[row, second]
    # How many children on either side.
    is_child = heads[:, :, None] == np.arange(n + 1)
    left = (is_child & (words[:, None] < np.arange(n + 1))).sum(axis=1).clip(max=4)
    right = (is_child & (words[:, None] > np.arange(n + 1))).sum(axis=1).clip(max=4)
    found = [
        hashed(1, tag, head_tag, grand_tag, side),
        hashed(2, own, head_label, head_tag),
        hashed(3, own, head_label, grand_tag),
        hashed(4, tags[None].repeat(trees, 0), left, right),
        hashed(5, label_of, left, right),
    ]
    pairs = [
        hashed(6, tag[row, first], tag[row, second], head_tag[row, first]),
        hashed(7, own[row, first], own[row, second], head_tag[row, first]),
        hashed(8, own[row, first], own[row, second], head_label[row, first]),
    ]
    whole = np.concatenate(found, axis=1)
    return [
        np.concatenate([whole[i], *(pair[i][siblings[i]] for pair in pairs)]) for i in range(trees)
    ]


def only_what_differs(features: list[np.ndarray]) -> list[np.ndarray]:
    """Without what all trees of the list have in common, which cannot change their order."""
    counts = [dict(zip(*np.unique(each, return_counts=True), strict=True)) for each in features]
    common = dict(counts[0])
    for each in counts[1:]:
        common = {key: min(count, each[key]) for key, count in common.items() if key in each}
    kept = []
    for each in counts:
        left = [(key, count - common.get(key, 0)) for key, count in each.items()]
        kept.append(np.repeat([key for key, _ in left], [count for _, count in left]))
    return [each.astype(np.int64) for each in kept]


def sentences(k: int, limit: int | None) -> list[Sentence]:
    """The lists of all sentences."""
    texts = read_conllu(DATA / "en_ewt-ud-test.conllu")[:limit]
    with np.load(DATA / "ud-scores" / "English-EWT.npz") as arrays:
        lengths, flat = arrays["lengths"], arrays["scores"]
    with np.load(DATA / "ud-scores" / "English-EWT.labels.npz") as arrays:
        names = [str(name) for name in arrays["names"]]
        label_scores, label_ids = arrays["lp"], arrays["id"]
    number = {name: i for i, name in enumerate(names)}
    tag_number: dict[str, int] = {"ROOT": 0}
    found, at = [], 0
    for text, words in zip(texts, lengths.tolist(), strict=False):
        nodes = words + 1
        cells = nodes * nodes
        result = coppice.kbest(
            flat[at : at + cells].reshape(nodes, nodes),
            k,
            root="single",
            labels=coppice.Labels(
                label_scores[3 * at : 3 * (at + cells)].reshape(nodes, nodes, 3),
                label_ids[3 * at : 3 * (at + cells)].reshape(nodes, nodes, 3),
            ),
        )
        at += cells
        gold = np.array([int(columns[6]) for columns in text])
        gold_labels = np.array([number.get(columns[7].split(":")[0], -1) for columns in text])
        tags = [0, *(tag_number.setdefault(columns[3], len(tag_number)) for columns in text)]
        same = result.heads == gold
        features = tree_features(result.heads, result.labels, np.array(tags))
        found.append(
            Sentence(
                result.scores,
                same.sum(axis=1),
                (same & (result.labels == gold_labels)).sum(axis=1),
                only_what_differs(features),
                words,
            )
        )
    return found


class Reranker(torch.nn.Module):
    """The parser's score, weighed, and a weight for every feature."""

    def __init__(self) -> None:
        super().__init__()
        self.weights = torch.nn.EmbeddingBag(BUCKETS, 1, mode="sum")
        torch.nn.init.zeros_(self.weights.weight)
        self.scale = torch.nn.Parameter(torch.ones(1))
        self.trust = 1.0  # how much of the features counts

    def forward(self, sentence: Sentence) -> torch.Tensor:
        """New scores of the trees."""
        sizes = [len(each) for each in sentence.features]
        offsets = torch.from_numpy(np.cumsum([0, *sizes[:-1]]))
        flat = torch.from_numpy(np.concatenate(sentence.features))
        extra = self.weights(flat, offsets).squeeze(1)
        return self.scale * torch.tensor(sentence.scores, dtype=torch.float32) + self.trust * extra


def train(parts: list[Sentence], epochs: int, seed: int) -> Reranker:
    """So that the best trees of the lists are likely.

    A tenth is kept back; it says when to stop, and how much of the features to trust.
    """
    torch.manual_seed(seed)
    model = Reranker()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.003, weight_decay=0.1)
    kept_back, others = parts[::10], [each for i, each in enumerate(parts) if i % 10]
    useful = [each for each in others if len(set(each.labels_right.tolist())) > 1]
    best, chosen = -1, copy.deepcopy(model)
    order = np.random.default_rng(seed)
    for _ in range(epochs):
        for batch in np.array_split(order.permutation(len(useful)), max(1, len(useful) // 32)):
            loss = torch.zeros(())
            for i in batch:
                good = torch.from_numpy(useful[i].labels_right == useful[i].labels_right.max())
                logits = torch.log_softmax(model(useful[i]), 0)
                loss = loss - torch.logsumexp(logits[good], 0)
            optimizer.zero_grad()
            (loss / len(batch)).backward()
            optimizer.step()
        for trust in (0.0, 0.25, 0.5, 1.0):
            candidate = copy.deepcopy(model)
            candidate.trust = trust
            found = right(candidate, kept_back)[1]
            if found > best:
                best, chosen = found, candidate
    return chosen


def right(model: Reranker, parts: list[Sentence]) -> tuple[int, int]:
    """Words of the chosen trees with the right head, and label too."""
    with torch.no_grad():
        chosen = [int(model(each).argmax()) for each in parts]
    pairs = list(zip(parts, chosen, strict=True))
    return (
        sum(int(each.heads_right[i]) for each, i in pairs),
        sum(int(each.labels_right[i]) for each, i in pairs),
    )


def main(arguments: list[str] | None = None) -> None:
    """Cross-validate and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--k", type=int, default=50)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--limit", type=int, help="only the first so many sentences")
    options = parser.parse_args(arguments)
    lists = sentences(options.k, options.limit)
    words = sum(each.words for each in lists)
    chosen, gained = np.zeros(2, int), []
    for fold in range(options.folds):
        held_out = lists[fold :: options.folds]
        others = [each for i, each in enumerate(lists) if i % options.folds != fold]
        model = train(others, options.epochs, seed=fold)
        found = np.array(right(model, held_out))
        before = sum(int(each.labels_right[0]) for each in held_out)
        gained.append(int(found[1]) - before)
        chosen += found
    rows = {
        "best tree": (
            sum(int(each.heads_right[0]) for each in lists),
            sum(int(each.labels_right[0]) for each in lists),
        ),
        "reranked": (int(chosen[0]), int(chosen[1])),
        f"best of {options.k} (oracle)": (
            sum(int(each.heads_right.max()) for each in lists),
            sum(int(each.labels_right.max()) for each in lists),
        ),
    }
    print(f"{len(lists)} sentences, {words} words, {options.folds} folds")
    for name, (heads, labels) in rows.items():
        print(f"{name:<20} UAS {100 * heads / words:6.2f}   LAS {100 * labels / words:6.2f}")
    print(f"words gained (LAS) in each fold: {', '.join(map(str, gained))}")


if __name__ == "__main__":
    main()
