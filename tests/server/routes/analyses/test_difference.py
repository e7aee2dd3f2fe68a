"""Before and after over HTTP: windows of both fetched and subtracted here."""

import base64
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from server.app import create_app
from server.settings import Settings

SENTENCE = "The cat sat on the mat because it was tired."
MINILM = "sentence-transformers/all-MiniLM-L6-v2"
WARM = {"kind": "temperature", "layer": 2, "heads": [7], "temperature": 0.2}


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    settings = Settings(device="cpu", hub_models=(), preload=False, max_window_cells=200)
    with TestClient(create_app(settings)) as client:
        yield client


@pytest.fixture(scope="module")
def before(client: TestClient) -> str:
    return post(client)


@pytest.fixture(scope="module")
def after(client: TestClient) -> str:
    return post(client, interventions=[WARM])


def post(client: TestClient, **request: Any) -> str:
    return client.post("/api/analyses", json={"model": MINILM, "text": SENTENCE, **request}).json()["id"]


def difference(client: TestClient, first: str, other: str, **query: Any):
    return client.get(f"/api/analyses/{first}/difference", params={"other": other, **query})


def decode(matrix: dict[str, str]) -> np.ndarray:
    shape = tuple(int(size) for size in matrix["shape"].split(","))
    return np.frombuffer(base64.b64decode(matrix["bdata"]), "<" + matrix["dtype"]).reshape(shape)


def window(client: TestClient, id_: str, layer: int, head: int, stage: str = "weights") -> np.ndarray:
    query = {"layer": layer, "head": head, "stage": stage}
    return decode(client.get(f"/api/analyses/{id_}/weights", params=query).json()["matrix"])


@pytest.mark.full("weights-2-7")
@pytest.mark.parametrize(("layer", "head"), [(2, 7), (4, 3)])
@pytest.mark.parametrize("stage", ["weights", "scaled_scores", "value_weighted"])
def test_a_difference_is_that_of_the_windows(client, before, after, layer, head, stage):
    answer = difference(client, before, after, layer=layer, head=head, stage=stage).json()
    expected = window(client, after, layer, head, stage) - window(client, before, layer, head, stage)
    np.testing.assert_allclose(decode(answer["matrix"]), expected, atol=1e-5, rtol=1e-5)
    assert np.abs(expected).max() > 1e-3
    back = difference(client, after, before, layer=layer, head=head, stage=stage).json()
    np.testing.assert_allclose(decode(back["matrix"]), -expected, atol=1e-5, rtol=1e-5)


@pytest.mark.full
def test_the_whole_answer(client, before, after):
    answer = difference(client, before, after, layer=2, head=7, rows="3:9", cols="0:12", max_size=6, encoding="json")
    body = answer.json()
    change = (window(client, after, 2, 7) - window(client, before, 2, 7))[3:9, 0:12]
    cells = [[max(change[i, j : j + 2], key=abs) for j in range(0, 12, 2)] for i in range(6)]
    np.testing.assert_allclose(body.pop("matrix"), cells, atol=1e-5)
    largest = [
        [np.abs(window(client, after, layer, head) - window(client, before, layer, head)).max() for head in range(12)]
        for layer in range(6)
    ]
    np.testing.assert_allclose(body.pop("largest"), largest, atol=1e-5)
    assert body == {
        "other": after, "part": "encoder", "layer": 2, "head": 7, "other_layer": 2, "other_head": 7,
        "stage": "weights", "rows": [3, 9], "cols": [0, 12],
        "shape": [6, 6], "pooled": True, "encoding": "json", "predictions": [],
    }  # fmt: skip


def test_without_a_head_it_is_the_one_that_changed_most(client, before, after):
    answer = difference(client, before, after).json()
    largest = np.array(answer["largest"])
    assert (answer["layer"], answer["head"]) == np.unravel_index(largest.argmax(), largest.shape) == (2, 7)
    assert not largest[:2].any()
    assert np.delete(largest[2], 7).max() == 0


def test_texts_of_as_many_tokens(client, before):
    other = post(client, text="The dog sat on the mat because it was tired.")
    answer = difference(client, before, other, layer=5, head=11).json()
    expected = window(client, other, 5, 11) - window(client, before, 5, 11)
    np.testing.assert_allclose(decode(answer["matrix"]), expected, atol=1e-5)


def test_texts_of_other_lengths(client, assert_error, before):
    response = difference(client, before, post(client, text="A cat."))
    assert "13 and 5 query tokens" in assert_error(response, 409, "not_comparable", "other")


