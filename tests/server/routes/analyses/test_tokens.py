"""Vectors and tokens over HTTP: the same numbers as the windows of the same analysis, and errors in the one shape."""

from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

MINILM = "sentence-transformers/all-MiniLM-L6-v2"


@pytest.fixture(scope="module")
def path(client: TestClient) -> str:
    request = {"model": MINILM, "text": "The cat sat on the mat because it was tired."}
    return f"/api/analyses/{client.post('/api/analyses', json=request).json()['id']}"


def weights(client: TestClient, path: str, **place: Any) -> np.ndarray:
    return np.array(client.get(f"{path}/weights", params={**place, "encoding": "json"}).json()["matrix"])


def test_vectors(client: TestClient, path: str) -> None:
    answer = client.get(f"{path}/vectors?part=encoder&layer=5&head=11&query=9&key=2").json()
    query, key = answer["query_token"], answer["key_token"]
    assert (query["index"], key["index"], len(query["query"]), len(key["value"])) == (9, 2, 32, 32)
    np.testing.assert_allclose(answer["products"], np.multiply(query["query"], key["key"]), rtol=1e-6)
    assert answer["raw_score"] == pytest.approx(sum(answer["products"]), abs=1e-4)
    assert answer["masked_score"] == pytest.approx(answer["raw_score"] * answer["scale"], rel=1e-5)
    assert answer["weight"] == pytest.approx(weights(client, path, layer=5, head=11)[9, 2], abs=1e-6)
    assert {answer[name] for name in ("part", "layer", "head", "kv_head", "bias")} == {"encoder", 5, 11, 0.0}


def test_a_token(client: TestClient, path: str) -> None:
    answer = client.get(f"{path}/tokens/9?count=3").json()
    assert (answer["side"], answer["index"]) == ("source", 9)
    (part,) = answer["parts"]
    assert part["name"] == "encoder"
    matrix = weights(client, path, layer=5, head=11)
    for name, line in (("reads", matrix[9]), ("read_by", matrix[:, 9])):
        assert np.array(part[name]["indices"]).shape == (6, 12, 3)
        best = np.argsort(-line)[:3]
        assert part[name]["indices"][5][11] == best.tolist()
        np.testing.assert_allclose(part[name]["weights"][5][11], line[best], atol=1e-6)
        assert part[name]["totals"][5][11] == pytest.approx(line.sum(), abs=1e-5)


def test_a_token_among_those_that_are_shown(client: TestClient, path: str) -> None:
    (part,) = client.get(f"{path}/tokens/9?count=3&hide_special=true&words=true").json()["parts"]
    row = weights(client, path, layer=5, head=11)[9, 1:12]  # [CLS] and [SEP] are 0 and 12; no word was split
    best = np.argsort(-row)[:3]
    assert part["reads"]["indices"][5][11] == (best + 1).tolist()
    np.testing.assert_allclose(part["reads"]["weights"][5][11], row[best], atol=1e-6)
    assert part["reads"]["totals"][5][11] == pytest.approx(row.sum(), abs=1e-5)


@pytest.mark.parametrize(
    ("query", "code", "field", "limit"),
    [
        ("vectors?layer=0&head=0&query=13&key=0", "out_of_range", "query", 12),
        ("vectors?layer=6&head=0&query=0&key=0", "out_of_range", "layer", 5),
        ("vectors?layer=0&head=0&query=0&key=0&part=cross", "out_of_range", "part", None),
        ("vectors?layer=0&head=0&query=x&key=0", "invalid_request", "query", None),
        ("vectors?layer=0&head=0&query=0", "invalid_request", "key", None),
        ("tokens/13", "out_of_range", "index", 12),
        ("tokens/-1", "out_of_range", "index", 12),
        ("tokens/0?count=65", "invalid_request", "count", 64),
        ("tokens/0?words=perhaps", "invalid_request", "words", None),
        ("tokens/0?side=target", "out_of_range", "side", None),
    ],
)
def test_errors(client, path, assert_error, query, code, field, limit):
    assert_error(client.get(f"{path}/{query}"), 422, code, field, limit)


def test_an_analysis_nobody_knows(client, assert_error):
    for name in ("vectors?layer=0&head=0&query=0&key=0", "tokens/0"):
        assert_error(client.get(f"/api/analyses/none/{name}"), 404, "analysis_expired", "analysis_id")
