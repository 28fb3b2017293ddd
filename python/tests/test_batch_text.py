"""A batch with words: shown, written, as a data frame."""

from __future__ import annotations

import numpy as np
import pytest

import coppice

SCORES = [
    np.array([[0, 9, 10], [0, 0, 20], [0, 30, 0]]),
    np.array([[0, 1], [0, 0]]),
    np.array([[0, np.nan], [0, 0]]),
]
WORDS = [["she", "slept"], ["Go"], ["?"]]
CONLLU = """\
# sent_id = a
1\tshe\tshe\tPRON\t_\t_\t2\tnsubj\t_\t_
2\tslept\tsleep\tVERB\t_\t_\t0\troot\t_\t_

# sent_id = b
1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_


# sent_id = c
1\t?\t?\tPUNCT\t_\t_\t0\troot\t_\t_
"""


@pytest.fixture
def batch():
    return coppice.kbest_batch(SCORES, 2, root="single", on_error="report")


def test_each_sentence_is_shown_as_it_would_be_alone(batch):
    shown = batch.annotate(WORDS, tags=[["PRON", "VERB"], ["VERB"], ["PUNCT"]], ids=["a", "b", "c"])
    alone = [
        coppice.kbest(scores.astype(float), 2, root="single").annotate(words, tags=tags, id=name)
        for scores, words, tags, name in zip(
            SCORES[:2], WORDS[:2], [["PRON", "VERB"], ["VERB"]], "ab", strict=True
        )
    ]
    for one, expected in zip(shown, alone, strict=False):
        assert one.to_conllu() == expected.to_conllu()
        assert one.to_text() == expected.to_text()
    assert shown.to_conllu().startswith("".join(each.to_conllu() for each in alone))
    assert shown.to_text().startswith("".join(each.to_text() for each in alone))
    assert shown.to_html(title="t").count("slept") > 0
    assert batch[0].to_conllu() != shown[0].to_conllu(), "the batch itself stays as it was"
    again = shown.annotate(ids=["x", "y", "z"])
    assert "she" in again.to_text()
    assert "x" in again.to_text()


def test_without_words_sentences_have_their_numbers(batch):
    comments = [line for line in batch.to_conllu().splitlines() if "sent_id" in line]
    assert comments == ["# sent_id = 0", "# sent_id = 0", "# sent_id = 1", "# sent_id = 2"]


def test_text_of_a_file(batch):
    shown = batch.annotate(conllu=CONLLU)
    assert "\tsleep\t" in shown.to_conllu()
    assert "# sent_id = b" in shown.to_conllu()
    blocks = [block + "\n\n" for block in CONLLU.strip().replace("\n\n\n", "\n\n").split("\n\n")]
    assert batch.annotate(conllu=blocks).to_conllu() == shown.to_conllu()
    windows = batch.annotate(conllu=CONLLU.replace("\n", "\r\n"))
    assert windows.to_text() == shown.to_text()


def test_what_does_not_fit(batch):
    with pytest.raises(ValueError, match="words of 2 sentences for 3"):
        batch.annotate(WORDS[:2])
    with pytest.raises(ValueError, match="sentence 1: words has 2 entries for 1 word"):
        batch.annotate([WORDS[0], ["a", "b"], WORDS[2]])
    with pytest.raises(ValueError, match="conllu of 1 sentence for 3"):
        batch.annotate(conllu=CONLLU.split("\n\n")[0])


def test_data_frame(batch):
    pytest.importorskip("pandas")
    frame = batch.annotate(WORDS, ids=["a", "b", "c"]).to_frame()
    assert list(frame["sentence"]) == ["a"] * 4 + ["b", "c"]
    assert list(frame["rank"]) == [1, 1, 2, 2, 1, 0]
    assert list(frame["form"]) == ["she", "slept", "she", "slept", "Go", *WORDS[2]]
    assert list(frame["head"]) == [2, 0, 0, 1, 0, -1]
    assert frame["head"].dtype.kind == "i"
    assert frame["score"].dtype.kind == "f"
    none = coppice.kbest_batch([SCORES[2]], 1, root="single", on_error="report").to_frame()
    assert none["rank"].tolist() == [0]
    assert none["head"].tolist() == [-1]


def test_shown(batch, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert "<!doctype html>" in batch.annotate(WORDS).show().text
    assert len(opened) == 1
    assert batch._repr_html_().count("<svg") == 2
