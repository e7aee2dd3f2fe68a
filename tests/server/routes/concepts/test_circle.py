"""POST /api/circle: the figures, sines and cosines by hand, and bad input."""

import math
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient


def ask(client: TestClient, **request: Any) -> dict[str, Any]:
    response = client.post("/api/circle", json=request)
    assert response.status_code == 200, response.text
    return response.json()


def longer(index: int) -> list[float]:
    return [5 if key == index else 1 for key in range(10)]


def softmax(scores: np.ndarray) -> np.ndarray:
    exponentials = np.exp(scores - scores.max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True)


def test_one_query_among_ten_keys(client: TestClient) -> None:
    answer = ask(client, n=10, query_angles_deg=[45])
    np.testing.assert_allclose(answer["outputs"], [[0.31564538, 0.31564537]], atol=1e-8)
    assert len(answer["weights"][0]) == 10
    assert sum(answer["weights"][0]) == pytest.approx(1, abs=1e-14)
    assert np.argmax(answer["weights"][0]) == 1
    assert answer["weights"][0][1] == pytest.approx(0.2121, abs=5e-5)
    angles = np.deg2rad(36 * np.arange(10))
    np.testing.assert_allclose(answer["keys"], np.stack([np.cos(angles), np.sin(angles)], -1), atol=1e-14)
    np.testing.assert_allclose(answer["scores"], [np.cos(math.pi / 4 - angles)], atol=1e-14)
    assert answer["values"] == answer["keys"]
    assert answer["scale"] == 1


def test_three_queries(client: TestClient) -> None:
    answer = ask(client, n=10, query_angles_deg=[45, 0, 90])
    assert np.shape(answer["outputs"]) == (3, 2)
    assert np.shape(answer["weights"]) == (3, 10)
    np.testing.assert_allclose(np.sum(answer["weights"], -1), 1, rtol=1e-14)
    np.testing.assert_allclose(answer["queries"], [[math.sqrt(0.5)] * 2, [1, 0], [0, 1]], atol=1e-15)
    np.testing.assert_allclose(
        answer["weights"], softmax(np.array(answer["queries"]) @ np.array(answer["keys"]).T), rtol=1e-13
    )


def test_length_amplifies_the_sign(client: TestClient) -> None:
    plain, third, fourth = (
        ask(client, n=10, query_angles_deg=[45], lengths=lengths) for lengths in ([1] * 10, longer(3), longer(4))
    )
    assert plain["weights"][0][3] == pytest.approx(0.124, abs=5e-4)
    assert third["weights"][0][3] == pytest.approx(0.466, abs=5e-4)
    np.testing.assert_allclose(third["outputs"], [[-0.504, 2.337]], atol=5e-4)
    assert plain["weights"][0][4] == pytest.approx(0.0675, abs=5e-5)
    assert fourth["weights"][0][4] == pytest.approx(0.0373, abs=5e-5)
    cosine = ask(client, n=10, query_angles_deg=[45], lengths=longer(3), mechanism="cosine")
    np.testing.assert_allclose(cosine["weights"], plain["weights"], rtol=1e-13)


@pytest.mark.parametrize(("temperature", "entropy"), [(1e-6, 0), (1e6, math.log(10))])
def test_temperature_limits(client: TestClient, temperature: float, entropy: float) -> None:
    answer = ask(client, n=10, query_angles_deg=[40], temperature=temperature)
    assert answer["entropy"][0] == pytest.approx(entropy, abs=1e-9)
    assert answer["scale"] == pytest.approx(1 / temperature)


@pytest.mark.parametrize("mechanism", ["dot", "scaled_dot", "cosine", "additive"])
@pytest.mark.parametrize(("keys", "queries"), [(1, 1), (24, 16), (7, 13)])
def test_every_mechanism_and_size(client: TestClient, mechanism: str, keys: int, queries: int) -> None:
    request = {"n": keys, "query_angles_deg": [11 * i for i in range(queries)], "mechanism": mechanism}
    answer = ask(client, **request)
    np.testing.assert_allclose(answer["weights"], softmax(np.array(answer["scaled_scores"])), rtol=1e-12)
    np.testing.assert_allclose(answer["outputs"], np.array(answer["weights"]) @ answer["values"], atol=1e-13)
    assert answer == ask(client, **request)


def test_additive_seed(client: TestClient) -> None:
    request = {"query_angles_deg": [45], "mechanism": "additive"}
    first, again, other = (ask(client, **request, additive={"seed": seed}) for seed in (1, 1, 2))
    assert first == again
    assert first["weights"] != other["weights"]


