"""Reach over HTTP: maps by layer, leaks and refusals."""

import base64
from pathlib import Path

import numpy as np
import pytest
from starlette.testclient import TestClient

from attention_core.pretrained.studies.reach_patches import MAX_PATCHES
from attention_core.pretrained.studies.text_reach import MAX_TOKENS

ROOT = Path(__file__).parents[4]
DECODER, ENCODER = "observatory-gpt2-mini", "sentence-transformers/all-MiniLM-L6-v2"
TEXT = "The cat sat on the mat."


def post(client: TestClient, model: str, text: str = TEXT, **given: object) -> str:
    asked = {"model": model, "text": text, **given}
    return f"/api/analyses/{client.post('/api/analyses', json=asked).json()['id']}/reach"


def maps(answer: dict[str, dict[str, str]]) -> dict[str, np.ndarray]:
    types = {"f4": "<f4", "u1": "u1"}
    return {
        name: np.frombuffer(base64.b64decode(answer[name]["bdata"]), types[answer[name]["dtype"]]).reshape(
            [int(size) for size in answer[name]["shape"].split(",")]
        )
        for name in ("change", "weights", "may")
    }


def test_reach_of_a_decoder_is_its_mask(client: TestClient) -> None:
    answer = client.get(post(client, DECODER)).json()
    found = maps(answer)
    count = answer["shape"][1]
    expected = np.broadcast_to(np.tri(count, dtype=bool), answer["shape"])
    for each in found.values():
        np.testing.assert_array_equal(each > 0, expected)
    told = {name: answer[name] for name in ("part", "exact", "leaks", "unused", "attention")}
    assert told == {"part": "decoder", "exact": True, "leaks": [], "unused": [], "attention": "library"}


@pytest.mark.full
def test_a_cut_edge_reaches_by_another_way_a_layer_later(client: TestClient) -> None:
    cut = {"kind": "cut_edges", "layer": "all", "heads": "all", "edges": [[5, 1]]}
    found = maps(answer := client.get(post(client, DECODER, interventions=[cut])).json())
    assert [bool(each[5, 1]) for each in found["change"]] == [False, *[True] * 5]
    assert [bool(each[5, 1]) for each in found["may"]] == [False, *[True] * 5]
    assert not found["weights"][:, 5, 1].any()
    assert (answer["attention"], answer["leaks"]) == ("ours", [])


def test_plain_numbers(client: TestClient) -> None:
    path = post(client, ENCODER, "Hi.")
    answer = client.get(f"{path}?encoding=json").json()
    assert np.shape(answer["may"]) == np.shape(answer["change"]) == tuple(answer["shape"]) == (6, 4, 4)
    assert np.all(answer["may"])
    np.testing.assert_allclose(answer["change"], maps(client.get(path).json())["change"])


def test_the_page_knows_the_longest_text() -> None:
    script = (ROOT / "static/js/api/reach.js").read_text(encoding="utf-8")
    assert f"MOST_TOKENS = {MAX_TOKENS};" in script
    assert f"MOST_PATCHES = {MAX_PATCHES};" in script


def test_a_long_text_and_an_unknown_part_are_refused(client: TestClient) -> None:
    answer = client.get(post(client, DECODER, "word " * 100))
    assert answer.status_code == 422
    assert answer.json()["error"]["limit"] == 96
    answer = client.get(f"{post(client, DECODER)}?part=cross")
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, "part")


def test_progress_computes_nothing(client: TestClient) -> None:
    path = post(client, DECODER, "A cat nobody asked about.")
    assert client.get(f"{path}/progress").json() == {"done": 0, "total": None}
    assert client.get(f"{path}/progress?part=cross").json()["error"]["field"] == "part"


@pytest.mark.full
def test_packed_padded_and_cached_texts(client: TestClient) -> None:
    path = post(client, DECODER)
    packed = client.get(f"{path}?case=packed&start=3").json()
    found = maps(packed)["change"]
    size = len(found[0]) - 3
    assert not found[:, 3:, :3].any()
    assert (found[-1] > 0).sum() == 3 * 4 // 2 + size * (size + 1) // 2
    assert (packed["case"], packed["start"], packed["leaks"], packed["deviation"]) == ("packed", 3, [], None)
    padded = client.get(f"{path}?case=padded").json()
    assert (padded["start"], maps(padded)["change"][:, :, : padded["start"]].any()) == (min(4, (size + 3) // 2), False)
    cached = client.get(f"{path}?case=cached").json()
    np.testing.assert_array_equal(maps(cached)["change"] > 0, maps(client.get(path).json())["change"] > 0)


@pytest.mark.parametrize(
    ("model", "asked", "field", "said"),
    [
        (ENCODER, "case=packed", "case", "packed documents need a causal model"),
        (DECODER, "start=2", "start", "not of plain"),
        (DECODER, "case=packed&start=95", "start", "must be from 1 to"),
        (DECODER, "case=packed&start=96", "start", "96"),
        (DECODER, "case=shuffled", "case", ""),
    ],
)
def test_cases_that_there_are_not_are_refused(
    client: TestClient, model: str, asked: str, field: str, said: str
) -> None:
    answer = client.get(f"{post(client, model)}?{asked}")
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, field)
    assert said in answer.json()["error"]["message"]
