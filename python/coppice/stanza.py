"""K best parses, how sure they are, and legal trees from a stanza pipeline.

>>> import stanza, coppice.stanza  # doctest: +SKIP
>>> nlp = stanza.Pipeline("en", processors="tokenize,pos,lemma,depparse")  # doctest: +SKIP
>>> for sentence in coppice.stanza.kbest(nlp, "She saw ducks.", 10):  # doctest: +SKIP
...     print(sentence.best, sentence.probabilities)

Scores are taken where the pipeline decodes (stanza 1.15, ``GraphParser.forward`` in
``stanza/models/depparse/model.py``): log-probabilities of heads and of labels, added. The pipeline
finds the heads first, then labels, then repairs what is illegal (``head_constraints.py``); here
heads and labels are found together, and only among legal trees. docs/parsers.md has more.

Once this module is imported, stanza knows a variant of its parser that does what `install` does:

>>> nlp = stanza.Pipeline("en", depparse_with_coppice=True)  # doctest: +SKIP

Options of `install` are those of the pipeline, such as ``depparse_coppice_probabilities=True``.
"""

from __future__ import annotations

import copy
import dataclasses
import warnings
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

try:
    import torch
    from stanza.models.common.foundation_cache import FoundationCache
    from stanza.models.common.utils import default_device, unsort
    from stanza.models.common.vocab import VOCAB_PREFIX_SIZE
    from stanza.models.depparse.data import DataLoader
    from stanza.models.depparse.head_constraints import SINGLETON_DEPREL_GROUPS
    from stanza.models.depparse.model import EnsembleGraphParser, GraphParser
    from stanza.models.depparse.trainer import unpack_batch
    from stanza.pipeline.depparse_processor import DEFAULT_SEPARATE_BATCH, DepparseProcessor
    from stanza.pipeline.processor import ProcessorVariant, register_processor_variant
except ImportError as error:
    if error.name in {"stanza", "torch"}:
        raise
    raise ImportError(f"coppice.stanza needs stanza 1.15 or newer: {error}") from error

from coppice import _parses
from coppice._parses import ManyHeads, Parses, Scored
from coppice._problem import Constraints, ManyConstraints, RootRule
from coppice._results import KBestResult
from coppice._temperature import AnyTemperature
from coppice.rules import AnyRule, Facts, at_most

__all__ = ["head_constraints", "install", "kbest", "scores", "uninstall"]

_BUDGET = 10_000
_OWN_KEYS = ("HeadProbability=", "LabelProbability=", "OtherHead=")


class DocumentParses(Parses):
    """The K best parses of a document; `document` is what was parsed, without any tree of ours."""

    def __init__(self, sentences: Sequence[KBestResult], document: Any) -> None:
        super().__init__(sentences)
        self.document = document

    def documents(self) -> list[Any]:
        """A ``stanza.Document`` for each rank: copies of the document with the trees of that rank.

        How sure every arc is, is in ``word.misc``. A sentence that has fewer trees than others
        keeps its last one; one that has none keeps the head and the relation it came with.
        """
        ranks = max((len(sentence) for sentence in self), default=0)
        documents = []
        for rank in range(ranks):
            document = copy.deepcopy(self.document)
            for sentence, result in zip(document.sentences, self, strict=True):
                _set_tree(sentence, result, min(rank, len(result) - 1), with_probabilities=True)
            documents.append(document)
        return documents


