"""/api/embedding on the real model of an installed package."""

import base64
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from attention_core.pretrained.models.catalog import Catalog

MINILM = "sentence-transformers/all-MiniLM-L6-v2"


@pytest.fixture(scope="module")
def table() -> np.ndarray:
    return Catalog(device="cpu").load(MINILM).model.get_input_embeddings().weight.detach().numpy()


def post(client: TestClient, **request: Any) -> Any:
    response = client.post("/api/embedding", json={"model": MINILM, **request})
    assert response.status_code == 200, response.json()
    return response.json()


def test_one_id_becomes_d_different_numbers(client: TestClient, table: np.ndarray) -> None:
    answer = post(client, text="The cat sat.", neighbours=3)
    ids = [token["id"] for token in answer["tokens"]]
    assert [token["text"] for token in answer["tokens"]] == ["[CLS]", "the", "cat", "sat", ".", "[SEP]"]
    assert (answer["ids_shape"], answer["vectors_shape"], answer["table_shape"]) == ([1, 6], [1, 6, 384], [30522, 384])
    np.testing.assert_allclose(answer["vectors"], table[ids], rtol=1e-6)
    np.testing.assert_allclose(answer["norms"], np.linalg.norm(table[ids], axis=1), rtol=1e-5)
    assert min(answer["distinct"]) > 300
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    cosines = unit @ unit[ids[2]]
    cosines[ids[2]] = -2
    best = np.argsort(-cosines)[:3]
    assert [near["id"] for near in answer["neighbours"][2]] == best.tolist()
    np.testing.assert_allclose([near["cosine"] for near in answer["neighbours"][2]], cosines[best], atol=1e-5)
    assert "cats" in {near["text"] for near in answer["neighbours"][2]}
    np.testing.assert_allclose(answer["similarity"], unit[ids] @ unit[ids].T, atol=1e-5)


def test_ids_in_place_of_a_text(client: TestClient, table: np.ndarray) -> None:
    answer = post(client, ids=[1, 5, 9], neighbours=0)
    np.testing.assert_allclose(answer["vectors"], table[[1, 5, 9]], rtol=1e-6)
    assert answer["vectors_shape"] == [1, 3, 384]
    assert answer["neighbours"] == [[], [], []]
    assert post(client, ids=[0])["tokens"][0]["special"]


def test_base64(client: TestClient, table: np.ndarray) -> None:
    answer = post(client, ids=[1000], encoding="base64")
    vector = np.frombuffer(base64.b64decode(answer["vectors"]["bdata"]), "<f4")
    assert answer["vectors"]["shape"] == "1,384"
    assert (vector == table[1000]).all()


@pytest.mark.parametrize(
    ("request_body", "status", "code", "field", "limit"),
    [
        ({}, 422, "invalid_value", "text", None),
        ({"text": "a", "ids": [1]}, 422, "invalid_value", "text", None),
        ({"text": " "}, 422, "text_empty", "text", None),
        ({"text": "a " * 600}, 422, "text_too_long", "text", 512),
        ({"text": "a" * 200_001}, 422, "text_too_long", "text", 200_000),
        ({"text": 5}, 422, "invalid_request", "text", None),
        ({"ids": [30522]}, 422, "out_of_range", "ids.0", 30521),
        ({"ids": [1, -1]}, 422, "out_of_range", "ids.1", 30521),
        ({"ids": [1, 2.5]}, 422, "invalid_request", "ids.1", None),
        ({"ids": []}, 422, "invalid_request", "ids", 1),
        ({"ids": [0] * 4097}, 422, "too_large", "ids", 4096),
        ({"text": "a", "neighbours": 51}, 422, "invalid_request", "neighbours", 50),
        ({"text": "a", "neighbours": -1}, 422, "invalid_request", "neighbours", 0),
        ({"text": "a", "encoding": "xml"}, 422, "invalid_request", "encoding", None),
        ({"text": "a", "model": "nobody/nothing"}, 404, "unknown_model", "model", None),
        ({"text": "a", "extra": 1}, 422, "invalid_request", "extra", None),
    ],
)
def test_what_is_refused(
    client: TestClient, assert_error, request_body: Any, status: int, code: str, field: str, limit: float | None
) -> None:
    response = client.post("/api/embedding", json={"model": MINILM, **request_body})
    assert_error(response, status, code, field, limit)


def test_half_a_surrogate_pair_is_no_text(client: TestClient, assert_error) -> None:
    body = b'{"model": "' + MINILM.encode() + b'", "text": "\\ud800"}'
    response = client.post("/api/embedding", content=body, headers={"content-type": "application/json"})
    assert_error(response, 422, "text_invalid", "text")
