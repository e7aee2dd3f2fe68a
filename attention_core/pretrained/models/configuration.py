"""Facts about a model from its configuration, before any weight is loaded."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from transformers import PreTrainedConfig
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    MODEL_FOR_TEXT_ENCODING_MAPPING_NAMES,
    MODEL_MAPPING_NAMES,
)

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.library_source import modeling_source
from attention_core.pretrained.models.model_classes import model_class_name, names_of
from attention_core.pretrained.models.preprocessing.image_rules import patch_grid, reads_images
from attention_core.pretrained.models.preprocessing.sound_rules import reads_sounds
from attention_core.pretrained.models.rope_limits import stretched_length
from attention_core.pretrained.models.without_attention import WITHOUT_ATTENTION
from attention_core.refusal import Sentence

TOKENS_WITHOUT_LIMIT = 4096
"""max_tokens of models with unlimited positions (T5, ALiBi) whose tokenizer sets no limit either."""

POSITIONS_AFTER_PADDING = frozenset(
    {
        "camembert",
        "data2vec-text",
        "esm",
        "ibert",
        "longformer",
        "markuplm",
        "mpnet",
        "roberta",
        "roberta-prelayernorm",
        "xlm-roberta",
    }
    | {"xlm-roberta-xl", "xmod", "luke", "lilt", "layoutlmv3"}
)
"""The first position of a text is ``pad_token_id + 1``, so the table serves that many tokens fewer."""

SINUSOIDAL = frozenset(
    {"ctrl", "fsmt", "m2m_100", "marian", "nllb-moe", "pegasus", "pegasus_x", "seamless_m4t", "seamless_m4t_v2"}
)
ROTARY_WITHOUT_PARAMETERS = frozenset({"codegen", "gptj", "roformer"})
ALIBI = frozenset({"bloom", "mpt"})
TWICE_IN_WINDOWS = frozenset({"mimo_v2_flash"})
"""Layers with a window have twice as many key/value heads."""

NOT_SHOWN: Mapping[str, Sentence] = {
    "csm": Sentence("It predicts codes of sound, not tokens of the text that it reads, which is not supported here."),
    **dict.fromkeys(
        ("mimi", "neucodec", "pocket_tts_audio_tokenizer", "xcodec2"),
        Sentence("It encodes a sound and decodes it again, with attention in both parts, which is not supported here."),
    ),
}
"""Architectures that are made of several parts with attention, with the reason why none is shown."""

ATTENTION_LAYERS = frozenset({"full_attention", "sliding_attention", "chunked_attention"})
"""Kinds of layers whose attention is one softmax over keys, unlike recurrent or convolutional layers."""


@dataclass(frozen=True)
class ModelFacts:
    """The shape of a model. ``layers`` and heads of an encoder–decoder model are its encoder's."""

    architecture: str
    kind: str
    """encoder, decoder or encoder_decoder."""
    layers: int
    heads: int
    kv_heads: int | None
    """None if layers differ; likewise head_dim."""
    head_dim: int | None
    max_tokens: int
    positions: str
    """learned, sinusoidal, rope, alibi, relative_bias or none."""
    reads: str = "text"
    """text, image or sound."""
    decoder_layers: int | None = None
    """Decoder layers of an encoder–decoder model."""
    max_target_tokens: int | None = None
    """What its decoder reads at most."""
    weights_only: bool = False
    """Whether only the weights that its own attention returns can be shown."""
    text_part_of: str | None = None
    """The type of the model whose text part this is; that model takes images or sounds, too."""


def facts_from(config: PreTrainedConfig, tokenizer_limit: int | None) -> ModelFacts:
    """Parse a configuration; ``tokenizer_limit`` applies where the model's positions set no limit.

    Raises ModelUnavailableError if the model's input is not text, one image or one sound, or if its attention is not
    supported.
    """
    _refuse_foreign(config)
    architecture = model_class_name(config)
    _refuse_other_inputs(config, architecture)
    kind = _kind(config, architecture)
    side = "decoder" if kind == "decoder" else "encoder"
    part = getattr(config, "encoder_config", config) if kind == "encoder_decoder" else config
    layers = _whole(part, f"{side}_layers", "num_hidden_layers")
    heads, kv_heads, head_dim = _heads(part, f"{side}_attention_heads")
    hears = reads_sounds(config, architecture)
    patches = math.prod(patch_grid(config)) if reads_images(config) else 0
    return ModelFacts(
        architecture=architecture,
        kind=kind,
        layers=layers,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        max_tokens=patches + 1 if patches else _max_tokens(config, side, tokenizer_limit),
        positions=_image_positions(config) if patches else _positions(config),
        reads="image" if patches else "sound" if hears else "text",
        decoder_layers=_whole(config, "decoder_layers", "num_decoder_layers", "num_hidden_layers")
        if kind == "encoder_decoder"
        else None,
        max_target_tokens=_max_tokens(config, "decoder", tokenizer_limit) if kind == "encoder_decoder" else None,
    )


