"""POST /api/multi_head: the figures of the curriculum, numpy from the weights in the answer, and bad input."""

from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from starlette.testclient import TestClient


def ask(client: TestClient, **request: Any) -> dict[str, Any]:
    response = client.post("/api/multi_head", json=request)
    assert response.status_code == 200, response.text
    return response.json()


def shapes(answer: dict[str, Any]) -> dict[str, list[int]]:
    return {step["name"]: step["shape"] for step in answer["shapes"]}


def rows(*shape: int, seed: int = 0) -> list[list[float]]:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).tolist()


def test_shapes_at_every_reshape(client: TestClient) -> None:
    """C21: d_model 512, 8 heads, input (2, 10, 512) → the same shape."""
    answer = ask(client, d_model=512, num_heads=8, batch=2, query_len=10)
    found = shapes(answer)
    assert found["input"] == found["output"] == found["concatenated"] == [2, 10, 512]
    assert found["queries_split"] == [2, 10, 8, 64]
    assert found["queries_by_head"] == found["head_outputs"] == [2, 8, 10, 64]
    assert found["weights"] == [2, 8, 10, 10]
    assert all(len(step["axes"]) == len(step["shape"]) for step in answer["shapes"])
    assert np.array(answer["weights"]).shape == (8, 10, 10)
    assert np.array(answer["output"]).shape == (10, 512)
    assert answer["projections"] is None
    assert answer["loop_difference"] <= 1e-6


def test_three_queries_four_keys(client: TestClient) -> None:
    """C21: (2, 3, 16)."""
    answer = ask(client, d_model=16, num_heads=4, batch=2, query_len=3, key_len=4)
    assert shapes(answer)["output"] == [2, 3, 16]
    assert shapes(answer)["weights"] == [2, 4, 3, 4]
    assert np.array(answer["weights"]).shape == (4, 3, 4)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"num_kv_heads": 2, "rope": "half_split", "qk_norm": "rms"},
        {"num_kv_heads": 1, "alibi": True, "is_causal": True},
        {"rope": "interleaved", "qk_norm": "l2", "qk_norm_before_rope": True},
        {"mask": {"kind": "sliding_window", "window": 2}, "head_dim": 6, "value_dim": 3},
    ],
)
def test_loop_and_repeated_heads_are_the_same(client: TestClient, options: dict[str, Any]) -> None:
    """C22 and C26: at most 1e-6 in float32; the output layer takes heads · d_v inputs."""
    answer = ask(client, query_len=7, **options)
    assert max(answer[f"{twin}_difference"] for twin in ("loop", "own_kv_heads", "fused")) <= 1e-6
    sizes = answer["sizes"]
    assert len(answer["projections"]["output"][0]) == sizes["output_inputs"] == 4 * sizes["value_dim"]
    double = ask(client, query_len=7, precision="float64", **options)
    assert max(double[f"{twin}_difference"] for twin in ("loop", "own_kv_heads", "fused")) <= 1e-14


def test_which_kv_head_serves_which_query_head(client: TestClient) -> None:
    """C26 and exercise X3."""
    answer = ask(client, d_model=32, num_heads=8, num_kv_heads=2)
    assert answer["kv_head_of_query_head"] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert answer["keys"][0] == answer["keys"][3] != answer["keys"][4]
    assert ask(client, d_model=128, num_heads=4, num_kv_heads=2)["kv_head_of_query_head"] == [0, 0, 1, 1]
    assert answer["parameters"]["own_kv_heads"] > answer["parameters"]["total"]


@pytest.mark.parametrize(("num_heads", "head_dim"), [(4, 32), (8, 16)])
def test_head_sizes(client: TestClient, num_heads: int, head_dim: int) -> None:
    """C23 and exercise X3."""
    assert ask(client, d_model=128, num_heads=num_heads)["sizes"]["head_dim"] == head_dim


def test_numbers_are_those_of_torch(client: TestClient) -> None:
    """From the answer's own weights, by torch's kernel in float64."""
    vectors, context = rows(5, 12), rows(7, 10, seed=1)
    answer = ask(client, vectors=vectors, context_vectors=context, num_heads=4, num_kv_heads=2, precision="float64")
    weight = {name: torch.tensor(matrix, dtype=torch.float64) for name, matrix in answer["projections"].items()}
    bias = {name: torch.tensor(row, dtype=torch.float64) for name, row in answer["biases"].items()}
    x, c = torch.tensor(vectors, dtype=torch.float64), torch.tensor(context, dtype=torch.float64)
    q = (x @ weight["queries"].T + bias["queries"]).view(5, 4, 3).transpose(0, 1)
    k, v = ((c @ weight[n].T + bias[n]).view(7, 2, 3).transpose(0, 1) for n in ("keys", "values"))
    heads = F.scaled_dot_product_attention(q[None], k[None], v[None], enable_gqa=True)[0]
    np.testing.assert_allclose(answer["head_outputs"], heads, rtol=0, atol=1e-13)
    joined = heads.transpose(0, 1).reshape(5, 12)
    np.testing.assert_allclose(answer["concatenated"], joined, rtol=0, atol=1e-13)
    np.testing.assert_allclose(answer["output"], joined @ weight["output"].T + bias["output"], rtol=0, atol=1e-13)
    np.testing.assert_allclose(answer["queries"], q, rtol=0, atol=1e-13)


