"""The code that our documents show, taken out so that it can be run.

A fenced block is a snippet. A comment on the line before the fence says more about it:

    <!-- run -->      run this shell (```sh) block as a test
    <!-- output -->   this block is what the snippet before it prints
    <!-- prints COMMAND -->   this block is what a command prints that the document does not show

As a program it writes the C and C++ snippets of documents as files, with the outputs that they promise,
and prints one line per snippet for CMake: NAME;SOURCE;OUTPUT (empty where nothing is promised).
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^```(\S*)\s*$")
COMMENT = re.compile(r"^<!-- (run|output|prints) ?(.*?) ?-->\s*$")


@dataclass
class Snippet:
    document: Path
    line: int  # of the first line of code
    language: str
    code: str
    directive: str = ""
    output: str | None = None

    @property
    def name(self) -> str:
        return f"{self.document.stem}_line_{self.line}"


def snippets(document: Path) -> list[Snippet]:
    """All snippets of a document, in order, outputs joined to the snippets that print them."""
    found: list[Snippet] = []
    lines = document.read_text(encoding="utf-8").splitlines()
    at = 0
    while at < len(lines):
        fence = FENCE.match(lines[at])
        if fence is None:
            at += 1
            continue
        end = next((i for i in range(at + 1, len(lines)) if lines[i].rstrip() == "```"), None)
        if end is None:
            raise SystemExit(f"{document}:{at + 1}: a fence that is never closed")
        comment = COMMENT.match(lines[at - 1]) if at > 0 else None
        directive = comment[1] if comment else ""
        code = "\n".join(lines[at + 1 : end]) + "\n"
        if directive == "output":
            found[-1].output = code
        elif directive == "prints":
            found.append(Snippet(document, at, "sh", f"{comment[2]}\n", "run", code))
        else:
            found.append(Snippet(document, at + 2, fence[1], code, directive))
        at = end + 1
    return found


def commands(document: Path) -> list[Snippet]:
    """Commands in indented blocks that name bundled data; behind "$ " with what they print."""
    found: list[Snippet] = []
    text = document.read_text(encoding="utf-8")
    for block in re.finditer(r"(?:^    .*\n)+", text, re.MULTILINE):
        lines = [line[4:] for line in block[0].splitlines()]
        end = next(i for i, line in enumerate(lines) if not line.endswith("\\")) + 1
        code, printed = "\n".join(lines[:end]), "\n".join([*lines[end:], ""])
        if re.match(r"(\$ )?coppice .*\bdata/", code):
            line = text.count("\n", 0, block.start()) + 1
            output = printed if code.startswith("$ ") else None
            found.append(Snippet(document, line, "sh", code.removeprefix("$ "), "run", output))
    return found


def as_program(snippet: Snippet) -> str:
    """C++ that compiles: a snippet without main becomes its body."""
    place = f'#line {snippet.line} "{snippet.document}"\n'
    if "int main" in snippet.code:
        return place + snippet.code
    lines = snippet.code.splitlines()
    includes = [line for line in lines if line.startswith("#include")]
    body = ["" if line.startswith("#include") else line for line in lines]
    return "\n".join([*includes, "int main() {", place + "\n".join(body), "}", ""])


def write(path: Path, text: str) -> None:
    """Leaves a file alone that has this text already, so that nothing is built again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main(folder: Path, documents: list[Path]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for document in documents:
        for snippet in snippets(document):
            if snippet.language == "cpp":
                code, suffix = as_program(snippet), ".cpp"
            elif snippet.language == "c":  # whole programs
                code, suffix = snippet.code, ".c"
            elif snippet.language == "sh" and snippet.directive == "run":
                code, suffix = snippet.code, ".sh"
            else:
                continue
            source = folder / (snippet.name + suffix)
            write(source, code)
            output = ""
            if snippet.output is not None:
                output = str(source.with_suffix(".expected"))
                write(Path(output), snippet.output)
            print(f"{snippet.name};{source};{output}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
