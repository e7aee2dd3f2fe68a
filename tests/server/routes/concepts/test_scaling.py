"""/api/scaling: every figure, and what is refused."""

import math
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient


def post(client: TestClient, path: str, **request: Any) -> Any:
    response = client.post(f"/api/scaling{path}", json=request)
    assert response.status_code == 200, response.json()
    return response.json()


def test_normal_figures(client: TestClient) -> None:
    found = post(client, "", d_k=[8, 64, 512], samples=10_000, seed=1)["distributions"]
    assert [entry["d_k"] for entry in found] == [8, 64, 512]
    for entry in found:
        d_k = entry["d_k"]
        assert entry["theory"]["variance"] == d_k
        assert entry["theory"]["scaled_variance"] == 1
        error = math.sqrt((2 * d_k**2 + 6 * d_k) / 10_000)  # of the sample variance; fourth moment 3 d² + 6 d
        assert entry["raw"]["variance"] == pytest.approx(d_k, abs=5 * error)
        assert entry["scaled"]["variance"] == pytest.approx(1, abs=5 * error / d_k)
        assert entry["ratio"] == pytest.approx(d_k, rel=1e-9)
        assert sum(entry["raw"]["counts"]) == entry["raw"]["count"] == 10_000


def test_the_exercise_in_one_call(client: TestClient) -> None:
    theory = [entry["theory"] for entry in post(client, "", d_k=[256, 64])["distributions"]]
    assert [entry["variance"] for entry in theory] == [256, 64]
    assert [entry["standard_deviation"] for entry in theory] == [16, 8]
    assert [entry["scaled_variance"] for entry in theory] == [1, 1]


@pytest.mark.full
def test_linear_figures(client: TestClient) -> None:
    found = post(client, "", source="linear", d_k=[8, 64, 512], samples=10_000, seed=2)["distributions"]
    for entry, variance, scaled in zip(found, [1.125, 7.34, 57.1], [0.14, 0.115, 0.112], strict=True):
        d_k = entry["d_k"]
        assert entry["theory"]["variance"] == pytest.approx(d_k * (1 / 3 + 1 / (3 * d_k)) ** 2, abs=1e-9)
        assert entry["theory"]["variance"] == pytest.approx(variance, rel=2e-3)
        assert entry["theory"]["scaled_variance"] == pytest.approx(scaled, abs=1e-3)
        assert entry["raw"]["variance"] == pytest.approx(variance, rel=0.15)  # 64 layers scatter by a few per cent
        assert entry["scaled"]["variance"] == pytest.approx(scaled, rel=0.15)


def test_the_courses_sequences(client: TestClient) -> None:
    request = {"source": "linear", "samples": 500, "seq_len": 10, "layers": 1, "d_k": [64]}
    entry = post(client, "", **request)["distributions"][0]
    assert entry["raw"]["count"] == 500 * 100
    assert entry["ratio"] == pytest.approx(64, rel=1e-9)
    without = post(client, "", **request, bias=False, d_model=32)["distributions"][0]
    assert without["theory"]["component_variance"] == pytest.approx(1 / 3)


def test_large_layers_are_drawn_less_often(client: TestClient) -> None:
    entry = post(client, "", source="linear", d_k=[2048], samples=64)["distributions"][0]
    assert entry["theory"]["variance"] == pytest.approx(2048 * (1 / 3 + 1 / 6144) ** 2)
    assert entry["raw"]["count"] == 64


def test_saturation_figures(client: TestClient) -> None:
    for request in ({}, {"scores": [10, 5, 2, 1], "divisor": 8}, {"d_k": 64}):
        answer = post(client, "/saturation", **request)
        assert answer["divisor"] == 8
        np.testing.assert_allclose(answer["unscaled"]["weights"], [0.992855, 0.00669, 0.000333, 0.000123], atol=1e-6)
        np.testing.assert_allclose(answer["scaled"]["weights"], [0.448875, 0.240265, 0.165132, 0.145728], atol=1e-6)
        assert answer["scaled"]["scores"] == [1.25, 0.625, 0.25, 0.125]
        assert answer["unscaled"]["exponentials"][0] == pytest.approx(22026.4658, abs=1e-4)
        weights = np.array(answer["scaled"]["weights"])
        np.testing.assert_allclose(
            answer["scaled"]["jacobian"], np.diag(weights) - np.outer(weights, weights), atol=1e-15
        )
        assert answer["scaled"]["gradient_norm"] == pytest.approx(np.linalg.norm(answer["scaled"]["jacobian"]))


def test_extreme_scores(client: TestClient) -> None:
    side = post(client, "/saturation", scores=[1e4, -1e4], divisor=1)["unscaled"]
    assert side["weights"] == [1, 0]
    assert (side["exponentials"], side["ratio"], side["gradient_norm"]) == ([None, 0], None, 0)
    assert post(client, "/saturation", scores=[100, 2, 1])["unscaled"]["weights"] == pytest.approx([1, 0, 0], abs=1e-9)
    assert post(client, "/saturation", scores=[7])["scaled"]["weights"] == [1]


