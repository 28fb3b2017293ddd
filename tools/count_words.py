"""Counts the words of the documents: a table, and an error where there are more than promised.

    python3 tools/count_words.py [--quiet]    --quiet: only what is wrong

A word is what stands between blanks, code and tables included.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Pages for those who use coppice. The glossary is not among them, nor are pages about how coppice
# works or was measured.
USERS = [
    "tutorial",
    "choose",
    "migration",
    "questions",
    "cli",
    "python",
    "formats",
    "parsers",
    "rules",
    "annotate",
    "corpora",
    "cpp",
    "c",
    "javascript",
    "limits",
]
README, PAGES = 900, 22_000


def words(path: Path) -> int:
    """The words of one page."""
    return len(path.read_text(encoding="utf-8").split())


def main() -> None:
    """Print the table, then what is wrong."""
    docs = ROOT / "docs"
    users = [*(docs / f"{name}.md" for name in USERS), *sorted((docs / "howto").glob("*.md"))]
    groups = {
        "front": [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")],
        "for users": users,
        "how it works, what was measured": sorted(set(docs.rglob("*.md")) - set(users)),
    }
    if "--quiet" not in sys.argv[1:]:
        print("| page | words |\n|---|---:|")
        for group, paths in groups.items():
            for path in paths:
                print(f"| {path.relative_to(ROOT)} | {words(path):,} |")
            print(f"| **{group}** | **{sum(map(words, paths)):,}** |")
    limits = {
        "README.md": (words(ROOT / "README.md"), README),
        "the pages for users": (sum(map(words, users)), PAGES),
    }
    wrong = [
        f"words: {name}: {count:,} words, at most {most:,}"
        for name, (count, most) in limits.items()
        if count > most
    ]
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
