"""Through the real parsers of SuPar and diaparser, with random weights."""

import numpy as np
import pytest

import coppice
from coppice import adapters, rules
from support import REPOSITORY, load

torch = pytest.importorskip("torch")
import coppice.supar  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # those of old packages are not ours

TRAIN = "".join(
    "\n".join(
        f"{i}\t{word}\t_\t{tag}\t_\t_\t{head}\t{label}\t_\t_"
        for i, (word, tag, head, label) in enumerate(sentence, 1)
    )
    + "\n\n"
    for sentence in (
        [("She", "PRON", 2, "nsubj"), ("saw", "VERB", 0, "root"), ("ducks", "NOUN", 2, "obj")],
        [("Stop", "VERB", 0, "root"), (".", "PUNCT", 1, "punct")],
    )
)
SENTENCES = [
    ["She", "saw", "ducks", "."],
    ["Stop"],
    ["She", "saw"],
    ["ducks", "saw", "ducks", "saw", "She"],
]
SMALL = {
    "n_embed": 10,
    "n_pretrained": 0,
    "n_word_embed": 10,
    "n_char_embed": 6,
    "n_feat_embed": 8,
    "n_char_hidden": 8,
    "n_encoder_hidden": 16,
    "n_lstm_hidden": 8,
    "n_encoder_layers": 1,
    "n_lstm_layers": 1,
    "n_arc_mlp": 10,
    "n_rel_mlp": 8,
    "n_mlp_arc": 10,
    "n_mlp_rel": 8,
}


@pytest.fixture(scope="module", params=["supar", "diaparser.parsers"])
def parser(request, tmp_path_factory):
    package = pytest.importorskip(request.param, exc_type=ImportError)
    folder = tmp_path_factory.mktemp("supar")
    (folder / "train.conllx").write_text(TRAIN)
    torch.manual_seed(3)
    made = package.BiaffineDependencyParser.build(
        str(folder / "model"),
        min_freq=1,
        train=str(folder / "train.conllx"),
        encoder="lstm",
        feat="char",
        embed=None,
        build=True,
        verbose=False,
        **SMALL,
    )
    for weights in made.model.parameters():
        torch.nn.init.normal_(weights, std=0.5)
    if "diaparser" in request.param:
        # Its model wants two values, which only its embedding of BERT gives, too large for here.
        forward = made.model.feat_embed.forward
        made.model.feat_embed.forward = lambda feats: (forward(feats), None)
    return made


def own_trees(parser):
    """Heads first, labels after, a tree whatever it takes: what the parser itself does."""
    dataset = parser.predict(SENTENCES, verbose=False, tree=True, proj=False, prob=False)
    return [(list(each.arcs), list(each.rels)) for each in dataset.sentences]


def test_heads_first_is_what_the_parser_does(parser):
    parses = coppice.supar.kbest(parser, SENTENCES, 1, labelled=False)
    found = [
        (each.heads[0].tolist(), [each._notes.label_names[x] for x in each.labels[0]])
        for each in parses
    ]
    assert found == own_trees(parser)
    assert "decode" not in vars(parser.model)


def test_scores_are_normalised_and_in_order(parser):
    scored = coppice.supar.scores(parser, SENTENCES)
    assert [len(each.arcs) - 1 for each in scored] == [len(words) for words in SENTENCES]
    for each, words in zip(scored, SENTENCES, strict=True):
        np.testing.assert_allclose(np.exp(each.arcs[:, 1:]).sum(axis=0), 1, rtol=1e-5)
        np.testing.assert_allclose(np.exp(each.labels).sum(axis=-1), 1, rtol=1e-5)
        alone = coppice.supar.scores(parser, [words])[0]
        np.testing.assert_allclose(alone.arcs[:, 1:], each.arcs[:, 1:], atol=1e-4)


