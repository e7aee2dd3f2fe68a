"""Exported files, read back by the programs they are for, against the answers they are made from."""

import base64
import codecs
import csv
import io
import json
import math
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest
from packed_text import read_packed
from starlette.testclient import TestClient

from server.app import create_app
from server.settings import Settings

SENTENCE = "The cat sat on the mat because it was tired."
MINILM = "sentence-transformers/all-MiniLM-L6-v2"
AWKWARD = ["=1+1", '"x"', "a,b;=c", "line\r\nbreak", "@SUM(A1)", "猫"]


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    limits = {"max_export_cells": 13_000, "max_window_cells": 200, "max_offline_cells": 13_000}
    settings = Settings(device="cpu", hub_models=(), preload=False, **limits)
    with TestClient(create_app(settings)) as client:
        yield client


@pytest.fixture(scope="module")
def analysis(client: TestClient) -> dict[str, Any]:
    return client.post("/api/analyses", json={"model": MINILM, "text": SENTENCE}).json()


def export(client: TestClient, analysis: dict[str, Any], **query: Any):
    return client.get(f"/api/analyses/{analysis['id']}/export", params=query)


def window(client: TestClient, analysis: dict[str, Any], **query: Any) -> np.ndarray:
    response = client.get(f"/api/analyses/{analysis['id']}/weights", params={"encoding": "json", **query})
    return np.array(response.json()["matrix"], dtype=np.float64).astype(np.float32)


def upload(client: TestClient, **fields: Any) -> dict[str, Any]:
    response = client.post("/api/tensors", content=json.dumps(fields))
    assert response.status_code == 200, response.text
    return response.json()


def read_csv(data: bytes) -> tuple[list[str], list[str], np.ndarray]:
    """Column labels, row labels and numbers."""
    head, *lines = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True)
    return head[1:], [line[0] for line in lines], np.array([line[1:] for line in lines], dtype=np.float32)


def read_npz(data: bytes) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        return dict(archive)


def read_html(data: bytes) -> dict[str, Any]:
    """What a file's page asks in the place of a server: answers by request, and the query that it opens with."""
    packed = re.search(r'<script type="text/plain" data-packed-records>(.*?)</script>', data.decode())
    config = re.search(r'<script type="application/json" id="config">(.*?)</script>', data.decode(), re.DOTALL)
    assert packed
    assert config
    text, _, planes = read_packed(packed[1]).partition(b"\0")
    numbers = np.ascontiguousarray(np.frombuffer(planes, np.uint8).reshape(4, -1).T).view(">f4").astype(np.float32)
    answers = {each["request"]: each["answer"] for each in json.loads(text)}
    for answer in answers.values():
        if isinstance(answer, dict) and answer.get("matrix", {}).get("dtype") == "f4-planes":
            first, shape = answer["matrix"]["bdata"], [int(size) for size in answer["matrix"]["shape"].split(",")]
            answer["matrix"]["numbers"] = numbers[first : first + math.prod(shape), 0].reshape(shape)
    return {"answers": answers, "view": dict(parse_qsl(json.loads(config[1])["search"]))}


def is_alike(saved: Any, live: Any) -> bool:
    """Whether an answer in a file is the API's, to eight digits."""
    if isinstance(live, dict):
        return saved.keys() == live.keys() and all(is_alike(saved[name], live[name]) for name in live)
    if isinstance(live, list):
        return len(saved) == len(live) and all(map(is_alike, saved, live))
    return math.isclose(saved, live, rel_tol=5e-8) if isinstance(live, float) else saved == live


def with_thumbnails(answer: dict[str, Any], windows: list[dict[str, Any]]) -> dict[str, Any]:
    """An analysis as the page has it, which makes the thumbnails of the weights in the file."""
    assert answer["overview"]["bdata"] == ""
    whole = [each for each in windows if each["stage"] == "weights"]
    whole.sort(key=lambda each: (each["layer"], each["head"]))
    shades = np.rint(np.stack([numbers_of(each) for each in whole]) * 255).astype(np.uint8)
    return answer | {"overview": answer["overview"] | {"bdata": base64.b64encode(shades.tobytes()).decode()}}


