"""Other programs for the same trees: whether they are right, and how long they take.

    python -m bench.peers [--python NAME=INTERPRETER]... [--program NAME=COMMAND]...

Run from the top of the repository. Python libraries are tried in this Python, or in the one that
``--python`` names for them; programs (C++, Java) are those that follow bench/peers/driver.hpp and
that ``--program`` points at; what is not there is named and left out. Every peer answers first, and
its answers are compared with ours; then it and our C++ program take turns on the same matrices, and
medians of processor times are compared.
"""

from __future__ import annotations

import argparse
import datetime
import platform
import shlex
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.peers import chart
from bench.peers.check import is_wrong
from bench.peers.libraries import LIBRARIES, Library
from bench.peers.process import UnableError, Worker
from bench.peers.report import report
from bench.peers.tasks import REPOSITORY, Task, tasks
from tools import figures, tables

RESULTS = Path(__file__).parent / "results.csv"
PAGE = REPOSITORY / "docs" / "comparison.md"
OURS = REPOSITORY / "build" / "bench" / "peers_coppice"


def compare(
    peer: Library, command: Sequence[str], task: Task, limits: argparse.Namespace
) -> tables.Row:
    """One row: right or wrong, then the times."""
    task = Task(
        task.weights,
        task.words,
        task.k,
        task.root,
        task.graphs[:: min(peer.share, len(task.graphs))],
    )
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder) / "work.txt"
        task.write(work)
        with (
            Worker(command, work, limits.patience) as theirs,
            Worker(shlex.split(limits.ours), work, 60) as ours,
        ):
            answers, seconds = theirs.answers(len(task.graphs))
            wrong = sum(
                is_wrong(task, graph, trees, theirs.step)
                for graph, trees in zip(task.graphs, answers, strict=True)
            )
            ours.run()
            times = {"theirs": [seconds], "ours": [ours.run() for _ in range(3)]}
            if seconds < limits.slow:
                times["theirs"].clear()  # with what printing the answers took
                for _ in range(limits.rounds):
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
    """How to start every library that somebody could have."""
    worker = str(Path(__file__).with_name("worker.py"))
    pythons, programs = pairs(arguments.python), pairs(arguments.program)
    lemon = OURS.with_name("peers_lemon")
    if lemon.exists():
        programs.setdefault("lemon", str(lemon))
    found = {}
    for library in LIBRARIES:
        name = library.name
        if name in programs:
            found[name] = shlex.split(programs[name])
        elif library.adapter and (name in pythons or not library.elsewhere):
            found[name] = [pythons.get(name, sys.executable), worker, library.adapter]
    return found


def pairs(given: Sequence[str]) -> dict[str, str]:
    """NAME=VALUE, the names being those of libraries."""
    found = dict(text.split("=", 1) for text in given if "=" in text)
    unknown = set(found) - {library.name for library in LIBRARIES}
    if unknown or len(found) < len(given):
        raise SystemExit(f"NAME=... expected, NAME being a library: {', '.join(given)}")
    return found


def measure(arguments: argparse.Namespace) -> list[tables.Row]:
    """Everything that can be run; what cannot is named at the end."""
    if not arguments.ours:
        raise SystemExit(f"no {OURS.relative_to(REPOSITORY)}; run `make peers`")
    known = commands(arguments)
    wanted = [one for one in LIBRARIES if not arguments.only or one.name in arguments.only]
    not_run = {
        one.name: "not pointed at (--program, --python)" for one in wanted if one.name not in known
    }
    rows: list[tables.Row] = []
    for task in tasks(arguments.quick):
        print(f"{task.weights} N={task.words or '-'} K={task.k} root={task.root}", flush=True)
        for library in wanted:
            if library.name in not_run or not library.offers(task.k, task.root):
                continue
            try:
                rows.append(compare(library, known[library.name], task, arguments))
                print(describe(rows[-1]), flush=True)
            except UnableError as reason:
                print(f"  {library.name:24} {reason}", flush=True)
                if all(row["peer"] != library.name for row in rows):
                    not_run[library.name] = str(reason)
    for name, reason in not_run.items():
        print(f"not run: {name}: {reason}")
    return rows


def describe(row: tables.Row) -> str:
    """One line."""
    wrong = f"wrong {row['wrong']}/{row['graphs']}"
    times = f"{row['us']} us, ours {row['our_us']} us, ratio {row['ratio']}"
    return f"  {row['peer']:24} {wrong}, {times}"


def main() -> None:
    """Measure, write, tabulate."""
    parser = argparse.ArgumentParser(prog="bench.peers", description=__doc__.split("\n")[0])
    parser.add_argument("--python", action="append", default=[], metavar="NAME=INTERPRETER")
    parser.add_argument("--program", action="append", default=[], metavar="NAME=COMMAND")
    ours = str(OURS) if OURS.exists() else ""
    parser.add_argument(
        "--ours", default=ours, metavar="COMMAND", help="what takes turns with them"
    )
    parser.add_argument("--only", action="append", metavar="NAME")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--slow", type=float, default=10, help="seconds after which once is enough")
    parser.add_argument("--patience", type=float, default=120, help="seconds for one answer")
    parser.add_argument("--quick", action="store_true", help="tiny graphs, to see that it runs")
    parser.add_argument("--save", action="store_true", help="write results.csv and the page")
    parser.add_argument("--report-only", action="store_true", help="the page from results.csv")
    parser.add_argument("--page", type=Path, default=PAGE, help="another page")
    arguments = parser.parse_args()
    if arguments.save and (arguments.only or arguments.quick):
        parser.error("--save needs all that can be run: the figures of a page are of one build")
    if not arguments.report_only:
        rows = measure(arguments)
        today = datetime.datetime.now(tz=datetime.timezone.utc).date()
        print(f"{today}, {platform.machine()}, Python {platform.python_version()}")
        if not arguments.save:
            return
        if not rows:
            raise SystemExit("nothing was measured, nothing is written")
        tables.write_csv(RESULTS, rows)
        times = chart.times(tables.read_csv(RESULTS))
        figures.save(
            "peers",
            ["python", "-m", "bench.peers", *(each.split("=")[0] for each in sys.argv[1:])],
            {f"{name}.us": us for name, (us, _) in times.items()},
        )
    rows = tables.read_csv(RESULTS)
    report(rows, arguments.page)
    chart.write(rows, arguments.page.parent / "images" / "peers.svg")


if __name__ == "__main__":
    main()
