"""What stanza's decoding loses: heads first and a repair, against the best legal labelled tree.

    python -m bench.stanza_decoding FOLDER GOLD.conllu FIRST LAST

FOLDER holds a parser (parser.pt) and a resources.json that names it; sentences FIRST to LAST of the
file, counted from 0, are parsed with the tags that they have. The table is in docs/parsers.md.
"""

from __future__ import annotations

import sys
from typing import Any, TypeAlias

import stanza
from stanza.models.depparse.head_constraints import find_head_constraint_violations
from stanza.utils.conll import CoNLL

import coppice.stanza

Trees: TypeAlias = list[tuple[list[int], list[str]]]


def pipeline(folder: str, *, repair: bool) -> Any:
    """Words and tags are those of the file."""
    return stanza.Pipeline(
        lang="en",
        dir=folder,
        processors={"depparse": "x"},
        depparse_model_path=f"{folder}/parser.pt",
        depparse_pretagged=True,
        depparse_resolve_head_constraints=repair,
        download_method=None,
        use_gpu=False,
        allow_unknown_language=True,
        verbose=False,
    )


def document(path: str, first: int, last: int) -> Any:
    """Some sentences of a file."""
    found = CoNLL.conll2doc(path)
    found.sentences = found.sentences[first:last]
    found.num_words = sum(len(sentence.words) for sentence in found.sentences)
    found.num_tokens = sum(len(sentence.tokens) for sentence in found.sentences)
    return found


def trees_of(parsed: Any) -> Trees:
    """Heads and labels of every sentence."""
    return [
        ([word.head for word in sentence.words], [word.deprel for word in sentence.words])
        for sentence in parsed.sentences
    ]


def report(name: str, trees: Trees, gold: Trees) -> None:
    """One row of the table."""
    words = sum(len(heads) for heads, _ in gold)
    right = {"UAS": 0, "LAS": 0}
    for (heads, labels), (gold_heads, gold_labels) in zip(trees, gold, strict=True):
        for head, label, other, name_there in zip(
            heads, labels, gold_heads, gold_labels, strict=True
        ):
            right["UAS"] += head == other
            right["LAS"] += (head, label) == (other, name_there)
    illegal = sum(
        bool(find_head_constraint_violations([0, *heads], labels)) for heads, labels in trees
    )
    shares = ", ".join(f"{key} {100 * count / words:.2f}" for key, count in right.items())
    print(f"{name}: {illegal} illegal, {shares}")


def main(folder: str, path: str, first: int, last: int) -> None:
    """Print the table and how often trees agree."""
    gold = trees_of(document(path, first, last))
    found: dict[str, Trees] = {}
    for repair in (False, True):
        nlp = pipeline(folder, repair=repair)
        name = "repaired" if repair else "not repaired"
        found[f"stanza, {name}"] = trees_of(nlp(document(path, first, last)))
        coppice.stanza.install(nlp)
        found["best legal" if repair else "best"] = trees_of(nlp(document(path, first, last)))
        coppice.stanza.install(nlp, labelled=False, constraints=coppice.Constraints(rules=[]))
        found["heads first"] = trees_of(nlp(document(path, first, last)))
    print(f"{len(gold)} sentences")
    for name, trees in found.items():
        report(name, trees, gold)
    for one, other in (
        ("heads first", "stanza, not repaired"),
        ("best", "stanza, not repaired"),
        ("best legal", "stanza, repaired"),
    ):
        pairs = list(zip(found[one], found[other], strict=True))
        same = sum(a == b for a, b in pairs)
        heads = sum(a[0] == b[0] for a, b in pairs)
        print(f"{one} is {other}: {same}, in its heads {heads}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
