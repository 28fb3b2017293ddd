"""An external recommender for INCEpTION: arcs that go with those that the annotator has decided.

.. code-block:: sh

    python -m coppice.recommender scores.npz --text words.conllu --labels labels.npz
    python -m coppice.recommender --stanza en
    python -m coppice.recommender --function my_parser:scores

In INCEpTION add an external recommender for the layer Dependency, feature DependencyType, with the
address that the server prints. For every request it predicts the best tree that has the arcs of the
document, and gives those that are not there yet, each with its probability. Scores are found by the
words of a sentence, and kept: the parser runs once for each sentence.

The protocol is version 1 of INCEpTION's (external_recommender.adoc of its developer guide): POST
/predict with a CAS as XMI, which comes back with annotations added; POST /train is answered and
changes nothing. The server listens on this machine alone unless ``--host`` says otherwise. It knows
no passwords.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import socket
import sys
import threading
import traceback
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

import numpy as np

from coppice._decode import kbest
from coppice._labels import Labels
from coppice._parses import ours
from coppice._problem import Constraints, RootRule
from coppice._temperature import NONE, Temperature, as_temperature

__all__: list[str] = []

_TOKEN = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token"
_SENTENCE = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Sentence"
_PREDICTED = "inception_internal_predicted"
_ID = "http://www.omg.org/XMI id"
#: Sentences whose scores are kept, and what was predicted for how many; bytes of each, about.
_KEPT, _KEPT_ANSWERS, _KEPT_BYTES = 512, 20_000, 256 << 20
#: Tokens may overlap, but have no more characters together than so many times the text.
_MOST_COVERED = 4
#: An attribute of an element that a parser has read.
_ATTRIBUTE = re.compile(rb"""\s+([^\s=]+)\s*=\s*("[^"]*"|'[^']*')""")

Words: TypeAlias = "tuple[str, ...]"
#: Words that are not decided, from 0, each with its head, label or None, and how sure both are.
Answer: TypeAlias = "list[tuple[int, int, str | None, float]]"
#: Arc scores [head, dependent], log-probabilities, and perhaps labels; None where there are none.
Scores: TypeAlias = "tuple[Any, Labels | None] | None"
Parser: TypeAlias = Callable[[list[Words]], Sequence[Scores]]


class _BadRequestError(Exception):
    """What is asked cannot be answered; the text says why, and goes back to INCEpTION."""


# ---- CAS ------------------------------------------------------------------------------------


def _parser(kind: str) -> Any:
    """One that expands nothing: without a document type there are no entities to define."""
    made = expat.ParserCreate("utf-8", " ")

    def refuse(*_: Any) -> None:
        raise _BadRequestError(f"{kind} has a document type, which is not read")

    made.StartDoctypeDeclHandler = refuse
    return made


def _parse(parser: Any, text: Any, kind: str) -> bytes:
    if not isinstance(text, str):
        raise _BadRequestError(f"{kind} is {type(text).__name__}; need XML as a string")
    try:
        data = text.encode()
        parser.Parse(data, True)
    except (expat.ExpatError, UnicodeEncodeError) as error:
        raise _BadRequestError(f"{kind} is no XML: {error}") from None
    return data


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 15


def _quoted(value: str) -> str:
    return f'"{value}"' if value.isalnum() else quoteattr(value)


class _Types:
    """Types of a UIMA type system: what they derive from, and their features."""

    def __init__(self, text: Any) -> None:
        self.parents: dict[str, str] = {}
        self.own: dict[str, set[str]] = {}
        path: list[str] = []
        found: dict[str, str] = {}
        features: set[str] = set()
        said: list[str] = []  # text of the element, in pieces
        parser = _parser("typeSystem")
        parser.buffer_text = True  # else each line is a piece

        def start(name: str, _: Any) -> None:
            path.append(name.rpartition(" ")[2])
            if path[-1] == "typeDescription":
                found.clear()
                features.clear()
            said.clear()

        def end(_: str) -> None:
            text, name, outer = "".join(said).strip(), path.pop(), path[-1:]
            said.clear()
            if outer == ["typeDescription"] and name in ("name", "supertypeName"):
                found[name] = text
            elif outer == ["featureDescription"] and name == "name":
                features.add(text)
            elif name == "typeDescription" and "name" in found:
                self.parents[found["name"]] = found.get("supertypeName", "")
                self.own[found["name"]] = set(features)

        parser.StartElementHandler, parser.EndElementHandler = start, end
        parser.CharacterDataHandler = said.append
        _parse(parser, text, "typeSystem")

    def line(self, name: str) -> Iterator[str]:
        """The type, and those that it derives from."""
        seen: set[str] = set()
        while name in self.parents and name not in seen:
            seen.add(name)
            yield name
            name = self.parents[name]

    def below(self, name: str) -> set[str]:
        """The type, and those that derive from it."""
        children: dict[str, list[str]] = {}
        for each, parent in self.parents.items():
            children.setdefault(parent, []).append(each)
        found, left = {name}, [name]
        while left:
            new = [each for each in children.get(left.pop(), ()) if each not in found]
            found.update(new)
            left += new
        return found

    def features(self, name: str) -> set[str]:
        return set().union(*(self.own[each] for each in self.line(name)))


