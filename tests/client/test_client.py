"""The Python client against the real server: results match the API and the request."""

import html
import json
import math
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import plotly.graph_objects as go
import pytest
import torch
from packed_text import read_packed
from transformers import AutoModel, AutoTokenizer, BartConfig, BartModel

from attention_core.pretrained.models.sources import package_folders
from attention_observatory import Analysis, Observatory, ObservatoryError, ObservatoryWarning

SENTENCE = "The cat sat on the mat because it was tired."
MINILM = "sentence-transformers/all-MiniLM-L6-v2"


@pytest.fixture(scope="module")
def observatory(server_url: str) -> Observatory:
    return Observatory(server_url)


@pytest.fixture(scope="module")
def analysis(observatory: Observatory) -> Analysis:
    return observatory.analyse(SENTENCE)


def softmax(scores: np.ndarray) -> np.ndarray:
    exponents = np.exp(scores)
    return exponents / exponents.sum(axis=-1, keepdims=True)


def some_weights(*shape: int) -> np.ndarray:
    return softmax(np.random.default_rng(0).normal(size=shape)).astype(np.float32)


def test_a_text_through_the_server_s_own_model(observatory: Observatory, analysis: Analysis) -> None:
    assert MINILM in [model["id"] for model in observatory.models() if model["available"]]
    assert analysis.tokens[:3] == ["[CLS]", "the", "cat"]
    assert analysis.target_tokens is None
    assert analysis.metrics["previous_token"].shape == (6, 12)
    weights = analysis.weights(5, 11)
    assert weights.dtype == np.float32
    assert round(float(weights[analysis.tokens.index("it"), analysis.tokens.index("cat")]), 2) == 0.71
    np.testing.assert_allclose(analysis.weights(5, 11, rows=(2, 5), cols=(0, 13)), weights[2:5], atol=1e-5)
    scaled = analysis.weights(5, 11, stage="scaled_scores").astype(np.float64)
    np.testing.assert_allclose(softmax(scaled), weights, atol=1e-6)
    assert sum(analysis.distribution(5, 11)["counts"]) == 169
    assert observatory.get(analysis.id).answer == analysis.answer
    assert analysis.warnings == []


@pytest.mark.full
def test_circuits_and_composition_of_a_decoder(observatory: Observatory) -> None:
    mini = "observatory-gpt2-mini"
    circuits = observatory.circuits(mini, 1, 1, token=" cat", limit=3)  # noqa: S106 - of a text
    assert [circuits["token_text"], len(circuits["writes"]["highest"])] == [" cat", 3]
    assert circuits["copying_score"] > 0.9
    composition = observatory.composition(mini, limit=1)
    assert {pair["by"]: pair["layer"] for pair in composition["strongest"]}["key"] == 0
    assert composition["copying"][1][1] == pytest.approx(circuits["copying_score"], abs=1e-4)
    with pytest.raises(ObservatoryError, match="for decoders"):
        observatory.composition(MINILM)


def test_causes_and_contributions(observatory: Observatory) -> None:
    mini, clean = "observatory-gpt2-mini", "Pacific Duke Sonic Norfolk Juliet Burma Madonna . Pacific Duke Sonic"
    corrupt = "Pacific Duke Burma Norfolk Juliet Sonic Madonna . Pacific Duke Sonic"
    effects = np.array(observatory.patching(mini, clean, corrupt, what="pattern")["effects"])
    assert {divmod(int(each), 6) for each in effects.ravel().argsort()[-2:]} == {(1, 0), (1, 1)}
    body = {"model": mini, "clean": clean, "corrupt": corrupt, "what": "pattern"}
    np.testing.assert_allclose(observatory.figure("patching", body).data[0].z, effects)
    paths = observatory.path_patching(mini, clean, corrupt, fixed="receiver", layer=1, head=0, via="keys")
    assert np.argmax(paths["effects"][0]) in (0, 1)
    assert paths["last_layer"] == 0
    flow = observatory.analyse(clean, mini).information_flow(12, threshold=0.05)
    assert flow["nodes"][0]["position"] == 12
    assert min(edge["importance"] for edge in flow["edges"]) >= 0.05


def test_everything_a_request_may_hold_is_sent(observatory: Observatory) -> None:
    paired = observatory.analyse("One.", MINILM, text_pair="Two.", parity=True)
    assert {token["segment"] for token in paired.answer["tokens"]} == {0, 1}
    assert paired.answer["parity"]["weights"] < 1e-5


