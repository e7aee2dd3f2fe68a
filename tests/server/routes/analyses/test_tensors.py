"""Uploaded tensors over HTTP, against what was uploaded and against torch's own attention."""

import base64
import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
import torch
from starlette.testclient import TestClient

from server.app import create_app
from server.settings import Settings

L, H, N, D = 2, 3, 5, 7
TOKENS = ["[CLS]", "a", "猫", "<b>", "[SEP]"]
LIMITS = {"max_upload_bytes": 50_000, "max_body_bytes": 5_000, "max_tokens": 40, "max_window_cells": 1_000}


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app(Settings(device="cpu", hub_models=(), preload=False, **LIMITS))) as client:
        yield client


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def upload(client: TestClient, data: bytes) -> dict[str, Any]:
    response = client.post("/api/tensors", content=data)
    assert response.status_code == 200, response.text
    return response.json()


def decode(encoded: dict[str, str]) -> np.ndarray:
    shape = tuple(int(size) for size in encoded["shape"].split(","))
    return np.frombuffer(base64.b64decode(encoded["bdata"]), "<" + encoded["dtype"]).reshape(shape)


def window(client: TestClient, analysis: dict[str, Any], **query: Any) -> np.ndarray:
    response = client.get(f"/api/analyses/{analysis['id']}/weights", params=query)
    assert response.status_code == 200, response.text
    return decode(response.json()["matrix"])


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def some_weights(*shape: int) -> np.ndarray:
    exponents = np.exp(normal(*shape))
    return exponents / exponents.sum(axis=-1, keepdims=True)


WEIGHTS = some_weights(L, H, N, N)


@pytest.mark.full
@pytest.mark.parametrize(
    "data",
    [
        npz(weights=WEIGHTS, tokens=np.array(TOKENS)),
        safetensors.numpy.save({"weights": WEIGHTS}, {"tokens": json.dumps(TOKENS)}),
        json.dumps({"weights": WEIGHTS.tolist(), "tokens": TOKENS}).encode(),
    ],
    ids=["npz", "safetensors", "json"],
)
def test_weights_come_back_as_they_went(client, data):
    analysis = upload(client, data)
    assert analysis["id"].startswith("tensors-")
    assert [token["text"] for token in analysis["tokens"]] == TOKENS
    assert [token["special"] for token in analysis["tokens"]] == [True, False, False, False, True]
    assert analysis["model"]["source"] == "upload"
    assert analysis["parts"][0]["stages"] == ["weights"]
    assert (analysis["layers"], analysis["heads"], analysis["predictions"], analysis["warnings"]) == (L, H, [], [])
    for layer in range(L):
        for head in range(H):
            np.testing.assert_array_equal(window(client, analysis, layer=layer, head=head), WEIGHTS[layer, head])
    np.testing.assert_array_equal(decode(analysis["overview"]), np.rint(WEIGHTS * 255))
    np.testing.assert_allclose(analysis["metrics"]["separator"], WEIGHTS[..., 4].mean(axis=-1), rtol=1e-5)


def test_queries_and_keys_are_attended_with(client):
    queries, keys, values = normal(L, H, N, D), normal(L, 1, N, D, seed=1), normal(L, 1, N, 2, seed=2)
    analysis = upload(client, npz(queries=queries, keys=keys, values=values, mask="causal", scale=0.5))
    assert (analysis["causal"], analysis["kv_heads"], analysis["parts"][0]["name"]) == (True, 1, "decoder")
    expected = torch.nn.functional.scaled_dot_product_attention(
        *(torch.from_numpy(array) for array in (queries, keys)), torch.eye(N).expand(L, 1, N, N), is_causal=True,
        scale=0.5, enable_gqa=True,
    )  # fmt: skip
    for head in range(H):
        got = window(client, analysis, layer=1, head=head)
        np.testing.assert_allclose(got, expected[1, head], atol=1e-6)
        raw = window(client, analysis, layer=1, head=head, stage="raw_scores")
        np.testing.assert_allclose(raw, queries[1, head] @ keys[1, 0].T, atol=1e-5)
        weighted = window(client, analysis, layer=1, head=head, stage="value_weighted")
        np.testing.assert_allclose(weighted, got * np.linalg.norm(values[1, 0], axis=-1), atol=1e-6)


def test_every_closer_look_that_needs_nothing_else(client):
    analysis = upload(client, npz(weights=WEIGHTS, tokens=np.array(TOKENS)))
    path = f"/api/analyses/{analysis['id']}"
    assert client.get(path).json() == analysis
    pooled = client.get(f"{path}/weights?layer=1&head=2&max_size=3&encoding=json").json()
    expected = [[WEIGHTS[1, 2, i : i + 2, j : j + 2].max() for j in (0, 2, 4)] for i in (0, 2, 4)]
    np.testing.assert_allclose(pooled["matrix"], expected, rtol=1e-6)
    entropy = client.get(f"{path}/distribution?layer=1&head=2").json()["row_entropy"]
    np.testing.assert_allclose(entropy, -(WEIGHTS[1, 2] * np.log(WEIGHTS[1, 2])).sum(axis=-1), rtol=1e-5)
    reads = client.get(f"{path}/tokens/1?count=5").json()["parts"][0]["reads"]
    order = np.argsort(-WEIGHTS[:, :, 1], axis=-1)
    np.testing.assert_array_equal(reads["indices"], order)


