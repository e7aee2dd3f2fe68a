"""A model that runs here is recorded and shown without a server."""

import json
import sys
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
import torch
from tiny_models import write_model_folder
from transformers import AutoModel, Gemma2Config, GPT2Config, GptOssConfig, PreTrainedConfig, PreTrainedModel

import attention_observatory as observatory
from attention_observatory.widget import Explorer

TOKENS = ["a", "b", "c", "d", "e"]
IDS = torch.tensor([[5, 9, 5, 7, 3, 8, 2, 6]])
SMALL = {
    "vocab_size": 384,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "intermediate_size": 48,
}
CAPPED = Gemma2Config(**SMALL, query_pre_attn_scalar=8, attn_logit_softcapping=0.5, pad_token_id=0)
SINKS = GptOssConfig(**SMALL, num_local_experts=2, num_experts_per_tok=1, pad_token_id=0)
SCALED_BY_LAYER = GPT2Config(
    vocab_size=384, n_layer=2, n_head=4, n_embd=32, n_positions=70, scale_attn_by_inverse_layer_idx=True
)


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


@pytest.mark.full
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


def projected(model: PreTrainedModel, name: str, ids: torch.Tensor) -> torch.Tensor:
    """What the modules whose names end so return, (layers, tokens, columns), in a pass that is not recorded."""
    found: list[torch.Tensor] = []
    modules = [module for path, module in model.named_modules() if path.endswith(name)]
    hooks = [module.register_forward_hook(lambda _, __, output: found.append(output[0])) for module in modules]
    with torch.no_grad():
        model(input_ids=ids)
    for hook in hooks:
        hook.remove()
    return torch.stack(found)


def heads_of(columns: torch.Tensor, heads: int) -> torch.Tensor:
    """(layers, heads, tokens, head size)."""
    return columns.unflatten(-1, (heads, -1)).transpose(1, 2)


def rotated(vectors: torch.Tensor) -> torch.Tensor:
    """RoPE as a product of complex numbers; the halves of a vector are their real and imaginary parts."""
    real, imaginary = vectors.double().chunk(2, dim=-1)
    size = vectors.shape[-1]
    angles = torch.outer(torch.arange(vectors.shape[-2]), 10_000.0 ** (-torch.arange(0, size, 2) / size).double())
    turned = torch.complex(real, imaginary) * torch.polar(torch.ones_like(angles), angles)
    return torch.cat([turned.real, turned.imag], dim=-1).float()


def vectors_of(model: PreTrainedModel, name: str) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Queries, keys and values of every query head, from the model's projections."""
    if name == "tiny-gpt2":
        queries, keys, values = (heads_of(each, 4) for each in projected(model, "c_attn", IDS).chunk(3, dim=-1))
    elif name == "tiny-bert":
        queries, keys, values = (
            heads_of(projected(model, f"self.{each}", IDS), 4) for each in ("query", "key", "value")
        )
    else:
        queries = rotated(heads_of(projected(model, "q_proj", IDS), 4))
        keys = rotated(heads_of(projected(model, "k_proj", IDS), 2)).repeat_interleave(2, dim=1)
        values = heads_of(projected(model, "v_proj", IDS), 2).repeat_interleave(2, dim=1)
    return queries, keys, values


ALLOWED = {
    "tiny-gpt2": torch.ones(8, 8).tril(),
    "tiny-bert": torch.ones(8, 8),
    "tiny-llama": torch.ones(8, 8).tril(),
    "tiny-mistral": torch.ones(8, 8).tril().triu(-4),  # a window of 5
}


