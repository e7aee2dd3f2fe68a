"""Scans: real processes that finish, are killed, are stopped and resumed, wait for others, and leave equal atlases."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file, save_file
from tiny_models import SENTENCES, write_model_folder

from attention_core.atlas.settings import ScanSettings, atlas_id
from attention_core.pretrained.errors import AnalysisError
from attention_core.pretrained.models.catalog import Catalog
from server.settings import Settings
from server.stores.atlas_library import AtlasLibrary
from server.stores.computation_store import ComputationStore
from server.stores.corpora import Corpora
from server.stores.model_loading import ModelLoading
from server.stores.scan import Scan
from server.stores.scan_slots import CLIENT_SHARE, MOST_WAITING
from server.stores.scans import Scans
from server.web import clients, owners
from server.web.errors import ApiError

MODEL, SHORT, LONG = "tiny-gpt2", "short.txt", "long.txt"
SHARDS = 2


@dataclass
class Server:
    """What a server has for scans."""

    scans: Scans
    corpora: Corpora
    library: AtlasLibrary
    loaded: Callable[[], frozenset[str]]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model, a corpus of one shard and one of several."""
    root = tmp_path_factory.mktemp("shared")
    write_model_folder(root / "models", MODEL)
    write_model_folder(root / "models", "tiny-vit")
    (root / "corpora").mkdir()
    (root / "corpora" / SHORT).write_text("\n\n".join(SENTENCES))
    paragraphs = (" ".join((SENTENCES * 4)[at % 4 :][:9]) + f" {at}." for at in range(SHARDS * 65_536 // 480))
    (root / "corpora" / LONG).write_text("\n\n".join(paragraphs))
    return root


@pytest.fixture
def serve(shared: Path, tmp_path: Path) -> Iterator[Callable[..., None]]:
    """Run a test with a server of its own."""

    def with_server(test: Callable[[Server], Awaitable[None]], **given: Any) -> None:
        async def whole() -> None:
            owners._asking.set(owners._Asking("somebody"))
            async with asyncio.timeout(300):
                server = begin(shared, given.pop("atlases_dir", tmp_path / "atlases"), **given)
                try:
                    await test(server)
                finally:
                    await server.scans.close()
                    await server.corpora.close()

        asyncio.run(whole())

    return with_server  # type: ignore[return-value]


def begin(shared: Path, atlases: Path, **given: Any) -> Server:
    settings = Settings(
        device="cpu", hub_models=(), models_dir=shared / "models", corpora_dir=shared / "corpora",
        atlases_dir=atlases, **given,
    )  # fmt: skip
    catalog = Catalog(device="cpu", hub_models=(), models_dir=settings.models_dir)
    loaders, downloads = (
        ComputationStore[Any](workers=1, queue_size=9, cache_bytes=0, timeout_s=300, size=lambda loaded: loaded.nbytes)
        for _ in range(2)
    )
    corpora, library = Corpora(settings), AtlasLibrary(settings.atlases_folder)
    loading = ModelLoading(catalog, loaders, downloads, patience_s=300)
    return Server(Scans(settings, catalog, loading, corpora, library), corpora, library, catalog.loaded_ids)


async def until(scan: Scan, condition: Callable[[Scan], bool]) -> None:
    async for state in scan.follow():
        if condition(state):
            return
    raise AssertionError(f"it ended before: {scan.state}, {scan.message}")


def waits_for_another_server(scan: Scan) -> bool:
    return str(scan.message) == "Another server is scanning the same."


@contextmanager
def halted(scan: Scan) -> Iterator[None]:
    """The scan's process does not go on meanwhile, but keeps its lock."""
    assert scan.process is not None
    assert scan.process.pid is not None
    os.kill(scan.process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.kill(scan.process.pid, signal.SIGCONT)


async def end_of(scan: Scan) -> str:
    async for _ in scan.follow():
        pass
    return scan.state


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def whole_scan(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of the long corpus' atlas, scanned without interruption."""
    root = tmp_path_factory.mktemp("whole")

    async def run() -> Path:
        server = begin(shared, root)
        scan = await server.scans.begin(MODEL, LONG)
        assert await end_of(scan) == "finished"
        assert (scan.report.shards_done, scan.report.shards) == (SHARDS + 1, SHARDS + 1)
        assert scan.report.tokens == server.library.get(scan.id).facts.tokens
        assert scan.report.tokens_per_second is not None
        assert scan.seconds > 0
        await server.scans.close()
        await server.corpora.close()
        return root / scan.id

    return contents(asyncio.run(run()))


@pytest.mark.full
def test_a_killed_process_is_said_and_the_same_request_goes_on(
    serve: Callable[..., None], whole_scan: dict[str, bytes]
) -> None:
    async def test(server: Server) -> None:
        scan = await server.scans.begin(MODEL, LONG)
        await until(scan, lambda state: state.report.shards_done >= 1)
        assert scan.process is not None
        assert scan.process.pid is not None
        os.kill(scan.process.pid, signal.SIGKILL)
        assert await end_of(scan) == "failed"
        assert "ended unexpectedly. The same request goes on with it." in str(scan.message)
        assert not server.library.has(scan.id)
        again = await server.scans.begin(MODEL, LONG)
        assert again.id == scan.id
        seen = [state.report async for state in again.follow()]
        assert again.state == "finished"
        assert min(report.shards_done for report in seen if report.shards) >= 1  # the first was there already
        assert contents(server.library.folder / scan.id) == whole_scan

    serve(test)


@pytest.mark.full
def test_a_stopped_scan_goes_on_or_is_forgotten(serve: Callable[..., None], whole_scan: dict[str, bytes]) -> None:
    async def test(server: Server) -> None:
        scan = await server.scans.begin(MODEL, LONG)
        assert await server.scans.begin(MODEL, LONG) is scan
        await until(scan, lambda state: state.report.shards_done >= 1)
        await server.scans.remove(scan.id)
        assert (scan.state, await end_of(scan)) == ("cancelled", "cancelled")
        again = await server.scans.begin(MODEL, LONG)
        assert await end_of(again) == "finished"
        assert contents(server.library.folder / scan.id) == whole_scan
        assert await server.scans.begin(MODEL, LONG) is again

        other = await server.scans.begin(MODEL, LONG, seed=5)
        await until(other, lambda state: state.report.shards_done >= 1)
        await server.scans.remove(other.id)
        await server.scans.remove(other.id)
        assert server.scans.get(other.id) is None
        assert not (server.library.folder / other.id).exists()
        with pytest.raises(ApiError, match="no such atlas"):
            await server.scans.remove(other.id)

    serve(test)


@pytest.mark.full
def test_two_servers_with_one_folder_scan_the_same_only_once(
    serve: Callable[..., None], shared: Path, tmp_path: Path, whole_scan: dict[str, bytes]
) -> None:
    async def test(server: Server) -> None:
        other = begin(shared, tmp_path / "atlases")
        scan = await server.scans.begin(MODEL, LONG)
        await until(scan, lambda state: state.report.shards > 0)  # it holds the lock
        with halted(scan):
            second = await other.scans.begin(MODEL, LONG)
            await until(second, waits_for_another_server)
        assert second.state == "waiting"
        assert [await end_of(each) for each in (scan, second)] == ["finished", "finished"]
        assert second.report.tokens == scan.report.tokens
        assert second.report.tokens_per_second is None  # it has scanned nothing
        assert contents(server.library.folder / scan.id) == whole_scan
        third = begin(shared, tmp_path / "atlases")  # one that comes later
        assert (await third.scans.begin(MODEL, LONG)).state == "finished"
        for each in (other, third):
            await each.scans.close()
            await each.corpora.close()

    serve(test)


@pytest.mark.full
def test_a_server_that_waits_takes_over_from_one_that_was_killed(
    serve: Callable[..., None], shared: Path, tmp_path: Path, whole_scan: dict[str, bytes]
) -> None:
    async def test(server: Server) -> None:
        other = begin(shared, tmp_path / "atlases")
        scan = await server.scans.begin(MODEL, LONG)
        await until(scan, lambda state: state.report.shards_done > 0)
        with halted(scan):
            second = await other.scans.begin(MODEL, LONG)
            await until(second, waits_for_another_server)
            await server.scans.remove(scan.id)
        assert await end_of(second) == "finished"
        assert contents(server.library.folder / scan.id) == whole_scan
        await other.scans.close()
        await other.corpora.close()

    serve(test)


def test_a_scan_that_takes_too_long_is_stopped(serve: Callable[..., None]) -> None:
    async def test(server: Server) -> None:
        scan = await server.scans.begin(MODEL, LONG)
        assert await end_of(scan) == "failed"
        assert "took longer than 0.1 seconds (OBSERVATORY_SCAN_TIME_S)" in str(scan.message)

    serve(test, scan_time_s=0.1)


@pytest.mark.full
def test_a_damaged_atlas_is_made_anew(serve: Callable[..., None]) -> None:
    async def test(server: Server) -> None:
        scan = await server.scans.begin(MODEL, SHORT)
        assert await end_of(scan) == "finished"
        (server.library.folder / scan.id / "heads.parquet").unlink()
        again = await server.scans.begin(MODEL, SHORT)
        assert again is not scan
        assert await end_of(again) == "finished"
        assert server.library.get(scan.id).facts.documents == 4

    serve(test)


@pytest.mark.full
def test_atlases_of_uploads_can_be_deleted_those_of_the_server_s_own_corpora_not(serve: Callable[..., None]) -> None:
    async def test(server: Server) -> None:
        own = await server.scans.begin(MODEL, SHORT)

        async def chunks() -> Any:
            yield b"Another text."

        upload = await server.corpora.upload("mine.txt", chunks())
        mine = await server.scans.begin(MODEL, upload.id)
        with pytest.raises(ApiError, match="being scanned"):
            await server.corpora.remove(upload.id)
        assert [await end_of(each) for each in (own, mine)] == ["finished", "finished"]
        await server.corpora.remove(upload.id)
        with pytest.raises(ApiError, match="server's own corpora are kept"):
            await server.scans.remove(own.id)
        await server.scans.remove(mine.id)
        assert [atlas.facts.id for atlas in server.library.all()[0]] == [own.id]

    serve(test)


@pytest.mark.full
def test_scans_wait_for_their_turn_and_clients_take_turns(serve: Callable[..., None]) -> None:
    async def test(server: Server) -> None:
        async def ask(client: str, seed: int) -> Scan:
            clients._asking.set(client)
            return await server.scans.begin(MODEL, SHORT, seed=seed)

        first = await ask("a", 0)
        waiting = [await ask("a", 1 + at) for at in range(CLIENT_SHARE)]
        assert {scan.state for scan in waiting} == {"waiting"}
        with pytest.raises(ApiError, match="as one client may have"):
            await ask("a", 99)
        others = [await ask("b", 100 + at) for at in range(MOST_WAITING - CLIENT_SHARE)]
        with pytest.raises(ApiError, match="Too many scans are waiting"):
            await ask("c", 200)
        await server.scans.remove(waiting[0].id)
        assert waiting[0].state == "cancelled"
        await end_of(others[0])  # the other client's first is next but one
        assert [scan.state for scan in (first, waiting[1])] == ["finished", "finished"]
        assert waiting[3].state == "waiting"

    serve(test)


def test_what_cannot_be_scanned_is_refused(serve: Callable[..., None]) -> None:
    async def test(server: Server) -> None:
        for model, corpus in [("nobody", SHORT), ("tiny-vit", SHORT)]:
            with pytest.raises(AnalysisError):
                await server.scans.begin(model, corpus)
        with pytest.raises(ApiError, match="no such corpus"):
            await server.scans.begin(MODEL, "nowhere")

    serve(test)


@pytest.mark.full
def test_a_scan_is_answered_before_its_model_is_loaded(serve: Callable[..., None]) -> None:
    """The process loads the model; the server only inspects its files."""

    async def test(server: Server) -> None:
        scan = await server.scans.begin(MODEL, SHORT)
        assert (scan.state, str(scan.message), scan.seconds) == ("waiting", "The model is being loaded.", 0.0)
        messages = [(state.state, str(state.message or "")) async for state in scan.follow()]
        assert messages[0] == ("waiting", "The model is being loaded.")
        assert ("running", "") in messages
        assert scan.state == "finished"
        assert server.loaded() == frozenset()
        fingerprint = server.library.get(scan.id).facts.fingerprint
        assert scan.id == atlas_id(fingerprint, server.library.get(scan.id).facts.corpus_hash, ScanSettings())

    serve(test)


@pytest.mark.full
def test_a_model_that_cannot_be_loaded_fails_with_the_reason(serve: Callable[..., None], shared: Path) -> None:
    """Its files look whole; that its weights are not all numbers shows once they are loaded."""
    weights = write_model_folder(shared / "models", "tiny-bert") / "model.safetensors"
    tensors = load_file(weights)
    name = sorted(tensors)[0]
    save_file({**tensors, name: tensors[name] * float("nan")}, weights, metadata={"format": "pt"})

    async def test(server: Server) -> None:
        scan = await server.scans.begin("tiny-bert", SHORT)
        assert await end_of(scan) == "failed"
        assert str(scan.message) == "tiny-bert cannot be used. Its weights are not all finite numbers."

    serve(test)


def test_a_server_may_scan_nothing(serve: Callable[..., None]) -> None:
    async def test(server: Server) -> None:
        with pytest.raises(ApiError, match=r"scans no corpora \(OBSERVATORY_SCANS\)"):
            await server.scans.begin(MODEL, SHORT)

    serve(test, scans=0)


@pytest.mark.full
def test_a_large_corpus_is_scanned_up_to_the_limit(serve: Callable[..., None]) -> None:
    async def test(server: Server) -> None:
        scan = await server.scans.begin(MODEL, LONG)
        assert scan.max_tokens == 1_000
        assert await end_of(scan) == "finished"
        facts = server.library.get(scan.id).facts
        assert facts.max_tokens == 1_000
        assert 800 < facts.tokens <= 1_000

    serve(test, max_scan_tokens=1_000)


@pytest.mark.full
def test_a_server_that_is_stopped_stops_its_scans(serve: Callable[..., None]) -> None:
    async def test(server: Server) -> None:
        scan = await server.scans.begin(MODEL, LONG)
        await until(scan, lambda state: state.report.shards > 0)
        await server.scans.close()
        assert scan.state == "cancelled"
        assert scan.process is not None
        assert await asyncio.to_thread(scan.process.has_ended, 10)
        with pytest.raises(ApiError, match="is being stopped"):
            await server.scans.begin(MODEL, SHORT)

    serve(test)
