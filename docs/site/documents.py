"""The documents of the repository as sources of the site.

They are written to be read in the repository, where they link to each other, to headers and to
other files. On the site what has a page is linked there, all else to the repository.
"""

from __future__ import annotations

import ast
import inspect
import posixpath
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import headers

REPOSITORY = Path(__file__).parent.parent.parent
PROGRAM = REPOSITORY / "build/coppice"
HEADERS = sorted((REPOSITORY / "include/coppice").glob("*.h*"))
MODULES = ["rules", "adapters", "stanza", "supar", "torch", "networkx", "arrow"]

# Of files and folders of the repository their pages; docs/X is X.
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "data/README.md": "data.md",
    "examples/gallery/README.md": "gallery.md",
    "include/coppice": "cpp/index.md",
    "docs/howto": "howto/README.md",
    **{f"include/coppice/{path.name}": f"cpp/{path.name}.md" for path in HEADERS},
}

# What the navigation shows, beside the front page: captions, and the pages below them. A document
# that is not named comes last.
NAVIGATION = {
    "Begin": "tutorial, Which call? <choose>, From another library <migration>, "
    "Questions <questions>, gallery, glossary",
    "How to": "howto/README, howto/stanza, howto/scores, howto/constraints, howto/confidence, "
    "howto/reranking, howto/annotation, howto/corpus, howto/graphs",
    "Guides": "python, cli, formats, Parsers <parsers>, Rules <rules>, annotate, corpora, "
    "C++ <cpp>, C <c>, JavaScript <javascript>, limits",
    "Reference": "options, py/index, cpp/index",
    "How it works": "The engine <engine>, Its proofs <internals/proofs>, "
    "Whole numbers <internals/numbers>, The ledger <internals/ledger>, internals/words, "
    "How rules are searched <internals/rules>, Probabilities <distribution>, paper-notes",
    "Measured": "performance, Its long tables <internals/performance>, "
    "Comparison <comparison>, experiments, Tables of the experiments <internals/experiments>, "
    "Torture and load <internals/load>",
    "Project": "Changes <changelog>, contributing, Releases <release>, security, data",
}

# The page to play with comes before it.
PLACE = re.compile(r"^## What it can do$", re.MULTILINE)
PLAYGROUND = """```{raw} html
<iframe class="playground" src="playground.html" title="Trees to play with"></iframe>
<p>The program made this page, by <code>coppice annotate</code>; the engine is in it.
<a href="playground.html">On a page of its own</a> there is more room.</p>
```"""
LINK = re.compile(r"(\]\(|^\[[^\]]+\]: )([^)#\s]*)(#[^)\s]*)?")
HEADER_IN_TEXT = re.compile(r"(?<![\w/<`\[.])(\w+\.hp?p?|docs/[\w/-]+\.md)\b")


def repository_address() -> str:
    """The one that the package names."""
    project = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r'^Repository = "(.*)"$', project, re.MULTILINE)
    return found[1] if found else sys.exit("docs: pyproject.toml names no Repository")


def text_lines(markdown: str) -> Iterator[tuple[bool, str]]:
    """The lines, and whether each is text, not code."""
    fenced = False
    for line in markdown.splitlines():
        fence = line.lstrip().startswith("```")
        yield not (fenced or fence), line
        fenced ^= fence


def target(link: str, source: str, page: str) -> str:
    """Where a link of a document leads to on the site."""
    address = repository_address()
    if link.startswith(f"{address}/blob/main/"):
        path = link.removeprefix(f"{address}/blob/main/")
    elif not link or re.match(r"[a-z]+:", link):
        return link
    else:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), link))
    if not (REPOSITORY / path).exists():
        sys.exit(f"docs: {source}: there is no {link}")
    if path in PAGES:
        path = PAGES[path]
    elif path.startswith("docs/"):
        path = path.removeprefix("docs/")
    else:
        return f"{address}/blob/main/{path}"
    return posixpath.relpath(path, posixpath.dirname(page) or ".")


def page_of(markdown: str, source: str, page: str) -> str:
    """A document as a page: its links changed."""
    return "".join(
        (
            LINK.sub(lambda m: m[1] + target(m[2], source, page) + (m[3] or ""), line)
            if is_text
            else line
        )
        + "\n"
        for is_text, line in text_lines(markdown)
    )


def header_page(path: Path) -> str:
    """A header as a page, in which names of headers and documents are links."""
    known = {header.name for header in HEADERS}

    def link(name: re.Match[str]) -> str:
        if name[0] in known:
            return f"[{name[0]}]({name[0]})"
        return f"[{name[0]}](../../{name[0]})" if "/" in name[0] else name[0]

    return "".join(
        (HEADER_IN_TEXT.sub(link, line) if is_text and not line.startswith("#") else line) + "\n"
        for is_text, line in text_lines(headers.page(path))
    )


def module_page(name: str) -> str:
    """A Python module: what its docstrings say."""
    return f"# {name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n```\n"