def test_panels(client: TestClient) -> None:
    panels = post(client, "/panels", seed=3)["panels"]
    assert [(panel["dim"], panel["is_scaled"]) for panel in panels] == [
        (1, False),
        (1, True),
        (100, False),
        (100, True),
    ]
    for panel in panels:
        scores = np.array(panel["dot_products"]) / (math.sqrt(panel["dim"]) if panel["is_scaled"] else 1)
        expected = np.exp(scores - scores.max())
        np.testing.assert_allclose(panel["weights"], expected / expected.sum(), atol=1e-12)
        assert len(panel["weights"]) == 20
    assert panels[0]["weights"] == panels[1]["weights"]
    assert panels[2]["entropy"] < panels[3]["entropy"]


def test_growth(client: TestClient) -> None:
    points = post(client, "/growth", d_k=[1, 16, 256], trials=100)["points"]
    assert [point["d_k"] for point in points] == [1, 16, 256]
    assert points[2]["entropy"] < points[1]["entropy"] < points[0]["entropy"]
    assert points[2]["gradient_norm"] < points[1]["gradient_norm"] < points[1]["scaled_gradient_norm"] * 1.5
    assert points[0]["entropy"] == points[0]["scaled_entropy"]
    assert points[2]["scaled_entropy"] > 2 > points[2]["entropy"]


@pytest.mark.full
def test_a_seed_repeats_and_another_differs(client: TestClient) -> None:
    for path, request in (("", {"d_k": [8]}), ("", {"d_k": [8], "source": "linear"}), ("/panels", {}), ("/growth", {})):
        assert post(client, path, **request, seed=1) == post(client, path, **request, seed=1)
        assert post(client, path, **request, seed=1) != post(client, path, **request, seed=2)


def test_one_sample_has_no_spread(client: TestClient) -> None:
    entry = post(client, "", d_k=[1], samples=1)["distributions"][0]
    assert (entry["raw"]["variance"], entry["ratio"]) == (0, None)


@pytest.mark.parametrize(
    ("path", "request_body", "field", "limit"),
    [
        ("", {"d_k": [0]}, "d_k.0", 1),
        ("", {"d_k": [4097]}, "d_k.0", 4096),
        ("", {"d_k": ["8"]}, "d_k.0", None),
        ("", {"d_k": 8}, "d_k", None),
        ("", {"source": "uniform"}, "source", None),
        ("", {"samples": 10**9}, "samples", 100_000),
        ("", {"samples": 0}, "samples", 1),
        ("", {"seed": 0.5}, "seed", None),
        ("", {"bins": 0}, "bins", 1),
        ("", {"seq_len": -1}, "seq_len", 1),
        ("/saturation", {"scores": [1, "2"]}, "scores.1", None),
        ("/saturation", {"scores": [1, [2]]}, "scores.1", None),
        ("/saturation", {"scores": [1e10]}, "scores.0", 1e9),
        ("/saturation", {"divisor": -1}, "divisor", 1e-6),
        ("/saturation", {"divisor": 0}, "divisor", 1e-6),
        ("/panels", {"num_keys": 0}, "num_keys", 1),
        ("/panels", {"dims": [-1]}, "dims.0", 1),
        ("/growth", {"trials": 1001}, "trials", 1000),
        ("/growth", {"nonsense": 1}, "nonsense", None),
    ],
)
def test_what_is_refused(
    client: TestClient, assert_error, path: str, request_body: Any, field: str, limit: float | None
) -> None:
    assert_error(client.post(f"/api/scaling{path}", json=request_body), 422, "invalid_request", field, limit)


@pytest.mark.parametrize(
    ("path", "request_body", "field", "limit"),
    [
        ("", {"d_k": [4096] * 3, "samples": 100_000}, "samples", 2**26),
        ("", {"source": "linear", "d_k": [4096], "samples": 100_000}, "samples", 2**36),
        ("", {"source": "linear", "d_k": [8], "samples": 100_000, "seq_len": 256}, "samples", 2**23),
        ("", {"source": "linear", "d_k": [4096], "samples": 1024, "layers": 1024}, "layers", 2**26),
        ("", {"source": "linear", "d_k": [4096] * 5, "samples": 64}, "layers", 2**26),
        ("/growth", {"d_k": [4096] * 16, "trials": 1000}, "trials", 2**26),
        ("/panels", {"dims": [4096] * 16, "num_keys": 512}, "dims", 2**22),
    ],
)
def test_too_large(client: TestClient, assert_error, path: str, request_body: Any, field: str, limit: int) -> None:
    assert_error(client.post(f"/api/scaling{path}", json=request_body), 422, "too_large", field, limit)


def test_what_does_not_fit_together(client: TestClient, assert_error) -> None:
    response = client.post("/api/scaling/saturation", json={"divisor": 2, "d_k": 4})
    assert_error(response, 422, "invalid_value", "divisor")
    response = client.post("/api/scaling", json={"source": "linear", "d_k": [8], "samples": 5, "layers": 6})
    assert_error(response, 422, "invalid_value", "layers")


def test_not_a_number_is_refused(client: TestClient, assert_error) -> None:
    body = b'{"scores": [1, NaN]}'
    response = client.post("/api/scaling/saturation", content=body, headers={"content-type": "application/json"})
    assert_error(response, 422, "invalid_request", "scores.1")
