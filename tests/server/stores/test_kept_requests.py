"""Requests kept by id: in memory, in a folder that processes share, until they expire."""

import asyncio
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from server.stores.kept_requests import KeptRequest, KeptRequests
from server.web import clients

ONE, OTHER, THIRD = "1" * 32, "2" * 32, f"tensors-{'3' * 32}"
WANTED = KeptRequest("text", {"text": "Ünï 猫\n{}"}, b"\n\x00binary\n")


def kept(place: Path | str | None = None, *, memory: int = 10_000, days: float = 1, most: int = 10_000) -> KeptRequests:
    return KeptRequests(memory_bytes=memory, place=None if place is None else str(place), days=days, place_bytes=most)


def files(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


def test_memory_gives_back_what_it_was_given_until_it_is_full():
    async def run() -> None:
        requests = kept(memory=100)
        await requests.keep(ONE, WANTED)
        assert await requests.find(ONE) == WANTED
        assert await requests.find(OTHER) is None
        await requests.keep(OTHER, WANTED)  # about 70 bytes each
        assert await requests.find(ONE) is None
        await requests.keep(THIRD, KeptRequest("tensors", data=b"x" * 200))  # larger than all of it
        assert await requests.find(THIRD) is None
        assert await requests.find(OTHER) == WANTED

    asyncio.run(run())


@pytest.mark.parametrize("scheme", ["", "memory://kept-requests-"])
def test_another_process_finds_it_in_the_shared_place(tmp_path, scheme):
    place = scheme + (str(tmp_path / "new" / "folder") if not scheme else "test")

    async def run() -> None:
        await kept(place).keep(ONE, WANTED)
        assert await kept(place, memory=0).find(ONE) == WANTED
        assert await kept(place).find(OTHER) is None

    asyncio.run(run())


@pytest.mark.parametrize("wrong", ["../secret", "", "a", "0" * 31, "0" * 32 + "/..", "%2e%2e", "tensors-", "A" * 32])
def test_nothing_but_an_id_is_looked_for(tmp_path, wrong):
    (tmp_path / "secret.request").write_bytes(WANTED.to_bytes())
    assert asyncio.run(kept(tmp_path / "place").find(wrong)) is None


def test_what_was_not_used_expires_and_the_oldest_leave_first(tmp_path):
    async def run() -> None:
        for index, each in enumerate((ONE, OTHER, THIRD)):
            await kept(tmp_path).keep(each, WANTED)
            age = (30, 10, 5)[index] * 3_600
            os.utime(tmp_path / f"{each}.request", (time.time() - age,) * 2)
        (tmp_path / "notes.txt").write_text("somebody's own")
        last = "4" * 32
        await kept(tmp_path).keep(last, WANTED)  # a new process sweeps at its first
        assert files(tmp_path) == {f"{each}.request" for each in (OTHER, THIRD, last)} | {"notes.txt"}
        room = 2 * len(WANTED.to_bytes())
        await kept(tmp_path, most=room).keep(last, WANTED)
        assert files(tmp_path) == {f"{each}.request" for each in (THIRD, last)} | {"notes.txt"}

    asyncio.run(run())


def test_a_flood_leaves_what_others_asked_in_memory_and_in_the_place(tmp_path):
    """Room for five; the first client's two stay while the other's thirty come."""
    room = 5 * len(replace(WANTED, client="192.0.2.1").to_bytes()) + 4

    async def run() -> None:
        requests = kept(tmp_path, memory=room, most=room)
        clients._asking.set("192.0.2.1")
        for number, each in enumerate((ONE, OTHER)):
            await requests.keep(each, WANTED)
            os.utime(tmp_path / f"{each}.request", (time.time() - 1_000 + number,) * 2)
        clients._asking.set("192.0.2.2")
        for number in range(30):
            await requests.keep(f"{number:032x}", WANTED)
            os.utime(tmp_path / f"{number:032x}.request", (time.time() - 500 + number,) * 2)
        for each in (ONE, OTHER):
            assert await requests.find(each) == replace(WANTED, client="192.0.2.1")
        assert requests.cache.evictions == 27
        await kept(tmp_path, most=room).keep("f" * 32, WANTED)  # a new process sweeps at its first
        flood = [f"{number:032x}" for number in (28, 29)] + ["f" * 32]
        assert files(tmp_path) == {f"{each}.request" for each in (ONE, OTHER, *flood)}

    asyncio.run(run())


def test_what_was_kept_before_clients_were_is_found(tmp_path):
    (tmp_path / f"{ONE}.request").write_bytes(b'{"kind": "text", "asked": {"text": "a"}}\n')
    assert asyncio.run(kept(tmp_path).find(ONE)) == KeptRequest("text", {"text": "a"})


def test_use_postpones_expiry(tmp_path):
    async def run() -> None:
        await kept(tmp_path).keep(ONE, WANTED)
        old = time.time() - 20 * 3_600
        os.utime(tmp_path / f"{ONE}.request", (old, old))
        assert await kept(tmp_path).find(ONE) == WANTED
        assert (tmp_path / f"{ONE}.request").stat().st_mtime > old + 3_600

    asyncio.run(run())


def test_a_damaged_file_and_a_place_that_cannot_be_written_are_logged(tmp_path, caplog):
    (tmp_path / f"{ONE}.request").write_bytes(b"{}\n")
    (tmp_path / "file").write_text("no folder")

    async def run() -> None:
        assert await kept(tmp_path).find(ONE) is None
        requests = kept(tmp_path / "file")
        await requests.keep(OTHER, WANTED)
        assert await requests.find(OTHER) == WANTED  # from memory

    asyncio.run(run())
    assert "is damaged" in caplog.text
    assert "could not be kept" in caplog.text
