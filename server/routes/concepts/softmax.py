"""Softmax step by step: stable and unstable, in any number format."""

import math
from typing import Annotated, Any

from fastapi import APIRouter
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from attention_core.demos.softmax import SoftmaxSteps, softmax_steps
from attention_core.precision import Precision
from server.requests.bodies import BodyRoute
from server.requests.bounded import Number, RequestModel, Temperature, UpToTokens, Vector, check_tokens
from server.routes.dependencies import SettingsDep
from server.web.matrices import JsonNumber, to_json_numbers

router = APIRouter(prefix="/api/softmax", tags=["softmax"], route_class=BodyRoute)


class SoftmaxRequest(RequestModel):
    """Scores, and the arithmetic to soften them with."""

    scores: Annotated[Vector, UpToTokens] = Field(examples=[[2.1, 4.5, 1.8, 3.2]])
    precision: Precision = Field("float64", description="Number format in which the steps are taken.")
    temperature: Temperature = Field(1.0, description="The scores are divided by it first.")
    shift: Number = Field(0.0, description="Added to every score in `shifted_weights`: nothing changes.")


class Stable(BaseModel):
    """`x → x − max x → exp → ÷ Σ`. Half precision goes through float32 and is rounded once, at the end."""

    maximum: float
    shifted: list[float]
    exponentials: list[float]
    total: float
    weights: list[float]


class Unstable(BaseModel):
    """`x → exp → ÷ Σ`, each step in the precision. "Infinity" is an overflow; null is not a number: ∞/∞, 0/0."""

    exponentials: list[JsonNumber]
    total: JsonNumber
    weights: list[float | None]
    overflowed: bool = Field(description="Some exp, or their sum, is beyond the largest number.")
    vanished: bool = Field(description="Every exp is 0.")


class SoftmaxAnswer(BaseModel):
    """Both ways, and what both ought to give."""

    scores: list[float] = Field(description="Divided by the temperature, rounded to the precision.")
    precision: Precision
    stable: Stable
    unstable: Unstable
    exact: list[float] = Field(description="In float64.")
    shifted_weights: list[float] = Field(description="softmax(x + shift) in float64.")
    largest_shift_difference: float = Field(description="Between exact and shifted_weights: rounding alone.")
    entropy: float = Field(description="Of the stable weights, in nats.")
    largest_exponent: float = Field(description="Above this score exp overflows in this precision.")


@router.post("")
def post_softmax(request: SoftmaxRequest, settings: SettingsDep) -> SoftmaxAnswer:
    """Every step of `softmax(scores / temperature)`, with and without subtracting the maximum."""
    check_tokens(settings, "scores", len(request.scores))
    steps = softmax_steps(
        request.scores, precision=request.precision, temperature=request.temperature, shift=request.shift
    )
    return SoftmaxAnswer(
        scores=to_json_numbers(steps.scores),
        precision=request.precision,
        stable=Stable(
            maximum=steps.stable.maximum,
            shifted=to_json_numbers(steps.stable.shifted),
            exponentials=to_json_numbers(steps.stable.exponentials),
            total=steps.stable.total,
            weights=to_json_numbers(steps.stable.weights),
        ),
        unstable=_unstable(steps),
        exact=to_json_numbers(steps.exact),
        shifted_weights=to_json_numbers(steps.shifted_weights),
        largest_shift_difference=float(abs(steps.shifted_weights - steps.exact).max()),
        entropy=steps.entropy,
        largest_exponent=steps.largest_exponent,
    )


def _unstable(steps: SoftmaxSteps) -> Unstable:
    unstable = steps.unstable
    return Unstable(
        exponentials=to_json_numbers(unstable.exponentials),
        total="Infinity" if math.isinf(unstable.total) else unstable.total,
        weights=_numbers_or_null(unstable.weights),
        overflowed=unstable.overflowed,
        vanished=unstable.vanished,
    )


def _numbers_or_null(array: NDArray[Any]) -> list[float | None]:
    return [None if math.isnan(number) else number for number in array.tolist()]
