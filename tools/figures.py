"""Measured figures in documents are those of the data files that programs wrote.

    python3 tools/figures.py                     write the figures into the documents
    python3 tools/figures.py --check             say where a document differs from the data
    python3 tools/figures.py measure [NAME...]   measure again: all, or those that are named
    python3 tools/figures.py keep NAME MACHINE   take what was printed on another machine from stdin

A program that measures prints lines `KEY VALUE`; `measure` runs it and writes
bench/results/NAME.json: the values, and command, commit, date and machine. Documents name a value
between comments, and what stands between these is written here:

    <!--engine.english-single.k50.us-->6.9 µs<!--/-->

A key that ends in `us` is a time, and is written in the unit that fits; one that ends in `wrong` is
a count; other numbers have two digits. `NAME.commit`, `NAME.date` and `NAME.machine` are written as
they are.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
PLACE = re.compile(r"<!--([a-z_]+\.[^\s>]+?)-->(.*?)<!--/-->", re.DOTALL)
PYTHON = ".venv/bin/python"
# What writes which file. `python -m bench.peers --save` writes peers.json: it needs the programs.
COMMANDS = {
    "engine": ["build/bench/engine_bench", "9"],
    "max_marginals": ["build/bench/max_marginals_bench", "15"],
    "rules": ["build/bench/rules_bench", "5"],
    "load": [PYTHON, "bench/load.py", "build/coppice", "data", "--figures"],
    "corpora": [PYTHON, "bench/corpora.py", "arrow", "--rounds", "15"],
    "distribution_numpy": [PYTHON, "bench/distribution_numpy.py", "--rounds", "9"],
}
# What needs a machine with a GPU, other packages, or data that are not ours to give on.
ELSEWHERE = {
    "distribution_peers": [PYTHON, "bench/distribution_peers.py"],
    "tumours": [PYTHON, "bench/tumours.py", "PPM-NonUniq"],
    "distribution_torch": [
        PYTHON, "bench/distribution_torch.py", "--device", "cuda", "--rounds", "50",
    ],
}  # fmt: skip

Figures = dict[str, float | str]


def as_time(microseconds: float) -> str:
    """In the unit that fits, two digits: 5.9 µs, 4.4 ms, 3.4 s."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{two_digits(microseconds / size)} {unit}"
    return f"{two_digits(microseconds)} µs"


def two_digits(value: float) -> str:
    """Two digits that count; large numbers with commas: 0.31, 5.9, 120, 9,300."""
    return f"{float(f'{value:.2g}'):,.10g}"


def as_text(key: str, value: float | str) -> str:
    """A figure as documents have it."""
    if isinstance(value, str):
        return value
    if key.endswith("wrong"):
        return f"{int(value)}"
    return as_time(value) if key.endswith("us") else two_digits(value)


def read() -> Figures:
    """All figures of all data files, as NAME.KEY."""
    found: Figures = {}
    for path in sorted(RESULTS.glob("*.json")):
        measured = json.loads(path.read_text(encoding="utf-8"))
        found |= {f"{path.stem}.{key}": measured[key] for key in ("commit", "date", "machine")}
        found |= {f"{path.stem}.{key}": value for key, value in measured["figures"].items()}
    return found


def put(text: str, figures: Figures, where: str, faults: list[str]) -> str:
    """A document with its figures written; what is wrong with them is added to the faults."""

    def one(place: re.Match[str]) -> str:
        key, said = place.groups()
        if key not in figures:
            faults.append(f"{where}: no program measured {key}")
            return place[0]
        right = as_text(key, figures[key])
        if " ".join(said.split()) == right:  # lines may end inside
            return place[0]
        faults.append(f"{where}: {key} is {right}, not {said}")
        return f"<!--{key}-->{right}<!--/-->"

    return PLACE.sub(one, text)


def documents(check: bool) -> list[str]:
    """Write or check all documents; what differs."""
    figures, faults = read(), []
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        old = page.read_text(encoding="utf-8")
        new = put(old, figures, str(page.relative_to(ROOT)), faults)
        if not check and new != old:
            page.write_text(new, encoding="utf-8")
    return faults


def first_line(*command: str) -> str:
    """What a command says first."""
    said = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return said.stdout.strip().split("\n")[0]


def machine() -> str:
    """Processor, number of its cores, compiler."""
    information = Path("/proc/cpuinfo")
    names = re.findall(
        r"model name\s*: (.*)", information.read_text() if information.exists() else ""
    )
    cache = (ROOT / "build" / "CMakeCache.txt").read_text(encoding="utf-8")
    compiler = re.search(r"CMAKE_CXX_COMPILER:\w+=(.*)", cache)
    said = first_line(compiler[1] if compiler else "c++", "--version")
    processor = names[0] if names else platform.machine()
    return f"{processor}, {os.cpu_count()} cores, {said}"


def measure(name: str) -> None:
    """Run one program and write what it printed."""
    said = subprocess.run(COMMANDS[name], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    save(name, COMMANDS[name], figures_of(said.stdout))


def figures_of(printed: str) -> dict[str, float]:
    """Of lines KEY VALUE."""
    lines = [line.split() for line in printed.splitlines()]
    return {key: float(value) for key, value in lines}


def save(name: str, command: list[str], values: dict[str, float], where: str = "") -> None:
    """Write a data file; where this was measured, if not here."""
    # Changes of documents and data do not change what was measured.
    sources = ("include", "src", "bench/*.cpp", "bench/*.hpp", "bench/*.py", "python")
    changed = first_line("git", "status", "--porcelain", "--untracked-files=no", "--", *sources)
    today = datetime.datetime.now(tz=datetime.timezone.utc).date()
    measured = {
        "command": " ".join(command),
        "commit": first_line("git", "rev-parse", "--short", "HEAD")
        + (" changed" if changed else ""),
        "date": f"{today.day} {today:%B} {today.year}",
        "machine": where or machine(),
        "figures": values,
    }
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(measured, indent=1, ensure_ascii=False) + "\n"
    (RESULTS / f"{name}.json").write_text(text, encoding="utf-8")


def main() -> None:
    """As the command line says."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["keep"]:
        _, name, where = arguments
        save(name, {**COMMANDS, **ELSEWHERE}[name], figures_of(sys.stdin.read()), where)
        arguments = []
    if arguments[:1] == ["measure"]:
        for name in arguments[1:] or COMMANDS:
            print(f"{name}: {' '.join(COMMANDS[name])}", flush=True)
            measure(name)
        arguments = []
    faults = documents(check=bool(arguments))
    if arguments and faults:
        sys.exit("\n".join(faults))
    missing = [fault for fault in faults if "no program" in fault]
    if missing:
        sys.exit("\n".join(missing))


if __name__ == "__main__":
    main()
