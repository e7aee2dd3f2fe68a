"""Softmax step by step: stable and unstable, in any number format."""

import math
from typing import Annotated, Any

from fastapi import APIRouter
from numpy.typing import NDArray
from pydantic import Field

from attention_core.demos.softmax import SoftmaxSteps, StableSteps, UnstableSteps, softmax_steps
from attention_core.precision import Precision
from attention_core.refusal import Sentence
from ...answers.drawings import WEIGHT, bars
from ...answers.from_core import AnswerOf
from ...requests.bodies import BodyRoute
from ...requests.bounded import Number, RequestModel, Temperature, UpToTokens, Vector, check_tokens
from ...web.matrices import JsonNumber
from ..dependencies import SettingsDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/softmax", tags=["softmax"], route_class=BodyRoute)


class SoftmaxRequest(RequestModel):
    """Scores, and the arithmetic that softmax is computed in."""

    scores: Annotated[Vector, UpToTokens] = Field(examples=[[2.1, 4.5, 1.8, 3.2]])
    precision: Precision = Field("float64", description="Number format of the steps.")
    temperature: Temperature = Field(1.0, description="The scores are divided by it first.")
    shift: Number = Field(0.0, description="Added to every score in `shifted_weights`: nothing changes.")


class Stable(AnswerOf[StableSteps]):
    """`x → x − max x → exp → ÷ Σ`. Half precision is computed in float32 and rounded once, at the end."""


class Unstable(AnswerOf[UnstableSteps]):
    """`x → exp → ÷ Σ`, each step in the precision. "Infinity" is an overflow; null is not a number: ∞/∞, 0/0."""

    exponentials: list[JsonNumber]
    total: JsonNumber
    weights: list[float | None]


class SoftmaxAnswer(AnswerOf[SoftmaxSteps]):
    """Both computations, and the exact result."""

    precision: Precision
    stable: Stable
    unstable: Unstable
    largest_shift_difference: float


@router.post("")
def post_softmax(request: SoftmaxRequest, settings: SettingsDep) -> SoftmaxAnswer:
    """Every step of `softmax(scores / temperature)`, with and without subtracting the maximum."""
    check_tokens(settings, "scores", len(request.scores))
    steps = softmax_steps(
        request.scores, precision=request.precision, temperature=request.temperature, shift=request.shift
    )
    weights = _numbers_or_null(steps.unstable.weights)
    return SoftmaxAnswer.of(steps, precision=request.precision, unstable=Unstable.of(steps.unstable, weights=weights))


add_figures(
    router,
    post_softmax,
    {
        "weights": bars("exact", Sentence("Weights"), WEIGHT),
        "stable": bars("stable.weights", Sentence("Weights, the maximum subtracted"), WEIGHT),
        "unstable": bars("unstable.weights", Sentence("Weights, nothing subtracted"), WEIGHT),
        "scores": bars("scores", Sentence("Scores"), Sentence("score")),
        "exponentials": bars("stable.exponentials", Sentence("Exponentials, the maximum subtracted"), "eˣ"),
    },
)


def _numbers_or_null(array: NDArray[Any]) -> list[float | None]:
    return [None if math.isnan(number) else number for number in array.tolist()]
