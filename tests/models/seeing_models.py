"""Tiny random models of images and texts, and the sizes that odd models share."""

from collections.abc import Callable

import transformers
from tiny_models import SHAPE, VOCABULARY
from transformers import PreTrainedConfig

COMMON = {"vocab_size": VOCABULARY, "bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2}
LLAMA = {**SHAPE, **COMMON, "num_key_value_heads": 2, "intermediate_size": 48, "max_position_embeddings": 64}
VISION = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "image_size": 16,
    "patch_size": 4,
}

SEEING: dict[str, tuple[str, Callable[[], PreTrainedConfig]]] = {
    # Images and texts: a language model of the library's class, one without such a class, and one whose class would
    # scale the logits.
    "seeing-llava": (
        "LlavaForConditionalGeneration",
        lambda: transformers.LlavaConfig(
            vision_config=transformers.CLIPVisionConfig(**VISION),
            text_config=transformers.LlamaConfig(**LLAMA),
            image_token_index=VOCABULARY - 1,
        ),
    ),
    "seeing-gemma": (
        "Gemma3ForConditionalGeneration",
        lambda: transformers.Gemma3Config(
            vision_config=transformers.SiglipVisionConfig(**VISION, vision_use_head=False),
            text_config=transformers.Gemma3TextConfig(**LLAMA, head_dim=8, sliding_window=5),
            mm_tokens_per_image=4,
        ),
    ),
    "seeing-qwen": (
        "Qwen2_5_VLForConditionalGeneration",
        lambda: transformers.Qwen2_5_VLConfig(
            vision_config={
                "depth": 1,
                "hidden_size": 32,
                "num_heads": 4,
                "intermediate_size": 48,
                "out_hidden_size": 64,
            },
            text_config={
                **LLAMA,
                "hidden_size": 64,
                "rope_parameters": {"rope_type": "default", "rope_theta": 10_000.0, "mrope_section": [2, 3, 3]},
            },
        ),
    ),
    "seeing-aya": (
        "AyaVisionForConditionalGeneration",
        lambda: transformers.AyaVisionConfig(
            vision_config=transformers.SiglipVisionConfig(**VISION, vision_use_head=False),
            text_config=transformers.Cohere2Config(**LLAMA, logit_scale=0.25),
            vision_feature_layer=-1,
            downsample_factor=2,
        ),
    ),
}
