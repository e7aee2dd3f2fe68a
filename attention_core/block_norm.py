"""The normalisation layer before each sublayer of a block and at the end of a model."""

from typing import Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attention_core.qk_norm import rms_norm
from attention_core.refusal import check_choice

BlockNorm = Literal["layer", "rms", "none"]
KINDS: tuple[BlockNorm, ...] = get_args(BlockNorm)


class RMSNorm(nn.Module):
    """``x / √(mean x² + ε) · scale`` with a learned scale of size d initialised to 1 (Zhang & Sennrich 2019).

    Without ``learned_scale`` there are no parameters, as in nanochat.
    """

    weight: nn.Parameter | None

    def __init__(self, dim: int, epsilon: float, *, learned_scale: bool = True) -> None:
        super().__init__()
        self.epsilon = epsilon
        self.weight = nn.Parameter(torch.ones(dim)) if learned_scale else None

    def forward(self, x: Float[Tensor, "... d"]) -> Float[Tensor, "... d"]:
        """Normalise x; half precision is squared in float32."""
        return rms_norm(x, self.weight, epsilon=self.epsilon)


def block_norm(kind: BlockNorm, dim: int, *, epsilon: float, bias: bool, learned_scale: bool = True) -> nn.Module:
    """``layer``: LayerNorm with scale (and shift if ``bias``); ``rms``: RMSNorm; ``none``: x as it is.

    ``learned_scale=False`` leaves out scale and shift.
    """
    check_norm(kind)
    if kind == "none":
        return nn.Identity()
    if kind == "rms":
        return RMSNorm(dim, epsilon, learned_scale=learned_scale)
    return nn.LayerNorm(dim, eps=epsilon, elementwise_affine=learned_scale, bias=bias)


def check_norm(kind: str) -> None:
    """Raise ValueError unless ``kind`` is one of KINDS."""
    check_choice("norm", kind, KINDS)