def test_what_is_not_known_is_refused_by_name(client, assert_error):
    path = f"/api/analyses/{upload(client, npz(weights=WEIGHTS))['id']}"
    for stage in ("raw_scores", "scaled_scores", "masked_scores", "value_weighted", "norm_weighted"):
        for look in ("weights", "distribution"):
            response = client.get(f"{path}/{look}?layer=0&head=0&stage={stage}")
            assert "must be one of weights, not" in assert_error(response, 422, "out_of_range", "stage")
    message = assert_error(client.get(f"{path}/vectors?layer=0&head=0&query=0&key=0"), 422, "invalid_value")
    assert "raw_scores are unknown" in message


def test_cross_attention_has_two_texts(client):
    weights = some_weights(H, 2, N)
    analysis = upload(client, npz(weights=weights, tokens=np.array(["x", "y"]), key_tokens=np.array(TOKENS)))
    (part,) = analysis["parts"]
    assert (part["name"], part["query_side"], part["key_side"]) == ("cross", "target", "source")
    assert [token["text"] for token in analysis["tokens"]] == TOKENS
    assert [token["text"] for token in analysis["target_tokens"]] == ["x", "y"]
    np.testing.assert_array_equal(window(client, analysis, layer=0, head=1), weights[1])


def test_the_same_file_has_the_same_id_and_another_another(client):
    first, again = (upload(client, npz(weights=WEIGHTS))["id"] for _ in range(2))
    assert first == again != upload(client, npz(weights=WEIGHTS[:1]))["id"]


def test_rows_that_do_not_sum_to_1_are_a_warning(client):
    (warning,) = upload(client, npz(weights=WEIGHTS / 2))["warnings"]
    assert warning["code"] == "rows_do_not_sum_to_1"
    assert warning["message"].startswith("In 30 of 30 rows of weights the weights do not sum to 1, but to 0.5 … 0.5;")


def body(**fields: Any) -> bytes:
    return json.dumps(fields).encode()


@pytest.mark.parametrize(
    ("data", "code", "field", "limit"),
    [
        (b"", "tensors_invalid", "body", None),
        (b"weights", "tensors_invalid", "body", None),
        (b"[1]", "tensors_invalid", "body", None),
        (b"{", "tensors_invalid", "body", None),
        (b"PK\x03\x04", "tensors_invalid", "body", None),
        (body(weights=[[1, 0], [0.5]]), "tensors_invalid", "weights", None),
        (body(weights=[[float("nan")]]), "tensors_invalid", "weights", None),
        (body(weights=[[-1]]), "tensors_invalid", "weights", None),
        (body(weights=[["1"]]), "tensors_invalid", "weights", None),
        (body(queries=[[1]], keys=[[1, 2]]), "tensors_invalid", "keys", None),
        (body(weights=[[1]], tokens=["a", "b"]), "tensors_invalid", "tokens", None),
        (body(weights=[[1]], tokens=["\ud800"]), "tensors_invalid", "tokens.0", None),
        (body(**{"<b>": 1}), "tensors_invalid", "body", None),
        (body(cross=1), "tensors_invalid", "body", None),
        (npz(weights=np.array([object()])), "tensors_invalid", "weights", None),
        (npz(weights=np.eye(41)), "too_large", "weights", 40),
        (body(weights=np.eye(40).tolist()), "too_large", "body", 5_000),
    ],
)  # fmt: skip
def test_what_is_refused(client, assert_error, data, code, field, limit):
    assert_error(client.post("/api/tensors", content=data), 422, code, field, limit)


def test_what_unpacks_to_too_much_is_refused(client, assert_error):
    file = io.BytesIO()
    np.savez_compressed(file, weights=np.zeros((4, 4, 40, 40), np.float32))
    assert len(file.getvalue()) < 2_000
    assert_error(client.post("/api/tensors", content=file.getvalue()), 422, "too_large", "weights", 50_000)


def test_the_body_may_be_larger_than_others_but_not_larger_than_its_own_limit(client, assert_error):
    def unannounced(size: int) -> Iterator[bytes]:
        yield from (b"x" * 1_000 for _ in range(size // 1_000))

    assert_error(client.post("/api/tensors", content=b"x" * 50_001), 413, "body_too_large", "body", 50_000)
    assert_error(client.post("/api/tensors", content=unannounced(51_000)), 413, "body_too_large", "body", 50_000)
    assert_error(client.post("/api/tensors", content=unannounced(50_000)), 422, "tensors_invalid", "body")
    assert_error(client.post("/api/scoring", content=b"x" * 5_001), 413, "body_too_large", "body", 5_000)


def test_what_is_no_longer_kept_must_be_uploaded_again(client, assert_error):
    response = client.get(f"/api/analyses/tensors-{'0' * 32}")
    assert "Upload them again" in assert_error(response, 404, "analysis_expired", "analysis_id")


@pytest.mark.full
def test_what_cannot_be_kept_is_refused(assert_error):
    settings = Settings(device="cpu", hub_models=(), preload=False, cache_bytes=100)
    with TestClient(create_app(settings)) as client:
        response = client.post("/api/tensors", content=npz(weights=WEIGHTS))
        assert "OBSERVATORY_CACHE_BYTES" in assert_error(response, 413, "too_large", "body", 100)


@pytest.mark.full
def test_the_api_s_description_shows_how(client):
    described = client.get("/api/openapi.json").json()["paths"]["/api/tensors"]["post"]["requestBody"]
    assert upload(client, json.dumps(described["content"]["application/json"]["example"]).encode())["layers"] == 1


@pytest.mark.parametrize("header", ["-" * 9_000, "[" * 9_000, "{{}:1}", "{[]:1}"])
def test_a_header_that_is_no_dictionary_of_three_is_refused(client: TestClient, header: str) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("weights.npy", b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header.encode())
    response = client.post("/api/tensors", content=file.getvalue())
    error = response.json()["error"]
    assert (response.status_code, error["code"], error["field"]) == (422, "tensors_invalid", "weights")
