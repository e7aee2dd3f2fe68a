"""Attention between words, the word that a word attends to most, and the best fixed offset (Clark et al. 2019, §4).

A weight between two words is summed over the tokens of the word that is attended to and averaged over those of the word
that attends. Special tokens belong to no word, and a word's weight on itself does not count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.pretrained.recording.positional_regularity import first_of_largest


@dataclass(frozen=True, eq=False)
class WordTokens:
    """Which tokens belong to which words, as the two matrices that weights are multiplied with."""

    summing: Float[Tensor, "*batch N words"]
    """1 where a token belongs to a word."""
    averaging: Float[Tensor, "*batch words N"]
    """The same by word, divided by the word's number of tokens; 0 for a word without tokens."""

    @classmethod
    def of(cls, table: Float[Tensor, "*batch N words"]) -> "WordTokens":
        """From a table with 1 where a token belongs to a word, on the device and in the precision of the weights."""
        return cls(table, (table / table.sum(dim=-2, keepdim=True).clamp(min=1)).mT)

    def weights(self, weights: Float[Tensor, "*batch N N"]) -> Float[Tensor, "*batch words words"]:
        """Weights from word to word."""
        return self.averaging @ (weights @ self.summing)


def tokens_of_words(
    starts: Int[np.ndarray, " N"],
    ends: Int[np.ndarray, " N"],
    special: Bool[np.ndarray, " N"],
    words: Sequence[tuple[int, int]],
) -> Bool[np.ndarray, "N words"]:
    """Which tokens belong to which words: those that share a character with it; special tokens to none.

    Spans are characters, ends exclusive; a token that stands for no character has a negative start.
    """
    spans = np.array(words, dtype=np.int64).reshape(-1, 2)
    overlap = (starts[:, None] < spans[:, 1]) & (spans[:, 0] < ends[:, None])
    return overlap & ((starts >= 0) & ~special)[:, None]


def strongest_other_word(between: Float[Tensor, "*batch words words"]) -> Int[Tensor, "*batch words"]:
    """For each word the one that it attends to most, other than itself; the first of equals.

    −1 for a word that attends to no other: all weights are 0.
    """
    itself = torch.eye(between.shape[-1], dtype=torch.bool, device=between.device)
    others = between.masked_fill(itself, 0.0)
    best = first_of_largest(others)
    return best.masked_fill_(others.gather(-1, best.unsqueeze(-1)).squeeze(-1) <= 0, -1)


def best_fixed_offset(counts: Mapping[int, int]) -> int:
    """The offset with the highest count; of several the nearest to 0, of these the negative one."""
    return min(counts, key=lambda offset: (-counts[offset], abs(offset), offset))
