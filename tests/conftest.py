"""Fixtures for all tests."""

import gc
import os
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# Nothing in the tests may reach for a network: the libraries that could are told so before they are imported.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_OFFLINE"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"

# Nor list what the user's own cache of the hub holds.
os.environ["HF_HUB_CACHE"] = tempfile.mkdtemp(prefix="observatory-hub-")

# Nor read or write the user's own atlases, nor compute any before a test asks for one.
os.environ["OBSERVATORY_PREPARE_ATLASES"] = "false"
os.environ["OBSERVATORY_ATLASES_DIR"] = tempfile.mkdtemp(prefix="observatory-atlases-")

# Where several processes test at once, each (and each server it starts) computes on one core.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let browser tests be run in slow pages."""
    parser.addoption("--chaos", type=int, metavar="SEED", help="make the pages of browser tests slow, alike per seed")


def pytest_collection_finish() -> None:
    """Leave what is imported by now out of every later search for garbage; each would take half a second."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """Let the interpreter clear up at its end, or libraries complain of what they find left."""
    gc.unfreeze()


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the checkout."""
    return ROOT
