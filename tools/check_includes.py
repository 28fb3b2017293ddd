"""Includes go one way.

    graph, text <- {paper, engine, distribution, io, view} <- {cli, python, bench, experiments}

A room src/X sees its own headers, those of the base rooms, and the public ones (<coppice/...>).
Public headers and examples see public headers only. What stands above the rooms sees all of them,
but not each other. Tests and fuzz targets see everything.
"""

import re
import subprocess
import sys
from pathlib import Path

BASE = ("graph", "text")
ROOMS = (*BASE, "paper", "engine", "distribution", "io", "view")
UPPER = ("cli", "python", "bench", "experiments")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


def allowed_folders(path: Path) -> set[str]:
    """The folders from which a file may include by "folder/name.hpp"."""
    top = path.parts[0]
    if top == "src":
        room = path.parts[1]
        return {room} if room in BASE else {room, *BASE}
    if top in UPPER:
        return {top, *ROOMS}
    return set()


def violations(path: Path) -> list[str]:
    """The lines of a file that include what they may not."""
    found = []
    allowed = allowed_folders(path)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        match = INCLUDE.match(line)
        if match is None:
            continue
        beside = "/" not in match[1] and (path.parent / match[1]).exists()
        if not beside and match[1].split("/")[0] not in allowed:
            may = ", ".join(sorted(allowed)) or "public headers only"
            found.append(f'{path}:{number}: includes "{match[1]}" (may: {may})')
    return found


def main() -> int:
    """Check all files; the exit code."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.cpp", "*.hpp"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    found = []
    for name in listed:
        path = Path(name)
        if path.parts[0] == "src" and path.parts[1] not in ROOMS:
            found.append(f"{path}: a room that tools/check_includes.py does not know")
        elif path.parts[0] not in ("tests", "fuzz") and path.exists():
            found += violations(path)
    print("\n".join(found) or f"includes: {len(listed)} files, all one way")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
