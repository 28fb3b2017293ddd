"""The K best trees of a directed graph: exactly, in order, with one root edge or any number.

>>> import coppice
>>> scores = [[0, 9, 10], [0, 0, 20], [0, 30, 0]]  # [head, dependent], node 0 is the root
>>> for tree in coppice.kbest(scores, 2, root="single"):
...     print(tree.heads, tree.score)
[2 0] 40
[0 1] 29
"""

from coppice import _core
from coppice._batch import kbest_batch
from coppice._batches import BatchResult
from coppice._decode import (
    TreeStream,
    best,
    best_by_root,
    iter_kbest,
    kbest,
    max_marginals,
)
from coppice._distribution import (
    DistributionBatch,
    Samples,
    TreeDistribution,
    distribution_batch,
)
from coppice._diverse import diverse
from coppice._files import write_scores
from coppice._graph import Multigraph
from coppice._guarantee import Guarantee
from coppice._labels import Labels
from coppice._parses import Parses
from coppice._problem import Constraints, RootRule
from coppice._results import KBestResult, Tree
from coppice._temperature import Temperature
from coppice._ties import Ties
from coppice._verify import verify

__version__ = _core.version

__all__ = [
    "BatchResult",
    "Constraints",
    "DistributionBatch",
    "Guarantee",
    "KBestResult",
    "Labels",
    "Multigraph",
    "Parses",
    "RootRule",
    "Samples",
    "Temperature",
    "Ties",
    "Tree",
    "TreeDistribution",
    "TreeStream",
    "best",
    "best_by_root",
    "distribution_batch",
    "diverse",
    "iter_kbest",
    "kbest",
    "kbest_batch",
    "max_marginals",
    "verify",
    "write_scores",
]
