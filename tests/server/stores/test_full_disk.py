"""A disk that fills, is read-only, and has room again, under everything that the server writes."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from small_disk import SmallDisk, small_disk
from starlette.testclient import TestClient
from tiny_models import SENTENCES, write_model_folder

from attention_core.disk_room import NoRoomError
from server.app import create_app
from server.settings import Settings
from server.stores.corpora import Corpora
from server.stores.kept_requests import KeptRequest, KeptRequests

ONE = "1" * 32
WANTED = KeptRequest("text", {"text": "a text of a user"})
ATLASES = "The folder of atlases and uploaded corpora (OBSERVATORY_ATLASES_DIR)"
FULL, READ_ONLY = "is full. Try again once there is room.", "cannot be written (Read-only file system)."
TEXT = "".join(f"The {number}th sentence, unlike all others: {number * 7_919 % 10_007}.\n" for number in range(3_000))


@pytest.fixture
def disk(tmp_path: Path) -> Any:
    with small_disk(tmp_path / "disk", 2**23) as made:
        yield made


def kept(disk: SmallDisk) -> KeptRequests:
    return KeptRequests(memory_bytes=0, place=str(disk.folder / "shared"), days=1, place_bytes=2**22)


def test_a_request_that_found_no_room_is_written_at_its_next_use_and_leaves_nothing(
    disk: SmallDisk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "temporary"
    elsewhere.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(elsewhere))
    large = replace(WANTED, data=os.urandom(2**17))

    async def run() -> None:
        requests = kept(disk)
        await requests.keep(ONE, WANTED)
        disk.fill(leaving=2**14)
        await requests.keep("2" * 32, large)
        assert (requests.failures, await requests.find("2" * 32)) == (1, None)
        assert [path.name for path in (disk.folder / "shared").iterdir()] == [f"{ONE}.request"]
        disk.make_room()
        await requests.keep("2" * 32, large)
        assert await requests.find("2" * 32) == large
        assert requests.failures == 1

    asyncio.run(run())
    assert list(elsewhere.iterdir()) == []


def with_corpora(disk: SmallDisk, test: Callable[[Corpora], Awaitable[None]], **given: Any) -> None:
    async def whole() -> None:
        corpora = Corpora(Settings(hub_models=(), atlases_dir=disk.folder / "atlases", **given))
        try:
            await test(corpora)
        finally:
            await corpora.close()

    asyncio.run(whole())


@pytest.mark.full
def test_a_preparation_that_found_no_room_is_done_again_once_there_is(disk: SmallDisk, tmp_path: Path) -> None:
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "news.txt").write_text(TEXT)

    async def news(corpora: Corpora) -> Any:
        return next(corpus for corpus in await corpora.all() if corpus.name == "news.txt")

    async def test(corpora: Corpora) -> None:
        disk.fill(leaving=2**14)
        with pytest.raises(NoRoomError, match="is full"):
            await corpora.ready("news.txt")
        failed = await news(corpora)
        assert (failed.state, str(failed.reason)) == ("failed", f"{ATLASES} {FULL}")
        folder = failed.folder
        assert {path.name for path in folder.iterdir()} <= {".lock"}
        disk.make_room()
        assert (await news(corpora)).state == "preparing"
        assert (await corpora.ready("news.txt")).facts is not None
        assert (await news(corpora)).state == "ready"

    with_corpora(disk, test, corpora_dir=tmp_path / "corpora")


@pytest.mark.full
def test_uploads_and_scans_say_which_folder_is_full_and_succeed_once_there_is_room(
    disk: SmallDisk, tmp_path: Path, assert_error: Callable[..., str]
) -> None:
    write_model_folder(tmp_path / "models", "tiny-gpt2")
    folder = disk.folder / "atlases"
    settings = Settings(device="cpu", hub_models=(), preload=False, models_dir=tmp_path / "models", atlases_dir=folder)

    with TestClient(create_app(settings)) as client:

        def upload(text: str) -> Any:
            return client.post("/api/corpora", params={"name": "a.txt"}, content=text.encode())

        def scan() -> Any:
            return client.post("/api/atlases", json={"model": "tiny-gpt2", "corpus": corpus})

        def end_of(scan_id: str) -> Any:
            assert client.get(f"/api/atlases/{scan_id}/events").status_code == 200  # the stream ends with the scan
            return client.get(f"/api/atlases/{scan_id}").json()["scan"]

        small = " ".join(SENTENCES)
        corpus = upload(small).json()["id"]
        disk.fill(leaving=2**13)
        assert upload(TEXT).headers["retry-after"] == "60"
        assert assert_error(upload(TEXT), 507, "insufficient_storage") == f"{ATLASES} {FULL}"
        there = {path.name for path in (folder / "corpora").iterdir()}
        assert there - {f"{corpus}.lock"} == {corpus, f"{corpus}.owners"}  # it is asked whether anybody scans it
        disk.fill()  # the scan's notes alone would still find room
        begun = scan()
        ended = end_of(begun.json()["id"]) if begun.status_code == 201 else begun.json()["error"]
        assert ended["message"] == f"{ATLASES} {FULL}"
        disk.protect()
        assert READ_ONLY in assert_error(upload(TEXT), 507, "insufficient_storage")
        assert READ_ONLY in assert_error(client.delete(f"/api/corpora/{corpus}"), 507, "insufficient_storage")
        disk.protect(False)
        disk.make_room()
        assert upload(TEXT).status_code == 201
        scan_id = scan().json()["id"]
        assert end_of(scan_id)["state"] == "finished"
        free = next(
            line for line in client.get("/metrics").text.splitlines() if 'disk_free_bytes{folder="atlases"}' in line
        )
        found = os.statvfs(folder)
        assert float(free.split()[1]) == found.f_bavail * found.f_frsize


@pytest.mark.full
def test_a_trained_network_that_found_no_room_leaves_nothing_and_is_published_later(
    disk: SmallDisk, assert_error: Callable[..., str]
) -> None:
    shared = disk.folder / "shared"
    settings = Settings(device="cpu", hub_models=(), preload=False, shared_dir=str(shared))
    with TestClient(create_app(settings)) as client:
        run = client.post("/api/training", json={"d_model": 8, "num_heads": 2, "steps": 3, "seed": 4}).json()["id"]
        assert '"finished"' in client.get(f"/api/training/{run}/events").text
        disk.fill(leaving=2**13)
        message = assert_error(client.post(f"/api/training/{run}/model"), 507, "insufficient_storage")
        assert message == f"The shared folder (OBSERVATORY_SHARED_DIR) {FULL}"
        assert list((shared / "networks").iterdir()) == []
        disk.make_room()
        assert client.post(f"/api/training/{run}/model").status_code == 200
