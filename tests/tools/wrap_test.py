"""What tools/wrap.py fills and what it leaves alone."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from wrap import WIDTH, wrap

LONG = "word " * 30


class Wrap(unittest.TestCase):
    def test_paragraphs_and_items_are_filled(self):
        text = wrap(f"{LONG}\nand more\n\n- {LONG}\n  of it\n  - {LONG}\n1. short\n2. {LONG}\n")
        self.assertLessEqual(max(map(len, text.splitlines())), WIDTH)
        self.assertIn("word\nword", text)
        self.assertIn("word\n  word", text)
        self.assertIn("\n  - word", text)
        self.assertIn("word\n    word", text)
        self.assertIn("word and more\n\n- word", text)
        self.assertIn("\n1. short\n2. word", text)
        self.assertIn("word\n   word", text)

    def test_all_else_stays(self):
        for text in [f"# {LONG}", f"| {LONG} |", f"```\n{LONG}\n- {LONG}\n```", f"    {LONG}", f"<!-- {LONG} -->",
                     f"![{LONG}](x)", f"[x]: {LONG}", "a\n\n    code  code\n    - code\n\nb"]:
            self.assertEqual(wrap(text + "\n"), text + "\n")

    def test_no_line_begins_with_a_mark(self):
        for mark in ["-", "=", "+", "*", "1.", "12)", "#", ">", "|"]:
            for length in range(60, 110):
                for line in wrap(f"{'x' * length} {mark} {LONG}").splitlines():
                    self.assertFalse(line.startswith(mark), line)

    def test_code_is_not_broken(self):
        for length in range(60, 110):
            self.assertIn("`a b  c`", wrap(f"{'x' * length} (`a b  c`), `d {LONG}"))

    def test_wrapping_twice_changes_nothing(self):
        once = wrap(f"- {LONG}\n  {LONG}\n\n{LONG} - {LONG}\n    {LONG}\n")
        self.assertEqual(wrap(once), once)


if __name__ == "__main__":
    unittest.main()
