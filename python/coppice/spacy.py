"""A component for spaCy that decodes the scores of its biaffine parser.

>>> import spacy  # doctest: +SKIP
>>> nlp = spacy.load("a_pipeline_with_arc_predicter")  # doctest: +SKIP
>>> nlp.add_pipe("coppice_arcs", after="arc_predicter", config={"k": 5})  # doctest: +SKIP
>>> nlp.disable_pipe("arc_predicter")  # its scores are computed here  # doctest: +SKIP
>>> nlp("She saw ducks.").user_data["coppice"][0].scores  # doctest: +SKIP

The parser is that of the package ``spacy-biaffine-parser`` (0.1, for spaCy 4): its `arc_predicter`
scores all arcs of a sentence and takes the best heads, of which several may be roots. Here every
sentence gets the best tree with one root, or what `root` says; the `k` best ones of its sentences
are in ``doc.user_data["coppice"]``. An `arc_labeler` behind it labels the arcs as before.
"""

# spaCy looks at the types of factories, so they are no strings here.
from typing import Any

import numpy as np
from spacy.attrs import DEP, HEAD
from spacy.language import Language

from coppice._batch import kbest_batch
from coppice._problem import RootRule, single_root
from coppice._results import KBestResult
from coppice.adapters import _from_diagonal

__all__: list[str] = []


class _Arcs:
    def __init__(self, nlp: Language, name: str, predicter: str, k: int, root: RootRule) -> None:
        single_root(root)
        self.nlp, self.name, self.predicter, self.k, self.root = nlp, name, predicter, k, root

    def __call__(self, doc: Any) -> Any:
        if self.predicter not in self.nlp.component_names:  # disabled or not
            raise ValueError(f"{self.name}: the pipeline has no component {self.predicter!r}")
        predicter: Any = self.nlp.get_pipe(self.predicter)
        if not len(doc):
            return doc
        lengths = _lengths(predicter, doc)
        scores = predicter.model.predict(([doc], [lengths]))
        found = self._decode([_numpy(each) for each in scores])
        heads = []
        for result, length in zip(found, lengths.tolist(), strict=True):
            tree = result.best
            if tree is None:
                raise ValueError(f"{self.name}: {result.error}")
            own = np.arange(1, length + 1)
            heads += np.where(tree.heads == 0, 0, tree.heads - own).tolist()
        _set_heads(doc, np.array(heads, np.int64))
        doc.user_data["coppice"] = found
        return doc

    def _decode(self, scores: list[Any]) -> list[KBestResult]:
        matrices = [_from_diagonal(each) for each in scores]
        return list(kbest_batch(matrices, self.k, root=self.root, axes="dep,head"))


@Language.factory(
    "coppice_arcs",
    assigns=["token.head", "token.dep"],
    default_config={"predicter": "arc_predicter", "k": 1, "root": "single"},
)
def make_arcs(nlp: Language, name: str, predicter: str, k: int, root: str) -> Any:
    """A component that sets the heads of the best tree."""
    return _Arcs(nlp, name, predicter, k, root)  # type: ignore[arg-type]


def _numpy(scores: Any) -> Any:
    return scores.get() if hasattr(scores, "get") else np.asarray(scores)


def _lengths(predicter: Any, doc: Any) -> Any:
    """Of the sentences, or of what the parser itself takes for them."""
    if getattr(predicter, "senter_name", None):
        from spacy_biaffine_parser.arc_predicter import split_lazily

        return split_lazily(
            [doc],
            ops=predicter.model.ops,
            max_tokens=predicter.max_tokens,
            senter_name=predicter.senter_name,
        )[0]
    return np.array([len(sentence) for sentence in doc.sents], np.int32)


def _set_heads(doc: Any, heads: Any) -> None:
    """Relative to the words; sentences with one root begin where they did."""
    labels = doc.to_array([DEP])
    stub, root = doc.vocab.strings.add("dep"), doc.vocab.strings.add("ROOT")
    labels = np.where(heads == 0, root, np.where((labels == 0) | (labels == root), stub, labels))
    columns = [heads.astype(np.int64).view(np.uint64), labels.astype(np.uint64)]
    doc.from_array([HEAD, DEP], np.stack(columns, axis=1))
