"""Can probabilities be believed? Calibration, finding errors, keeping the surest; minimum risk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

import coppice
from coppice import rules
from experiments import common
from experiments.common import Place, Settings, Treebank
from tools import tables
from tools.tables import Row

K, BEAM = 50, 16
BINS = 10
COVERAGES = (100, 95, 90, 85, 80, 70, 60, 50)
SHOWN = ("English", "Uyghur")
#: Name in the CSVs, in tables and figures, colour, line.
METHODS = {
    "softmax": ("softmax", common.ORANGE, "-"),
    "marginals": ("marginals", common.BLUE, "-"),
    "share": (f"share of {K} best", common.GREEN, "-"),
    "beam": (f"count of {BEAM} best", common.PURPLE, "-"),
    "softmax_tempered": ("softmax, tempered", common.ORANGE, "--"),
    "marginals_tempered": ("marginals, tempered", common.BLUE, "--"),
}
#: Score file and text of those that have label scores.
LABELLED = {
    "English": ("English-EWT", "en_ewt-ud-test.conllu"),
    "Uyghur": ("Uyghur-UDT", "ug_udt-ud-test.conllu"),
}


def measure(settings: Settings, place: Place) -> None:
    """For every treebank that is found."""
    quality: list[Row] = []
    reliability: list[Row] = []
    risk: list[Row] = []
    for treebank in common.treebanks(settings):
        trees = coppice.kbest_batch(
            treebank.scores, K, lengths=treebank.lengths, root="single", threads=2
        )
        right = [
            result.heads[0] == gold for result, gold in zip(trees, treebank.heads, strict=True)
        ]
        for name, (arcs, of_trees) in confidences(treebank, trees).items():
            quality.append(judge(treebank, name, arcs, of_trees, right))
            reliability += bins(treebank, name, np.concatenate(arcs), np.concatenate(right))
        risk += minimum_risk(treebank)
        risk += labelled_risk(treebank, settings, place)
    common.update_csv(place.results("confidence"), quality)
    common.update_csv(place.results("reliability"), reliability)
    common.update_csv(place.results("minimum_risk"), risk)


def matrices(treebank: Treebank) -> list[np.ndarray]:
    """[head, dependent], no word its own head, columns that add up to 1."""
    nodes = treebank.lengths.astype(np.int64) + 1
    found = []
    for end, n in zip(np.cumsum(nodes * nodes).tolist(), nodes.tolist(), strict=True):
        matrix = treebank.scores[end - n * n : end].reshape(n, n).astype(np.float64)
        np.fill_diagonal(matrix, -np.inf)
        matrix[:, 0] = -np.inf
        found.append(log_softmax(matrix))
    return found


def log_softmax(matrix: np.ndarray) -> np.ndarray:
    """Of every column but the root's."""
    found = matrix.copy()
    found[:, 1:] -= np.logaddexp.reduce(found[:, 1:], axis=0)
    return found


def confidences(
    treebank: Treebank, trees: coppice.BatchResult
) -> dict[str, tuple[list[np.ndarray], list[float]]]:
    """By each method how sure the arcs of the best trees are, and the trees."""
    scores = matrices(treebank)
    best = [result.heads[0] for result in trees]
    found: dict[str, tuple[list[np.ndarray], list[float]]] = {
        "softmax": local(scores, best),
        "marginals": exact(scores, best),
        "share": ([], []),
        "beam": ([], []),
    }
    for result in trees:
        weights = result.list_probabilities()
        same = result.heads == result.heads[0]
        found["share"][0].append(weights @ same)
        found["share"][1].append(float(weights[0]))
        counted = same[:BEAM].mean(axis=0)
        found["beam"][0].append(counted)
        found["beam"][1].append(float(counted.mean()))
    for name, by, fit in (
        ("softmax_tempered", local, local_temperature),
        ("marginals_tempered", exact, global_temperature),
    ):
        found[name] = crossed(scores, treebank.heads, best, by, fit)
    return found


def local(scores, best):
    """The softmax of every word's column."""
    arcs = [np.exp(m[h, np.arange(1, len(m))]) for m, h in zip(scores, best, strict=True)]
    return arcs, [float(np.log(each).sum()) for each in arcs]


def exact(scores, best):
    """The sum over all trees."""
    solved = coppice.distribution_batch(scores, root="single", threads=2)
    arcs, of_trees = [], []
    for i, (matrix, heads) in enumerate(zip(scores, best, strict=True)):
        at = heads, np.arange(1, len(matrix))
        arcs.append(solved.marginals[i][at])
        of_trees.append(float(matrix[at].sum() - solved.log_partition[i]))
    return arcs, of_trees


def local_temperature(scores, gold):
    """At which the gold heads are likeliest, word by word."""

    def loss(log_temperature):
        temperature = np.exp(log_temperature)
        return -sum(
            log_softmax(m / temperature)[h, np.arange(1, len(m))].sum()
            for m, h in zip(scores, gold, strict=True)
        )

    tried = np.linspace(-1, 2.5, 29)
    return float(np.exp(tried[np.argmin([loss(each) for each in tried])]))


