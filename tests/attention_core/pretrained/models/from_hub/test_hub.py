"""The hub without a network: local cache, closed and silent ports, a small loopback hub."""

import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from adapter_folders import write_adapter
from huggingface_hub import constants, scan_cache_dir
from loopback_hub import COMMIT, LoopbackHub

from attention_core.pretrained.errors import Cancelled, ModelUnavailableError, UnknownModelError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.entries import ModelEntry
from attention_core.pretrained.models.from_hub.hub import (
    NOT_ASKED_YET,
    NOT_THERE,
    SWITCHED_OFF,
    UNREACHABLE,
    Hub,
    wanted_files,
)
from attention_core.pretrained.models.load_progress import LoadProgress, LoadState

GPT2 = "openai-community/gpt2"


def entry_of(catalog: Catalog, model_id: str, *, ask_hub: bool = True) -> ModelEntry:
    return next(entry for entry in catalog.entries(ask_hub=ask_hub) if entry.id == model_id)


def catalog_with(hub: Hub, *hub_models: str, allow_any: bool = False) -> Catalog:
    return Catalog(hub_models=hub_models, hub=hub, allow_any_hub_model=allow_any, device="cpu")


def cache_model(cache: Path, model_id: str, folder: Path) -> Path:
    """A cache as the hub's client leaves it: references, snapshots of links, blobs."""
    repository = cache / f"models--{model_id.replace('/', '--')}"
    snapshot = repository / "snapshots" / COMMIT
    for directory in (snapshot, repository / "refs", repository / "blobs"):
        directory.mkdir(parents=True)
    (repository / "refs" / "main").write_text(COMMIT)
    for path in folder.iterdir():
        shutil.copyfile(path, repository / "blobs" / path.name)
        (snapshot / path.name).symlink_to(Path("../../blobs") / path.name)
    return snapshot