@pytest.mark.full("tiny-gpt2")
@pytest.mark.parametrize("name", ALLOWED)
def test_the_picture_has_every_stage_and_the_vectors(folder: Path, name: str) -> None:
    model = AutoModel.from_pretrained(write_model_folder(folder, name)).eval()
    queries, keys, values = vectors_of(model, name)
    with torch.no_grad(), observatory.trace(model) as traced:
        model(input_ids=IDS)
    analysis = traced.analysis()
    raw = queries @ keys.mT
    scaled = raw / queries.shape[-1] ** 0.5
    masked = scaled.masked_fill(ALLOWED[name] == 0, float("-inf"))
    stages = {"raw_scores": raw, "scaled_scores": scaled, "masked_scores": masked, "weights": masked.softmax(dim=-1)}
    for stage, expected in stages.items():
        np.testing.assert_allclose(analysis.all_weights(stage=stage), expected.numpy(), atol=1e-5, rtol=1e-5)
    one = analysis.vectors(1, 3, query=6, key=4)
    np.testing.assert_allclose(one["query_token"]["query"], queries[1, 3, 6], atol=1e-5)
    np.testing.assert_allclose(one["key_token"]["key"], keys[1, 3, 4], atol=1e-5)
    np.testing.assert_allclose(one["key_token"]["value"], values[1, 3, 4], atol=1e-5)
    assert analysis.answer["parts"][0]["name"] == ("encoder" if name == "tiny-bert" else "decoder")


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_multiplied_in_full(folder: Path, dtype: torch.dtype) -> None:
    model = AutoModel.from_pretrained(write_model_folder(folder, "tiny-gpt2"), dtype=dtype).eval()
    queries, keys, _ = vectors_of(model, "tiny-gpt2")
    with torch.no_grad(), observatory.trace(model) as traced:
        model(input_ids=IDS)
    analysis = traced.analysis()
    raw = (queries.double() @ keys.double().mT)[0]  # later layers attend to what the first one rounded in its own way
    weights = (raw / 8**0.5).masked_fill(ALLOWED["tiny-gpt2"] == 0, float("-inf")).softmax(dim=-1)
    np.testing.assert_allclose(analysis.all_weights(stage="raw_scores")[0], raw, atol=1e-6, rtol=1e-6)
    np.testing.assert_allclose(analysis.all_weights()[0], weights, atol=1e-6)
    np.testing.assert_allclose(analysis.weights(1, 2), traced.weights(1, 2), atol=torch.finfo(dtype).eps)


@pytest.mark.parametrize("name", ["tiny-modernbert", "tiny-gpt2"])
def test_masks_of_layers_and_of_padding_are_sent(folder: Path, name: str) -> None:
    """ModernBERT alternates between all tokens and a window; the first two tokens are padding."""
    model = AutoModel.from_pretrained(write_model_folder(folder, name)).eval()
    given = {"input_ids": IDS, "attention_mask": torch.tensor([[0, 0, 1, 1, 1, 1, 1, 1]])}
    with torch.no_grad(), observatory.trace(model) as traced:
        model(**given)
    model.set_attn_implementation("eager")
    with torch.no_grad():
        expected = torch.stack(model(**given, output_attentions=True).attentions)[:, 0]
    is_left_out = name == "tiny-gpt2"  # its padding may attend to nothing before it, which is padding too
    warned = pytest.warns(observatory.ObservatoryWarning, match="a query may attend to no key")
    with warned if is_left_out else nullcontext():
        analysis = traced.analysis()
    assert analysis.weights(0, 0, stage="raw_scores").shape == (8, 8)
    np.testing.assert_allclose(analysis.all_weights()[:, :, 2:], expected[:, :, 2:], atol=1e-5)
    assert not analysis.all_weights()[:, :, 2:, :2].any()


@pytest.mark.parametrize("config", [CAPPED, SINKS, SCALED_BY_LAYER], ids=["cap", "sinks", "scales"])
@pytest.mark.filterwarnings("ignore:In 64 of 64 rows")  # a sink takes part of every row
def test_what_an_upload_cannot_say_is_shown_as_weights(config: PreTrainedConfig) -> None:
    with torch.random.fork_rng():
        torch.manual_seed(3)
        model = AutoModel.from_config(config).eval()
    with torch.no_grad(), observatory.trace(model) as traced:
        model(input_ids=IDS)
    analysis = traced.analysis()
    for layer in range(2):
        for head in range(4):
            np.testing.assert_allclose(analysis.weights(layer, head), traced.weights(layer, head), atol=1e-6)
    with pytest.raises(observatory.ObservatoryError, match="must be one of weights, not"):
        analysis.weights(0, 0, stage="raw_scores")


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
    cross = analysis.all_weights(part="cross", stage="raw_scores")  # the only part without a bias by distance
    assert cross.shape == (3, 4, 3, 5)
    attention = model.decoder.block[0].layer[1].EncDecAttention
    with torch.no_grad():
        read: list[torch.Tensor] = []
        hook = attention.q.register_forward_hook(lambda _, __, output: read.append(output))
        source = model(**given).encoder_last_hidden_state
        hook.remove()
        queries, keys = heads_of(read[0], 4)[0], heads_of(attention.k(source), 4)[0]
    np.testing.assert_allclose(cross[0], (queries @ keys.mT).numpy(), atol=1e-5)
    for part in ("encoder", "decoder"):
        with pytest.raises(observatory.ObservatoryError, match="must be one of weights, not"):
            analysis.weights(0, 0, part=part, stage="raw_scores")


def test_without_the_application_it_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "attention_core.pretrained.recording.recorder", None)
    with pytest.raises(ImportError, match=r"pip install \. in its repository"), observatory.trace(None):
        pass
