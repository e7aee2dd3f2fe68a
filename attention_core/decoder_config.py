"""Immutable configuration of the decoder, with presets for GPT-2, Llama and a modern block.

``gpt2``: learned positions, LayerNorm, GELU, biases, tied embeddings. ``llama``: RoPE, RMSNorm, SwiGLU, grouped keys,
no biases. ``modern``: the Llama form with RMS-normed queries and keys after RoPE and no learned scale on them, the
order of nanochat. ``nanochat_2025`` and ``nanochat_2026``: nanochat's whole block, as it was at first and as it is now.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import torch

from attention_core.block_norm import BlockNorm, check_norm
from attention_core.feed_forward import FeedForwardKind, check_feed_forward
from attention_core.head_sizes import default_head_dim, kv_head_of_query_heads
from attention_core.qk_norm import NormKind
from attention_core.refusal import InvalidValueError, check_at_least, check_choice
from attention_core.rope import Rope
from attention_core.rope_scaling import from_rope_parameters

Positions = Literal["learned", "sinusoidal", "rope", "alibi", "none"]
HALF_SPLIT = Rope("half_split")


@dataclass(frozen=True)
class DecoderConfig:
    """A decoder-only transformer. Every block is norm → attention → add → norm → feed-forward → add."""

    vocab_size: int
    d_model: int
    num_layers: int
    num_heads: int
    num_kv_heads: int | None = None
    """As many as heads unless given."""
    head_dim: int | None = None
    """``d_model / num_heads`` unless given."""
    hidden_dim: int | None = None
    """Width of the feed-forward layer: ``4 · d_model`` unless given."""
    max_length: int = 1024
    positions: Positions = "rope"
    rope: Rope = HALF_SPLIT
    norm: BlockNorm = "rms"
    norm_epsilon: float = 1e-6
    norm_learned_scale: bool = True
    embedding_norm: bool = False
    """Whether the embeddings are normalised before the first block."""
    feed_forward: FeedForwardKind | None = "swiglu"
    """None: attention only."""
    bias: bool = False
    qk_norm: NormKind | None = None
    qk_norm_before_rope: bool = False
    qk_norm_learned_scale: bool = True
    qk_norm_epsilon: float | None = None
    qk_gain: float = 1.0
    """Factor of queries and keys each, after norm and RoPE: scores grow by its square."""
    value_embeddings: bool = False
    """Whether the last block and every other one before it add a ``ValueEmbedding`` to their values."""
    window_pattern: str | None = None
    """S or L for each block, repeated over the blocks; L: all earlier keys, S: ``short_window``. The last block is
    always L. None: all blocks are."""
    short_window: int | None = None
    """Keys that a query sees in a short block, its own included: those of a quarter of ``max_length`` before it and
    itself unless given. (nanochat rounds the quarter up to a multiple of 128.)"""
    attention_scale: float | None = None
    """Factor of the raw scores: ``1/√head_dim``, or ``√head_dim`` with L2 norm, unless given."""
    tied_embeddings: bool = False
    """Whether the token embedding is also the output matrix."""
    logit_cap: float | None = None
    """Logits are ``cap · tanh(logits / cap)``."""
    dropout: float = 0.0
    init_std: float | None = 0.02
    """Weights start at N(0, init_std²); None keeps torch's initialisation of Linear, and embeddings at N(0, 1)."""

    def __post_init__(self) -> None:
        sizes = ("vocab_size", "d_model", "num_layers", "num_heads", "max_length")
        check_at_least(1, **{name: getattr(self, name) for name in sizes})
        for name in ("init_std", "attention_scale", "qk_gain", "logit_cap"):
            if (value := getattr(self, name)) is not None and not value > 0:
                raise InvalidValueError("{name} must be > {least}, not {given}", name, 0, value)
        if self.positions == "sinusoidal" and self.d_model % 2:
            raise InvalidValueError("d_model must be even for sinusoidal positions, not {d_model}", self.d_model)
        check_norm(self.norm)
        if self.short_window is not None:
            check_at_least(1, short_window=self.short_window)
        if self.window_pattern is not None and (not self.window_pattern or set(self.window_pattern) - {"S", "L"}):
            raise InvalidValueError(
                "window_pattern must consist of the letters S and L, not {given}", repr(self.window_pattern)
            )
        if self.feed_forward is not None:
            check_feed_forward(self.feed_forward)
        kv_heads = self.num_heads if self.num_kv_heads is None else self.num_kv_heads
        kv_head_of_query_heads(self.num_heads, kv_heads)
        head_dim = default_head_dim(self.d_model, self.num_heads) if self.head_dim is None else self.head_dim
        if self.positions == "rope" and (self.rope.rotary_dim or head_dim) % 2:
            name = "d_model" if self.head_dim is None else "head_dim"
            raise InvalidValueError(
                "{name} must give an even head dimension, because RoPE rotates pairs, not {head_dim}", name, head_dim
            )

    @property
    def width(self) -> int:
        """Hidden size of the feed-forward layer."""
        return 4 * self.d_model if self.hidden_dim is None else self.hidden_dim

    def has_value_embedding(self, layer: int) -> bool:
        """Whether this block adds a value embedding: the last one and every other one before it."""
        return self.value_embeddings and layer % 2 == (self.num_layers - 1) % 2

    def window(self, layer: int) -> int | None:
        """How many keys a query sees in this block, its own included; None: all up to its own."""
        pattern = self.window_pattern
        if pattern is None or layer == self.num_layers - 1 or pattern[layer % len(pattern)] == "L":
            return None
        return math.ceil(self.max_length / 4) + 1 if self.short_window is None else self.short_window

    @classmethod
    def gpt2(cls, vocab_size: int, d_model: int, num_layers: int, num_heads: int, **options: Any) -> "DecoderConfig":
        """Radford et al. 2019."""
        form: dict[str, Any] = {
            "positions": "learned",
            "norm": "layer",
            "norm_epsilon": 1e-5,
            "feed_forward": "gelu",
            "bias": True,
            "tied_embeddings": True,
        }
        return cls(vocab_size, d_model, num_layers, num_heads, **(form | options))

    @classmethod
    def llama(cls, vocab_size: int, d_model: int, num_layers: int, num_heads: int, **options: Any) -> "DecoderConfig":
        """Touvron et al. 2023, in transformers' pairing of RoPE."""
        return cls(vocab_size, d_model, num_layers, num_heads, **options)

    @classmethod
    def modern(cls, vocab_size: int, d_model: int, num_layers: int, num_heads: int, **options: Any) -> "DecoderConfig":
        """Bias-free projections, grouped keys, RoPE, QK-norm, KV cache, in that order."""
        form: dict[str, Any] = {"qk_norm": "rms", "qk_norm_learned_scale": False}
        return cls(vocab_size, d_model, num_layers, num_heads, **(form | options))

    @classmethod
    def nanochat_2025(
        cls, vocab_size: int, d_model: int, num_layers: int, num_heads: int, **options: Any
    ) -> "DecoderConfig":
        """Karpathy's nanochat as published in October 2025, and in transformers.

        The modern form with relu² (MLP of two matrices), RMS norms without parameters, one of them after the token
        embedding, and logits bounded by 15. (It rotates clockwise; ``copy_nanochat`` says what that does to weights.)
        """
        form: dict[str, Any] = {
            "feed_forward": "relu_squared",
            "norm_learned_scale": False,
            "embedding_norm": True,
            "logit_cap": 15.0,
        }
        return cls.modern(vocab_size, d_model, num_layers, num_heads, **(form | options))

    @classmethod
    def nanochat_2026(
        cls, vocab_size: int, d_model: int, num_layers: int, num_heads: int, **options: Any
    ) -> "DecoderConfig":
        """nanochat in 2026: gated value embeddings, windows, queries and keys × 1.2, and RoPE to the base 100,000.

        Left out: what mixes whole streams (each block's learned scalars of its input and of the embedding, the gated
        embedding of the previous token, and the middle block's output subtracted at the end).
        """
        form: dict[str, Any] = {
            "rope": Rope("half_split", 100_000.0),
            "qk_gain": 1.2,
            "value_embeddings": True,
            "window_pattern": "SSSL",
        }
        return cls.nanochat_2025(vocab_size, d_model, num_layers, num_heads, **(form | options))


