"""Loading a model ahead from a slow hub: progress, cancellation, outcome."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest
from huggingface_hub import constants
from loopback_hub import LoopbackHub
from starlette.testclient import TestClient
from tiny_models import write_model_folder

from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.from_hub.hub import Hub
from attention_core.pretrained.models.sources import ModelFolder
from server.app import CLIENT_DOWNLOADS, DOWNLOADS, create_app
from server.settings import Settings

MODEL = "some/tiny"
OTHERS = tuple(f"some/other{number}" for number in range(DOWNLOADS + 1))


@pytest.fixture
def hub(tmp_path, monkeypatch) -> Iterator[LoopbackHub]:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    hub = LoopbackHub({MODEL: write_model_folder(tmp_path, "tiny-gpt2")})
    yield hub
    hub.close()


@pytest.fixture
def client(hub, tmp_path) -> Iterator[TestClient]:
    app = create_app(Settings(device="cpu", hub_models=(MODEL,), preload=False))
    app.state.catalog = Catalog(
        hub_models=(MODEL, *OTHERS),
        hub=Hub(endpoint=hub.address, cache_dir=tmp_path / "cache"),
        device="cpu",
    )
    with TestClient(app) as client:
        yield client


@pytest.fixture
def until(client) -> Callable[[str], dict]:
    """The loading's state once it is the one that is waited for."""

    def wait(state: str) -> dict:
        end = time.monotonic() + 60
        while (answer := client.get("/api/models/loading", params={"model": MODEL}).json())["state"] != state:
            assert time.monotonic() < end, answer
        return answer

    return wait


def listed(client: TestClient) -> tuple[bool, str | None]:
    model = next(model for model in client.get("/api/models").json()["models"] if model["id"] == MODEL)
    return model["loaded"], model["loading"]


@pytest.mark.full
def test_a_model_is_loaded_ahead(client, hub, until):
    hub.hold("model.safetensors")
    assert listed(client) == (False, None)
    assert client.get("/api/models/loading", params={"model": MODEL}).json() == {
        "model": MODEL, "state": "idle", "done_bytes": 0, "total_bytes": 0, "message": None,
    }  # fmt: skip
    first = client.post("/api/models/load", json={"model": MODEL})
    assert (first.status_code, first.json()["state"]) == (202, "waiting")
    assert hub.waits.wait(60)
    fetching = until("fetching")
    assert 0 <= fetching["done_bytes"] <= fetching["total_bytes"]
    assert listed(client) == (False, "fetching")
    assert client.post("/api/models/load", json={"model": MODEL}).json()["state"] == "fetching", (
        "asked twice, done once"
    )
    hub.release()
    assert until("ready")["message"] is None
    assert listed(client) == (True, None)
    assert sum(path.endswith("resolve/main/model.safetensors") for path in hub.asked) <= 2
    again = client.post("/api/models/load", json={"model": MODEL}).json()
    assert again["state"] in {"waiting", "checking", "ready"}
    until("ready")
    assert client.post("/api/analyses", json={"model": MODEL, "text": "The cat"}).status_code == 200


@pytest.mark.full
def test_loading_can_be_stopped_and_begun_again(client, hub, until):
    hub.hold("model.safetensors")
    client.post("/api/models/load", json={"model": MODEL})
    assert hub.waits.wait(60)
    answer = client.delete("/api/models/loading", params={"model": MODEL})
    assert (answer.status_code, answer.json()["state"]) == (200, "fetching"), "it stops in a moment"
    assert until("idle")["message"] is None, "though the hub holds back the rest"
    hub.release()
    assert listed(client) == (False, None)
    client.post("/api/models/load", json={"model": MODEL})
    until("ready")


@pytest.mark.full
def test_an_analysis_that_waits_keeps_it_going(client, hub, until):
    hub.hold("model.safetensors")
    client.post("/api/models/load", json={"model": MODEL})
    assert hub.waits.wait(60)
    answers = []
    body = {"model": MODEL, "text": "The cat"}
    waiting = threading.Thread(target=lambda: answers.append(client.post("/api/analyses", json=body)))
    waiting.start()
    store = client.app.state.observatory.loading.downloads
    end = time.monotonic() + 60
    while store._jobs[MODEL].waiting < 2:
        assert time.monotonic() < end
    client.delete("/api/models/loading", params={"model": MODEL})
    hub.release()
    waiting.join(60)
    assert answers[0].status_code == 200
    assert until("ready")["total_bytes"] == 0


@pytest.mark.full
def test_no_model_waits_for_downloads_of_others(client, hub, tmp_path):
    """As many hang as may be fetched at once; what is in memory or on this machine is handed out."""
    observatory = client.app.state.observatory
    catalog = client.app.state.catalog
    for name in ("in-memory", "on-disk"):
        catalog.add(ModelFolder(name, name, "directory", write_model_folder(tmp_path / name, "tiny-gpt2")))
    assert client.post("/api/analyses", json={"model": "in-memory", "text": "The cat"}).status_code == 200
    hub.hold("model.safetensors")
    for name in OTHERS:
        hub.folders[name] = hub.folders[MODEL]
        assert client.post("/api/models/load", json={"model": name}).status_code == 202
    end = time.monotonic() + 60
    while observatory.loading.downloads.running < CLIENT_DOWNLOADS:
        assert time.monotonic() < end
        client.get("/healthz")
    assert client.post("/api/analyses", json={"model": "in-memory", "text": "The dog"}).status_code == 200
    assert client.post("/api/analyses", json={"model": "on-disk", "text": "The cat"}).status_code == 200
    assert client.get("/readyz").status_code == 200
    assert observatory.loading.downloads.running == CLIENT_DOWNLOADS, "one client's share, and none has ended"
    assert not hub.is_released


@pytest.mark.full
def test_a_model_in_memory_is_used_by_being_handed_out(client, tmp_path):
    catalog = client.app.state.catalog
    for name in ("first", "second"):
        catalog.add(ModelFolder(name, name, "directory", write_model_folder(tmp_path / name, "tiny-gpt2")))
        assert client.post("/api/analyses", json={"model": name, "text": "The cat"}).status_code == 200
    assert client.post("/api/analyses", json={"model": "first", "text": "The dog"}).status_code == 200
    assert [model_id for model_id, _ in catalog._kept][-2:] == ["second", "first"]


@pytest.mark.full
def test_a_failure_is_told(client, hub, until, assert_error):
    folder = hub.folders[MODEL]
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    client.post("/api/models/load", json={"model": MODEL})
    failed = until("failed")
    assert "safetensors" in failed["message"]
    assert str(folder) not in failed["message"]
    assert client.delete("/api/models/loading", params={"model": MODEL}).json() == failed
    (folder / "pytorch_model.bin").rename(folder / "model.safetensors")
    client.post("/api/models/load", json={"model": MODEL})
    ready = until("ready")
    assert client.delete("/api/models/loading", params={"model": MODEL}).json() == ready


@pytest.mark.full
def test_unknown_models_and_nonsense(client, assert_error):
    assert_error(client.post("/api/models/load", json={"model": "no/where"}), 404, "unknown_model", "model")
    assert_error(client.get("/api/models/loading", params={"model": "no/where"}), 404, "unknown_model", "model")
    assert_error(client.delete("/api/models/loading", params={"model": "no/where"}), 404, "unknown_model", "model")
    assert_error(client.get("/api/models/loading"), 422, "invalid_request", "model")
    assert_error(client.post("/api/models/load", json={"model": ""}), 422, "invalid_request", "model", 1)
    assert_error(client.post("/api/models/load", json={"model": "x" * 201}), 422, "invalid_request", "model", 200)