def test_masked_scores_are_minus_infinity(client: TestClient) -> None:
    answer = ask(client, query_len=3, is_causal=True)
    assert answer["mask"] == [[True, False, False], [True, True, False], [True, True, True]]
    for head in answer["masked_scores"]:
        assert head[0][1] == head[0][2] == head[1][2] == "-Infinity"
    assert all(head[0] == [1, 0, 0] for head in answer["weights"])


def test_padding_by_sequence(client: TestClient) -> None:
    request = {"batch": 2, "query_len": 3, "mask": {"kind": "padding", "lengths": [3, 1]}}
    first, second = ask(client, **request), ask(client, **request, item=1)
    assert first["mask"] == [[True] * 3] * 3
    assert second["mask"] == [[True, False, False]] * 3
    assert all(row == [1, 0, 0] for head in second["weights"] for row in head)


def test_a_row_that_may_read_nothing(client: TestClient) -> None:
    allowed = [[True, True], [False, False]]
    answer = ask(client, query_len=2, mask={"kind": "custom", "allowed": allowed})
    assert all(head[1] == [0, 0] for head in answer["weights"])
    assert answer["output"][1] == answer["biases"]["output"]
    assert answer["fully_masked"] == [False, True]
    assert [row[1] for row in answer["entropy"]] == [0] * 4


def test_tokens_and_seeds(client: TestClient) -> None:
    answer = ask(client, tokens=["the", "cat", "the"], seed=3)
    assert answer["x"][0] == answer["x"][2] != answer["x"][1]
    assert answer == ask(client, tokens=["the", "cat", "the"], seed=3)
    assert answer["x"] != ask(client, tokens=["the", "cat", "the"], seed=4)["x"]
    cross = ask(client, tokens=["a"], context_tokens=["b", "c"])
    assert np.array(cross["weights"]).shape == (4, 1, 2)


def test_heads_side_by_side(client: TestClient) -> None:
    """Heads that give (1, 2, 3) and (4, 5, 6) are joined to (1, 2, 3, 4, 5, 6)."""
    identity = np.eye(6).tolist()
    weights = dict.fromkeys(("queries", "keys", "values", "output"), identity)
    answer = ask(client, vectors=[[1, 2, 3, 4, 5, 6]], num_heads=2, bias=False, weights=weights)
    assert answer["head_outputs"] == [[[1, 2, 3]], [[4, 5, 6]]]
    assert answer["concatenated"] == answer["output"] == [[1, 2, 3, 4, 5, 6]]


@pytest.mark.full("request_1")
@pytest.mark.parametrize(
    "request_",
    [
        {"vectors": [[1.0]], "num_heads": 1},
        {"query_len": 1, "key_len": 4096},
        {"query_len": 13, "key_len": 2},
        {"d_model": 7, "num_heads": 7, "query_len": 5, "num_kv_heads": 1},
        {"vectors": [[1e4, -1e4], [-1e4, 1e4]], "num_heads": 1},
        {"vectors": [[1e4, -1e4], [-1e4, 1e4]], "num_heads": 1, "precision": "bfloat16"},
        {"query_len": 5, "precision": "float16"},
    ],
)
def test_odd_shapes_and_extreme_values(client: TestClient, request_: dict[str, Any]) -> None:
    answer = ask(client, **request_)
    np.testing.assert_allclose(np.sum(answer["weights"], axis=-1), 1, atol=5e-3)
    assert np.isfinite(answer["output"]).all()


