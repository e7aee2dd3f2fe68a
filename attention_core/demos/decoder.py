"""Run a small random decoder on a few tokens: every stage of every block as numpy arrays."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
import torch
from jaxtyping import Bool, Float

from attention_core.attend import entropy, softmax
from attention_core.decoder import BlockTrace, Decoder, DecoderTrace
from attention_core.decoder_config import DecoderConfig, Positions
from attention_core.feed_forward import FeedForwardKind
from attention_core.multi_head_trace import ShapeStep
from attention_core.precision import DTYPES, Precision
from attention_core.qk_norm import NormKind
from attention_core.refusal import InvalidValueError
from attention_core.trace import to_array

Stages = dict[str, Float[np.ndarray, "..."] | Bool[np.ndarray, "..."]]
Form = Literal["modern", "llama", "gpt2", "nanochat_2025", "nanochat_2026"]
"""Names of the presets of ``DecoderConfig``."""
SHARED = ("mask", "bias")
"""Stages without a batch axis: the same for every sequence."""
PARTS = {"embedding": "embeddings", "norm": "norms", "attention.": "attention", "feed_forward.": "feed_forward"}
"""By a piece of a parameter's name: the part it is counted with; all others belong to the output layer."""


@dataclass(frozen=True)
class DecoderChoice:
    """Decoder options from plain values; None means the preset's default."""

    form: Form = "modern"
    d_model: int = 16
    num_layers: int = 2
    num_heads: int = 4
    num_kv_heads: int | None = 2
    hidden_dim: int | None = None
    positions: Positions | None = None
    qk_norm: NormKind | Literal["none"] | None = None
    qk_norm_before_rope: bool | None = None
    feed_forward: FeedForwardKind | None = None
    init_std: float = 0.2
    """Larger than in training, so that attention is not uniform before anything is learned."""
    precision: Precision = "float32"
    seed: int = 0

    def config(self, vocab_size: int, max_length: int) -> DecoderConfig:
        """The decoder configuration. Raises ValueError for sizes that do not divide."""
        options: dict[str, Any] = {
            name: value
            for name in ("positions", "qk_norm", "qk_norm_before_rope", "feed_forward")
            if (value := getattr(self, name)) is not None
        }
        if self.qk_norm == "none":
            options["qk_norm"] = None
        preset: Callable[..., DecoderConfig] = getattr(DecoderConfig, self.form)
        return preset(
            vocab_size,
            self.d_model,
            self.num_layers,
            self.num_heads,
            num_kv_heads=self.num_kv_heads,
            hidden_dim=self.hidden_dim,
            init_std=self.init_std,
            max_length=max_length,
            **options,
        )


@dataclass(frozen=True, eq=False)
class BlockArrays:
    """The stages of one block by name, without the batch axis."""

    stages: Stages
    """Of ``BlockTrace``: (T, …); value_embedding (KV heads, T, …) and value_gate (KV heads, T) in some blocks."""
    attention: Stages
    """Of ``MultiHeadTrace.tensors`` and ``AttentionTrace``: (heads, T, …) or (T, …)."""
    attention_steps: tuple[ShapeStep, ...]
    entropy: Float[np.ndarray, "heads queries"]
    """Of the weights, in nats."""
    window: int | None
    """How many keys a query sees, its own included; None: all up to its own."""


@dataclass(frozen=True, eq=False)
class DecoderExample:
    """A forward pass through the whole model, and its next-token predictions."""

    config: DecoderConfig
    ids: tuple[int, ...]
    stages: Stages
    """token_embeddings, position_embeddings (if learned), embeddings, final_normed, logits: (T, …)."""
    blocks: tuple[BlockArrays, ...]
    probabilities: Float[np.ndarray, "tokens vocabulary"]
    """Of the next token, at each position."""
    generated: tuple[int, ...]
    """The most probable token, repeatedly appended."""
    parameters: dict[str, int]
    kv_cache_bytes_per_token: int
    cached_difference: float
    """Largest, between the logits and those computed token by token with a KV cache."""
    fused_difference: float
    """Largest, between the logits and those computed without a trace."""


@torch.no_grad()
def decoder_example(choice: DecoderChoice, ids: Sequence[int], *, vocab_size: int, generate: int = 0) -> DecoderExample:
    """Initialise the decoder, run it on the ids, generate. Raises ValueError for options that do not fit."""
    if not ids:
        raise InvalidValueError("{name} must not be empty", "ids")
    config = choice.config(vocab_size, len(ids) + generate)
    generator = torch.Generator().manual_seed(choice.seed)
    decoder = Decoder(config, generator=generator).to(DTYPES[choice.precision]).eval()
    tokens = torch.tensor([list(ids)])
    trace: DecoderTrace = decoder(tokens, trace=True)
    caches = decoder.new_caches()
    one_by_one = torch.cat(
        [decoder(tokens[:, position : position + 1], caches=caches) for position in range(len(ids))], dim=1
    )
    stored = sum(cache.used_nbytes for cache in caches)
    return DecoderExample(
        config=config,
        ids=tuple(ids),
        stages=_arrays(trace, skip=("blocks", "position_embeddings"))
        | ({} if trace.position_embeddings is None else {"position_embeddings": to_array(trace.position_embeddings)}),
        blocks=tuple(_block(block, config.window(layer)) for layer, block in enumerate(trace.blocks)),
        probabilities=to_array(softmax(trace.logits[0])),
        generated=tuple(decoder.generate(tokens, generate)[0, len(ids) :].tolist()),
        parameters=_parameters(decoder),
        kv_cache_bytes_per_token=stored // len(ids),
        cached_difference=float((one_by_one - trace.logits).abs().max()),
        fused_difference=float((decoder(tokens) - trace.logits).abs().max()),
    )


def _block(block: BlockTrace, window: int | None) -> BlockArrays:
    attention = block.attention.attention
    return BlockArrays(
        stages=_arrays(block, skip=("attention",)),
        attention={name: to_array(tensor[0]) for name, tensor in block.attention.tensors.items()}
        | {name: to_array(tensor if name in SHARED else tensor[0]) for name, tensor in attention.stages()},
        attention_steps=block.attention.shapes,
        entropy=to_array(entropy(attention.weights[0])),
        window=window,
    )


def _arrays(trace: BlockTrace | DecoderTrace, skip: tuple[str, ...]) -> Stages:
    """The stages of the single sequence as arrays."""
    tensors = {field.name: getattr(trace, field.name) for field in fields(trace) if field.name not in skip}
    return {name: to_array(tensor[0]) for name, tensor in tensors.items() if tensor is not None}


def _parameters(decoder: Decoder) -> dict[str, int]:
    """The number of learned parameters by module."""
    counts = dict.fromkeys((*PARTS.values(), "output"), 0)
    for name, parameter in decoder.named_parameters():
        counts[next((part for key, part in PARTS.items() if key in name), "output")] += parameter.numel()
    return counts | {"total": sum(counts.values())}
