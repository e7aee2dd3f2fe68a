"""The plane of queries and keys over HTTP, against a principal component analysis of the vectors of the same API."""

import io
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

MINILM = "sentence-transformers/all-MiniLM-L6-v2"


@pytest.fixture(scope="module")
def path(client: TestClient) -> str:
    request = {"model": MINILM, "text": "The cat sat on the mat because it was tired."}
    return f"/api/analyses/{client.post('/api/analyses', json=request).json()['id']}"


def plane(client: TestClient, path: str, **wanted: Any) -> dict[str, Any]:
    response = client.get(f"{path}/query_key_plane", params={"layer": 5, "head": 11, **wanted})
    assert response.status_code == 200, response.text
    return response.json()


def test_the_plane_is_that_of_the_vectors(client: TestClient, path: str) -> None:
    answer = plane(client, path)
    pairs = [client.get(f"{path}/vectors?layer=5&head=11&query={index}&key={index}").json() for index in range(13)]
    sides = {role: np.array([pair[f"{role}_token"][role] for pair in pairs]) for role in ("query", "key")}
    centred = {role: vectors - vectors.mean(axis=0) for role, vectors in sides.items()}
    centred["query"] *= pairs[0]["scale"]
    factor = np.sqrt(np.linalg.norm(centred["key"]) / np.linalg.norm(centred["query"]))
    together = np.concatenate([centred["query"] * factor, centred["key"] / factor])
    values, axes = np.linalg.eigh(np.cov(together.T))
    np.testing.assert_allclose(answer["explained"], values[:-3:-1] / values.sum(), atol=1e-6)
    assert answer["factor"] == pytest.approx(factor, rel=1e-5)
    shown = np.concatenate([answer["queries"]["coordinates"], answer["keys"]["coordinates"]])
    for axis in (0, 1):
        wanted = together @ axes[:, -1 - axis]
        np.testing.assert_allclose(shown[:, axis], wanted * np.sign(wanted @ shown[:, axis]), atol=2e-5)
    # In all dimensions: the scale and c in the queries, c and t in the keys.
    shift = sides["query"].mean(axis=0) * pairs[0]["scale"] * factor - sides["key"].mean(axis=0) / factor
    assert answer["shift_length"] == pytest.approx(np.linalg.norm(shift), rel=1e-4)
    np.testing.assert_allclose(np.abs(answer["shift"]), np.abs(shift @ axes[:, [-1, -2]]), atol=1e-4)
    assert {name: answer[name] for name in ("part", "layer", "head", "kv_head", "beside")} == {
        "part": "encoder", "layer": 5, "head": 11, "kv_head": 11, "beside": [],
    }  # fmt: skip


def test_partners_are_the_largest_weights(client: TestClient, path: str) -> None:
    answer = plane(client, path)
    weights = np.array(client.get(f"{path}/weights?layer=5&head=11&encoding=json").json()["matrix"])
    for side, lines in ((answer["queries"], weights), (answer["keys"], weights.T)):
        np.testing.assert_array_equal(side["partner_indices"], np.argsort(-lines, axis=1)[:, :5])
        np.testing.assert_allclose(side["partner_weights"], -np.sort(-lines, axis=1)[:, :5], atol=1e-6)


def test_a_sample_holds_what_is_asked_for(client: TestClient, path: str) -> None:
    whole, some = plane(client, path), plane(client, path, max_tokens=2, query=4, key=7)
    read, readers = whole["queries"]["partner_indices"][4], whole["keys"]["partner_indices"][7]
    assert some["queries"]["indices"] == sorted({0, 12, 4, *readers})
    assert some["keys"]["indices"] == sorted({0, 12, 7, *read})
    assert some["keys"]["coordinates"] == [whole["keys"]["coordinates"][index] for index in some["keys"]["indices"]]
    plain = plane(client, path, hide_special=True)
    assert plain["queries"]["indices"] == plain["keys"]["indices"] == list(range(1, 12))
    assert plain["explained"] != whole["explained"]


@pytest.mark.parametrize(
    ("query", "code", "field", "limit"),
    [
        ("layer=6&head=0", "out_of_range", "layer", 5),
        ("layer=0&head=12", "out_of_range", "head", 11),
        ("layer=0&head=0&part=cross", "out_of_range", "part", None),
        ("layer=0&head=0&part=other", "invalid_request", "part", None),
        ("layer=0", "invalid_request", "head", None),
        ("layer=x&head=0", "invalid_request", "layer", None),
        ("layer=0&head=0&query=13", "out_of_range", "query", 12),
        ("layer=0&head=0&key=-1", "out_of_range", "key", 12),
        ("layer=0&head=0&max_tokens=0", "invalid_request", "max_tokens", 1),
        ("layer=0&head=0&max_tokens=4097", "invalid_request", "max_tokens", 4096),
        ("layer=0&head=0&hide_special=perhaps", "invalid_request", "hide_special", None),
    ],
)
def test_errors(client, path, assert_error, query, code, field, limit):
    assert_error(client.get(f"{path}/query_key_plane?{query}"), 422, code, field, limit)


def test_an_analysis_nobody_knows(client, assert_error):
    response = client.get("/api/analyses/none/query_key_plane?layer=0&head=0")
    assert_error(response, 404, "analysis_expired", "analysis_id")


def test_uploaded_weights_have_no_vectors(client, assert_error):
    file = io.BytesIO()
    np.savez(file, weights=np.full((1, 2, 3, 3), 1 / 3))
    uploaded = client.post("/api/tensors", content=file.getvalue()).json()["id"]
    response = client.get(f"/api/analyses/{uploaded}/query_key_plane?layer=0&head=0")
    message = assert_error(response, 422, "invalid_value")
    assert message == "queries and keys are unknown: only weights were given"
