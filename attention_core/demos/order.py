"""Permutation equivariance: permuting the words permutes the outputs, nothing else (Vaswani et al. 2017, §3.5).

``attend(P X) = P attend(X)`` for every permutation P: each score is a product of two words' vectors, and softmax and
the weighted sum do not depend on the order of the keys. "The dog chases the cat" and "the cat chases the dog" give
every word the same output. Whatever distinguishes positions breaks the identity: vectors added to the words
(sinusoidal), queries and keys rotated by position (RoPE), a penalty on distance (ALiBi), and the causal mask, which
needs no positions to know what came before.

Symmetric ALiBi knows distances but no directions, so a sentence in reverse is still the same to it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.alibi import alibi_bias
from attention_core.masks import causal_mask
from attention_core.precision import DTYPES, Precision, cast
from attention_core.refusal import InvalidValueError, check_at_least
from attention_core.rope import rotate
from attention_core.scoring.scaled_dot import scaled_dot_attention
from attention_core.sinusoidal import encode
from attention_core.trace import AttentionTrace

Way = Literal["none", "causal", "sinusoidal", "rope", "alibi"]
WAYS: tuple[Way, ...] = ("none", "causal", "sinusoidal", "rope", "alibi")
ALIBI_HEADS = 8
"""ALiBi is shown with the first of these slopes, 1/2."""

Vectors = Float[np.ndarray, "words dim"]
Weights = Float[np.ndarray, "words words"]


@dataclass(frozen=True, eq=False)
class Projections:
    """``W_q, W_k, W_v`` of one head, applied as ``x W``."""

    query: Float[Tensor, "d d"]
    key: Float[Tensor, "d d"]
    value: Float[Tensor, "d d"]


def attend_in_order(
    x: Float[Tensor, "N d"], projections: Projections, way: Way, *, symmetric: bool = False
) -> AttentionTrace:
    """Single-head self-attention over N words with the given position encoding.

    ``sinusoidal`` adds position vectors to the words, ``rope`` rotates queries and keys, ``alibi`` adds a bias (as
    ``alibi_bias`` has it, ``symmetric`` or not), ``causal`` masks later words and knows no positions otherwise.
    """
    places = torch.arange(x.shape[0], device=x.device)
    if way == "sinusoidal":
        x = x + encode(places, x.shape[1], dtype=x.dtype)
    queries, keys, values = x @ projections.query, x @ projections.key, x @ projections.value
    if way == "rope":
        queries, keys = (rotate(vectors, places, pairing="half_split") for vectors in (queries, keys))
    bias = None
    if way == "alibi":
        sizes = (ALIBI_HEADS, len(places), len(places))
        bias = alibi_bias(*sizes, symmetric=symmetric, dtype=x.dtype, device=x.device)[0]
    mask = causal_mask(len(places), len(places), device=x.device) if way == "causal" else None
    return scaled_dot_attention(queries, keys, values, bias=bias, mask=mask)


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result for one position encoding. Row i of a permuted array is word ``permutation[i]``."""

    way: Way
    outputs: Vectors
    """In the given order."""
    permuted_outputs: Vectors
    """Of the permuted words."""
    moved_outputs: Vectors
    """``outputs``, permuted with their words: the same as ``permuted_outputs`` if attention ignores order."""
    weights: Weights | None
    """Null where all weights together exceed OBSERVATORY_MAX_CONCEPT_CELLS."""
    permuted_weights: Weights | None
    largest_difference: float
    """Between ``permuted_outputs`` and ``moved_outputs``; 0 if attention ignores order."""


@dataclass(frozen=True, eq=False)
class OrderExperiment:
    """The same words in two orders."""

    vectors: Vectors
    permutation: list[int]
    outcomes: list[Outcome]
    """No positions, causal mask only, sinusoidal, RoPE, ALiBi."""


def order_experiment(
    words: Sequence[str] | None = None,
    *,
    vectors: Sequence[Sequence[int | float]] | None = None,
    dim: int = 16,
    permutation: Sequence[int] | None = None,
    seed: int = 0,
    precision: Precision = "float64",
    symmetric: bool = False,
    keep_weights: bool = True,
) -> OrderExperiment:
    """Attend to the words in the given and the permuted order, once for each position encoding.

    Equal words get equal vectors, random from N(0, 1) unless ``vectors`` are given; projections are random from
    N(0, 1/d), the permutation is random unless given, all from ``seed``. ``symmetric`` is ALiBi's.
    """
    generator = torch.Generator().manual_seed(seed)
    x = _random_vectors(words or (), dim, generator) if vectors is None else torch.tensor(vectors, dtype=torch.float64)
    count, dim = x.shape
    if count < 1:
        raise InvalidValueError("{name} must not be empty", "words")
    if dim % 2:
        name = "dim" if vectors is None else "vectors"
        raise InvalidValueError(
            "{name} must have an even size, not {dim}: sinusoidal positions and RoPE need pairs", name, dim
        )
    matrices = [torch.randn(dim, dim, generator=generator, dtype=torch.float64) / dim**0.5 for _ in range(3)]
    projections = Projections(*(matrix.to(DTYPES[precision]) for matrix in matrices))
    x = cast(x, precision, "vectors")
    order = _random_order(count, generator) if permutation is None else _given_order(permutation, count)
    outcomes = [_outcome(x, projections, way, order, symmetric=symmetric, keep_weights=keep_weights) for way in WAYS]
    if not all(math.isfinite(outcome.largest_difference) for outcome in outcomes):
        raise InvalidValueError("precision {precision} cannot hold the scores of vectors this large", precision)
    return OrderExperiment(x.double().numpy(), order.tolist(), outcomes)


def _outcome(
    x: Tensor, projections: Projections, way: Way, order: Int[Tensor, " N"], *, symmetric: bool, keep_weights: bool
) -> Outcome:
    trace = attend_in_order(x, projections, way, symmetric=symmetric)
    permuted = attend_in_order(x[order], projections, way, symmetric=symmetric)
    moved = trace.output[order]
    return Outcome(
        way=way,
        outputs=trace.output.double().numpy(),
        permuted_outputs=permuted.output.double().numpy(),
        moved_outputs=moved.double().numpy(),
        weights=trace.weights.double().numpy() if keep_weights else None,
        permuted_weights=permuted.weights.double().numpy() if keep_weights else None,
        largest_difference=float((permuted.output.double() - moved.double()).abs().max()),
    )


def _random_vectors(words: Sequence[str], dim: int, generator: torch.Generator) -> Float[Tensor, "N d"]:
    """A random vector for each distinct word, in order of first appearance."""
    check_at_least(2, dim=dim)
    rows = {word: row for row, word in enumerate(dict.fromkeys(words))}
    table = torch.randn(len(rows), dim, generator=generator, dtype=torch.float64)
    return table[torch.tensor([rows[word] for word in words], dtype=torch.int64)]


def _random_order(count: int, generator: torch.Generator) -> Int[Tensor, " N"]:
    """A random permutation that is not the identity and, from three words on, not the reversal."""
    order = torch.randperm(count, generator=generator)
    places = torch.arange(count)
    if torch.equal(order, places) or (count > 2 and torch.equal(order, places.flip(0))):
        return places.roll(1)
    return order


def _given_order(permutation: Sequence[int], count: int) -> Int[Tensor, " N"]:
    if sorted(permutation) != list(range(count)):
        raise InvalidValueError("permutation must hold each of 0 … {count} once", count - 1)
    return torch.tensor(permutation)
