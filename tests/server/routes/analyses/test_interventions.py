"""What-if over HTTP: against eager attention with the same change, and everything that is refused."""

import base64
import json
from typing import Any

import numpy as np
import pytest
import torch
from starlette.testclient import TestClient
from transformers import AutoModel, AutoTokenizer

from attention_core.pretrained.models.sources import package_folders

SENTENCE = "The cat sat on the mat because it was tired."
MINILM = "sentence-transformers/all-MiniLM-L6-v2"
OFF = {"kind": "head_off", "layer": 0, "heads": [3]}


@pytest.fixture(scope="module")
def plain(client: TestClient) -> dict[str, Any]:
    return post(client).json()


def post(client: TestClient, *interventions: dict[str, Any], **request: Any):
    body = {"model": MINILM, "text": SENTENCE, "interventions": list(interventions), **request}
    return client.post("/api/analyses", json=body)


def window(client: TestClient, analysis: dict[str, Any], **query: Any) -> np.ndarray:
    matrix = client.get(f"/api/analyses/{analysis['id']}/weights", params=query).json()["matrix"]
    shape = tuple(int(size) for size in matrix["shape"].split(","))
    return np.frombuffer(base64.b64decode(matrix["bdata"]), "<" + matrix["dtype"]).reshape(shape)


@pytest.mark.full
def test_heads_off_are_those_of_eager_attention(client):
    """Layers 0 and 2 without heads: their slices are 0 before the output projection."""
    changed = post(client, {**OFF, "heads": [3, 7]}, {**OFF, "layer": 2, "heads": "all"}).json()
    folder = next(place.folder for place in package_folders() if place.id == MINILM)
    model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    for layer, heads in ((0, [3, 7]), (2, range(12))):
        for head in heads:
            columns = slice(head * 32, head * 32 + 32)
            model.encoder.layer[layer].attention.output.dense.weight.data[:, columns] = 0
    inputs = AutoTokenizer.from_pretrained(folder)(SENTENCE, return_tensors="pt")
    with torch.inference_mode():
        attentions = model(**inputs, output_attentions=True).attentions
    for layer, weights in enumerate(attentions):
        for head in range(12):
            got = window(client, changed, layer=layer, head=head)
            np.testing.assert_allclose(got, weights[0, head].numpy(), rtol=0, atol=1e-5)


def test_the_answer_says_what_was_changed(client, plain):
    asked = [
        OFF,
        {"kind": "cut_edges", "layer": 1, "heads": [0], "edges": [[8, 2], [None, 0]]},
        {"kind": "replace_row", "layer": "all", "heads": [1], "query": 8, "weights": [0, 0, 1, 3, *[0] * 9]},
        {"kind": "temperature", "part": "encoder", "layer": 2, "heads": [4, 5], "temperature": 2},
        {"kind": "pattern", "layer": 3, "heads": "all", "pattern": "causal"},
    ]
    answer = post(client, *asked).json()
    filled = [{"part": None, **each} for each in asked]
    filled[0]["mode"], filled[1]["renormalise"], filled[2]["normalise"] = "zero", True, True
    assert answer["interventions"] == filled
    assert client.get(f"/api/analyses/{answer['id']}").json() == answer
    assert plain["interventions"] == []
    assert window(client, answer, layer=4, head=1, rows="8:9")[0, :5].tolist() == pytest.approx([0, 0, 0.25, 0.75, 0])
    assert not window(client, answer, layer=1, head=0)[:, 0].any()
    assert np.array_equal(np.triu(window(client, answer, layer=3, head=6), 1), np.zeros((13, 13)))


def test_every_change_is_part_of_the_id(client, plain):
    others = [
        post(client, OFF),
        post(client, {**OFF, "mode": "mean"}),
        post(client, {**OFF, "layer": 1}),
        post(client, OFF, {**OFF, "layer": 1}),
    ]
    assert len({plain["id"], *(other.json()["id"] for other in others)}) == 5
    assert post(client, dict(reversed(OFF.items()))).json()["id"] == others[0].json()["id"]
    assert client.post("/api/analyses", json={"model": MINILM, "text": SENTENCE}).json()["id"] == plain["id"]


ROW = {"kind": "replace_row", "layer": 0, "heads": "all", "query": 1, "weights": [1.0] * 13}
CUT = {"kind": "cut_edges", "layer": 0, "heads": "all", "edges": [[0, 1]]}
WARM = {"kind": "temperature", "layer": 0, "heads": "all", "temperature": 2.0}
PATTERN = {"kind": "pattern", "layer": 0, "heads": "all", "pattern": "uniform"}


