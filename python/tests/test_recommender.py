"""INCEpTION's protocol: what comes back for a document, and what is refused."""

import contextlib
import http.client
import json
import re
import socket
import threading
import time
from xml.etree import ElementTree

import numpy as np
import pytest

import coppice
from coppice import recommender
from support import REPOSITORY

LAYER = "de.tudarmstadt.ukp.dkpro.core.api.syntax.type.dependency.Dependency"
SEGMENTS = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type"
XMI = "{http://www.omg.org/XMI}"


def described(name, parent, *features):
    ranges = {"Governor": f"{SEGMENTS}.Token", "Dependent": f"{SEGMENTS}.Token"}
    ranges |= {"inception_internal_predicted": "uima.cas.Boolean"}
    ranges |= {"DependencyType_score": "uima.cas.Double", "order": "uima.cas.Integer"}
    listed = "".join(
        f"<featureDescription><name>{each}</name><description/>"
        f"<rangeTypeName>{ranges.get(each, 'uima.cas.String')}</rangeTypeName></featureDescription>"
        for each in features
    )
    return (
        f"<typeDescription><name>{name}</name><description>name</description>"
        f"<supertypeName>{parent}</supertypeName><features>{listed}</features></typeDescription>"
    )


TYPES = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<typeSystemDescription xmlns="http://uima.apache.org/resourceSpecifier"><types>'
    + described(f"{SEGMENTS}.Token", "uima.tcas.Annotation", "order")
    + described(f"{SEGMENTS}.Sentence", "uima.tcas.Annotation")
    + described(
        LAYER,
        "uima.tcas.Annotation",
        *("Governor", "Dependent", "DependencyType", "flavor"),
        *("inception_internal_predicted", "DependencyType_score"),
    )
    + described(LAYER.rpartition(".")[0] + ".ROOT", LAYER)
    + "</types></typeSystemDescription>"
)


