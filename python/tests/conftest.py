"""Settings and fixtures of all tests."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import settings

from support import REPOSITORY

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
