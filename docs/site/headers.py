"""C++ headers as pages: what a header says of itself, then every declaration with its comment.

The headers are formatted by clang-format, and written one way: a comment that opens the file, then
declarations with blank lines between them, each behind the comment that explains it. That is all
that is asked of them here; nothing is compiled.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby, takewhile
from pathlib import Path

CODE_IN_TEXT = re.compile(
    r"\b\w+(?:::\w+)+(?:\(\))?|\b\w+_\w+(?:\(\))?|\b[a-z]\w*\(\)|--[a-z][\w-]+"
)
SPECIAL = re.compile(r"([*_<\[\]])")
SECTION = re.compile(r"-+ (.*?) -+$")
NAMES = (
    re.compile(r"^(?:typedef )?(?:class|struct|enum class|enum|union) (\w+)"),
    re.compile(r"^using (\w+) ="),
    re.compile(r"^#define (\w+)"),
    re.compile(r"^(?:inline |static )?constexpr [\w:<> ]+? (\w+) ="),
    re.compile(r"^(?!friend|return|template)[\w:<>,&* \[\]]*?[ &*](\w+)\("),
)


@dataclass
class Block:
    """Declarations between two blank lines, and the comment before them."""

    comment: list[str]
    code: list[str]


def is_comment(line: str) -> bool:
    """Of either kind."""
    return line.lstrip().startswith(("//", "/*", "*/")) or line.startswith(" *")


def uncomment(line: str) -> str:
    """What a line of a comment says, its indentation within the comment kept."""
    return re.sub(r"^\s*(//|/\*+|\*/|\*)\s?(?=\s|\S|$)", "", line).removesuffix("*/").rstrip()


def as_text(line: str) -> str:
    """A line of prose with its names as code and nothing that Markdown would take for its own."""
    parts, at = [], 0
    for name in CODE_IN_TEXT.finditer(line):
        parts += [SPECIAL.sub(r"\\\1", line[at : name.start()]), f"`{name[0]}`"]
        at = name.end()
    return "".join([*parts, SPECIAL.sub(r"\\\1", line[at:])])


def as_markdown(comment: list[str]) -> str:
    """A comment as Markdown: what is indented is code."""
    parts: list[str] = []
    for is_code, lines in groupby(map(uncomment, comment), lambda line: line.startswith("  ")):
        if is_code:
            parts += ["", "```cpp", *(line[2:] for line in lines), "```", ""]
        else:
            parts += map(as_text, lines)
    return "\n".join(parts).strip()


def without_private_parts(code: list[str]) -> list[str]:
    """What a class shows."""
    kept: list[str] = []
    hidden = False
    for line in code:
        if re.match(r"\s*(private|protected):", line):
            hidden = True
        elif re.match(r"\s*public:", line) or line == "};":
            hidden = False
        if not hidden:
            kept.append(line)
    while len(kept) > 1 and kept[-1] == "};" and not kept[-2]:
        del kept[-2]
    return kept


def blocks(lines: list[str]) -> list[Block]:
    """Declarations of a header's body, each with the comment before it."""
    found: list[Block] = []
    comment: list[str] = []
    code: list[str] = []
    depth = 0
    for line in [*lines, ""]:
        if depth == 0 and not line:
            if comment or code:
                found.append(Block(comment, without_private_parts(code)))
            comment, code = [], []
        elif not code and is_comment(line):
            comment.append(line)
        else:
            code.append(line)
            depth += line.count("{") - line.count("}")
    return found


def names(block: Block) -> list[str]:
    """Of what a block declares, each once, in order; not of its members."""
    found: list[str] = []
    for line in block.code:
        matches = (pattern.match(line) for pattern in NAMES if not line.startswith(" "))
        found += [name[1] for name in matches if name][:1]
    return list(dict.fromkeys(found))


@dataclass
class Header:
    """The parts of a header: its opening comment, and the lines between includes and the end."""

    opening: list[str]
    body: list[str]

    @classmethod
    def read(cls, path: Path) -> Header:
        """From its file."""
        lines = path.read_text(encoding="utf-8").splitlines()
        end = next(i for i, line in enumerate(lines) if not is_comment(line))
        skipped = re.compile(
            r"#(pragma once|include|ifndef \w+_H|define \w+_H_?$|endif|ifdef __cplusplus)"
            r'|namespace|}  // namespace|extern "C"|}  // extern'
        )
        body = [line for line in lines[end:] if not skipped.match(line)]
        return cls(lines[:end], body)

    @property
    def summary(self) -> str:
        """The first sentence, or what is said before an example."""
        lines = takewhile(bool, map(uncomment, self.opening))
        return as_text(re.split(r"(?<=\.)\s", " ".join(lines).strip())[0])


def page(path: Path) -> str:
    """A header as a page."""
    header = Header.read(path)
    parts = [f"# {path.name}", "```cpp", f"#include <coppice/{path.name}>", "```", ""]
    parts.append(as_markdown(header.opening))
    level = "##"
    for block in blocks(header.body):
        section = None if block.code else SECTION.match(" ".join(map(uncomment, block.comment)))
        if section:
            parts.append(f"\n## {section[1]}")
            level = "###"
            continue
        declared = names(block)
        if declared:
            parts.append(f"\n{level} " + ", ".join(f"`{name}`" for name in declared[:4]))
        parts += ["", as_markdown(block.comment)]
        parts += ["", "```cpp", *block.code, "```"] if block.code else []
    return "\n".join(parts) + "\n"


def index(paths: list[Path]) -> str:
    """The page that lists the headers."""
    rows = [f"| [`{path.name}`]({path.name}.md) | {Header.read(path).summary} |" for path in paths]
    return "\n".join(
        [
            "# C++ headers",
            "",
            "The whole interface, from the headers themselves. How to build and link is on the",
            "[page on C++](../cpp.md).",
            "",
            "| header | |",
            "|---|---|",
            *rows,
            "",
        ]
    )
