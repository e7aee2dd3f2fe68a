"""Decode step by step with a KV cache, compared with one full forward pass without it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float

from attention_core.kv_cache import Phase, decoding_phase
from attention_core.masks import causal_mask
from attention_core.multi_head import MultiHeadAttention
from attention_core.precision import DTYPES, Precision
from attention_core.refusal import InvalidValueError
from attention_core.rope import Rope
from attention_core.trace import to_array


@dataclass(frozen=True, eq=False)
class DecodingStep:
    """Processing ``new`` tokens with ``stored`` tokens in the cache. Keys are all tokens so far."""

    phase: Phase
    stored: int
    """Tokens in the cache before the step."""
    new: int
    mask: Bool[np.ndarray, "new keys"]
    """True where attending is allowed."""
    needs_mask: bool
    """False for a single token, which may attend to every key."""
    weights: Float[np.ndarray, "heads new keys"]
    output: Float[np.ndarray, "new d_model"]
    used_bytes: int
    """Of the cache, after the step."""
    largest_difference: float
    """Between the output and the same rows computed without a cache."""


@dataclass(frozen=True, eq=False)
class Decoding:
    """All decoding steps, and the full pass they are compared with."""

    steps: tuple[DecodingStep, ...]
    uncached_weights: Float[np.ndarray, "heads tokens tokens"]
    uncached_output: Float[np.ndarray, "tokens d_model"]
    largest_difference: float
    cache_bytes: int
    """Allocated for the cache."""
    projected_with_cache: int
    """Tokens whose keys and values are computed, over all steps: each once."""
    projected_without_cache: int
    """The same if every step computed those of all tokens so far."""


@torch.no_grad()
def decode(
    chunks: Sequence[int],
    *,
    d_model: int = 16,
    num_heads: int = 4,
    num_kv_heads: int | None = None,
    rope: Rope | None = None,
    max_length: int | None = None,
    precision: Precision = "float32",
    seed: int = 0,
) -> Decoding:
    """Process N(0, 1) tokens in chunks of these sizes with a random attention module.

    Raises ValueError for an empty chunk, none at all, or more tokens than ``max_length``.
    """
    if not chunks:
        raise InvalidValueError("{name} must not be empty", "chunks")
    total, dtype = sum(chunks), DTYPES[precision]
    if max_length is not None and max_length < total:
        raise InvalidValueError(
            "max_length must be at least the {total} tokens of the chunks, not {max_length}", total, max_length
        )
    generator = torch.Generator().manual_seed(seed)
    module = MultiHeadAttention(d_model, num_heads, num_kv_heads, rope=rope, generator=generator, dtype=dtype)
    tokens = torch.randn(1, total, d_model, generator=generator).to(dtype)
    whole = module(tokens, is_causal=True, trace=True).attention
    cache = module.new_cache(1, total if max_length is None else max_length)
    steps = []
    for new in chunks:
        stored = cache.length
        phase = decoding_phase(new, stored)
        step = module(tokens[:, stored : stored + new], is_causal=True, cache=cache, trace=True).attention
        difference = (step.output - whole.output[:, stored : stored + new]).abs().max()
        steps.append(
            DecodingStep(
                phase=phase,
                stored=stored,
                new=new,
                mask=to_array(causal_mask(new, stored + new)),
                needs_mask=step.mask is not None,
                weights=to_array(step.weights[0]),
                output=to_array(step.output[0]),
                used_bytes=cache.used_nbytes,
                largest_difference=float(difference),
            )
        )
    return Decoding(
        steps=tuple(steps),
        uncached_weights=to_array(whole.weights[0]),
        uncached_output=to_array(whole.output[0]),
        largest_difference=max(step.largest_difference for step in steps),
        cache_bytes=cache.nbytes,
        projected_with_cache=total,
        projected_without_cache=sum(step.stored + step.new for step in steps),
    )
