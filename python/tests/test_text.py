"""Trees to read: CoNLL-U, drawings, pages."""

import copy
import dataclasses
import sys
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest

import coppice

SCORES = np.array([[0, -4, -1, -3], [0, 0, -6, -7], [0, -1, 0, -2], [0, -7, -3, 0]], np.float32)
WORDS = ["she", "saw", "<ducks>"]


@pytest.fixture
def result():
    return coppice.kbest(SCORES, 2, root="single").annotate(
        WORDS, tags=["PRON", "VERB", "NOUN"], id="s1"
    )


def test_conllu(result):
    blocks = result.to_conllu(text="she saw <ducks>").split("\n\n")
    assert blocks[2] == ""
    assert blocks[0].splitlines() == [
        "# sent_id = s1",
        "# kbest_rank = 1",
        "# kbest_score = -4",
        "# text = she saw <ducks>",
        "1\tshe\t_\tPRON\t_\t_\t2\tdep\t_\t_",
        "2\tsaw\t_\tVERB\t_\t_\t0\troot\t_\t_",
        "3\t<ducks>\t_\tNOUN\t_\t_\t2\tdep\t_\t_",
    ]
    assert "\t2\tdep" in blocks[1]
    assert "# kbest_rank = 2" in blocks[1]


def test_conllu_with_labels():
    labels = np.zeros((4, 4, 3), np.float32)
    labels[2, 1, 1] = labels[2, 3, 2] = 1
    result = coppice.kbest(SCORES, 1, root="single", labels=labels)
    named = result.annotate(WORDS, label_names=["root", "nsubj", "obj"])
    relations = [line.split("\t")[7] for line in named.to_conllu().splitlines() if "\t" in line]
    assert relations == ["nsubj", "root", "obj"]
    numbers = [line.split("\t")[7] for line in result.to_conllu().splitlines() if "\t" in line]
    assert numbers == ["1", "0", "2"]


def test_conllu_into_a_file():
    class Writes(list):
        write = list.append

    scores = np.random.default_rng(1).normal(size=(9, 9))
    result = coppice.kbest(scores, 3000, root="single").annotate(["x" * 100] * 8)
    pieces = Writes()
    assert result.to_conllu(pieces) is None
    assert "".join(pieces) == result.to_conllu()
    assert max(map(len, pieces)) < 1.1 * 2**20 < sum(map(len, pieces)) / 2
    both = Writes()
    coppice.Parses([result, result[:0]]).to_conllu(both)
    assert "".join(both) == result.to_conllu() + result[:0].to_conllu()
    with pytest.raises(TypeError, match=r"file is 'trees\.conllu'; need an open text file"):
        result.to_conllu("trees.conllu")


GIVEN = """\
1\tshe\tshe\tPRON\t_\t_\t2\tnsubj\t2:nsubj|3:nsubj\t_
2\tsaw\tsee\tVERB\t_\t_\t0\troot\t0:root\t_
3\tducks\tduck\tNOUN\t_\t_\t2\tobj\t2:obj:v.1\t_

"""


def columns_of(result, given):
    """DEPREL and DEPS of each word of each tree."""
    lines = result.annotate(conllu=given).to_conllu().splitlines()
    return [tuple(line.split("\t")[7:9]) for line in lines if "\t" in line]


def test_given_relations_stay(result):
    assert result.heads.tolist() == [[2, 0, 2], [2, 3, 0]]
    own = [("nsubj", "2:nsubj|3:nsubj"), ("root", "0:root"), ("obj", "2:obj:v.1")]
    other = [("nsubj", "_"), ("dep", "_"), ("root", "_")]
    assert columns_of(result, GIVEN) == own + other
    # Empty nodes are not written.
    named = GIVEN.replace("2:nsubj|3:nsubj", "2:nsubj|3.1:nsubj")
    assert columns_of(result, named) == [(label, "_") for label, _ in own] + other
    labels = np.zeros((4, 4, 3), np.float32)
    labels[2, 1, 1] = labels[2, 3, 2] = 1
    for name, deps in (("obj", [deps for _, deps in own]), ("iobj", ["_"] * 3)):
        of_tree = coppice.kbest(SCORES, 1, root="single", labels=labels).annotate(
            label_names=["root", "nsubj", name]
        )
        assert columns_of(of_tree, GIVEN) == list(zip(["nsubj", "root", name], deps, strict=True))


