"""POST /api/softmax: the figures, the overflow, and bad input."""

import json
import math
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

NOTES = [2.1, 4.5, 1.8, 3.2]


def ask(client: TestClient, **request: Any) -> dict[str, Any]:
    response = client.post("/api/softmax", json=request)
    assert response.status_code == 200, response.text
    return response.json()


def by_hand(scores: list[float]) -> list[float]:
    exponentials = [math.exp(score - max(scores)) for score in scores]
    return [exponential / sum(exponentials) for exponential in exponentials]


def test_every_step(client: TestClient) -> None:
    answer = ask(client, scores=NOTES)
    stable, unstable = answer["stable"], answer["unstable"]
    np.testing.assert_allclose(stable["weights"], [0.0634, 0.6991, 0.0470, 0.1905], atol=5e-5)
    assert stable["maximum"] == 4.5
    np.testing.assert_allclose(stable["shifted"], np.array(NOTES) - 4.5, rtol=1e-15)
    np.testing.assert_allclose(stable["exponentials"], np.exp(np.array(NOTES) - 4.5), rtol=1e-14)
    assert stable["total"] == pytest.approx(np.exp(np.array(NOTES) - 4.5).sum())
    np.testing.assert_allclose(unstable["exponentials"], np.exp(NOTES), rtol=1e-14)
    assert unstable["total"] == pytest.approx(np.exp(NOTES).sum())
    for weights in (unstable["weights"], answer["exact"]):
        np.testing.assert_allclose(weights, by_hand(NOTES), rtol=1e-13)
    assert (unstable["overflowed"], unstable["vanished"]) == (False, False)
    assert answer["entropy"] == pytest.approx(-sum(w * math.log(w) for w in by_hand(NOTES)))


def test_scaling_lesson(client: TestClient) -> None:
    raw, divided = (ask(client, scores=[10, 5, 2, 1], temperature=t)["stable"]["weights"] for t in (1, 8))
    np.testing.assert_allclose(raw, [0.99285, 0.00669, 0.00033, 0.00012], atol=5e-6)
    np.testing.assert_allclose(divided, [0.4489, 0.2403, 0.1651, 0.1457], atol=5e-5)
    np.testing.assert_allclose(ask(client, scores=[100, 2, 1])["stable"]["weights"], [1, 0, 0], atol=1e-9)


@pytest.mark.parametrize("shift", [-1e4, -4.5, 7, 1e4])
def test_a_constant_added_changes_nothing(client: TestClient, shift: float) -> None:
    answer = ask(client, scores=NOTES, shift=shift)
    np.testing.assert_allclose(answer["shifted_weights"], by_hand(NOTES), atol=1e-11)
    assert answer["largest_shift_difference"] <= 1e-11


@pytest.mark.parametrize(
    ("precision", "largest"), [("float16", 11.09), ("bfloat16", 88.72), ("float32", 88.72), ("float64", 709.78)]
)
def test_overflow(client: TestClient, precision: str, largest: float) -> None:
    safe, broken = (ask(client, scores=[factor * largest, 0], precision=precision) for factor in (0.95, 1.05))
    assert safe["largest_exponent"] == pytest.approx(largest, abs=0.01)
    assert not safe["unstable"]["overflowed"]
    np.testing.assert_allclose(safe["unstable"]["weights"], [1, 0], atol=1e-2)
    assert broken["unstable"]["overflowed"]
    assert broken["unstable"]["exponentials"] == ["Infinity", 1]
    assert broken["unstable"]["total"] == "Infinity"
    assert broken["unstable"]["weights"] == [None, 0]
    np.testing.assert_allclose(broken["stable"]["weights"], [1, 0], atol=1e-4)


def test_everything_can_vanish(client: TestClient) -> None:
    answer = ask(client, scores=[-1000, -1001], precision="float64")
    assert answer["unstable"]["vanished"]
    assert answer["unstable"]["weights"] == [None, None]
    np.testing.assert_allclose(answer["stable"]["weights"], by_hand([-1000, -1001]), rtol=1e-13)


@pytest.mark.parametrize("precision", ["float64", "float32", "float16", "bfloat16"])
def test_extreme_scores(client: TestClient, precision: str) -> None:
    answer = ask(client, scores=[1e4, -1e4, 1e4], precision=precision)
    assert answer["stable"]["weights"] == [0.5, 0, 0.5]
    assert "NaN" not in json.dumps(answer)


@pytest.mark.parametrize("count", [1, 7, 4096])
def test_any_number_of_scores(client: TestClient, count: int) -> None:
    scores = np.sin(np.arange(count)).tolist()
    np.testing.assert_allclose(ask(client, scores=scores)["stable"]["weights"], by_hand(scores), rtol=1e-12)


@pytest.mark.parametrize(
    ("changes", "code", "field", "limit"),
    [
        ({"scores": []}, "invalid_request", "scores", 1),
        ({"scores": [0] * 4097}, "too_large", "scores", 4096),
        ({"scores": ["1"]}, "invalid_request", "scores.0", None),
        ({"scores": [True]}, "invalid_request", "scores.0", None),
        ({"scores": [[1]]}, "invalid_request", "scores.0", None),
        ({"scores": [None]}, "invalid_request", "scores.0", None),
        ({"scores": [1e10]}, "invalid_request", "scores.0", 1e9),
        ({"scores": [1e5], "precision": "float16"}, "invalid_value", "scores", None),
        ({"precision": "int8"}, "invalid_request", "precision", None),
        ({"temperature": 0}, "invalid_request", "temperature", 1e-6),
        ({"temperature": -1}, "invalid_request", "temperature", 1e-6),
        ({"shift": "1"}, "invalid_request", "shift", None),
        ({"score": [1]}, "invalid_request", "score", None),
    ],
)
def test_bad_input(
    client: TestClient, assert_error: Any, changes: dict[str, Any], code: str, field: str, limit: float | None
) -> None:
    assert_error(client.post("/api/softmax", json={"scores": NOTES} | changes), 422, code, field, limit)