@pytest.fixture
def online(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests are offline by default; these let the hub's client try, and give it the loopback alone."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def closed_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


@pytest.fixture
def silent() -> Iterator[socket.socket]:
    """A port that takes connections and never says a word."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.setblocking(False)
        yield listener


def address_of(listener: socket.socket) -> str:
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


@pytest.fixture
def start_hub(online: None) -> Iterator[Callable[[dict[str, Path]], LoopbackHub]]:
    running: list[LoopbackHub] = []

    def start(folders: dict[str, Path]) -> LoopbackHub:
        running.append(LoopbackHub(folders))
        return running[-1]

    yield start
    for hub in running:
        hub.close()


# --- the cache ------------------------------------------------------------------------------------------------------


def test_what_the_cache_holds_needs_no_network(tmp_path: Path, models_dir: Path) -> None:
    cache_model(tmp_path, GPT2, models_dir / "tiny-gpt2")
    catalog = catalog_with(Hub(cache_dir=tmp_path), GPT2)
    entry = entry_of(catalog, GPT2)
    assert (entry.available, entry.reason, entry.source, entry.title) == (True, None, "hub", "GPT-2")
    assert (entry.layers, entry.heads, entry.max_tokens) == (2, 4, 70), "its own shape, not the published one"
    assert catalog.load(GPT2) is catalog.load(GPT2)
    assert catalog.load(GPT2).revision == COMMIT


def test_half_a_cache_says_what_is_missing(tmp_path: Path, models_dir: Path) -> None:
    snapshot = cache_model(tmp_path, GPT2, models_dir / "tiny-gpt2")
    (snapshot / "model.safetensors").rename(snapshot / "pytorch_model.bin")
    catalog = catalog_with(Hub(cache_dir=tmp_path), GPT2)
    assert entry_of(catalog, GPT2).reason is not None
    reason = r"cached copy on this machine is not usable. .* not in safetensors format .* switched off"
    with pytest.raises(ModelUnavailableError, match=reason) as caught:
        catalog.load(GPT2)
    assert str(caught.value) == f"{GPT2} cannot be used. {entry_of(catalog, GPT2).reason}"
    assert str(tmp_path) not in str(caught.value)


def test_only_the_allow_list_is_served_from_the_cache(tmp_path: Path, models_dir: Path) -> None:
    cache_model(tmp_path, "some/tiny", models_dir / "tiny-gpt2")
    with pytest.raises(UnknownModelError, match="no model of this name"):
        catalog_with(Hub(cache_dir=tmp_path), GPT2).load("some/tiny")
    anything = catalog_with(Hub(cache_dir=tmp_path), allow_any=True)
    assert anything.load("some/tiny").entry.source == "hub"
    for nonsense in ("", "../x", "a/b/c", "some/tiny\x00", "x" * 200):
        with pytest.raises(UnknownModelError, match="no model of this name"):
            anything.load(nonsense)


def test_the_whole_cache_is_listed_where_the_operator_wants_it(tmp_path: Path, models_dir: Path) -> None:
    cache_model(tmp_path, "some/tiny", models_dir / "tiny-gpt2")
    pinned = cache_model(tmp_path, "old-name", models_dir / "tiny-llama")
    shutil.rmtree(pinned.parent.parent / "refs")
    (cache_model(tmp_path, "some/half", models_dir / "tiny-bert") / "model.safetensors").unlink()
    (tmp_path / "models--no--snapshot" / "refs").mkdir(parents=True)
    (tmp_path / "datasets--some--texts" / "snapshots" / COMMIT).mkdir(parents=True)
    hub = Hub(cache_dir=tmp_path)
    catalog = Catalog(hub_models=(GPT2,), hub=hub, device="cpu", list_cache=True)
    listed = {entry.id: entry for entry in catalog.entries() if entry.source == "hub"}
    assert list(listed) == ["old-name", "some/half", "some/tiny", GPT2]
    assert [entry.is_here for entry in listed.values()] == [True, True, True, False]
    assert [entry.available for entry in listed.values()] == [True, False, True, False]
    assert str(listed["some/half"].reason) == "It has no weights: model.safetensors is missing."
    assert catalog.load("some/tiny").revision == catalog.load("old-name").revision == COMMIT
    assert (listed["some/half"].support, listed["some/half"].parameters) == ("carried", None)
    scanned = {repo.repo_id for repo in scan_cache_dir(tmp_path).repos if repo.repo_type == "model"}
    assert scanned == {"old-name", "some/half", "some/tiny"}, "as the hub's own client sees it"


# --- no hub ---------------------------------------------------------------------------------------------------------


def test_switched_off(tmp_path: Path) -> None:
    catalog = catalog_with(Hub(cache_dir=tmp_path), GPT2)
    entry = entry_of(catalog, GPT2)
    assert (entry.available, entry.reason, entry.layers) == (False, SWITCHED_OFF, 12)
    with pytest.raises(ModelUnavailableError, match=r"^openai-community/gpt2 cannot be used. .*HF_HUB_OFFLINE"):
        catalog.load(GPT2)


def test_a_closed_port_is_no_hub(online: None, closed_port: str, tmp_path: Path) -> None:
    hub = Hub(endpoint=closed_port, cache_dir=tmp_path, patience_s=10.0)
    catalog = catalog_with(hub, GPT2, "distilbert/distilgpt2")
    assert [entry.reason for entry in catalog.entries() if entry.source != "package"] == [UNREACHABLE, UNREACHABLE]
    with pytest.raises(ModelUnavailableError, match=r"^openai-community/gpt2 cannot be used. .*cannot be reached"):
        catalog.load(GPT2)
    assert not any(tmp_path.iterdir())


def test_the_list_does_not_wait_for_a_hub_that_never_answers(
    online: None, silent: socket.socket, tmp_path: Path
) -> None:
    hub = Hub(endpoint=address_of(silent), cache_dir=tmp_path, timeout_s=1000.0, patience_s=0.0)
    catalog = catalog_with(hub, GPT2)
    assert [entry_of(catalog, GPT2).reason for _ in range(3)] == [NOT_ASKED_YET] * 3


def test_loading_gives_up_and_does_not_wait_again(online: None, silent: socket.socket, tmp_path: Path) -> None:
    hub = Hub(endpoint=address_of(silent), cache_dir=tmp_path, timeout_s=0.1, retry_after_s=1000.0)
    catalog = catalog_with(hub, GPT2)
    with pytest.raises(ModelUnavailableError, match="cannot be reached"):
        catalog.load(GPT2)
    connection, _ = silent.accept()
    connection.close()
    with pytest.raises(ModelUnavailableError, match="cannot be reached"):
        catalog.load(GPT2)
    with pytest.raises(BlockingIOError, match="temporarily unavailable"):
        silent.accept()


# --- a hub on the loopback ------------------------------------------------------------------------------------------


@pytest.mark.full
def test_a_model_is_fetched_and_then_at_hand(
    start_hub: Callable[[dict[str, Path]], LoopbackHub], tmp_path: Path, models_dir: Path
) -> None:
    folder = Path(shutil.copytree(models_dir / "tiny-gpt2", tmp_path / "remote"))
    (folder / "modeling_evil.py").write_text("raise SystemExit")
    (folder / "pytorch_model.bin").write_text("never read")
    server = start_hub({GPT2: folder})
    hub = Hub(endpoint=server.address, cache_dir=tmp_path / "cache", patience_s=10.0)
    catalog = catalog_with(hub, GPT2, "no/where")
    before = entry_of(catalog, GPT2)
    assert (before.available, before.reason, before.layers) == (True, None, 12)
    assert entry_of(catalog, "no/where").reason == NOT_THERE
    loaded = catalog.load(GPT2)
    assert (loaded.entry.layers, loaded.entry.source) == (2, "hub")
    fetched = hub.cached_folder(GPT2)
    assert fetched is not None
    assert {path.name for path in fetched.iterdir()} == {
        "config.json",
        "generation_config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
    }
    asked = len(server.asked)
    assert catalog.load(GPT2) is loaded
    assert catalog_with(hub, GPT2).load(GPT2).entry == loaded.entry
    assert len(server.asked) == asked, "a model at hand needs no hub"


@pytest.mark.full
def test_fetching_tells_its_bytes_and_stops_when_told(
    start_hub: Callable[[dict[str, Path]], LoopbackHub], tmp_path: Path, models_dir: Path
) -> None:
    folder = models_dir / "tiny-gpt2"
    weights = (folder / "model.safetensors").stat().st_size
    server = start_hub({GPT2: folder})
    server.hold("model.safetensors")
    hub = Hub(endpoint=server.address, cache_dir=tmp_path / "cache")
    catalog = catalog_with(hub, GPT2)
    told = threading.Event()
    progress = LoadProgress(told.is_set)
    with ThreadPoolExecutor(1) as executor:
        loading = executor.submit(catalog.load, GPT2, progress)
        server.waits.wait(30)
        assert progress.state.stage == "fetching"
        told.set()
        with pytest.raises(Cancelled, match="loading was cancelled"):
            loading.result(30)
        server.release()
    assert catalog.loaded_ids() == frozenset()
    assert hub.cached_folder(GPT2) is None or not list((tmp_path / "cache").rglob("model.safetensors"))
    seen: list[LoadState] = []
    progress = LoadProgress(lambda: bool(seen.append(progress.state)))
    assert catalog.load(GPT2, progress).entry.available
    fetching = [state for state in seen if state.stage == "fetching"]
    assert [state.done_bytes for state in fetching] == sorted(state.done_bytes for state in fetching)
    assert fetching[-1].done_bytes == fetching[-1].total_bytes >= weights


def test_what_a_hub_refuses_is_said(
    start_hub: Callable[[dict[str, Path]], LoopbackHub], tmp_path: Path, models_dir: Path
) -> None:
    folder = Path(shutil.copytree(models_dir / "tiny-gpt2", tmp_path / "remote"))
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    hub = Hub(endpoint=start_hub({"only/pickle": folder}).address, cache_dir=tmp_path / "cache")
    catalog = catalog_with(hub, "only/pickle", "no/where")
    with pytest.raises(ModelUnavailableError, match="no weights in safetensors format on the Hub"):
        catalog.load("only/pickle")
    with pytest.raises(ModelUnavailableError, match="has no public model of this name"):
        catalog.load("no/where")
    assert not list((tmp_path / "cache").rglob("*.bin"))


@pytest.mark.full
def test_a_hub_that_comes_back_is_used(
    start_hub: Callable[[dict[str, Path]], LoopbackHub], tmp_path: Path, models_dir: Path
) -> None:
    server = start_hub({})
    hub = Hub(endpoint=server.address, cache_dir=tmp_path / "cache")
    catalog = catalog_with(hub, "some/tiny")
    with pytest.raises(ModelUnavailableError, match="no public model"):
        catalog.load("some/tiny")
    server.folders["some/tiny"] = models_dir / "tiny-gpt2"
    assert catalog.load("some/tiny").entry.available
    assert entry_of(catalog, "some/tiny").available


def test_nothing_is_asked_at_start(start_hub: Callable[[dict[str, Path]], LoopbackHub], tmp_path: Path) -> None:
    server = start_hub({})
    catalog = catalog_with(Hub(endpoint=server.address, cache_dir=tmp_path, patience_s=10.0), GPT2)
    assert entry_of(catalog, GPT2, ask_hub=False).reason == NOT_ASKED_YET
    assert server.asked == []
    assert entry_of(catalog, GPT2).reason == NOT_THERE
    assert entry_of(catalog, GPT2).reason == NOT_THERE
    assert server.asked == [f"/api/models/{GPT2}"], "asked once, then known for a while"


def test_files_that_are_wanted() -> None:
    names = ["README.md", "config.json", "model.safetensors", "onnx/model.onnx", "tf_model.h5", "vocab.txt", "x.py"]
    assert wanted_files(names) == ["README.md", "config.json", "vocab.txt", "model.safetensors"]
    shards = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]
    assert wanted_files(["model.safetensors.index.json", *shards, "consolidated.safetensors"]) == [
        "model.safetensors.index.json",
        *shards,
    ]
    with pytest.raises(ModelUnavailableError, match="no weights in safetensors format on the Hub"):
        wanted_files(["config.json", "pytorch_model.bin"])


def test_of_several_revisions_in_the_cache_one_that_can_be_used_is_listed(tmp_path: Path, models_dir: Path) -> None:
    """Main's commit was only begun; an older one is whole, its files links to blobs."""
    repository = tmp_path / "models--owner--name"
    blobs = shutil.copytree(models_dir / "tiny-bert", repository / "blobs")
    for commit, names in (("a" * 40, [path.name for path in blobs.iterdir()]), ("b" * 40, ["config.json"])):
        snapshot = repository / "snapshots" / commit
        snapshot.mkdir(parents=True)
        for name in names:
            (snapshot / name).symlink_to(f"../../blobs/{name}")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("b" * 40)
    (blobs / "unfinished.incomplete").write_bytes(b"half")
    write_adapter(tmp_path / "models--owner--tuned" / "snapshots" / ("c" * 40), "owner/name", QUERY)
    catalog = Catalog(hub_models=(), list_cache=True, device="cpu", hub=Hub(cache_dir=tmp_path))
    listed = {entry.id: (entry.available, entry.base) for entry in catalog.entries() if entry.source == "hub"}
    assert listed == {"owner/name": (True, None), "owner/tuned": (True, "owner/name")}
    assert catalog.load("owner/name").revision == "a" * 40
    assert catalog.load("owner/tuned").entry.base == "owner/name"


QUERY = {"bert.encoder.layer.0.attention.self.query": (32, 32)}
