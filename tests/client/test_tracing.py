"""A model that runs here is recorded and shown without a server."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from tiny_models import write_model_folder
from transformers import AutoModel

import attention_observatory as observatory
from attention_observatory.widget import Explorer

TOKENS = ["a", "b", "c", "d", "e"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.mark.parametrize("name", ["tiny-gpt2", "tiny-bert", "tiny-llama"])
def test_the_weights_are_those_of_eager_attention(folder: Path, name: str) -> None:
    path = write_model_folder(folder, name)
    ids = torch.tensor([[5, 9, 5, 7, 3]])
    model = AutoModel.from_pretrained(path, attn_implementation="sdpa").eval()
    with torch.no_grad(), observatory.trace(model, tokens=TOKENS) as traced:
        model(input_ids=ids[:, :3])
        output = model(input_ids=ids)
    assert model.config._attn_implementation == "sdpa"
    eager = AutoModel.from_pretrained(path, attn_implementation="eager").eval()
    with torch.no_grad():
        expected = eager(input_ids=ids, output_attentions=True)
    torch.testing.assert_close(output.last_hidden_state, expected.last_hidden_state, atol=1e-5, rtol=1e-5)
    assert len(traced.layers) == len(expected.attentions)
    for layer, attentions in enumerate(expected.attentions):
        for head in range(attentions.shape[1]):
            np.testing.assert_allclose(traced.weights(layer, head), attentions[0, head].numpy(), atol=1e-5)


def test_it_is_shown_without_a_server(folder: Path) -> None:
    model = AutoModel.from_pretrained(write_model_folder(folder, "tiny-gpt2")).eval()
    with torch.no_grad(), observatory.trace(model, tokens=TOKENS) as traced:
        model(input_ids=torch.tensor([[5, 9, 5, 7, 3]]))
    analysis = traced.analysis()
    assert analysis.tokens == TOKENS
    np.testing.assert_allclose(analysis.weights(1, 2), traced.weights(1, 2), atol=1e-6)
    shown = traced.show(layer=1, head=2)
    assert isinstance(shown, Explorer)
    assert (shown.layer, shown.head) == (1, 2)
    asked = shown._connection.relayed(
        "GET", f"/api/analyses/{analysis.id}/weights?layer=0&head=1&encoding=json", None, "ja"
    )
    np.testing.assert_allclose(json.loads(asked.content)["matrix"], traced.weights(0, 1), atol=1e-6)
    refused = shown._connection.relayed("GET", f"/api/analyses/{analysis.id}/weights?layer=9&head=1", None, "ja")
    assert refused.status == 422
    assert not json.loads(refused.content)["error"]["message"].isascii()
    assert shown._connection.relayed("GET", "/metrics", None, None).status == 404
    with pytest.raises(observatory.ObservatoryError, match="layer") as refused:
        analysis.weights(9, 0)
    assert refused.value.status == 422


def test_an_encoder_decoder_has_three_parts(folder: Path) -> None:
    path = write_model_folder(folder, "tiny-t5")
    given = {"input_ids": torch.tensor([[5, 9, 5, 7, 3]]), "decoder_input_ids": torch.tensor([[0, 4, 6]])}
    model = AutoModel.from_pretrained(path).eval()
    with torch.no_grad(), observatory.trace(model, tokens=TOKENS, target_tokens=["x", "y", "z"]) as traced:
        model(**given)
    eager = AutoModel.from_pretrained(path, attn_implementation="eager").eval()
    with torch.no_grad():
        expected = eager(**given, output_attentions=True)
    analysis = traced.analysis()
    assert (analysis.tokens, analysis.target_tokens) == (TOKENS, ["x", "y", "z"])
    for part in ("encoder", "decoder", "cross"):
        for layer, attentions in enumerate(expected[f"{part}_attentions"]):
            np.testing.assert_allclose(analysis.weights(layer, 1, part=part), attentions[0, 1].numpy(), atol=1e-5)


def test_without_the_application_it_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "attention_core.pretrained.recording.recorder", None)
    with pytest.raises(ImportError, match="pip install attention-observatory"), observatory.trace(None):
        pass
