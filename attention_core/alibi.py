"""ALiBi: a penalty on the scores proportional to distance, instead of position vectors (Press et al. 2022, §3).

Head h adds ``−slope_h · (query − key)`` to its scaled scores, for keys at or before the query; the causal mask does
the rest. Slopes are fixed, not learned: steep heads attend nearby, gentle ones far away. Nothing is trained per
position, so positions do not end at the trained length.

The formula is evaluated for every cell, so above the diagonal, which the causal mask hides, it gives a bonus.
Encoders have no such mask and use ``symmetric=True``: ``−slope · |query − key|`` (as MosaicBERT and JinaBERT do).
BLOOM and MPT add ``slope · key`` instead, which differs by a constant in each row and so gives the same weights.

Positions as in ``masks``: fewer queries than keys are the last positions.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.refusal import InvalidValueError, check_at_least


def slopes(num_heads: int, *, device: torch.device | str | None = None) -> Float[Tensor, " heads"]:
    """``2^(−8h/n)`` for h = 1 … n when n is a power of two: 8 heads have 1/2, 1/4, … 1/256.

    Any other number uses the slopes of the power of two below it, then every other slope of twice that power (the
    authors' own rule, appendix A of their code): 12 heads have those of 8 heads, then 2^−0.5, 2^−1.5, 2^−2.5, 2^−3.5.
    In float64; powers of two are exact. Raises ValueError for fewer than 1 head.
    """
    check_at_least(1, num_heads=num_heads)
    power = 2 ** int(math.log2(num_heads))
    exponents = [8 * h / power for h in range(1, power + 1)]
    exponents += [4 * h / power for h in range(1, 2 * (num_heads - power) + 1, 2)]
    return torch.tensor([2.0**-exponent for exponent in exponents], dtype=torch.float64, device=device)


def alibi_bias(
    num_heads: int,
    num_queries: int,
    num_keys: int,
    *,
    symmetric: bool = False,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str | None = None,
) -> Float[Tensor, "heads Q K"]:
    """The dense bias matrix. Raises ValueError for more queries than keys."""
    rule = AlibiBias(num_heads, num_queries, num_keys, symmetric=symmetric, dtype=dtype, device=device)
    return rule.window(slice(0, num_queries), slice(0, num_keys)).squeeze(0)


@dataclass(frozen=True)
class AlibiBias:
    """The ALiBi bias as a rule evaluated window by window (see ``blockwise.BiasRule``)."""

    num_heads: int
    num_queries: int
    num_keys: int
    symmetric: bool = False
    dtype: torch.dtype = torch.float32
    device: torch.device | str | None = None

    def __post_init__(self) -> None:
        check_at_least(1, num_heads=self.num_heads)
        if self.num_queries > self.num_keys:
            raise InvalidValueError(
                "num_queries ({num_queries}) must not exceed num_keys ({num_keys}): the queries are the "
                "last positions of the keys",
                self.num_queries,
                self.num_keys,
            )

    def window(self, rows: slice, cols: slice) -> Float[Tensor, "1 heads rows cols"]:
        """``−slope · (query − key)`` for these queries and keys (slices with both ends given).

        Computed in float32 or better and rounded once: half precision cannot represent large positions exactly.
        """
        precision = torch.promote_types(self.dtype, torch.float32)
        offset = self.num_keys - self.num_queries
        query = torch.arange(rows.start + offset, rows.stop + offset, device=self.device).unsqueeze(-1)
        key = torch.arange(cols.start, cols.stop, device=self.device)
        distance = (query - key).abs() if self.symmetric else query - key
        steepness = slopes(self.num_heads, device=self.device).to(precision).view(1, -1, 1, 1)
        return (-steepness * distance.to(precision)).to(self.dtype)