def kbest(
    nlp: Any,
    text: Any,
    k: int,
    *,
    root: RootRule = "single",
    constraints: ManyConstraints | None = None,
    labelled: bool = True,
    temperature: AnyTemperature | None = None,
    max_gap: float | None = None,
    threads: int = 1,
    keep: ManyHeads | bool | None = None,
) -> DocumentParses:
    """The `k` best parses of every sentence of a text, through the processors of a pipeline.

    Parameters
    ----------
    nlp
        A ``stanza.Pipeline`` with a graph-based ``depparse`` processor.
    text
        What the pipeline takes: a text, or a ``Document`` (which is not changed). Processors other
        than ``depparse`` run first, unless it is a Document that has tags already.
    k, root, max_gap, threads
        As for `coppice.kbest_batch`.
    constraints
        As for `coppice.kbest_batch`; rules are told labels and tags. Without it what the pipeline
        itself asks for: the rules `head_constraints`, unless it was made with
        ``depparse_resolve_head_constraints=False``. ``Constraints()`` is none.
    temperature
        Scores are divided by it: a number, or what `coppice.Temperature.calibrate` found.
    labelled
        The K best labelled parses, heads and labels chosen together. False: the K best trees of
        heads, all different, and of each arc the likeliest label; rules on labels do not apply.

    keep
        Heads that stay, of each sentence a list as `coppice.Constraints.keep` takes it, or None;
        True: those that the words of the document have. The others are chosen to go with them.

    Every sentence is a `coppice.KBestResult` with words, tags, names of labels and how sure all of
    it is; all of them together give CoNLL-U, a page, a data frame and stanza Documents.
    """
    processor = _depparse(nlp)
    document = _tagged(nlp, text)
    scored = _scores(processor, document)
    asked = _constraints(processor, constraints, labelled)
    if isinstance(keep, bool):
        keep = _heads(document) if keep else None
    found = _parses.parse(
        scored,
        k,
        root=root,
        constraints=_parses.keep(keep, asked, scored),
        labelled=labelled,
        temperature=temperature,
        max_gap=max_gap,
        threads=threads,
    )
    return DocumentParses(found, document)


def scores(nlp: Any, text: Any) -> list[Scored]:
    """The scores of every sentence, normalised: for `Temperature.calibrate`, or to be kept."""
    return _scores(_depparse(nlp), _tagged(nlp, text))


def install(
    nlp: Any,
    *,
    root: RootRule = "single",
    constraints: Constraints | None = None,
    labelled: bool = True,
    temperature: AnyTemperature | None = None,
    probabilities: bool = False,
) -> Any:
    """Make the pipeline decode with coppice: the best legal tree, exactly. Returns the pipeline.

    Arguments as for `kbest`. With `probabilities` those of every arc are in ``word.misc``. Where no
    tree obeys the rules, or none is found within their budget (10,000 solves a sentence, unless
    `constraints` says otherwise), the best of all is taken, with one warning a document.
    `uninstall` undoes it.
    """
    processor = _depparse(nlp, variant=False)
    processor.process = _decoder(
        processor,
        root=root,
        constraints=constraints,
        labelled=labelled,
        temperature=temperature,
        probabilities=probabilities,
    )
    return nlp


def _decoder(
    processor: Any,
    *,
    root: RootRule = "single",
    constraints: Constraints | None = None,
    labelled: bool = True,
    temperature: AnyTemperature | None = None,
    probabilities: bool = False,
) -> Callable[[Any], Any]:
    """What a pipeline calls with a document."""
    own = _constraints(processor, constraints, labelled)
    if own.rules and own.budget is None and own.time_limit is None:
        own = dataclasses.replace(own, budget=_BUDGET)

    def decode(scored: list[Scored], wanted: Constraints) -> list[KBestResult]:
        return _parses.parse(
            scored,
            1,
            root=root,
            constraints=wanted,
            labelled=labelled,
            temperature=temperature,
            max_gap=None,
            threads=1,
        )

    def process(document: Any) -> Any:
        scored = _scores(processor, document)
        found = decode(scored, own)
        empty = [i for i, result in enumerate(found) if not len(result)]
        if empty:
            which = f"sentence {empty[0]}" + (f" and {len(empty) - 1} more" if empty[1:] else "")
            warnings.warn(f"{which}: no tree obeys the rules within the budget", stacklevel=2)
        for i in empty:
            found[i] = decode([scored[i]], Constraints())[0]
        for sentence, result in zip(document.sentences, found, strict=True):
            _set_tree(sentence, result, 0, with_probabilities=probabilities)
        return document

    return process