@pytest.mark.parametrize(
    ("query", "status", "code", "field", "limit"),
    [
        ({"other": "0" * 32}, 404, "analysis_expired", "other", None),
        ({"other": "x" * 201}, 422, "invalid_request", "other", 200),
        ({"part": "cross"}, 422, "out_of_range", "part", None),
        ({"part": "x"}, 422, "invalid_request", "part", None),
        ({"layer": 6, "head": 0}, 422, "out_of_range", "layer", 5),
        ({"layer": 0, "head": 12}, 422, "out_of_range", "head", 11),
        ({"layer": 0}, 422, "invalid_request", "head", None),
        ({"head": 0}, 422, "invalid_request", "layer", None),
        ({"stage": "x"}, 422, "invalid_request", "stage", None),
        ({"rows": "5:5"}, 422, "out_of_range", "rows", 13),
        ({"cols": "0:14"}, 422, "out_of_range", "cols", 13),
        ({"cols": "x"}, 422, "invalid_request", "cols", None),
        ({"max_size": 0}, 422, "invalid_request", "max_size", 1),
        ({"pooling": "sum"}, 422, "invalid_request", "pooling", None),
    ],
)
def test_what_is_refused(client, assert_error, before, after, query, status, code, field, limit):
    assert_error(difference(client, before, **{"other": after, **query}), status, code, field, limit)


def test_what_is_no_id_is_not_said_to_be_no_longer_kept(client, assert_error, before):
    for path, field in (
        (f"/api/analyses/{before}/difference?as=figure&other=<Analysis 1>", "other"),
        (f"/api/analyses/{before}/prediction_difference?other=cat", "other"),
        ("/api/analyses/cat", "analysis_id"),
    ):
        said = assert_error(client.get(path), 404, "analysis_expired", field)
        assert said.startswith(f"{field} must be the id of an analysis")


def test_what_is_not_kept(client, assert_error, after):
    assert_error(difference(client, "0" * 32, after), 404, "analysis_expired", "analysis_id")
    assert_error(client.get(f"/api/analyses/{after}/difference"), 422, "invalid_request", "other")


@pytest.mark.full
def test_the_operator_s_limit_holds(assert_error):
    settings = Settings(device="cpu", hub_models=(), preload=False, max_window_cells=100)
    with TestClient(create_app(settings)) as client:
        first, second = post(client), post(client, interventions=[WARM])
        assert_error(difference(client, first, second), 422, "window_too_large", "rows", 100)
        assert difference(client, first, second, max_size=10).status_code == 200


def test_two_heads_of_one_analysis(client: TestClient, before: str) -> None:
    answer = difference(client, before, before, layer=2, head=7, other_layer=5, other_head=11).json()
    assert [answer[name] for name in ("layer", "head", "other_layer", "other_head")] == [2, 7, 5, 11]
    expected = window(client, before, 5, 11) - window(client, before, 2, 7)
    np.testing.assert_allclose(decode(answer["matrix"]), expected, atol=1e-6)
    refused = difference(client, before, before, layer=2, head=7, other_layer=5)
    assert (refused.status_code, refused.json()["error"]["field"]) == (422, "other_head")
    refused = difference(client, before, before, layer=2, head=7, other_layer=5, other_head=12)
    assert (refused.status_code, refused.json()["error"]["field"]) == (422, "other_head")


@pytest.mark.full
def test_what_two_texts_of_other_lengths_predict(client: TestClient) -> None:
    texts = ("The cat sat on the", "The dog slept")
    posted = [
        client.post("/api/analyses", json={"model": "observatory-gpt2-mini", "text": text}).json() for text in texts
    ]
    ids = [each["id"] for each in posted]
    found = client.get(f"/api/analyses/{ids[0]}/prediction_difference", params={"other": ids[1]}).json()
    (change,) = found["predictions"]
    assert (change["index"], change["other_index"]) == tuple(each["predictions"][0]["index"] for each in posted)
    for side, each in zip(("before", "after"), posted, strict=True):
        for candidate in each["predictions"][0]["candidates"]:
            (pair,) = [one for one in change["candidates"] if one["id"] == candidate["id"]]
            assert pair[side] == pytest.approx(candidate["probability"], rel=1e-5)
    assert all(pair["before"] is not None and pair["after"] is not None for pair in change["candidates"])
    assert 0 < change["total_variation"] < 1
    assert change["divergence"] > 0
    gone = client.get(f"/api/analyses/{ids[0]}/prediction_difference", params={"other": "nothing"})
    assert (gone.status_code, gone.json()["error"]["field"]) == (404, "other")


def test_the_embedding_of_a_model_that_predicts_nothing(client: TestClient, before: str) -> None:
    off = post(client, interventions=[{"kind": "head_off", "layer": 5, "heads": [11]}])
    found = client.get(f"/api/analyses/{before}/prediction_difference", params={"other": off}).json()
    assert found["predictions"] == []
    assert found["embedding"] == pytest.approx({"length": 5.705, "other_length": 4.992, "cosine": 0.8555}, abs=1e-3)
