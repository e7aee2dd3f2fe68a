"""The running example: every number in its texts is computed here from the model."""

import base64
import json
import math
import re
from typing import Any

import numpy as np
import pytest
import torch

from attention_core.alibi import alibi_bias
from attention_core.attend import softmax
from attention_core.masks import sliding_window_mask
from attention_core.pretrained.models.sources import package_folders
from attention_core.reach.allowed import reachable
from attention_core.sinusoidal import encode
from server.pages.course import STEMS
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
from server.pages.thread import thread_of

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
    first = station_of(station.stem)
    assert first
    assert re.findall(r'<a href="[^"]*" aria-current="step"><span>(.*?)</span>', html) == [first.name]
    assert client.get(station.address).status_code == 200


def brief_of(stem: str) -> str:
    found = thread_of(stem)
    assert found
    return found.brief


def thread(stem: str) -> str:
    found = thread_of(stem)
    assert found
    return found.says


def test_every_page_of_the_course_has_its_place_on_the_way(client) -> None:
    for stem in STEMS:
        found = thread_of(stem)
        assert found, stem
        assert found.station in STATIONS
        html = client.get(f"/{stem}").text
        assert re.findall(r'aria-current="step"><span>(.*?)</span>', html) == [found.station.name]
        assert html.count('class="example-says"') == 1
    lessons = client.get("/lessons").text
    sections = lessons.split('<section class="lesson"')[1:]
    assert [section.count('aria-current="step"') for section in sections] == [1] * len(sections)
    assert thread_of("atlas") is None


NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def test_the_line_in_a_page_s_head_has_every_stage_and_a_number_of_its_sentence(client) -> None:
    """The sentences' numbers are computed below; the brief ones must be among them."""
    briefs = [(one.brief, one.says) for one in STATIONS]
    for brief, whole in briefs + [(one.brief, one.says) for one in map(thread_of, STEMS) if one]:
        found = set(NUMBER.findall(brief))
        assert found, brief
        assert found <= set(NUMBER.findall(whole)), brief
    for stem in STEMS:
        head, _, rest = client.get(f"/{stem}").text.partition('id="presets"')
        line = head.split('<nav class="thread"')[1].split("</nav>")[0]
        assert re.findall(r'<a href="[^#]*?"[^>]*><span>(.*?)</span>', line) == [station.name for station in STATIONS]
        assert line.count('href="#example"') == 1
        assert 'id="example"' in rest


def test_pages_in_frames_and_outside_the_course_have_no_such_line(client) -> None:
    for path in ("/embed/circle", "/atlas", "/lessons"):
        assert 'class="thread"' not in client.get(path).text


def test_weights_on_the_way() -> None:
    scores = torch.tensor(SCALED_SCORES)
    weights, causal = softmax(scores), softmax(scores[: IT + 1])
    assert f"gives “cat” {weights[CAT]:.3f}" in thread("masks")
    assert f"“cat” would get {causal[CAT]:.3f}" in thread("masks")
    assert f"only the {len(causal)} up to" in thread("masks")
    window = reachable([sliding_window_mask(TOKENS, TOKENS, 3)] * 4)[:, IT, CAT]
    assert f"after {window.tolist().index(True) + 1} layers" in brief_of("reach")
    assert f"“cat” is {IT - CAT} places before" in thread("reach")
    [summed] = [station.says for station in STATIONS if station.name == "Sum of values"]
    assert f"make {weights[[0, CAT, MAT]].sum():.3f} of it" in summed
    assert weights.topk(3).indices.tolist() == [CAT, MAT, 0]
    for stem in ("training", "parity", "claims", "head_roles"):
        assert f"{weights[CAT]:.3f}" in thread(stem)
    assert f"1/13 = {softmax(torch.zeros(TOKENS))[0]:.3f}" in thread("training")
    for at in (CAT, MAT):
        assert f"e^({scores[at]:.3f}) = {math.exp(scores[at]):.1f}" in thread("kernel")


def test_angles_and_positions_on_the_way() -> None:
    assert "“cat” is number 2 and “it” number 8" in thread("why")
    assert (CAT, IT) == (2, 8)
    cosines = {at: math.cos(math.radians(KEY_ANGLES[at] - QUERY_ANGLE)) for at in (CAT, MAT)}
    assert all(f"{cosine:.3f}" in thread("qk_norm") for cosine in cosines.values())
    product = f"{QUERY_LENGTH:.2f} · {KEY_LENGTHS[CAT]:.2f} · cos {KEY_ANGLES[CAT] - QUERY_ANGLE:.1f}°"
    assert f"{product} = {QUERY_LENGTH * KEY_LENGTHS[CAT] * cosines[CAT]:.2f}" in thread("scoring")
    fastest = encode(torch.tensor([float(IT)]), 4)[0]
    assert f"sin 8 = {fastest[0]:.3f} and cos 8 = {fastest[1]:.3f}".replace("-", "−") in thread("sinusoidal")
    assert f"{IT - CAT} radians, {math.degrees(IT - CAT):.1f}°" in thread("rope")
    bias = alibi_bias(8, TOKENS, TOKENS)[0, IT]  # the first of 8 heads: a slope of 1/2
    assert f"take {-bias[CAT]:.2f} from" in thread("alibi")
    for at in (CAT, MAT):
        assert f"{SCALED_SCORES[at] + float(bias[at]):.2f}" in thread("alibi")


def test_shapes_on_the_way() -> None:
    folders = {place.id: place.folder for place in package_folders()}
    minilm, decoder = (json.loads((folders[model] / "config.json").read_text()) for model in (MINILM, DECODER))
    assert f"a table of {minilm['max_position_embeddings']} positions" in thread("order")
    width = minilm["hidden_size"]
    assert f"a matrix of {width // minilm['num_attention_heads']} × {width} numbers" in thread("linear")
    blocks, heads = minilm["num_hidden_layers"], minilm["num_attention_heads"]
    assert f"each of the {blocks} blocks adds what its {heads} heads" in thread("context")
    layers, size = decoder["n_layer"], decoder["n_embd"]
    assert f"2 · {layers} · {size} = {2 * layers * size:,} numbers" in thread("kv_cache")
