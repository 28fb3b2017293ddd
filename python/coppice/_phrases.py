"""Numbers in messages."""

from __future__ import annotations


def counted(count: int, one: str, many: str | None = None) -> str:
    """``1 word``, ``2 words``; the plural where it is not the word with an s."""
    if count == 1:
        return f"1 {one}"
    return f"{count} {one + 's' if many is None else many}"


def entries(count: int) -> str:
    """So many of them."""
    return counted(count, "entry", "entries")
