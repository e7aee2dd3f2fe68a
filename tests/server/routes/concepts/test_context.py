"""/api/context on the real model of an installed package."""

import base64
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
RIVER = {"text": "He fished from the bank of the river.", "word": "bank"}
MONEY = {"text": "She took her money to the bank.", "word": "bank"}


def post(client: TestClient, **request: Any) -> Any:
    response = client.post("/api/context", json={"model": MINILM, **request})
    assert response.status_code == 200, response.json()
    return response.json()


def test_the_same_word_in_two_sentences(client: TestClient) -> None:
    answer = post(client, texts=[RIVER, MONEY])
    assert answer["states"] == ["table", "embeddings", *(f"layer_{layer}" for layer in range(6))]
    cosines = np.array(answer["cosines"])
    assert cosines.shape == (8, 2, 2)
    np.testing.assert_allclose(cosines[0], 1, atol=1e-6)
    assert cosines[-1, 0, 1] == pytest.approx(0.8451, abs=1e-3)
    assert len(answer["baseline"]) == 8
    assert answer["same_tokens"] == [[True, True], [True, True]]
    river, money = answer["words"]
    assert [river["tokens"][index]["text"] for index in river["word_tokens"]] == ["bank"]
    assert np.array(river["reads"]).shape == (6, 12, len(river["tokens"]))
    np.testing.assert_allclose(np.array(money["reads"]).sum(axis=-1), 1, atol=1e-5)
    assert [len(near) for near in money["nearest"]] == [3] * 8


def test_base64_and_what_is_kept(client: TestClient) -> None:
    plain = post(client, texts=[RIVER, MONEY])
    encoded = post(client, texts=[RIVER, MONEY], encoding="base64")
    reads = encoded["words"][0]["reads"]
    assert reads["shape"] == f"6,12,{len(plain['words'][0]['tokens'])}"
    numbers = np.frombuffer(base64.b64decode(reads["bdata"]), "<f4")
    assert numbers.tolist() == np.array(plain["words"][0]["reads"]).ravel().tolist()
    observatory = client.app.state.observatory  # type: ignore[attr-defined]
    assert observatory.studies.kept_bytes > 0


@pytest.mark.parametrize(
    ("body", "status", "code", "field", "limit"),
    [
        ({}, 422, "invalid_request", "texts", None),
        ({"texts": [RIVER]}, 422, "invalid_request", "texts", 2),
        ({"texts": [RIVER] * 7}, 422, "too_large", "texts", 6),
        ({"texts": [RIVER, {"text": "a b", "word": "bank"}]}, 422, "out_of_range", "texts.1.word", None),
        ({"texts": [RIVER, {**MONEY, "occurrence": 1}]}, 422, "out_of_range", "texts.1.occurrence", 0),
        ({"texts": [RIVER, {**MONEY, "occurrence": -1}]}, 422, "invalid_request", "texts.1.occurrence", 0),
        ({"texts": [RIVER, {**MONEY, "token": 1}]}, 422, "out_of_range", "texts.1.word", None),
        ({"texts": [RIVER, {"text": "a", "token": 99}]}, 422, "out_of_range", "texts.1.token", 2),
        ({"texts": [RIVER, {"text": "a"}]}, 422, "out_of_range", "texts.1.word", None),
        ({"texts": [{"text": " ", "word": "a"}, RIVER]}, 422, "text_empty", "texts.0.text", None),
        ({"texts": [{"text": "a " * 600, "word": "a"}, RIVER]}, 422, "text_too_long", "texts.0.text", 512),
        ({"texts": [{"text": "a" * 200_001, "word": "a"}, RIVER]}, 422, "text_too_long", "texts.0.text", 200_000),
        ({"texts": [{"text": 5, "word": "a"}, RIVER]}, 422, "invalid_request", "texts.0.text", None),
        ({"texts": [{**RIVER, "word": ""}, RIVER]}, 422, "invalid_request", "texts.0.word", 1),
        ({"texts": [RIVER, MONEY], "model": "nobody/nothing"}, 404, "unknown_model", "model", None),
        ({"texts": [RIVER, MONEY], "encoding": "xml"}, 422, "invalid_request", "encoding", None),
        ({"texts": [RIVER, MONEY], "extra": 1}, 422, "invalid_request", "extra", None),
    ],
)
def test_what_is_refused(
    client: TestClient, assert_error, body: Any, status: int, code: str, field: str, limit: float | None
) -> None:
    assert_error(client.post("/api/context", json={"model": MINILM, **body}), status, code, field, limit)
