"""Tiny random models of any architecture of transformers: its default configuration with every size made small."""

import copy
from collections.abc import Mapping
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import AutoConfig, PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerFast

from attention_core.pretrained.models.configuration import ModelFacts

VOCABULARY = 96
LAYERS = 2
LAYER_LISTS = ("layer_types", "mlp_layer_types", "attention_layers", "layers_block_type", "moe_layers")
SMALL: dict[str, Any] = {
    **dict.fromkeys(("vocab_size", "vocab_size_per_layer_input", "src_vocab_size", "tgt_vocab_size"), VOCABULARY),
    **dict.fromkeys(("hidden_size", "d_model", "n_embd", "dim", "embed_dim", "embedding_size", "word_embed_dim"), 32),
    **dict.fromkeys(("emb_dim", "d_embed", "rotary_ndims"), 32),
    **dict.fromkeys(("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers"), LAYERS),
    **dict.fromkeys(("decoder_layers", "num_decoder_layers", "num_encoder_layers"), LAYERS),
    **dict.fromkeys(("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads"), 4),
    **dict.fromkeys(("decoder_attention_heads", "num_encoder_attention_heads", "num_decoder_attention_heads"), 4),
    **dict.fromkeys(
        ("intermediate_size", "ffn_dim", "encoder_ffn_dim", "decoder_ffn_dim", "d_ff", "ffn_hidden_size"), 48
    ),
    **dict.fromkeys(("hidden_dim", "d_inner", "intermediate_size_mlp", "mlp_dim", "dff"), 48),
    **dict.fromkeys(("moe_intermediate_size", "shared_expert_intermediate_size", "expert_ffn_hidden_size"), 16),
    **dict.fromkeys(("head_dim", "d_kv", "d_head", "kv_channels", "v_head_dim", "attention_head_dim"), 8),
    **dict.fromkeys(("qk_rope_head_dim", "qk_nope_head_dim", "rotary_dim"), 4),
    **dict.fromkeys(("q_lora_rank", "kv_lora_rank", "hidden_size_per_layer_input"), 8),
    **dict.fromkeys(
        ("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "max_2d_position_embeddings"), 64
    ),
    **dict.fromkeys(("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"), 4),
    **dict.fromkeys(("num_experts_per_tok", "num_experts_per_token", "top_k"), 2),
    **dict.fromkeys(("n_group", "topk_group", "first_k_dense_replace"), 1),
    **dict.fromkeys(("image_size",), 16),
    **dict.fromkeys(("patch_size",), 4),
    "sliding_window": 5,
    "num_key_value_heads": 2,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 2,
}
"""Sizes by their names in configurations."""


def tiny_config(model_type: str) -> PreTrainedConfig:
    """The smallest configuration of this type that the library accepts, as far as a few tries find it."""
    default = AutoConfig.for_model(model_type)
    known = set(default.to_dict()) | set(default.attribute_map)
    sizes: dict[str, Any] = {name: value for name, value in SMALL.items() if name in known}
    for name in ("image_size", "patch_size"):
        if isinstance(getattr(default, name, None), list | tuple):
            sizes[name] = [sizes[name]] * 2
    for name in ("head_dim", "q_lora_rank", "sliding_window", "num_key_value_heads", "rotary_dim"):
        if getattr(default, name, None) is None:
            sizes.pop(name, None)
    if getattr(default, "num_key_value_heads", None) == getattr(default, "num_attention_heads", 0):
        sizes.pop("num_key_value_heads", None)
        if "num_key_value_heads" in known:
            sizes["num_key_value_heads"] = 4
    for name in LAYER_LISTS:
        given = getattr(default, name, None)
        if isinstance(given, list) and given:
            kinds = list(dict.fromkeys(map(str, given)))
            sizes[name] = (kinds + kinds)[:LAYERS] if isinstance(given[0], str) else given[:LAYERS]
    if model_type == "gpt_neo":  # two fields for the number of layers
        sizes |= {"attention_types": [[["global", "local"], 1]], "window_size": 4}
        sizes.pop("attention_layers", None)
    return _made(type(default), sizes)


def _made(config_class: type[PreTrainedConfig], sizes: Mapping[str, Any]) -> PreTrainedConfig:
    """The configuration with these sizes; layer lists, and then more, are left to the library where it refuses them."""
    tries: list[tuple[str, ...]] = [(), LAYER_LISTS, ("head_dim",), (*LAYER_LISTS, "head_dim", "num_key_value_heads")]
    for left_out in tries:
        try:
            return config_class(**{name: value for name, value in sizes.items() if name not in left_out})
        except Exception as error:  # noqa: BLE001 - whatever an unknown configuration raises
            last = error
    raise last


def tiny_model(config: PreTrainedConfig, facts: ModelFacts, implementation: str) -> PreTrainedModel:
    """A model with random weights, large enough for heads to be far from uniform."""
    config = copy.deepcopy(config)
    for part in (config, *(getattr(config, name) for name in config.sub_configs)):
        if hasattr(part, "use_cache"):
            part.use_cache = False
    model_class = getattr(transformers, facts.architecture)
    with torch.random.fork_rng():
        torch.manual_seed(17)
        model: PreTrainedModel = model_class._from_config(config, attn_implementation=implementation)
        for name, parameter in model.named_parameters():
            if parameter.ndim > 1:
                parameter.data.normal_(std=0.15)
            elif name.endswith("sinks"):
                parameter.data.normal_(mean=1.0)
    return model.float().eval().requires_grad_(requires_grad=False)


def tiny_tokenizer() -> PreTrainedTokenizerFast:
    """A word for each id."""
    vocabulary = {f"w{number}": number for number in range(VOCABULARY)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="w3"))  # noqa: S106 - a token of text
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    names = {"pad_token": "w0", "bos_token": "w1", "eos_token": "w2", "unk_token": "w3"}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names)
