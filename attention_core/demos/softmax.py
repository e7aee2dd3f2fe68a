"""Softmax step by step: with and without subtracting the maximum, in any number format.

``softmax(x)_i = exp(x_i) / Σ exp(x_j)`` does not change when a constant is added to all of x. Without that freedom
used, ``exp`` overflows at scores that any trained model reaches; with the maximum subtracted nothing is above
``exp(0) = 1``. The computations themselves live in ``attend.py``; here each of their steps is laid open.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from numpy.typing import NDArray

from attention_core.attend import entropy, row_maximum, softmax, softmax_unstable
from attention_core.precision import Precision, cast, largest_exponent
from attention_core.refusal import InvalidValueError
from attention_core.trace import to_array

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class StableSteps:
    """``x → x − max x → exp → ÷ Σ``. Half precision goes through float32, as in every attention here."""

    maximum: float
    shifted: Array
    exponentials: Array
    total: float
    weights: Array


@dataclass(frozen=True, eq=False)
class UnstableSteps:
    """``x → exp → ÷ Σ``, each step rounded to the precision: +∞ and NaN where it breaks down."""

    exponentials: Array
    total: float
    weights: Array
    overflowed: bool
    """Some ``exp``, or their sum, is beyond the largest number."""
    vanished: bool
    """Every ``exp`` is 0: nothing is left to share."""


@dataclass(frozen=True, eq=False)
class SoftmaxSteps:
    """Both computations of one softmax, and the exact result."""

    scores: Array
    """(K), divided by the temperature and rounded to the precision."""
    stable: StableSteps
    unstable: UnstableSteps
    exact: Array
    """(K): in float64."""
    shifted_weights: Array
    """(K): ``softmax(x + shift)`` in float64, equal to ``exact`` but for rounding."""
    entropy: float
    """Of the stable weights, in nats."""
    largest_exponent: float
    """The score above which ``exp`` overflows in this precision."""


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