def test_integer_scores_stay_integers():
    result = coppice.kbest([[0, 2**55 + 1], [0, 0]], 1, root="any")
    assert f"# kbest_score = {2**55 + 1}\n" in result.to_conllu()


def test_drawings(result):
    drawing = result.to_svg(1)
    assert drawing.lstrip().startswith("<svg")
    assert "&lt;ducks&gt;" in drawing
    with pytest.raises(IndexError):
        result.to_svg(2)


def test_pages(result):
    page = result.to_html(title="A test")
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert "A test" in page
    both = coppice.Parses(
        [result, coppice.kbest(SCORES, 1, root="any").annotate(id="s2")]
    ).to_html()
    assert "s1" in both
    assert "s2" in both


def test_trees_as_text(result):
    drawn = result.to_text()
    assert "ducks" in drawn
    assert len(result[:1].to_text()) < len(drawn)


def test_show(result, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    page = result.show(title="A test")
    path = Path(unquote(urlsplit(opened[0]).path))
    assert path.read_text(encoding="utf-8") == page.text == result.to_html(title="A test")
    path.unlink()
    assert 'srcdoc="&lt;!doctype html&gt;' in page._repr_html_()
    shell = SimpleNamespace(kernel=1)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    result.show()
    assert len(opened) == 1  # in a notebook the frame is enough


def test_notebooks(result):
    shown = result._repr_html_()
    assert shown.count("<svg ") == 2
    assert "currentColor" in shown
    assert "<rect" not in shown
    assert "&lt;KBestResult: 2 trees" in shown
    nothing = coppice.kbest(np.full((3, 3), -np.inf), 2, root="any")
    assert "no tree" in nothing._repr_html_()
    said = "# sent_id = 0\n# kbest_rank = 0\n# kbest_error = no tree\n\n"
    assert nothing.to_conllu() == said
    assert "no tree" in nothing.to_text()


def test_annotations_stay_with_slices(result):
    assert "she" in result[:1].to_conllu()
    with pytest.raises(ValueError, match="words has 2 entries for 3 words"):
        result.annotate(["a", "b"])


def test_control_characters_of_a_tree_are_not_written(result):
    named = result.annotate(["\x1b[2J", "a\nb", "\u202ec"])
    assert str(named[0]).splitlines()[1:] == [
        "a\ufffdb -> \ufffd[2J", "ROOT -> a\ufffdb", "a\ufffdb -> \ufffdc"
    ]  # fmt: skip


@pytest.mark.parametrize("largest", [2**31 - 1, 10**15])
def test_labels_without_names_may_be_any_numbers(result, largest):
    labels = np.array([[0, largest, 7], [1, 7, 7]])
    named = changed(result.annotate(WORDS, label_names=["nsubj"]), labels=labels)
    lines = named.to_conllu().splitlines()
    relations = [line.split("\t")[7] for line in lines if "\t" in line]
    assert relations == ["nsubj", str(largest), "7", "1", "7", "7"]


def changed(result, **fields):
    """A copy made by hand, of which these fields do not fit."""
    again = copy.copy(result)
    for name, value in fields.items():
        setattr(again, name, value)
    return again


def test_results_made_by_hand_are_refused(result):
    heads, scores, _ = result.arrays()
    notes, few = result._notes, ("PRON",)
    wrong = {
        r"scores has shape \[1\], must be \[2\]": {"scores": scores[:1]},
        "scores of trees are float32": {"scores": scores.astype(np.float32)},
        r"labels has shape \[2, 1\], must be \[2, 3\]": {"labels": heads[:, :1]},
        "tags: 1, for trees of 3 words": {"_notes": dataclasses.replace(notes, tags=few)},
        "words: 1, for trees of 3 words": {"_notes": coppice._results.Notes(words=few)},
    }
    for message, fields in wrong.items():
        for write in (coppice.KBestResult.to_text, coppice.KBestResult.to_conllu):
            with pytest.raises(ValueError, match=message):
                write(changed(result, **fields))
    with pytest.raises(ValueError, match=r"scores has shape \[1\]"):
        changed(result, scores=scores[:1]).expected_attachment()
    sure = coppice.kbest(SCORES, 2, root="single", probabilities=True)
    for name, most in (("trees", 1), ("heads", 1), ("other_heads", 1), ("others", 1)):
        found = dataclasses.replace(
            sure._probabilities, **{name: getattr(sure._probabilities, name)[:most]}
        )
        with pytest.raises(ValueError, match=r"has shape \[1"):
            changed(sure, _probabilities=found).to_conllu()
