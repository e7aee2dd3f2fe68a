"""Tiny random models of any architecture of transformers: its default configuration with every size made small."""

import copy
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import AutoConfig, PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerFast
from transformers.configuration_utils import ALLOWED_ATTN_LAYER_TYPES

from attention_core.pretrained.models.configuration import ATTENTION_LAYERS, ModelFacts
from attention_core.pretrained.models.library_source import modeling_source
from attention_core.pretrained.models.text_towers import text_tower

VOCABULARY = 96
LAYERS = 2
MOST_PARAMETERS = 40_000_000
"""Beyond that some size was not made small."""
OF_IMAGES = "window_attention"
"""A kind of layers that only towers of images have, in the same file as a text part."""
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
    "use_sliding_window": True,
    "num_key_value_heads": 2,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 2,
}
"""Sizes by their names in configurations."""
SECTIONS = {
    "rope_type": "default",
    "rope_theta": 10_000.0,
    "mrope_section": [2, 3, 3],
    "partial_rotary_factor": 1.0,
}
"""A rotation whose pairs are shared out among time, height and width."""
SPEAKING: dict[str, Any] = {
    "latent_dim": 8,
    "num_key_value_heads": 4,
    "audio_prompt_token_id": 4,
    "audio_latent_token_id": 5,
    "audio_bos_token_id": 6,
    "flow_head_config": {
        "hidden_size": 16,
        "num_hidden_layers": 1,
        "latent_dim": 8,
        "condition_dim": 32,
        "frequency_embedding_size": 16,
    },
}
"""Of models that read a text and make sound of it: its stand-ins among the tokens, and the part that makes it."""
SPECIAL: dict[str, dict[str, Any]] = {
    # Two fields for the number of layers.
    "gpt_neo": {
        "attention_types": [[["global", "local"], 1]],
        "attention_layers": ["global", "local"],
        "window_size": 4,
    },
    "reformer": {"axial_pos_embds_dim": [8, 24], "axial_pos_shape": [8, 8]},
    "lilt": {"channel_shrink_ratio": 1, "hidden_size": 48, "num_attention_heads": 4},
    "xmod": {"default_language": "en_XX", "languages": ["en_XX"]},
    "vit_mae": {"mask_ratio": 0.0},
    "dots1": {
        "num_key_value_heads": 4,
        "n_shared_experts": 1,
        "n_routed_experts": 4,
        "layer_types": ["full_attention"] * LAYERS,
    },
    "gemma3n_text": {"num_kv_shared_layers": 0, "layer_types": ["sliding_attention", "full_attention"]},
    **{
        name: {"hidden_size": 64, "head_dim": 16, "num_key_value_heads": 2, "rope_parameters": SECTIONS}
        for name in (
            "glm4v_moe_text",
            "glm4v_text",
            "glm_image_text",
            "glm_ocr_text",
            "qwen2_5_omni_text",
            "qwen2_5_vl_text",
            "qwen2_vl_text",
        )
    },
    "cohere_compass_text": {
        "rope_parameters": {
            kind: {"rope_type": "default", "rope_theta": 10_000.0, "mrope_section": [2, 1, 1]}
            for kind in ("sliding_attention", "full_attention")
        }
    },
    # Its parts have numbers of their own, two of which the library's defaults lack.
    "dbrx": {
        "attn_config": {"kv_n_heads": 2, "rope_theta": 10_000.0, "clip_qkv": 8.0},
        "ffn_config": {"hidden_size": 32, "ffn_hidden_size": 48, "moe_num_experts": 4, "moe_top_k": 2},
    },
    "deepseek_ocr2_text": {"mlp_layer_types": ["dense", "sparse"]},
    "ernie4_5_vl_moe_text": {
        "moe_intermediate_size": [16, 16],
        "rope_parameters": {**SECTIONS, "mrope_section": [1, 1, 2]},
    },
    "hunyuan_vl_text": {"rope_parameters": {**SECTIONS, "mrope_section": [2, 1, 1]}},
    "longcat_flash": {"head_dim": 4},
    "chameleon": {"num_key_value_heads": 4, "vocabulary_map": {"<image>": 4}},
    # Its encoder has a configuration of its own.
    "cohere_asr": {
        "num_key_value_heads": 4,
        "encoder_config": {
            "hidden_size": 40,
            "num_hidden_layers": LAYERS + 1,
            "num_attention_heads": 4,
            "intermediate_size": 48,
            "subsampling_conv_channels": 8,
        },
    },
    "gradium_phonon_tts": {
        **SPEAKING,
        "audio_prompt_dim": 8,
        "num_speakers_vocab_size": 4,
        "num_speakers_embedding_dim": 8,
        "duration_delta_embedding_dim": 8,
    },
    "pocket_tts": {**SPEAKING, "audio_prompt_bos_token_id": 7},
    "luke": {"entity_vocab_size": 8},
    "layoutlmv3": {"hidden_size": 36, "coordinate_size": 6, "shape_size": 6},
}
"""What single architectures need besides."""


