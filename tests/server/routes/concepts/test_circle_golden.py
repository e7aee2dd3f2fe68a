"""What the page's own arithmetic is held to (tests/js/concepts/circle/circle.test.js) are answers of this API.

``python tests/server/routes/concepts/test_circle_golden.py`` asks for them anew.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

GOLDEN = Path(__file__).resolve().parents[3] / "js" / "concepts" / "circle" / "circle.golden.json"
TEN_LENGTHS = [1, 1, 1, 5, 1, 1, 1, 1, 1, 1]

PICTURES: dict[str, dict[str, Any]] = {
    "?q=45&n=10": {"n": 10, "query_angles_deg": [45], "mechanism": "dot", "temperature": 1},
    "?q=45,0,90&n=10&lengths=1,1,1,5,1,1,1,1,1,1&q_lengths=1,2,0.5": {
        "n": 10,
        "query_angles_deg": [45, 0, 90],
        "lengths": TEN_LENGTHS,
        "query_lengths": [1, 2, 0.5],
        "mechanism": "dot",
        "temperature": 1,
    },
    "?q=12.5,200&n=3&k=10,-30,200&lengths=2,0,1.25&mechanism=scaled_dot&t=0.2": {
        "n": 3,
        "query_angles_deg": [12.5, 200],
        "key_angles_deg": [10, -30, 200],
        "lengths": [2, 0, 1.25],
        "mechanism": "scaled_dot",
        "temperature": 0.2,
    },
    "?q=45&n=10&lengths=1,1,1,5,1,1,1,1,1,1&mechanism=cosine&t=3": {
        "n": 10,
        "query_angles_deg": [45],
        "lengths": TEN_LENGTHS,
        "mechanism": "cosine",
        "temperature": 3,
    },
    "?q=45,260&n=7&mechanism=additive&t=0.5&seed=3": {
        "n": 7,
        "query_angles_deg": [45, 260],
        "mechanism": "additive",
        "temperature": 0.5,
        "additive": {"seed": 3},
    },
    "?q=45,10&n=2&theta=0.5&position=4&shift=2.5": {
        "n": 2,
        "query_angles_deg": [45, 10],
        "mechanism": "dot",
        "temperature": 1,
        "turn": {"query_positions": [6.5, 6.5], "key_positions": [2.5, 3.5], "theta": 0.5},
    },
    "?q=45&n=24&lengths=10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10&t=0.01": {
        "n": 24,
        "query_angles_deg": [45],
        "lengths": [10] * 24,
        "mechanism": "dot",
        "temperature": 0.01,
    },
}
"""State of the page in its URL → the request that makes the same."""


def recorded() -> list[dict[str, Any]]:
    return json.loads(GOLDEN.read_text(encoding="utf-8"))


def test_every_picture_is_recorded() -> None:
    assert {each["search"]: each["request"] for each in recorded()} == PICTURES


@pytest.mark.parametrize("search", PICTURES)
def test_recorded_answers_are_what_the_api_says(client: TestClient, search: str) -> None:
    each = next(each for each in recorded() if each["search"] == search)
    response = client.post("/api/circle", json=each["request"])
    assert response.status_code == 200
    answer = response.json()
    assert answer.keys() == each["answer"].keys()
    for name, numbers in answer.items():
        if name == "additive_weights" and numbers is not None:
            for part, weights in numbers.items():
                np.testing.assert_allclose(weights, each["answer"][name][part], rtol=0, atol=1e-15)
        elif numbers is None:
            assert each["answer"][name] is None
        else:
            np.testing.assert_allclose(numbers, each["answer"][name], rtol=1e-12, atol=1e-12)


def record() -> None:
    from server.app import create_app  # noqa: PLC0415
    from server.settings import Settings  # noqa: PLC0415

    with TestClient(create_app(Settings(device="cpu", hub_models=(), preload=False))) as client:
        answers = [
            {"search": search, "request": request, "answer": client.post("/api/circle", json=request).json()}
            for search, request in PICTURES.items()
        ]
    GOLDEN.write_text(json.dumps(answers) + "\n", encoding="utf-8")


if __name__ == "__main__":
    record()
