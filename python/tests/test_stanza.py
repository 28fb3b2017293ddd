"""Through a real stanza pipeline, with a small parser of random weights that is made here."""

import itertools
import json

import numpy as np
import pytest

import coppice
from coppice import recommender, rules
from support import REPOSITORY, load, reaches_root

stanza = pytest.importorskip("stanza")
torch = pytest.importorskip("torch")
from stanza.models import parser  # noqa: E402
from stanza.models.common.vocab import VOCAB_PREFIX_SIZE  # noqa: E402
from stanza.models.depparse.data import DataLoader  # noqa: E402
from stanza.models.depparse.trainer import GraphTrainer  # noqa: E402
from stanza.pipeline.processor import (  # noqa: E402
    ProcessorVariant,
    register_processor_variant,
)
from stanza.utils.conll import CoNLL  # noqa: E402

import coppice.stanza  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")  # those of torch are not ours

CONLLU = """# newdoc id = d1
# sent_id = first
# text = She saw ducks .
1\tShe\tshe\tPRON\tPRP\tCase=Nom\t2\tnsubj\t_\t_
2\tsaw\tsee\tVERB\tVBD\tTense=Past\t0\troot\t_\t_
3\tducks\tduck\tNOUN\tNNS\tNumber=Plur\t2\tobj\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

# sent_id = second
# text = Dogs don't bark
1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t4\tnsubj\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
4\tbark\tbark\tVERB\tVB\t_\t0\troot\t_\t_

# sent_id = third
# text = Stop
1\tStop\tstop\tVERB\tVB\t_\t0\troot\t_\t_

# sent_id = fourth
# text = We think they sleep now here
1\tWe\twe\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2\tthink\tthink\tVERB\tVBP\t_\t0\troot\t_\t_
3\tthey\tthey\tPRON\tPRP\t_\t4\tnsubj:pass\t_\t_
4\tsleep\tsleep\tVERB\tVBP\t_\t2\tccomp\t_\t_
5\tnow\tnow\tADV\tRB\t_\t4\tadvmod\t_\t_
6\there\there\tADV\tRB\t_\t4\tadvmod\t_\t_

"""


@register_processor_variant("pos", "verbs")
class Tagger(ProcessorVariant):
    """Calls every word a verb."""

    OVERRIDE = True

    def __init__(self, config):
        pass

    def process(self, document):
        for sentence in document.sentences:
            for word in sentence.words:
                word.upos = "VERB"
        return document


def documents():
    return CoNLL.conll2doc(input_str=CONLLU)


def small_model(path, **changes):
    """As stanza's own training would save it, before the first step."""
    args = parser.parse_args(["--train_file", "x", "--eval_file", "x", "--shorthand", "en_x"])
    args |= {
        "hidden_dim": 12,
        "num_layers": 1,
        "deep_biaff_hidden_dim": 10,
        "deep_biaff_output_dim": 6,
        "word_emb_dim": 8,
        "char_emb_dim": 6,
        "char_hidden_dim": 8,
        "transformed_dim": 8,
        "tag_emb_dim": 6,
        "pretrain": False,
        "charlm": None,
        "bert_model": None,
        "bert_hidden_layers": None,
        **changes,
    }
    torch.manual_seed(5)
    loader = DataLoader(documents(), 100, args, None, evaluation=False)
    trainer = GraphTrainer(args=args, vocab=loader.vocab, device="cpu")
    for weights in trainer.model.parameters():  # sure of something, though not of what is right
        torch.nn.init.normal_(weights, std=0.7)
    trainer.save(str(path))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stanza")
    packages = {"x": {"md5": "0"}}
    (folder / "resources.json").write_text(
        json.dumps(
            {
                "en": {
                    "default_processors": {},
                    "default_dependencies": {},
                    "tokenize": packages,
                    "pos": packages,
                    "depparse": packages,
                }
            }
        )
    )
    small_model(folder / "parser.pt")
    small_model(folder / "reversed.pt", reversed=True)
    assert (folder / "parser.pt").stat().st_size < 400_000
    return folder


def pipeline(folder, model="parser.pt", **options):
    return stanza.Pipeline(
        lang="en",
        dir=str(folder),
        processors={"depparse": "x"},
        depparse_model_path=str(folder / model),
        depparse_pretagged=True,
        download_method=None,
        use_gpu=False,
        allow_unknown_language=True,
        verbose=False,
        **options,
    )


@pytest.fixture(scope="module")
def nlp(folder):
    return pipeline(folder, depparse_resolve_head_constraints=False)


