"""Legal trees counted and drawn: what `Constraints` does."""

from __future__ import annotations

from typing import NamedTuple

from coppice import _core
from coppice._arrays import ArrayInput, Axes, as_count, as_seed
from coppice._distribution import Samples
from coppice._graph import Multigraph, as_source
from coppice._labels import AnyLabels
from coppice._problem import Constraints, RootRule, make_facts, make_problem, refuse


class Asked(NamedTuple):
    """Of what they are."""

    graph: ArrayInput | Multigraph
    root: RootRule
    axes: Axes
    labels: AnyLabels | None
    limit: int


def count(constraints: Constraints, asked: Asked) -> int | None:
    """See `Constraints.count_legal`."""
    refuse(constraints, "count_legal", "budget", "time_limit")
    source = as_source(asked.graph, asked.axes, asked.labels)
    problem = make_problem(asked.root, source, constraints)
    facts = make_facts(constraints, source)
    return _core.count_legal(source.graph, problem, facts, as_count(asked.limit, "limit", 0))


def sample(constraints: Constraints, asked: Asked, wanted: int, seed: int | None) -> Samples:
    """See `Constraints.sample_legal`."""
    refuse(constraints, "sample_legal", "budget", "time_limit")
    source = as_source(asked.graph, asked.axes, asked.labels)
    heads, _, edges, _ = _core.draw_legal(
        source.graph,
        make_problem(asked.root, source, constraints),
        make_facts(constraints, source),
        as_count(wanted, "count", 0),
        as_seed(seed),
        as_count(asked.limit, "limit", 0),
    )
    if source.edge_labels is not None and edges is not None:
        return Samples(heads, len(heads), source.edge_labels[edges], None)
    return Samples(heads, len(heads), None, edges)
