"""The stages of one attention computation, by name.

``queries, keys, values → raw_scores → scaled_scores → (+ bias) → masked_scores → weights → head_outputs → output``

JSON and JavaScript use the same names. Rows are always queries, columns keys.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float
from numpy.typing import NDArray
from torch import Tensor

STAGES = ("raw_scores", "scaled_scores", "masked_scores", "weights")
"""The square stages (..., queries, keys), in the order in which they are computed."""


@dataclass(frozen=True, eq=False)
class AttentionTrace:
    """Every stage of one attention computation.

    Shapes: ``...`` is any number of leading axes (batch, heads), Q queries, K keys, D the size of a query
    and key, V the size of a value, O the size of the output.
    """

    queries: Float[Tensor, "... Q Dq"]
    keys: Float[Tensor, "... K Dk"]
    values: Float[Tensor, "... K V"]
    raw_scores: Float[Tensor, "... Q K"]
    """Output of the scoring function, before scaling."""
    scaled_scores: Float[Tensor, "... Q K"]
    """``raw_scores · scale``; a temperature T is part of the scale (scale / T)."""
    bias: Float[Tensor, "..."] | None
    """Added to the scaled scores: ALiBi, T5's relative position bias. Broadcasts to (..., Q, K)."""
    mask: Bool[Tensor, "..."] | Float[Tensor, "..."] | None
    """Boolean (true: allowed) or additive. Broadcasts to (..., Q, K)."""
    masked_scores: Float[Tensor, "... Q K"]
    """``scaled_scores + bias``, −∞ where the mask forbids."""
    weights: Float[Tensor, "... Q K"]
    """``softmax(masked_scores)`` over the keys: each row sums to 1, or is all 0 if every key is masked."""
    head_outputs: Float[Tensor, "... Q V"]
    """``weights · values``, one for each head."""
    output: Float[Tensor, "... Q O"]
    """Heads merged and projected; where there is one head and no projection, the head output itself."""

    def stages(self) -> Iterator[tuple[str, Tensor]]:
        """Names and tensors in order of computation, omitting an absent bias or mask."""
        for field in fields(self):
            tensor = getattr(self, field.name)
            if tensor is not None:
                yield field.name, tensor

    def as_arrays(self) -> dict[str, NDArray[Any]]:
        """The stages as numpy arrays."""
        return {name: to_array(tensor) for name, tensor in self.stages()}


def to_array(tensor: Tensor) -> NDArray[Any]:
    """A tensor as a numpy array on the CPU; bfloat16, which numpy lacks, becomes float32."""
    detached = tensor.detach().cpu()
    return np.asarray(detached.float() if detached.dtype == torch.bfloat16 else detached)
