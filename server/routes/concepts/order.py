"""Order blindness: the same words in two orders, once for each position encoding."""

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field

from attention_core.demos.order import WAYS, OrderExperiment, Outcome, order_experiment
from attention_core.precision import Precision
from attention_core.refusal import InvalidValueError, Sentence
from ...answers.drawings import KEY, QUERY, heat, named, vectors
from ...answers.from_core import AnswerOf
from ...requests.bodies import BodyRoute
from ...requests.bounded import (
    MatrixIn,
    RequestModel,
    Seed,
    Text,
    UpToSquare,
    UpToTokens,
    check_cells,
    check_tokens,
)
from ..dependencies import SettingsDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/order", tags=["order"], route_class=BodyRoute)

MAX_DIM = 512
EXAMPLE = ["the", "dog", "chased", "the", "cat"]

Word = Annotated[Text, Field(min_length=1, max_length=100)]


def _short_rows(schema: dict[str, Any]) -> None:
    schema["items"]["maxItems"] = MAX_DIM


class OrderRequest(RequestModel):
    """Words, or vectors instead of them, and their new order."""

    words: Annotated[list[Word], Field(min_length=1, fail_fast=True), UpToTokens, UpToSquare] | None = Field(
        None, description="Equal words get equal vectors. A short sentence unless given.", examples=[EXAMPLE]
    )
    vectors: Annotated[MatrixIn, UpToTokens, UpToSquare, Field(json_schema_extra=_short_rows)] | None = Field(
        None, description="[words][dim] instead of random vectors; dim must be even."
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
    ) = Field(None, description="New order: position i gets word permutation[i]. Random unless given.")
    seed: Seed = Field(0, description="Of vectors, projections and permutation.")
    precision: Precision = "float64"
    symmetric: bool = Field(False, description="ALiBi's: −slope·|query − key|, as in encoders.")


class OutcomeOut(AnswerOf[Outcome]):
    """One position encoding. Rows of weights are queries, columns keys."""


class OrderResponse(AnswerOf[OrderExperiment]):
    """The same words in two orders."""

    words: list[str] | None
    permuted_words: list[str] | None
    outcomes: list[OutcomeOut]


@router.post("")
def post_order(request: OrderRequest, settings: SettingsDep) -> OrderResponse:
    """Permute the words: without positions the outputs are permuted and nothing else changes."""
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
    permuted = None if words is None else [words[index] for index in experiment.permutation]
    return OrderResponse.of(experiment, words=words, permuted_words=permuted)


WORDS = named(QUERY, "words"), named(KEY, "words")
PERMUTED = named(QUERY, "permuted_words"), named(KEY, "permuted_words")

add_figures(
    router,
    post_order,
    {
        "weights": heat("outcomes[way].weights", Sentence("Weights"), *WORDS, "weights"),
        "permuted_weights": heat(
            "outcomes[way].permuted_weights", Sentence("Weights of the permuted words"), *PERMUTED, "weights"
        ),
        "outputs": vectors("outcomes[way].outputs", Sentence("Outputs"), WORDS[0]),
        "permuted_outputs": vectors(
            "outcomes[way].permuted_outputs", Sentence("Outputs of the permuted words"), PERMUTED[0]
        ),
        "vectors": vectors("vectors", Sentence("Vectors of the words"), WORDS[0]),
    },
)