@pytest.mark.parametrize("model", [MINILM, "observatory-gpt2-mini"])
def test_code_gives_the_same_weights_with_transformers_alone(observatory: Observatory, model: str) -> None:
    analysis = observatory.analyse(SENTENCE, model)
    code = analysis.code(3, 2)
    folder = next(place.folder for place in package_folders() if place.id == model)
    found: dict[str, Any] = {}
    with torch.enable_grad():  # the code switches gradients off; afterwards they are as they were
        exec(code.replace(json.dumps(model), json.dumps(str(folder))), found)  # noqa: S102 - our own code
    np.testing.assert_allclose(found["weights"].numpy(), analysis.weights(3, 2), atol=1e-5)


def test_code_is_refused_where_no_text_went_through_a_model(observatory: Observatory) -> None:
    sent = observatory.send(weights=some_weights(1, 1, 2, 2), tokens=["a", "b"])
    with pytest.raises(ValueError, match="an analysis of a text"):
        sent.code(0, 0)


def test_code_is_refused_for_a_changed_model_and_an_unknown_part(observatory: Observatory) -> None:
    off = [{"kind": "head_off", "layer": 0, "heads": [1], "mode": "zero"}]
    with pytest.raises(ValueError, match="nothing was changed"):
        observatory.analyse(SENTENCE, MINILM, interventions=off).code(0, 0)
    with pytest.raises(ValueError, match="part is one of encoder, not 'cross'"):
        observatory.analyse(SENTENCE, MINILM).code(0, 0, part="cross")


def test_the_attentions_of_a_model_that_ran_here(observatory: Observatory) -> None:
    """The same model on both sides: what is sent from here looks as what the server computes."""
    folder = next(place.folder for place in package_folders() if place.id == MINILM)
    model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    inputs = tokenizer(SENTENCE, return_tensors="pt")
    attentions = model(**inputs, output_attentions=True).attentions  # with gradients, as people have them
    sent = observatory.send(weights=attentions, tokens=tokenizer.convert_ids_to_tokens(inputs["input_ids"][0]))
    theirs = observatory.analyse(SENTENCE)
    assert sent.tokens == theirs.tokens
    for layer, head in ((0, 0), (5, 11)):
        np.testing.assert_array_equal(sent.weights(layer, head), attentions[layer][0, head].detach())
        np.testing.assert_allclose(sent.weights(layer, head), theirs.weights(layer, head), atol=1e-5)


FRAMEWORKS: dict[str, Callable[[np.ndarray], Any]] = {
    "numpy": lambda array: array,
    "lists": lambda array: array.tolist(),
    "torch": torch.from_numpy,
    "a layer each": lambda array: [torch.from_numpy(layer) for layer in array],
    "numpy, a layer each": tuple,
}


@pytest.mark.parametrize("convert", FRAMEWORKS.values(), ids=FRAMEWORKS)
def test_weights_of_any_kind(observatory: Observatory, convert: Callable[[np.ndarray], Any]) -> None:
    weights = some_weights(2, 3, 5, 5)
    sent = observatory.send(weights=convert(weights), tokens=list("abcde"), title="Mine")
    assert sent.tokens == list("abcde")
    assert sent.answer["model"]["title"] == "Mine"
    np.testing.assert_array_equal([[sent.weights(layer, head) for head in range(3)] for layer in range(2)], weights)


@pytest.mark.filterwarnings("ignore:In . of 15 rows")  # they are rounded
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision(observatory: Observatory, dtype: torch.dtype) -> None:
    weights = torch.from_numpy(some_weights(3, 5, 5)).to(dtype)
    np.testing.assert_array_equal(observatory.send(weights=weights).weights(0, 2), weights[2].float())


def test_queries_and_keys_are_attended_with(observatory: Observatory) -> None:
    queries, keys, values = (np.random.default_rng(seed).normal(size=(2, 3, 5, 7)) for seed in range(3))
    sent = observatory.send(queries=queries, keys=keys, values=values, mask="causal", scale=0.5)
    scores = np.where(np.tri(5, dtype=bool), queries[1, 2] @ keys[1, 2].T / 2, -math.inf)
    np.testing.assert_allclose(sent.weights(1, 2), softmax(scores), atol=1e-6)
    np.testing.assert_allclose(sent.weights(1, 2, stage="masked_scores"), scores, rtol=1e-5)
    windowed = np.abs(np.subtract.outer(np.arange(5), np.arange(5))) < 2
    banded = observatory.send(queries=queries, keys=keys, mask=windowed)
    expected = softmax(np.where(windowed, queries[0, 0] @ keys[0, 0].T / math.sqrt(7), -math.inf))
    np.testing.assert_allclose(banded.weights(0, 0), expected, atol=1e-6)