@pytest.mark.parametrize(
    ("interventions", "code", "field", "limit"),
    [
        ([{**OFF, "layer": 6}], "out_of_range", "0.layer", 5),
        ([{**OFF, "layer": -1}], "invalid_request", "0.layer", 0),
        ([{**OFF, "layer": "some"}], "invalid_request", "0.layer", None),
        ([{**OFF, "layer": True}], "invalid_request", "0.layer", None),
        ([{**OFF, "heads": [12]}], "out_of_range", "0.heads", 11),
        ([{**OFF, "heads": []}], "invalid_request", "0.heads", 1),
        ([{**OFF, "heads": [1, 1]}], "invalid_value", "0.heads", None),
        ([{**OFF, "heads": 3}], "invalid_request", "0.heads", None),
        ([{**OFF, "heads": list(range(1025))}], "too_large", "0.heads", 1024),
        ([{**OFF, "part": "cross"}], "out_of_range", "0.part", None),
        ([{**OFF, "mode": "half"}], "invalid_request", "0.mode", None),
        ([{**OFF, "moda": "zero"}], "invalid_request", "0.moda", None),
        ([{"kind": "head_off", "layer": 0}], "invalid_request", "0.heads", None),
        ([OFF, {**OFF, "kind": "head_on"}], "invalid_request", "1", None),
        ([{"layer": 0, "heads": [0]}], "invalid_request", "0", None),
        ([3], "invalid_request", "0", None),
        ([OFF, {**OFF, "heads": "all", "mode": "mean"}], "intervention_invalid", "1", None),
        ([PATTERN, {**PATTERN, "pattern": "previous_token"}], "intervention_invalid", "1", None),
        ([{**OFF, "heads": [i % 12], "layer": i // 12} for i in range(65)], "too_large", "", 64),
        ([{**ROW, "weights": [1.0] * 12}], "intervention_invalid", "0.weights", 13),
        ([{**ROW, "weights": [0.0] * 13}], "invalid_value", "0.weights", None),
        ([{**ROW, "weights": [-1.0] * 13}], "invalid_request", "0.weights.0", 0),
        ([{**ROW, "weights": ["1"] * 13}], "invalid_request", "0.weights.0", None),
        ([{**ROW, "weights": [1.0] * 16385}], "too_large", "0.weights", 16384),
        ([{**ROW, "normalise": False}], "invalid_value", "0.weights", None),
        ([{**ROW, "query": 13}], "out_of_range", "0.query", 12),
        ([{**CUT, "edges": [[0, 13]]}], "out_of_range", "0.edges", 12),
        ([{**CUT, "edges": [[0]]}], "invalid_request", "0.edges.0", 2),
        ([{**CUT, "edges": [[0, -1]]}], "invalid_request", "0.edges.0.1", 0),
        ([{**CUT, "edges": [[None, None]]}], "invalid_value", "0.edges", None),
        ([{**CUT, "edges": []}], "invalid_request", "0.edges", 1),
        ([{**CUT, "edges": [[0, 1]] * 4097}], "too_large", "0.edges", 4096),
        ([{**WARM, "temperature": 0}], "invalid_request", "0.temperature", 1e-6),
        ([{**WARM, "temperature": -1.0}], "invalid_request", "0.temperature", 1e-6),
        ([{**WARM, "temperature": 1e7}], "invalid_request", "0.temperature", 1e6),
        ([{**WARM, "temperature": "2"}], "invalid_request", "0.temperature", None),
        ([{key: WARM[key] for key in ("kind", "layer", "heads")}], "invalid_request", "0.temperature", None),
        ([{**PATTERN, "pattern": "next_token"}], "invalid_request", "0.pattern", None),
    ],
)
def test_what_is_refused(client, assert_error, interventions, code, field, limit):
    response = post(client, *interventions)
    assert_error(response, 422, code, f"interventions.{field}".rstrip("."), limit)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_are_none(client, assert_error, number):
    for field, spelled in (("temperature", number), ("weights.0", f"[{number}]")):
        wanted = {"temperature": WARM, "weights.0": ROW}[field]
        body = json.dumps({"model": MINILM, "text": SENTENCE, "interventions": [{**wanted, field.split(".")[0]: 0}]})
        body = body.replace(f'"{field.split(".")[0]}": 0', f'"{field.split(".")[0]}": {spelled}')
        response = client.post("/api/analyses", content=body, headers={"content-type": "application/json"})
        assert response.json()["error"]["code"] == "invalid_request"
        assert_error(response, 422, "invalid_request", f"interventions.0.{field}", response.json()["error"]["limit"])


def test_parity_cannot_be_asked_for(client, assert_error):
    assert_error(post(client, OFF, parity=True), 422, "intervention_invalid", "parity")
