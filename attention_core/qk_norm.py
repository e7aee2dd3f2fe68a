"""QK norm: normalise queries and keys before their dot product.

Three norms that are easily confused, over the last axis of size D:

- LayerNorm ``(x − mean x) / √(var x + ε)`` (Ba et al. 2016): length about √D;
- RMS norm ``x / √(mean x² + ε)`` (Zhang & Sennrich 2019): length about √D;
- L2 norm ``x / ‖x‖``: length exactly 1, so that ``q · k = cos θ`` (Henry et al. 2020).

Where it sits: nanochat rotates first (RoPE) and norms after, without a learned scale; Qwen3 norms first, with a learned
scale for each dimension, and rotates after. A rotation keeps lengths, so without a learned scale both orders agree.
"""

import math
from typing import Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attention_core.refusal import InvalidValueError, check_at_least, check_choice

NormKind = Literal["rms", "l2"]
KINDS: tuple[NormKind, ...] = get_args(NormKind)

EPSILON = 1e-6
"""RMS norm's, added to the mean square (as in Llama and Qwen3); the zero vector stays zero."""
LAYER_NORM_EPSILON = 1e-5
"""LayerNorm's, added to the variance: torch's own default, and GPT-2's."""


def rms_norm(
    vectors: Float[Tensor, "... D"], scale: Float[Tensor, "..."] | None = None, *, epsilon: float = EPSILON
) -> Float[Tensor, "... D"]:
    """``x / √(mean x² + ε) · scale``. Half precision is squared in float32 and cast back."""
    _check_norm(vectors, epsilon)
    wide = vectors.to(torch.promote_types(vectors.dtype, torch.float32))
    normed = wide * torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + epsilon)
    return (normed if scale is None else normed * scale).to(vectors.dtype)


def l2_norm(
    vectors: Float[Tensor, "... D"], scale: Float[Tensor, "..."] | None = None, *, epsilon: float = 1e-12
) -> Float[Tensor, "... D"]:
    """``x / max(‖x‖, ε) · scale``: of length 1 without a scale. Half precision is squared in float32."""
    _check_norm(vectors, epsilon)
    wide = vectors.to(torch.promote_types(vectors.dtype, torch.float32))
    normed = wide / wide.norm(dim=-1, keepdim=True).clamp_min(epsilon)
    return (normed if scale is None else normed * scale).to(vectors.dtype)


def layer_norm(vectors: Float[Tensor, "... D"], *, epsilon: float = LAYER_NORM_EPSILON) -> Float[Tensor, "... D"]:
    """``(x − mean x) / √(var x + ε)``, without gain and shift; the variance is that of the D numbers (÷ D)."""
    _check_norm(vectors, epsilon)
    return rms_norm(vectors - vectors.mean(dim=-1, keepdim=True), epsilon=epsilon)


class QKNorm(nn.Module):
    """The norm of one attention layer's queries and keys, (..., D) tensors with any number of heads.

    ``rms``: RMS norm. With a learned scale queries and keys have one each, D numbers shared by all heads (Qwen3);
    without, there are no parameters (nanochat).
    ``l2``: L2 norm. The learned scale is one vector of D numbers shared by queries and keys (nGPT's ``s_qk``, there one
    for each head), so that ``q · k = Σ s² q̂ k̂``; without, scores are cosines.

    ``score_scale`` multiplies the dot products: ``1/√D`` for rms, ``√D`` for l2 (Loshchilov et al. 2024,
    §2.3.2: unit vectors have products of variance 1/D, which √D brings back to 1). All scales start at 1.
    """

    def __init__(
        self,
        kind: NormKind,
        head_dim: int,
        *,
        learned_scale: bool = True,
        epsilon: float | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        check_kind(kind)
        check_at_least(1, head_dim=head_dim)
        self.kind = kind
        self.head_dim = head_dim
        self.epsilon = epsilon
        self.score_scale = math.sqrt(head_dim) if kind == "l2" else 1.0 / math.sqrt(head_dim)
        self.query_scale: nn.Parameter | None = None
        self.key_scale: nn.Parameter | None = None
        if learned_scale:
            self.query_scale = nn.Parameter(torch.ones(head_dim, device=device, dtype=dtype))
            self.key_scale = (
                self.query_scale if kind == "l2" else nn.Parameter(torch.ones(head_dim, device=device, dtype=dtype))
            )

    def forward(
        self, queries: Float[Tensor, "... Q Dq"], keys: Float[Tensor, "... K Dk"]
    ) -> tuple[Float[Tensor, "... Q Dq"], Float[Tensor, "... K Dk"]]:
        """Normalise queries and keys. Raises ValueError unless Dq and Dk are ``head_dim``."""
        return self.norm(queries, self.query_scale), self.norm(keys, self.key_scale)

    def norm(self, vectors: Float[Tensor, "... D"], scale: Float[Tensor, " Ds"] | None) -> Float[Tensor, "... D"]:
        """Normalise one side, with the given scale."""
        if vectors.shape[-1] != self.head_dim:
            raise InvalidValueError(
                "{name} must have size {size}, not {given}", "vectors", self.head_dim, vectors.shape[-1]
            )
        function = l2_norm if self.kind == "l2" else rms_norm
        return function(vectors, scale) if self.epsilon is None else function(vectors, scale, epsilon=self.epsilon)

    def extra_repr(self) -> str:
        """What ``print(module)`` shows."""
        return f"kind={self.kind}, head_dim={self.head_dim}, learned_scale={self.query_scale is not None}"


def check_kind(kind: str) -> None:
    """Raise ValueError unless ``kind`` is one of KINDS."""
    check_choice("kind", kind, KINDS)


def _check_norm(vectors: Tensor, epsilon: float) -> None:
    if vectors.shape[-1] < 1:
        raise InvalidValueError("vectors must have at least 1 number each, not 0")
    if not epsilon > 0:
        raise InvalidValueError("{name} must be > {least}, not {given}", "epsilon", 0, epsilon)
