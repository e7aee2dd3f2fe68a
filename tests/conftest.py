"""Fixtures for all tests."""

import gc
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from tests import programs, tiers

ROOT = Path(__file__).resolve().parent.parent
OWN = Path(tempfile.mkdtemp(prefix="observatory-tests-"))
"""What this process gives its tests in place of the user's own folders; removed at its end."""
for name in ("hub", "atlases"):
    (OWN / name).mkdir()

# Thousands of tests are made out of millions of objects, none of which is garbage yet.
gc.disable()

# Nothing in the tests may reach for a network: the libraries that could are told so before they are imported.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_OFFLINE"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"

# Nor list what the user's own cache of the hub holds.
os.environ["HF_HUB_CACHE"] = str(OWN / "hub")

# Nor read or write the user's own atlases, nor compute any before a test asks for one.
os.environ["OBSERVATORY_PREPARE_ATLASES"] = "false"
os.environ["OBSERVATORY_ATLASES_DIR"] = str(OWN / "atlases")

# Where several processes test at once, each (and each server it starts) computes on one core.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a run write down how long its tests take, and browser tests be run in slow pages."""
    parser.addoption("--measure", type=Path, metavar="FILE", help="write the seconds of each long test into this file")
    parser.addoption("--chaos", type=int, metavar="SEED", help="make the pages of browser tests slow, alike per seed")


def pytest_configure(config: pytest.Config) -> None:
    """Watch what is started; measure, where that is asked for and this process hears of every test."""
    programs.watch()
    path = config.getoption("--measure")
    if path and "PYTEST_XDIST_WORKER" not in os.environ:
        config.pluginmanager.register(Measuring(path))


class Measuring:
    """Writes how long each test took."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seconds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the test itself; what it shares with others stands in whichever came first."""
        if report.when == "call":
            self._seconds[report.nodeid] = report.duration

    def pytest_sessionfinish(self) -> None:
        """Write it."""
        tiers.write(self._seconds, self._path)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put each test into its tier before `-m` selects."""
    is_by_parameter = any("[" in argument for argument in config.args) or config.getoption("lf", default=False)
    if not is_by_parameter and (unknown := tiers.unknown_ids(items)):
        raise pytest.UsageError(f"marked by ids that are none of their parameters: {unknown}")
    tiers.mark(items)
    if not is_by_parameter and (lost := tiers.never_sampled(items)):
        raise pytest.UsageError(f"sampled so that some values of these arguments are never in the gate: {lost}")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Hold the test, and what it sets up, to what its tier may start."""
    programs.begin(item)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown() -> None:
    """Let it end as it likes: what other tests of its file have shared ends with the last one of them, whichever."""
    programs.begin(None)


def pytest_sessionfinish() -> None:
    """Let what is shared end as it likes."""
    programs.begin(None)


def pytest_collection_finish() -> None:
    """Leave what is imported by now out of every later search for garbage; each would take half a second."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_unconfigure() -> None:
    """Let the interpreter clear up at its end, or libraries complain of what they find left."""
    gc.unfreeze()
    shutil.rmtree(OWN, ignore_errors=True)


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the checkout."""
    return ROOT
