"""The running example: every number in its texts is computed here from the model."""

import base64
import math
import re
from typing import Any

import numpy as np
import pytest

from server.pages.pages import TEMPLATES
from server.pages.running_example import (
    CAT,
    DECODER,
    HEAD,
    IT,
    KEY_ANGLES,
    KEY_LENGTHS,
    LAYER,
    MINILM,
    QUERY_ANGLE,
    QUERY_LENGTH,
    RAW_SCORES,
    ROOT,
    SCALED_SCORES,
    SENTENCE,
    STATIONS,
    station_of,
)
from server.pages.site import PAGES

MAT, TOKENS, HEADS, WIDTH = 6, 13, 12, 32


def says(stem: str) -> str:
    station = station_of(stem)
    assert station
    return station.says


@pytest.fixture(scope="module")
def analysis(client) -> dict[str, Any]:
    answer = client.post("/api/analyses", json={"model": MINILM, "text": SENTENCE}).json()
    assert [answer["tokens"][at]["text"] for at in (IT, CAT, MAT)] == ["it", "cat", "mat"]
    assert (len(answer["tokens"]), answer["heads"]) == (TOKENS, HEADS)
    return answer


def matrix_of(client, analysis: dict[str, Any], stage: str, layer: int = LAYER, head: int = HEAD) -> Any:
    query = f"layer={layer}&head={head}&stage={stage}"
    matrix = client.get(f"/api/analyses/{analysis['id']}/weights?{query}").json()["matrix"]
    return np.frombuffer(base64.b64decode(matrix["bdata"]), dtype="<f4").reshape(TOKENS, TOKENS)


def row_of_it(client, analysis: dict[str, Any], stage: str, layer: int = LAYER, head: int = HEAD) -> Any:
    return matrix_of(client, analysis, stage, layer, head)[IT]


def test_nearly_every_word_attends_to_cat_in_this_head(client, analysis) -> None:
    weights = matrix_of(client, analysis, "weights")
    found = [row for row in range(1, TOKENS) if weights[row].argmax() == CAT]
    assert len(found) >= TOKENS - 3
    said = (TEMPLATES / "concepts" / "parity.html").read_text()
    assert f"{weights[3, CAT]:.2f} from “sat” and {weights[MAT, CAT]:.2f} from “mat”" in said
    assert f"its {weights[IT, CAT]:.2f} from “it”" in said
    others = np.mean([weights[row, CAT] for row in range(TOKENS) if row not in (IT, CAT)])
    assert f"the other tokens give “cat” {others:.2f} on average" in says("multi_head")


@pytest.mark.full
def test_it_attends_to_cat_the_most_in_this_head(client, analysis) -> None:
    weights = {
        (layer, head): row_of_it(client, analysis, "weights", layer, head)[CAT]
        for layer in range(analysis["layers"])
        for head in range(HEADS)
    }
    assert max(weights, key=lambda at: weights[at]) == (LAYER, HEAD)
    assert f"{weights[LAYER, 4]:.3f}" in says("multi_head")
    assert f"{weights[LAYER, 9]:.3f}" in says("multi_head")


def test_scores_and_weights(client, analysis) -> None:
    raw, scaled, weights = (row_of_it(client, analysis, stage) for stage in ("raw_scores", "scaled_scores", "weights"))
    assert raw.argmax() == CAT
    for number in (raw[CAT], raw[MAT]):
        assert f"{number:.2f}" in says("circle")
    np.testing.assert_allclose(scaled, raw / math.sqrt(WIDTH), rtol=1e-6)
    for number in (raw[CAT], raw[MAT], scaled[CAT], scaled[MAT]):
        assert f"{number:.2f}" in says("scaling")
    for number in (weights[CAT], weights[MAT]):
        assert f"{number:.3f}" in says("softmax")
    assert f"{weights[CAT] / weights[MAT]:.1f}" in says("softmax")


def test_presets_are_given_the_model_s_scores_lengths_and_angles(client, analysis) -> None:
    raw, scaled = (row_of_it(client, analysis, stage) for stage in ("raw_scores", "scaled_scores"))
    np.testing.assert_allclose(RAW_SCORES, raw, atol=6e-5)
    np.testing.assert_allclose(SCALED_SCORES, scaled, atol=1e-5)
    np.testing.assert_allclose(ROOT, math.sqrt(WIDTH), atol=5e-6)
    for key in range(TOKENS):
        where = f"layer={LAYER}&head={HEAD}&query={IT}&key={key}"
        found = client.get(f"/api/analyses/{analysis['id']}/vectors?{where}").json()
        q, k = np.array(found["query_token"]["query"]), np.array(found["key_token"]["key"])
        np.testing.assert_allclose((QUERY_LENGTH, KEY_LENGTHS[key]), (np.linalg.norm(q), np.linalg.norm(k)), atol=6e-6)
        cosine = math.cos(math.radians(KEY_ANGLES[key] - QUERY_ANGLE))
        np.testing.assert_allclose(cosine, q @ k / np.linalg.norm(q) / np.linalg.norm(k), atol=2e-5)


def test_vectors(client, analysis) -> None:
    assert str(analysis["tokens"][IT]["id"]) in says("embedding")
    found = client.get(f"/api/analyses/{analysis['id']}/vectors?layer={LAYER}&head={HEAD}&query={IT}&key={CAT}").json()
    assert len(found["query_token"]["query"]) == len(found["key_token"]["key"]) == WIDTH
    block = client.post("/api/block", json={"model": MINILM, "text": SENTENCE, "layer": LAYER, "token": IT}).json()
    assert len(block["stations"][0]["vector"]) == HEADS * WIDTH == 384


@pytest.mark.full
def test_the_prediction(client) -> None:
    text = "The cat sat on the mat because it was"
    [prediction] = client.post("/api/analyses", json={"model": DECODER, "text": text}).json()["predictions"]
    first = prediction["candidates"][0]
    assert f"“{first['text']}”" in says("decoder")
    assert f"{first['probability']:.3f}" in says("decoder")


@pytest.mark.parametrize("station", STATIONS, ids=lambda station: station.stem)
def test_each_station_stands_on_its_page_and_leads_to_one_that_opens(client, station) -> None:
    assert station.stem in {page.stem for page in PAGES}
    html = client.get(f"/{station.stem}").text
    assert re.findall(r'<a href="[^"]*" aria-current="step"><span>(.*?)</span>', html) == [station.name]
    assert client.get(station.address).status_code == 200
