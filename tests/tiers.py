"""Two tiers: `make test` runs every test that is not marked `full`, `make test-full` runs all.

In `tests/browser` it is the other way round: a test belongs to the full tier unless it is marked `gate`, since a
thousand of them take longer and depend more on luck than everything else together. `@pytest.mark.gate("8", "12")`
names the ids of a parametrized test that belong there; without ids all do.

`@pytest.mark.race("what was seen")` is for a test that failed once without anybody having touched what it tests: it
runs in the full tier alone until the race is mended.
"""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
BROWSER = HERE / "browser"
MEASURED = HERE / "measured.json"
"""Seconds of each test of a second or more, as `make test-full` measured them last."""
WORTH_WRITING_S = 1.0
LONGEST_IN_THE_GATE_S = 2.0
MOST_IN_CHROMIUM = 120
MOST_RACES = 10


def mark(items: Iterable[pytest.Item]) -> None:
    """Mark as `full` what the other two marks and the place of a test say."""
    for item in items:
        in_browser = item.path.is_relative_to(BROWSER)
        if item.get_closest_marker("race") or (in_browser and not _is_chosen(item)):
            item.add_marker(pytest.mark.full)


def _is_chosen(item: pytest.Item) -> bool:
    gate = item.get_closest_marker("gate")
    if gate is None:
        return False
    callspec = getattr(item, "callspec", None)
    return not gate.args or (callspec is not None and callspec.id in gate.args)


def is_in_gate(item: pytest.Item) -> bool:
    """Whether `make test` runs it."""
    return item.get_closest_marker("full") is None


def measured() -> dict[str, float]:
    """Seconds by the test's id."""
    found: dict[str, float] = json.loads(MEASURED.read_text(encoding="utf-8"))
    return found


def write(seconds: dict[str, float], path: Path) -> None:
    """Write what a run measured."""
    worth = {name: round(took, 1) for name, took in seconds.items() if took >= WORTH_WRITING_S}
    path.write_text(json.dumps(worth, indent=2, ensure_ascii=False), encoding="utf-8")
