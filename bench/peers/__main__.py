"""Other programs for the same trees: are they right, and how long do they take?

    python -m bench.peers [--python NAME=INTERPRETER]... [--program NAME=COMMAND]... [--only NAME]...

Run from the top of the repository. Python libraries are tried in this Python, or in the one that
``--python`` names for them; programs (C++, Java) are those that follow bench/peers/driver.hpp and that
``--program`` points at; what is not there is said and left out. Every peer answers first, and its
answers are compared with ours; then it and our C++ program take turns on the same matrices, and
medians of processor times are compared.
"""

from __future__ import annotations

import argparse
import datetime
import platform
import queue
import shlex
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import coppice
from tools import tables

REPOSITORY = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).parent / "results.csv"
PAGE = REPOSITORY / "docs" / "comparison.md"
OURS = REPOSITORY / "build" / "bench" / "peers_coppice"
ENGLISH = REPOSITORY / "data" / "ud-scores" / "English-EWT.npz"


@dataclass(frozen=True)
class Peer:
    """What a library offers."""

    name: str
    title: str
    many: bool = False  # K best
    single: bool = True  # exactly one root edge (by itself, or by weights: see its adapter)
    best: bool = True  # one best, in the table of one best
    share: int = 1  # takes every so many graphs, being slow


PEERS = [
    Peer("spanningtrees", "the authors' `spanningtrees` (Python)", many=True),
    Peer("spanningtrees-camerini", "the same, `KBestCamerini`", many=True, single=False, best=False),
    Peer("chuliuedmonds", "ChuLiuEdmonds (Java)", many=True, single=False, best=False),
    Peer("networkx", "networkx, `ArborescenceIterator`", many=True, single=False, share=5),
    Peer("networkx-2.8", "networkx 2.8", many=True, single=False, best=False, share=5),
    Peer("arbok", "arbok, matrix solver (C++)"),
    Peer("lemon", "LEMON (C++)"),
    Peer("edmonds-alg", "edmonds-alg on Boost (C++)"),
    Peer("ufal", "ufal (C++ in Python)"),
    Peer("synjax", "SynJax, compiled function"),
    Peer("stanza", "stanza (numpy)"),
    Peer("supar", "SuPar (torch)"),
    Peer("coppice-python", "coppice, called from Python", many=True),
]


@dataclass(frozen=True)
class Task:
    """Graphs, and what to find in them."""

    weights: str  # english, uniform, peaked
    words: int  # 0: as they come
    k: int
    root: str
    graphs: Sequence[np.ndarray]

    def write(self, path: Path) -> None:
        """As driver.hpp wants it."""
        with path.open("w", encoding="utf-8") as file:
            print(self.k, self.root, len(self.graphs), file=file)
            for graph in self.graphs:
                print(len(graph), file=file)
                file.writelines(" ".join(map(repr, row)) + "\n" for row in graph.tolist())


def english(sentences: int) -> list[np.ndarray]:
    """Test sentences at equal distances."""
    with np.load(ENGLISH) as arrays:
        nodes = arrays["lengths"].astype(np.int64) + 1
        ends = np.cumsum(nodes**2)
        chosen = np.linspace(0, len(nodes) - 1, sentences).astype(int)
        flat = arrays["scores"].astype(float)
    return [flat[ends[i] - nodes[i] ** 2 : ends[i]].reshape(nodes[i], -1) for i in chosen]


def random_graphs(weights: str, words: int, count: int) -> list[np.ndarray]:
    """Uniform between 0 and 1, or logarithms of the softmax of strong scores, as parsers have them."""
    random = np.random.default_rng(words)
    nodes = words + 1
    if weights == "uniform":
        return [random.uniform(size=(nodes, nodes)) for _ in range(count)]
    found = []
    for _ in range(count):
        scores = random.normal(scale=5, size=(nodes, nodes))
        np.fill_diagonal(scores, -1e9)
        found.append(scores - np.log(np.exp(scores - scores.max(0)).sum(0)) - scores.max(0))
    return found


