"""From raw scores to CSVs, tables and figures.

    python -m experiments [--data FOLDER] [--report-only] [NAME...]

Run from the top of the repository, or by `make experiments [DATA=FOLDER]`. The folder holds the
score files (``*.npz``) of treebanks that are not bundled; what is recorded of treebanks that are
not found stays as it is. With ``--report-only`` nothing is measured: tables and figures are made
again from the CSVs.
"""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

EXPERIMENTS = (
    "violations",
    "legality",
    "repair",
    "oracle",
    "confidence",
    "guarantee",
    "runtime",
    "scaling",
    "annotation",
    "keep",
)


def main() -> None:
    """Measure, write, draw."""
    parser = argparse.ArgumentParser(prog="experiments", description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(EXPERIMENTS))
    parser.add_argument("--data", type=Path, help="folder with the score files not bundled")
    parser.add_argument("--rounds", type=int, default=5, help="of what is timed (default 5)")
    parser.add_argument("--report-only", action="store_true", help="measure nothing")
    parser.add_argument("--quick", action="store_true", help="a small part, to see that it runs")
    parser.add_argument("--out", type=Path, help="write there instead of into the repository")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(EXPERIMENTS)
    if unknown:
        parser.error(
            f"no experiment {', '.join(sorted(unknown))}; there are {', '.join(EXPERIMENTS)}"
        )
    if arguments.data and not arguments.data.is_dir():
        parser.error(f"--data: no folder {arguments.data}")
    try:
        from experiments.common import BUNDLED, REPOSITORY, Place, Settings
    except ModuleNotFoundError as missing:
        parser.exit(1, f"experiments: {missing}; `make experiments` installs what it needs\n")
    folders = [BUNDLED, *([arguments.data] if arguments.data else [])]
    place = Place(REPOSITORY)
    if arguments.out:
        place = place.copied_to(arguments.out)
    settings = Settings(folders, arguments.rounds, arguments.quick)
    for name in arguments.names or EXPERIMENTS:
        experiment = importlib.import_module(f"experiments.{name}")
        if not arguments.report_only:
            print(f"{name}: measuring", flush=True)
            experiment.measure(settings, place)
        experiment.report(place)
        print(f"{name}: {place.page}", flush=True)


if __name__ == "__main__":
    main()
