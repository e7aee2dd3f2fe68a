"""Which models of images or sounds and texts have a text part that can be shown, by their configuration.

Gemma 3, LLaVA or Qwen2-VL put what they see into the sequence of a language model. Of a text alone, that language model
makes what the whole model makes of it, so it is shown as a model of its own (``text_tower_model`` takes it out).
"""

import copy

from transformers import PreTrainedConfig
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES,
    MODEL_FOR_MULTIMODAL_LM_MAPPING_NAMES,
    MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES,
    MODEL_MAPPING_NAMES,
)
from transformers.utils import is_timm_available

from attention_core.refusal import Sentence

WHOLES = (
    MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES,
    MODEL_FOR_MULTIMODAL_LM_MAPPING_NAMES,
    MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES,
)
"""The library's lists of classes that write texts about images or sounds."""
NEEDS_TIMM = Sentence("Its image part needs the package timm, which is not installed on this server.")
OF_TIMM = frozenset({"gemma3n_vision", "timm_backbone", "timm_wrapper"})


def whole_class_name(config: PreTrainedConfig) -> str | None:
    """The class that holds the text part: the saved one, if it does, else the one that writes; None of other types."""
    writes = [name for mapping in WHOLES if (name := mapping.get(config.model_type)) is not None]
    if not writes:
        return None
    saved = (config.architectures or [None])[0]
    return saved if saved in {*writes, MODEL_MAPPING_NAMES.get(config.model_type)} else writes[0]


def text_tower(config: PreTrainedConfig) -> PreTrainedConfig:
    """Of a model that writes texts about images or sounds, the configuration of its text part; else the same."""
    part = getattr(config, "text_config", None)
    name = whole_class_name(config)
    if not isinstance(part, PreTrainedConfig) or name is None:
        return config
    part = copy.deepcopy(part)
    is_bare = name == MODEL_MAPPING_NAMES.get(config.model_type)
    writers = (
        MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES if part.is_encoder_decoder else (MODEL_FOR_CAUSAL_LM_MAPPING_NAMES)
    )
    writer = None if is_bare else writers.get(part.model_type)
    part.architectures = None if writer is None else [writer]
    return part


def why_not_built(config: PreTrainedConfig) -> Sentence | None:
    """Why the library cannot build the whole model here, so that its text part cannot be taken out; None if it can."""
    parts = [getattr(config, name, None) for name in config.sub_configs]
    is_missing = any(getattr(part, "model_type", None) in OF_TIMM for part in parts) and not is_timm_available()
    return NEEDS_TIMM if is_missing else None
