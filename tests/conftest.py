"""Fixtures for all tests."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# Nothing in the tests may reach for a network: the libraries that could are told so before they are imported.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_OFFLINE"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"

# Where several processes test at once, each (and each server it starts) computes on one core.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the checkout."""
    return ROOT
