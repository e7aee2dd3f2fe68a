"""Texts through the real MiniLM over HTTP, held against the library's own eager attention."""

import base64
import json
from collections.abc import Iterator
from typing import Any, get_args

import numpy as np
import pytest
import torch
from starlette.testclient import TestClient
from tiny_models import write_model_folder
from transformers import AutoModel, AutoTokenizer

from attention_core.pretrained.models.sources import package_folders
from attention_core.pretrained.recording.metrics import METRICS
from attention_core.pretrained.recording.windows import STAGES
from server.app import create_app
from server.routes.analyses.analyses import Stage
from server.settings import Settings

SENTENCE = "The cat sat on the mat because it was tired."
MINILM = "sentence-transformers/all-MiniLM-L6-v2"


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    settings = Settings(device="cpu", hub_models=(), preload=False, max_characters=20_000, max_window_cells=600 * 600)
    with TestClient(create_app(settings)) as client:
        yield client


@pytest.fixture(scope="module")
def analysis(client: TestClient) -> dict[str, Any]:
    return post(client, text=SENTENCE).json()


def post(client: TestClient, **request: Any):
    return client.post("/api/analyses", json={"model": MINILM, **request})


def window(client: TestClient, analysis: dict[str, Any], **query: Any) -> np.ndarray:
    response = client.get(f"/api/analyses/{analysis['id']}/weights", params=query)
    assert response.status_code == 200, response.text
    return decode(response.json()["matrix"])


def decode(encoded: dict[str, str]) -> np.ndarray:
    shape = tuple(int(size) for size in encoded["shape"].split(","))
    return np.frombuffer(base64.b64decode(encoded["bdata"]), "<" + encoded["dtype"]).reshape(shape)


def eager_weights(text: str) -> list[torch.Tensor]:
    folder = next(place.folder for place in package_folders() if place.id == MINILM)
    model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    inputs = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
    with torch.inference_mode():
        return [layer[0] for layer in model(**inputs, output_attentions=True).attentions]


@pytest.mark.full
@pytest.mark.parametrize("length", [13, 128, 512])
def test_weights_are_those_of_eager_attention(client, length):
    text = SENTENCE if length == 13 else " ".join((SENTENCE[:-1].split() * 60)[: length - 2])
    analysis = post(client, text=text).json()
    assert len(analysis["tokens"]) == length
    expected = eager_weights(text)
    assert (analysis["layers"], analysis["heads"]) == (len(expected), expected[0].shape[0]) == (6, 12)
    for layer, weights in enumerate(expected):
        for head in range(12):
            got = window(client, analysis, layer=layer, head=head)
            np.testing.assert_allclose(got, weights[head].numpy(), rtol=0, atol=1e-5)


def test_it_reads_cat(client, analysis):
    words = [token["text"] for token in analysis["tokens"]]
    weights = window(client, analysis, layer=5, head=11)
    assert round(float(weights[words.index("it"), words.index("cat")]), 2) == 0.71
    previous = np.array(analysis["metrics"]["previous_token"])
    assert np.unravel_index(previous.argmax(), previous.shape) == (0, 2)


def test_an_analysis_whole(client, analysis):
    assert analysis["tokens"][1] == {
        "index": 1, "id": 1996, "text": "the", "token": "the", "start": 0, "end": 3, "special": False, "segment": 0,
        "word": 0,
    }  # fmt: skip
    assert analysis["model"]["id"] == MINILM
    assert analysis["target_tokens"] is None
    assert (analysis["kv_heads"], analysis["causal"]) == (12, False)
    assert decode(analysis["parts"][0]["key_totals"]).shape == (6, 12, 2, 13)
    assert analysis["parts"] == [
        {
            "key_totals": analysis["parts"][0]["key_totals"],
            "name": "encoder", "layers": 6, "heads": 12, "kv_heads": 12, "causal": False, "query_side": "source",
            "key_side": "source", "query_tokens": 13, "key_tokens": 13, "stages": list(STAGES), "overview": None,
            "metrics": None, "score_cap": None, "sink_shares": None, "allowed_keys": None, "induction_cells": [[5, 2]],
        }
    ]  # fmt: skip
    assert (analysis["device"], analysis["dtype"], analysis["parity"]) == ("cpu", "float32", None)
    assert analysis["warnings"] == []
    assert set(analysis["timings_ms"]) == {"tokenize", "forward", "overview", "metrics"}
    assert list(analysis["metric_info"]) == list(METRICS) == list(analysis["metrics"])
    assert set(analysis["metric_info"]["entropy"]) == {"title", "definition", "source", "unit"}
    for values in analysis["metrics"].values():
        assert np.array(values).shape == (6, 12)


