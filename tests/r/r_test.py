"""r/coppice.R and the code of docs/r.md, where there is R.

    python3 r_test.py COPPICE REPOSITORY
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

SKIPPED = 77


def main(program, repository):
    if shutil.which("Rscript") is None:
        print("no Rscript here: nothing of R is tested")
        return SKIPPED
    sys.path.insert(0, str(repository / "tests" / "readme"))
    from snippets import snippets

    settings = {**os.environ, "COPPICE": program, "LC_ALL": "C.UTF-8"}
    subprocess.run(["Rscript", "--vanilla", repository / "tests/r/coppice_test.R"],
                   env=settings, cwd=repository, check=True)
    code, expected = "", ""
    for snippet in snippets(repository / "docs" / "r.md"):
        if snippet.language == "r":
            code += snippet.code
            expected += snippet.output or ""
    printed = subprocess.run(["Rscript", "--vanilla", "-e", code], env=settings, cwd=repository, check=True,
                             capture_output=True, text=True).stdout
    if printed != expected:
        print(f"docs/r.md prints\n{printed}\nand promises\n{expected}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
