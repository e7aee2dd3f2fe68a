"""Order blindness: the same words in two orders, once for each way of knowing order."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field

from attention_core.demos.order import WAYS, order_experiment
from attention_core.precision import Precision
from attention_core.refusal import InvalidValueError
from server.answers.from_core import FromCore
from server.requests.bodies import BodyRoute
from server.requests.bounded import (
    MatrixIn,
    RequestModel,
    Seed,
    Text,
    UpToSquare,
    UpToTokens,
    check_cells,
    check_tokens,
)
from server.routes.dependencies import SettingsDep
from server.web.matrices import to_answer_numbers

router = APIRouter(prefix="/api/order", tags=["order"], route_class=BodyRoute)

MAX_DIM = 512
EXAMPLE = ["the", "dog", "chased", "the", "cat"]

Word = Annotated[Text, Field(min_length=1, max_length=100)]


def _short_rows(schema: dict[str, Any]) -> None:
    schema["items"]["maxItems"] = MAX_DIM


class OrderRequest(RequestModel):
    """Words, or vectors in their place, and the order to put them in."""

    words: Annotated[list[Word], Field(min_length=1, fail_fast=True), UpToTokens, UpToSquare] | None = Field(
        None, description="Equal words get equal vectors. A short sentence unless given.", examples=[EXAMPLE]
    )
    vectors: Annotated[MatrixIn, UpToTokens, UpToSquare, Field(json_schema_extra=_short_rows)] | None = Field(
        None, description="[word][dim] in place of vectors drawn; an even dim."
    )
    dim: Annotated[int, Field(ge=2, le=MAX_DIM, multiple_of=2)] = 16
    permutation: (
        Annotated[
            list[Annotated[int, Field(ge=0), UpToTokens, UpToSquare]],
            Field(min_length=1, fail_fast=True, json_schema_extra={"uniqueItems": True}),
            UpToTokens,
            UpToSquare,
        ]
        | None
    ) = Field(None, description="New order: place i gets word permutation[i]. Drawn from the seed unless given.")
    seed: Seed = Field(0, description="Of vectors, projections and permutation.")
    precision: Precision = "float64"
    symmetric: bool = Field(
        False,
        description="ALiBi's: −slope·|query − key|, as encoders have it.",
    )


class OutcomeOut(FromCore):
    """One way of knowing order. Rows of weights are queries, columns keys."""

    way: Literal["none", "causal", "sinusoidal", "rope", "alibi"]
    outputs: list[list[float]] = Field(description="[word][dim] in the order given.")
    permuted_outputs: list[list[float]] = Field(description="Of the words in their new order.")
    moved_outputs: list[list[float]] = Field(description="`outputs`, moved along with their words.")
    weights: list[list[float]] | None = Field(
        description="Null where all weights together exceed OBSERVATORY_MAX_CONCEPT_CELLS."
    )
    permuted_weights: list[list[float]] | None
    largest_difference: float = Field(
        description="Between permuted_outputs and moved_outputs; 0 where order is unseen."
    )


class OrderResponse(BaseModel):
    """The same words in two orders."""

    words: list[str] | None
    permuted_words: list[str] | None
    permutation: list[int]
    vectors: list[list[float]] = Field(description="[word][dim]")
    outcomes: list[OutcomeOut] = Field(description="No positions, causal mask alone, sinusoidal, RoPE, ALiBi.")


@router.post("")
def post_order(request: OrderRequest, settings: SettingsDep) -> OrderResponse:
    """Permute the words: without positions the outputs permute and nothing else changes."""
    if request.words is not None and request.vectors is not None and len(request.words) != len(request.vectors):
        raise InvalidValueError(
            "vectors must have a row for each of {count} words, not {given}", len(request.words), len(request.vectors)
        )
    words = EXAMPLE if request.words is None and request.vectors is None else request.words
    field, count = ("words", len(words)) if words is not None else ("vectors", len(request.vectors or ()))
    dim = request.dim if request.vectors is None else len(request.vectors[0])
    if dim > MAX_DIM:
        raise InvalidValueError("vectors must have at most {max_dim} numbers each, not {dim}", MAX_DIM, dim)
    check_tokens(settings, field, count)
    check_cells(settings, field, count, count)
    experiment = order_experiment(
        words,
        vectors=request.vectors,
        dim=request.dim,
        permutation=request.permutation,
        seed=request.seed,
        precision=request.precision,
        symmetric=request.symmetric,
        keep_weights=2 * len(WAYS) * count**2 <= settings.max_concept_cells,
    )
    return OrderResponse.model_construct(
        words=words,
        permuted_words=None if words is None else [words[index] for index in experiment.permutation],
        permutation=experiment.permutation,
        vectors=to_answer_numbers(experiment.vectors),
        outcomes=[OutcomeOut.of(outcome) for outcome in experiment.outcomes],
    )
