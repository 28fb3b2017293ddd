"""The tool that writes measured figures into documents."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from tools import figures  # noqa: E402

DATA = {"bench.slow.us": 1234.0, "bench.slow/fast": 12345.6, "bench.date": "1 May 2026"}


class Figures(unittest.TestCase):
    """Documents and data."""

    def put(self, text: str) -> tuple[str, list[str]]:
        """A text with its figures, and what was wrong with them."""
        faults: list[str] = []
        return figures.put(text, DATA, "page.md", faults), faults

    def test_what_differs_is_named_and_mended(self) -> None:
        """A stale figure."""
        mended, faults = self.put("takes <!--bench.slow.us-->9 s<!--/--> here")
        self.assertEqual(mended, "takes <!--bench.slow.us-->1.2 ms<!--/--> here")
        self.assertEqual(faults, ["page.md: bench.slow.us is 1.2 ms, not 9 s"])

    def test_what_is_right_stays(self) -> None:
        """Ratios, texts, ends of lines inside."""
        right = (
            "<!--bench.slow/fast-->12,000<!--/--> <!--bench.date-->1 May\n2026<!--/-->"
            " <!-- a comment --> <!-- table x -->"
        )
        self.assertEqual(self.put(right), (right, []))

    def test_what_nobody_measured_is_named(self) -> None:
        """No such key."""
        text = "<!--bench.other-->1<!--/-->"
        self.assertEqual(self.put(text), (text, ["page.md: no program measured bench.other"]))

    def test_digits(self) -> None:
        """Two that count."""
        said = [figures.as_time(us) for us in (0.312, 5.96, 229.0, 3355114.0)]
        self.assertEqual(said, ["0.31 µs", "6 µs", "230 µs", "3.4 s"])

    def test_our_documents(self) -> None:
        """They say what the data say."""
        self.assertEqual(figures.documents(check=True), [])


if __name__ == "__main__":
    unittest.main()
