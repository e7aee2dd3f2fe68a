"""POST /api/kv_cache and its steps: the figures of the curriculum, bounds, and bad input."""

from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

KIB, MIB = 2**10, 2**20


def ask(client: TestClient, path: str = "", **request: Any) -> dict[str, Any]:
    response = client.post(f"/api/kv_cache{path}", json=request)
    assert response.status_code == 200, response.text
    return response.json()


def test_256_mib_a_layer_a_quarter_an_eighth(client: TestClient) -> None:
    """C27: 8 heads × 64, batch 32, length 2048, 4 bytes."""
    request = {"layers": 1, "head_dim": 64, "batch": 32, "seq_len": 2048, "bytes_per_value": 4}
    full = ask(client, **request, kv_heads=8)
    assert full["bytes_per_layer"] == full["bytes_total"] == full["mha"]["bytes_per_layer"] == 256 * MIB
    assert full["numbers_per_token_and_layer"] == 1024
    grouped = ask(client, **request, kv_heads=2, heads=8)
    assert grouped["bytes_per_layer"] == 64 * MIB
    assert grouped["times_smaller_than_mha"] == 4
    assert grouped["mha"]["bytes_per_layer"] == 256 * MIB
    assert grouped["mqa"] == {
        "kv_heads": 1,
        "bytes_per_token": 2 * 64 * 4,
        "bytes_per_layer": 32 * MIB,
        "bytes_total": 32 * MIB,
        "times_smaller_than_mha": 8,
    }
    assert grouped["kv_head_of_query_head"] == [0, 0, 0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("preset", "kib"),
    [
        ("llama-2-7b", 512),
        ("llama-2-70b", 320),
        ("llama-3-8b", 128),
        ("mistral-7b", 128),
        ("gemma-2b", 18),
        ("gpt2", 36),
    ],
)
def test_presets_a_token_in_half_precision(client: TestClient, preset: str, kib: int) -> None:
    answer = ask(client, preset=preset, batch=3, seq_len=1000)
    assert answer["bytes_per_token"] == kib * KIB
    assert answer["bytes_total"] == 3000 * kib * KIB == answer["layers"] * answer["bytes_per_layer"]
    assert answer["mha"]["bytes_per_token"] == kib * KIB * answer["heads"] // answer["kv_heads"]
    assert answer["mqa"]["bytes_per_token"] == kib * KIB // answer["kv_heads"]
    assert "config" in answer["source"]
    listed = {entry["preset"]: entry for entry in client.get("/api/kv_cache/presets").json()["presets"]}
    assert listed[preset]["bytes_per_token"] == kib * KIB
    assert listed[preset]["source"] == answer["source"]


def test_large_numbers_stay_exact(client: TestClient) -> None:
    answer = ask(
        client, layers=9_999, kv_heads=4_095, head_dim=16_383, batch=999_999, seq_len=999_999_999, bytes_per_value=15
    )
    assert answer["bytes_total"] == 2 * 9_999 * 4_095 * 16_383 * 999_999 * 999_999_999 * 15


@pytest.mark.parametrize("num_kv_heads", [1, 2, 4])
def test_steps_equal_reading_at_once(client: TestClient, num_kv_heads: int) -> None:
    """C28."""
    answer = ask(client, "/steps", prefill=3, chunks=[1, 2], num_kv_heads=num_kv_heads, rope="half_split")
    assert [step["phase"] for step in answer["steps"]] == ["prefill", "single_token", "chunk"]
    assert [step["needs_mask"] for step in answer["steps"]] == [True, False, True]
    assert answer["steps"][2]["mask"] == [[True] * 5 + [False], [True] * 6]
    assert answer["largest_difference"] <= 1e-6
    outputs = [row for step in answer["steps"] for row in step["output"]]
    np.testing.assert_allclose(outputs, answer["uncached_output"], rtol=0, atol=1e-6)
    for step in answer["steps"]:
        rows = slice(step["stored"], step["stored"] + step["new"])
        whole = np.array(answer["uncached_weights"])[:, rows, : step["stored"] + step["new"]]
        np.testing.assert_allclose(step["weights"], whole, rtol=0, atol=1e-6)
        assert step["used_bytes"] == (step["stored"] + step["new"]) * 2 * num_kv_heads * 4 * 4
    assert (answer["projected_with_cache"], answer["projected_without_cache"]) == (6, 13)
    assert answer == ask(client, "/steps", prefill=3, chunks=[1, 2], num_kv_heads=num_kv_heads, rope="half_split")


