"""Uploaded weights behind the same window interface as ``BlockwiseAttention``.

Queries and keys are absent and have width 0; the scores behind the weights are unknown, and requesting them raises an
error. Values are optional. Rows need not sum to 1: weights are shown as given.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.blockwise.attention import BlockwiseAttention
from attention_core.masks import MaskRule
from attention_core.refusal import InvalidValueError


@dataclass(frozen=True, eq=False, kw_only=True)
class GivenWeights(BlockwiseAttention):
    """One layer's weights as uploaded, in any floating-point type; windows of them are float32 or wider."""

    given: Float[Tensor, "B H Q K"]

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return super().nbytes + self.given.nbytes

    def head(self, index: int) -> "GivenWeights":
        """See BlockwiseAttention."""
        kv_index = index * self.keys.shape[1] // self.num_heads
        return GivenWeights(
            queries=self.queries[:, index : index + 1],
            keys=self.keys[:, kv_index : kv_index + 1],
            values=self.values[:, kv_index : kv_index + 1],
            scale=self.scale,
            mask=self.mask,
            blocks=self.blocks,
            given=self.given[:, index : index + 1],
        )

    def _raw_scores(
        self,
        rows: slice,  # noqa: ARG002 - there are none
        cols: slice,  # noqa: ARG002
        dtype: torch.dtype | None = None,  # noqa: ARG002
    ) -> Float[Tensor, "B H rows cols"]:
        """Unknown for given weights. Raises ValueError."""
        raise InvalidValueError("raw_scores are unknown: weights were given, not queries and keys")

    def log_weights(
        self,
        rows: slice,
        cols: slice,
        log_sum_exp: Float[Tensor, "B H Q 2"],
        *,
        fully_visible: bool = False,
        rough: bool = False,  # noqa: ARG002 - nothing is multiplied
    ) -> Float[Tensor, "B H rows cols"]:
        """``ln`` of the given weights; −∞ where they are 0."""
        return self.weights(rows, cols, log_sum_exp, fully_visible=fully_visible).log_()

    def weights(
        self,
        rows: slice,
        cols: slice,
        log_sum_exp: Float[Tensor, "B H Q 2"],  # noqa: ARG002 - what was given is not scaled again
        *,
        fully_visible: bool = False,  # noqa: ARG002 - nor masked
    ) -> Float[Tensor, "B H rows cols"]:
        """A copy of this window of the given weights."""
        window = self.given[:, :, rows, cols]
        return window.to(torch.promote_types(window.dtype, torch.float32), copy=True)


def given_weights(
    weights: Float[Tensor, "B H Q K"],
    values: Float[Tensor, "B Hkv K V"] | None = None,
    mask: MaskRule | None = None,
) -> GivenWeights:
    """An attention layer with these weights. ``mask`` says which cells are 0 because they are masked.

    Raises ValueError if query heads cannot share the heads of ``values`` evenly.
    """
    batch, heads, queries, keys = weights.shape
    if values is None:
        values = weights.new_empty(batch, heads, keys, 0)
    return GivenWeights(
        queries=weights.new_empty(batch, heads, queries, 0),
        keys=weights.new_empty(batch, values.shape[1], keys, 0),
        values=values,
        scale=1.0,
        mask=mask,
        given=weights,
    )
