"""The forms that have names, and what a configuration may not be. (Reading others': test_decoder_weights.)"""

import dataclasses
import re
from typing import Any

import pytest

from attention_core.decoder_config import DecoderConfig


def test_decoder_config_gpt2_form() -> None:
    config = DecoderConfig.gpt2(50, 24, 2, 4)
    assert (config.positions, config.norm, config.feed_forward) == ("learned", "layer", "gelu")
    assert config.bias
    assert config.tied_embeddings
    assert (config.width, config.num_kv_heads, config.qk_norm) == (96, None, None)


def test_decoder_config_llama_form() -> None:
    config = DecoderConfig.llama(50, 24, 2, 4, num_kv_heads=2, hidden_dim=64)
    assert (config.positions, config.norm, config.feed_forward) == ("rope", "rms", "swiglu")
    assert (config.rope.pairing, config.rope.base) == ("half_split", 10_000.0)
    assert not config.bias
    assert not config.tied_embeddings
    assert config.width == 64


def test_decoder_config_modern_form_norms_after_rope() -> None:
    """C39: bias-free projections, GQA, RoPE, QK-norm, in that order."""
    config = DecoderConfig.modern(50, 24, 2, 4, num_kv_heads=2)
    assert (config.bias, config.num_kv_heads, config.positions, config.qk_norm) == (False, 2, "rope", "rms")
    assert not config.qk_norm_before_rope
    assert not config.qk_norm_learned_scale


def test_decoder_config_nanochat_forms() -> None:
    old, new = (form(50, 24, 6, 4) for form in (DecoderConfig.nanochat_2025, DecoderConfig.nanochat_2026))
    for config in (old, new):
        assert (config.feed_forward, config.norm, config.norm_learned_scale) == ("relu_squared", "rms", False)
        assert (config.embedding_norm, config.logit_cap, config.tied_embeddings) == (True, 15.0, False)
        assert (config.qk_norm, config.qk_norm_before_rope, config.qk_norm_learned_scale) == ("rms", False, False)
    changed = {field.name for field in dataclasses.fields(old) if getattr(old, field.name) != getattr(new, field.name)}
    assert changed == {"rope", "qk_gain", "value_embeddings", "window_pattern"}
    assert [old.window(layer) for layer in range(6)] == [None] * 6
    assert [new.window(layer) for layer in range(6)] == [257, 257, 257, None, 257, None]  # 1024 / 4, and its own
    assert [new.has_value_embedding(layer) for layer in range(6)] == [False, True] * 3
    assert dataclasses.replace(new, short_window=5).window(0) == 5


def test_decoder_config_options_win_over_the_form() -> None:
    assert DecoderConfig.gpt2(50, 24, 2, 4, bias=False, positions="alibi").bias is False
    assert DecoderConfig.modern(50, 24, 2, 4, qk_norm="l2").qk_norm == "l2"


def test_decoder_config_cannot_change() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign"):
        DecoderConfig.llama(50, 24, 2, 4).d_model = 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vocab_size": 0}, "vocab_size must be at least 1, not 0"),
        ({"num_layers": -1}, "num_layers must be at least 1, not -1"),
        ({"max_length": 0}, "max_length must be at least 1, not 0"),
        ({"num_heads": 5}, "num_heads must divide d_model (24), which 5 does not"),
        ({"num_kv_heads": 3}, "num_kv_heads must divide num_heads (4), which 3 does not"),
        ({"d_model": 20}, "d_model must give an even head dimension, because RoPE rotates pairs, not 5"),
        ({"head_dim": 3}, "head_dim must give an even head dimension, because RoPE rotates pairs, not 3"),
        ({"init_std": 0.0}, "init_std must be > 0, not 0.0"),
        ({"attention_scale": -1.0}, "attention_scale must be > 0, not -1.0"),
        ({"qk_gain": 0.0}, "qk_gain must be > 0, not 0.0"),
        ({"logit_cap": -15.0}, "logit_cap must be > 0, not -15.0"),
        ({"window_pattern": ""}, "window_pattern must consist of the letters S and L, not ''"),
        ({"window_pattern": "SXL"}, "window_pattern must consist of the letters S and L, not 'SXL'"),
        ({"short_window": 0}, "short_window must be at least 1, not 0"),
        (
            {"d_model": 15, "num_heads": 3, "positions": "sinusoidal"},
            "d_model must be even for sinusoidal positions, not 15",
        ),
    ],
)
def test_decoder_config_refuses(options: dict[str, Any], message: str) -> None:
    sizes = {"vocab_size": 50, "d_model": 24, "num_layers": 2, "num_heads": 4}
    with pytest.raises(ValueError, match=re.escape(message)):
        DecoderConfig(**(sizes | options))
