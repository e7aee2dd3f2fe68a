"""/api/linear: every figure, every shape, and what is refused."""

import math
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

JSON = {"content-type": "application/json"}
X4 = [1.0, 2.0, 3.0, 4.0]


def post(client: TestClient, path: str, **request: Any) -> Any:
    response = client.post(f"/api/linear{path}", json=request)
    assert response.status_code == 200, response.json()
    return response.json()


@pytest.mark.parametrize("leading", [[], [5], [5, 10], [5, 8, 10]])
def test_leading_axes_are_kept(client: TestClient, leading: list[int]) -> None:
    answer = post(client, "", in_features=4, out_features=3, leading=leading, seed=2)
    assert (answer["input_shape"], answer["output_shape"]) == ([*leading, 4], [*leading, 3])
    x, w, b = (np.array(answer[name]) for name in ("inputs", "weight", "bias"))
    np.testing.assert_allclose(answer["by_hand"], np.einsum("...i,oi->...o", x, w) + b, atol=1e-13)
    np.testing.assert_allclose(answer["outputs"], answer["by_hand"], atol=1e-13)
    assert answer["matches"]
    assert answer["parameters"] == {"weight": 12, "bias": 3, "total": 4 * 3 + 3}
    assert answer["bound"] == 0.5
    assert (np.abs(w) <= 0.5).all()


def test_a_given_layer_by_hand(client: TestClient) -> None:
    weight = [[1.0, 0.0, -1.0, 2.0], [0.5, 0.5, 0.5, 0.5]]
    answer = post(client, "", inputs=[[X4, X4]], weight=weight, bias_values=[10, -10])
    assert answer["outputs"] == answer["by_hand"] == [[[16.0, -5.0], [16.0, -5.0]]]
    assert answer["terms"] == [[1, 0, -3, 8], [0.5, 1, 1.5, 2]]
    assert answer["largest_difference"] == 0


def test_a_printed_layer_gives_its_printed_output(client: TestClient) -> None:
    weight = [[0.2718, 0.4257, 0.0045, 0.24], [-0.2094, 0.2349, -0.3089, 0.1979], [0.4376, -0.3982, 0.4402, -0.1586]]
    answer = post(client, "", inputs=X4, weight=weight, bias_values=[0.2165, -0.4657, -0.072])
    np.testing.assert_allclose(answer["outputs"], [2.3132, -0.3404, 0.2553], atol=5e-4)


def test_without_bias(client: TestClient) -> None:
    answer = post(client, "", bias=False, leading=[2])
    assert answer["bias"] is None
    assert answer["parameters"] == {"weight": 12, "bias": 0, "total": 12}
    given = post(client, "", weight=answer["weight"], inputs=answer["inputs"])
    assert given["outputs"] == answer["outputs"]
    drawn = post(client, "", weight=answer["weight"], leading=[2, 5], seed=3)
    assert drawn["output_shape"] == [2, 5, 3]


def test_initialisation_figures(client: TestClient) -> None:
    layers = post(client, "/initialisation", sizes=[8, 64, 512], out_features=64, seed=1)["layers"]
    bounds, deviations = [0.3536, 0.1250, 0.0442], [0.2041, 0.0722, 0.0255]
    for layer, size, bound, deviation in zip(layers, [8, 64, 512], bounds, deviations, strict=True):
        assert layer["in_features"] == size
        assert layer["bound"] == pytest.approx(bound, abs=5e-5)
        assert layer["expected_standard_deviation"] == pytest.approx(deviation, abs=5e-5)
        weights = layer["weights"]
        assert weights["count"] == sum(weights["counts"]) == size * 64
        assert len(weights["edges"]) == len(weights["counts"]) + 1 == 41
        variance = layer["expected_standard_deviation"] ** 2
        assert weights["variance"] == pytest.approx(variance, abs=5 * variance * math.sqrt(0.8 / weights["count"]))


def test_bias_figures(client: TestClient) -> None:
    answer = post(client, "/bias")
    parameters = answer["parameters"]
    assert (parameters["with_bias"], parameters["without_bias"], parameters["saved"]) == (144, 128, 16)
    assert parameters["saved_percent"] == pytest.approx(100 / 9, abs=1e-12)
    assert parameters["large_biases"] == 1_179_648
    parts = [np.array(answer[name]) for name in ("without_bias", "query_offset", "key_offset")]
    assert [part.shape for part in parts] == [(2, 4, 4), (2, 4, 1), (2, 1, 4)]
    np.testing.assert_allclose(answer["with_bias"], sum(parts) + answer["constant"], atol=1e-12)
    assert answer["with_bias_summary"]["mean"] == pytest.approx(np.mean(answer["with_bias"]))
    assert answer["weights_change_without_key_bias"] < 1e-14 < answer["weights_change_without_biases"]