def test_all_parts_of_an_encoder_decoder_model(observatory: Observatory) -> None:
    config = BartConfig(
        vocab_size=50, d_model=24, encoder_layers=2, decoder_layers=1, encoder_attention_heads=3,
        decoder_attention_heads=2, encoder_ffn_dim=16, decoder_ffn_dim=16,
    )  # fmt: skip
    model = BartModel._from_config(config, attn_implementation="eager").eval()
    outputs = model(torch.tensor([[4, 5, 6, 7]]), decoder_input_ids=torch.tensor([[2, 4, 5]]), output_attentions=True)
    sent = observatory.send(
        encoder_weights=outputs.encoder_attentions,
        decoder_weights=outputs.decoder_attentions,
        cross_weights=outputs.cross_attentions,
        tokens=["x", "y", "z"],
        key_tokens=["a", "b", "c", "d"],
    )
    assert (sent.tokens, sent.target_tokens) == (["a", "b", "c", "d"], ["x", "y", "z"])
    np.testing.assert_array_equal(sent.weights(0, 1, part="cross"), outputs.cross_attentions[0][0, 1].detach())
    np.testing.assert_array_equal(sent.weights(1, 2, part="encoder"), outputs.encoder_attentions[1][0, 2].detach())
    np.testing.assert_array_equal(sent.weights(0, 0, part="decoder"), outputs.decoder_attentions[0][0, 0].detach())


def test_warnings_are_at_hand(observatory: Observatory) -> None:
    with pytest.warns(ObservatoryWarning, match="do not sum to 1"):
        (warning,) = observatory.send(weights=np.full((4, 4), 0.125)).warnings
    assert warning.startswith("In 4 of 4 rows of weights the weights do not sum to 1, but to 0.5")


def test_its_address_is_a_link_to_the_same_view(server_url: str, observatory: Observatory) -> None:
    awkward = 'a "quoted" <b>text</b> & more'
    address = urlsplit(observatory.analyse(awkward).url(layer=3, head=7))
    assert f"{address.scheme}://{address.netloc}" == server_url.rstrip("/")
    expected = {"model": [MINILM], "text": [awkward], "layer": ["3"], "head": ["7"]}
    assert parse_qs(address.query) == expected
    sent = observatory.send(weights=np.eye(3), tokens=["[CLS]", "a", "猫"])
    assert parse_qs(urlsplit(sent.url(head=0)).query) == {"model": [sent.id], "text": ["a 猫"], "head": ["0"]}


def test_files(tmp_path: Path, analysis: Analysis) -> None:
    with np.load(analysis.save(tmp_path / "all.npz")) as archive:
        np.testing.assert_array_equal(archive["weights"][5, 11], analysis.weights(5, 11))
    saved = analysis.save(str(tmp_path / "head.csv"), layer=5, head=11, rows=(0, 2))
    assert saved.read_text(encoding="utf-8").splitlines()[1].startswith('"0 [CLS]",')
    assert json.loads(analysis.save(tmp_path / "all.json").read_bytes())["id"] == analysis.id


@pytest.mark.parametrize(
    ("arrays", "code", "field", "message"),
    [
        ({}, "tensors_invalid", "body", "The file holds no array"),
        (
            {"weights": np.full((2, 2), np.nan)},
            "tensors_invalid",
            "weights",
            "NaN.* at layer 0, head 0, query 0, key 0",
        ),
        ({"weights": np.eye(2), "tokens": ["a"]}, "tensors_invalid", "tokens", "1 names, weights has 2"),
        ({"weihgts": np.eye(2)}, "tensors_invalid", "body", "'weihgts' is not a name known here"),
    ],
)
def test_what_the_server_refuses_names_the_array(
    observatory: Observatory, arrays: dict[str, Any], code: str, field: str, message: str
) -> None:
    with pytest.raises(ObservatoryError, match=message) as caught:
        observatory.send(**arrays)
    assert (caught.value.code, caught.value.field, caught.value.status) == (code, field, 422)


def test_other_errors(observatory: Observatory) -> None:
    with pytest.raises(ObservatoryError, match="layer must be from 0 to 0") as caught:
        observatory.send(weights=np.eye(2)).weights(1, 0)
    assert (caught.value.code, caught.value.limit) == ("out_of_range", 0)
    with pytest.raises(ObservatoryError, match="no longer kept") as caught:
        observatory.get("0" * 32)
    assert caught.value.status == 404
    with pytest.raises(ObservatoryError, match="cannot be reached") as caught:
        Observatory("http://127.0.0.1:9").models()
    assert caught.value.code == "unreachable"
    with pytest.raises(ValueError, match="url must begin with http:// or https://, not 'file:///etc'"):
        Observatory("file:///etc")


