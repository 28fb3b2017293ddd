"""The pieces of the preset "demo", several sources each, compile: no two of one share a local name.

Configures the preset in build-together, and checks the syntax of its pieces.
"""

import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
SCRATCH = REPOSITORY / "build-together"


def check(entry: dict[str, str]) -> str:
    """What the compiler says against a piece."""
    command = shlex.split(entry["command"])
    output = command.index("-o")
    del command[output : output + 2]
    done = subprocess.run(
        [*command, "-fsyntax-only", "-w"], cwd=entry["directory"], capture_output=True, text=True
    )
    return done.stderr if done.returncode else ""


def main() -> int:
    """The exit code."""
    subprocess.run(
        ["cmake", "--preset", "demo", "-B", SCRATCH, "-DCMAKE_CXX_COMPILER_LAUNCHER="],
        cwd=REPOSITORY,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    commands = json.loads((SCRATCH / "compile_commands.json").read_text())
    pieces = [entry for entry in commands if "/Unity/" in entry["file"]]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        said = [text for text in pool.map(check, pieces) if text]
    print(*said, sep="\n", end="")
    print(f"together: {len(pieces)} pieces, {len(said)} do not compile (cmake: coppice_alone)")
    return 0 if pieces and not said else 1


if __name__ == "__main__":
    sys.exit(main())
