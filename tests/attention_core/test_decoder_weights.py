"""With their weights copied in, our decoder computes what transformers' models compute, layer by layer."""

import re
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    NanoChatConfig,
    NanoChatForCausalLM,
    PreTrainedModel,
    Qwen3Config,
    Qwen3ForCausalLM,
)

from attention_core.decoder import Decoder
from attention_core.decoder_config import DecoderConfig, from_transformers
from attention_core.decoder_weights import copy_gpt2, copy_llama, decoder_from_weights

LLAMA: dict[str, Any] = {
    "vocab_size": 37,
    "hidden_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "intermediate_size": 44,
    "max_position_embeddings": 32,
    "attn_implementation": "eager",
}
SCALED = {"rope_type": "llama3", "rope_theta": 5e5, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
SCALED |= {"original_max_position_embeddings": 16}


def gpt2(**options: Any) -> PreTrainedModel:
    sizes = {"vocab_size": 37, "n_embd": 24, "n_layer": 3, "n_head": 4, "n_positions": 16}
    return GPT2LMHeadModel(GPT2Config(**sizes, attn_implementation="eager", **options))


MODELS = {
    "gpt2": gpt2,
    "gpt2, narrow, output of its own": lambda: gpt2(n_inner=50, tie_word_embeddings=False),
    "llama": lambda: LlamaForCausalLM(LlamaConfig(**LLAMA)),
    "llama, tied, wide heads": lambda: LlamaForCausalLM(LlamaConfig(**LLAMA, tie_word_embeddings=True, head_dim=10)),
    "llama 3 scaling": lambda: LlamaForCausalLM(LlamaConfig(**LLAMA, rope_parameters=SCALED)),
    "nanochat": lambda: NanoChatForCausalLM(NanoChatConfig(**LLAMA)),
    "qwen3": lambda: Qwen3ForCausalLM(Qwen3Config(**LLAMA, head_dim=8)),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest) -> PreTrainedModel:
    """With weights far from their start: biases not 0, norms not 1, scores not flat."""
    model = MODELS[request.param]()
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.normal_(1.0 if "norm" in name or ".ln" in name else 0.0, 0.25, generator=generator)
    return model.eval()


def drawn_ids(batch: int, count: int, seed: int = 0) -> Tensor:
    return torch.randint(0, 37, (batch, count), generator=torch.Generator().manual_seed(seed))


def ours(model: PreTrainedModel) -> Decoder:
    return decoder_from_weights(from_transformers(model.config.to_dict()), model.state_dict())


@pytest.mark.parametrize("count", [1, 2, 13])
@torch.no_grad()
def test_decoder_weights_layer_by_layer(model: PreTrainedModel, count: int) -> None:
    ids = drawn_ids(2, count)
    expected = model(ids, output_hidden_states=True, output_attentions=True, use_cache=False)
    trace = ours(model)(ids, trace=True)
    assert_close(trace.embeddings, expected.hidden_states[0], rtol=0, atol=1e-6)
    for index, block in enumerate(trace.blocks):
        assert_close(block.attention.attention.weights, expected.attentions[index], rtol=0, atol=1e-5)
        outputs = block.outputs if index + 1 < len(trace.blocks) else trace.final_normed  # theirs ends normed
        assert_close(outputs, expected.hidden_states[index + 1], rtol=0, atol=1e-4)
    assert_close(trace.logits, expected.logits, rtol=0, atol=1e-4)


@torch.no_grad()
def test_decoder_weights_in_float64(model: PreTrainedModel) -> None:
    """To the last digits where rounding is no excuse."""
    ids = drawn_ids(2, 13)
    double = type(model)(model.config).double().eval()
    double.load_state_dict(model.state_dict())
    assert_close(ours(double)(ids), double(ids).logits, rtol=0, atol=2e-5)  # their norms and angles stay in float32


def test_decoder_weights_generate_the_same(model: PreTrainedModel) -> None:
    ids = drawn_ids(1, 4)
    model.generation_config.pad_token_id = 0
    model.generation_config.eos_token_id = None
    theirs = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=8, do_sample=False)
    assert torch.equal(ours(model).generate(ids, 8), theirs)


def test_decoder_weights_read_the_whole_configuration() -> None:
    assert from_transformers(gpt2().config.to_dict()) == DecoderConfig.gpt2(37, 24, 3, 4, max_length=16)
    config = from_transformers(LlamaConfig(**LLAMA, rope_parameters=SCALED).to_dict())
    assert (config.num_kv_heads, config.width, config.max_length, config.bias) == (2, 44, 32, False)
    assert (config.rope.base, config.rope.pairing) == (5e5, "half_split")
    nanochat = from_transformers(NanoChatConfig(final_logit_softcapping=7.0).to_dict())
    assert (nanochat.feed_forward, nanochat.logit_cap, nanochat.width) == ("relu_squared", 7.0, 8192)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"model_type": "bert"}, "model_type must be one of gpt2, llama, nanochat, qwen3, not 'bert'"),
        (GPT2Config(activation_function="relu").to_dict(), "activation_function must be"),
        (GPT2Config(scale_attn_by_inverse_layer_idx=True).to_dict(), "scale_attn_by_inverse_layer_idx must be False"),
        (LlamaConfig(attention_bias=True).to_dict(), "attention_bias must be False, not True"),
        (NanoChatConfig(hidden_act="gelu").to_dict(), "hidden_act must be 'relu2', not 'gelu'"),
        (LlamaConfig(hidden_act="gelu").to_dict(), "hidden_act must be 'silu', not 'gelu'"),
    ],
)
def test_decoder_weights_refuse_other_models(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        from_transformers(settings)


def test_decoder_weights_assert_keys_and_shapes() -> None:
    theirs, decoder = gpt2(), Decoder(DecoderConfig.gpt2(37, 24, 3, 4, max_length=16))
    weights = theirs.state_dict()
    before = {name: parameter.clone() for name, parameter in decoder.named_parameters()}
    lacking = {name: weight for name, weight in weights.items() if name != "transformer.h.1.ln_2.bias"}
    with pytest.raises(ValueError, match=r"weights lack transformer\.h\.1\.ln_2\.bias"):
        copy_gpt2(lacking, decoder)
    with pytest.raises(ValueError, match=r"weights have too much: transformer\.h\.3\.x"):
        copy_gpt2({**weights, "transformer.h.3.x": torch.zeros(1)}, decoder)
    wide = {**weights, "transformer.wpe.weight": torch.zeros(17, 24)}
    message = "weights have transformer.wpe.weight of shape (17, 24), where position_embedding.weight has (16, 24)"
    with pytest.raises(ValueError, match=re.escape(message)):
        copy_gpt2(wide, decoder)
    with pytest.raises(ValueError, match="weights have an output layer of their own"):
        copy_gpt2({**weights, "lm_head.weight": torch.zeros(37, 24)}, decoder)
    with pytest.raises(ValueError, match=r"weights lack .* and 24 more"):
        copy_llama(weights, decoder)
    assert all(torch.equal(before[name], parameter) for name, parameter in decoder.named_parameters())


def test_decoder_weights_are_copies() -> None:
    theirs = gpt2()
    decoder = ours(theirs)
    ids = drawn_ids(1, 5)
    before = decoder(ids)
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.zero_()
    assert torch.equal(decoder(ids), before)
