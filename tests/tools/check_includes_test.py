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
            ("src/io/zip.cpp", "engine/plan/planner.hpp"),
            ("src/view/svg.cpp", "io/zip.hpp"),
            ("src/engine/solve/dense.cpp", "paper/opt.hpp"),
            ("src/graph/graph.cpp", "text/json.hpp"),
            ("src/io/zip.cpp", "cli/output.hpp"),
            ("include/coppice/io.hpp", "graph/input.hpp"),
            ("examples/kbest.cpp", "engine/plan/planner.hpp"),
            ("cli/decode.cpp", "python/arrays.hpp"),
        ):
            for spelling in (f'"{header}"', f"<{header}>"):
                self.assertFalse(accepted(path, spelling), f"{spelling} from {path}")

    def test_rooms_of_the_engine_go_one_way(self):
        for path, header in (
            ("numbers/scale.hpp", "simd/simd.hpp"),
            ("simd/simd.hpp", "solve/dense.hpp"),
            ("solve/sparse.hpp", "prune/bound.hpp"),
            ("prune/candidates.hpp", "list/sweep.hpp"),
            ("prune/candidates.hpp", "partition/tree_source.hpp"),
            ("list/sweep.hpp", "partition/tree_source.hpp"),
            ("partition/partition_queue.hpp", "list/sweep.hpp"),
            ("partition/partition_queue.hpp", "prune/reduced_graph.hpp"),
            ("partition/partition_queue.hpp", "plan/planner.hpp"),
            ("marginals/max_marginals.cpp", "plan/planner.hpp"),
            ("marginals/max_marginals.cpp", "prune/bound.hpp"),
            ("ties/ties.cpp", "marginals/cheapest_paths.hpp"),
            ("plan/planner.cpp", "ties/tree_sums.hpp"),
            ("tuning.hpp", "numbers/scale.hpp"),
            ("plan/planner.cpp", "attic/pipeline.hpp"),
        ):
            spelling = f'"engine/{header}"'
            self.assertFalse(accepted(f"src/engine/{path}", spelling), f"{path} {header}")
            self.assertTrue(accepted("tests/engine/any_test.cpp", spelling), header)

    def test_what_rooms_of_the_engine_see(self):
        for path, header in (
            ("simd/simd.hpp", "numbers/scale.hpp"),
            ("solve/dense.hpp", "simd/simd.hpp"),
            ("solve/dense.cpp", "solve/dense.hpp"),
            ("prune/bound.hpp", "solve/tree_edits.hpp"),
            ("list/sweep.hpp", "prune/reduced_graph.hpp"),
            ("plan/planner.hpp", "partition/partition_queue.hpp"),
            ("ties/tight_family.cpp", "solve/tree_solver.hpp"),
            ("marginals/max_marginals.cpp", "numbers/tree_score.hpp"),
            ("list/sweep.hpp", "tuning.hpp"),
        ):
            spelling = f'"engine/{header}"'
            self.assertTrue(accepted(f"src/engine/{path}", spelling), f"{path} {header}")

    def test_detours_are_seen(self):
        for spelling in ('"../io/zip.hpp"', "<../io/zip.hpp>", '"src/io/zip.hpp"', "<./io/zip.hpp>"):
            self.assertFalse(accepted("src/view/svg.cpp", spelling), spelling)
        self.assertFalse(violations(Path("src/io/zip.cpp"), "// engine/plan/planner.hpp\n"))
        include = "  #  include   <engine/plan/planner.hpp>\n"
        self.assertTrue(violations(Path("src/io/zip.cpp"), include))

    def test_what_is_allowed(self):
        for path, spelling in (
            ("src/io/zip.cpp", '"io/zip.hpp"'),
            ("src/io/npy.cpp", '"text/utf8.hpp"'),
            ("src/io/npy.cpp", "<coppice/io.hpp>"),
            ("src/io/npy.cpp", "<fmt/format.h>"),
            ("src/engine/simd/simd.cpp", "<hwy/highway.h>"),
            ("cli/decode.cpp", '"io/zip.hpp"'),
            ("python/src/program.cpp", '"cli/program.hpp"'),
            ("tests/io/damage_test.cpp", '"engine/plan/planner.hpp"'),
        ):
            self.assertTrue(accepted(path, spelling), f"{spelling} from {path}")
        self.assertTrue(accepted("cli/decode.cpp", '"input.hpp"', beside=True))

    def test_one_dialect(self):
        for path, spelling in (
            ("src/io/zip.cpp", "<io/zip.hpp>"),
            ("src/io/zip.cpp", '"coppice/io.hpp"'),
            ("tests/io/damage_test.cpp", "<engine/plan/planner.hpp>"),
        ):
            self.assertFalse(accepted(path, spelling), f"{spelling} from {path}")
        self.assertFalse(accepted("src/io/zip.cpp", '"zip.hpp"', beside=True))


if __name__ == "__main__":
    unittest.main()
