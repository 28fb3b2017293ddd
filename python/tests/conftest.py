"""Settings and fixtures of all tests."""

from __future__ import annotations

import os
from collections import Counter

import numpy as np
import pytest
from hypothesis import settings

from support import REPOSITORY

# Without a GPU kernels run in Triton's interpreter. Triton looks at this when it is imported.
if not os.path.exists("/dev/nvidia0"):
    os.environ.setdefault("TRITON_INTERPRET", "1")

settings.register_profile("coppice", deadline=None, derandomize=True, max_examples=60)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "coppice"))


@pytest.fixture(params=["single", "any"])
def root(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def english() -> tuple[np.ndarray, np.ndarray]:
    """The first sentences of a real test set: flat scores and lengths."""
    with np.load(REPOSITORY / "data" / "ud-scores" / "English-EWT.npz") as arrays:
        lengths = arrays["lengths"][:300]
        flat = arrays["scores"][: ((lengths.astype(np.int64) + 1) ** 2).sum()]
    return flat, lengths


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many tests were skipped, and why, in one line."""
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ") if isinstance(report.longrepr, tuple) else "?"
        for report in terminalreporter.stats.get("skipped", [])
    )
    why = "; ".join(f"{count} × {reason}" for reason, count in reasons.most_common())
    terminalreporter.write_line(f"skipped: {reasons.total()}" + (f" ({why})" if why else ""))