def test_steps_without_a_prefix(client: TestClient) -> None:
    answer = ask(client, "/steps", prefill=0, chunks=[1, 1, 3])
    assert [step["phase"] for step in answer["steps"]] == ["prefill", "single_token", "chunk"]
    assert answer["steps"][0]["stored"] == 0
    assert ask(client, "/steps", prefill=1, chunks=[])["steps"][0]["mask"] == [[True]]


@pytest.mark.parametrize(
    ("request_", "code", "field", "limit"),
    [
        ({"preset": "llama-9"}, "invalid_value", "preset", None),
        ({"preset": "gpt2", "layers": 3}, "invalid_value", "layers", None),
        ({"preset": "gpt2", "heads": 3}, "invalid_value", "heads", None),
        ({"layers": 1, "kv_heads": 8}, "invalid_request", "head_dim", None),
        ({}, "invalid_request", "layers", None),
        ({"layers": 1, "kv_heads": 3, "head_dim": 4, "heads": 8}, "invalid_value", "kv_heads", None),
        ({"layers": 0, "kv_heads": 8, "head_dim": 4}, "invalid_request", "layers", 1),
        ({"layers": -1, "kv_heads": 8, "head_dim": 4}, "invalid_request", "layers", 1),
        ({"layers": 10**9, "kv_heads": 8, "head_dim": 4}, "invalid_request", "layers", 10_000),
        ({"preset": "gpt2", "batch": "3"}, "invalid_request", "batch", None),
        ({"preset": "gpt2", "batch": 1.5}, "invalid_request", "batch", None),
        ({"preset": "gpt2", "seq_len": 10**12}, "invalid_request", "seq_len", 10**9),
        ({"preset": "gpt2", "unknown": 1}, "invalid_request", "unknown", None),
        ({"preset": 3}, "invalid_request", "preset", None),
    ],
)
def test_bad_input(
    client: TestClient, assert_error: Any, request_: dict[str, Any], code: str, field: str | None, limit: int | None
) -> None:
    assert_error(client.post("/api/kv_cache", json=request_), 422, code, field, limit)


@pytest.mark.parametrize(
    ("request_", "code", "field", "limit"),
    [
        ({"prefill": 0, "chunks": []}, "invalid_value", "chunks", None),
        ({"prefill": -1}, "invalid_request", "prefill", 0),
        ({"chunks": [0]}, "invalid_request", "chunks.0", 1),
        ({"chunks": [1] * 257}, "too_large", "chunks", 256),
        ({"prefill": 4096, "chunks": [1]}, "too_large", "chunks", 4096),
        ({"prefill": 4000, "chunks": []}, "too_large", "chunks", 2**22),
        ({"num_heads": 3}, "invalid_value", "num_heads", None),
        ({"num_heads": 4, "num_kv_heads": 3}, "invalid_value", "num_kv_heads", None),
        ({"prefill": 5, "max_length": 3}, "invalid_value", "max_length", None),
        ({"rope": "spiral"}, "invalid_request", "rope", None),
        ({"d_model": 4, "num_heads": 4, "rope": "half_split"}, "invalid_value", "rope", None),
        ({"seed": -1}, "invalid_request", "seed", 0),
        ({"precision": "int8"}, "invalid_request", "precision", None),
    ],
)
def test_bad_steps(
    client: TestClient, assert_error: Any, request_: dict[str, Any], code: str, field: str | None, limit: int | None
) -> None:
    assert_error(client.post("/api/kv_cache/steps", json=request_), 422, code, field, limit)


def test_not_a_number(client: TestClient, assert_error: Any) -> None:
    body = '{"preset": "gpt2", "batch": NaN}'
    response = client.post("/api/kv_cache", content=body, headers={"content-type": "application/json"})
    assert_error(response, 422, "invalid_request", "batch")
