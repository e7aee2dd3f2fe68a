"""POST /api/decoder: the modern block in its order, numpy from its own stages, and bad input."""

from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient


def ask(client: TestClient, **request: Any) -> dict[str, Any]:
    response = client.post("/api/decoder", json=request)
    assert response.status_code == 200, response.text
    return response.json()


def test_modern_block_in_its_order(client: TestClient) -> None:
    """C39: bias-free projections, GQA, RoPE, QK-norm, KV cache, in that order."""
    answer = ask(client)
    config = answer["config"]
    assert (config["bias"], config["num_heads"], config["num_kv_heads"]) == (False, 4, 2)
    assert (config["positions"], config["qk_norm"], config["qk_norm_before_rope"]) == ("rope", "rms", False)
    for block in answer["blocks"]:
        names = [step["name"] for step in block["attention_steps"]]
        order = ["keys_projected", "keys_by_head", "keys_turned", "keys_normed", "keys_repeated", "raw_scores"]
        assert sorted(order, key=names.index) == order
        attention = {name: np.array(stage, dtype=object) for name, stage in block["attention"].items()}
        turned, normed = attention["queries_turned"].astype(float), attention["queries_normed"].astype(float)
        np.testing.assert_allclose(
            normed, turned / np.sqrt((turned**2).mean(-1, keepdims=True) + 1e-6), rtol=0, atol=1e-5
        )
        by_head = attention["queries_by_head"].astype(float)
        np.testing.assert_allclose(turned[:, 0], by_head[:, 0], atol=1e-6)  # position 0 is not turned
        length = np.linalg.norm(by_head, axis=-1)
        np.testing.assert_allclose(np.linalg.norm(turned, axis=-1), length, atol=1e-5)
        assert attention["keys_normed"].shape == (2, 5, 4)
        assert attention["keys_repeated"].shape == (4, 5, 4)
        assert block["attention"]["masked_scores"][0][0][1] == "-Infinity"
    assert answer["cached_difference"] <= 1e-5
    assert answer["fused_difference"] <= 1e-5
    assert answer["kv_cache_bytes_per_token"] == 2 * 2 * 2 * 4 * 4


@pytest.mark.parametrize("form", ["modern", "llama", "gpt2", "nanochat_2025", "nanochat_2026"])
def test_stages_add_up(client: TestClient, form: str) -> None:
    answer = ask(client, form=form, precision="float64", seed=5, tokens=["a", "b", "a", "c"], vocab_size=7)
    x = np.array(answer["embeddings"])
    if form == "gpt2":
        x = np.array(answer["token_embeddings"]) + np.array(answer["position_embeddings"])
    elif form.startswith("nanochat"):
        x = np.array(answer["token_embeddings"])
        x = x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6)
    else:
        assert answer["position_embeddings"] is None
        assert answer["token_embeddings"][0] == answer["token_embeddings"][2]
    for block in answer["blocks"]:
        np.testing.assert_allclose(block["inputs"], x, rtol=0, atol=1e-12)
        weights, values = (np.array(block["attention"][name]) for name in ("weights", "values"))
        np.testing.assert_allclose(block["attention"]["head_outputs"], weights @ values, rtol=0, atol=1e-12)
        np.testing.assert_allclose(weights.sum(-1), 1, rtol=0, atol=1e-12)
        x = x + np.array(block["attention_output"])
        np.testing.assert_allclose(block["after_attention"], x, rtol=0, atol=1e-12)
        x = x + np.array(block["feed_forward_output"])
        np.testing.assert_allclose(block["outputs"], x, rtol=0, atol=1e-12)
    exponentials = np.exp(np.array(answer["logits"]))
    np.testing.assert_allclose(
        answer["probabilities"], exponentials / exponentials.sum(-1, keepdims=True), rtol=0, atol=1e-12
    )
    assert answer["generated"][0] == int(np.argmax(answer["logits"][-1]))
    assert answer["vocabulary"] == ["a", "b", "c", "[3]", "[4]", "[5]", "[6]"]
    assert answer["ids"] == [0, 1, 0, 2]
    assert answer["cached_difference"] <= 1e-12
    assert answer == ask(client, form=form, precision="float64", seed=5, tokens=["a", "b", "a", "c"], vocab_size=7)