def _heads(config: PreTrainedConfig, name: str) -> tuple[int, int | None, int | None]:
    """Query heads, key heads and head size; None for what differs between layers."""
    shapes = {_heads_of(each, name) for each in (config.per_layer_config if config.is_heterogeneous else [config])}
    if config.model_type in TWICE_IN_WINDOWS:
        times = [2 if kind == "sliding_attention" else 1 for kind in config.layer_types]
        shapes = {(heads, kv_heads * each, size) for heads, kv_heads, size in shapes for each in times}
    if len({heads for heads, _, _ in shapes}) > 1:
        raise ModelUnavailableError("Its layers have different numbers of heads, which is not supported here.")
    first, *others = shapes
    heads, kv_heads, head_dim = first
    same = [all(other[place] == first[place] for other in others) for place in range(3)]
    return heads, kv_heads if same[1] else None, head_dim if same[2] else None


def _heads_of(config: PreTrainedConfig, name: str) -> tuple[int, int, int]:
    heads = _whole(config, name, "num_attention_heads")
    size = _head_dim(config, heads)
    if hasattr(config, "head_ratio"):  # ConvBERT: the other heads are convolutions
        heads = max(1, heads // config.head_ratio)
        size = _whole(config, "hidden_size") // heads // 2
    kv_heads = _kv_heads(config) or heads
    if heads % kv_heads:
        raise ModelUnavailableError(
            "config.json gives {heads} heads, which cannot share {kv_heads} key/value heads evenly.", heads, kv_heads
        )
    return heads, kv_heads, size


def _kv_heads(config: PreTrainedConfig) -> int | None:
    """None for as many as there are heads."""
    grouped = getattr(config, "new_decoder_architecture", False)  # of Falcon, which then ignores multi_query
    if hasattr(config, "multi_query") and not grouped:
        return 1 if config.multi_query else None
    kv_heads: int | None = getattr(config, "num_key_value_heads", None) or getattr(config, "num_kv_heads", None)
    return kv_heads


def _head_dim(config: PreTrainedConfig, heads: int) -> int:
    """Of queries and keys, which of latent attention have one part with a position and one without."""
    if (without := getattr(config, "qk_nope_head_dim", None)) is not None:
        return int(without + config.qk_rope_head_dim)
    declared = getattr(config, "head_dim", None)
    return int(declared or _whole(config, "true_hidden_size", "d_model", "hidden_size") // heads)


def _refuse_foreign(config: PreTrainedConfig) -> None:
    if (reason := WITHOUT_ATTENTION.get(config.model_type) or NOT_SHOWN.get(config.model_type)) is not None:
        raise ModelUnavailableError(reason)
    parts = [name for name in config.sub_configs if isinstance(getattr(config, name, None), PreTrainedConfig)]
    if "text_config" in parts and ("vision_config" in parts or "image_config" in parts):
        raise ModelUnavailableError("It compares or combines images with texts, and neither part can be shown alone.")
    if "vision_config" in parts:
        raise ModelUnavailableError("It combines images with other inputs, which is not supported here.")
    if "audio_config" in parts:
        raise ModelUnavailableError("It combines sound with other inputs, which is not supported here.")
    if parts and not hasattr(config, "num_hidden_layers"):
        raise ModelUnavailableError("It is made of several models, none of which can be shown alone.")
    has_size = hasattr(config, "image_size")
    if has_size and config.model_type in MODEL_MAPPING_NAMES and not reads_images(config):
        raise ModelUnavailableError("It does not take one image as a grid of patches, which is all that is supported.")
    foreign = sorted(set(getattr(config, "layer_types", None) or ()) - ATTENTION_LAYERS)
    if foreign:
        raise ModelUnavailableError(
            "Some of its layers do not compute attention that can be shown: {foreign}.", ", ".join(foreign)
        )


def _refuse_other_inputs(config: PreTrainedConfig, architecture: str) -> None:
    """Refuse a class whose forward pass takes no ids of tokens, by the library's code."""
    if reads_sounds(config, architecture):
        return
    block = _source_of(config, architecture)
    if not reads_images(config) and "def forward" in block and "input_ids" not in block:
        raise ModelUnavailableError("It reads neither a text nor a single image, but something else.")


def _source_of(config: PreTrainedConfig, architecture: str) -> str:
    """The library's code of this class; empty if it is inherited whole."""
    _, _, behind = modeling_source(config).partition(f"\nclass {architecture}(")
    return re.split(r"\n(?:class|def|@) ?", behind, maxsplit=1)[0]


def _kind(config: PreTrainedConfig, architecture: str) -> str:
    if reads_images(config):
        return "encoder"
    model_type = config.model_type
    causal = names_of(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.get(model_type))
    if config.is_encoder_decoder:
        if architecture in names_of(MODEL_FOR_TEXT_ENCODING_MAPPING_NAMES.get(model_type)):
            return "encoder"
        return "decoder" if architecture in causal else "encoder_decoder"
    if architecture in names_of(MODEL_FOR_TEXT_ENCODING_MAPPING_NAMES.get(model_type)) and "Encoder" in architecture:
        return "encoder"
    both_ways = getattr(config, "use_bidirectional_attention", None) in {True, "all"}
    both_ways = both_ways or getattr(config, "attn_type", None) == "bi"  # of XLNet
    if both_ways or not getattr(config, "is_causal", True):
        return "encoder"
    return "decoder" if getattr(config, "is_decoder", False) or _reads_back_only(config, architecture) else "encoder"


def _reads_back_only(config: PreTrainedConfig, architecture: str) -> bool:
    """Whether attention is causal: from the masks of the library's code, else from the architecture's purpose.

    The class's own masks count: beside it in the file there may be a tower of images.
    """
    of_class, source = _source_of(config, architecture), modeling_source(config)
    makes = [f"create_{name}_mask(" in of_class for name in ("causal", "bidirectional")]
    if not any(makes):
        makes = [f"create_{name}_mask(" in source for name in ("causal", "bidirectional")]
    only_causal = bool(names_of(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.get(config.model_type))) and (
        config.model_type not in MODEL_FOR_MASKED_LM_MAPPING_NAMES
    )
    return makes == [True, False] or (only_causal and not (all(makes) and hasattr(config, "is_decoder")))


def _positions(config: PreTrainedConfig) -> str:
    model_type = config.model_type
    named = getattr(config, "position_embedding_type", None)
    if model_type in ALIBI or named == "alibi" or getattr(config, "alibi", False):
        return "alibi"
    if getattr(config, "rope_parameters", None) or model_type in ROTARY_WITHOUT_PARAMETERS or named == "rotary":
        return "rope"
    if model_type in SINUSOIDAL or getattr(config, "sinusoidal_pos_embds", False):
        return "sinusoidal"
    if _position_table(config) is not None:
        return "learned"
    return "relative_bias" if hasattr(config, "relative_attention_num_buckets") else "none"


def _image_positions(config: PreTrainedConfig) -> str:
    biased = ("use_relative_position_bias", "use_shared_relative_position_bias")
    if any(getattr(config, name, False) for name in biased):
        return "relative_bias"
    return "rope" if any(hasattr(config, name) for name in ("rope_parameters", "rope_theta")) else "learned"


def _position_table(config: PreTrainedConfig, side: str = "encoder") -> int | None:
    for name in (f"max_{side}_position_embeddings", "max_position_embeddings", "max_seq_len"):
        size = getattr(config, name, None)
        if isinstance(size, int) and 0 < size < 2**31:
            return size
    return None


def _max_tokens(config: PreTrainedConfig, side: str, tokenizer_limit: int | None) -> int:
    if isinstance(target := getattr(config, "max_target_positions", None), int):
        return target
    table = _position_table(config, side)
    if table is None:
        return tokenizer_limit or TOKENS_WITHOUT_LIMIT
    if config.model_type in POSITIONS_AFTER_PADDING:
        padding = 1 if config.model_type == "mpnet" else config.pad_token_id or 0  # in MPNet's code, whatever is given
        table -= padding + 1
    return max(table, stretched_length(config) or 0)


def _whole(config: PreTrainedConfig, *names: str) -> int:
    for name in names:
        value: Any = getattr(config, name, None)
        if isinstance(value, int) and 0 < value < 2**31:
            return value
    raise ModelUnavailableError("config.json does not give {name} as one positive number.", names[-1])
