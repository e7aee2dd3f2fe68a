"""One wide head or many narrow ones with the same parameters: the effect of the number of heads.

W_Q and W_K are d × d in both cases. Split into h heads, the score of the one wide head becomes a sum of h terms,
``q · k = Σ_h q_h · k_h``, and each term gets its own softmax. A wide head must combine everything it looks for in one
ranking; h heads can put all their weight on h different keys.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.attend import entropy, softmax
from attention_core.head_sizes import default_head_dim
from attention_core.linear import random_linear
from attention_core.refusal import InvalidValueError, check_at_least
from attention_core.scoring.scaled_dot import default_scale
from attention_core.trace import to_array

Scores = Float[np.ndarray, "heads queries keys"]


@dataclass(frozen=True, eq=False)
class HeadCount:
    """The attention for one number of heads, from the same queries and keys."""

    num_heads: int
    head_dim: int
    """``d_model / num_heads``"""
    parameters: int
    """Of W_Q, W_K, W_V, W_O without biases: ``4 · d_model²`` for every number of heads."""
    raw_scores: Float[Tensor, "H Q K"]
    """``q_h · k_h``; their sum over the heads is the same for every number of heads."""
    scaled_scores: Float[Tensor, "H Q K"]
    """``q_h · k_h / √head_dim``"""
    weights: Float[Tensor, "H Q K"]
    entropy: Float[Tensor, "H Q"]
    """In nats."""


@dataclass(frozen=True, eq=False)
class SeveralQuestions:
    """A token that asks several questions at once, each answered by another token (see ``several_questions``)."""

    x: Float[Tensor, "T d"]
    query_weight: Float[Tensor, "d d"]
    key_weight: Float[Tensor, "d d"]
    asker: int
    answerers: tuple[int, ...]
    """The token that answers each question."""


def compare_head_counts(
    x: Float[Tensor, "T d"],
    query_weight: Float[Tensor, "d d"],
    key_weight: Float[Tensor, "d d"],
    head_counts: tuple[int, ...],
) -> list[HeadCount]:
    """Split the same ``x W_Qᵀ`` and ``x W_Kᵀ`` into each number of heads.

    Raises ValueError if a number of heads does not divide d.
    """
    queries, keys = x @ query_weight.T, x @ key_weight.T
    return [_with_heads(queries, keys, count) for count in head_counts]


def several_questions(
    num_questions: int = 2,
    head_dim: int = 4,
    sharpness: float = 8.0,
    fillers: int = 3,
    dtype: torch.dtype | None = None,
) -> SeveralQuestions:
    """Token 0 asks ``num_questions`` questions, token i answers the i-th; ``fillers`` more tokens answer none.

    Vectors have one part of ``head_dim`` numbers for each question. In part i, the number 0 says "I answer question
    i", 1 "I ask question i", 2 "neither". W_K is the identity; W_Q turns "I ask" into ``sharpness`` · "I answer". So
    with one head for each question, head i puts ``e^s / (e^s + T − 1)`` with ``s = sharpness/√head_dim`` on token i,
    while one wide head shares its weight among all the answers.
    """
    check_at_least(1, num_questions=num_questions)
    if head_dim < 3:
        raise InvalidValueError(
            "head_dim must be at least 3, not {head_dim}: components distinguish asking, answering and neither",
            head_dim,
        )
    if fillers < 0:
        raise InvalidValueError("{name} must not be negative, not {given}", "fillers", fillers)
    tokens = torch.zeros(1 + num_questions + fillers, num_questions, head_dim, dtype=dtype)
    tokens[:, :, 2] = 1.0
    tokens[0, :, 1:3] = torch.tensor([1.0, 0.0])
    for question in range(num_questions):
        tokens[1 + question, question, 0], tokens[1 + question, question, 2] = 1.0, 0.0
    asks_for = torch.zeros(head_dim, head_dim, dtype=dtype)
    asks_for[0, 1] = sharpness
    d_model = num_questions * head_dim
    return SeveralQuestions(
        x=tokens.flatten(1),
        query_weight=torch.block_diag(*[asks_for] * num_questions),
        key_weight=torch.eye(d_model, dtype=dtype),
        asker=0,
        answerers=tuple(range(1, 1 + num_questions)),
    )


def _with_heads(queries: Float[Tensor, "T d"], keys: Float[Tensor, "T d"], num_heads: int) -> HeadCount:
    d_model = queries.shape[-1]
    head_dim = default_head_dim(d_model, num_heads)
    by_head = [part.unflatten(-1, (num_heads, head_dim)).transpose(0, 1) for part in (queries, keys)]
    raw_scores = by_head[0] @ by_head[1].mT
    scaled_scores = raw_scores * default_scale(head_dim)
    weights = softmax(scaled_scores)
    return HeadCount(num_heads, head_dim, 4 * d_model**2, raw_scores, scaled_scores, weights, entropy(weights))


@dataclass(frozen=True, eq=False)
class HeadCountArrays:
    """``HeadCount`` as arrays. Rows are queries, columns are keys."""

    num_heads: int
    head_dim: int
    parameters: int
    """Of W_Q, W_K, W_V, W_O without biases: the same for every number of heads."""
    raw_scores: Scores
    """Their sum over the heads is the same for every number of heads."""
    scaled_scores: Scores
    weights: Scores
    entropy: Float[np.ndarray, "heads queries"]
    """In nats."""

    @property
    def most_read(self) -> Int[np.ndarray, "heads queries"]:
        """The key with the largest weight, the first of equals."""
        return self.weights.argmax(-1)


@dataclass(frozen=True, eq=False)
class HeadCountsExample:
    """Inputs and results of the comparison, in float64."""

    counts: tuple[HeadCountArrays, ...]
    x: Float[np.ndarray, "tokens d_model"]
    query_weight: Float[np.ndarray, "d_model d_model"]
    key_weight: Float[np.ndarray, "d_model d_model"]
    asker: int | None
    """The token of the example that asks."""
    answerers: tuple[int, ...] | None
    """The token that answers each question."""
    largest_difference: float
    """Between the sums of raw scores over the heads: only rounding."""


def peaked_head_counts(
    head_counts: Sequence[int], num_questions: int = 2, head_dim: int = 4, sharpness: float = 8.0, fillers: int = 3
) -> HeadCountsExample:
    """Compare head counts on ``several_questions``."""
    example = several_questions(num_questions, head_dim, sharpness, fillers, dtype=torch.float64)
    parts = (example.x, example.query_weight, example.key_weight)
    return _compare(parts, head_counts, example.asker, example.answerers)


@torch.no_grad()
def random_head_counts(
    head_counts: Sequence[int],
    vectors: Sequence[Sequence[float]] | None = None,
    d_model: int = 16,
    seq_len: int = 6,
    seed: int = 0,
) -> HeadCountsExample:
    """Compare head counts with W_Q, W_K as torch's Linear initialises them, on given or N(0, 1) vectors."""
    generator = torch.Generator().manual_seed(seed)
    if vectors is None:
        x = torch.randn(seq_len, d_model, generator=generator).double()
    else:
        x = torch.tensor(vectors, dtype=torch.float64)
    if x.shape[-1] != d_model:
        raise InvalidValueError("vectors must have d_model ({d_model}) numbers, not {given}", d_model, x.shape[-1])
    layers = [random_linear(d_model, d_model, bias=False, generator=generator).double() for _ in range(2)]
    return _compare((x, layers[0].weight, layers[1].weight), head_counts)


def _compare(
    parts: tuple[Tensor, Tensor, Tensor],
    head_counts: Sequence[int],
    asker: int | None = None,
    answerers: tuple[int, ...] | None = None,
) -> HeadCountsExample:
    counts = compare_head_counts(*parts, tuple(head_counts))
    sums = torch.stack([count.raw_scores.sum(0) for count in counts])
    return HeadCountsExample(
        counts=tuple(_arrays(count) for count in counts),
        x=to_array(parts[0]),
        query_weight=to_array(parts[1]),
        key_weight=to_array(parts[2]),
        asker=asker,
        answerers=answerers,
        largest_difference=float((sums - sums[0]).abs().max()),
    )


def _arrays(count: HeadCount) -> HeadCountArrays:
    return HeadCountArrays(
        count.num_heads,
        count.head_dim,
        count.parameters,
        to_array(count.raw_scores),
        to_array(count.scaled_scores),
        to_array(count.weights),
        to_array(count.entropy),
    )