def test_known_models(client: TestClient) -> None:
    response = client.get("/api/linear/models")
    assert response.status_code == 200
    rows = {row["architecture"]: row for row in response.json()["models"]}
    for name, has in {"torch": True, "bert": True, "gpt2": True, "t5": False, "llama": False, "gpt_neox": True}.items():
        assert [rows[name][role] for role in ("query", "key", "value")] == [has] * 3, name
    assert [rows["whisper"][role] for role in ("query", "key", "value", "output")] == [True, False, True, True]
    assert "transformers" in rows["bert"]["source"]


def test_a_seed_repeats_and_another_differs(client: TestClient) -> None:
    for path in ("", "/initialisation", "/bias"):
        assert post(client, path, seed=4) == post(client, path, seed=4) != post(client, path, seed=5)


@pytest.mark.parametrize(
    ("request_body", "field", "limit"),
    [
        ({"in_features": 0}, "in_features", 1),
        ({"out_features": 10**9}, "out_features", 4096),
        ({"in_features": "8"}, "in_features", None),
        ({"bias": 1}, "bias", None),
        ({"seed": -1}, "seed", 0),
        ({"inputs": []}, "inputs", 1),
        ({"inputs": [[]]}, "inputs", None),
        ({"inputs": [[1, 2], [3]]}, "inputs", None),
        ({"inputs": [1, [2]]}, "inputs", 1e9),
        ({"inputs": [1, "2"]}, "inputs", 1e9),
        ({"inputs": [True]}, "inputs", 1e9),
        ({"inputs": [1e300]}, "inputs", 1e9),
        ({"inputs": [[[[[1]]]]]}, "inputs", 4),
        ({"leading": [0]}, "leading.0", 1),
        ({"weight": [[1, 2], [3]]}, "weight", None),
        ({"weight": [[]]}, "weight.0", 1),
        ({"nonsense": 1}, "nonsense", None),
    ],
)
def test_what_is_refused(client: TestClient, assert_error, request_body: Any, field: str, limit: float | None) -> None:
    response = client.post("/api/linear", json=request_body)
    assert_error(response, 422, "invalid_request", field, limit)


def test_not_a_number_is_refused(client: TestClient, assert_error) -> None:
    for literal in ("NaN", "Infinity", "-Infinity"):
        response = client.post("/api/linear", content=f'{{"inputs": [1, {literal}]}}', headers=JSON)
        assert_error(response, 422, "invalid_request", "inputs", 1e9)


@pytest.mark.parametrize(
    ("request_body", "field"),
    [
        ({"inputs": [1, 2, 3]}, "inputs"),
        ({"inputs": X4, "leading": [2]}, "leading"),
        ({"bias_values": [1, 2, 3]}, "bias_values"),
        ({"inputs": [1], "weight": [[1], [2]], "bias_values": [1, 2, 3]}, "bias_values"),
    ],
)
def test_what_does_not_fit_together(client: TestClient, assert_error, request_body: Any, field: str | None) -> None:
    assert_error(client.post("/api/linear", json=request_body), 422, "invalid_value", field)


@pytest.mark.parametrize(
    ("path", "request_body", "field"),
    [
        ("", {"in_features": 4096, "out_features": 4096}, "in_features"),
        ("", {"leading": [1024, 1024, 2]}, "leading"),
        ("/initialisation", {"sizes": [4096], "out_features": 4096}, "sizes"),
        ("/bias", {"d_model": 4096, "d_k": 4096}, "d_model"),
        ("/bias", {"seq_len": 4096}, "seq_len"),
    ],
)
def test_too_large(client: TestClient, assert_error, path: str, request_body: Any, field: str) -> None:
    assert_error(client.post(f"/api/linear{path}", json=request_body), 422, "too_large", field, 2**22)


@pytest.mark.parametrize(
    ("path", "request_body", "field", "limit"),
    [
        ("/initialisation", {"sizes": []}, "sizes", 1),
        ("/initialisation", {"sizes": [8, 0]}, "sizes.1", 1),
        ("/initialisation", {"bins": 401}, "bins", 400),
        ("/bias", {"batch": 0}, "batch", 1),
        ("/bias", {"projections": 5}, "projections", 4),
        ("/bias", {"large": {"layers": 0}}, "large.layers", 1),
    ],
)
def test_other_routes_refuse(
    client: TestClient, assert_error, path: str, request_body: Any, field: str, limit: int
) -> None:
    assert_error(client.post(f"/api/linear{path}", json=request_body), 422, "invalid_request", field, limit)
