"""Copy the weights of transformers' models into a ``Decoder``, so that both compute the same.

The keys and shapes of the state dict must be exactly those expected; anything missing, left over or of another shape
raises ValueError, so that no model is silently half random. Buffers without weights (GPT-2's causal masks, rotary
frequencies) and the output layer of a model with tied embeddings are skipped.
"""

from collections.abc import Mapping
from itertools import chain

import torch
from torch import Tensor

from attention_core.decoder import Decoder
from attention_core.decoder_config import DecoderConfig

PASSED_OVER = (".attn.bias", ".attn.masked_bias", "rotary_emb.inv_freq")
"""Suffixes of the names of buffers."""
TURNED = ("q_proj.weight", "k_proj.weight")
"""Suffixes of the matrices whose outputs RoPE rotates."""
MOST_NAMED = 5
"""Largest number of names in an error."""


def copy_gpt2(weights: Mapping[str, Tensor], decoder: Decoder) -> None:
    """Copy ``GPT2LMHeadModel.state_dict()``. Its linear layers are (in, out), with queries, keys and values in one."""
    renamed = {"transformer.wte.weight": "token_embedding", "transformer.wpe.weight": "position_embedding"}
    expected = {source: f"{target}.weight" for source, target in renamed.items()}
    expected |= _pairs("transformer.ln_f", "final_norm", ("weight", "bias"))
    converted = dict(weights)
    for layer in range(decoder.config.num_layers):
        theirs, ours = f"transformer.h.{layer}", f"blocks.{layer}"
        for part in ("weight", "bias"):
            name = f"{theirs}.attn.c_attn.{part}"
            if name in converted:
                for letter, piece in zip("qkv", converted.pop(name).chunk(3, dim=-1), strict=True):
                    converted[f"{theirs}.attn.{letter}.{part}"] = piece
        expected |= _pairs(f"{theirs}.ln_1", f"{ours}.attention_norm", ("weight", "bias"))
        expected |= _pairs(f"{theirs}.ln_2", f"{ours}.feed_forward_norm", ("weight", "bias"))
        linear = {
            "attn.q": "attention.query_projection",
            "attn.k": "attention.key_projection",
            "attn.v": "attention.value_projection",
            "attn.c_proj": "attention.output_projection",
            "mlp.c_fc": "feed_forward.up",
            "mlp.c_proj": "feed_forward.down",
        }
        for source, target in linear.items():
            expected |= _pairs(f"{theirs}.{source}", f"{ours}.{target}", ("weight", "bias"))
            if (weight := converted.get(f"{theirs}.{source}.weight")) is not None:
                converted[f"{theirs}.{source}.weight"] = weight.T
    _copy(converted, expected, decoder)


def copy_llama(weights: Mapping[str, Tensor], decoder: Decoder) -> None:
    """Copy ``LlamaForCausalLM.state_dict()``, or Qwen3's where the decoder norms its queries and keys."""
    expected = {"model.embed_tokens.weight": "token_embedding.weight", "model.norm.weight": "final_norm.weight"}
    layers = {
        "input_layernorm": "attention_norm",
        "self_attn.q_proj": "attention.query_projection",
        "self_attn.k_proj": "attention.key_projection",
        "self_attn.v_proj": "attention.value_projection",
        "self_attn.o_proj": "attention.output_projection",
        "post_attention_layernorm": "feed_forward_norm",
        "mlp.gate_proj": "feed_forward.gate",
        "mlp.up_proj": "feed_forward.up",
        "mlp.down_proj": "feed_forward.down",
    }
    for layer in range(decoder.config.num_layers):
        theirs, ours = f"model.layers.{layer}", f"blocks.{layer}"
        expected |= {f"{theirs}.{source}.weight": f"{ours}.{target}.weight" for source, target in layers.items()}
        if decoder.config.qk_norm is not None:
            for source, target in (("q_norm", "query_scale"), ("k_norm", "key_scale")):
                expected[f"{theirs}.self_attn.{source}.weight"] = f"{ours}.attention.qk_norm.{target}"
    _copy(dict(weights), expected, decoder)


