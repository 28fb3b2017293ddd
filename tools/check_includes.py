"""Includes go one way, and are written in one way.

    graph, text <- {paper, rules, engine, distribution, undirected, c, io, view}
                <- {cli, python, bench, experiments, wasm}

A room src/X sees its own headers, those of the base rooms, and the public ones. Public headers and
examples see public headers only. What stands above the rooms sees all of them, but not each other;
benchmarks also see the hostile graphs of tests/zoo, and Python, which brings it along, the program.
Tests and fuzz targets see everything.

Inside src/engine the folders are rooms again (docs/engine.md):

    numbers <- simd <- solve <- {prune <- list, partition} <- plan
                       solve <- {marginals, ties}

A room sees itself and those before it; marginals and ties see numbers and solve alone. What lies in
src/engine itself (tuning.hpp) is for everybody and sees no room.

Public headers are written <coppice/...>, all others of ours "folder/name.hpp"; above the rooms also
"name.hpp" for a file of the same folder. The checker reads both spellings: a compiler takes either.
"""

import re
import sys
from pathlib import Path

BASE = ("graph", "text")
ROOMS = (*BASE, "paper", "rules", "engine", "distribution", "undirected", "c", "io", "view")
UPPER = ("cli", "python", "bench", "experiments", "wasm")
FREE = ("tests", "fuzz")
EXTRA = {"bench": {"zoo"}, "python": {"cli"}}
# The rooms of the engine, and which others each of them sees.
ENGINE = {
    "numbers": (),
    "simd": ("numbers",),
    "solve": ("numbers", "simd"),
    "prune": ("numbers", "simd", "solve"),
    "list": ("numbers", "simd", "solve", "prune"),
    "partition": ("numbers", "simd", "solve"),
    "plan": ("numbers", "simd", "solve", "prune", "list", "partition"),
    "marginals": ("numbers", "solve"),
    "ties": ("numbers", "solve"),
}
FOLDERS = ("include", "src", *UPPER, *FREE, "examples")
SUFFIXES = (".c", ".cpp", ".h", ".hpp", ".cpp.in")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def allowed_folders(path: Path) -> set[str]:
    """The folders from which a file may include by "folder/name.hpp"."""
    top = path.parts[0]
    if top == "src":
        room = path.parts[1]
        return {room} if room in BASE else {room, *BASE}
    if top in UPPER:
        return {top, *ROOMS, *EXTRA.get(top, ())}
    return set()


def engine_fault(path: Path, name: str) -> str | None:
    """What is wrong with the include of `name` by a file of the engine, if anything."""
    parts = name.split("/")
    if parts[0] != "engine" or len(parts) < 3:
        return None
    room = path.parts[2] if len(path.parts) > 3 else ""  # none: the file lies in src/engine itself
    if parts[1] not in ENGINE:
        return "a room of the engine that tools/check_includes.py does not know"
    if parts[1] in (room, *ENGINE.get(room, ())):
        return None
    return "may: " + (", ".join("engine/" + seen for seen in ENGINE.get(room, ())) or "no room")


def fault(path: Path, quoted: bool, name: str, beside: bool) -> str | None:
    """What is wrong with the include of `name` by the file at `path`, if anything."""
    folder = name.split("/")[0]
    if folder == "coppice":
        return "public headers are written <...>" if quoted else None
    if not quoted and folder not in (*ROOMS, *UPPER, "src", "include", "."):
        return None if folder != ".." else "no way up"  # another library's
    neighbour = beside and quoted and path.parts[0] in UPPER
    if not neighbour and path.parts[0] not in FREE and folder not in allowed_folders(path):
        return "may: " + (", ".join(sorted(allowed_folders(path))) or "public headers only")
    if path.parts[:2] == ("src", "engine") and (wrong := engine_fault(path, name)) is not None:
        return wrong
    return None if quoted else 'written "..."'


def violations(path: Path, text: str, exists=Path.exists) -> list[str]:
    """The lines of a file that include what they may not, or not as they should."""
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        match = INCLUDE.match(line)
        if match is None:
            continue
        beside = "/" not in match[2] and exists(path.parent / match[2])
        wrong = fault(path, match[1] == '"', match[2], beside)
        if wrong is not None:
            found.append(f"{path}:{number}: includes {match[2]} ({wrong})")
    return found


def main() -> int:
    """Check all files below the current folder; the exit code."""
    found = []
    files = [
        path
        for folder in FOLDERS
        for path in sorted(Path(folder).rglob("*"))
        if path.name.endswith(SUFFIXES)
    ]
    for path in files:
        if path.parts[0] == "src" and path.parts[1] not in ROOMS:
            found.append(f"{path}: a room that tools/check_includes.py does not know")
        inner = path.parts[2:-1] if path.parts[:2] == ("src", "engine") else ()
        if inner and inner not in {(room,) for room in ENGINE}:
            found.append(f"{path}: no room of the engine that tools/check_includes.py knows")
        found += violations(path, path.read_text(encoding="utf-8"))
    print("\n".join(found) or f"includes: {len(files)} files, all one way")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
