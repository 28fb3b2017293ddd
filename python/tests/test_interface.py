"""How large the public interface is, and what all of it has in common."""

import ast
import importlib
import inspect
import pkgutil
from pathlib import Path

import coppice

#: The data, and how it lies in memory; what else a call takes are its options.
DATA = {
    "self",
    "scores",
    "lengths",
    "labels",
    "axes",
    "gold",
    "gold_labels",
    "graph",
    "weight",
    "default",
    "nlp",
    "text",
    "parser",
    "sentences",
    "log_potentials",
    "energy",
}


def modules():
    """The public modules, those left out that cannot be imported here."""
    yield coppice
    for found in pkgutil.iter_modules(coppice.__path__):
        if not found.name.startswith("_"):
            try:
                yield importlib.import_module(f"coppice.{found.name}")
            except ImportError:
                continue


def public():
    """Every public name with what it stands for."""
    for module in modules():
        for name in module.__all__:
            yield f"{module.__name__}.{name}", getattr(module, name)


def calls():
    """Functions, and methods of classes, that users call."""
    for name, value in public():
        if inspect.isclass(value):
            yield name, value.__init__
            for method, function in vars(value).items():
                if not method.startswith("_") and inspect.isfunction(function):
                    yield f"{name}.{method}", function
        elif inspect.isfunction(value):
            yield name, value


def exported(path):
    """``__all__`` of a module, which need not be importable here."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return ast.literal_eval(node.value)
    return []


def test_there_are_few_names():
    """A new name takes the place of another one."""
    package = Path(coppice.__file__).parent
    names = [name for path in sorted(package.glob("*.py")) for name in exported(path)]
    assert len(names) <= 61


def test_no_call_takes_many_options():
    for name, function in calls():
        options = {
            parameter.name
            for parameter in inspect.signature(function).parameters.values()
            if parameter.name not in DATA and parameter.kind is not parameter.VAR_KEYWORD
        }
        if name.startswith("coppice.arrow.KBest"):
            options -= {"id", "n", "label_scores", "label_ids"}  # columns with data
        assert len(options) <= 8, (name, sorted(options))


def test_one_word_for_one_thing():
    old = {"rule", "confidence", "label_scores", "label_ids", "required", "forbidden", "budget"}
    for name, function in calls():
        if name not in {"coppice.arrow.KBest", "coppice.Constraints"}:
            assert not old & set(inspect.signature(function).parameters), name


def test_everything_says_what_it_is():
    for name, function in calls():
        if not name.endswith(("__init__",)) and function.__name__ != "__init__":
            assert function.__doc__, name
