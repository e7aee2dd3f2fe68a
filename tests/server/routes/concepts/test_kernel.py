"""/api/kernel: kernels recomputed from their formulas, and what is refused."""

import math
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient


def post(client: TestClient, **request: Any) -> Any:
    response = client.post("/api/kernel", json=request)
    assert response.status_code == 200, response.json()
    return response.json()


def normed(kernel: np.ndarray) -> np.ndarray:
    return kernel / kernel.sum(axis=-1, keepdims=True)


def test_formulas(client: TestClient) -> None:
    x, y, v = [[0.0, 1.0], [2.0, -1.0]], [[1.0, 1.0], [0.0, 0.5], [-1.0, 2.0]], [[1.0], [2.0], [4.0]]
    w_q, w_k = [[1.0, 0.5]], [[0.0, 2.0]]
    answer = post(client, points=x, keys=y, values=v, query_weight=w_q, key_weight=w_k, gamma=0.7, degree=4, constant=2)
    a, b = np.array(x), np.array(y)
    distances = ((a[:, None] - b[None]) ** 2).sum(-1)
    np.testing.assert_allclose(answer["squared_distances"], distances, atol=1e-14)
    rbf, polynomial = np.exp(-0.7 * distances), (a @ b.T + 2) ** 4
    scores = np.exp((a @ np.array(w_q).T) @ (b @ np.array(w_k).T).T)
    for name, kernel in (("rbf", rbf), ("polynomial", polynomial), ("attention", scores)):
        np.testing.assert_allclose(answer[name]["weights"], normed(kernel), atol=1e-12)
        np.testing.assert_allclose(answer[name]["output"], normed(kernel) @ np.array(v), atol=1e-12)
    np.testing.assert_allclose(answer["rbf"]["kernel"], rbf, atol=1e-14)
    np.testing.assert_allclose(answer["polynomial"]["kernel"], polynomial, atol=1e-12)
    assert not answer["polynomial"]["has_negative_weights"]


def test_kernels_do_not_depend_on_weights_and_attention_does(client: TestClient) -> None:
    plain, other = post(client, seed=1), post(client, seed=1, query_weight=[[0, 3], [1, 0]])
    assert plain["rbf"] == other["rbf"]
    assert plain["polynomial"] == other["polynomial"]
    assert plain["attention"]["weights"] != other["attention"]["weights"]


def test_moving_a_point_changes_all_three(client: TestClient) -> None:
    points = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    before = post(client, points=points)
    after = post(client, points=[[0.5, 0.5], *points[1:]])
    assert all(before[name]["weights"] != after[name]["weights"] for name in ("rbf", "polynomial", "attention"))


def test_on_the_circle_rbf_is_attention(client: TestClient) -> None:
    keys = [[math.cos(math.radians(36 * i)), math.sin(math.radians(36 * i))] for i in range(10)]
    answer = post(client, points=[[math.sqrt(0.5)] * 2], keys=keys, bandwidth=1, scale=1)
    assert answer["gamma"] == 0.5
    np.testing.assert_allclose(answer["rbf"]["weights"], answer["attention"]["weights"], atol=1e-12)
    np.testing.assert_allclose(answer["attention"]["output"], [[0.31564538, 0.31564537]], atol=2e-8)


def test_odd_sizes_and_extremes(client: TestClient) -> None:
    one = post(client, points=[[3]])
    assert one["rbf"]["weights"] == one["polynomial"]["weights"] == one["attention"]["weights"] == [[1]]
    far = post(client, points=[[0]], keys=[[1e4], [1.0001e4]])
    assert far["rbf"]["kernel"] == [[0, 0]]
    assert far["rbf"]["weights"] == [[1, 0]]
    large = post(client, points=[[1e9]], keys=[[1e9], [-1e9]], degree=20)
    assert large["polynomial"]["kernel"] is None
    np.testing.assert_allclose(large["polynomial"]["weights"], [[0.5, 0.5]], atol=1e-12)
    odd = post(client, points=[[1.0]], keys=[[3.0], [-1.0]], degree=1, constant=0)
    assert odd["polynomial"]["has_negative_weights"]
    many = post(client, points=[[1.0]], keys=[[i / 100] for i in range(4096)])
    assert sum(many["rbf"]["weights"][0]) == pytest.approx(1)


def test_a_seed_repeats_and_another_differs(client: TestClient) -> None:
    assert post(client, seed=3) == post(client, seed=3) != post(client, seed=4)


@pytest.mark.parametrize(
    ("request_body", "field", "limit"),
    [
        ({"points": [[1, 2], [3]]}, "points", None),
        ({"points": [["1"]]}, "points.0.0", None),
        ({"points": []}, "points", 1),
        ({"points": [[1e10]]}, "points.0.0", 1e9),
        ({"gamma": -1}, "gamma", 1e-6),
        ({"gamma": 0}, "gamma", 1e-6),
        ({"bandwidth": -0.5}, "bandwidth", 1e-6),
        ({"degree": 0}, "degree", 1),
        ({"degree": 2.5}, "degree", None),
        ({"degree": 21}, "degree", 20),
        ({"num_points": 0}, "num_points", 1),
        ({"size": 10**6}, "size", 1024),
        ({"nonsense": 1}, "nonsense", None),
    ],
)
def test_what_is_refused(client: TestClient, assert_error, request_body: Any, field: str, limit: float | None) -> None:
    assert_error(client.post("/api/kernel", json=request_body), 422, "invalid_request", field, limit)


def test_not_a_number_is_refused(client: TestClient, assert_error) -> None:
    body = b'{"points": [[NaN]]}'
    response = client.post("/api/kernel", content=body, headers={"content-type": "application/json"})
    assert_error(response, 422, "invalid_request", "points.0.0")


@pytest.mark.parametrize(
    ("request_body", "field"),
    [
        ({"gamma": 1, "bandwidth": 1}, "bandwidth"),
        ({"points": [[1, 2]], "keys": [[1]]}, "keys"),
        ({"points": [[1]], "values": [[1], [2]]}, "values"),
        ({"points": [[1]], "query_weight": [[1, 2]]}, "query_weight"),
        ({"points": [[1]], "query_weight": [[1], [2]]}, "query_weight"),
        ({"points": [[1]], "query_weight": [[1], [2]], "key_weight": [[1]]}, "key_weight"),
    ],
)
def test_what_does_not_fit_together(client: TestClient, assert_error, request_body: Any, field: str) -> None:
    assert_error(client.post("/api/kernel", json=request_body), 422, "invalid_value", field)


@pytest.mark.parametrize(
    ("request_body", "field", "limit"),
    [
        ({"num_points": 4096}, "num_points", 2**22),
        ({"points": [[0]] * 4097}, "points", 4096),
        ({"points": [[0]], "keys": [[0]] * 4097}, "keys", 4096),
        ({"points": [[0]] * 2049, "keys": [[0]] * 2048}, "keys", 2**22),
    ],
)
def test_too_large(client: TestClient, assert_error, request_body: Any, field: str, limit: int) -> None:
    assert_error(client.post("/api/kernel", json=request_body), 422, "too_large", field, limit)
