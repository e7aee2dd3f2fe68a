"""Which of three an architecture is, from config.json alone."""

import time
from typing import Any

import pytest
import transformers

from attention_core.pretrained.models.support import support_from_json


@pytest.mark.parametrize(
    ("content", "level", "words"),
    [
        (transformers.GPT2Config().to_dict(), "carried", ""),
        (transformers.BertConfig().to_dict(), "carried", ""),
        ({"model_type": "bert", "auto_map": {"AutoModel": "custom.Model"}}, "refused", "custom code"),
        ({"model_type": "no-such-type"}, "refused", "does not know"),
        ({"model_type": "llama", "quantization_config": {"bits": 4}}, "refused", "quantized"),
        ({"model_type": "lilt"}, "weights_only", "AttentionInterface"),
        ({"model_type": "longformer"}, "carried", ""),
        ({"model_type": "yoso"}, "refused", "not the weights of every query"),
        ({"model_type": "dpr"}, "carried", ""),
        ({"model_type": "whisper"}, "carried", ""),
        ({"model_type": "gemma3"}, "carried", ""),
        ({"model_type": "voxtral"}, "carried", ""),
        ({"model_type": "qwen3_5"}, "refused", "linear_attention"),
        ({"model_type": "granite_docling"}, "refused", "what the whole model computes"),
        ({"model_type": "metaclip_2"}, "refused", "neither part can be shown alone"),
        ({"model_type": "sam"}, "refused", "images with other inputs"),
        ({"model_type": "fnet"}, "refused", "Fourier"),
        ({"model_type": "rwkv"}, "refused", "recurrent"),
        ({"model_type": "convnext"}, "refused", "convolutional"),
        ({"model_type": "wav2vec2-bert"}, "carried", ""),
        ({"model_type": "seamless_m4t_v2"}, "carried", ""),
        ({"model_type": "cohere_asr"}, "carried", ""),
        ({"model_type": "csm"}, "refused", "codes of sound"),
        ({"model_type": "mimi"}, "refused", "decodes it again"),
        ({"model_type": "granite_speech5_encoder"}, "refused", "blocks of the sound"),
        ({"model_type": "swin"}, "refused", "windows"),
        ({"model_type": "bark"}, "refused", "several"),
        ({"model_type": "llama", "num_attention_heads": "many"}, "refused", "does not fit"),
        ({}, "refused", "model_type"),
    ],
)
def test_support(content: dict[str, object], level: str, words: str) -> None:
    support = support_from_json(content)
    assert support.level == level
    assert words in str(support.reason or "")
    assert level == "refused" or support.facts is not None


@pytest.mark.parametrize(
    "content",
    [
        {"model_type": "bert", "num_labels": 10**9},
        {"model_type": "qwen3", "num_hidden_layers": 10**9},
        {"model_type": "gpt2", "n_layer": 10**12},
        {"model_type": "llava", "text_config": {"model_type": "qwen3", "num_hidden_layers": 10**9}},
        {"model_type": "qwen3", "num_hidden_layers": float("inf")},
        {"model_type": "qwen3", "num_hidden_layers": float("nan")},
    ],
)
def test_no_list_is_made_of_a_number_that_no_model_has(content: dict[str, Any]) -> None:
    started = time.monotonic()
    support = support_from_json(content)
    assert time.monotonic() - started < 5
    assert support.level == "refused"
    assert "the most that is taken for a model" in str(support.reason)