def as_published(whole: PreTrainedConfig) -> PreTrainedConfig:
    """The same with layers of every kind that the library's code has for it, in the part that is shown.

    Some defaults have none but full attention where no published model is so (LFM2, MiniMax M3).
    """
    config = copy.deepcopy(whole)
    shown = config if text_tower(config) is config else config.text_config
    kinds = layer_kinds(shown)
    if set(kinds) > set(getattr(shown, "layer_types", None) or []):
        count = shown.num_hidden_layers
        shown.layer_types = (kinds * count)[:count]
    return config


def layer_kinds(config: PreTrainedConfig) -> list[str]:
    """The kinds of its layers, those of this configuration first; if all are attention, also what else its code has."""
    layer_types = dict.fromkeys(map(str, getattr(config, "layer_types", None) or []))
    if not hasattr(config, "layer_types") or not layer_types.keys() <= ATTENTION_LAYERS:
        return list(layer_types)
    source = modeling_source(config)
    known = [kind for kind in ALLOWED_ATTN_LAYER_TYPES if kind != OF_IMAGES and f'"{kind}"' in source]
    return list(layer_types | dict.fromkeys(known))


def tiny_configs(model_type: str) -> Iterator[PreTrainedConfig]:
    """Small configurations of this type, the most likely to make a model first."""
    default = AutoConfig.for_model(model_type)
    sizes = _sizes(default)
    plain = {name: value for name, value in sizes.items() if name not in LAYER_LISTS}
    for tried in (
        sizes,
        plain,
        {**sizes, "head_dim": 8},
        {**plain, "head_dim": 8, "num_key_value_heads": 2},
        {name: value for name, value in sizes.items() if name not in {"head_dim", "num_key_value_heads"}},
        {name: value for name, value in plain.items() if name not in {"head_dim", "num_key_value_heads"}},
    ):
        with suppress(Exception):  # whatever an unknown configuration raises
            yield type(default)(**tried)


def _sizes(default: PreTrainedConfig) -> dict[str, Any]:
    defaults = default.to_dict()
    known = set(defaults) | set(default.attribute_map)
    sizes: dict[str, Any] = {name: value for name, value in SMALL.items() if name in known}
    for name in ("image_size", "patch_size"):
        if isinstance(defaults.get(name), list | tuple):
            sizes[name] = [sizes[name]] * 2
    optional = (
        "head_dim",
        "q_lora_rank",
        "sliding_window",
        "num_key_value_heads",
        "rotary_dim",
        "intermediate_size_mlp",
    )
    for name in (name for name in optional if defaults.get(name) is None):
        sizes.pop(name, None)
    if "qk_rope_head_dim" in known:
        sizes.pop("head_dim", None)
        sizes.pop("num_key_value_heads", None)
    if "num_key_value_heads" in known and defaults.get("num_key_value_heads") == defaults.get("num_attention_heads"):
        sizes["num_key_value_heads"] = 4
    for name in LAYER_LISTS:
        listed = layer_kinds(default) if name == "layer_types" else defaults.get(name)
        if isinstance(listed, list) and listed:
            kinds = list(dict.fromkeys(map(str, listed)))
            sizes[name] = (kinds + kinds)[:LAYERS] if isinstance(listed[0], str) else listed[:LAYERS]
    rope = defaults.get("rope_parameters")
    if isinstance(rope, dict) and "mrope_section" in rope:
        sizes["rope_parameters"] = {**rope, "mrope_section": [2, 1, 1]}
    return sizes | SPECIAL.get(default.model_type, {})


def tiny_model(config: PreTrainedConfig, facts: ModelFacts, implementation: str) -> PreTrainedModel:
    """A model with random weights, large enough for heads to be far from uniform."""
    config = copy.deepcopy(config)
    for part in (config, *(getattr(config, name) for name in config.sub_configs)):
        if hasattr(part, "use_cache"):
            part.use_cache = False
    model_class = _class_of(config, facts.architecture)
    with torch.device("meta"):
        size = sum(parameter.numel() for parameter in model_class._from_config(copy.deepcopy(config)).parameters())
    if size > MOST_PARAMETERS:
        raise ValueError(f"a tiny model has at most {MOST_PARAMETERS} parameters, not {size}")
    with torch.random.fork_rng():
        torch.manual_seed(17)
        model: PreTrainedModel = model_class._from_config(config, attn_implementation=implementation)
        for name, parameter in model.named_parameters():
            if parameter.ndim > 1:
                parameter.data.normal_(std=0.15)
            elif name.endswith("sinks"):
                parameter.data.normal_(mean=1.0)
    return model.float().eval().requires_grad_(requires_grad=False)


def _class_of(config: PreTrainedConfig, name: str) -> Any:
    """By its name in transformers, or in the module of its type: some parts of models are there alone."""
    modeling = type(config).__module__.replace(".configuration_", ".modeling_")
    return getattr(transformers, name, None) or getattr(import_module(modeling), name)


def tiny_tokenizer() -> PreTrainedTokenizerFast:
    """A word for each id."""
    vocabulary = {f"w{number}": number for number in range(VOCABULARY)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="w3"))  # noqa: S106 - a token of text
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    names = {"pad_token": "w0", "bos_token": "w1", "eos_token": "w2", "unk_token": "w3"}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names)
