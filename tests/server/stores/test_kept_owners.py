"""Owners beside what is kept: found after a restart, never guessed, and room by the client who holds least."""

import os
from pathlib import Path

import pytest

from server.stores.kept_owners import MOST_OWNERS, KeptOwners, leaving
from server.web import clients

ONE, OTHER = "1" * 64, "2" * 64


@pytest.fixture
def kept(tmp_path: Path) -> KeptOwners:
    clients._asking.set("192.0.2.1")
    return KeptOwners(tmp_path / "new")


def test_owners_are_found_by_another_process_until_they_are_forgotten(kept: KeptOwners, tmp_path: Path) -> None:
    assert kept.of("a") == {}
    kept.add("a", "")  # the server itself
    assert kept.of("a") == {}
    kept.add("a", ONE)
    clients._asking.set("192.0.2.2")
    kept.add("a", OTHER)
    kept.add("a", ONE)
    again = KeptOwners(tmp_path / "new")
    assert again.of("a") == {ONE: "192.0.2.1", OTHER: "192.0.2.2"}
    assert again.of("b") == {}
    assert kept.leave("a", ONE)
    assert again.of("a") == {OTHER: "192.0.2.2"}
    assert not kept.leave("a", OTHER)  # the last stays
    assert again.of("a") == {OTHER: "192.0.2.2"}
    kept.forget("a")
    kept.forget("a")
    assert again.of("a") == {}
    assert list((tmp_path / "new").iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"a": 1}', b"[" * 100_000, b"\xff", b" " * 300_000])
def test_what_cannot_be_read_is_somebody_else_s(kept: KeptOwners, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "a.owners").write_bytes(content)
    assert ONE not in kept.of("a")
    assert kept.of("a")


def test_a_pipe_in_their_place_is_not_waited_for(kept: KeptOwners, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    os.mkfifo(tmp_path / "new" / "a.owners")
    assert kept.of("a")


def test_the_first_owners_stay_however_many_come(kept: KeptOwners) -> None:
    for number in range(MOST_OWNERS + 5):
        kept.add("a", f"{number:064}")
    assert list(kept.of("a")) == [f"{number:064}" for number in range(MOST_OWNERS)]


def test_making_the_same_does_not_put_it_out() -> None:
    """The flood's client has made all of them, two of these beside their first."""
    mine = [("a", ["first", "flood"], 1), ("b", ["flood", "first"], 1)]
    flood = [(f"f{number}", ["flood"], 1) for number in range(9)]
    assert leaving([*mine, *flood], 4) == [f"f{number}" for number in range(7)]
    assert leaving([("old", [], 1), ("mine", ["first"], 1), ("new", [], 1)], 2) == ["old"]
    assert leaving([("old", [], 1), ("new", [], 1)], 0, {"new"}) == ["old"]