def trees_of(document):
    return [[(word.head, word.deprel) for word in sent.words] for sent in document.sentences]


def best_of(parses):
    return [
        [
            (int(head), sentence._notes.label_names[label])
            for head, label in zip(sentence.best.heads, sentence.best.labels, strict=True)
        ]
        for sentence in parses
    ]


def truth(scored, legal=lambda heads, labels: True):
    """All labelled trees of a short sentence with their scores, from best to worst."""
    words = len(scored.arcs) - 1
    found = []
    count = len(scored.label_names)
    for heads in itertools.product(range(words + 1), repeat=words):
        if heads.count(0) != 1 or not reaches_root(heads):
            continue
        arcs = sum(scored.arcs[head, word] for word, head in enumerate(heads, 1))
        for labels in itertools.product(range(count), repeat=words):
            if legal(heads, [scored.label_names[label] for label in labels]):
                own = [scored.labels[heads[i], i + 1, label] for i, label in enumerate(labels)]
                found.append((arcs + sum(own), heads, labels))
    return sorted(found, reverse=True)


def test_scores_are_those_that_the_pipeline_decodes(nlp):
    """Heads first, labels after, without any repair: just what the pipeline does."""
    parses = coppice.stanza.kbest(nlp, documents(), 1, labelled=False)
    assert best_of(parses) == trees_of(nlp(documents()))
    for scored in coppice.stanza.scores(nlp, documents()):
        np.testing.assert_allclose(np.exp(scored.arcs[:, 1:]).sum(axis=0), 1, rtol=1e-5)
        np.testing.assert_allclose(np.exp(scored.labels).sum(axis=-1), 1, rtol=1e-5)
        assert scored.label_names[0] in {"nsubj", "punct", "root"}


def test_order_and_batches_change_nothing(folder, nlp):
    """The pipeline sorts sentences by length, cuts them into batches and pads them."""
    one_by_one = pipeline(folder, depparse_batch_size=1)
    for mine, alone in zip(
        coppice.stanza.scores(nlp, documents()),
        coppice.stanza.scores(one_by_one, documents()),
        strict=True,
    ):
        np.testing.assert_allclose(mine.arcs[:, 1:], alone.arcs[:, 1:], atol=1e-4)
        np.testing.assert_allclose(mine.labels, alone.labels, atol=1e-4)


def test_reversed_parsers(folder):
    backwards = pipeline(folder, "reversed.pt", depparse_resolve_head_constraints=False)
    parses = coppice.stanza.kbest(backwards, documents(), 1, labelled=False)
    assert best_of(parses) == trees_of(backwards(documents()))


def test_best_labelled_trees_against_all_trees(nlp):
    document = documents()
    before = trees_of(document)
    parses = coppice.stanza.kbest(nlp, document, 40, constraints=coppice.Constraints(rules=[]))
    assert trees_of(document) == before
    for scored, sentence in zip(coppice.stanza.scores(nlp, document), parses, strict=True):
        if sentence.n > 3:
            continue
        expected = truth(scored)[:40]
        np.testing.assert_allclose(sentence.scores, [row[0] for row in expected], rtol=1e-4)
        total = np.logaddexp.reduce([row[0] for row in truth(scored)])
        np.testing.assert_allclose(
            sentence.probabilities, np.exp([row[0] - total for row in expected]), rtol=1e-4
        )


def one_subject(heads, labels):
    groups = {"nsubj": "s", "nsubj:pass": "s", "obj": "o"}
    seen = [
        (head, groups[label]) for head, label in zip(heads, labels, strict=True) if label in groups
    ]
    return len(seen) == len(set(seen))


def test_rules_of_the_pipeline(folder, nlp):
    legal = pipeline(folder, depparse_resolve_head_constraints=True)
    parses = coppice.stanza.kbest(legal, documents(), 30)
    illegal = 0
    for sentence, free in zip(
        parses,
        coppice.stanza.kbest(legal, documents(), 30, constraints=coppice.Constraints(rules=[])),
        strict=True,
    ):
        names = sentence._notes.label_names
        for tree in sentence:
            assert one_subject(tree.heads, [names[label] for label in tree.labels])
        illegal += sum(
            not one_subject(tree.heads, [names[label] for label in tree.labels]) for tree in free
        )
    assert illegal > 0  # or the test shows nothing
    # Without them in the pipeline, none by default.
    for sentence, free in zip(
        coppice.stanza.kbest(nlp, documents(), 5),
        coppice.stanza.kbest(nlp, documents(), 5, constraints=coppice.Constraints(rules=[])),
        strict=True,
    ):
        assert (sentence.heads == free.heads).all()


