"""Routes: the ten cheapest distribution trees of a network of 100,000 nodes.

Simulated: a grid of streets, every piece with a cost each way. One depot must reach every corner;
the trees are ranked by what they cost altogether, exactly, in a second or two.

    python examples/gallery/routes.py [PICTURE.svg]
"""

from __future__ import annotations

import sys
import time

import numpy as np

import coppice

SIDE, TREES, WINDOW, STEP = 317, 10, 40, 14


def street_grid(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sources, targets and costs; node 0 is the depot, a corner of the grid."""
    random = np.random.default_rng(seed)
    place = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)
    there = np.concatenate([place[:, :-1].ravel(), place[:-1].ravel()])
    back = np.concatenate([place[:, 1:].ravel(), place[1:].ravel()])
    sources, targets = np.concatenate([there, back]), np.concatenate([back, there])
    return sources, targets, random.integers(1, 1_000_000, len(sources))


def draw(graph: coppice.Multigraph, trees: coppice.KBestResult) -> str:
    """The best tree around a street that another tree takes; such streets are marked."""
    assert trees.edges is not None
    best = set(trees.edges[0].tolist())
    others = set(np.unique(trees.edges).tolist()) - best
    middle = divmod(int(graph.targets[min(others)]), SIDE)
    top, left = (min(max(0, c - WINDOW // 2), SIDE - WINDOW) for c in middle)
    lines = []
    for edge in sorted(best | others):
        (y1, x1), (y2, x2) = (
            divmod(int(end[edge]) - top * SIDE - left, SIDE)
            for end in (graph.sources, graph.targets)
        )
        if min(y1, y2) < 0 or max(x1, x2, y1, y2) >= WINDOW:
            continue
        style = 'stroke="#d9600a" stroke-width="4"' if edge in others else 'stroke="#5b6b86"'
        x1, y1, x2, y2 = (STEP * (c + 1) for c in (x1, y1, x2, y2))
        lines.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" {style}/>')
    size = STEP * (WINDOW + 1)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}">\n'
    paper = '<rect width="100%" height="100%" fill="#fff"/>\n'
    return head + paper + "\n".join(lines) + "\n</svg>\n"


def main(picture: str = "routes.svg") -> None:
    """Rank the trees, count those that tie, and draw a part."""
    graph = coppice.Multigraph(*street_grid(seed=1), nodes=SIDE * SIDE)
    start = time.perf_counter()
    trees = coppice.kbest(graph, TREES, root="any", minimize=True)
    seconds = time.perf_counter() - start
    best = coppice.Ties(graph, root="any", minimize=True).count(log=True) / np.log(10)
    print(f"{graph.nodes:,} nodes, {len(graph):,} streets, {TREES} trees")
    print(f"costs {trees.scores[0]:,} to {trees.scores[-1]:,}; 10^{best:.1f} trees cost the least")
    print(f"({seconds:.1f} s)", file=sys.stderr)
    with open(picture, "w", encoding="utf-8") as file:
        file.write(draw(graph, trees))


if __name__ == "__main__":
    main(*sys.argv[1:])
