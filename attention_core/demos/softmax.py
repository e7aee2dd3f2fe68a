"""Softmax step by step: with and without subtracting the maximum, in any number format.

``softmax(x)_i = exp(x_i) / Σ exp(x_j)`` does not change when a constant is added to all of x. Unless that is used,
``exp`` overflows at scores that any trained model reaches; with the maximum subtracted nothing exceeds ``exp(0) = 1``.
The computations themselves are in ``attend.py``; here each of their steps is shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from attention_core.attend import entropy, row_maximum, softmax, softmax_unstable
from attention_core.precision import Precision, cast, largest_exponent
from attention_core.refusal import InvalidValueError
from attention_core.trace import to_array

Keys = Float[np.ndarray, "keys"]


@dataclass(frozen=True, eq=False)
class StableSteps:
    """``x → x − max x → exp → ÷ Σ``. Half precision is computed in float32 and rounded once, at the end."""

    maximum: float
    shifted: Keys
    exponentials: Keys
    total: float
    weights: Keys


@dataclass(frozen=True, eq=False)
class UnstableSteps:
    """``x → exp → ÷ Σ``, each step rounded to the precision: +∞ and NaN where it breaks down."""

    exponentials: Keys
    total: float
    weights: Keys
    overflowed: bool
    """Some ``exp``, or their sum, exceeds the largest number."""
    vanished: bool
    """Every ``exp`` is 0, so there is nothing to divide by."""


@dataclass(frozen=True, eq=False)
class SoftmaxSteps:
    """Both computations of one softmax, and the exact result."""

    scores: Keys
    """Divided by the temperature, rounded to the precision."""
    stable: StableSteps
    unstable: UnstableSteps
    exact: Keys
    """In float64."""
    shifted_weights: Keys
    """``softmax(x + shift)`` in float64, equal to exact apart from rounding."""
    entropy: float
    """Of the stable weights, in nats."""
    largest_exponent: float
    """The score above which ``exp`` overflows in this precision."""

    @property
    def largest_shift_difference(self) -> float:
        """Between exact and shifted_weights: only rounding."""
        return float(abs(self.shifted_weights - self.exact).max())


def softmax_steps(
    scores: Sequence[float], *, precision: Precision = "float64", temperature: float = 1.0, shift: float = 0.0
) -> SoftmaxSteps:
    """Every step of ``softmax(scores / temperature)``, stable and unstable.

    Raises ValueError for a temperature that is not positive, no scores at all, or scores beyond the precision.
    """
    if not temperature > 0:
        raise InvalidValueError("{name} must be > {least}, not {given}", "temperature", 0, temperature)
    if len(scores) == 0:
        raise InvalidValueError("{name} must not be empty", "scores")
    exact_scores = torch.tensor(scores, dtype=torch.float64) / temperature
    rounded = cast(exact_scores, precision, "scores")
    weights = softmax(rounded)
    return SoftmaxSteps(
        scores=to_array(rounded),
        stable=_stable(rounded, weights),
        unstable=_unstable(rounded),
        exact=to_array(softmax(exact_scores)),
        shifted_weights=to_array(softmax(exact_scores + shift)),
        entropy=float(entropy(weights)),
        largest_exponent=largest_exponent(precision),
    )


def _stable(scores: torch.Tensor, weights: torch.Tensor) -> StableSteps:
    wide = scores.to(torch.promote_types(scores.dtype, torch.float32))
    maximum = row_maximum(wide)
    shifted = wide - maximum
    exponentials = shifted.exp()
    return StableSteps(
        maximum=float(maximum),
        shifted=to_array(shifted),
        exponentials=to_array(exponentials),
        total=float(exponentials.sum()),
        weights=to_array(weights),
    )


def _unstable(scores: torch.Tensor) -> UnstableSteps:
    exponentials = scores.exp()
    total = exponentials.sum()
    return UnstableSteps(
        exponentials=to_array(exponentials),
        total=float(total),
        weights=to_array(softmax_unstable(scores)),
        overflowed=bool(total.isinf()),
        vanished=bool(total == 0),
    )
