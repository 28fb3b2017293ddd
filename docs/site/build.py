"""Builds the documentation site and looks at every link of it.

    python docs/site/build.py [FOLDER]

Needs the packages of the group `docs` in pyproject.toml and the program, build/coppice. A link that
leads nowhere is an error, and so is whatever a reader's browser would have to fetch from elsewhere.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import documents

REPOSITORY = Path(__file__).parent.parent.parent
ENGLISH = "data/ud-scores/English-EWT"
SENTENCES = "132/182"  # a dozen, the first being that of docs/howto/constraints.md
FETCHED = {
    ("script", "src"),
    ("img", "src"),
    ("iframe", "src"),
    ("source", "src"),
    ("link", "href"),
}
CSS_ADDRESS = re.compile(r"url\(\s*['\"]?([^'\")]+)")


@dataclass
class Html(HTMLParser):
    """The links of a page, and the places in it that can be linked to."""

    links: list[tuple[str, bool]] = field(default_factory=list)  # and whether it is fetched
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Called for every element."""
        for name, value in attrs:
            if value is None:
                continue
            if name in ("id", "name"):
                self.anchors.add(value)
            elif name in ("href", "src"):
                self.links.append((value, (tag, name) in FETCHED))


def read(path: Path) -> Html:
    """A page, looked through."""
    page = Html()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def what_is_wrong(site: Path) -> list[str]:
    """One line for each link that leads nowhere, or that a browser fetches from elsewhere."""
    pages = {path: read(path) for path in sorted(site.rglob("*.html"))}
    wrong = []
    for path, page in pages.items():
        for link, fetched in page.links:
            parts = urlsplit(link)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:
                if fetched:
                    wrong.append(f"{path.relative_to(site)}: fetches {link}")
                continue
            aim = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not aim.is_file():
                wrong.append(f"{path.relative_to(site)}: there is no {link}")
            elif (
                parts.fragment
                and aim in pages
                and unquote(parts.fragment) not in pages[aim].anchors
            ):
                wrong.append(f"{path.relative_to(site)}: no such place, {link}")
    for path in sorted(site.rglob("*.css")):
        for link in CSS_ADDRESS.findall(path.read_text(encoding="utf-8")):
            if urlsplit(link).netloc:
                wrong.append(f"{path.relative_to(site)}: fetches {link}")
    return wrong


def write_articles(site: Path) -> None:
    """The text of all pages as a script, for excerpts where pages are read from disk."""
    article = re.compile(r'<article role="main".*</article>', re.DOTALL)
    articles = {
        str(path.relative_to(site)): found[0]
        for path in sorted(site.rglob("*.html"))
        if (found := article.search(path.read_text(encoding="utf-8")))
    }
    text = f"window.articles = {json.dumps(articles)};\n"
    (site / "_static/articles.js").write_text(text, encoding="utf-8")


def main(site: Path) -> None:
    """Writes the site, or says what is wrong with it."""
    with tempfile.TemporaryDirectory() as folder:
        sources = Path(folder) / "sources"
        documents.write_all(sources)
        shutil.rmtree(site, ignore_errors=True)
        options = ["--quiet", "--fail-on-warning", "--keep-going", "--conf-dir", "docs/site"]
        options += ["--doctree-dir", f"{folder}/trees"]
        command = [sys.executable, "-m", "sphinx", *options, sources, site]
        ended = subprocess.run(command, cwd=REPOSITORY)
    if ended.returncode:
        sys.exit("docs: the site could not be built, see above")
    write_articles(site)
    page = ["annotate", f"{ENGLISH}.npz", "--text", "data/en_ewt-ud-test.conllu"]
    page += ["--labels", f"{ENGLISH}.labels.npz", "--shard", SENTENCES, "--title", "coppice"]
    subprocess.run(
        [documents.PROGRAM, *page, "-o", site / "playground.html"], cwd=REPOSITORY, check=True
    )
    wrong = what_is_wrong(site)
    if wrong:
        sys.exit("\n".join(["docs: links that are no good:", *wrong]))
    print(f"docs: {len(list(site.rglob('*.html')))} pages, all links good: {site}/index.html")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/site").resolve())