def tasks(quick: bool) -> Iterator[Task]:
    """All of them."""
    if quick:
        for root in ("any", "single"):
            yield Task("uniform", 5, 1, root, random_graphs("uniform", 5, 5))
            yield Task("peaked", 5, 10, root, random_graphs("peaked", 5, 5))
        return
    for root in ("single", "any"):
        for k in (10, 20, 50):
            yield Task("english", 0, k, root, english(100))
        for words in (5, 10, 20, 40):
            yield Task("peaked", words, 50, root, random_graphs("peaked", words, 400 // words // 2))
    for weights in ("uniform", "peaked"):
        for root in ("single", "any"):
            for words in (10, 20, 40, 80):
                yield Task(weights, words, 1, root, random_graphs(weights, words, 2000 // words))


class Unable(Exception):
    """A peer that cannot be run, or not further."""


class Worker:
    """A process that follows driver.hpp."""

    def __init__(self, command: Sequence[str], work: Path, patience: float) -> None:
        self.patience = patience
        self.process = subprocess.Popen(
            [*command, str(work)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        word, _, rest = self._line().partition(" ")
        if word != "ready":
            raise Unable(rest or "it did not start")
        self.version, step = rest.rsplit(" ", 1)
        self.step = float(step)

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line.strip())
        self.lines.put("missing it ended")

    def _line(self) -> str:
        try:
            return self.lines.get(timeout=self.patience)
        except queue.Empty:
            self.__exit__()
            raise Unable(f"no answer within {self.patience:.0f} s") from None

    def _say(self, command: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def run(self) -> float:
        """Seconds for all graphs."""
        self._say("run")
        line = self._line()
        if line.startswith("missing"):
            raise Unable(line)
        return float(line)

    def answers(self, graphs: int) -> list[list[list[int]] | str]:
        """Of every graph its trees, or an error."""
        self._say("answers")
        found: list[list[list[int]] | str] = []
        for _ in range(graphs):
            line = self._line()
            if line.startswith("missing"):
                raise Unable(line)
            if line.startswith("error"):
                found.append(line)
            else:
                found.append([[int(h) for h in self._line().split()] for _ in range(int(line))])
        return found


def is_wrong(task: Task, graph: np.ndarray, trees: list[list[int]] | str, step: float) -> bool:
    """Whether this is not the list of the K best trees, in order, each once."""
    if isinstance(trees, str):
        return True
    best = coppice.kbest(graph, task.k, root=task.root).scores
    words = np.arange(1, len(graph))
    if len(trees) != len(best) or len({tuple(tree) for tree in trees}) != len(trees):
        return True
    if any(not obeys(tree, task.root) for tree in trees):
        return True
    scores = np.array([graph[tree, words].sum() for tree in trees])
    off = ~np.eye(len(graph), dtype=bool)[:, 1:]
    edges = graph[:, 1:][off]
    tolerance = len(graph) * (step * np.ptp(edges) + 1e-9 * np.abs(best).max())
    return bool(np.any(np.abs(scores - best) > tolerance))


def obeys(heads: list[int], root: str) -> bool:
    """Whether it is a tree under the root rule."""
    if root == "single" and heads.count(0) != 1:
        return False
    for node in range(1, len(heads) + 1):
        for _ in range(len(heads)):
            if node <= 0:
                break
            node = heads[node - 1]
        if node != 0:
            return False
    return True


def compare(peer: Peer, command: Sequence[str], task: Task, limits: argparse.Namespace) -> tables.Row:
    """One row: right or wrong, then the times."""
    task = Task(task.weights, task.words, task.k, task.root, task.graphs[:: peer.share])
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder) / "work.txt"
        task.write(work)
        with Worker(command, work, limits.patience) as theirs, Worker([OURS], work, 60) as ours:
            start = time.monotonic()
            answers = theirs.answers(len(task.graphs))
            slow = time.monotonic() - start > limits.slow
            wrong = sum(
                is_wrong(task, graph, trees, theirs.step)
                for graph, trees in zip(task.graphs, answers, strict=True)
            )
            rounds = 1 if slow else limits.rounds
            times: dict[str, list[float]] = {"theirs": [], "ours": []}
            ours.run()
            for _ in range(rounds):
                times["theirs"].append(theirs.run())
                times["ours"] += [ours.run() for _ in range(3)]
            version = theirs.version
    per_graph = 1e6 / len(task.graphs)
    us, our_us = (statistics.median(times[who]) * per_graph for who in ("theirs", "ours"))
    return {
        "weights": task.weights,
        "words": task.words,
        "k": task.k,
        "root": task.root,
        "peer": peer.name,
        "version": version,
        "graphs": len(task.graphs),
        "wrong": wrong,
        "us": f"{us:.2f}",
        "our_us": f"{our_us:.2f}",
        "ratio": f"{us / our_us:.2f}",
    }


def commands(arguments: argparse.Namespace) -> dict[str, list[str]]:
    """How to start every peer that somebody could have."""
    worker = str(Path(__file__).with_name("worker.py"))
    pythons = dict(given.split("=", 1) for given in arguments.python)
    found = {
        name: [pythons.get(name, sys.executable), worker, name]
        for name in (peer.name for peer in PEERS)
        if name not in ("arbok", "lemon", "edmonds-alg", "chuliuedmonds", "networkx-2.8")
    }
    if "networkx-2.8" in pythons:
        found["networkx-2.8"] = [pythons["networkx-2.8"], worker, "networkx"]
    lemon = OURS.with_name("peers_lemon")
    if lemon.exists():
        found["lemon"] = [str(lemon)]
    for given in arguments.program:
        name, command = given.split("=", 1)
        found[name] = shlex.split(command)
    return found


def measure(arguments: argparse.Namespace) -> list[tables.Row]:
    """Everything that can be run."""
    if not OURS.exists():
        raise SystemExit(f"no {OURS.relative_to(REPOSITORY)}; run `make peers`")
    known = commands(arguments)
    given_up: dict[str, str] = {
        peer.name: "not pointed at (--program, --python)"
        for peer in PEERS
        if peer.name not in known
    }
    rows = []
    for task in tasks(arguments.quick):
        print(f"{task.weights} N={task.words or '-'} K={task.k} root={task.root}", flush=True)
        for peer in PEERS:
            if peer.name in given_up or (arguments.only and peer.name not in arguments.only):
                continue
            offered = peer.many if task.k > 1 else peer.best
            if not offered or (task.root == "single" and not peer.single):
                continue
            try:
                row = compare(peer, known[peer.name], task, arguments)
            except Unable as reason:
                print(f"  {peer.name:24} {reason}", flush=True)
                if not rows or not any(row["peer"] == peer.name for row in rows):
                    given_up[peer.name] = str(reason)
                continue
            rows.append(row)
            print(
                f"  {peer.name:24} wrong {row['wrong']}/{row['graphs']}, "
                f"{row['us']} us, ours {row['our_us']} us, ratio {row['ratio']}",
                flush=True,
            )
        if arguments.save and rows:
            tables.write_csv(RESULTS, rows)
    for name, reason in given_up.items():
        print(f"not run: {name}: {reason}")
    return rows


def report(rows: list[tables.Row], page: Path) -> None:
    """The tables of the page."""
    titles = {peer.name: peer.title for peer in PEERS}
    names = [name for name in titles if any(row["peer"] == name for row in rows)]
    versions = {row["peer"]: str(row["version"]) for row in rows}
    lines = []
    for name in names:
        wrong = sum(row["wrong"] for row in rows if row["peer"] == name)
        graphs = sum(row["graphs"] for row in rows if row["peer"] == name)
        lines.append([titles[name], versions[name], f"{wrong:,} of {graphs:,} ({wrong / graphs:.1%})"])
    tables.put_table(page, "peers", tables.table(["", "version", "wrong answers"], lines))
    for root in ("single", "any"):
        several = [("english", 0, k) for k in (10, 20, 50)]
        several += [("peaked", words, 50) for words in (5, 10, 20, 40)]
        header = [""]
        for weights, words, k in several:
            header.append(f"{'English' if weights == 'english' else f'N = {words}'}, K = {k}")
        found = {
            (row["peer"], row["weights"], row["words"], row["k"]): row
            for row in rows
            if row["root"] == root
        }
        lines = [
            [titles[name], *(cell(found.get((name, *what))) for what in several)]
            for name in names
            if any((name, *what) in found for what in several)
        ]
        tables.put_table(page, f"kbest-{root}", tables.table(header, lines))
        ones = [(weights, words, 1) for weights in ("uniform", "peaked") for words in (10, 20, 40, 80)]
        header = ["", *(f"{weights}, {words}" for weights, words, _ in ones)]
        lines = [
            [titles[name], *(cell(found.get((name, *what)), False) for what in ones)]
            for name in names
            if any((name, *what) in found for what in ones)
        ]
        tables.put_table(page, f"best-{root}", tables.table(header, lines))


def cell(row: tables.Row | None, many: bool = True) -> str:
    """The ratio, and what was wrong."""
    if row is None:
        return "–"
    ratio = f"{row['ratio']:,.0f} ×" if row["ratio"] >= 20 else f"{row['ratio']:.2g} ×"
    if many:
        return f"{ratio}, {row['wrong'] / row['graphs']:.0%} wrong"
    return ratio if row["wrong"] == 0 else f"{ratio}, {row['wrong'] / row['graphs']:.0%} wrong"


def main() -> None:
    """Measure, write, tabulate."""
    parser = argparse.ArgumentParser(prog="bench.peers", description=__doc__.split("\n")[0])
    parser.add_argument("--python", action="append", default=[], metavar="NAME=INTERPRETER")
    parser.add_argument("--program", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--only", action="append", metavar="NAME")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--slow", type=float, default=10, help="seconds after which once is enough")
    parser.add_argument("--patience", type=float, default=120, help="seconds for one answer")
    parser.add_argument("--quick", action="store_true", help="tiny graphs, to see that it runs")
    parser.add_argument("--save", action="store_true", help="write results.csv and the page")
    parser.add_argument("--report-only", action="store_true", help="the page from results.csv")
    arguments = parser.parse_args()
    if not arguments.report_only:
        rows = measure(arguments)
        today = datetime.datetime.now(tz=datetime.timezone.utc).date()
        print(f"{today}, {platform.processor() or platform.machine()}, Python {platform.python_version()}")
        if not arguments.save:
            return
        if not rows:
            raise SystemExit("nothing was measured, nothing is written")
    report(tables.read_csv(RESULTS), PAGE)


if __name__ == "__main__":
    main()
