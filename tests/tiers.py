"""Two tiers: `make test` runs every test that is not marked `full`, `make test-full` runs all.

`@pytest.mark.full("8", "12")` names the ids of a parametrized test that belong to the full tier; without ids all do.

In `tests/browser` it is the other way round: a test belongs to the full tier unless it is marked `gate`, since a
thousand of them take longer and depend more on luck than everything else together; ids limit that mark in the same way.
Elsewhere `gate` keeps a long test in the gate, because it is the only one that guards what users would lose.

`@pytest.mark.sampled(4)` is for a test that asks the same of many models, tokenizers, broken files or combinations: the
gate runs the first of every four of its parameters, the full tier all. Of combinations, each value must be among them.

`@pytest.mark.race("what was seen")` is for a test that failed once without anybody having touched what it tests: it
runs in the full tier alone until the race is mended.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
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
    """Leave the mark `full` on the tests that are, and on no other: what the marks and the place of each say."""
    places: Counter[str] = Counter()
    for item in items:
        in_browser = item.path.is_relative_to(BROWSER)
        full = _is_meant(item, "full") or item.get_closest_marker("race") is not None
        if sampled := item.get_closest_marker("sampled"):
            test = item.nodeid.partition("[")[0]
            full |= places[test] % sampled.args[0] > 0
            places[test] += 1
        if full or (in_browser and not _is_meant(item, "gate")):
            item.add_marker(pytest.mark.full)
        else:
            item.own_markers[:] = [mark for mark in item.own_markers if mark.name != "full"]


def _is_meant(item: pytest.Item, name: str) -> bool:
    """Whether a mark is on this test, and not only on others of its parameters."""
    callspec = getattr(item, "callspec", None)
    return any(not mark.args or (callspec and callspec.id in mark.args) for mark in item.iter_markers(name))


def unknown_ids(items: Iterable[pytest.Item]) -> dict[str, set[str]]:
    """By test, what its marks name that is no id of its parameters. These are all items of each test."""
    named: dict[str, set[str]] = defaultdict(set)
    there: dict[str, set[str]] = defaultdict(set)
    for item in items:
        test = item.nodeid.partition("[")[0]
        named[test].update(one for name in ("full", "gate") for mark in item.iter_markers(name) for one in mark.args)
        there[test].add(item.callspec.id if hasattr(item, "callspec") else "")
    return {test: ids - there[test] for test, ids in named.items() if ids - there[test]}


def never_sampled(items: Iterable[pytest.Item]) -> dict[str, set[str]]:
    """By sampled test of combinations, the arguments of which the gate leaves out some value. These are all items."""
    of_test: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sampled") and hasattr(item, "callspec"):
            of_test[item.nodeid.partition("[")[0]].append(item)
    return {test: lost for test, all_of_it in of_test.items() if (lost := _lost(all_of_it))}


def _lost(items: Sequence[pytest.Item]) -> set[str]:
    indices: list[dict[str, int]] = [item.callspec.indices for item in items]  # type: ignore[attr-defined]
    values = {name: {one[name] for one in indices} for name in indices[0]}
    kept = {name: {one[name] for one, item in zip(indices, items, strict=True) if is_in_gate(item)} for name in values}
    room = sum(map(is_in_gate, items))
    # One long list of values loses most of them by intention; a short one, crossed with others, need lose none.
    return {name for name in values if len(values[name]) <= room and kept[name] != values[name]}


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
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(worth, indent=2, ensure_ascii=False), encoding="utf-8")
