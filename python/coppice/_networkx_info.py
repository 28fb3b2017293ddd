"""What networkx is told of the backend before either of the two is loaded."""

from __future__ import annotations

from typing import Any


def backend_info() -> dict[str, Any]:
    """Said by networkx of its backends."""
    functions = (
        "maximum_spanning_arborescence",
        "minimum_spanning_arborescence",
        "maximum_branching",
        "minimum_branching",
    )
    return {
        "backend_name": "coppice",
        "package": "coppice",
        "project": "coppice",
        "short_summary": "Exact spanning arborescences and branchings, fast.",
        "functions": {name: {} for name in functions},
    }