def test_other_rules_and_facts(nlp):
    parses = coppice.stanza.kbest(
        nlp, documents(), 3, constraints=coppice.Constraints(rules=[rules.max_depth(2)])
    )
    for tree in itertools.chain.from_iterable(parses):
        for head in tree.heads.tolist():
            assert head == 0 or tree.heads[head - 1] in (0, tree.heads[head - 1])
            assert head == 0 or tree.heads[head - 1] == 0
    projective = coppice.stanza.kbest(
        nlp, documents(), 3, constraints=coppice.Constraints(rules=[rules.projective(), rules.ud()])
    )
    for sentence in projective:
        names = sentence._notes.label_names
        for tree in sentence:
            labels = [names[label] for label in tree.labels]
            facts = rules.Facts(tags=sentence._notes.tags)
            assert not facts.ud_incidents(tree.heads, labels)


def test_heads_that_stay(nlp):
    free = coppice.stanza.kbest(nlp, documents(), 3, constraints=coppice.Constraints())
    assert free[0].best.heads[2] != 0  # so that word 3 as the root is another tree
    kept = [[None, -1, 0, "_"], None, [None], [-1] * 6]
    found = coppice.stanza.kbest(nlp, documents(), 3, constraints=coppice.Constraints(), keep=kept)
    assert len(found[0]) == 3
    assert all(heads[2] == 0 for heads in found[0].heads)
    for i, (each, own) in enumerate(zip(found, kept, strict=True)):
        scored = coppice.stanza.scores(nlp, documents())[i]
        again = coppice.kbest(
            scored.arcs,
            3,
            root="single",
            labels=scored.labels,
            constraints=coppice.Constraints.keep(own or []),
        )
        np.testing.assert_allclose(again.scores, each.scores)
    gold = coppice.stanza.kbest(nlp, documents(), 3, keep=True)
    for sentence, each in zip(documents().sentences, gold, strict=True):
        for heads in each.heads.tolist():
            assert heads == [word.head for word in sentence.words]
    assert coppice.stanza.kbest(nlp, documents(), 3, keep=False) == coppice.stanza.kbest(
        nlp, documents(), 3
    )


def test_what_comes_out(nlp, tmp_path):
    pytest.importorskip("pandas")
    parses = coppice.stanza.kbest(nlp, documents(), 4)
    text = parses.to_conllu(highlight=0.5)
    assert text.count("# sent_id = second") == len(parses[1])
    assert text.count("# newdoc id = d1") == 1
    assert "2-3\tdon't\t" in text
    assert "Case=Nom" in text
    again = CoNLL.conll2doc(input_str=text)
    assert trees_of(again)[0] == best_of(parses)[0]
    assert all("HeadProbability=" in word.misc for word in again.sentences[0].words)
    assert "She" in parses.to_html(title="t")
    frame = parses.to_frame()
    assert set(frame["sentence"]) == {"first", "second", "third", "fourth"}
    assert len(frame) == sum(sentence.heads.size for sentence in parses)
    documents_ = parses.documents()
    assert len(documents_) == max(map(len, parses))
    assert trees_of(documents_[0]) == best_of(parses)
    assert trees_of(documents_[1])[0] != trees_of(documents_[0])[0]
    word = documents_[0].sentences[0].words[2]
    assert float(word.misc.split("HeadProbability=")[1].split("|")[0]) == pytest.approx(
        parses[0].head_probabilities[0, 2], abs=6e-5
    )
    assert word.parent.spaces_after == ""  # kept
    assert parses.document.sentences[0].words[0].misc in (None, "")
    with torch.no_grad():
        assert repr(parses).startswith("<DocumentParses: 4 sentences")


