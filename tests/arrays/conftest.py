"""PyTorch is the reference where it is installed; recorded answers stand in where it is not."""

import os

import pytest


@pytest.fixture(scope="session")
def real_torch():
    """PyTorch itself; the test is skipped without it, or fails where the oracle is required."""
    if "oracle" in os.environ.get("AUTODIDACT_REQUIRE", ""):
        import torch
        return torch
    return pytest.importorskip("torch")