def test_additive_weights_give_the_scores(client: TestClient) -> None:
    answer = ask(client, query_angles_deg=[45, 200], mechanism="additive", additive={"seed": 5})
    layer = {name: np.array(part) for name, part in answer["additive_weights"].items()}
    for query, row in zip(answer["queries"], answer["scores"], strict=True):
        for key, score in zip(answer["keys"], row, strict=True):
            hidden = np.tanh(layer["query_weight"] @ query + layer["key_weight"] @ key + layer["bias"])
            assert score == pytest.approx(layer["combine"] @ hidden, abs=1e-14)
    assert ask(client, query_angles_deg=[45])["additive_weights"] is None


def test_keys_and_queries_of_ones_own(client: TestClient) -> None:
    request = {"n": 3, "key_angles_deg": [10, -30, 200], "lengths": [2, 0, 1e4], "query_lengths": [3, -1]}
    answer = ask(client, query_angles_deg=[20, 50], **request)
    expected = [[3 * 2 * math.cos(math.radians(10)), 0], [-2 * math.cos(math.radians(40)), 0]]
    np.testing.assert_allclose(np.array(answer["scores"])[:, :2], expected, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(answer["weights"][1], [0, 0, 1], atol=1e-12)


def test_turning_is_adding_angles(client: TestClient) -> None:
    turn = {"query_positions": [4], "key_positions": [0, 1, 2], "theta": 0.5}
    answer = ask(client, n=3, query_angles_deg=[30], turn=turn)
    angles = [math.radians(120 * i) + 0.5 * i - math.radians(30) - 2 for i in range(3)]
    np.testing.assert_allclose(answer["weights"], softmax(np.cos([angles])), rtol=1e-13)
    assert answer["values"] == ask(client, n=3, query_angles_deg=[30])["keys"]


@pytest.mark.parametrize(
    ("changes", "code", "field", "limit"),
    [
        ({"n": 0}, "invalid_request", "n", 1),
        ({"n": 25}, "invalid_request", "n", 24),
        ({"n": 10**9}, "invalid_request", "n", 24),
        ({"n": 2.5}, "invalid_request", "n", None),
        ({"n": "10"}, "invalid_request", "n", None),
        ({"n": True}, "invalid_request", "n", None),
        ({"query_angles_deg": []}, "invalid_request", "query_angles_deg", 1),
        ({"query_angles_deg": [0] * 17}, "too_large", "query_angles_deg", 16),
        ({"query_angles_deg": [[0]]}, "invalid_request", "query_angles_deg.0", None),
        ({"query_angles_deg": ["0"]}, "invalid_request", "query_angles_deg.0", None),
        ({"query_angles_deg": None}, "invalid_request", "query_angles_deg", None),
        ({"lengths": [1] * 9}, "invalid_value", "lengths", None),
        ({"lengths": [1] * 25}, "too_large", "lengths", 24),
        ({"lengths": [1e10] * 10}, "invalid_request", "lengths.0", 1e9),
        ({"key_angles_deg": [1]}, "invalid_value", "key_angles_deg", None),
        ({"query_lengths": [1, 1]}, "invalid_value", "query_lengths", None),
        ({"mechanism": "rbf"}, "invalid_request", "mechanism", None),
        ({"temperature": 0}, "invalid_request", "temperature", 1e-6),
        ({"temperature": -1}, "invalid_request", "temperature", 1e-6),
        ({"temperature": 1e7}, "invalid_request", "temperature", 1e6),
        ({"additive": {"seed": 1}}, "invalid_value", "additive", None),
        ({"turn": {"query_positions": [1], "key_positions": [1]}}, "invalid_value", "turn.key_positions", None),
        ({"keys": [[1, 0]]}, "invalid_request", "keys", None),
    ],
)
def test_bad_input(
    client: TestClient, assert_error: Any, changes: dict[str, Any], code: str, field: str, limit: float | None
) -> None:
    request = {"n": 10, "query_angles_deg": [45]} | changes
    assert_error(client.post("/api/circle", json=request), 422, code, field, limit)


def test_nan_is_refused(client: TestClient) -> None:
    body = '{"n": 10, "query_angles_deg": [NaN]}'
    response = client.post("/api/circle", content=body, headers={"content-type": "application/json"})
    assert response.status_code == 422
    assert "error" in response.json()
