"""The package as a whole: docstrings, types, documents, the program."""

import ast
import doctest
import importlib
import inspect
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import coppice
from support import REPOSITORY, load

MODULES = ["coppice"] + [f"coppice.{m.name}" for m in pkgutil.iter_modules(coppice.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    if name.endswith("_core"):
        return
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as missing:
        pytest.skip(f"{missing.name} is not installed")
    found = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert not found.failed


def test_importing_needs_nothing_but_numpy():
    code = (
        "import sys, coppice, coppice.adapters\n"
        "heavy = {'torch', 'networkx', 'pyarrow', 'pyspark', 'ray', 'datasets', 'pandas'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_everything_public_is_documented():
    for name in coppice.__all__:
        if name == "RootRule":  # an alias of types, which has no text
            continue
        assert getattr(coppice, name).__doc__, name


def test_version():
    from importlib.metadata import version

    assert coppice.__version__ == version("coppice")


def test_what_builds_the_package_is_in_the_group_build():
    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    wanted = project["build-system"]["requires"] + project["project"]["dependencies"]
    assert sorted(project["dependency-groups"]["build"]) == sorted(set(wanted))


def test_version_and_date_are_the_same_everywhere():
    version = coppice.__version__
    released = re.search(r"^## \[(.+)\] - (.+)$", (REPOSITORY / "CHANGELOG.md").read_text(), re.M)
    assert released is not None
    assert released[1] == version
    citation = (REPOSITORY / "CITATION.cff").read_text()
    assert f"\nversion: {version}\ndate-released: {released[2]}\n" in citation
    assert json.loads((REPOSITORY / "wasm" / "package.json").read_text())["version"] == version
    assert f"Version {version}," in (REPOSITORY / "README.md").read_text()
    cited = (REPOSITORY / "docs" / "questions.md").read_text()
    assert f"version = {{{version}}},\n  date    = {{{released[2]}}}," in cited


def is_property(node: ast.FunctionDef) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "property" for d in node.decorator_list)


def test_stubs_say_what_is_there():
    """Names of classes, functions and arguments; mypy.stubtest cannot look into nanobind's."""
    there = {
        name: [re.findall(r"(\w+): ", overload[0]) for overload in value.__nb_signature__]
        for holder in (coppice._core, *filter(inspect.isclass, vars(coppice._core).values()))
        for name, value in named_members(holder)
        if hasattr(value, "__nb_signature__")
    }
    stub = ast.parse((Path(coppice.__file__).parent / "_core.pyi").read_text())
    said: dict[str, list[list[str]]] = {}
    for holder in (stub, *(node for node in stub.body if isinstance(node, ast.ClassDef))):
        prefix = f"{holder.name}." if isinstance(holder, ast.ClassDef) else ""
        for node in holder.body:
            if isinstance(node, ast.FunctionDef) and not is_property(node):
                arguments = [argument.arg for argument in node.args.args if argument.arg != "self"]
                said.setdefault(prefix + node.name, []).append(arguments)
    assert said == there


def named_members(holder):
    """Members of the module or of one of its classes, with the names that the stub has."""
    prefix = f"{holder.__name__}." if inspect.isclass(holder) else ""
    return [(prefix + name, getattr(holder, name)) for name in vars(holder)]


def program():
    """The program that was installed with the package."""
    beside = Path(sys.executable).parent / "coppice"
    return str(beside) if beside.exists() else shutil.which("coppice")


def test_the_program_comes_with_the_package(tmp_path):
    scores = np.array([[0, 9, 10], [0, 0, 20], [0, 30, 0]], np.float32)
    np.savez(tmp_path / "scores.npz", lengths=np.array([2], np.int32), scores=scores.ravel())
    ended = subprocess.run(
        [program(), "decode", tmp_path / "scores.npz", "-k", "2", "--root", "single"],
        capture_output=True,
        text=True,
        check=True,
    )
    heads = re.findall(r'"heads": ?\[([0-9, ]+)\]', ended.stdout)
    assert [[int(h) for h in row.split(",")] for row in heads] == [[2, 0], [0, 1]]


# Their shell snippets are run by tests/readme.
GUIDES = [
    "README.md",
    "packaging/package-index.md",
    *(f"docs/{name}.md" for name in ("choose", "corpora", "migration", "python", "questions")),
]
OPTIONAL = {"torch", "networkx", "pyarrow", "pyspark", "ray", "datasets"}
# Their shell snippets are run here too, between those in Python; those of others by tests/readme.
LESSONS = [
    str(path.relative_to(REPOSITORY))
    for path in [REPOSITORY / "docs/tutorial.md", *sorted((REPOSITORY / "docs/howto").glob("*.md"))]
    if path.stem not in ("README", "stanza")  # test_stanza.py has a pipeline for it
]


def run_in_shell(code, capfd):
    path = f"{Path(program()).parent}:{os.environ['PATH']}"
    subprocess.run(
        ["bash", "-euo", "pipefail", "-c", code], env={**os.environ, "PATH": path}, check=True
    )
    return capfd.readouterr().out


def run_in_python(code, names, capfd):
    exec(code, names)
    return capfd.readouterr().out


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("document", [*GUIDES, *LESSONS])
def test_snippets_run(document, tmp_path, monkeypatch, capfd):
    """Those of a document run one after the other, as one program, and print what they promise."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").symlink_to(REPOSITORY / "data")
    names = {"__name__": "__main__"}
    for snippet in load("tests/readme/snippets.py").snippets(REPOSITORY / document):
        try:
            if snippet.language == "python":
                code = compile("\n" * (snippet.line - 1) + snippet.code, document, "exec")
                printed = run_in_python(code, names, capfd)
            elif snippet.directive == "run" and document in LESSONS:
                printed = run_in_shell(snippet.code, capfd)
            else:
                continue
        except ModuleNotFoundError as missing:
            if missing.name not in OPTIONAL:
                raise
        else:
            assert snippet.output in (None, printed)


def test_commands_in_the_text_run(tmp_path, monkeypatch, capfd):
    """Those of indented blocks, in the documents of the program and of what it makes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").symlink_to(REPOSITORY / "data")
    for document in sorted((REPOSITORY / "docs").glob("*.md")):
        for snippet in load("tests/readme/snippets.py").commands(document):
            printed = run_in_shell(snippet.code, capfd)
            assert snippet.output in (None, printed), snippet.name
