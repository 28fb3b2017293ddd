"""The gallery runs, draws, and says something."""

from __future__ import annotations

import runpy
from xml.etree import ElementTree

import pytest

from support import REPOSITORY

GALLERY = sorted((REPOSITORY / "examples" / "gallery").glob("*.py"))
SAID = {
    "clones": "obey the sum condition",
    "outbreak": "possible infections",
    "routes": "100,489 nodes",
    "sequence_types": "trees of 48 changes",
}


def test_all_are_tested():
    assert {example.stem for example in GALLERY} == set(SAID)


@pytest.mark.parametrize("example", GALLERY, ids=lambda example: example.stem)
def test_example(example, tmp_path, capsys):
    picture = tmp_path / "picture.svg"
    runpy.run_path(str(example))["main"](str(picture))
    assert SAID[example.stem] in capsys.readouterr().out
    drawn = picture.read_text(encoding="utf-8")
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
    # What the documents show is of the same kind; which of several best trees it is may change.
    shown = REPOSITORY / "docs" / "images" / "gallery" / f"{example.stem}.svg"
    assert shown.read_text(encoding="utf-8").count("<text") == drawn.count("<text")
