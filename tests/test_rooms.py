"""How many files a room holds: few enough to be read as a list, enough to need a room."""

from collections import Counter
from pathlib import Path, PurePosixPath

import pytest

LEAST, MOST = 3, 25
"""Files and rooms in one room."""
TOPS = ("attention_core", "server", "static/js", "static/css", "templates", "client/attention_observatory", "tools")
"""Where rooms are our choice; tests mirror them."""
CATALOGUES = {
    "attention_core": "a mechanism each",
    "server/routes/concepts": "a concept each",
    "static/js/concepts": "a concept each",
    "static/css/concepts": "a concept each",
    "templates/concepts": "a concept each",
}
"""Rooms that hold one thing for each entry of a list, however long that is."""
SMALL = {
    "static/js/concepts/atlas/weights": "a script of its own, loaded where weights are shown",
    "static/css/explorer": "two rooms: what the first visit loads, and what comes later",
    "templates/explorer": "of the room of that name",
}
"""Rooms that hold fewer, and why they are rooms."""


@pytest.fixture(scope="module")
def held(root: Path) -> dict[str, int]:
    """By room, how much it holds: files but for ``__init__.py``, and rooms inside."""
    rooms: Counter[str] = Counter()
    for top in TOPS:
        inside: set[PurePosixPath] = set()
        for path in (root / top).rglob("*"):
            name = PurePosixPath(path.relative_to(root).as_posix())
            if path.is_file() and path.suffix in {".py", ".js", ".css", ".html"} and path.stem != "__init__":
                inside |= {name, *(parent for parent in name.parents if parent.is_relative_to(top))} - {
                    PurePosixPath(top)
                }
        rooms.update(str(each.parent) for each in inside if "node_modules" not in each.parts)
    return dict(rooms)


def test_a_room_holds_few_files(held: dict[str, int]) -> None:
    large = {room: number for room, number in held.items() if number > MOST and room not in CATALOGUES}
    assert large == {}, "make a room inside for what is alike"


def test_a_room_holds_enough_to_need_one(held: dict[str, int]) -> None:
    assert {room: number for room, number in held.items() if number < LEAST and room not in SMALL} == {}


def test_every_exception_is_needed(held: dict[str, int]) -> None:
    assert CATALOGUES.keys() - held.keys() == set()
    assert [room for room in SMALL if held[room] >= LEAST] == []
