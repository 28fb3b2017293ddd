"""A component of spaCy, behind a stand-in for its biaffine parser and behind the parser itself."""

from types import SimpleNamespace

import numpy as np
import pytest

import coppice

spacy = pytest.importorskip("spacy")
from spacy.language import Language  # noqa: E402
from spacy.training import Example  # noqa: E402

import coppice.spacy  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")  # those of spaCy are not ours


class StandIn:
    """Scores as an arc_predicter has them: of each sentence [dependent, head], roots diagonal."""

    def __init__(self):
        self.model = SimpleNamespace(predict=self.predict)

    def predict(self, docs_and_lengths):
        (_,), (lengths,) = docs_and_lengths
        random = np.random.default_rng(3)
        return [random.normal(size=(n, n)).astype(np.float32) for n in lengths]

    def __call__(self, doc):
        return doc


@Language.factory("arc_stand_in")
def make_stand_in(nlp, name):
    return StandIn()


def pipeline(**config):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("arc_stand_in")
    nlp.add_pipe("coppice_arcs", config={"predicter": "arc_stand_in", **config})
    nlp.disable_pipe("arc_stand_in")
    return nlp


TEXT = "She saw two grey ducks. They did not see her there. Stop."


@pytest.mark.parametrize("root", ["single", "any"])
def test_heads_are_those_of_the_best_trees(root):
    nlp = pipeline(k=4, root=root)
    plain = spacy.blank("en")
    plain.add_pipe("sentencizer")
    spans = [(sentence.start, sentence.end) for sentence in plain(TEXT).sents]
    doc = nlp(TEXT)
    scores = StandIn().predict(([doc], [[end - start for start, end in spans]]))
    assert len(spans) == 3
    for (start, end), matrix, found in zip(spans, scores, doc.user_data["coppice"], strict=True):
        n = end - start
        full = np.zeros((n + 1, n + 1))
        full[1:, 1:], full[1:, 0] = matrix, np.diagonal(matrix)
        expected = coppice.kbest(full, 4, root=root, axes="dep,head")
        assert found.heads.tolist() == expected.heads.tolist()
        for i, head in enumerate(expected.heads[0]):
            token = doc[start + i]
            assert token.head.i == (start + head - 1 if head else token.i)
            assert (token.dep_ == "ROOT") == (head == 0)
    if root == "single":
        assert [(sentence.start, sentence.end) for sentence in doc.sents] == spans
    assert len(nlp("")) == 0


def test_what_cannot_be_had():
    nlp = pipeline(predicter="no_such")
    with pytest.raises(ValueError, match="the pipeline has no component 'no_such'"):
        nlp(TEXT)
    with pytest.raises(ValueError, match="root is 'two'"):
        pipeline(root="two")


def test_behind_the_parser_itself():
    pytest.importorskip("spacy_biaffine_parser", reason="spacy-biaffine-parser is not here")
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("arc_predicter")
    text = {"heads": [1, 1, 4, 4, 1, 1], "deps": ["nsubj", "ROOT", "num", "amod", "obj", "punct"]}
    examples = [Example.from_dict(nlp.make_doc("She saw two grey ducks."), text)]
    optimizer = nlp.initialize(get_examples=lambda: examples)
    for _ in range(3):
        nlp.update(examples, sgd=optimizer, annotates=["sentencizer"])
    own = [token.head.i for token in nlp(TEXT)]
    nlp.add_pipe("coppice_arcs", config={"root": "any", "k": 2})
    nlp.disable_pipe("arc_predicter")
    doc = nlp(TEXT)
    assert [token.head.i for token in doc] == own
    assert [len(found) for found in doc.user_data["coppice"]] == [2, 2, 2]