def package_page() -> str:
    """The package itself: its functions, then the classes that they return."""
    import coppice  # only here: all else is done without it

    everything = [(name, getattr(coppice, name)) for name in coppice.__all__]
    parts = ["# coppice\n\n```{eval-rst}\n.. automodule:: coppice\n   :no-members:\n```\n"]
    for title, kind, belongs in (
        ("Functions", "function", inspect.isroutine),
        ("Classes", "class", inspect.isclass),
    ):
        names = [name for name, value in everything if belongs(value)]
        entries = "".join(f".. auto{kind}:: coppice.{name}\n" for name in names)
        parts.append(f"## {title}\n\n```{{eval-rst}}\n{entries}```\n")
    return "\n".join(parts)


def options_of(told: str) -> str:
    """What a command says of itself, its options as a table."""
    lines = []
    for line in re.sub(r"\n {32}(?=\S)", "  ", told).splitlines():
        option = re.fullmatch(r"  (\S.*?) {2,}(\S.*)", line)
        if re.fullmatch(r"(Positionals|Options):", line):
            lines += [f"| {line[:-1].lower()} | |", "|---|---|"]
        elif option:
            cells = (f"`{option[1]}`", headers.as_text(option[2]))
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        elif line.startswith("Usage: "):
            lines += ["```text", line.removeprefix("Usage: "), "```"]
        elif line and line != "Example:":
            lines += ["```sh", line.strip(), "```"]
        else:
            lines.append("")
    return "\n".join(lines)


def program_page() -> str:
    """The options of every command, as the program tells them."""

    def told(*arguments: str) -> str:
        return subprocess.check_output([PROGRAM, *arguments], text=True, encoding="utf-8")

    every = re.findall(r"^  ([a-z]+)  ", told("--help").split("Subcommands:")[1], re.MULTILINE)
    parts = ["# Options of the program\n", "What `coppice COMMAND --help` says.\n"]
    for command in every:
        summary, _, rest = told(command, "--help").partition("\n")
        parts.append(f"## {command}\n\n{headers.as_text(summary)}.\n\n{options_of(rest)}\n")
    return "\n".join(parts)


def python_index(modules: list[str]) -> str:
    """The page that lists the modules, each with the first line of its docstring."""
    lines = ["# Python modules\n", "| module | |", "|---|---|"]
    for module in modules:
        name = module.removeprefix("coppice").removeprefix(".") or "__init__"
        code = (REPOSITORY / f"python/coppice/{name}.py").read_text(encoding="utf-8")
        first = (ast.get_docstring(ast.parse(code)) or "").splitlines()[0]
        lines.append(f"| [`{module}`]({module}.md) | {first} |")
    return "\n".join([*lines, "", contents(modules)])


def contents(pages: list[str], caption: str = "") -> str:
    """A list of pages for the navigation."""
    options = f":caption: {caption}\n:hidden:\n" if caption else ":hidden:\n"
    return "\n".join(["```{toctree}", options, *pages, "```", ""])


def navigation() -> dict[str, list[str]]:
    """Captions and their pages."""
    lists = {caption: pages.split(", ") for caption, pages in NAVIGATION.items()}
    named = {re.sub(r".*<|>", "", page) for pages in lists.values() for page in pages}
    docs = REPOSITORY / "docs"
    every = (str(path.relative_to(docs).with_suffix("")) for path in sorted(docs.rglob("*.md")))
    lists["Project"] += [page for page in every if page not in named]
    return lists


def front_page() -> str:
    """The README with the page to play with, and the navigation."""
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    if not PLACE.search(readme):
        sys.exit("docs: the README has no place for the page to play with")
    readme = PLACE.sub(lambda found: f"## Trees to play with\n\n{PLAYGROUND}\n\n{found[0]}", readme)
    readme = page_of(readme, "README.md", "index.md")
    lists = [contents(pages, caption) for caption, pages in navigation().items()]
    return "\n".join(["---\nhide-toc: true\n---", readme, *lists])


def write_all(folder: Path) -> None:
    """Writes every page, and copies what they show."""
    shutil.copytree(REPOSITORY / "docs", folder)
    made = {"index.md": front_page()}
    for path in sorted(folder.rglob("*.md")):
        page = str(path.relative_to(folder))
        made[page] = page_of(path.read_text(encoding="utf-8"), f"docs/{page}", page)
    for source, page in PAGES.items():
        if source.endswith(".md") and page != "index.md":
            text = (REPOSITORY / source).read_text(encoding="utf-8")
            made[page] = page_of(text, source, page)
    for path in HEADERS:
        page = f"cpp/{path.name}.md"
        made[page] = page_of(header_page(path), f"include/coppice/{path.name}", page)
    made["cpp/index.md"] = headers.index(HEADERS) + contents([path.name for path in HEADERS])
    made["options.md"] = program_page()
    made["py/coppice.md"] = package_page()
    made |= {f"py/coppice.{name}.md": module_page(f"coppice.{name}") for name in MODULES}
    names = ["coppice", *(f"coppice.{name}" for name in MODULES)]
    made["py/index.md"] = python_index(names)
    for page, text in made.items():
        (folder / page).parent.mkdir(parents=True, exist_ok=True)
        (folder / page).write_text(text, encoding="utf-8")
