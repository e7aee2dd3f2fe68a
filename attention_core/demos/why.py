"""Three ways for a word to take in the others: an average, a recurrent network, attention.

How much a word counts is the size of the result's derivative with respect to its vector. For a weighted mean with given
weights, ``Σ α_t x_t``, the derivative is ``α_t`` times the identity, so it is the weight itself: 1/n for the average,
and whatever softmax gives for attention. For a recurrent network it is the spectral norm of ``∂h_T/∂x_t``.

Nothing here is trained. Words are random vectors, the same word the same vector. The network's W is an orthogonal
matrix, which keeps every length, times the gain. Attention's W_q is random too, except that the query of one word is
made the key of another: ``W_q x_asks = x_wanted``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.recurrent import input_jacobians, recurrent_states
from attention_core.refusal import InvalidValueError, check_at_least
from attention_core.scoring.scaled_dot import scaled_dot_attention

INPUT_SCALE = 0.5
"""Standard deviation of U's products with a word: tanh is neither idle nor saturated."""

WORDS_OF_A_SEED = 1_000
"""A word's vector has the seed of the whole times this, plus its number and 1; the matrices have the seed itself."""

Shares = Float[np.ndarray, "words"]


@dataclass(frozen=True, eq=False)
class RecurrentReading:
    """What is left of each word in the state after the reader, for one gain."""

    gain: float
    """W is an orthogonal matrix times this number, its spectral norm."""
    influences: Shares
    """‖∂h_reader/∂x_t‖, the largest singular value; 0 for words after the reader, which are not read yet."""
    shares: Shares
    """Influences divided by their sum."""
    bounds: Shares
    """What the influences cannot exceed: gain^(reader − t) ‖U‖; 0 for words after the reader."""


@dataclass(frozen=True, eq=False)
class Effort:
    """What a text of n words takes (compare Vaswani et al. 2017, table 1)."""

    recurrent_steps: int
    """Steps that wait for one another: one a word. An average and attention have one for the whole text."""
    recurrent_path: int
    """Steps between the wanted word and the asking one; in attention, and in an average, 1 at any distance."""
    compared_pairs: int
    """Scores that attention computes: n²."""


@dataclass(frozen=True, eq=False)
class ThreeWays:
    """How much of each word reaches the reader, in three ways."""

    average: Shares
    """1/n, for every reader."""
    recurrent: list[RecurrentReading]
    """For each gain."""
    scores: Float[np.ndarray, "words words"]
    """``q · k / √d``; rows are readers."""
    weights: Float[np.ndarray, "words words"]
    """Softmax of the scores: what each reader takes from each word."""
    effort: Effort


def three_ways(
    words: Sequence[int], *, reader: int, asks: int, wanted: int, gains: Sequence[float], dim: int, seed: int = 0
) -> ThreeWays:
    """``words`` are numbers, the same for the same word; ``reader``, ``asks`` and ``wanted`` are indices of them.

    The recurrent network has read up to the reader.
    """
    _check_positions(len(words), reader=reader, asks=asks, wanted=wanted)
    check_at_least(1, dim=dim)
    vectors = word_vectors(words, dim, seed)
    generator = torch.Generator().manual_seed(seed)
    orthogonal, input_weight = random_network(dim, dim, generator)
    query_weight = asking(vectors[asks], vectors[wanted], generator)
    trace = scaled_dot_attention(vectors @ query_weight.T, vectors, vectors)
    return ThreeWays(
        average=np.full(len(words), 1 / len(words)),
        recurrent=[reading(vectors, gain, orthogonal, input_weight, reader) for gain in gains],
        scores=trace.scaled_scores.numpy(),
        weights=trace.weights.numpy(),
        effort=Effort(len(words), abs(asks - wanted), len(words) ** 2),
    )


def numbered(words: Sequence[str]) -> list[int]:
    """Words in the order of their first appearance: 0, 1, 2 …"""
    numbers: dict[str, int] = {}
    return [numbers.setdefault(word, len(numbers)) for word in words]


def word_vectors(words: Sequence[int], dim: int, seed: int) -> Float[Tensor, "N d"]:
    """A random direction for each number, of length √d, whatever the other words are."""
    rows = []
    for word in words:
        generator = torch.Generator().manual_seed(WORDS_OF_A_SEED * seed + word + 1)
        row = torch.randn(dim, generator=generator, dtype=torch.float64)
        rows.append(row * dim**0.5 / row.norm())
    return torch.stack(rows)


def random_network(
    dim: int, inputs: int, generator: torch.Generator
) -> tuple[Float[Tensor, "D D"], Float[Tensor, "D I"]]:
    """A random orthogonal matrix, and a U whose numbers are from N(0, ¼/inputs)."""
    orthogonal, _ = torch.linalg.qr(torch.randn(dim, dim, generator=generator, dtype=torch.float64))
    input_weight = torch.randn(dim, inputs, generator=generator, dtype=torch.float64) * INPUT_SCALE / inputs**0.5
    return orthogonal, input_weight


def asking(asks: Float[Tensor, " d"], wanted: Float[Tensor, " d"], generator: torch.Generator) -> Float[Tensor, "d d"]:
    """A random W_q, changed by as little as makes ``W_q asks = wanted``: by a matrix of rank 1."""
    dim = asks.shape[0]
    start = torch.randn(dim, dim, generator=generator, dtype=torch.float64) / dim**0.5
    return start + torch.outer(wanted - start @ asks, asks) / (asks @ asks)


def reading(
    vectors: Float[Tensor, "N I"],
    gain: float,
    orthogonal: Float[Tensor, "D D"],
    input_weight: Float[Tensor, "D I"],
    reader: int,
) -> RecurrentReading:
    """How much each word counts in the state after the reader."""
    read = vectors[: reader + 1]
    states = recurrent_states(read, gain * orthogonal, input_weight)
    jacobians = input_jacobians(states, gain * orthogonal, input_weight)
    influences = torch.zeros(len(vectors), dtype=vectors.dtype)
    influences[: len(read)] = torch.linalg.matrix_norm(jacobians, ord=2)
    bounds = torch.zeros_like(influences)
    steps = torch.arange(reader, -1, -1, dtype=vectors.dtype)
    bounds[: len(read)] = gain**steps * torch.linalg.matrix_norm(input_weight, ord=2)
    return RecurrentReading(gain, influences.numpy(), (influences / influences.sum()).numpy(), bounds.numpy())


def _check_positions(count: int, **positions: int) -> None:
    for name, position in positions.items():
        if not 0 <= position < count:
            raise InvalidValueError(
                "{name} must be a position from 0 to {last}, not {given}", name, count - 1, position
            )
