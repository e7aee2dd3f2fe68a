"""Norms with their scale held at the value of one run: linear maps, so every part of a sum passes through alone.

``g ∘ (s − mean s) / σ + b`` of a sum s is, σ held, the sum of the same of its parts (Kobayashi et al. 2021). The parts
are exact for this run, but do not say how σ would change without one of them.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attention_core.block import epsilon_of, gain, is_centring


@dataclass(frozen=True, eq=False)
class FixedNorm:
    """A LayerNorm with the σ of given sums held fixed, or an RMSNorm with their root mean square; else a factor 1/σ."""

    norm: nn.Module | None
    sigma: Float[Tensor, "N 1"]

    @classmethod
    def of(cls, norm: nn.Module | None, sums: Float[Tensor, "N D"]) -> "FixedNorm":
        """For these sums, at every token; the identity where there is no norm."""
        if norm is None or isinstance(norm, nn.Identity):
            return cls.times(1.0, sums)
        spread = (
            sums.var(dim=-1, correction=0, keepdim=True)
            if is_centring(norm)
            else sums.square().mean(dim=-1, keepdim=True)
        )
        return cls(norm, (spread + (epsilon_of(norm) or 0.0)).sqrt())

    @classmethod
    def times(cls, factor: float, sums: Float[Tensor, "N D"]) -> "FixedNorm":
        """No norm: sums are multiplied with a factor."""
        return cls(None, torch.full_like(sums[:, :1], 1.0 / factor))

    def unscaled(self, parts: Float[Tensor, "*N D"]) -> Float[Tensor, "*N D"]:
        """``g ∘ (z − mean z)``, in an RMSNorm ``g ∘ z``: what is left to do is to divide by σ."""
        if self.norm is None:
            return parts
        centred = parts - parts.mean(dim=-1, keepdim=True) if is_centring(self.norm) else parts
        return centred * gain(self.norm).to(parts.dtype)

    def towards(self, direction: Float[Tensor, " D"]) -> Float[Tensor, "N D"]:
        """The vectors v with ``unscaled(z) / σ · direction = z · v`` for every z."""
        if self.norm is None:
            return direction / self.sigma
        gained = direction * gain(self.norm).to(direction.dtype)
        return (gained - gained.mean() if is_centring(self.norm) else gained) / self.sigma

    def shift(self) -> Float[Tensor, " D"] | float:
        """The norm's bias."""
        bias = None if self.norm is None else getattr(self.norm, "bias", None)
        return 0.0 if bias is None else bias.float()