def test_nanochat_of_2026_says_what_it_added(client: TestClient) -> None:
    answer = ask(client, form="nanochat_2026", num_layers=4, tokens=["a", "b", "c", "a", "b"], generate=1)
    config, blocks = answer["config"], answer["blocks"]
    assert (config["qk_gain"], config["window_pattern"], config["logit_cap"]) == (1.2, "SSSL", 15.0)
    assert config["num_kv_heads"] == 2
    assert [block["window"] for block in blocks] == [3, 3, 3, None]  # a quarter of 6 tokens before it, and its own
    assert [block["value_gate"] is None for block in blocks] == [True, False, True, False]
    rows, gate = np.array(blocks[1]["value_embedding"]), np.array(blocks[1]["value_gate"])
    assert rows.shape == (2, 5, 4)
    np.testing.assert_array_equal(rows[:, 0], rows[:, 3])  # the same token, wherever it stands
    assert gate.shape == (2, 5)
    assert ((gate > 0) & (gate < 3)).all()
    attention = blocks[1]["attention"]
    added = np.array(attention["values_added"]) - np.array(attention["values_by_head"])
    np.testing.assert_allclose(added, gate[..., None] * rows, atol=1e-6)
    normed = np.array(attention["queries_normed"])
    np.testing.assert_allclose(attention["queries_sharpened"], 1.2 * normed, atol=1e-6)
    assert np.array(attention["mask"]).sum(-1).tolist() == [1, 2, 3, 3, 3]
    before = ask(client, form="nanochat_2025", num_layers=4)
    assert before["config"]["qk_gain"] == 1
    assert all(block["window"] is block["value_gate"] is None for block in before["blocks"])


@pytest.mark.full("request_3")
@pytest.mark.parametrize(
    "request_",
    [
        {"ids": [0], "generate": 0},
        {"tokens": ["a"], "num_layers": 1, "num_heads": 1},
        {"ids": [0, 12, 4], "d_model": 14, "num_heads": 7, "form": "llama", "positions": "alibi"},
        {"ids": list(range(64)), "precision": "float16"},
        {"qk_norm": "l2", "qk_norm_before_rope": True, "num_kv_heads": 1, "feed_forward": "relu_squared"},
        {"qk_norm": "none", "positions": "none", "hidden_dim": 3},
        {"init_std": 10.0, "precision": "bfloat16"},
    ],
)
def test_odd_shapes_and_extreme_values(client: TestClient, request_: dict[str, Any]) -> None:
    answer = ask(client, **request_)
    np.testing.assert_allclose(np.sum(answer["probabilities"], axis=-1), 1, atol=2e-2)


@pytest.mark.parametrize(
    ("request_", "code", "field", "limit"),
    [
        ({"num_heads": 3}, "invalid_value", "num_heads", None),
        ({"num_heads": 4, "num_kv_heads": 3}, "invalid_value", "num_kv_heads", None),
        ({"num_layers": 0}, "invalid_request", "num_layers", 1),
        ({"num_layers": 13}, "invalid_request", "num_layers", 12),
        ({"d_model": 10**6}, "invalid_request", "d_model", 256),
        ({"d_model": -1}, "invalid_request", "d_model", 1),
        ({"d_model": "16"}, "invalid_request", "d_model", None),
        ({"tokens": []}, "text_empty", "tokens", None),
        ({"tokens": ["a"] * 257}, "too_large", "tokens", 256),
        ({"tokens": [3]}, "invalid_request", "tokens.0", None),
        ({"tokens": ["a"], "ids": [0]}, "invalid_value", "ids", None),
        ({"tokens": ["a", "b"], "vocab_size": 1}, "invalid_value", "vocab_size", None),
        ({"ids": [4], "vocab_size": 3}, "invalid_value", "ids", None),
        ({"ids": [-1]}, "invalid_request", "ids.0", 0),
        ({"ids": [1024]}, "invalid_request", "ids.0", 1024),
        ({"ids": [0] * 256, "num_heads": 32, "d_model": 32, "num_layers": 12}, "too_large", "ids", 2**22),
        ({"ids": [0] * 250, "generate": 7, "num_layers": 1}, "too_large", "generate", 256),
        ({"d_model": 4}, "invalid_value", "d_model", None),
        ({"init_std": 0}, "invalid_request", "init_std", 1e-4),
        ({"form": "bert"}, "invalid_request", "form", None),
        ({"positions": "learnt"}, "invalid_request", "positions", None),
        ({"seed": 1.5}, "invalid_request", "seed", None),
        ({"bias": True}, "invalid_request", "bias", None),
    ],
)
def test_bad_input(
    client: TestClient, assert_error: Any, request_: dict[str, Any], code: str, field: str | None, limit: float | None
) -> None:
    assert_error(client.post("/api/decoder", json=request_), 422, code, field, limit)


def test_not_a_number(client: TestClient, assert_error: Any) -> None:
    response = client.post("/api/decoder", content='{"init_std": NaN}', headers={"content-type": "application/json"})
    assert_error(response, 422, "invalid_request", "init_std", response.json()["error"]["limit"])


def test_half_a_surrogate_pair(client: TestClient, assert_error: Any) -> None:
    body = '{"tokens": ["\\ud800"]}'
    response = client.post("/api/decoder", content=body, headers={"content-type": "application/json"})
    assert_error(response, 422, "text_invalid", "tokens.0")
