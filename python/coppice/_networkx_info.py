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
        "maximum_spanning_edges",
        "minimum_spanning_edges",
        "maximum_spanning_tree",
        "minimum_spanning_tree",
        "number_of_spanning_trees",
        "partition_spanning_tree",
        "random_spanning_tree",
    )
    return {
        "backend_name": "coppice",
        "package": "coppice",
        "project": "coppice",
        "short_summary": "Exact spanning trees, arborescences and branchings, fast.",
        "functions": {name: {} for name in functions},
    }
