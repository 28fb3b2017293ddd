"""The checker of includes catches what it is there for, in either spelling."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from check_includes import violations  # noqa: E402


def accepted(path: str, include: str, beside: bool = False) -> bool:
    return not violations(Path(path), f"#include {include}\n", lambda _: beside)


class CheckIncludes(unittest.TestCase):
    def test_rooms_do_not_see_each_other(self):
        for path, header in (
            ("src/io/zip.cpp", "engine/pipeline.hpp"),
            ("src/view/svg.cpp", "io/zip.hpp"),
            ("src/engine/dense.cpp", "paper/opt.hpp"),
            ("src/graph/graph.cpp", "text/json.hpp"),
            ("src/io/zip.cpp", "cli/output.hpp"),
            ("include/coppice/io.hpp", "graph/input.hpp"),
            ("examples/kbest.cpp", "engine/pipeline.hpp"),
            ("cli/decode.cpp", "python/arrays.hpp"),
        ):
            for spelling in (f'"{header}"', f"<{header}>"):
                self.assertFalse(accepted(path, spelling), f"{spelling} from {path}")

    def test_detours_are_seen(self):
        for spelling in ('"../io/zip.hpp"', "<../io/zip.hpp>", '"src/io/zip.hpp"', "<./io/zip.hpp>"):
            self.assertFalse(accepted("src/view/svg.cpp", spelling), spelling)
        self.assertFalse(violations(Path("src/io/zip.cpp"), "// engine/pipeline.hpp\n"))
        self.assertTrue(violations(Path("src/io/zip.cpp"), "  #  include   <engine/pipeline.hpp>\n"))

    def test_what_is_allowed(self):
        for path, spelling in (
            ("src/io/zip.cpp", '"io/zip.hpp"'),
            ("src/io/npy.cpp", '"text/utf8.hpp"'),
            ("src/io/npy.cpp", "<coppice/io.hpp>"),
            ("src/io/npy.cpp", "<fmt/format.h>"),
            ("src/engine/simd.cpp", "<hwy/highway.h>"),
            ("cli/decode.cpp", '"io/zip.hpp"'),
            ("python/src/program.cpp", '"cli/program.hpp"'),
            ("tests/io/damage_test.cpp", '"engine/pipeline.hpp"'),
        ):
            self.assertTrue(accepted(path, spelling), f"{spelling} from {path}")
        self.assertTrue(accepted("cli/decode.cpp", '"input.hpp"', beside=True))

    def test_one_dialect(self):
        for path, spelling in (
            ("src/io/zip.cpp", "<io/zip.hpp>"),
            ("src/io/zip.cpp", '"coppice/io.hpp"'),
            ("tests/io/damage_test.cpp", "<engine/pipeline.hpp>"),
        ):
            self.assertFalse(accepted(path, spelling), f"{spelling} from {path}")
        self.assertFalse(accepted("src/io/zip.cpp", '"zip.hpp"', beside=True))


if __name__ == "__main__":
    unittest.main()
