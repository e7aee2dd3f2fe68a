"""POST /api/head_counts: two peaks against one blurred ranking, and head sizes."""

import math
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient


def ask(client: TestClient, **request: Any) -> dict[str, Any]:
    response = client.post("/api/head_counts", json=request)
    assert response.status_code == 200, response.text
    return response.json()


def test_two_peaks_against_one_blurred_ranking(client: TestClient) -> None:
    """C23, by hand: 6 tokens, two questions, heads of size 4, sharpness 8."""
    answer = ask(client)
    one, two = answer["counts"]
    peak, rest = math.exp(4) / (math.exp(4) + 5), 1 / (math.exp(4) + 5)
    np.testing.assert_allclose(two["weights"][0][0], [rest, peak, rest, rest, rest, rest], atol=1e-12)
    np.testing.assert_allclose(two["weights"][1][0], [rest, rest, peak, rest, rest, rest], atol=1e-12)
    total = 2 * math.exp(math.sqrt(8)) + 4
    shared, left = math.exp(math.sqrt(8)) / total, 1 / total
    np.testing.assert_allclose(one["weights"][0][0], [left, shared, shared, left, left, left], atol=1e-12)
    assert [row[0] for row in two["most_read"]] == answer["answerers"] == [1, 2]
    assert one["entropy"][0][0] > max(row[0] for row in two["entropy"])
    assert one["parameters"] == two["parameters"] == 4 * 8 * 8


def test_head_sizes(client: TestClient) -> None:
    """C23 and exercise X3: 128/4 = 32, 128/8 = 16."""
    answer = ask(client, d_model=128, head_counts=[1, 4, 8], seq_len=3)
    assert [count["head_dim"] for count in answer["counts"]] == [128, 32, 16]
    assert {count["parameters"] for count in answer["counts"]} == {65_536}
    assert answer["largest_difference"] <= 1e-12
    for count in answer["counts"]:
        np.testing.assert_allclose(
            np.sum(count["raw_scores"], axis=0), answer["counts"][0]["raw_scores"][0], atol=1e-12
        )
        np.testing.assert_allclose(
            count["scaled_scores"], np.array(count["raw_scores"]) / math.sqrt(count["head_dim"]), atol=1e-12
        )
        np.testing.assert_allclose(np.sum(count["weights"], axis=-1), 1, atol=1e-12)


def test_vectors_given(client: TestClient) -> None:
    vectors = [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0], [0.5, 0.5, 0.5, 0.5]]
    answer = ask(client, vectors=vectors, head_counts=[2])
    queries = np.array(vectors) @ np.array(answer["query_weight"]).T
    keys = np.array(vectors) @ np.array(answer["key_weight"]).T
    for head in range(2):
        part = slice(2 * head, 2 * head + 2)
        scores = np.exp(queries[:, part] @ keys[:, part].T / math.sqrt(2))
        np.testing.assert_allclose(answer["counts"][0]["weights"][head], scores / scores.sum(-1, keepdims=True))
    assert answer["asker"] is None
    assert answer == ask(client, vectors=vectors, head_counts=[2])
    assert ask(client, vectors=[[1.0]], head_counts=[1])["counts"][0]["weights"] == [[[1.0]]]


@pytest.mark.parametrize(
    ("request_", "code", "field", "limit"),
    [
        ({"head_counts": [3]}, "invalid_value", None, None),
        ({"head_counts": []}, "invalid_request", "head_counts", 1),
        ({"head_counts": [0]}, "invalid_request", "head_counts.0", 1),
        ({"head_counts": [1] * 9}, "too_large", "head_counts", 8),
        ({"head_counts": ["2"]}, "invalid_request", "head_counts.0", None),
        ({"num_questions": 17}, "invalid_request", "num_questions", 16),
        ({"head_dim": 2}, "invalid_request", "head_dim", 3),
        ({"sharpness": -1}, "invalid_request", "sharpness", 0),
        ({"d_model": 2000}, "invalid_request", "d_model", 1024),
        ({"d_model": 8, "vectors": [[1, 2]]}, "invalid_value", "vectors", None),
        ({"vectors": [[1, 2], [3]]}, "invalid_request", "vectors", None),
        ({"d_model": 128, "seq_len": 512, "head_counts": [128]}, "too_large", "seq_len", 2**22),
        ({"vectors": [[0.0]] * 4097, "head_counts": [1]}, "too_large", "vectors", 4096),
    ],
)
def test_bad_input(
    client: TestClient, assert_error: Any, request_: dict[str, Any], code: str, field: str | None, limit: int | None
) -> None:
    assert_error(client.post("/api/head_counts", json=request_), 422, code, field, limit)


def test_not_a_number(client: TestClient, assert_error: Any) -> None:
    body = '{"vectors": [[NaN]]}'
    response = client.post("/api/head_counts", content=body, headers={"content-type": "application/json"})
    assert_error(response, 422, "invalid_request", "vectors.0.0")
