"""Head scores over HTTP: of the real model, kept once computed, and errors in the one shape."""

from collections.abc import Iterator

import numpy as np
import pytest
from starlette.testclient import TestClient

from attention_core.pretrained.studies.circuits.induction import HEAD_SCORES
from server.app import create_app
from server.settings import Settings

MINILM = "sentence-transformers/all-MiniLM-L6-v2"


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app(Settings(device="cpu", hub_models=(), preload=False, max_tokens=150))) as client:
        yield client


@pytest.mark.full
def test_the_scores_of_a_real_model(client: TestClient) -> None:
    answer = client.get("/api/head_scores", params={"model": MINILM, "sequences": 2}).json()
    assert {key: answer[key] for key in ("model", "period", "sequences", "seed")} == {
        "model": MINILM, "period": 50, "sequences": 2, "seed": 0,
    }  # fmt: skip
    (part,) = answer["parts"]
    assert part["name"] == "encoder"
    assert list(part["scores"]) == list(answer["score_info"]) == list(HEAD_SCORES)
    previous = np.array(part["scores"]["previous_token_random"])
    assert previous.shape == (6, 12)
    assert np.unravel_index(previous.argmax(), previous.shape) == (0, 2)
    assert answer["score_info"]["induction"]["source"].startswith("Olsson et al. (2022)")


@pytest.mark.full
def test_the_same_again_is_kept_and_another_seed_is_another(client: TestClient) -> None:
    asked = {"model": MINILM, "sequences": 1, "period": 8}
    first, again, other = (client.get("/api/head_scores", params={**asked, "seed": seed}).json() for seed in (3, 3, 4))
    assert first == again
    assert first["parts"] != other["parts"]
    kept = client.app.state.observatory.studies.cache.currsize  # type: ignore[attr-defined]
    assert kept >= 2 * 3 * 6 * 12 * 4


@pytest.mark.parametrize(
    ("query", "status", "code", "field", "limit"),
    [
        ({}, 422, "invalid_request", "model", None),
        ({"model": "none/such"}, 404, "unknown_model", "model", None),
        ({"model": ""}, 422, "invalid_request", "model", 1),
        ({"model": MINILM, "period": 1}, 422, "invalid_request", "period", 2),
        ({"model": MINILM, "period": 257}, 422, "invalid_request", "period", 256),
        ({"model": MINILM, "period": 75}, 422, "out_of_range", "period", 74),
        ({"model": MINILM, "sequences": 9}, 422, "invalid_request", "sequences", 8),
        ({"model": MINILM, "seed": -1}, 422, "invalid_request", "seed", 0),
        ({"model": MINILM, "seed": "x"}, 422, "invalid_request", "seed", None),
    ],
)
def test_errors(client, assert_error, query, status, code, field, limit):
    assert_error(client.get("/api/head_scores", params=query), status, code, field, limit)
