"""/api/qk_norm: what each norm promises, and what is refused."""

import math
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient


def post(client: TestClient, path: str = "", **request: Any) -> Any:
    response = client.post(f"/api/qk_norm{path}", json=request)
    assert response.status_code == 200, response.json()
    return response.json()


def test_l2_leaves_the_cosine_exactly(client: TestClient) -> None:
    angles = np.radians([0, 45, 90, 180])
    vectors = (np.stack((np.cos(angles), np.sin(angles)), axis=1) * [[2], [5], [1], [0.5]]).tolist()
    answer = post(client, queries=vectors, keys=vectors)
    expected = np.cos(angles[:, None] - angles[None])
    kinds = {norm["kind"]: norm for norm in answer["norms"]}
    assert list(kinds) == ["none", "layer", "rms", "l2"]
    np.testing.assert_allclose(kinds["l2"]["dot_products"], expected, atol=1e-15)
    np.testing.assert_allclose(answer["cosines"], expected, atol=1e-15)
    np.testing.assert_allclose(kinds["rms"]["dot_products"], 2 * expected, rtol=1e-4, atol=1e-12)
    assert [kinds[kind]["bound"] for kind in kinds] == [None, 2, 2, 1]
    assert answer["order_difference"] is None


def test_lengths(client: TestClient) -> None:
    kinds = {norm["kind"]: norm for norm in post(client, num_queries=3, num_keys=5, size=64)["norms"]}
    np.testing.assert_allclose(kinds["layer"]["query_norms"], 8, rtol=1e-4)
    np.testing.assert_allclose(kinds["rms"]["key_norms"], 8, rtol=1e-4)
    np.testing.assert_allclose(kinds["l2"]["key_norms"], 1, rtol=1e-12)
    for norm in kinds.values():
        scores = np.array(norm["dot_products"]) * norm["score_scale"]
        np.testing.assert_allclose(norm["scores"], scores, atol=1e-12)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        np.testing.assert_allclose(norm["weights"], weights / weights.sum(axis=1, keepdims=True), atol=1e-12)
        assert (norm["lowest"], norm["highest"]) == (np.min(norm["dot_products"]), np.max(norm["dot_products"]))
    assert kinds["l2"]["score_scale"] == 8
    assert kinds["rms"]["score_scale"] == 1 / 8


@pytest.mark.parametrize("rope", ["interleaved", "half_split"])
def test_order(client: TestClient, rope: str) -> None:
    free = post(client, rope=rope)["order_difference"]
    assert max(free.values()) < 1e-13
    scale = [0.5, 1, 1.5, 2, 1, 1, 3, 1]
    after = post(client, rope=rope, learned_scale=scale, order="after_rope")
    before = post(client, rope=rope, learned_scale=scale, order="before_rope")
    difference = np.abs(np.array(after["norms"][2]["dot_products"]) - before["norms"][2]["dot_products"]).max()
    assert after["order_difference"]["rms"] == pytest.approx(difference)
    assert difference > 1e-3


def test_concentration(client: TestClient) -> None:
    points = post(client, "/concentration", dims=[8, 64, 512], samples=2000)["points"]
    for point in points:
        d = point["d"]
        assert point["layer_norm"]["mean"] == pytest.approx(math.sqrt(d), rel=1e-4)
        assert point["raw"]["mean"] == pytest.approx(point["expected_mean"], rel=0.05)
        assert point["expected_mean"] == pytest.approx(math.sqrt(d - 0.5), rel=5e-3)
        assert point["expected_cosine_standard_deviation"] == pytest.approx(1 / math.sqrt(d))
        assert point["cosine_standard_deviation"] == pytest.approx(1 / math.sqrt(d), rel=0.1)
    for name in ("raw", "layer_norm_gain", "projected"):
        spreads = [point[name]["relative_spread"] for point in points]
        assert spreads == sorted(spreads, reverse=True)


def test_odd_sizes_and_extremes(client: TestClient) -> None:
    one = post(client, queries=[[3]], keys=[[-1]])
    assert one["norms"][3]["dot_products"] == [[-1]]
    assert one["norms"][1]["dot_products"] == [[0]]
    zeros = post(client, queries=[[0, 0]], keys=[[1e9, -1e9], [1e-9, 0]])
    assert zeros["norms"][3]["weights"] == [[0.5, 0.5]]
    assert len(post(client, num_queries=7, num_keys=3, size=13)["cosines"]) == 7
    assert post(client, "/concentration", dims=[1], samples=2)["points"][0]["layer_norm"]["mean"] == 0


def test_a_seed_repeats_and_another_differs(client: TestClient) -> None:
    for path in ("", "/concentration"):
        assert post(client, path, seed=1) == post(client, path, seed=1) != post(client, path, seed=2)
    assert post(client, seed=2**32 - 1)["norms"]


@pytest.mark.parametrize(
    ("path", "request_body", "code", "field", "limit"),
    [
        ("", {"queries": [[1], [1, 2]]}, "invalid_request", "queries", None),
        ("", {"keys": [["1"]]}, "invalid_request", "keys.0.0", None),
        ("", {"queries": []}, "invalid_request", "queries", 1),
        ("", {"size": 0}, "invalid_request", "size", 1),
        ("", {"rope": "both"}, "invalid_request", "rope", None),
        ("", {"base": -1}, "invalid_request", "base", 1),
        ("", {"order": "never"}, "invalid_request", "order", None),
        ("", {"kind": "l2"}, "invalid_request", "kind", None),
        ("", {"learned_scale": [1, 2]}, "invalid_value", "learned_scale", None),
        ("", {"queries": [[1, 2]], "keys": [[1]]}, "invalid_value", "keys", None),
        ("", {"size": 3, "rope": "half_split"}, "invalid_value", "rope", None),
        ("", {"num_queries": 4096, "num_keys": 4096}, "too_large", "num_queries", 2**22),
        ("", {"num_queries": 1, "num_keys": 4096, "size": 4096}, "too_large", "num_keys", 2**22),
        ("", {"keys": [[0]] * 4097}, "too_large", "keys", 4096),
        ("/concentration", {"dims": [0]}, "invalid_request", "dims.0", 1),
        ("/concentration", {"samples": 1}, "invalid_request", "samples", 2),
        ("/concentration", {"gain": -0.1}, "invalid_request", "gain", 0),
        ("/concentration", {"dims": [4096] * 16, "samples": 2}, "too_large", "samples", 2**33),
        ("/concentration", {"dims": [4096], "samples": 10_000}, "too_large", "samples", 2**33),
    ],
)
def test_what_is_refused(
    client: TestClient, assert_error, path: str, request_body: Any, code: str, field: str, limit: float | None
) -> None:
    assert_error(client.post(f"/api/qk_norm{path}", json=request_body), 422, code, field, limit)


def test_not_a_number_is_refused(client: TestClient, assert_error) -> None:
    response = client.post("/api/qk_norm", content=b'{"keys": [[NaN]]}', headers={"content-type": "application/json"})
    assert_error(response, 422, "invalid_request", "keys.0.0")
