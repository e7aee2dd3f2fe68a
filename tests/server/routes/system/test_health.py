"""What operators ask."""

import re

import pytest
from starlette.testclient import TestClient

from server.app import create_app
from server.settings import Settings

MINILM = "sentence-transformers/all-MiniLM-L6-v2"


@pytest.fixture
def client(settings):
    """An application of each test's own: what it counts begins at 0."""
    with TestClient(create_app(settings)) as client:
        yield client


@pytest.mark.full
def test_alive_and_ready(client):
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ready", "model": MINILM, "device": "cpu"}


@pytest.mark.full
def test_not_ready_when_the_first_model_cannot_be_loaded(tmp_path, monkeypatch, assert_error):
    monkeypatch.setattr(
        "attention_core.pretrained.models.catalog.package_folders", list
    )  # as if no package carried weights
    with TestClient(create_app(Settings(models_dir=tmp_path, device="cpu", hub_models=()))) as client:
        assert client.get("/healthz").status_code == 200
        assert_error(client.get("/readyz"), 503, "not_ready")
        found = client.get("/api/models").json()
        assert (found["models"], found["default"], found["memory"]["used_bytes"]) == ([], None, 0)


@pytest.mark.full
def test_the_first_model_is_loaded_at_start_up():
    with TestClient(create_app(Settings(device="cpu", hub_models=()))) as client:
        loading = client.app.state.observatory.loading.store
        assert client.get("/readyz").status_code == 200
        # The load that has just answered is struck off a moment later, and nothing else is begun.
        assert any(loading.under_way == 0 for _ in range(1_000) if client.get("/healthz"))


@pytest.fixture
def numbers(client):
    def read() -> dict[str, float]:
        response = client.get("/metrics")
        assert response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        return {
            name: float(value) for name, value in re.findall(r"^(observatory\S+) (\S+)$", response.text, re.MULTILINE)
        }

    return read


@pytest.mark.full
def test_requests_are_counted_by_route(client, numbers):
    client.get("/healthz")
    client.get("/api/analyses/abc")
    client.get("/api/analyses/def")
    client.get("/some/guess")
    client.post("/api/analyses", json={"model": "x", "text": "a"})
    client.request("INVENTED", "/some/guess")
    found = numbers()
    count = 'observatory_requests_total{{method="{}",route="{}",status="{}"}}'.format
    assert found[count("GET", "/healthz", 200)] == 1
    assert found[count("GET", "/api/analyses/{analysis_id}", 404)] == 2
    assert found[count("GET", "unmatched", 404)] == 1
    assert found[count("other", "unmatched", 404)] == 1
    assert found[count("POST", "/api/analyses", 404)] == 1
    assert found['observatory_request_seconds_count{route="/api/analyses/{analysis_id}"}'] == 2


@pytest.mark.full
def test_the_cache_is_weighed(client, numbers):
    kept = 'observatory_cache_bytes{cache="analyses"}'
    assert numbers()[kept] == 0
    client.post("/api/analyses", json={"model": MINILM, "text": "The cat sat."})
    tokens = 6
    vectors = 6 * 3 * tokens * 384 * 4  # queries, keys and values of six layers
    outputs = 6 * (384 + 1) * 384 * 4  # W_O and its bias, which stay when the model is let go of
    assert vectors + outputs <= numbers()[kept] < 3 * vectors + outputs