def from_transformers(settings: Mapping[str, Any]) -> DecoderConfig:
    """The configuration of a GPT-2, Llama, Qwen3 or nanochat checkpoint (its ``config.json``, or ``config.to_dict()``).

    Raises ValueError for another ``model_type``, or an option that this decoder does not have.
    """
    readers = {"gpt2": _from_gpt2, "llama": _from_llama, "nanochat": _from_nanochat, "qwen3": _from_qwen3}
    kind = settings.get("model_type")
    check_choice("model_type", kind, readers)
    return readers[str(kind)](settings)


def _from_gpt2(settings: Mapping[str, Any]) -> DecoderConfig:
    _must_be(settings, "activation_function", {"gelu_new", "gelu_pytorch_tanh"}, "gelu_new")
    _must_be(settings, "scale_attn_by_inverse_layer_idx", {False}, default=False)
    _must_be(settings, "scale_attn_weights", {True}, default=True)
    _must_be(settings, "add_cross_attention", {False}, default=False)
    return DecoderConfig.gpt2(
        settings["vocab_size"],
        settings["n_embd"],
        settings["n_layer"],
        settings["n_head"],
        hidden_dim=settings.get("n_inner"),
        max_length=settings["n_positions"],
        norm_epsilon=settings["layer_norm_epsilon"],
        tied_embeddings=settings.get("tie_word_embeddings", True),
    )


