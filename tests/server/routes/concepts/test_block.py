"""/api/block: our own decoder, and the real model of an installed package."""

from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
TEXT = "The cat sat on the mat."


def post(client: TestClient, **request: Any) -> Any:
    response = client.post("/api/block", json={"text": TEXT, **request})
    assert response.status_code == 200, response.json()
    return response.json()


def test_our_own_block(client: TestClient) -> None:
    answer = post(client, token=5, layer=1)
    assert (answer["model"], answer["order"], answer["layers"]) == (None, "pre", 2)
    assert [token["text"] for token in answer["tokens"]] == TEXT.split()
    assert [TEXT[token["start"] : token["end"]] for token in answer["tokens"]] == TEXT.split()
    at = {station["name"]: np.array(station["vector"]) for station in answer["stations"]}
    np.testing.assert_allclose(at["after_attention"], at["inputs"] + at["attention_output"], atol=1e-6)
    np.testing.assert_allclose(at["outputs"], at["after_attention"] + at["feed_forward_output"], atol=1e-6)
    made = {station["name"]: (station["made_by"], station["made_of"]) for station in answer["stations"]}
    assert made["outputs"] == ("add", ["after_attention", "feed_forward_output"])
    assert made["head_outputs"] == (None, [])
    assert all(check["holds"] and check["difference"] <= 1e-5 for check in answer["checks"])
    assert np.array(answer["weights"]).shape == (4, 6)
    assert [len(answer[name]) for name in ("stream_norms", "attention_norms", "feed_forward_norms")] == [3, 2, 2]
    assert {guess["text"] for guess in answer["guesses"]} < set(TEXT.split())
    assert post(client, token=5, layer=1, own={"form": "gpt2", "seed": 1})["stations"] != answer["stations"]


def test_a_block_of_a_loaded_model(client: TestClient) -> None:
    answer = post(client, model=MINILM, layer=3, token=2)
    assert (answer["model"], answer["order"], answer["layers"]) == (MINILM, "post", 6)
    assert answer["tokens"][2]["text"] == "cat"
    assert [station["name"] for station in answer["embedding"]] == [
        "token_embedding", "position_embedding", "segment_embedding", "embedding_sum", "embeddings",
    ]  # fmt: skip
    at = {station["name"]: np.array(station["vector"]) for station in answer["stations"]}
    np.testing.assert_allclose(at["attention_sum"], at["inputs"] + at["attention_output"], atol=1e-5)
    norm = answer["norms"][0]
    by_hand = (at["attention_sum"] - norm["mean"]) / np.sqrt(norm["spread"] + norm["epsilon"])
    np.testing.assert_allclose(at["after_attention"], by_hand * norm["scale"] + norm["shift"], atol=1e-5)
    for station in answer["stations"]:
        assert station["norm"] == pytest.approx(np.linalg.norm(station["vector"]))
    assert all(check["holds"] and check["difference"] <= 1e-5 for check in answer["checks"])
    assert np.array(answer["weights"]).shape == (12, len(answer["tokens"]))
    assert answer["guesses"] == []


@pytest.mark.parametrize(
    ("body", "status", "code", "field", "limit"),
    [
        ({"text": 5}, 422, "invalid_request", "text", None),
        ({"text": " "}, 422, "text_empty", "text", None),
        ({"text": " ", "model": MINILM}, 422, "text_empty", "text", None),
        ({"text": "a " * 129}, 422, "text_too_long", "text", 128),
        ({"text": "a " * 600, "model": MINILM}, 422, "text_too_long", "text", 512),
        ({"text": "a" * 200_001}, 422, "text_too_long", "text", 200_000),
        ({"layer": 2}, 422, "invalid_value", "layer", None),
        ({"token": 6}, 422, "invalid_value", "token", None),
        ({"token": -1}, 422, "invalid_request", "token", 0),
        ({"layer": 6, "model": MINILM}, 422, "out_of_range", "layer", 5),
        ({"token": 9, "model": MINILM}, 422, "out_of_range", "token", 8),
        ({"own": {"d_model": 18, "num_heads": 4}}, 422, "invalid_value", "own.num_heads", None),
        ({"own": {"d_model": 513}}, 422, "invalid_request", "own.d_model", 512),
        ({"own": {"init_std": 0.0}}, 422, "invalid_request", "own.init_std", 1e-4),
        ({"own": {"seed": 1}, "model": MINILM}, 422, "invalid_value", "own", None),
        ({"model": "nobody/nothing"}, 404, "unknown_model", "model", None),
        ({"extra": 1}, 422, "invalid_request", "extra", None),
    ],
)
def test_what_is_refused(
    client: TestClient, assert_error, body: Any, status: int, code: str, field: str, limit: float | None
) -> None:
    assert_error(client.post("/api/block", json={"text": TEXT, **body}), status, code, field, limit)


def test_a_block_as_wide_as_in_practice(client: TestClient) -> None:
    own = {"d_model": 512, "num_heads": 8, "num_kv_heads": 2}
    answer = client.post("/api/block", json={"text": TEXT, "own": own}).json()
    assert [len(station["vector"]) for station in answer["stations"]] == [512] * 6 + [2048] + [512] * 2
    assert np.array(answer["weights"]).shape == (8, 6)
    assert all(check["holds"] for check in answer["checks"])


def test_what_the_page_says_about_lengths(client: TestClient) -> None:
    own = client.post("/api/block", json={"text": TEXT, "layer": 1, "token": 5}).json()
    lengths = {station["name"]: round(station["norm"], 2) for station in own["stations"]}
    assert [lengths[name] for name in ("inputs", "attention_output", "after_attention")] == [1.72, 0.7, 1.87]
    gpt2 = client.post("/api/block", json={"text": TEXT, "model": "observatory-gpt2-mini", "token": 2}).json()
    lengths = {station["name"]: round(station["norm"], 2) for station in gpt2["stations"]}
    assert [lengths[name] for name in ("inputs", "attention_output")] == [1.1, 20.48]
    assert round(gpt2["stream_norms"][3], 2) == 30.78