def windows_in(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [answer for request, answer in found["answers"].items() if "/weights?" in request]


def plane_in(found: dict[str, Any]) -> dict[str, Any] | None:
    return next((answer for request, answer in found["answers"].items() if "/query_key_plane?" in request), None)


def numbers_of(window: dict[str, Any]) -> np.ndarray:
    numbers: np.ndarray = window["matrix"]["numbers"]
    return numbers


def test_csv_is_one_head_with_its_tokens(client, analysis):
    response = export(client, analysis, format="csv", layer=5, head=11)
    assert response.headers["content-type"] == "text/csv; charset=utf-8; header=present"
    name = "all-MiniLM-L6-v2-encoder-layer5-head11-weights.csv"
    assert response.headers["content-disposition"] == f'attachment; filename="{name}"'
    columns, rows, numbers = read_csv(response.content)
    labels = [f"{token['index']} {token['text']}" for token in analysis["tokens"]]
    assert columns == rows == labels
    np.testing.assert_array_equal(numbers, window(client, analysis, layer=5, head=11))
    assert response.content.count(b"\r\n") == 14
    assert response.content.endswith(b"\r\n")


def test_csv_of_a_window_and_a_stage(client, analysis):
    query = {"layer": 2, "head": 3, "stage": "raw_scores", "rows": "3:8", "cols": "1:12"}
    columns, rows, numbers = read_csv(export(client, analysis, format="csv", **query).content)
    assert (rows[0], rows[-1], columns[0], columns[-1]) == ("3 sat", "7 because", "1 the", "11 .")
    np.testing.assert_array_equal(numbers, window(client, analysis, **query))


@pytest.mark.full
def test_csv_of_more_rows_than_are_made_at_once(client):
    weights = np.random.default_rng(0).dirichlet(np.ones(3), 150)
    analysis = upload(client, weights=weights.tolist(), key_tokens=["a", "b", "c"])
    _, rows, numbers = read_csv(export(client, analysis, format="csv", layer=0, head=0).content)
    assert rows[149] == "149 149"
    np.testing.assert_array_equal(numbers, weights.astype(np.float32))


def test_no_token_becomes_a_formula_or_breaks_a_line(client):
    analysis = upload(client, weights=np.eye(6).tolist(), tokens=AWKWARD, mask="none")
    data = export(client, analysis, format="csv", layer=0, head=0).content
    columns, rows, numbers = read_csv(data)
    assert columns == rows == [f"{index} {token}" for index, token in enumerate(AWKWARD)]
    assert not any(label.startswith(("=", "+", "-", "@", "\t", "\r")) for label in columns)
    assert '"2 a,b;=c"' in data.decode()  # whatever separates cells in a reader's country, the quotes hold
    np.testing.assert_array_equal(numbers, np.eye(6))


def test_masked_cells_are_minus_infinity(client):
    analysis = upload(client, queries=[[1.0], [2.0]], keys=[[3.0], [4.0]], mask="causal")
    query = {"layer": 0, "head": 0, "stage": "masked_scores"}
    data = export(client, analysis, format="csv", **query).content
    assert data == codecs.BOM_UTF8 + b'"query \\ key","0 0","1 1"\r\n"0 0",3.0,-inf\r\n"1 1",6.0,8.0\r\n'
    found = export(client, analysis, format="json", **query).json()["window"]["matrix"]
    assert found == [[3.0, "-Infinity"], [6.0, 8.0]]


def test_weights_that_the_mask_forbids_are_empty_and_those_that_underflow_are_not(client):
    analysis = upload(client, queries=[[0.0], [900.0]], keys=[[1.0], [-1.0]], mask="causal", scale=1)
    query = {"layer": 0, "head": 0}
    data = export(client, analysis, format="csv", **query).content
    assert data == codecs.BOM_UTF8 + b'"query \\ key","0 0","1 1"\r\n"0 0",1.0,\r\n"1 1",1.0,0.0\r\n'
    part = export(client, analysis, format="json", **query).json()["parts"][0]
    assert part["allowed_keys"] == {"masks": [[[0, 1], [0, 2]]], "of_heads": [[0]]}


def test_npz_has_the_mask_and_can_be_uploaded_with_it(client):
    mask = [[True, False, True], [True, True, False], [False, True, True]]
    analysis = upload(client, queries=[[1.0], [2.0], [0.5]], keys=[[3.0], [4.0], [1.0]], mask=mask)
    found = read_npz(export(client, analysis, format="npz").content)
    np.testing.assert_array_equal(found["mask"], [mask])
    again = client.post("/api/tensors", content=export(client, analysis, format="npz").content).json()
    assert again["parts"][0]["allowed_keys"] == analysis["parts"][0]["allowed_keys"]
    assert analysis["parts"][0]["allowed_keys"]["masks"][0] == [[0, 1, 2, 3], [0, 2], [1, 3]]
    part = read_npz(export(client, analysis, format="npz", rows="1:3", cols="0:2").content)
    np.testing.assert_array_equal(part["mask"], [[[True, True], [False, True]]])


def test_json_is_the_whole_answer_and_the_window(client, analysis):
    response = export(client, analysis, format="json", layer=1, head=2, rows="0:5")
    assert response.headers["content-type"] == "application/json"
    content = response.json()
    chosen = content.pop("window")
    assert content == analysis
    np.testing.assert_array_equal(
        np.float32(chosen.pop("matrix")), window(client, analysis, layer=1, head=2, rows="0:5")
    )
    assert chosen == {
        "part": "encoder", "layer": 1, "head": 2, "stage": "weights", "rows": [0, 5], "cols": [0, 13],
        "shape": [5, 13], "pooled": False, "encoding": "json",
    }  # fmt: skip
    assert export(client, analysis, format="json").json() == {**analysis, "window": None}


def test_npz_holds_every_head_and_everything_else(client, analysis):
    response = export(client, analysis, format="npz")
    assert response.headers["content-type"] == "application/x-npz"
    assert response.headers["content-disposition"].endswith('-encoder-weights.npz"')
    found = read_npz(response.content)
    assert set(found) == {"weights", "tokens", "layers", "heads", "rows", "cols", "overview", "metadata"}
    assert found["weights"].shape == (6, 12, 13, 13)
    assert found["weights"].dtype == np.float32
    for layer, head in ((0, 0), (5, 11), (3, 7)):
        np.testing.assert_array_equal(found["weights"][layer, head], window(client, analysis, layer=layer, head=head))
    assert found["tokens"].tolist() == [token["text"] for token in analysis["tokens"]]
    np.testing.assert_allclose(found["overview"] / 255, found["weights"], atol=0.51 / 255)
    left_out = {
        **analysis,
        "parts": [{key: part[key] for key in part if key != "overview"} for part in analysis["parts"]],
    }
    assert json.loads(str(found["metadata"])) == {key: left_out[key] for key in left_out if key != "overview"}


def test_npz_of_some_heads_says_which(client, analysis):
    query = {"layer": 4, "stage": "scaled_scores", "rows": "2:5", "cols": "0:13"}
    found = read_npz(export(client, analysis, format="npz", **query).content)
    assert found["scaled_scores"].shape == (1, 12, 3, 13)
    assert (found["layers"].tolist(), found["heads"].tolist()) == ([4], list(range(12)))
    assert (found["rows"].tolist(), found["cols"].tolist()) == ([2, 5], [0, 13])
    assert found["tokens"].tolist() == ["cat", "sat", "on"]
    assert len(found["key_tokens"]) == 13
    np.testing.assert_array_equal(found["scaled_scores"][0, 9], window(client, analysis, head=9, **query))


def test_npz_can_be_uploaded_again(client, analysis):
    data = export(client, analysis, format="npz").content
    again = client.post("/api/tensors", content=data).json()
    assert [token["text"] for token in again["tokens"]] == [token["text"] for token in analysis["tokens"]]
    assert again["overview"] == analysis["overview"]
    np.testing.assert_allclose(again["metrics"]["entropy"], analysis["metrics"]["entropy"], rtol=1e-4)
    part = client.post("/api/tensors", content=export(client, analysis, format="npz", rows="2:5").content).json()
    assert (part["parts"][0]["name"], part["parts"][0]["query_tokens"]) == ("cross", 3)


def test_the_same_export_is_the_same_bytes(client, analysis):
    first, second = (export(client, analysis, format="npz", layer=0).content for _ in range(2))
    assert first == second
    response = export(client, analysis, format="csv", layer=0, head=0)
    again = client.get(response.request.url, headers={"If-None-Match": response.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.full
def test_html_holds_every_head_of_a_short_text(client, analysis):
    response = export(client, analysis, format="html", layer=5, head=11, query=8, key=2, lang="ja")
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.headers["content-disposition"].endswith('"all-MiniLM-L6-v2-encoder-layer5-head11-weights.html"')
    assert '<html lang="ja">' in response.text
    found = read_html(response.content)
    answer = with_thumbnails(found["answers"][f"/api/analyses/{analysis['id']}"], windows_in(found))
    assert is_alike(answer, analysis)
    assert found["view"] == {
        "model": MINILM, "text": SENTENCE, "layer": "5", "head": "11", "stage": "weights", "query": "8", "key": "2",
        "numbering": "0", "lang": "ja",
    }  # fmt: skip
    assert read_html(export(client, analysis, format="html", numbering=1).content)["view"]["numbering"] == "1"
    windows = windows_in(found)
    places = [(each["layer"], each["head"], each["stage"]) for each in windows]
    assert len(set(places)) == len(places) == 72 + 5
    for each in windows:
        query = {name: each[name] for name in ("layer", "head", "stage")}
        is_chosen = (each["layer"], each["head"]) == (5, 11)
        digits = 0 if is_chosen else 2.0**-18
        np.testing.assert_allclose(numbers_of(each), window(client, analysis, **query), rtol=digits)


@pytest.mark.full
def test_html_of_an_ordinary_sentence_is_small(shared_client):
    text = "The cat sat on the mat because it was tired, and the dog lay beside it in the sun all day long."
    found = shared_client.post("/api/analyses", json={"model": MINILM, "text": text}).json()
    assert len(found["tokens"]) == 26
    response = export(shared_client, found, format="html")
    assert len(response.content) < 540_000
    assert len(windows_in(read_html(response.content))) == 72 + 5


@pytest.mark.full
def test_html_answers_as_the_api_does(client, analysis):
    found = read_html(export(client, analysis, format="html", layer=5, head=11).content)
    for request, answer in found["answers"].items():
        live = client.get(request).json()
        if "/weights?" in request:
            del live["matrix"], answer["matrix"]  # packed otherwise
        if request == f"/api/analyses/{analysis['id']}":
            answer["overview"] = live["overview"]  # made of the weights
        assert is_alike(answer, live), request


def test_html_holds_the_plane_of_the_chosen_head(client, analysis):
    asked = client.get(f"/api/analyses/{analysis['id']}/query_key_plane?layer=3&head=7").json()
    assert is_alike(plane_in(read_html(export(client, analysis, format="html", layer=3, head=7).content)), asked)
    weights = upload(client, weights=np.eye(2).tolist(), tokens=["a", "b"])
    found = read_html(export(client, weights, format="html").content)
    assert plane_in(found) is None
    assert found["view"]["model"] == weights["id"]


@pytest.mark.full
def test_html_holds_scores_on_random_tokens_where_asked(client, analysis):
    found = read_html(export(client, analysis, format="html", measures="random").content)
    asked = f"/api/head_scores?{urlencode({'model': MINILM})}"
    assert is_alike(found["answers"][asked], client.get(asked).json())
    assert found["view"]["measures"] == "random"
    without = read_html(export(client, analysis, format="html").content)
    assert asked not in without["answers"]
    assert "measures" not in without["view"]


@pytest.mark.full
def test_html_of_a_longer_text_holds_the_chosen_head(client):
    long = client.post("/api/analyses", json={"model": MINILM, "text": "word " * 120}).json()
    found = read_html(export(client, long, format="html", layer=2, head=3, stage="raw_scores", rows="5:9").content)
    windows = windows_in(found)
    assert {(each["layer"], each["head"]) for each in windows} == {(2, 3)}
    stages = [each["stage"] for each in windows]
    assert stages == ["raw_scores", "scaled_scores", "masked_scores", "weights", "value_weighted", "norm_weighted"]
    assert found["view"]["rows"] == "5:9"
    assert "cols" not in found["view"]
    rows = window(client, long, layer=2, head=3, stage="raw_scores", rows="7:8")
    np.testing.assert_allclose(numbers_of(windows[0])[7:8], rows, rtol=1e-5)


@pytest.mark.full
def test_html_of_more_tokens_than_a_side_has_the_window_too(client):
    weights = np.random.default_rng(0).dirichlet(np.ones(2), 1_500)
    analysis = upload(client, weights=weights.tolist(), key_tokens=["a", "b"])
    whole, part = map(
        numbers_of, windows_in(read_html(export(client, analysis, format="html", rows="100:1100").content))
    )
    assert (whole.shape, part.shape) == ((750, 2), (1_000, 2))
    np.testing.assert_array_equal(whole, np.float32(weights).reshape(750, 2, 2).max(axis=1))
    np.testing.assert_array_equal(part, np.float32(weights[100:1100]))


def test_no_token_ends_the_script_it_stands_in(client):
    tokens = ["</script><script>alert(1)</script>", "<!--"]
    analysis = upload(client, weights=np.eye(2).tolist(), tokens=tokens, mask="none")
    page = export(client, analysis, format="html").content
    answer = read_html(page)["answers"][f"/api/analyses/{analysis['id']}"]
    assert [token["text"] for token in answer["tokens"]] == tokens
    assert b"alert(1)</script>" not in page


@pytest.mark.full
def test_the_language_of_a_file_is_that_of_the_request(client, analysis):
    path = f"/api/analyses/{analysis['id']}/export?format=html"
    asked = client.get(path, headers={"Accept-Language": "ja"})
    assert '<html lang="ja">' in asked.text
    assert asked.headers["vary"].startswith("Accept-Language")
    assert '<html lang="en">' in client.get(f"{path}&lang=en", headers={"Accept-Language": "ja"}).text


@pytest.mark.parametrize(
    ("query", "code", "field", "limit"),
    [
        ({"format": "html", "query": 13}, "out_of_range", "query", 12),
        ({"format": "html", "key": 13}, "out_of_range", "key", 12),
        ({"format": "html", "key": -1}, "invalid_request", "key", 0),
        ({"format": "html", "layer": 6}, "out_of_range", "layer", 5),
        ({"format": "html", "numbering": 2}, "invalid_request", "numbering", 1),
        ({}, "invalid_request", "format", None),
        ({"format": "xlsx"}, "invalid_request", "format", None),
        ({"format": "csv"}, "invalid_request", "layer", None),
        ({"format": "csv", "layer": 0}, "invalid_request", "head", None),
        ({"format": "csv", "layer": 6, "head": 0}, "out_of_range", "layer", 5),
        ({"format": "npz", "head": 12}, "out_of_range", "head", 11),
        ({"format": "npz", "head": -1}, "out_of_range", "head", 11),
        ({"format": "npz", "part": "cross"}, "out_of_range", "part", None),
        ({"format": "npz", "stage": "x"}, "invalid_request", "stage", None),
        ({"format": "npz", "rows": "0:14"}, "out_of_range", "rows", 13),
        ({"format": "npz", "cols": "7:7"}, "out_of_range", "cols", 13),
        ({"format": "npz", "cols": "a:7"}, "invalid_request", "cols", None),
    ],
)
def test_what_is_refused(client, assert_error, analysis, query, code, field, limit):
    assert_error(export(client, analysis, **query), 422, code, field, limit)


def test_files_are_bounded(client, assert_error, analysis):
    long = client.post("/api/analyses", json={"model": MINILM, "text": "word " * 120}).json()
    for query, field in (({}, "layer"), ({"layer": 0}, "head"), ({"layer": 0, "head": 0}, "rows")):
        message = assert_error(export(client, long, format="npz", **query), 422, "too_large", field, 13_000)
        assert "OBSERVATORY_MAX_EXPORT_CELLS" in message
    assert_error(export(client, long, format="csv", layer=0, head=0), 422, "too_large", "rows", 13_000)
    assert export(client, long, format="csv", layer=0, head=0, rows="0:100").status_code == 200
    assert_error(export(client, long, format="json", layer=0, head=0), 422, "window_too_large", "rows", 200)
    assert_error(export(client, {"id": "0" * 32}, format="json"), 404, "analysis_expired", "analysis_id")