def copy_nanochat(weights: Mapping[str, Tensor], decoder: Decoder) -> None:
    """Copy ``NanoChatForCausalLM.state_dict()``, the form of 2025: its norms have no weights.

    It rotates clockwise. (b, a) rotated counter-clockwise is (a, b) rotated clockwise, swapped: so the halves that a
    head's pairs are made of change places in W_Q and W_K, which changes no score.
    """
    sizes = decoder.config
    half = (sizes.head_dim or sizes.d_model // sizes.num_heads) // 2
    copied = {
        name: weight.unflatten(0, (-1, 2, half)).flip(1).flatten(0, 2) if name.endswith(TURNED) else weight
        for name, weight in weights.items()
    }
    expected = {"model.embed_tokens.weight": "token_embedding.weight"}
    layers = {
        "self_attn.q_proj": "attention.query_projection",
        "self_attn.k_proj": "attention.key_projection",
        "self_attn.v_proj": "attention.value_projection",
        "self_attn.o_proj": "attention.output_projection",
        "mlp.fc1": "feed_forward.up",
        "mlp.fc2": "feed_forward.down",
    }
    for layer in range(decoder.config.num_layers):
        theirs, ours = f"model.layers.{layer}", f"blocks.{layer}"
        expected |= {f"{theirs}.{source}.weight": f"{ours}.{target}.weight" for source, target in layers.items()}
    _copy(copied, expected, decoder)


def copy_transformers(weights: Mapping[str, Tensor], decoder: Decoder) -> None:
    """Copy GPT-2's, nanochat's or Llama's weights, depending on the decoder's form."""
    if decoder.config.positions == "learned":
        copy_gpt2(weights, decoder)
    elif decoder.config.feed_forward == "relu_squared":
        copy_nanochat(weights, decoder)
    else:
        copy_llama(weights, decoder)


def decoder_from_weights(config: DecoderConfig, weights: Mapping[str, Tensor]) -> Decoder:
    """A decoder in evaluation mode with these weights, in their dtype."""
    decoder = Decoder(config).to(next(iter(weights.values())).dtype)
    copy_transformers(weights, decoder)
    return decoder.eval()


def _pairs(source: str, target: str, parts: tuple[str, ...]) -> dict[str, str]:
    return {f"{source}.{part}": f"{target}.{part}" for part in parts}


def _copy(found: dict[str, Tensor], expected: dict[str, str], decoder: Decoder) -> None:
    """Copy each weight to the parameter that ``expected`` names for it; all must be present and fit."""
    parameters = dict(decoder.named_parameters())
    if decoder.output is None:
        embedding = next(source for source, target in expected.items() if target == "token_embedding.weight")
        if (head := found.pop("lm_head.weight", None)) is not None and not torch.equal(
            head, found.get(embedding, head)
        ):
            raise ValueError("weights have an output layer of their own, but this decoder ties it to its embedding")
    else:
        expected = {**expected, "lm_head.weight": "output.weight"}
    found = {name: weight for name, weight in found.items() if not name.endswith(PASSED_OVER)}
    _none("weights lack", set(expected) - set(found))
    _none("weights have too much:", set(found) - set(expected))
    _none("weights leave unset:", set(parameters) - set(expected.values()))
    _none("weights need, which this decoder has not:", set(expected.values()) - set(parameters))
    for source, target in expected.items():
        if found[source].shape != parameters[target].shape:
            theirs, ours = tuple(found[source].shape), tuple(parameters[target].shape)
            raise ValueError(f"weights have {source} of shape {theirs}, where {target} has {ours}")
    with torch.no_grad():
        for source, target in expected.items():
            parameters[target].copy_(found[source])


def _none(message: str, names: set[str]) -> None:
    if names:
        listed = sorted(names)
        more = [f"and {len(listed) - MOST_NAMED} more"] if len(listed) > MOST_NAMED else []
        raise ValueError(f"{message} {', '.join(chain(listed[:MOST_NAMED], more))}")