@pytest.mark.parametrize(
    ("request_", "code", "field", "limit"),
    [
        ({"d_model": 10, "num_heads": 4}, "invalid_value", "num_heads", None),
        ({"num_heads": 4, "num_kv_heads": 3}, "invalid_value", "num_kv_heads", None),
        ({"num_heads": 0}, "invalid_request", "num_heads", 1),
        ({"num_heads": -2}, "invalid_request", "num_heads", 1),
        ({"num_heads": 10**6}, "invalid_request", "num_heads", 128),
        ({"num_heads": "4"}, "invalid_request", "num_heads", None),
        ({"num_heads": True}, "invalid_request", "num_heads", None),
        ({"d_model": 5000}, "invalid_request", "d_model", 1024),
        ({"vectors": [[1, 2], [3]]}, "invalid_request", "vectors", None),
        ({"vectors": []}, "invalid_request", "vectors", 1),
        ({"vectors": [["x"]]}, "invalid_request", "vectors.0.0", None),
        ({"vectors": [[1, 2]], "d_model": 4}, "invalid_value", "vectors", None),
        ({"vectors": [[1, 2]], "tokens": ["a"]}, "invalid_value", "tokens", None),
        ({"vectors": [[1, 2]], "batch": 2}, "invalid_value", "batch", None),
        ({"tokens": [""]}, "invalid_request", "tokens.0", 1),
        ({"query_len": 4097}, "too_large", "query_len", 4096),
        ({"query_len": 2000}, "too_large", "query_len", 2**22),
        ({"query_len": 1, "key_len": 4097}, "too_large", "key_len", 4096),
        ({"query_len": 1, "key_len": 4096, "d_model": 1024, "num_heads": 1}, "too_large", "query_len", 2**22),
        ({"item": 1}, "out_of_range", "item", 0),
        ({"rope": "half_split", "d_model": 4}, "invalid_value", "rope", None),
        ({"rope": "spiral"}, "invalid_request", "rope", None),
        ({"qk_norm": "layer"}, "invalid_request", "qk_norm", None),
        ({"scale": 0}, "invalid_request", "scale", 0),
        ({"scale": -1}, "invalid_request", "scale", 0),
        ({"weights": {"keys": [[1, 2]]}}, "invalid_value", "weights.keys", None),
        ({"mask": {"kind": "custom", "allowed": [[True]]}}, "invalid_value", "mask.allowed", None),
        ({"mask": {"kind": "padding", "lengths": [1, 2, 3]}}, "invalid_value", "mask", None),
        ({"query_len": 4, "key_len": 2, "is_causal": True}, "invalid_value", None, None),
        ({"seed": -1}, "invalid_request", "seed", 0),
        ({"heads": 3}, "invalid_request", "heads", None),
    ],
)
def test_bad_input(
    client: TestClient, assert_error: Any, request_: dict[str, Any], code: str, field: str | None, limit: int | None
) -> None:
    assert_error(client.post("/api/multi_head", json=request_), 422, code, field, limit)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
def test_not_a_number(client: TestClient, assert_error: Any, number: str) -> None:
    body = f'{{"vectors": [[{number}]], "num_heads": 1}}'
    response = client.post("/api/multi_head", content=body, headers={"content-type": "application/json"})
    message = assert_error(response, 422, "invalid_request", "vectors.0.0", response.json()["error"]["limit"])
    assert "vectors.0.0" in message


MINILM = "sentence-transformers/all-MiniLM-L6-v2"
LAYER = {"model": MINILM, "text": "The cat sat on the mat because it was tired.", "layer": 5}


def test_a_layer_of_a_model_gives_the_model_s_weights(client: TestClient) -> None:
    found = client.post("/api/multi_head", json={"layer_of": LAYER}).json()
    analysis = client.post("/api/analyses", json={"model": MINILM, "text": LAYER["text"]}).json()
    for head in (0, 4, 11):
        where = f"/api/analyses/{analysis['id']}/weights?layer=5&head={head}&encoding=json"
        np.testing.assert_allclose(found["weights"][head], client.get(where).json()["matrix"], atol=1e-5)
    assert found["tokens"] == [token["text"] for token in analysis["tokens"]]
    assert (found["sizes"]["num_heads"], found["sizes"]["output_inputs"]) == (12, 384)
    block = client.post("/api/block", json=LAYER | {"token": 8}).json()
    mixed = next(station["vector"] for station in block["stations"] if station["name"] == "attention_output")
    np.testing.assert_allclose(found["output"][8], mixed, atol=2e-5)


def test_what_a_layer_of_a_model_refuses(client: TestClient, assert_error: Any) -> None:
    post = lambda body: client.post("/api/multi_head", json={"layer_of": LAYER} | body)  # noqa: E731
    assert_error(post({"d_model": 16}), 422, "invalid_value", "d_model")
    assert_error(post({"tokens": ["a"]}), 422, "invalid_value", "tokens")
    assert_error(post({"batch": 2}), 422, "invalid_value", "batch")
    assert_error(post({"item": 1}), 422, "out_of_range", "item", 0)
