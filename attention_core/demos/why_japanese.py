"""吾輩は猫である, twice: translated through one vector and by cross-attention; and who attends to whom in it.

The features of the words, and the matrices that look for them, were written by hand, so that each weight can be
explained; no model has learned them. The encoder that reads into one vector is the random network of ``why``.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.demos.why import random_network, reading
from attention_core.refusal import InvalidValueError, check_at_least
from attention_core.scoring.scaled_dot import scaled_dot_attention

SOURCE = ("吾輩", "は", "猫", "で", "ある")
TARGET = ("I", "am", "a", "cat")
MEANINGS = ("the speaker", "an animal", "being", "the topic")
"""Names of the features of both languages."""
SOURCE_FEATURES = (
    (1.0, 0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 1.0),
    (0.0, 1.0, 0.0, 0.0),
    (0.0, 0.0, 0.6, 0.0),
    (0.0, 0.0, 1.0, 0.0),
)
TARGET_FEATURES = ((1.0, 0.0, 0.0, 0.5), (0.0, 0.0, 1.0, 0.0), (0.0, 0.6, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0))
SHARPNESS = 8.0
"""A query is the target's features times this."""

TOKENS = ("吾輩", "は", "猫", "で", "ある", "。", "名前", "は", "まだ", "ない", "。")
FEATURES = ("someone", "of a kind", "belongs to someone")
TOKEN_FEATURES = {"吾輩": (1.0, 0.0, 0.0), "猫": (1.0, 1.0, 0.0), "名前": (0.0, 0.0, 1.0)}
"""Of the tokens that have any."""
QUERY_WEIGHT = ((0.0, 0.0, 3.0), (3.0, 0.0, 0.0))
"""What belongs to someone asks for someone; someone asks for a kind."""
KEY_WEIGHT = ((3.0, 0.0, 0.0), (0.0, 3.0, 0.0))


@dataclass(frozen=True, eq=False)
class Translation:
    """A sentence of 5 words on its way to one of 4."""

    source: list[str]
    target: list[str]
    meanings: list[str]
    """Names of the features."""
    source_features: Float[np.ndarray, "source features"]
    """The keys."""
    target_features: Float[np.ndarray, "target features"]
    """The queries, before they are multiplied by the sharpness."""
    sharpness: float
    through_one_vector: Float[np.ndarray, "target source"]
    """What is left of each source word in the encoder's last state, as shares: the same row for every target word."""
    scores: Float[np.ndarray, "target source"]
    """Of cross-attention: ``q · k / √4``."""
    weights: Float[np.ndarray, "target source"]
    """Softmax of the scores: where each target word looks."""


def translation(*, gain: float, dim: int, seed: int = 0) -> Translation:
    """Shares through the last state of a recurrent encoder with ``dim`` numbers, and weights of cross-attention."""
    check_at_least(1, dim=dim)
    source = torch.tensor(SOURCE_FEATURES, dtype=torch.float64)
    target = torch.tensor(TARGET_FEATURES, dtype=torch.float64)
    network = random_network(dim, len(MEANINGS), torch.Generator().manual_seed(seed))
    shares = reading(source, gain, *network, len(SOURCE) - 1).shares
    trace = scaled_dot_attention(SHARPNESS * target, source, source)
    return Translation(
        source=list(SOURCE),
        target=list(TARGET),
        meanings=list(MEANINGS),
        source_features=source.numpy(),
        target_features=target.numpy(),
        sharpness=SHARPNESS,
        through_one_vector=np.tile(shares, (len(TARGET), 1)),
        scores=trace.scaled_scores.numpy(),
        weights=trace.weights.numpy(),
    )


@dataclass(frozen=True, eq=False)
class Side:
    """The scores of one pair of matrices. Rows are queries, columns are keys."""

    query_weight: Float[np.ndarray, "d_k features"]
    key_weight: Float[np.ndarray, "d_k features"]
    scores: Float[np.ndarray, "tokens tokens"]
    """``(W_q x_i) · (W_k x_j) / √d_k``."""
    weights: Float[np.ndarray, "tokens tokens"]
    asymmetry: float
    """``‖S − Sᵀ‖ / ‖S‖`` of the scores S, in the Frobenius norm: 0 if they are symmetric, at most 2."""


@dataclass(frozen=True, eq=False)
class Asymmetry:
    """The same words with one matrix for queries and keys, and with two."""

    tokens: list[str]
    features: list[str]
    """Their names."""
    vectors: Float[np.ndarray, "tokens features"]
    shared: Side
    """W_q = W_k, the mean of the two."""
    own: Side
    """W_q and W_k on the way from the mean (difference 0) to what each is by itself (1)."""


def asymmetry(difference: float = 1.0) -> Asymmetry:
    """Scores of 吾輩は猫である。名前はまだない。with matrices that are equal, or differ by this much."""
    if not 0 <= difference <= 1:
        raise InvalidValueError("{name} must be from 0 to 1, not {given}", "difference", difference)
    vectors = torch.tensor([TOKEN_FEATURES.get(token, (0.0, 0.0, 0.0)) for token in TOKENS], dtype=torch.float64)
    query = torch.tensor(QUERY_WEIGHT, dtype=torch.float64)
    key = torch.tensor(KEY_WEIGHT, dtype=torch.float64)
    mean = (query + key) / 2
    return Asymmetry(
        tokens=list(TOKENS),
        features=list(FEATURES),
        vectors=vectors.numpy(),
        shared=_side(vectors, mean, mean),
        own=_side(vectors, mean + difference * (query - mean), mean + difference * (key - mean)),
    )


def _side(vectors: Float[Tensor, "N F"], query_weight: Float[Tensor, "D F"], key_weight: Float[Tensor, "D F"]) -> Side:
    trace = scaled_dot_attention(vectors @ query_weight.T, vectors @ key_weight.T, vectors)
    scores = trace.scaled_scores
    return Side(
        query_weight=query_weight.numpy(),
        key_weight=key_weight.numpy(),
        scores=scores.numpy(),
        weights=trace.weights.numpy(),
        asymmetry=float((scores - scores.T).norm() / scores.norm()),
    )
