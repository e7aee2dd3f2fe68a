"""Rollout and flow over HTTP: against the weights of the same analysis, and errors in the one shape."""

import base64
from collections.abc import Iterator

import numpy as np
import pytest
from starlette.testclient import TestClient

from server.app import create_app
from server.settings import Settings

MINILM = "sentence-transformers/all-MiniLM-L6-v2"


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app(Settings(device="cpu", hub_models=(), preload=False))) as client:
        yield client


def post(client: TestClient, text: str) -> str:
    return f"/api/analyses/{client.post('/api/analyses', json={'model': MINILM, 'text': text}).json()['id']}"


@pytest.fixture(scope="module")
def path(client: TestClient) -> str:
    return post(client, "The cat sat on the mat because it was tired.")


@pytest.fixture(scope="module")
def expected(client: TestClient, path: str) -> list[np.ndarray]:
    """The product after each layer, from the weights that the same server hands out."""
    products = [np.eye(13)]
    for layer in range(6):
        heads = [
            client.get(f"{path}/weights?layer={layer}&head={head}&encoding=json").json()["matrix"] for head in range(12)
        ]
        products.append((0.5 * np.mean(heads, axis=0) + 0.5 * np.eye(13)) @ products[-1])
    return products[1:]


def test_rollout(client: TestClient, path: str, expected: list[np.ndarray]) -> None:
    answer = client.get(f"{path}/rollout").json()
    matrix = np.frombuffer(base64.b64decode(answer.pop("matrix")["bdata"]), "<f4").reshape(13, 13)
    np.testing.assert_allclose(matrix, expected[5], atol=1e-6)
    assert answer == {"shape": [13, 13], "part": "encoder", "layer": 5, "query": None, "encoding": "base64"}
    answer = client.get(f"{path}/rollout?part=encoder&layer=2&query=9&encoding=json").json()
    np.testing.assert_allclose(answer.pop("matrix"), expected[2][9:10], atol=1e-6)
    assert answer == {"shape": [1, 13], "part": "encoder", "layer": 2, "query": 9, "encoding": "json"}


def test_flow(client: TestClient, path: str, expected: list[np.ndarray]) -> None:
    answer = client.get(f"{path}/flow?query=9&layer=0").json()
    np.testing.assert_allclose(answer.pop("flows"), expected[0][9], atol=1e-6)
    assert answer == {"part": "encoder", "layer": 0, "query": 9}
    assert (np.array(client.get(f"{path}/flow?query=9").json()["flows"]) >= expected[5][9] - 1e-6).all()


@pytest.mark.parametrize(
    ("query", "code", "field", "limit"),
    [
        ("rollout?query=13", "out_of_range", "query", 12),
        ("rollout?layer=6", "out_of_range", "layer", 5),
        ("rollout?part=decoder", "out_of_range", "part", None),
        ("rollout?part=middle", "invalid_request", "part", None),
        ("rollout?encoding=csv", "invalid_request", "encoding", None),
        ("flow", "invalid_request", "query", None),
        ("flow?query=-1", "out_of_range", "query", 12),
    ],
)
def test_errors(client, path, assert_error, query, code, field, limit):
    assert_error(client.get(f"{path}/{query}"), 422, code, field, limit)


def test_flow_names_its_limit(client, assert_error):
    long = post(client, "cat " * 80)
    assert_error(client.get(f"{long}/flow?query=0"), 422, "window_too_large", "query", 64)


def test_an_analysis_nobody_knows(client, assert_error):
    for name in ("rollout", "flow?query=0"):
        assert_error(client.get(f"/api/analyses/none/{name}"), 404, "analysis_expired", "analysis_id")