@dataclass
class _Element:
    kind: str
    attributes: dict[str, str]
    place: int  # in the bytes

    def number(self, name: str) -> int:
        value = self.attributes.get(name, "")
        if not _is_number(value):
            raise _BadRequestError(f"xmi: {name} of a {self.kind} is {value!r}; need a number")
        return int(value)


class _Cas:
    """A document as XMI; what is added to it changes no other byte."""

    def __init__(self, text: Any) -> None:
        self.elements: list[_Element] = []
        self.prefixes: dict[str, str] = {}
        depth = 0
        parser = _parser("xmi")

        def start(name: str, attributes: dict[str, str]) -> None:
            nonlocal depth
            depth += 1
            if depth == 2:
                uri, _, local = name.rpartition(" ")
                package = uri.removeprefix("http:///").removesuffix(".ecore").replace("/", ".")
                plain = {key: value for key, value in attributes.items() if " " not in key}
                if _ID in attributes:
                    plain["id"] = attributes[_ID]
                place = parser.CurrentByteIndex
                self.elements.append(_Element(f"{package}.{local}", plain, place))

        def end(_: str) -> None:
            nonlocal depth
            depth -= 1

        def prefix(name: str | None, uri: str) -> None:
            if depth == 0 and name:
                self.prefixes.setdefault(uri, name)

        parser.StartElementHandler, parser.EndElementHandler = start, end
        parser.StartNamespaceDeclHandler = prefix
        self.data = _parse(parser, text, "xmi")
        sofas = {
            each.attributes.get("id"): each.attributes.get("sofaString")
            for each in self.elements
            if each.kind == "uima.cas.Sofa"
        }
        tokens = [each for each in self.elements if each.kind == _TOKEN]
        #: That of the tokens; units of UTF-16, as Java counts.
        self.sofa = tokens[0].attributes.get("sofa") if tokens else None
        self.text = (sofas.get(self.sofa) or "").encode("utf-16-le")
        views = [
            each
            for each in self.elements
            if each.kind == "uima.cas.View" and each.attributes.get("sofa") == self.sofa
        ]
        if tokens and len(views) != 1:
            raise _BadRequestError(f"xmi: {len(views)} views of the text with the tokens; need one")
        self.view = views[0] if views else None
        members = self.view.attributes.get("members", "").split() if self.view else []
        self.members = dict.fromkeys(members)

    def all(self, kinds: Collection[str]) -> list[_Element]:
        """Annotations of these types that are in the index of the view, in order."""
        found = [
            each
            for each in self.elements
            if each.kind in kinds and each.attributes.get("id") in self.members
        ]
        return sorted(found, key=lambda each: (each.number("begin"), each.number("end")))

    def check_covered(self, tokens: list[_Element]) -> None:
        """Raise where the words would be much longer than the text."""
        ends = [min(each.number("end"), len(self.text) // 2) for each in tokens]
        spans = zip(tokens, ends, strict=True)
        covered = sum(max(0, end - each.number("begin")) for each, end in spans)
        if covered > _MOST_COVERED * (len(self.text) // 2):
            raise _BadRequestError(
                f"xmi: tokens have {covered} characters, and the text {len(self.text) // 2}; need "
                f"at most {_MOST_COVERED} times as many"
            )

    def covered(self, element: _Element) -> str:
        part = self.text[2 * element.number("begin") : 2 * element.number("end")]
        return part.decode("utf-16-le", "replace")

    def with_annotations(
        self, kind: str, annotations: list[dict[str, str]], without: set[str]
    ) -> str:
        """The document with annotations of one type, and others taken out of the index."""
        if self.view is None or not self.members:
            return self.data.decode()
        package, _, local = kind.rpartition(".")
        uri = f"http:///{package.replace('.', '/')}.ecore"
        name, declared = f"{self.prefixes.get(uri, 'added')}:{local}", ""
        if uri not in self.prefixes:
            declared = f" xmlns:added={quoteattr(uri)}"
        ids = [each.attributes.get("id", "") for each in self.elements]
        first = 1 + max((int(each) for each in ids if _is_number(each)), default=0)
        lines = []
        for i, attributes in enumerate(annotations, first):
            said = "".join(f" {key}={_quoted(value)}" for key, value in attributes.items())
            lines.append(f'<{name}{declared} xmi:id="{i}" sofa={quoteattr(str(self.sofa))}{said}/>')
        added = map(str, range(first, first + len(annotations)))
        members = [*(each for each in self.members if each not in without), *added]
        place = self.view.place
        begin, end = self._members_place()
        parts = [self.data[:place], "".join(lines).encode(), self.data[place:begin]]
        parts += [quoteattr(" ".join(members)).encode(), self.data[end:]]
        return b"".join(parts).decode()

    def _members_place(self) -> tuple[int, int]:
        """Where the members of the view stand in the bytes, with their quotes."""
        assert self.view is not None
        name = re.compile(rb"<[^\s/>]+").match(self.data, self.view.place)
        found = name and _ATTRIBUTE.match(self.data, name.end())
        while found and found[1] != b"members":
            found = _ATTRIBUTE.match(self.data, found.end())
        assert found  # the parser has found it
        return found.span(2)


# ---- what is predicted ----------------------------------------------------------------------


@dataclass
class _Sentence:
    tokens: list[_Element]
    words: Words
    #: The heads that were decided, by word.
    heads: list[int | None]
    #: Two heads of one word, say.
    broken: bool = False

    @property
    def asked(self) -> tuple[Words, tuple[int | None, ...]]:
        """What an answer depends on."""
        return self.words, tuple(self.heads)


@dataclass
class _Recommender:
    parser: Parser
    root: RootRule = "single"
    temperature: Temperature = NONE
    max_words: int = 500
    known: _Kept = field(default_factory=lambda: _Kept())
    answers: _Kept = field(default_factory=lambda: _Kept())
    lock: threading.Lock = field(default_factory=threading.Lock)

    def predict(self, request: Any) -> str:
        """The document of a request with predictions."""
        metadata, document = _member(request, "metadata", dict), _member(request, "document", dict)
        layer, feature = _name(metadata, "layer"), _name(metadata, "feature")
        types = _Types(_member(request, "typeSystem", str))
        if layer not in types.parents:
            raise _BadRequestError(f"layer {layer} is not in the type system")
        missing = {"Governor", "Dependent", feature} - types.features(layer)
        if missing:
            said = ", ".join(sorted(missing))
            raise _BadRequestError(f"layer {layer} has no {said}; arcs need a layer of relations")
        cas = _Cas(_member(document, "xmi", str))
        arcs = cas.all(types.below(layer))
        old = {e.attributes["id"] for e in arcs if e.attributes.get(_PREDICTED) == "true"}
        sentences = _sentences(cas, [each for each in arcs if each.attributes["id"] not in old])
        open_ones = [each for each in sentences if None in each.heads and not each.broken]
        with self.lock:
            answers = self._answers([each.asked for each in open_ones])
        added = [
            attributes
            for each, answer in zip(open_ones, answers, strict=True)
            for attributes in _arcs(each, answer, feature)
        ]
        return cas.with_annotations(layer, added, old)

    def _answers(self, asked: list[Any]) -> list[Answer]:
        new = list(dict.fromkeys(each for each in asked if each not in self.answers))
        scores = self._scores(list(dict.fromkeys(words for words, _ in new)))
        for words, heads in new:
            answer = self._best(scores[words], heads)
            self.answers.keep((words, heads), answer, _bytes_of(words))
        found = [self.answers[each] for each in asked]
        self.answers.trim(asked, _KEPT_ANSWERS)
        return found

    def _scores(self, wanted: list[Words]) -> dict[Words, Scores]:
        new = [each for each in wanted if each not in self.known and len(each) <= self.max_words]
        for words, scores in zip(new, self.parser(new) if new else (), strict=True):
            self.known.keep(words, scores, _bytes_of(words, scores))
        found = {each: self.known.get(each) for each in wanted}
        self.known.trim(wanted, _KEPT)
        return found

    def _best(self, scores: Scores, heads: Sequence[int | None]) -> Answer:
        """The arcs of the best tree that are not decided; none where there is no such tree."""
        if scores is None:
            return []
        arcs, labels = scores
        try:
            found = kbest(
                ours(np.asarray(arcs)),
                1,
                root=self.root,
                labels=labels,
                constraints=Constraints.keep(heads),
                probabilities=self.temperature,
            )
        except ValueError:  # what is decided makes no tree
            return []
        if not len(found):
            return []
        sure, names = found.head_probabilities[0].tolist(), [None] * len(heads)
        if found.labels is not None and found.label_probabilities is not None:
            sure = (found.head_probabilities[0] * found.label_probabilities[0]).tolist()
            names = [found.label_names[label] for label in found.labels[0]]
        return [
            (i, head, names[i], sure[i])
            for i, head in enumerate(found.heads[0].tolist())
            if heads[i] is None
        ]


class _Kept(OrderedDict[Any, Any]):
    """What was used stays longest."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: dict[Any, int] = {}
        self.size = 0  # of all

    def keep(self, key: Any, value: Any, size: int) -> None:
        self[key], self.sizes[key] = value, size
        self.size += size

    def trim(self, used: list[Any], most: int) -> None:
        for each in used:
            if each in self:
                self.move_to_end(each)
        while len(self) > most or self.size > _KEPT_BYTES:
            self.size -= self.sizes.pop(self.popitem(last=False)[0])


def _bytes_of(words: Words, scores: Scores = None) -> int:
    """About, of a sentence with its answer or scores."""
    arrays: list[Any] = []
    if scores is not None:
        arcs, labels = scores
        arrays = [arcs, *([labels.scores, labels.ids] if labels is not None else [])]
    size = sum(int(getattr(each, "nbytes", 0)) for each in arrays)
    return size + 300 * (1 + len(words)) + 4 * sum(map(len, words))


def _arcs(sentence: _Sentence, answer: Answer, feature: str) -> Iterator[dict[str, str]]:
    """As attributes of annotations."""
    for word, head, label, sure in answer:
        token = sentence.tokens[word]
        # A word that hangs from the root is its own governor.
        governor = sentence.tokens[head - 1] if head else token
        attributes = {name: token.attributes[name] for name in ("begin", "end")}
        attributes["Governor"] = governor.attributes["id"]
        attributes["Dependent"] = token.attributes["id"]
        if label is not None or not head:
            attributes[feature] = label or "root"
        attributes[f"{feature}_score"] = f"{sure:.6f}"
        attributes[_PREDICTED] = "true"
        yield attributes


def _sentences(cas: _Cas, decided: list[_Element]) -> list[_Sentence]:
    """Sentences with their tokens, and the arcs between them."""
    spans = cas.all({_SENTENCE})
    begins = [each.number("begin") for each in spans]
    inside: list[list[_Element]] = [[] for _ in spans]
    tokens = cas.all({_TOKEN})
    cas.check_covered(tokens)
    for token in tokens:
        at = bisect_right(begins, token.number("begin")) - 1
        if at >= 0 and token.number("end") <= spans[at].number("end"):
            inside[at].append(token)
    found = [
        _Sentence(own, tuple(map(cas.covered, own)), [None] * len(own)) for own in inside if own
    ]
    places = {
        token.attributes["id"]: (sentence, word)
        for sentence in found
        for word, token in enumerate(sentence.tokens)
    }
    for arc in decided:
        if arc.attributes.get("flavor") == "enhanced":
            continue
        ends = [arc.attributes.get(name) for name in ("Governor", "Dependent")]
        if None in ends:
            continue  # not finished
        for end in ends:
            if end not in places:
                raise _BadRequestError(
                    f"xmi: an arc ends at {end}, which is no token of a sentence"
                )
        (one, head), (other, word) = (places[str(end)] for end in ends)
        own = 0 if ends[0] == ends[1] else head + 1
        if one is not other or other.heads[word] not in (None, own):
            other.broken = True
        else:
            other.heads[word] = own
    return found


def _member(value: Any, name: str, kind: type) -> Any:
    found = value.get(name) if isinstance(value, dict) else None
    if not isinstance(found, kind):
        raise _BadRequestError(f"the request has no {name}")
    return found


def _name(metadata: dict[str, Any], name: str) -> str:
    value: str = _member(metadata, name, str)
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.]*", value):
        raise _BadRequestError(f"{name} is {value!r}; need a name")
    return value


# ---- where scores come from -----------------------------------------------------------------


def _from_files(scores: str, text: str, labels: str | None) -> Parser:
    """Those of a score file, by the words of the sentences."""
    with np.load(scores, allow_pickle=False) as file:
        lengths, flat = file["lengths"].astype(np.int64), file["scores"]
    sizes = (lengths + 1) ** 2
    places = np.concatenate([[0], np.cumsum(sizes)])
    sentences = _words_of(text)
    if [len(each) for each in sentences] != lengths.tolist() or places[-1] != flat.size:
        raise ValueError(f"{text}: not the sentences of {scores}")
    per_arc: Any = None
    if labels is not None:
        with np.load(labels, allow_pickle=False) as file:
            names = [str(name) for name in file["names"]]
            per_arc = [
                file[name].reshape(flat.size, -1) if name in file else None for name in ("lp", "id")
            ]
    index = {words: i for i, words in reversed(list(enumerate(sentences)))}

    def scores_of(words: Words) -> Scores:
        if words not in index:
            return None
        at, nodes = slice(*places[index[words] : index[words] + 2]), len(words) + 1
        arcs = flat[at].reshape(nodes, nodes)
        if per_arc is None:
            return arcs, None
        own = [
            None if each is None else each[at].reshape(nodes, nodes, -1).astype(kind)
            for each, kind in zip(per_arc, (np.float32, np.int32), strict=True)
        ]
        return arcs, Labels(own[0], own[1], names)

    return lambda wanted: [scores_of(words) for words in wanted]


def _words_of(path: str) -> list[Words]:
    sentences: list[list[str]] = [[]]
    with open(path, encoding="utf-8") as file:
        for line in file:
            number, _, rest = line.rstrip("\n").partition("\t")
            if not line.strip():
                sentences.append([])
            elif number.isdigit():
                sentences[-1].append(rest.partition("\t")[0])
    return [tuple(words) for words in sentences if words]


def _from_stanza(language: str) -> Parser:
    import stanza

    from coppice.stanza import scores

    nlp = stanza.Pipeline(
        language,
        processors="tokenize,pos,lemma,depparse",
        tokenize_pretokenized=True,
        verbose=False,
    )
    return lambda wanted: [
        (each.arcs, Labels(each.labels, names=each.label_names))
        for each in scores(nlp, [list(words) for words in wanted])
    ]


def _from_function(name: str) -> Parser:
    module, _, function = name.partition(":")
    found: Parser = getattr(importlib.import_module(module), function or "scores")
    if not callable(found):
        raise ValueError(f"{name} is no function")
    return found


# ---- HTTP -----------------------------------------------------------------------------------


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    server_version = "coppice"
    timeout = 30  # seconds that a client may be silent
    # An answer goes out at once: else its second part waits 40 ms until the first is confirmed.
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        # What is not read is no request of its own.
        if {"content-length", "transfer-encoding"} & {each.lower() for each in self.headers}:
            self.close_connection = True
        if self.path == "/":
            self._answer(200, "coppice: an external recommender of INCEpTION\n")
        else:
            self._answer(404, f"{self.path}: POST /predict and POST /train are there\n")

    def do_POST(self) -> None:
        what = self.path.partition("?")[0].rstrip("/")
        body = self._body()
        if body is None:
            return
        if what == "/train":  # the parser is what it is
            self._answer(204, "")
        elif what == "/predict":
            self._answer(*self._predicted(body))
        else:
            self._answer(404, f"{what}: POST /predict and POST /train are there\n")

    def _predicted(self, body: bytes) -> tuple[int, str, str]:
        plain = "text/plain; charset=utf-8"
        try:
            request = json.loads(body)
        except (ValueError, RecursionError) as error:
            return 400, f"the request is no JSON that can be read: {error}\n", plain
        try:
            document = self.server.recommender.predict(request)
        except _BadRequestError as error:
            return 400, f"{error}\n", plain
        except Exception as error:
            self.log_error("%s", "".join(traceback.format_exception(error)))
            return 500, f"{type(error).__name__}; the server's log has more\n", plain
        return 200, json.dumps({"document": document}), "application/json"

    def _body(self) -> bytes | None:
        """What came, or None where that was refused."""
        said, most = self.headers.get_all("Content-Length") or [], self.server.max_bytes
        length = said[0] if len(said) == 1 and "Transfer-Encoding" not in self.headers else ""
        # A page in a browser may send a form anywhere, but no JSON.
        if self.headers.get_content_type() != "application/json":
            self._refuse(415, "need Content-Type: application/json\n")
        elif not _is_number(length):
            self._refuse(411, "need Content-Length\n")
        elif int(length) > most:
            self._refuse(413, f"{length} bytes; at most {most} are read (--max-bytes)\n")
        else:
            with suppress(OSError):  # nothing for too long
                body = self.rfile.read(int(length))
                if len(body) == int(length):
                    return body
            self.close_connection = True
        return None

    def _refuse(self, status: int, text: str) -> None:
        """An answer to what was not read; who is still sending should be able to read it."""
        self.close_connection = True
        self._answer(status, text)
        with suppress(OSError):
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(1)
            left = 1 << 20
            while left > 0 and (passed := len(self.rfile.read1(1 << 16))):
                left -= passed

    def _answer(self, status: int, text: str, kind: str = "text/plain; charset=utf-8") -> None:
        data = text.encode()
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)

    def log_request(self, *_: Any) -> None:
        """Requests that went well are not worth a line."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, place: tuple[str, int], recommender: _Recommender, max_bytes: int) -> None:
        self.recommender, self.max_bytes = recommender, max_bytes
        super().__init__(place, _Handler)


def _server(arguments: Sequence[str] | None = None) -> _Server:
    """What the command line asks for, ready to serve."""
    assert __doc__ is not None
    said = argparse.ArgumentParser(
        "python -m coppice.recommender", description=__doc__.split("\n")[0]
    )
    said.add_argument("scores", nargs="?", help="score file (.npz); with --text")
    said.add_argument("--text", help="words of its sentences (CoNLL-U)")
    said.add_argument("--labels", help="label scores (.npz)")
    said.add_argument("--stanza", metavar="LANG", help="the parser of a stanza pipeline")
    said.add_argument(
        "--function",
        metavar="MODULE:NAME",
        help="a function: of a list of sentences, tuples of words, it gives for each None, or arc "
        "scores [head, dependent] and coppice.Labels or None",
    )
    said.add_argument("--root", choices=["single", "any"], default="single")
    said.add_argument("--temperature", help="divide scores by this number, or as a file says")
    said.add_argument("--host", default="127.0.0.1", help="[this machine alone: 127.0.0.1]")
    said.add_argument("--port", type=int, default=5000, help="0: any that is free [5000]")
    said.add_argument("--max-bytes", type=int, default=64 << 20, help="largest request [64 MiB]")
    said.add_argument("--max-words", type=int, default=500, help="longest sentence [500]")
    given = said.parse_args(arguments)
    if [given.scores, given.stanza, given.function].count(None) != 2:
        said.error("give one of: a score file, --stanza, --function")
    if (given.scores is None) != (given.text is None):
        said.error("a score file needs --text, and --text a score file")
    try:
        return _made(given)
    except (OSError, ImportError, AttributeError, LookupError, ValueError, OverflowError) as error:
        said.exit(2, f"{said.prog}: {type(error).__name__}: {error}\n")


def _made(given: argparse.Namespace) -> _Server:
    if given.scores:
        parser = _from_files(given.scores, given.text, given.labels)
    else:
        parser = _from_stanza(given.stanza) if given.stanza else _from_function(given.function)
    degrees = given.temperature
    if degrees is not None:
        with suppress(ValueError):
            degrees = float(degrees)
    recommender = _Recommender(parser, given.root, as_temperature(degrees), given.max_words)
    return _Server((given.host, given.port), recommender, given.max_bytes)


def _main() -> None:
    with _server() as server:
        host, port = server.server_address[:2]
        print(f"coppice.recommender: http://{host!s}:{port}/", file=sys.stderr, flush=True)
        with suppress(KeyboardInterrupt):
            server.serve_forever()


if __name__ == "__main__":
    _main()