def xmi_of(sentences, arcs=(), declare=True):
    """A CAS as INCEpTION sends it; arcs: (sentence, head, word, more attributes), words from 1."""
    text, tokens, spans = "", [], []
    for words in sentences:
        begin = len(text.encode("utf-16-le")) // 2
        own = []
        for word in words:
            start = len(text.encode("utf-16-le")) // 2
            text += word + " "
            own.append((start, start + len(word.encode("utf-16-le")) // 2))
        tokens.append(own)
        spans.append((begin, own[-1][1]))
    lines, ids, number = [], {}, 10
    for i, own in enumerate(tokens):
        lines.append((number, "type5:Sentence", *spans[i], ""))
        number += 1
        for j, (begin, end) in enumerate(own):
            ids[i, j + 1] = number
            lines.append((number, "type5:Token", begin, end, ' order="0"'))
            number += 1
    for i, head, word, more in arcs:
        kind = "dependency:ROOT" if head == 0 else "dependency:Dependency"
        begin, end = tokens[i][word - 1]
        ends = f' Governor="{ids[i, head or word]}" Dependent="{ids[i, word]}"'
        lines.append((number, kind, begin, end, ends + more))
        number += 1
    dependency = (
        ' xmlns:dependency="http:///de/tudarmstadt/ukp/dkpro/core/api/syntax/type/dependency.ecore"'
    )
    members = " ".join(str(line[0]) for line in lines)
    quoted = text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return (
        '<?xml version="1.0" encoding="UTF-8"?><xmi:XMI xmlns:xmi="http://www.omg.org/XMI"'
        ' xmlns:cas="http:///uima/cas.ecore"'
        ' xmlns:type5="http:///de/tudarmstadt/ukp/dkpro/core/api/segmentation/type.ecore"'
        + (dependency if declare else "")
        + ' xmi:version="2.0"><cas:NULL xmi:id="0"/>\n'
        + "\n".join(
            f'<{kind} xmi:id="{i}" sofa="1" begin="{begin}" end="{end}"{more}/>'
            for i, kind, begin, end, more in lines
        )
        + f'<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" sofaString="{quoted}"/>'
        f'<cas:View sofa="1" members="{members}"/></xmi:XMI>'
    )


def request_of(xmi, **changes):
    metadata = {
        "layer": LAYER,
        "feature": "DependencyType",
        "projectId": 1,
        "anchoringMode": "tokens",
        "crossSentence": False,
        "range": {"begin": 0, "end": 10},
    }
    metadata |= changes
    document = {"xmi": xmi, "documentId": 42, "userId": "testuser"}
    return {"metadata": metadata, "document": document, "typeSystem": TYPES}


def arcs_of(xmi):
    """Predictions in the index: {(begin of the word): (begin of the head, attributes)}."""
    root = ElementTree.fromstring(xmi)
    by_id = {each.get(f"{XMI}id"): each for each in root}
    (view,) = (each for each in root if each.tag.endswith("}View"))
    found = {}
    for each in map(by_id.__getitem__, view.get("members").split()):
        if each.get("inception_internal_predicted") != "true":
            continue
        word, head = (by_id[each.get(name)] for name in ("Dependent", "Governor"))
        assert each.tag.endswith("dependency.ecore}Dependency")
        assert (each.get("begin"), each.get("end")) == (word.get("begin"), word.get("end"))
        assert int(word.get("begin")) not in found
        found[int(word.get("begin"))] = (int(head.get("begin")), each.attrib)
    return found


SENTENCES = [("She", "saw", "ducks"), ("Stop", "🦆s", "&", '"<')]
SCORES = {
    words: (
        np.random.default_rng(i).normal(size=(len(words) + 1,) * 2).astype(np.float32),
        coppice.Labels(
            np.random.default_rng(9 + i).normal(size=(*(len(words) + 1,) * 2, 3)),
            names=["nsubj", "obj", "root"],
        ),
    )
    for i, words in enumerate(SENTENCES)
}


def parser(sentences):
    return [SCORES.get(words) for words in sentences]


def expected(words, heads):
    """By begins of words: the best tree that has these heads."""
    scores, labels = SCORES[words]
    best = coppice.kbest(
        scores,
        1,
        root="single",
        labels=labels,
        constraints=coppice.Constraints.keep(heads),
        probabilities=True,
    )
    shift = sum(
        len("".join(w).encode("utf-16-le")) // 2 + len(w)
        for w in SENTENCES[: SENTENCES.index(words)]
    )
    begins = np.cumsum([shift, *(len(word.encode("utf-16-le")) // 2 + 1 for word in words)])
    sure = best.head_probabilities[0] * best.label_probabilities[0]
    return {
        int(begins[i]): (
            int(begins[head - 1 if head else i]),
            best.label_names[best.labels[0, i]],
            pytest.approx(sure[i], abs=1e-6),
        )
        for i, head in enumerate(best.heads[0])
        if heads[i] is None
    }


def found_in(xmi):
    return {
        word: (head, arc["DependencyType"], float(arc["DependencyType_score"]))
        for word, (head, arc) in arcs_of(xmi).items()
    }


@pytest.mark.parametrize("declare", [True, False])
def test_arcs_go_with_those_that_were_decided(declare):
    made = recommender._Recommender(parser)
    sent = xmi_of(SENTENCES, declare=declare)
    found = made.predict(request_of(sent))
    free = expected(SENTENCES[0], [None] * 3) | expected(SENTENCES[1], [None] * 4)
    assert found_in(found) == free
    decided = [(0, 3, 1, ' DependencyType="obj"'), (1, 0, 4, ""), (1, 4, 2, ' flavor="enhanced"')]
    sent = xmi_of(SENTENCES, decided)
    found = made.predict(request_of(sent))
    kept = expected(SENTENCES[0], [3, None, None]) | expected(SENTENCES[1], [None, None, None, 0])
    assert found_in(found) == kept
    assert kept != {word: free[word] for word in kept}
    # All else is as it was: the new annotations and the index of the view are all there is.
    added = re.sub(r"<dependency:Dependency [^>]*inception_internal_predicted[^>]*/>", "", found)
    first = 1 + int(re.search(r'(\d+)"/></xmi:XMI>$', sent)[1])
    listed = " ".join(str(i) for i in range(first, first + len(kept)))
    assert added == sent.replace('"/></xmi:XMI>', f' {listed}"/></xmi:XMI>')
    # Old predictions are no decisions, and go.
    again = made.predict(request_of(found))
    assert found_in(again) == kept


def test_sentences_without_an_answer_stay_as_they_are():
    made = recommender._Recommender(parser, max_words=3)
    unknown = [("Nobody", "knows"), *SENTENCES]  # and the last one is too long
    assert found_in(made.predict(request_of(xmi_of(unknown[:1])))) == {}
    assert len(found_in(made.predict(request_of(xmi_of(SENTENCES))))) == 3
    for arcs in (
        [(0, 1, 2, ""), (0, 2, 1, "")],  # a cycle
        [(0, 0, 2, ""), (0, 0, 1, "")],  # two roots
        [(0, 1, 2, ""), (0, 3, 2, "")],  # two heads
        [(0, 0, 1, ""), (0, 1, 2, ""), (0, 1, 3, "")],  # all is decided
    ):
        sent = xmi_of(SENTENCES[:1], arcs)
        assert made.predict(request_of(sent)) == sent
    nothing = xmi_of([("x",)]).replace("type5:Token", "type5:Lemma")
    assert made.predict(request_of(nothing)) == nothing


def test_the_parser_runs_once_for_each_sentence():
    asked = []

    def count(sentences):
        asked.extend(sentences)
        return parser(sentences)

    made = recommender._Recommender(count)
    for _ in range(2):
        made.predict(request_of(xmi_of([*SENTENCES, ("Nobody",), SENTENCES[0]])))
    assert asked == [*SENTENCES, ("Nobody",)]
    # Whatever is decided.
    found = made.predict(request_of(xmi_of(SENTENCES[:1], [(0, 3, 1, "")])))
    assert found_in(found) == expected(SENTENCES[0], [3, None, None])
    assert asked == [*SENTENCES, ("Nobody",)]


def test_what_is_kept_does_not_grow(monkeypatch):
    monkeypatch.setattr(recommender, "_KEPT", 1)
    monkeypatch.setattr(recommender, "_KEPT_ANSWERS", 1)
    made = recommender._Recommender(parser)
    sent = request_of(xmi_of(SENTENCES))
    free = expected(SENTENCES[0], [None] * 3) | expected(SENTENCES[1], [None] * 4)
    for _ in range(2):
        assert found_in(made.predict(sent)) == free
        assert len(made.known) == 1
        assert list(made.answers) == [(SENTENCES[1], (None,) * 4)]


def test_what_is_kept_has_few_bytes(monkeypatch):
    made = recommender._Recommender(parser)
    for i in range(3):
        made.predict(request_of(xmi_of([(f"{i}", "x" * 1000)])))
    assert len(made.answers) == 3
    assert made.answers.size > 3 * 4000
    monkeypatch.setattr(recommender, "_KEPT_BYTES", 12_000)
    made.predict(request_of(xmi_of([("3", "x" * 1000)])))
    assert [words[0] for words, _ in made.answers] == ["2", "3"]
    assert made.answers.size == sum(made.answers.sizes.values()) < 12_000
    arcs, labels = SCORES[SENTENCES[0]]
    assert recommender._bytes_of((), (arcs, labels)) > arcs.nbytes + labels.scores.nbytes


def test_types_take_time_in_proportion():
    """A chain of types, and an element with many lines."""
    chain = "".join(described(f"t{i}", f"t{i + 1}" if i < 9000 else LAYER) for i in range(9001))
    request = request_of(xmi_of(SENTENCES))
    request["typeSystem"] = TYPES.replace(
        "</types>", chain + "<x>" + "\n" * 900_000 + "</x></types>"
    )
    begun = time.process_time()
    recommender._Recommender(parser).predict(request)
    assert time.process_time() - begun < 2


@pytest.mark.parametrize(
    "before", ["x=' members=\"1\"'", "y=\"&lt;\" z = '>/'", 'xmlns:q="q" q:members="7"', ""]
)
def test_only_the_members_change(before):
    sent = xmi_of(SENTENCES).replace(" members=", f" {before} members=")
    found = recommender._Recommender(parser).predict(request_of(sent))
    assert len(arcs_of(found)) == 7
    assert f"{before} members=" in found
    other = xmi_of(SENTENCES).replace(" members=", ' xmlns:q="q" q:members=')
    assert recommender._Recommender(parser).predict(request_of(other)) == other


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda r: r.pop("metadata"), "the request has no metadata"),
        (lambda r: r["document"].pop("xmi"), "the request has no xmi"),
        (lambda r: r.update(typeSystem=3), "the request has no typeSystem"),
        (lambda r: r["metadata"].update(layer="a.B"), r"layer a\.B is not in the type system"),
        (lambda r: r["metadata"].update(layer='x"y'), "layer is 'x\"y'; need a name"),
        (
            lambda r: r["metadata"].update(layer=f"{SEGMENTS}.Token"),
            r"layer .*Token has no DependencyType, Dependent, Governor; arcs need a layer",
        ),
        (lambda r: r["metadata"].update(feature="value"), "has no value"),
        (lambda r: r["document"].update(xmi="<a><b></a>"), "xmi is no XML: mismatched tag"),
        (lambda r: r["document"].update(xmi="\ud800"), "xmi is no XML"),
        (lambda r: r["document"].update(xmi=BOMB + "<x>&b;</x>"), "xmi has a document type"),
        (lambda r: r.update(typeSystem=BOMB + "<x>&b;</x>"), "typeSystem has a document type"),
        (
            lambda r: r["document"].update(
                xmi=r["document"]["xmi"].replace('begin="0"', 'begin="x"')
            ),
            "xmi: begin of a .*Sentence is 'x'; need a number",
        ),
        (
            lambda r: r["document"].update(
                xmi=r["document"]["xmi"].replace('Governor="11"', 'Governor="10"')
            ),
            "xmi: an arc ends at 10, which is no token of a sentence",
        ),
        (
            lambda r: r["document"].update(
                xmi=re.sub(r'begin="\d+" end="\d+"', 'begin="0" end="99"', r["document"]["xmi"])
            ),
            "xmi: tokens have 196 characters, and the text 28; need at most 4 times as many",
        ),
        (
            lambda r: r["document"].update(
                xmi=r["document"]["xmi"].replace("cas:View", "cas:Other")
            ),
            "xmi: 0 views of the text with the tokens; need one",
        ),
    ],
)
def test_what_is_no_request_is_refused(change, said):
    request = request_of(xmi_of(SENTENCES, [(0, 1, 2, "")]))
    change(request)
    with pytest.raises(recommender._BadRequestError, match=said):
        recommender._Recommender(parser).predict(request)


@contextlib.contextmanager
def serving(*arguments):
    with recommender._server([*map(str, arguments), "--port", "0"]) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def ask(server, path, body, kind="application/json", method="POST", **headers):
    connection = http.client.HTTPConnection(*server.server_address[:2], timeout=20)
    connection.request(method, path, body, {"Content-Type": kind, **headers})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


@pytest.fixture
def own_parser(tmp_path, monkeypatch):
    (tmp_path / "own_parser_of_a_test.py").write_text(
        "import test_recommender as t\nscores = t.parser\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    return "own_parser_of_a_test"


def test_the_server(own_parser):
    body = json.dumps(request_of(xmi_of(SENTENCES[:1])))
    with serving("--function", own_parser, "--max-bytes", "20000") as server:
        assert server.server_address[0] == "127.0.0.1"
        status, text = ask(server, "/predict", body)
        assert status == 200
        assert found_in(json.loads(text)["document"]) == expected(SENTENCES[0], [None] * 3)
        assert ask(server, "/train", body) == (204, "")
        status, text = ask(server, "/", None, method="GET")
        assert (status, text) == (200, "coppice: an external recommender of INCEpTION\n")
        for path, sent, kind, status, said in (
            ("/predict", "{", "application/json", 400, "the request is no JSON"),
            ("/predict", "[" * 9000, "application/json", 400, ""),
            ("/predict", "{}", "application/json", 400, "the request has no metadata"),
            ("/predict", body, "text/plain", 415, "need Content-Type: application/json"),
            ("/predict", "x" * 20001, "application/json", 413, "20001 bytes; at most 20000"),
            ("/other", body, "application/json", 404, "/other: POST /predict"),
        ):
            found = ask(server, path, sent, kind)
            assert found[0] == status, found
            assert found[1].startswith(said)
        assert ask(server, "/x", None, method="GET")[0] == 404
        assert ask(server, "/predict", None, method="PUT")[0] == 501
        chunked = iter([body.encode()])
        assert ask(server, "/predict", chunked, **{"Transfer-Encoding": "chunked"})[0] == 411
        # What stands in a body is no request.
        for first, second in (
            ("GET / HTTP/1.1\r\nContent-Length: 30", "GET /hidden HTTP/1.1\r\n\r\n"),
            ("POST /train HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 40", "{}"),
            ("POST /train HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked", "{}"),
        ):
            with socket.create_connection(server.server_address[:2], timeout=20) as raw:
                kind = "\r\nContent-Type: application/json\r\n\r\n"
                raw.sendall((first + kind + second).encode())
                raw.shutdown(socket.SHUT_WR)
                said = b"".join(iter(lambda: raw.recv(9999), b""))
            assert said.count(b"HTTP/1.1 ") == 1
            assert b"Connection: close" in said
            assert said.startswith(b"HTTP/1.1 411" if "POST" in first else b"HTTP/1.1 200")
        # One connection may ask twice.
        connection = http.client.HTTPConnection(*server.server_address[:2], timeout=20)
        for _ in range(2):
            connection.request("POST", "/predict", body, {"Content-Type": "application/json"})
            assert connection.getresponse().read()
        connection.close()


def test_a_parser_that_fails_is_no_end_of_the_server(own_parser, tmp_path, capfd):
    (tmp_path / "broken_parser_of_a_test.py").write_text("def scores(sentences): return [1 / 0]\n")
    with serving("--function", "broken_parser_of_a_test:scores") as server:
        for _ in range(2):
            status, text = ask(server, "/predict", json.dumps(request_of(xmi_of(SENTENCES))))
            assert (status, text) == (500, "ZeroDivisionError; the server's log has more\n")
    assert "division by zero" in capfd.readouterr().err


def test_scores_of_files(tmp_path):
    data = REPOSITORY / "data" / "ud-scores"
    text = REPOSITORY / "data" / "en_ewt-ud-test.conllu"
    labels = data / "English-EWT.labels.npz"
    made = recommender._from_files(data / "English-EWT.npz", text, labels)
    words = recommender._words_of(text)
    with np.load(data / "English-EWT.npz") as file:
        lengths, flat = file["lengths"], file["scores"]
    i = 300
    ((arcs, own),) = made([words[i]])
    begin = int(((lengths[:i].astype(int) + 1) ** 2).sum())
    nodes = lengths[i] + 1
    np.testing.assert_array_equal(arcs.ravel(), flat[begin : begin + nodes**2])
    found = coppice.kbest(arcs, 1, root="single", labels=own)
    said = tmp_path / "said.jsonl"
    assert found.label_names[found.labels[0, 0]]
    assert made([("no", "such", "words")]) == [None]
    said.write_text("1\tx\n\n")
    with pytest.raises(ValueError, match="not the sentences of"):
        recommender._from_files(data / "English-EWT.npz", said, None)


def test_what_is_typed(capsys):
    for arguments, said in (
        ([], "give one of"),
        (["a.npz"], "needs --text"),
        (["--stanza", "en", "--text", "a.conllu"], "needs --text"),
        (["a.npz", "--text", "b", "--stanza", "en"], "give one of"),
    ):
        with pytest.raises(SystemExit):
            recommender._server(arguments)
        assert said in capsys.readouterr().err
    function = ["--function", "test_recommender:parser"]
    for arguments, said in (
        ([*function, "--port", "99999"], "port must be 0-65535"),
        ([*function, "--host", "no such host"], "gaierror"),
        ([*function, "--temperature", "nowhere.json"], "No such file"),
        (["--function", "no_such_module_of_a_test"], "No module named"),
        (["--function", "test_recommender:nothing"], "no attribute 'nothing'"),
        (["--function", "test_recommender:TYPES"], "is no function"),
        (["nowhere.npz", "--text", "nowhere.conllu"], "No such file"),
    ):
        with pytest.raises(SystemExit):
            recommender._server(arguments)
        told = capsys.readouterr().err
        assert said in told
        assert told.count("\n") == 1


def test_cassis_reads_what_comes_back():
    """The library that INCEpTION's own recommenders use."""
    cassis = pytest.importorskip("cassis")
    types = cassis.load_typesystem(TYPES)
    for declare in (True, False):
        found = recommender._Recommender(parser).predict(
            request_of(xmi_of(SENTENCES, declare=declare))
        )
        cas = cassis.load_cas_from_xmi(found, types)
        arcs = cas.select(LAYER)
        assert len(arcs) == 7
        for arc in arcs:
            assert arc.inception_internal_predicted
            assert arc.get_covered_text() == arc.Dependent.get_covered_text()
            assert arc.Governor.get_covered_text() in {*SENTENCES[0], *SENTENCES[1]}
            assert 0 < arc.DependencyType_score <= 1
