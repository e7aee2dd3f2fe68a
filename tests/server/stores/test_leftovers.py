"""What kills leave in the folder of atlases, and what a start sweeps; stopped scans are listed and counted."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tiny_models import SENTENCES, write_model_folder

from attention_core.atlas.corpus.shards import SHARD_CHARACTERS
from attention_core.atlas.file_lock import locked
from attention_core.disk_room import replacing
from server.app import create_app
from server.settings import Settings
from server.stores.atlas_library import AtlasLibrary
from server.stores.corpora import Corpora
from server.stores.corpus_locks import in_use
from server.stores.leftovers import incoming_folder, sweep
from server.stores.stopped_scans import sweep_stopped

OLD, LONG_AGO = (time.time() - 100_000,) * 2, (time.time() - 1_000_000,) * 2
SHARDS = 6
ATLAS, OTHER = "0" * 16, "1" * 16


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


HOLDER = """
import sys, os
from pathlib import Path
from server.stores.leftovers import incoming_folder
with incoming_folder(Path(sys.argv[1])) as folder:
    (folder / "file.txt").write_text("half")
    print(folder.name, flush=True)
    sys.stdin.read()
"""


@pytest.mark.full
def test_an_upload_goes_when_its_server_was_killed_and_stays_while_it_is_on_its_way(tmp_path: Path, root: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        name = process.stdout.readline().strip()
        sweep(tmp_path)
        assert names(tmp_path) == {name, f"{name}.lock"}
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert names(tmp_path) == {name, f"{name}.lock"}
    sweep(tmp_path)
    sweep(tmp_path)
    assert names(tmp_path) == set()
    with incoming_folder(tmp_path) as folder:
        assert folder.is_dir()
    assert names(tmp_path) == set()


def test_a_sweep_takes_what_was_never_finished_and_nothing_else(tmp_path: Path) -> None:
    for name in ("deleted-1/file", "upload-1/corpus.json", "notes/mine.txt"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("x")
    halves = []
    for target in (tmp_path / "file", tmp_path / "upload-1" / "file"):
        with pytest.raises(KeyError), replacing(target) as partial:
            raise KeyError
        halves.append(partial)
        partial.write_text("half")
    sweep(tmp_path)
    assert all(half.exists() for half in halves)  # somebody may be writing them
    for half in halves:
        os.utime(half, OLD)
    sweep(tmp_path)
    assert names(tmp_path) == {"upload-1", "notes"}
    assert names(tmp_path / "upload-1") == {"corpus.json"}


def run(test: Callable[[Corpora], Awaitable[None]], **given: Any) -> None:
    async def whole() -> None:
        corpora = Corpora(Settings(hub_models=(), **given))
        try:
            await test(corpora)
        finally:
            await corpora.close()

    asyncio.run(whole())


def test_what_a_file_of_the_operator_was_goes_once_no_scan_reads_it(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "news.txt").write_text("One.")
    folder = tmp_path / "atlases" / "corpora"
    for name in ("own-0123456789abcdef", "probe", "upload-1"):
        (folder / name).mkdir(parents=True)

    async def test(corpora: Corpora) -> None:
        with in_use(folder / "own-0123456789abcdef"):
            await corpora.sweep()
            assert "own-0123456789abcdef" in names(folder)
        current = await corpora.folders() - names(folder)
        (folder / next(iter(current))).mkdir()
        await corpora.sweep()
        assert names(folder) == {"probe", "upload-1", *current}

    run(test, atlases_dir=tmp_path / "atlases", corpora_dir=tmp_path / "files")


def stop(library: AtlasLibrary, atlas_id: str, prepared: str, nbytes: int = 10) -> Path:
    """What a stopped scan leaves."""
    parts = library.folder / atlas_id / "parts"
    parts.mkdir(parents=True)
    (parts / "000000.npz").write_bytes(bytes(nbytes))
    kept = {"model": "m", "corpus": "c", "prepared": prepared, "max_tokens": None, "window_tokens": 64, "seed": 0}
    (library.folder / f"{atlas_id}.scan").write_text(json.dumps(kept))
    return library.folder / atlas_id


def test_what_a_stopped_scan_has_left_goes_with_its_corpus_and_counts(tmp_path: Path) -> None:
    library = AtlasLibrary(tmp_path)
    stop(library, ATLAS, "upload-1", 1_000)
    stop(library, OTHER, "upload-2", 1_000)
    unknown = tmp_path / ("2" * 16)
    (unknown / "parts").mkdir(parents=True)
    sweep_stopped(library, {"upload-1"}, busy=(OTHER,))
    assert names(tmp_path) >= {ATLAS, OTHER, unknown.name}
    mounted_again = stop(library, "3" * 16, "own-1")
    for folder in (unknown, unknown / "parts"):
        os.utime(folder, OLD)
    with locked(tmp_path / f"{OTHER}.lock"):
        sweep_stopped(library, {"upload-1"}, busy=())
        assert OTHER in names(tmp_path)
    sweep_stopped(library, {"upload-1"}, busy=())
    assert mounted_again.name in names(tmp_path)
    for folder in (mounted_again / "parts", mounted_again):
        os.utime(folder, LONG_AGO)
    sweep_stopped(library, {"upload-1"}, busy=())
    assert {name for name in names(tmp_path) if not name.endswith(".lock")} == {ATLAS, f"{ATLAS}.scan"}
    library.make_room(1_500, set())
    assert ATLAS in names(tmp_path)
    library.make_room(999, set())
    assert {name for name in names(tmp_path) if not name.endswith(".lock")} == set()


@pytest.mark.full
def test_a_scan_that_its_server_did_not_finish_is_listed_goes_on_and_can_be_deleted(tmp_path: Path) -> None:
    write_model_folder(tmp_path / "models", "tiny-gpt2")
    settings = Settings(
        device="cpu", hub_models=(), preload=False, models_dir=tmp_path / "models", atlases_dir=tmp_path / "atlases"
    )
    paragraph = " ".join(SENTENCES * 3)
    text = "\n\n".join(f"{paragraph} {at}." for at in range(SHARDS * SHARD_CHARACTERS // len(paragraph))).encode()

    def scans(client: TestClient) -> list[Any]:
        found: list[Any] = client.get("/api/atlases").json()["scans"]
        return found

    with TestClient(create_app(settings)) as client:
        corpus = client.post("/api/corpora", params={"name": "a.txt"}, content=text).json()["id"]
        asked = {"model": "tiny-gpt2", "corpus": corpus, "window_tokens": 64, "seed": 3}
        begun = client.post("/api/atlases", json=asked).json()
        with client.stream("GET", f"/api/atlases/{begun['id']}/events") as events:
            next(line for line in events.iter_lines() if '"state":"running"' in line and '"shards_done":0' not in line)
            client.delete(f"/api/atlases/{begun['id']}")
        cookies = dict(client.cookies)
    with TestClient(create_app(settings), cookies=cookies) as client:  # another start
        (left,) = scans(client)
        assert left["message"] == "The scan was stopped. The same request goes on with it."
        assert {**left, **asked} == left
        assert (left["id"], left["state"], left["yours"]) == (begun["id"], "cancelled", True)
        assert 0 < left["shards_done"] < left["shards"]
        assert client.get(f"/api/atlases/{left['id']}").json()["scan"] == left
        assert client.delete(f"/api/atlases/{left['id']}").status_code == 204
        assert scans(client) == []
        assert not (settings.atlases_folder / left["id"]).exists()
        stop(AtlasLibrary(settings.atlases_folder), ATLAS, corpus)
        assert [each["id"] for each in scans(client)] == [ATLAS]
        assert client.delete(f"/api/corpora/{corpus}").status_code == 204
        assert scans(client) == []
        assert not (settings.atlases_folder / ATLAS).exists()
