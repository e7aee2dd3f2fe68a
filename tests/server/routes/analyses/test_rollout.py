"""Rollout and flow over HTTP: against the weights of the same analysis, and errors in the one shape."""

import base64

import numpy as np
import pytest
from starlette.testclient import TestClient

MINILM = "sentence-transformers/all-MiniLM-L6-v2"


def post(client: TestClient, text: str) -> str:
    return f"/api/analyses/{client.post('/api/analyses', json={'model': MINILM, 'text': text}).json()['id']}"


@pytest.fixture(scope="module")
def path(client: TestClient) -> str:
    return post(client, "The cat sat on the mat because it was tired.")


@pytest.fixture(scope="module")
def means(client: TestClient, path: str) -> list[np.ndarray]:
    """The mean over heads in each layer, of the weights that the same server hands out."""

    def heads(layer: int) -> list[list[list[float]]]:
        asked = (f"{path}/weights?layer={layer}&head={head}&encoding=json" for head in range(12))
        return [client.get(each).json()["matrix"] for each in asked]

    return [np.mean(heads(layer), axis=0) for layer in range(6)]


@pytest.fixture(scope="module")
def expected(means: list[np.ndarray]) -> list[np.ndarray]:
    """The product after each layer."""
    products = [np.eye(13)]
    for mean in means:
        products.append((0.5 * mean + 0.5 * np.eye(13)) @ products[-1])
    return products[1:]


def test_rollout(client: TestClient, path: str, expected: list[np.ndarray]) -> None:
    answer = client.get(f"{path}/rollout").json()
    matrix = np.frombuffer(base64.b64decode(answer.pop("matrix")["bdata"]), "<f4").reshape(13, 13)
    np.testing.assert_allclose(matrix, expected[5], atol=1e-6)
    assert answer == {"shape": [13, 13], "part": "encoder", "layer": 5, "query": None, "encoding": "base64"}
    answer = client.get(f"{path}/rollout?part=encoder&layer=2&query=9&encoding=json").json()
    np.testing.assert_allclose(answer.pop("matrix"), expected[2][9:10], atol=1e-6)
    assert answer == {"shape": [1, 13], "part": "encoder", "layer": 2, "query": 9, "encoding": "json"}


def decoded(encoded: dict[str, str]) -> np.ndarray:
    shape = [int(size) for size in encoded["shape"].split(",")]
    return np.frombuffer(base64.b64decode(encoded["bdata"]), "<f4").reshape(shape)


def test_rollout_after_every_layer(
    client: TestClient, path: str, expected: list[np.ndarray], means: list[np.ndarray]
) -> None:
    answer = client.get(f"{path}/rollout/layers?query=9").json()
    np.testing.assert_allclose(decoded(answer.pop("rollout")), [each[9] for each in expected], atol=1e-6)
    np.testing.assert_allclose(decoded(answer.pop("mean_weights")), [each[9] for each in means], atol=1e-6)
    assert answer == {
        "shape": [6, 13],
        "part": "encoder",
        "query": 9,
        "encoding": "base64",
        "max_whole_tokens": 1024,
        "max_flow_tokens": 64,
    }
    answer = client.get(f"{path}/rollout/layers?part=encoder&query=0&encoding=json").json()
    np.testing.assert_allclose(answer["rollout"], [each[0] for each in expected], atol=1e-6)
    np.testing.assert_allclose(answer["mean_weights"], [each[0] for each in means], atol=1e-6)


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
        ("rollout/layers", "invalid_request", "query", None),
        ("rollout/layers?query=13", "out_of_range", "query", 12),
        ("rollout/layers?query=0&part=cross", "out_of_range", "part", None),
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
    for name in ("rollout", "rollout/layers?query=0", "flow?query=0"):
        assert_error(client.get(f"/api/analyses/none/{name}"), 404, "analysis_expired", "analysis_id")