def test_it_needs_nothing_that_is_not_python_s_own() -> None:
    others = {"__future__", "attention_observatory", "numpy", "plotly"}  # the last two where they are installed
    imported = {
        line.split()[1].split(".")[0]
        for module in (Path(__file__).parents[2] / "client" / "attention_observatory").glob("*.py")
        if module.name != "widget.py"  # imported by show() alone, and only where anywidget is
        for line in module.read_text(encoding="utf-8").splitlines()
        if line.strip().startswith(("import ", "from "))
    }
    assert imported <= others | sys.stdlib_module_names


@pytest.mark.full
def test_a_view_saved_as_one_file(observatory: Observatory, analysis: Analysis, tmp_path: Path) -> None:
    saved = analysis.saved(layer=5, head=11, query=8, key=2, lang="ja")
    assert repr(saved) == f"Saved({len(saved.page):,} characters of HTML)"
    assert saved.page.startswith('<!doctype html>\n<html lang="ja">')
    shown = saved._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert 'sandbox="allow-scripts allow-downloads"' in shown
    inner = re.search(r'srcdoc="([^"]*)"', shown)
    assert inner
    assert html.unescape(inner[1]) == saved.page
    assert saved.write(tmp_path / "one.html").read_bytes().decode() == saved.page
    path = analysis.save_html(tmp_path / "two.html", layer=5, head=11, query=8, key=2, lang="ja")
    assert path.read_bytes() == (tmp_path / "one.html").read_bytes()
    data = re.search(r'id="config">(.*?)</script>', saved.page, re.DOTALL)
    assert data
    assert "&query=8&" in f"&{json.loads(data[1])['search']}&"
    own = observatory.send(weights=np.eye(3), tokens=["a", "b", "c"])
    page = own.save(tmp_path / "own.html").read_text(encoding="utf-8")
    packed = re.search(r"data-packed-records>(.*?)</script>", page)
    assert packed
    assert f"/api/analyses/{own.id}/weights?".encode() in read_packed(packed[1])
    with pytest.raises(ObservatoryError, match="query must be at most 12, not 13") as refused:
        analysis.saved(query=13)
    assert (refused.value.code, refused.value.field) == ("out_of_range", "query")


def test_figures_hold_the_numbers_of_the_api(observatory: Observatory, analysis: Analysis) -> None:
    heat_map = analysis.figure(5, 11, rows=(2, 5), theme="night")
    assert isinstance(heat_map, go.Figure)
    np.testing.assert_array_equal(heat_map.data[0].z, analysis.weights(5, 11, rows=(2, 5)))
    assert heat_map.layout.yaxis.ticktext[0] == "2 cat"
    distribution = analysis.distribution(5, 11)
    np.testing.assert_array_equal(analysis.figure(5, 11, kind="distribution").data[0].y, distribution["counts"])
    lines = observatory.figure("alibi", {"heads": 2, "seq_len": 5}).data
    np.testing.assert_allclose(lines[0].y, np.exp(-np.arange(5) / 16))
    assert len(observatory.figure("scaling", {"d_k": [8, 64], "samples": 100}, draw="raw").data) == 2
    body = {"num_heads": 2, "tokens": ["a", "b", "a"], "precision": "float64"}
    head = observatory.figure("multi_head", body, draw="raw_scores", head=1, lang="ja")
    answer = observatory.api.connection.json("POST", "/api/multi_head", body=body)
    np.testing.assert_array_equal(head.data[0].z, answer["raw_scores"][1])
    assert head.layout.title.text == "生のスコア · ヘッド 1"
    np.testing.assert_array_equal(
        analysis.figure(kind="metrics", draw="entropy").data[0].z, analysis.metrics["entropy"]
    )
    np.testing.assert_allclose(analysis.figure(kind="rollout").data[0].z.sum(axis=1), 1, atol=1e-5)
    assert observatory.figure("head_scores", model=MINILM, period=5).data[0].z.shape == (6, 12)
    with pytest.raises(ObservatoryError, match="no mask to draw"):
        observatory.figure("multi_head", body, draw="mask")
    with pytest.raises(ObservatoryError, match="run"):
        observatory.training_figure("none")


def test_without_plotly_a_figure_says_what_it_needs(analysis: Analysis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    with pytest.raises(ImportError, match="figures need the package plotly: pip install plotly"):
        analysis.figure(5, 11)
