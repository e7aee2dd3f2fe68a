"""Summary statistics: moments, range and histogram of many numbers."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.refusal import InvalidValueError, check_at_least


@dataclass(frozen=True, eq=False)
class Summary:
    """Statistics and a histogram of ``count`` numbers."""

    count: int
    mean: float
    variance: float
    """Of a sample: ÷ (count − 1); 0 for a single number."""
    standard_deviation: float
    minimum: float
    maximum: float
    edges: Float[np.ndarray, "edges"]
    """Of the histogram's bins, one more than there are bins; the last bin includes its right edge."""
    counts: Int[np.ndarray, "bins"]
    """Of each bin."""


def summarise(numbers: Tensor, *, bins: int, span: tuple[float, float] | None = None) -> Summary:
    """Moments in float64, and a histogram over ``span`` (the numbers' own range unless given).

    Raises ValueError if there is nothing to summarise, or if a number lies outside ``span``.
    """
    check_at_least(1, bins=bins)
    flat = numbers.detach().double().flatten().cpu().numpy()
    if flat.size == 0:
        raise InvalidValueError("{name} must not be empty", "numbers")
    low, high = (float(flat.min()), float(flat.max())) if span is None else span
    if low > flat.min() or high < flat.max():
        raise InvalidValueError("span must hold every number, not {low} … {high}", low, high)
    counts, edges = np.histogram(flat, bins=bins, range=(low, high))
    variance = float(flat.var(ddof=1)) if flat.size > 1 else 0.0
    return Summary(
        count=flat.size,
        mean=float(flat.mean()),
        variance=variance,
        standard_deviation=variance**0.5,
        minimum=float(flat.min()),
        maximum=float(flat.max()),
        edges=edges,
        counts=counts,
    )
