"""Circuits over HTTP: of the carried decoder, as figures, and refusals in the one shape."""

import base64
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from server.app import create_app
from server.settings import Settings

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
DECODER = "observatory-gpt2-mini"


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app(Settings(device="cpu", hub_models=(), preload=False))) as client:
        yield client


@pytest.mark.full
def test_an_induction_head_copies(client: TestClient) -> None:
    asked = {"model": DECODER, "layer": 1, "head": 1, "token": " cat", "limit": 4}
    answer = client.get("/api/circuits", params=asked).json()
    assert (answer["model"], answer["layer"], answer["head"], answer["key_head"]) == (DECODER, 1, 1, 1)
    assert (answer["token_text"], answer["vocabulary"], answer["pair_tokens"]) == (" cat", 4096, 4096)
    assert answer["copying_score"] > 0.9
    values = np.array(answer["eigenvalues"])
    assert values.shape == (32, 2)
    assert answer["copying_score"] == pytest.approx(values[:, 0].sum() / np.hypot(*values.T).sum())
    assert answer["writes"]["own_rank"] < 20
    assert [len(answer["attends_to"][name]) for name in ("highest", "lowest")] == [4, 4]
    assert all(pair["id"] == pair["other_id"] for pair in answer["writing_pairs"][:1])
    assert answer["treatment"][0].startswith("LayerNorm: gain and bias are folded")


@pytest.mark.full
def test_without_a_token_there_are_pairs_alone(client: TestClient) -> None:
    answer = client.get("/api/circuits", params={"model": DECODER, "layer": 0, "head": 1}).json()
    assert (answer["token_id"], answer["attends_to"], answer["writes"]) == (None, None, None)
    assert len(answer["attention_pairs"]) == len(answer["writing_pairs"]) == 10


@pytest.mark.full
def test_the_same_again_is_kept(client: TestClient) -> None:
    asked = {"model": DECODER, "layer": 2, "head": 3, "token": " the"}
    first, again = (client.get("/api/circuits", params=asked).json() for _ in range(2))
    assert first == again
    assert client.app.state.observatory.studies.cache.currsize > 0  # type: ignore[attr-defined]


def test_composition(client: TestClient) -> None:
    answer = client.get("/api/circuits/composition", params={"model": DECODER, "limit": 2}).json()
    keys = np.array(answer["key"])
    assert keys.shape == (36, 36)
    best = max((pair for pair in answer["strongest"] if pair["by"] == "key"), key=lambda pair: pair["score"])
    assert (best["layer"], best["head"], best["reading_layer"]) == (0, 1, 1)
    assert best["score"] == pytest.approx(keys[1, 6 + best["reading_head"]])
    assert best["score"] > 3 * answer["random_mean"]
    assert np.array(answer["copying"]).shape == (6, 6)
    packed = client.get("/api/circuits/composition", params={"model": DECODER, "limit": 2, "encoding": "base64"})
    assert packed.json()["key"]["shape"] == "36,36"


@pytest.mark.full
def test_figures(client: TestClient) -> None:
    asked: dict[str, Any] = {"model": DECODER, "layer": 1, "head": 1}
    figure = client.get("/api/circuits", params=asked | {"as": "figure"}).json()
    real = np.frombuffer(base64.b64decode(figure["data"][0]["x"]["bdata"]), "<f8")
    answer = client.get("/api/circuits", params=asked).json()
    np.testing.assert_allclose(real, np.array(answer["eigenvalues"])[:, 0])
    for draw in ("key", "query", "value", "copying"):
        drawn = client.get("/api/circuits/composition", params={"model": DECODER, "as": "figure", "draw": draw})
        assert drawn.status_code == 200, drawn.json()
    assert drawn.json()["layout"]["title"]["text"] == "Copying score of each head"


@pytest.mark.full("query2-422-no_circuits-model-None")
@pytest.mark.parametrize(
    ("query", "status", "code", "field", "limit"),
    [
        ({"model": DECODER, "head": 0}, 422, "invalid_request", "layer", None),
        ({"model": "none/such", "layer": 0, "head": 0}, 404, "unknown_model", "model", None),
        ({"model": MINILM, "layer": 0, "head": 0}, 422, "no_circuits", "model", None),
        ({"model": DECODER, "layer": 6, "head": 0}, 422, "out_of_range", "layer", 5),
        ({"model": DECODER, "layer": 0, "head": 6}, 422, "out_of_range", "head", 5),
        ({"model": DECODER, "layer": 0, "head": 0, "limit": 51}, 422, "invalid_request", "limit", 50),
        ({"model": DECODER, "layer": 0, "head": 0, "token": " observatory"}, 422, "out_of_range", "token", 1),
        ({"model": DECODER, "layer": 0, "head": 0, "token": "a" * 201}, 422, "invalid_request", "token", 200),
    ],
)
def test_errors(client, assert_error, query, status, code, field, limit):
    assert_error(client.get("/api/circuits", params=query), status, code, field, limit)


@pytest.mark.full
def test_composition_of_an_encoder_or_of_too_many_heads(client: TestClient, assert_error: Any) -> None:
    message = assert_error(client.get("/api/circuits/composition?model=" + MINILM), 422, "no_circuits", "model")
    assert "Circuits are worked out for decoders" in message
    small = Settings(device="cpu", hub_models=(), preload=False, max_concept_cells=1_000)
    with TestClient(create_app(small)) as narrow:
        refused = narrow.get("/api/circuits/composition", params={"model": DECODER})
        assert_error(refused, 422, "too_large", "model", 1_000)