def test_install(folder):
    nlp = pipeline(folder, depparse_resolve_head_constraints=True)
    own = trees_of(nlp(documents()))
    legal = best_of(coppice.stanza.kbest(nlp, documents(), 1))
    assert coppice.stanza.install(nlp, probabilities=True) is nlp
    given = documents()
    for sentence in given.sentences:
        for word in sentence.words:
            word.deps = "0:root"  # of another tree
    parsed = nlp(given)
    assert trees_of(parsed) == legal
    assert {word.deps for sentence in parsed.sentences for word in sentence.words} == {None}
    assert len(parsed.sentences[0].dependencies) == 4
    assert all("HeadProbability=" in word.misc for word in parsed.sentences[1].words)
    assert [trees_of(each) for each in nlp.bulk_process([documents(), documents()])] == [legal] * 2
    coppice.stanza.uninstall(nlp)
    assert trees_of(nlp(documents())) == own
    coppice.stanza.uninstall(nlp)
    coppice.stanza.install(nlp, constraints=coppice.Constraints(rules=[rules.max_children(0)]))
    with pytest.warns(UserWarning, match="sentence 0 and 3 more: no tree obeys") as warned:
        parsed = nlp(documents())
    assert len(warned) == 1
    with pytest.raises(TypeError, match="text is a list of Documents"):
        coppice.stanza.kbest(nlp, [documents(), documents()], 3)
    assert trees_of(parsed) == best_of(
        coppice.stanza.kbest(nlp, documents(), 1, constraints=coppice.Constraints(rules=[]))
    )
    coppice.stanza.uninstall(nlp)


def test_a_rule_that_no_tree_obeys_is_given_up_soon(folder):
    nlp = pipeline(folder)
    free = best_of(coppice.stanza.kbest(nlp, documents(), 1, constraints=coppice.Constraints()))
    asked = []

    def never(tree):
        asked.append(tree)
        return False

    coppice.stanza.install(nlp, constraints=coppice.Constraints(rules=[never]))
    with pytest.warns(UserWarning, match="sentence 0 and 3 more: no tree obeys") as warned:
        parsed = nlp(documents())
    assert len(warned) == 1
    assert trees_of(parsed) == free
    assert len(asked) <= 4 * 10_000  # the default budget of each sentence


def test_the_variant_is_what_install_does(folder):
    installed = coppice.stanza.install(pipeline(folder), probabilities=True)
    nlp = pipeline(
        folder,
        depparse_with_coppice=True,
        depparse_coppice_probabilities=True,
        depparse_device="cpu",
    )
    expected, found = installed(documents()), nlp(documents())
    assert trees_of(found) == trees_of(expected)
    assert [word.misc for sentence in found.sentences for word in sentence.words] == [
        word.misc for sentence in expected.sentences for word in sentence.words
    ]
    assert [trees_of(each) for each in nlp.bulk_process([documents()])] == [trees_of(expected)]
    # The scores are there, too, and so are the rules of the pipeline.
    assert coppice.stanza.kbest(nlp, documents(), 5) == coppice.stanza.kbest(
        installed, documents(), 5
    )
    for call in (coppice.stanza.install, coppice.stanza.uninstall):
        with pytest.raises(ValueError, match="depparse is the variant coppice"):
            call(nlp)
    several = pipeline(folder, depparse_with_coppice=True, depparse_coppice_root="any")
    assert best_of(coppice.stanza.kbest(installed, documents(), 1, root="any")) == trees_of(
        several(documents())
    )
    with pytest.raises(TypeError, match=r"depparse_coppice_.*'rooot'"):
        pipeline(folder, depparse_with_coppice=True, depparse_coppice_rooot="any")
    with pytest.raises(ValueError, match="depparse has no model; leave its package"):
        stanza.Pipeline(
            lang="en",
            dir=str(folder),
            processors={"depparse": "coppice"},
            depparse_pretagged=True,
            download_method=None,
            use_gpu=False,
            allow_unknown_language=True,
            verbose=False,
        )


def test_the_recommender_asks_the_pipeline(folder, monkeypatch):
    nlp = pipeline_of_text(folder)
    monkeypatch.setattr(stanza, "Pipeline", lambda *_, **__: nlp)
    scores = recommender._from_stanza("en")
    sentences = [("They", "saw", "ducks"), ("Stop",)]
    for (arcs, labels), each in zip(
        scores(sentences), coppice.stanza.scores(nlp, "They saw ducks\nStop"), strict=True
    ):
        np.testing.assert_array_equal(arcs, each.arcs)
        np.testing.assert_array_equal(labels.scores, each.labels)
        assert labels.names == each.label_names


def pipeline_of_text(folder):
    """Words between spaces, all of them verbs."""
    return stanza.Pipeline(
        lang="en",
        dir=str(folder),
        processors={"tokenize": "x", "pos": "verbs", "lemma": "identity", "depparse": "x"},
        tokenize_pretokenized=True,
        depparse_model_path=str(folder / "parser.pt"),
        download_method=None,
        use_gpu=False,
        allow_unknown_language=True,
        verbose=False,
    )