def _from_llama(settings: Mapping[str, Any], **options: Any) -> DecoderConfig:
    _must_be(settings, "hidden_act", {"silu"}, "silu")
    _must_be(settings, "mlp_bias", {False}, default=False)
    return DecoderConfig.llama(**_sizes_and_rope(settings), **options)


def _from_qwen3(settings: Mapping[str, Any]) -> DecoderConfig:
    _must_be(settings, "use_sliding_window", {False}, default=False)
    return _from_llama(settings, qk_norm="rms", qk_norm_before_rope=True, qk_norm_epsilon=settings["rms_norm_eps"])


def _from_nanochat(settings: Mapping[str, Any]) -> DecoderConfig:
    """transformers has the form of 2025."""
    _must_be(settings, "hidden_act", {"relu2"}, "relu2")
    own = {"qk_norm_epsilon": settings["rms_norm_eps"], "logit_cap": settings.get("final_logit_softcapping", 15.0)}
    return DecoderConfig.nanochat_2025(**_sizes_and_rope(settings), **own)


def _sizes_and_rope(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What Llama and its descendants call the same. Raises ValueError for biases, or half-rotated heads."""
    _must_be(settings, "attention_bias", {False}, default=False)
    rope = dict(settings.get("rope_parameters") or settings.get("rope_scaling") or {})
    base = rope.get("rope_theta") or settings.get("rope_theta", 10_000.0)
    _must_be(rope, "partial_rotary_factor", {1.0, None}, 1.0)
    max_length = settings["max_position_embeddings"]
    return {
        "vocab_size": settings["vocab_size"],
        "d_model": settings["hidden_size"],
        "num_layers": settings["num_hidden_layers"],
        "num_heads": settings["num_attention_heads"],
        "num_kv_heads": settings.get("num_key_value_heads"),
        "head_dim": settings.get("head_dim"),
        "hidden_dim": settings["intermediate_size"],
        "max_length": max_length,
        # In float32, as transformers computes angles: the last digit of a weight depends on it.
        "rope": Rope("half_split", base, from_rope_parameters(rope, max_length), angle_dtype=torch.float32),
        "norm_epsilon": settings["rms_norm_eps"],
        "tied_embeddings": settings.get("tie_word_embeddings", False),
    }


def _must_be(settings: Mapping[str, Any], name: str, allowed: set[Any], default: Any) -> None:
    if (value := settings.get(name, default)) not in allowed:
        raise InvalidValueError(
            "{name} must be {wanted}, not {given}", name, " or ".join(map(repr, allowed)), repr(value)
        )