def test_heads_that_stay(parser):
    kept = [[None, None, 0, -1], None, ["_", 1], [2, -1, -1, -1, -1]]
    parses = coppice.supar.kbest(parser, SENTENCES, 4, keep=kept)
    for own, each in zip(kept, parses, strict=True):
        assert len(each)
        for heads in each.heads.tolist():
            for wanted, head in zip(own or [], heads, strict=bool(own)):
                assert wanted in (None, -1, "_", head)
    asked = coppice.Constraints(forbidden=[(0, 1)])
    parses = coppice.supar.kbest(parser, SENTENCES[:1], 4, keep=kept[:1], constraints=asked)
    assert all(heads[2] == 0 for heads in parses[0].heads)
    with pytest.raises(ValueError, match="keep of 1 sentence for 4"):
        coppice.supar.kbest(parser, SENTENCES, 1, keep=kept[:1])
    with pytest.raises(ValueError, match="sentence 1: 2 heads for 1 words"):
        coppice.supar.kbest(parser, SENTENCES, 1, keep=[None, [0, 0], None, None])
    with pytest.raises(TypeError, match="keep is 3; need a list"):
        coppice.supar.kbest(parser, SENTENCES, 1, keep=3)
    with pytest.raises(TypeError, match="keep is True; need the name of a CoNLL file"):
        coppice.supar.kbest(parser, SENTENCES, 1, keep=True)


def test_heads_of_a_file_that_stay(parser, tmp_path):
    path = tmp_path / "kept.conllx"
    kept = [["2", "_", "_"], ["_", "0"]]
    words = [["She", "saw", "ducks"], ["Stop", "."]]
    path.write_text(
        "".join(
            "".join(
                f"{i}\t{word}\t_\t_\t_\t_\t{head}\t_\t_\t_\n"
                for i, (word, head) in enumerate(zip(sentence, heads, strict=True), 1)
            )
            + "\n"
            for sentence, heads in zip(words, kept, strict=True)
        )
    )
    found = coppice.supar.kbest(parser, str(path), 3, keep=True)
    assert found == coppice.supar.kbest(parser, words, 3, keep=kept)
    assert found != coppice.supar.kbest(parser, words, 3)
    assert coppice.supar.kbest(parser, str(path), 3, keep=False) == coppice.supar.kbest(
        parser, words, 3
    )


def test_parses(parser):
    parses = coppice.supar.kbest(
        parser, SENTENCES, 5, constraints=coppice.Constraints(rules=[rules.projective()])
    )
    assert [each._notes.words for each in parses] == [tuple(words) for words in SENTENCES]
    assert len(parses[0]) == 5
    for scored, each in zip(coppice.supar.scores(parser, SENTENCES), parses, strict=True):
        again = coppice.kbest(
            scored.arcs,
            5,
            root="single",
            labels=scored.labels,
            constraints=coppice.Constraints(rules=[rules.projective()]),
            probabilities=True,
        )
        np.testing.assert_allclose(again.scores, each.scores)
        np.testing.assert_allclose(again.probabilities, each.probabilities)
    assert "HeadProbability=" in parses.to_conllu()
    assert "ducks" in parses.to_html()


def test_the_howto(parser, monkeypatch, capsys):
    supar = pytest.importorskip("supar", exc_type=ImportError)
    monkeypatch.setattr(supar.Parser, "load", lambda *_: parser)
    document = REPOSITORY / "docs" / "howto" / "scores.md"
    (shown,) = [
        s for s in load("tests/readme/snippets.py").snippets(document) if s.language == "py"
    ]
    exec(compile(shown.code, shown.name, "exec"), {})
    assert "HeadProbability=" in capsys.readouterr().out


def test_other_parsers_are_refused(parser):
    other = type("CRFDependencyParser", (), {"model": parser.model})()
    with pytest.raises(ValueError, match="need a BiaffineDependencyParser"):
        coppice.supar.kbest(other, SENTENCES, 1)
    with pytest.raises(Exception, match=r".*"):
        coppice.supar.kbest(parser, 7, 1)
    assert "decode" not in vars(parser.model)


def test_packages_are_what_the_adapters_expect():
    """The one function that SuPar decodes with gives what `adapters.supar` gives."""
    structs = pytest.importorskip("supar.structs", exc_type=ImportError)
    rng = np.random.default_rng(1)
    scores = torch.from_numpy(rng.normal(size=(3, 6, 6)).astype(np.float32))
    lens = torch.tensor([5, 2, 4])
    mask = (torch.arange(6) <= lens[:, None]) & (torch.arange(6) > 0)
    own = structs.MatrixTree(scores.clone(), lens, multiroot=False).argmax
    assert (own == adapters.supar(scores, mask)).all()
