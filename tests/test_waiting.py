"""Browser tests wait in one place, `tests/browser/settling.py`; nothing waits for a time, frames or an idle network."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ATTRIBUTES = {"wait_for_function", "wait_for_timeout", "time.sleep"}
IN_SCRIPTS = {"requestAnimationFrame", "networkidle"}
YIELD = "asyncio.sleep(0)"
"""Lets others go on, and waits for nothing."""
ALLOWED = {  # path → why it may: where the time that passes is what is tested
    "tests/browser/settling.py": "the place",
    "tests/browser/test_settling.py": "its test",
    "tests/browser/explorer/shell/test_fast_clicking.py": "the pauses between its clicks are what it tests",
    "tests/browser/explorer/shell/test_freshness.py": "notes what can be seen in each frame",
    "tests/server/cluster/test_forwarding.py": "a body that comes too slowly",
    "tests/server/web/test_connections.py": "clients and answers that are slow",
    "tests/test_waiting.py": "names what it looks for",
}


def waits(source: str) -> Iterator[tuple[int, str]]:
    """The lines in which something waits otherwise, and how."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and ATTRIBUTES & {node.attr, ast.unparse(node)}:
            yield node.lineno, node.attr
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "asyncio.sleep" and ast.unparse(node) != YIELD:
            yield node.lineno, "asyncio.sleep"
        elif isinstance(node, ast.ImportFrom) and node.module == "time":
            yield from ((node.lineno, alias.name) for alias in node.names if alias.name == "sleep")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from ((node.lineno, word) for word in sorted(IN_SCRIPTS) if word in node.value)


@pytest.fixture(scope="module")
def found(root: Path) -> dict[str, list[str]]:
    """By path, the lines that wait otherwise."""
    paths = {path.relative_to(root).as_posix(): path for path in sorted((root / "tests").rglob("*.py"))}
    each = {name: sorted(waits(path.read_text(encoding="utf-8"))) for name, path in paths.items()}
    return {name: [f"{name}:{line} {how}" for line, how in lines] for name, lines in each.items() if lines}


def test_nothing_waits_otherwise(found: dict[str, list[str]]) -> None:
    wrong = [line for name, lines in found.items() if name not in ALLOWED for line in lines]
    assert wrong == [], (
        "An action waits by itself; `settle` and `until` of tests/browser/settling.py wait for the rest."
    )


def test_what_is_allowed_is_needed(found: dict[str, list[str]]) -> None:
    assert set(ALLOWED) - set(found) == set()


def test_the_search_finds_each_way() -> None:
    source = """import time
from time import sleep
page.wait_for_function("() => true")
page.wait_for_timeout(5)
page.wait_for_load_state("networkidle")
page.evaluate(f"() => new Promise(requestAnimationFrame) {time}")
time.sleep(1)
asyncio.sleep(0)
asyncio.sleep(0.1)
"""
    assert [line for line, _ in sorted(waits(source))] == [2, 3, 4, 5, 6, 7, 9]
