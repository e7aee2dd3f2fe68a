"""Baselines: unigram and bigram models of the same tokens, trained on the same texts."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int
from torch import Tensor

from recipes.decoder.rows import END_OF_TEXT_ID


def unigram_nll(texts: Sequence[Int[Tensor, " _"]], ids: Int[Tensor, " tokens"], vocabulary: int) -> float:
    """Sum of −ln p(w) with p(w) = (c(w) + 1) / (N + V): counts with one added (Laplace)."""
    counts = np.zeros(vocabulary)
    for text in texts:
        counts += np.bincount(text.numpy(), minlength=vocabulary)
    probabilities = (counts + 1) / (counts.sum() + vocabulary)
    return float(-np.log(probabilities[ids.numpy()]).sum())


def bigram_nll(texts: Sequence[Int[Tensor, " _"]], ids: Int[Tensor, " tokens"], vocabulary: int) -> float:
    """Sum of −ln p(w | v), interpolated Kneser–Ney (Chen & Goodman 1999, section 2.7), the best known smoothing.

    p(w | v) = max(c(v, w) − D, 0) / c(v) + D · n(v, ·) / c(v) · q(w), where n(v, ·) is the number of different
    successors of v, q(w) = (n(·, w) + 1) / (n(·, ·) + V) says after how many different tokens w was seen, and
    D = n₁ / (n₁ + 2 n₂) comes from the numbers of pairs seen once and twice. After a token never seen before, q alone
    counts. Each text, and ``ids``, begins after the end-of-text token.
    """
    pairs, counts = np.unique(np.concatenate([_pairs(text, vocabulary) for text in texts]), return_counts=True)
    once, twice = int((counts == 1).sum()), int((counts == 2).sum())
    discount = once / (once + 2 * twice) if once else 0.5
    before, after = pairs // vocabulary, pairs % vocabulary
    seen_before = np.bincount(before, weights=counts, minlength=vocabulary)
    successors = np.bincount(before, minlength=vocabulary)
    widespread = (np.bincount(after, minlength=vocabulary) + 1) / (len(pairs) + vocabulary)

    asked = _pairs(ids, vocabulary)
    places = np.searchsorted(pairs, asked).clip(max=len(pairs) - 1)
    seen = np.where(pairs[places] == asked, counts[places], 0)
    previous, token = asked // vocabulary, asked % vocabulary
    context = seen_before[previous]
    left_over: Float[np.ndarray, " tokens"] = np.where(
        context > 0, discount * successors[previous] / np.maximum(context, 1), 1.0
    )
    direct = np.maximum(seen - discount, 0) / np.maximum(context, 1)
    return float(-np.log(direct + left_over * widespread[token]).sum())


def _pairs(ids: Int[Tensor, " tokens"], vocabulary: int) -> Int[np.ndarray, " tokens"]:
    """Every token with the one before it, as one number."""
    tokens = ids.numpy()
    return np.concatenate([[END_OF_TEXT_ID], tokens[:-1]]) * vocabulary + tokens