def test_the_documentation(folder, monkeypatch, tmp_path, capsys):
    pytest.importorskip("pandas")
    nlp = pipeline_of_text(folder)
    monkeypatch.setattr(stanza, "Pipeline", lambda *_, **__: nlp)
    monkeypatch.chdir(tmp_path)
    document = load("tests/readme/snippets.py").snippets(REPOSITORY / "docs" / "parsers.md")
    namespace = {}
    for snippet in document:
        if snippet.language == "python":
            exec(compile(snippet.code, snippet.name, "exec"), namespace)
    assert "HeadProbability=" in namespace["text"]
    assert "HeadProbability=" in capsys.readouterr().out
    assert (tmp_path / "temperature.json").exists()


def test_the_howto(folder, monkeypatch, tmp_path):
    nlp = pipeline_of_text(folder)
    monkeypatch.setattr(stanza, "Pipeline", lambda *_, **__: nlp)
    monkeypatch.chdir(tmp_path)
    document = REPOSITORY / "docs" / "howto" / "stanza.md"
    namespace = {}
    for snippet in load("tests/readme/snippets.py").snippets(document):
        if snippet.language == "python":
            exec(compile(snippet.code, snippet.name, "exec"), namespace)
    assert "HeadProbability=" in (tmp_path / "parses.conllu").read_text()
    assert "HeadProbability=" in namespace["document"].sentences[0].words[0].misc


def test_text_goes_through_the_pipeline(folder):
    nlp = pipeline_of_text(folder)
    parses = coppice.stanza.kbest(nlp, "They saw ducks\nStop", 3, labelled=False)
    assert [sentence._notes.words for sentence in parses] == [("They", "saw", "ducks"), ("Stop",)]
    assert parses[0]._notes.tags == ("VERB",) * 3
    assert best_of(parses) == trees_of(nlp("They saw ducks\nStop"))
    untagged = stanza.Document([[{"id": 1, "text": "Stop"}, {"id": 2, "text": "it"}]])
    assert len(coppice.stanza.kbest(nlp, untagged, 2)[0]) == 2
    assert untagged.sentences[0].words[0].upos is None
    with pytest.raises(TypeError, match="text is a list of Documents; give one at a time"):
        coppice.stanza.kbest(nlp, [untagged, untagged], 2)


def test_temperature_and_calibrate(nlp):
    scored = coppice.stanza.scores(nlp, documents())
    gold = [[word.head for word in sent.words] for sent in documents().sentences]
    labels = [
        [scored[0].label_names.index(word.deprel) for word in sent.words]
        for sent in documents().sentences
    ]
    degrees = coppice.Temperature.calibrate(
        [each.arcs for each in scored],
        gold,
        root="single",
        labels=[each.labels for each in scored],
        gold_labels=labels,
    )
    assert degrees.arcs > 1  # random weights should not be believed
    tempered = coppice.stanza.kbest(nlp, documents(), 2, temperature=degrees)
    plain = coppice.stanza.kbest(nlp, documents(), 2)
    assert tempered[0].probabilities[0] < plain[0].probabilities[0]


def test_what_cannot_be_done_is_said(folder, nlp):
    untagged = documents()
    untagged.sentences[0].words[0].upos = untagged.sentences[0].words[0].xpos = None
    with pytest.raises(ValueError, match="POS not run"):
        coppice.stanza.kbest(nlp, untagged, 1)
    with pytest.raises(ValueError, match="no processors that make sentences"):
        coppice.stanza.kbest(nlp, "text", 1)
    processors, nlp.processors = nlp.processors, {}
    try:
        with pytest.raises(ValueError, match="no processor depparse"):
            coppice.stanza.kbest(nlp, documents(), 1)
    finally:
        nlp.processors = processors
    model, nlp.processors["depparse"].trainer.model = (
        nlp.processors["depparse"].trainer.model,
        torch.nn.Linear(1, 1),
    )
    try:
        with pytest.raises(ValueError, match="has a Linear; need one that scores all arcs"):
            coppice.stanza.install(nlp)
    finally:
        nlp.processors["depparse"].trainer.model = model
    assert VOCAB_PREFIX_SIZE == 4  # what label ids of the adapter lack


def test_empty_documents(nlp):
    parses = coppice.stanza.kbest(nlp, stanza.Document([]), 3)
    assert len(parses) == 0
    assert parses.documents() == []
    assert parses.to_conllu() == ""


def test_what_is_no_pipeline():
    with pytest.raises(TypeError, match=r"nlp is None; need a stanza\.Pipeline"):
        coppice.stanza.kbest(None, "Words.", 1)