def global_temperature(scores, gold):
    """At which the gold trees are likeliest."""
    return coppice.Temperature.calibrate(scores, gold, root="single", threads=2).arcs


def crossed(scores, gold, best, by, fit):
    """Each half of the sentences tempered by the temperature of the other."""
    arcs: list = [None] * len(scores)
    of_trees = [0.0] * len(scores)
    for half in (0, 1):
        there = [i for i in range(len(scores)) if i % 2 != half]
        here = [i for i in range(len(scores)) if i % 2 == half]
        temperature = fit([scores[i] for i in there], [gold[i] for i in there])
        tempered = [log_softmax(scores[i] / temperature) for i in here]
        for i, own, tree in zip(here, *by(tempered, [best[i] for i in here]), strict=True):
            arcs[i], of_trees[i] = own, tree
    return arcs, of_trees


def area(sure: np.ndarray, right: np.ndarray) -> float:
    """How often what is right is surer than what is wrong; ties count half."""
    if right.all() or not right.any():
        return float("nan")
    _, places, counts = np.unique(sure, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    positive = int(right.sum())
    negative = len(right) - positive
    return float((ranks[right].sum() - positive * (positive + 1) / 2) / (positive * negative))


def judge(treebank, name, arcs, of_trees, right) -> Row:
    """One row: calibration error, both areas, attachment among the surest."""
    sure, good = np.concatenate(arcs), np.concatenate(right)
    place = np.minimum((sure * BINS).astype(int), BINS - 1)
    error = sum(abs(sure[place == b].sum() - good[place == b].sum()) for b in range(BINS)) / len(
        sure
    )
    order = np.argsort(-sure, kind="stable")
    kept = {
        f"uas_{share}": f"{100 * good[order[: max(1, len(order) * share // 100)]].mean():.2f}"
        for share in COVERAGES
    }
    whole = np.array([each.all() for each in right])
    return {
        "language": treebank.language,
        "method": name,
        "sentences": len(right),
        "words": len(sure),
        "calibration_error": f"{100 * error:.2f}",
        "wrong_arcs": f"{100 * area(sure, good):.2f}",
        "wrong_trees": f"{100 * area(np.array(of_trees), whole):.2f}",
        **kept,
    }


def bins(treebank, name, sure, good) -> list[Row]:
    """The reliability diagram."""
    place = np.minimum((sure * BINS).astype(int), BINS - 1)
    return [
        {
            "language": treebank.language,
            "method": name,
            "bin": b,
            "arcs": int((place == b).sum()),
            "sure": f"{sure[place == b].mean():.4f}",
            "right": f"{good[place == b].mean():.4f}",
        }
        for b in range(BINS)
        if (place == b).any()
    ]


def minimum_risk(treebank: Treebank) -> list[Row]:
    """Best trees and those of least risk, all of them and projective ones."""
    scores = matrices(treebank)
    solved = coppice.distribution_batch(scores, root="single", threads=2)
    marginals = [solved.marginals[i, : len(m), : len(m)] for i, m in enumerate(scores)]
    words = int(treebank.lengths.sum())
    found = []
    for name, legal in (("none", []), ("projective", [rules.projective()])):
        right = {}
        for what, values in (("best", scores), ("risk", marginals)):
            trees = coppice.kbest_batch(
                values, 1, root="single", constraints=coppice.Constraints(rules=legal), threads=2
            )
            right[what] = sum(
                int((each.heads[0] == gold).sum())
                for each, gold in zip(trees, treebank.heads, strict=True)
            )
        found.append(risk_row(treebank.language, name, words, right))
    return found


def risk_row(language: str, name: str, words: int, right: dict[str, int]) -> Row:
    """One row: shares of words with the right head, and with the right label too."""
    shares = {key: f"{100 * count / words:.2f}" for key, count in right.items()}
    return {
        "language": language,
        "rules": name,
        "uas_best": shares["best"],
        "uas_risk": shares["risk"],
        "las_best": shares.get("las_best", ""),
        "las_risk": shares.get("las_risk", ""),
    }


def labelled_risk(treebank: Treebank, settings: Settings, place: Place) -> list[Row]:
    """The same for labelled trees, where there are label scores; else what is recorded."""
    if treebank.language not in LABELLED:
        return []
    name, text = LABELLED[treebank.language]
    scores = first_file(settings.folders, f"{name}.labels.npz")
    words = first_file([folder.parent for folder in settings.folders], text)
    if scores is None or words is None:
        recorded = tables.read_csv(place.results("minimum_risk"))
        return [
            row
            for row in recorded
            if row["language"] == treebank.language and row["rules"].startswith("labels")
        ]
    with np.load(scores) as arrays:
        names = [str(each) for each in arrays["names"]]
        flat, ids = arrays["lp"], arrays["id"]
    gold = gold_labels(words)
    facts = rules.Facts(names)
    one_each = [rules.at_most(1, ["nsubj", "csubj"]), rules.at_most(1, ["obj"])]
    found = []
    for title, legal in (("labels", []), ("labels, one subject and object", one_each)):
        right = dict.fromkeys(("best", "risk", "las_best", "las_risk"), 0)
        at = 0
        for i, matrix in enumerate(matrices(treebank)):
            n = len(matrix)
            own = flat[at : at + n * n * 3].reshape(n, n, 3).astype(np.float32)
            own_ids = ids[at : at + n * n * 3].reshape(n, n, 3).astype(np.int32)
            at += n * n * 3
            meant = coppice.Constraints(rules=legal, facts=facts if legal else None)
            options = {"root": "single", "constraints": meant}
            best = coppice.best(matrix, labels=coppice.Labels(own, own_ids), **options)
            sums = np.exp(own.astype(np.float64))
            solved = coppice.TreeDistribution(
                matrix + np.log(sums.sum(axis=-1)), root="single"
            ).marginals()
            both = (solved[..., None] * sums / sums.sum(axis=-1, keepdims=True)).astype(np.float32)
            least = coppice.best(np.zeros((n, n)), labels=coppice.Labels(both, own_ids), **options)
            for what, tree in (("best", best), ("risk", least)):
                same = tree.heads == treebank.heads[i]
                labels = np.array([names[label].split(":")[0] for label in tree.labels])
                right[what] += int(same.sum())
                right[f"las_{what}"] += int((same & (labels == gold[i])).sum())
        found.append(risk_row(treebank.language, title, int(treebank.lengths.sum()), right))
    return found


def first_file(folders: Sequence[Path], name: str) -> Path | None:
    """The first folder that has it."""
    return next((folder / name for folder in folders if (folder / name).exists()), None)


def gold_labels(path: Path) -> list[np.ndarray]:
    """From the CoNLL-U file of the test set, without subtypes."""
    labels: list[list[str]] = [[]]
    for line in path.read_text(encoding="utf-8").splitlines():
        columns = line.split("\t")
        if not line and labels[-1]:
            labels.append([])
        elif columns[0].isdigit():
            labels[-1].append(columns[7].split(":")[0])
    return [np.array(each) for each in labels if each]


def report(place: Place) -> None:
    """Three tables and the figure."""
    rows = tables.read_csv(place.results("confidence"))
    found = {(row["language"], row["method"]): row for row in rows}
    languages = list(dict.fromkeys(row["language"] for row in rows))
    header = ["treebank", *(title for title, _, _ in METHODS.values())]
    for column, name in (
        ("calibration_error", "calibration"),
        ("wrong_arcs", "wrong-arcs"),
        ("wrong_trees", "wrong-trees"),
        ("uas_90", "surest"),
    ):
        cells = [
            [language, *(f"{found[language, method][column]:.1f}" for method in METHODS)]
            for language in languages
        ]
        place.put_table(name, tables.table(header, cells))
    risk = [
        [
            row["language"],
            row["rules"],
            *(f"{row[key]:.2f}" if row[key] != "" else "" for key in ("uas_best", "uas_risk")),
            *(f"{row[key]:.2f}" if row[key] != "" else "" for key in ("las_best", "las_risk")),
        ]
        for row in tables.read_csv(place.results("minimum_risk"))
    ]
    header = ["treebank", "rules", "UAS best", "UAS least risk", "LAS best", "LAS least risk"]
    place.put_table("minimum-risk", tables.table(header, risk))
    draw(found, tables.read_csv(place.results("reliability")), place)


def draw(found: dict[tuple[str, str], Row], reliability: list[Row], place: Place) -> None:
    """Reliability, and attachment among the surest arcs."""
    drawn, axes = common.figure(4, width=15, height=4.0)
    for panel, language in enumerate(SHOWN):
        axis = axes[panel]
        axis.plot([0, 1], [0, 1], color=common.GREY, linewidth=1)
        for method, (title, colour, line) in METHODS.items():
            points = [
                row
                for row in reliability
                if (row["language"], row["method"]) == (language, method) and row["arcs"] >= 20
            ]
            axis.plot(
                [row["sure"] for row in points],
                [row["right"] for row in points],
                line,
                marker="o",
                markersize=3,
                color=colour,
                label=title,
            )
        axis.set(title=f"{language}: sure, and right", xlabel="confidence", ylabel="right")
        axis = axes[2 + panel]
        for method, (_, colour, line) in METHODS.items():
            row = found[language, method]
            axis.plot(COVERAGES, [row[f"uas_{c}"] for c in COVERAGES], line, color=colour)
        axis.set(
            title=f"{language}: the surest", xlabel="arcs kept, %", ylabel="right among them, %"
        )
        axis.invert_xaxis()
    axes[0].legend(fontsize=8)
    common.save(drawn, place.figure("confidence"))
