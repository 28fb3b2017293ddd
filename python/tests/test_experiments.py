"""The experiments run, their page says what their CSVs say, and peers that lie are found out."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
WORKER = REPOSITORY / "bench" / "peers" / "worker.py"


def run(*command: object) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *map(str, command)],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def peers(*options: object) -> str:
    ours = f"{sys.executable} {WORKER} coppice-python"
    return run("bench.peers", "--quick", "--rounds", 1, "--ours", ours, *options)


def test_help_needs_no_other_package():
    said = subprocess.run(
        [sys.executable, "-S", "-m", "experiments", "--help"], cwd=REPOSITORY, capture_output=True
    )
    assert said.returncode == 0, said.stderr
    assert b"violations" in said.stdout


def test_the_page_of_experiments_says_what_the_results_say(tmp_path):
    pytest.importorskip("matplotlib")
    run("experiments", "--report-only", "--out", tmp_path)
    for page in (Path("docs/experiments.md"), Path("docs/internals/experiments.md")):
        assert (tmp_path / page).read_text() == (REPOSITORY / page).read_text()
    figures = {path.name for path in (REPOSITORY / "docs/images/experiments").iterdir()}
    assert {path.name for path in (tmp_path / "docs/images/experiments").iterdir()} == figures


def test_experiments_run_on_a_few_sentences(tmp_path):
    pytest.importorskip("matplotlib")
    names = ["violations", "legality", "repair", "oracle", "confidence", "keep"]
    if (REPOSITORY / "build/bench/experiments_timing").exists():
        names.append("runtime")
    said = run("experiments", "--quick", "--rounds", 1, "--out", tmp_path, *names)
    assert "not found, kept as recorded: North Sami" in said
    lines = (tmp_path / "experiments/results/violations.csv").read_text().splitlines()
    assert len(lines) == 1 + 11 * 5
    assert lines[1].startswith("English,12543,20,1,20,")
    # What was not measured is as it was.
    committed = (REPOSITORY / "experiments/results/violations.csv").read_text().splitlines()
    assert [line for line in lines if "Kazakh" in line] == [
        line for line in committed if "Kazakh" in line
    ]
    quality = (tmp_path / "experiments/results/confidence.csv").read_text().splitlines()
    assert len(quality) == 1 + 11 * 6
    assert quality[1].startswith("English,softmax,20,")
    repair = (tmp_path / "experiments/results/repair.csv").read_text()
    assert "English,20,best tree under `ud`,0,0," in repair
    installed = importlib.util.find_spec("stanza") is not None
    assert ("English,20,stanza 1.14 or later,,,,," in repair) != installed


def test_all_eleven_treebanks_are_recorded():
    from_csv = (REPOSITORY / "experiments/results/violations.csv").read_text().splitlines()[1:]
    assert len({line.split(",")[0] for line in from_csv}) == 11
    english = [line.split(",")[-2] for line in from_csv if line.startswith("English")]
    assert english == ["0.58", "16.08", "18.09", "19.42", "21.87"]


def test_the_page_of_peers_says_what_the_results_say(tmp_path):
    page = REPOSITORY / "docs" / "comparison.md"
    copy = tmp_path / "comparison.md"
    copy.write_text(page.read_text())
    run("bench.peers", "--report-only", "--page", copy)
    assert copy.read_text() == page.read_text()
    drawn = (tmp_path / "images" / "peers.svg").read_text()
    assert drawn == (REPOSITORY / "docs" / "images" / "peers.svg").read_text()


def test_the_figures_of_peers_are_those_of_the_results(monkeypatch):
    monkeypatch.syspath_prepend(REPOSITORY)
    from bench.peers import chart
    from tools import figures, tables

    found = chart.times(tables.read_csv(REPOSITORY / "bench" / "peers" / "results.csv"))
    recorded = figures.read()
    assert len(found) == 6
    for name, (microseconds, _) in found.items():
        assert recorded[f"peers.{name}.us"] == microseconds


def test_figures_of_peers_are_saved_all_together():
    """A run that measures some of them would leave the others of an older build on the page."""
    said = subprocess.run(
        [sys.executable, "-m", "bench.peers", "--ours", "false", "--save", "--only", "arbok"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
    )
    assert said.returncode == 2
    assert "of one build" in said.stderr


@pytest.mark.skipif(
    importlib.util.find_spec("spanningtrees") is not None, reason="a peer is installed"
)
def test_peers_that_are_not_there_are_named():
    names = ["spanningtrees", "arbok", "coppice-python"]
    said = peers(*(option for name in names for option in ("--only", name)))
    assert "not run: spanningtrees: No module named 'spanningtrees'" in said
    assert "not run: arbok: not pointed at" in said
    assert "coppice-python           wrong 0/5" in said


def test_a_peer_that_lies_is_found_out(tmp_path):
    liar = tmp_path / "liar.py"
    liar.write_text(
        "import sys\n"
        "_, _, graphs = open(sys.argv[1]).readline().split()\n"
        "print('ready 1.0 0', flush=True)\n"
        "for line in sys.stdin:\n"
        "    trees = [] if line == 'run\\n' else ['1', '0 0 0 0 0'] * int(graphs)\n"
        "    print(*trees, '1e-3', sep='\\n', flush=True)\n"
    )
    said = peers("--only", "arbok", "--program", f"arbok={sys.executable} {liar}")
    assert said.count("wrong 5/5") == 2
