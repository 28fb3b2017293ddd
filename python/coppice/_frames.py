"""Results as pandas data frames."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas

    from coppice._results import KBestResult


def to_frame(results: Iterable[KBestResult]) -> pandas.DataFrame:
    """`KBestResult.to_frame` of many results, one after the other."""
    import pandas

    frames = [pandas.DataFrame(_columns(result)) for result in results]
    return pandas.concat(frames, ignore_index=True) if frames else pandas.DataFrame()


def _columns(result: KBestResult) -> dict[str, Any]:
    """A value for each word of each tree; where there is no tree, for each word."""
    n, trees = result.n, len(result)
    rows = max(trees, 1)

    def of_trees(values: Any) -> Any:
        return np.repeat(values, n) if trees else np.full(n, np.nan)

    def of_words(values: Any, missing: Any = np.nan) -> Any:
        return values.reshape(-1) if trees else np.full(n, missing)

    columns: dict[str, Any] = {
        "sentence": np.full(rows * n, result.id, object),
        "rank": np.repeat(np.arange(1, trees + 1), n) if trees else np.zeros(n, np.int64),
        "score": of_trees(result.scores),
        "word": np.tile(np.arange(1, n + 1), rows),
        "form": np.tile(np.array(result.words or [None] * n, object), rows),
        "tag": np.tile(np.array(result.tags or [None] * n, object), rows),
        "head": of_words(result.heads, np.int32(-1)),
    }
    if result.labels is not None:
        names = dict(enumerate(result.label_names))
        labels = [names.get(label, label) for label in result.labels.reshape(-1).tolist()]
        columns["label"] = of_words(np.array(labels, object), None)
    if (found := result._probabilities) is not None:
        columns["probability"] = of_trees(found.trees)
        columns["head_probability"] = of_words(found.heads)
        if found.labels is not None:
            columns["label_probability"] = of_words(found.labels)
        columns["other_head"] = of_words(found.other_heads, np.int32(-1))
        columns["other_head_probability"] = of_words(found.others)
    return columns
