"""r/coppice.R and the R of docs/howto/graphs.md, where there is R.

    python3 r_test.py COPPICE REPOSITORY
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77


def main(program, repository):
    if shutil.which("Rscript") is None:
        print("no Rscript here: nothing of R is tested")
        return SKIPPED
    sys.path.insert(0, str(repository / "tests" / "readme"))
    from snippets import snippets

    settings = {**os.environ, "COPPICE": os.path.abspath(program), "LC_ALL": "C.UTF-8"}
    subprocess.run(["Rscript", "--vanilla", repository / "tests/r/coppice_test.R"],
                   env=settings, cwd=repository, check=True)
    page = snippets(repository / "docs/howto/graphs.md")
    [shown] = [snippet for snippet in page if snippet.language == "r"]
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(repository / "r", os.path.join(folder, "r"))
        files = page[0].code.partition("coppice decode")[0]  # those that the page begins with
        subprocess.run(["bash", "-euc", files], cwd=folder, check=True)
        printed = subprocess.run(["Rscript", "--vanilla", "-e", shown.code], env=settings, cwd=folder, check=True,
                                 capture_output=True, text=True).stdout
    if printed != shown.output:
        print(f"the page prints\n{printed}\nand promises\n{shown.output}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
