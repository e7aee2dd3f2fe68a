"""Sentences as token ids of different lengths."""

from dataclasses import dataclass

from jaxtyping import Int
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Lines:
    """Prompts, each with the token that should follow."""

    tokens: Int[Tensor, "N T"]
    """Filled up with the end-of-text token."""
    lengths: Int[Tensor, " N"]
    answers: Int[Tensor, " N"]

    def rows(self, places: Int[Tensor, " n"]) -> "Lines":
        """Some of them, as short as their longest."""
        lengths = self.lengths[places]
        return Lines(self.tokens[places, : int(lengths.max())], lengths, self.answers[places])