@register_processor_variant("depparse", "coppice")
class _Variant(ProcessorVariant):
    """Stanza's parser, decoded with coppice.

    It loads the parser of the pipeline by itself, on the device `depparse_device`: stanza tells a
    variant its options and nothing else.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        if "model_path" not in config:
            raise ValueError(
                "depparse has no model; leave its package and pass depparse_with_coppice=True"
            )
        first = "coppice_"
        options = {name[len(first) :]: config[name] for name in config if name.startswith(first)}
        plain = {name: config[name] for name in config if name != "with_coppice"}
        self.processor = DepparseProcessor(
            {**plain, "check_requirements": False},
            SimpleNamespace(foundation_cache=FoundationCache()),
            config.get("device") or default_device(),
        )
        _check_model(self.processor)
        try:
            self._process = _decoder(self.processor, **options)
        except TypeError as error:
            raise TypeError(f"options depparse_coppice_…: {error}") from None

    def process(self, doc: Any) -> Any:
        return self._process(doc)


def uninstall(nlp: Any) -> Any:
    """Give the pipeline its own decoding back."""
    vars(_depparse(nlp, variant=False)).pop("process", None)
    return nlp


def head_constraints(label_names: Sequence[str]) -> list[AnyRule]:
    """What stanza's repair is after, as rules: at most one subject, outer subject, object a head.

    For those of these labels that a parser has.
    """
    groups = [sorted(group & set(label_names)) for group in SINGLETON_DEPREL_GROUPS.values()]
    return [at_most(1, group, exact=True) for group in groups if group]


def _depparse(nlp: Any, *, variant: bool = True) -> Any:
    if not hasattr(nlp, "processors"):
        raise TypeError(f"nlp is {nlp!r}; need a stanza.Pipeline")
    processor = nlp.processors.get("depparse")
    if processor is None:
        raise ValueError("the pipeline has no processor depparse")
    own = getattr(processor, "_variant", None)
    if isinstance(own, _Variant):
        if variant:
            return own.processor
        raise ValueError("depparse is the variant coppice; its options are depparse_coppice_…")
    if own is not None:
        raise ValueError(f"depparse is {type(own).__name__}, which has no scores")
    _check_model(processor)
    return processor


def _check_model(processor: Any) -> None:
    model = processor.trainer.model
    if not isinstance(model, (GraphParser, EnsembleGraphParser)):
        raise ValueError(f"depparse has a {type(model).__name__}; need one that scores all arcs")


def _label_names(processor: Any) -> tuple[str, ...]:
    return tuple(processor.vocab["deprel"]._id2unit[VOCAB_PREFIX_SIZE:])


def _constraints(processor: Any, given: Any, labelled: bool) -> Any:
    """What the caller says, or else what the pipeline asks for."""
    if given is not None:
        return given
    if not labelled or not processor.config.get("resolve_head_constraints", True):
        return Constraints()
    return Constraints(rules=head_constraints(_label_names(processor)))


def _tagged(nlp: Any, text: Any) -> Any:
    """The document with all that depparse needs; that of the caller is not changed."""
    if isinstance(text, (list, tuple)) and any(hasattr(one, "sentences") for one in text):
        raise TypeError("text is a list of Documents; give one at a time")
    if hasattr(text, "sentences"):
        words = [word for sentence in text.sentences for word in sentence.words]
        if words and all(word.upos is not None or word.xpos is not None for word in words):
            return text
        text = copy.deepcopy(text)
    others = [name for name in nlp.processors if name != "depparse"]
    document = nlp.process(text, processors=others)
    if not hasattr(document, "sentences"):
        raise ValueError("the pipeline has no processors that make sentences with tags of a text")
    return document


def _scores(processor: Any, document: Any) -> list[Scored]:
    """As ``DepparseProcessor.process`` goes through a document, and in its order."""
    words = [word for sentence in document.sentences for word in sentence.words]
    if any(word.upos is None and word.xpos is None for word in words):
        raise ValueError("POS not run before depparse!")
    if not words:
        return []
    config, trainer = processor.config, processor.trainer
    loader = DataLoader(
        document,
        config["batch_size"],
        config,
        processor.pretrain,
        vocab=processor.vocab,
        evaluation=True,
        sort_during_eval=config.get("sort_during_eval", True),
        min_length_to_batch_separately=config.get(
            "min_length_to_batch_separately", DEFAULT_SEPARATE_BATCH
        ),
    )
    matrices: list[tuple[Any, Any]] = []
    with torch.no_grad():
        for batch in loader:
            matrices += _batch_scores(trainer, batch)
    if loader.data_orig_idx is not None:
        matrices = unsort(matrices, loader.data_orig_idx)
    names = _label_names(processor)
    return [
        Scored(arcs, labels, names, _conllu(sentence), _facts(sentence, names))
        for (arcs, labels), sentence in zip(matrices, document.sentences, strict=True)
    ]


def _batch_scores(trainer: Any, batch: Any) -> list[tuple[Any, Any]]:
    """Of every sentence of a batch, in the order in which they were given: [head, dependent]."""
    model = trainer.model
    inputs, order, word_order, lengths, word_lengths, text = unpack_batch(batch, model.get_device())
    model.eval()
    _, predictions = model(*inputs, word_order, lengths, word_lengths, text)
    found = []
    for i, nodes in enumerate(lengths):
        arcs, labels = (predictions[which][i][:nodes, :nodes] for which in (0, 2))
        if trainer.args.get("reversed", False):
            turned = np.r_[0, nodes - 1 : 0 : -1]  # the words, not the root
            arcs, labels = arcs[np.ix_(turned, turned)], labels[np.ix_(turned, turned)]
        # In a batch stanza's softmax runs over the padding of shorter sentences, too.
        arcs = _parses.log_softmax(arcs, 1)
        found.append((arcs.T, labels.swapaxes(0, 1)))
    return list(unsort(found, order))


def _heads(document: Any) -> list[list[int | None]]:
    """Of every sentence the heads that its words have."""
    return [[word.head for word in sentence.words] for sentence in document.sentences]


def _conllu(sentence: Any) -> str:
    """What stays the same whatever the tree is."""
    return f"{sentence:C}\n\n"


def _facts(sentence: Any, names: Sequence[str]) -> Facts:
    words = sentence.words
    return Facts(
        names,
        [word.upos or "" for word in words],
        [word.feats or "_" for word in words],
        [word.misc or "_" for word in words],
    )


def _set_tree(sentence: Any, result: KBestResult, rank: int, *, with_probabilities: bool) -> None:
    """Heads, relations and perhaps how sure they are, into the words of a sentence."""
    if rank < 0:
        return
    assert result.labels is not None
    names = result._notes.label_names
    sure = _probability_items(result, rank) if with_probabilities else []
    for i, word in enumerate(sentence.words):
        word.head = int(result.heads[rank, i])
        word.deprel = names[result.labels[rank, i]]
        word.deps = None  # those of another tree
        if with_probabilities:
            items = (word.misc or "").split("|")
            kept = [item for item in items if item and not item.startswith(_OWN_KEYS)]
            word.misc = "|".join(kept + sure[i])
    sentence.build_dependencies()


def _probability_items(result: KBestResult, rank: int) -> list[list[str]]:
    """Of every word what `KBestResult.to_conllu` says in MISC."""
    lines = result[rank : rank + 1].to_conllu().splitlines()
    columns = [line.split("\t") for line in lines if not line.startswith("#")]
    words = [each[9].split("|") for each in columns if each[0].isdigit()]
    return [[item for item in items if item.startswith(_OWN_KEYS)] for items in words]
