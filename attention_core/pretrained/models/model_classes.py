"""Which class of transformers a model is loaded with, and whether that tells classes of a text."""

from collections.abc import Mapping

from transformers import PreTrainedConfig
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING_NAMES,
    MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES,
    MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES,
    MODEL_FOR_TEXT_ENCODING_MAPPING_NAMES,
    MODEL_MAPPING_NAMES,
)

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.preprocessing.image_rules import reads_images

FURTHER_CLASSES = {
    "dpr": ("DPRContextEncoder",),
    "deepseek_ocr2_text": ("DeepseekOcr2TextModel",),
    "emu3_text_model": ("Emu3TextModel", "Emu3ForCausalLM"),
    "ernie4_5_vl_moe_text": ("Ernie4_5_VLMoeTextModel",),
    "granite4_vision_text": ("Granite4VisionTextModel",),
    "paddleocr_vl_text": ("PaddleOCRTextModel",),
    "qwen2_5_omni_text": ("Qwen2_5OmniThinkerTextModel",),
    "qwen3_omni_moe_text": ("Qwen3OmniMoeThinkerTextModel",),
}
"""Models that the library's lists do not have, the bare one first."""

CLASSIFYING_ENCODERS = frozenset({"bert", "distilbert", "roberta"})
"""Encoders whose classifiers of texts are loaded with their heads; of others the body is."""

READING_TEXTS = {"seamless_m4t": "SeamlessM4TForTextToText", "seamless_m4t_v2": "SeamlessM4Tv2ForTextToText"}
"""Of models with one encoder for texts and one for sounds, the class with the former. The latter ends in a layer of
fewer positions, which could not be shown beside the others."""


def model_class_name(config: PreTrainedConfig) -> str:
    """The class to load: the saved one if it predicts tokens or classes, or is the bare model; else the bare model.

    Of models with another head, one that finds answers in a text for example, only the body is loaded.
    """
    if (reading := READING_TEXTS.get(config.model_type)) is not None:
        return reading
    known = {
        name
        for mapping in (
            MODEL_MAPPING_NAMES,
            MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
            MODEL_FOR_MASKED_LM_MAPPING_NAMES,
            MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
            MODEL_FOR_TEXT_ENCODING_MAPPING_NAMES,
            MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES,
            FURTHER_CLASSES,
            *((MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES,) if _tells_classes(config) else ()),
            *((MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING_NAMES,) if reads_images(config) else ()),
        )
        for name in names_of(mapping.get(config.model_type))
    }
    saved = (config.architectures or [None])[0]
    if saved in known:
        return saved
    bare = names_of(MODEL_MAPPING_NAMES.get(config.model_type) or FURTHER_CLASSES.get(config.model_type))
    if not bare:
        raise ModelUnavailableError("transformers has no base model of the type {model_type}.", config.model_type)
    return bare[0]


def class_names(config: PreTrainedConfig, architecture: str) -> Mapping[int, str] | None:
    """The classes of a classifier of texts, by id; None if this class of the library is none."""
    if architecture not in names_of(MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES.get(config.model_type)):
        return None
    return config.id2label or {}


def _tells_classes(config: PreTrainedConfig) -> bool:
    """Whether the head for sequences, if it is one, tells one of several classes of a text, and an encoder reads it.

    (A decoder's reads the last token before any padding; regression has no classes, and with several labels at once
    probabilities do not add up to 1.)
    """
    encoder = config.model_type in CLASSIFYING_ENCODERS and not getattr(config, "is_decoder", False)
    one_of_several = getattr(config, "problem_type", None) in {None, "single_label_classification"}
    return encoder and one_of_several and config.num_labels > 1


def names_of(value: str | tuple[str, ...] | list[str] | None) -> tuple[str, ...]:
    """The names in an entry of the library's lists, which is one, several or none."""
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)
