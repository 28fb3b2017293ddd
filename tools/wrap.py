"""Wraps the text of Markdown files at 100 columns, as our code is.

    python3 tools/wrap.py [--check] [FILE...]    without files: all of the repository

Paragraphs and items of lists are filled; code, tables, headings, HTML and link targets stay as they
are. No line begins with what Markdown would take for a list, a heading or a quotation.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WIDTH = 100
FENCE = re.compile(r"\s*(```|~~~)")
ITEM = re.compile(r"( *)([-*+]|\d+[.)])( +)(?=\S)")
# Lines that are no text, or text that must not be joined with its neighbours.
VERBATIM = re.compile(r"#|\||<|>|!\[|\[[^\]]+\]:|---$|===|    |\t")
WORD = re.compile(r"(?:`[^`]+`|\S)+")  # code stays on one line
MARKER = re.compile(r"([-*+=>|#]+|\d+[.)])$|[#>|<]")


def fill(text: str, first: str, rest: str) -> list[str]:
    """A paragraph as lines, with what stands before the first and before the others."""
    lines: list[str] = []
    line = ""
    for word in WORD.findall(text):
        before = rest if lines else first
        if line and len(before) + len(line) + 1 + len(word) > WIDTH and not MARKER.match(word):
            lines.append(before + line)
            line = word
        else:
            line += f" {word}" if line else word
    return [*lines, (rest if lines else first) + line]


def wrap(text: str) -> str:
    """A document with its paragraphs filled."""
    lines: list[str] = []
    paragraph: list[str] = []
    first = rest = ""

    def flush() -> None:
        nonlocal first, rest
        if paragraph:
            lines.extend(fill(" ".join(paragraph), first, rest))
        paragraph.clear()
        first = rest = ""

    fenced = False
    for line in text.splitlines():
        item = ITEM.match(line)
        if fenced or FENCE.match(line):
            flush()
            fenced ^= bool(FENCE.match(line))
            lines.append(line)
        elif item and not (line.startswith("    ") and not paragraph):
            flush()
            first = item[0]
            rest = " " * len(first)
            paragraph.append(line[len(first) :])
        elif not line or (VERBATIM.match(line) and not (paragraph and line.startswith("    "))):
            flush()
            lines.append(line)
        elif not paragraph and line.startswith(" "):
            flush()
            first = rest = " " * (len(line) - len(line.lstrip()))
            paragraph.append(line.strip())
        else:
            paragraph.append(line.strip())
    flush()
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> None:
    """Wraps the files, or says which are not wrapped."""
    check = "--check" in arguments
    names = [name for name in arguments if name != "--check"]
    if not names:
        listed = ["git", "ls-files", "*.md"]
        names = subprocess.check_output(listed, cwd=ROOT, text=True).split()
    wrong = []
    for name in names:
        path = ROOT / name
        text = path.read_text(encoding="utf-8")
        if wrap(text) != text:
            wrong.append(name)
            if not check:
                path.write_text(wrap(text), encoding="utf-8")
    if check and wrong:
        sys.exit("\n".join(["wrap: not filled to 100 columns (make format):", *wrong]))


if __name__ == "__main__":
    main(sys.argv[1:])