def test_the_overview_is_the_weights_themselves_when_they_are_few(client, analysis):
    overview = decode(analysis["overview"])
    assert overview.shape == (6, 12, 13, 13)
    weights = window(client, analysis, layer=3, head=7)
    np.testing.assert_allclose(overview[3, 7] / 255, weights, atol=0.51 / 255)


def test_stages_follow_from_each_other(client, analysis):
    assert get_args(Stage) == STAGES
    place = {"layer": 2, "head": 5}
    raw = window(client, analysis, **place, stage="raw_scores")
    scaled = window(client, analysis, **place, stage="scaled_scores")
    masked = window(client, analysis, **place, stage="masked_scores")
    np.testing.assert_allclose(scaled, raw / np.sqrt(32), rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(masked, scaled)
    exponents = np.exp(masked.astype(np.float64))
    np.testing.assert_allclose(
        window(client, analysis, **place), exponents / exponents.sum(axis=1, keepdims=True), atol=1e-5
    )
    assert window(client, analysis, **place, stage="value_weighted").shape == (13, 13)


def test_a_window_is_a_part_of_the_whole_and_says_what_it_is(client, analysis):
    whole = window(client, analysis, layer=1, head=2)
    response = client.get(
        f"/api/analyses/{analysis['id']}/weights?layer=1&head=2&rows=3:8&cols=0:2&part=encoder&encoding=json"
    )
    answer = response.json()
    np.testing.assert_allclose(np.array(answer.pop("matrix")), whole[3:8, 0:2], rtol=0, atol=1e-7)
    assert answer == {
        "part": "encoder", "layer": 1, "head": 2, "stage": "weights", "rows": [3, 8], "cols": [0, 2],
        "shape": [5, 2], "pooled": False, "encoding": "json",
    }  # fmt: skip


@pytest.mark.parametrize(("pooling", "pool"), [("max", np.max), ("mean", np.mean)])
def test_a_pooled_window_is_the_pooled_whole(client, analysis, pooling, pool):
    whole = window(client, analysis, layer=4, head=1)
    response = client.get(f"/api/analyses/{analysis['id']}/weights?layer=4&head=1&max_size=5&pooling={pooling}").json()
    assert (response["pooled"], response["shape"], response["rows"]) == (True, [5, 5], [0, 13])
    expected = [[pool(whole[i : i + 3, j : j + 3]) for j in range(0, 13, 3)] for i in range(0, 13, 3)]
    np.testing.assert_allclose(decode(response["matrix"]), expected, atol=1e-6)


def test_a_distribution_is_that_of_the_weights(client, analysis):
    weights = window(client, analysis, layer=5, head=11).astype(np.float64)
    got = client.get(f"/api/analyses/{analysis['id']}/distribution?layer=5&head=11&bins=8").json()
    counts, edges = np.histogram(weights, bins=8)
    np.testing.assert_allclose(got["edges"], edges, atol=1e-6)
    assert got["counts"] == counts.tolist()
    assert got["masked"] == 0
    expected = [weights.mean(), weights.std(), weights.min(), weights.max()]
    found = [got["mean"], got["standard_deviation"], got["minimum"], got["maximum"]]
    np.testing.assert_allclose(found, expected, atol=1e-6)
    np.testing.assert_allclose(got["row_entropy"], -(weights * np.log(weights)).sum(axis=1), atol=1e-5)


def test_the_same_request_has_the_same_id_and_another_another(client, analysis):
    assert post(client, text=SENTENCE, text_pair=None).json()["id"] == analysis["id"]
    others = [post(client, text=SENTENCE + " "), post(client, text=SENTENCE, text_pair="Yes."), post(client, text="a")]
    assert len({analysis["id"], *(other.json()["id"] for other in others)}) == 4
    assert others[1].json()["tokens"][-2]["segment"] == 1


def test_an_analysis_can_be_had_again_and_is_not_sent_twice(client, analysis):
    path = f"/api/analyses/{analysis['id']}"
    response = client.get(path)
    assert response.json() == analysis
    assert response.headers["cache-control"] == "private, max-age=3600"
    for url in (path, f"{path}/weights?layer=0&head=0", f"{path}/distribution?layer=0&head=0"):
        again = client.get(url, headers={"If-None-Match": response.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == response.headers["etag"]


def test_parity_is_measured_on_request(client):
    parity = post(client, text=SENTENCE, parity=True).json()["parity"]
    assert parity["bound"] == 1e-5
    assert 0 <= parity["weights"] < 1e-5
    assert 0 <= parity["last_hidden_state"] < 1e-5


@pytest.mark.parametrize(
    "text", ["猫がマットの上に座った。", "جلست القطة على السجادة", "👩‍👩‍👧‍👦 e\u0301", "\x00a\t\n", "a"]
)
def test_text_of_any_script(client, text):
    analysis = post(client, text=text).json()
    for token in analysis["tokens"]:
        assert (token["start"] is None) == token["special"]
        if not token["special"]:
            assert 0 <= token["start"] < token["end"] <= len(text)


@pytest.mark.parametrize(
    ("request_", "status", "code", "field", "limit"),
    [
        ({"model": "no-such-model"}, 404, "unknown_model", "model", None),
        ({"model": "../../etc"}, 404, "unknown_model", "model", None),
        ({"model": "openai-community/gpt2"}, 404, "unknown_model", "model", None),  # not on this server's list
        ({"model": ""}, 422, "invalid_request", "model", 1),
        ({"model": "m" * 201}, 422, "invalid_request", "model", 200),
        ({"text": ""}, 422, "text_empty", "text", None),
        ({"text": "  \n"}, 422, "text_empty", "text", None),
        ({"text": SENTENCE, "text_pair": ""}, 422, "text_empty", "text_pair", None),
        ({"text": "word " * 511}, 422, "text_too_long", "text", 512),
        ({"text": "word " * 5000}, 422, "text_too_long", "text", 20_000),
        ({"text": "a", "text_pair": "x" * 20_001}, 422, "text_too_long", "text_pair", 20_000),
        ({"text": 3}, 422, "invalid_request", "text", None),
        ({"text": None}, 422, "invalid_request", "text", None),
        ({"parity": "yes"}, 422, "invalid_request", "parity", None),
        ({"interventionz": []}, 422, "invalid_request", "interventionz", None),
    ],
)
def test_what_is_refused(client, assert_error, request_, status, code, field, limit):
    response = client.post("/api/analyses", json={"model": MINILM, "text": SENTENCE, **request_})
    assert_error(response, status, code, field, limit)


@pytest.mark.parametrize("field", ["model", "text", "text_pair", "target_text"])
def test_half_a_surrogate_pair_is_refused(client, assert_error, field):
    body = json.dumps({"model": "a", "text": "a", field: "x\ud800"})
    assert r"\ud800" in body
    response = client.post("/api/analyses", content=body, headers={"content-type": "application/json"})
    assert_error(response, 422, "text_invalid", field)


@pytest.mark.parametrize(
    ("query", "code", "field", "limit"),
    [
        ("", "invalid_request", "layer", None),
        ("layer=0", "invalid_request", "head", None),
        ("layer=6&head=0", "out_of_range", "layer", 5),
        ("layer=-1&head=0", "out_of_range", "layer", 5),
        ("layer=0&head=12", "out_of_range", "head", 11),
        ("layer=0&head=" + "9" * 5000, "invalid_request", "head", None),
        ("layer=x&head=0", "invalid_request", "layer", None),
        ("layer=0&head=0&part=decoder", "out_of_range", "part", None),
        ("layer=0&head=0&part=x", "invalid_request", "part", None),
        ("layer=0&head=0&stage=x", "invalid_request", "stage", None),
        ("layer=0&head=0&rows=0:14", "out_of_range", "rows", 13),
        ("layer=0&head=0&rows=5:5", "out_of_range", "rows", 13),
        ("layer=0&head=0&cols=7:3", "out_of_range", "cols", 13),
        ("layer=0&head=0&cols=-1:3", "invalid_request", "cols", None),
        ("layer=0&head=0&cols=1", "invalid_request", "cols", None),
        ("layer=0&head=0&max_size=0", "invalid_request", "max_size", 1),
        ("layer=0&head=0&pooling=sum", "invalid_request", "pooling", None),
        ("layer=0&head=0&encoding=xml", "invalid_request", "encoding", None),
    ],
)
def test_windows_that_are_refused(client, assert_error, analysis, query, code, field, limit):
    response = client.get(f"/api/analyses/{analysis['id']}/weights?{query}")
    assert_error(response, 422, code, field, limit)


@pytest.mark.parametrize(
    ("query", "code", "field", "limit"),
    [
        ("layer=6&head=0", "out_of_range", "layer", 5),
        ("layer=0&head=0&bins=0", "invalid_request", "bins", 1),
        ("layer=0&head=0&bins=513", "invalid_request", "bins", 512),
    ],
)
def test_distributions_that_are_refused(client, assert_error, analysis, query, code, field, limit):
    response = client.get(f"/api/analyses/{analysis['id']}/distribution?{query}")
    assert_error(response, 422, code, field, limit)


@pytest.mark.parametrize("look", ["", "/weights?layer=0&head=0", "/distribution?layer=0&head=0"])
def test_what_is_not_kept_must_be_posted_anew(client, assert_error, look):
    assert_error(client.get(f"/api/analyses/{'0' * 32}{look}"), 404, "analysis_expired", "analysis_id")


@pytest.mark.full
def test_the_operator_s_limits_hold(assert_error):
    settings = Settings(device="cpu", hub_models=(), preload=False, max_tokens=20, max_window_cells=100, cache_bytes=0)
    with TestClient(create_app(settings)) as client:
        assert_error(post(client, text="word " * 19), 422, "text_too_long", "text", 20)
        analysis = post(client, text=SENTENCE).json()  # too large to hold, yet answered
        assert len(analysis["tokens"]) == 13
        assert client.get(f"/api/analyses/{analysis['id']}").status_code == 200, "it is computed again"
    settings = Settings(device="cpu", hub_models=(), preload=False, max_window_cells=100)
    with TestClient(create_app(settings)) as client:
        path = f"/api/analyses/{post(client, text=SENTENCE).json()['id']}/weights?layer=0&head=0"
        assert_error(client.get(path), 422, "window_too_large", "rows", 100)
        assert client.get(f"{path}&max_size=10").status_code == 200
        assert client.get(f"{path}&rows=0:10&cols=3:13").status_code == 200


@pytest.mark.full
def test_a_chat_message_is_an_analysis_of_its_own(tmp_path, assert_error):
    folder = write_model_folder(tmp_path, "tiny-llama")
    template = "{% for each in messages %}<s>{{ each.role }}: {{ each.content }}</s>{% endfor %}"
    (folder / "chat_template.jinja").write_text(template)
    settings = Settings(models_dir=tmp_path, device="cpu", hub_models=(), preload=False)
    with TestClient(create_app(settings)) as client:
        listed = {each["id"]: each for each in client.get("/api/models").json()["models"]}
        assert listed["tiny-llama"]["has_chat_template"]
        asked = {"model": "tiny-llama", "text": "The cat sat."}
        plain, chat, told = (
            client.post("/api/analyses", json=asked | more).json()
            for more in ({}, {"chat": True}, {"chat": True, "system_text": "A cat."})
        )
        assert len({plain["id"], chat["id"], told["id"]}) == 3
        assert len(plain["tokens"]) < len(chat["tokens"]) < len(told["tokens"])
        again = client.get(f"/api/analyses/{chat['id']}/logit_lens", params={"position": len(chat["tokens"]) - 1})
        assert again.status_code == 200, "what runs the model again runs it on the same tokens"
        refused = client.post("/api/analyses", json={"model": without_template(listed), "text": "a", "chat": True})
        assert_error(refused, 422, "chat_invalid", "chat")


def without_template(listed):
    return next(each for each in listed if not listed[each]["has_chat_template"])
