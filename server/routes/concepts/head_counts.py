"""One wide head or many, from the same parameters."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from attention_core.demos.head_counts import HeadCountsExample, peaked_head_counts, random_head_counts
from server.answers.from_core import FromCore
from server.requests.bodies import BodyRoute
from server.requests.bounded import RequestModel, Rows, Seed, UpToTokens, check_cells, check_tokens
from server.routes.dependencies import SettingsDep
from server.settings import Settings
from server.web.matrices import Matrix, to_json_numbers

router = APIRouter(prefix="/api/head_counts", tags=["head_counts"], route_class=BodyRoute)

Heads = Annotated[int, Field(ge=1, le=128)]
Width = Annotated[int, Field(ge=1, le=1_024)]


class HeadCountsRequest(RequestModel):
    """The same W_Q and W_K cut into each number of heads.

    Unless vectors or d_model are given, the example is a token that asks several questions, each answered by another.
    """

    head_counts: Annotated[list[Heads], Field(min_length=1, max_length=8)] = Field([1, 2], examples=[[1, 4, 8]])
    num_questions: Annotated[int, Field(ge=1, le=16)] = 2
    head_dim: Annotated[int, Field(ge=3, le=64)] = Field(4, description="Numbers for each question.")
    sharpness: Annotated[float, Field(ge=0, le=1e4)] = Field(8.0, description="How loudly the questions are asked.")
    fillers: Annotated[int, Field(ge=0, le=256)] = Field(3, description="Tokens that answer nothing.")
    vectors: Rows | None = Field(None, description="With W_Q and W_K drawn, in place of the example.")
    d_model: Width | None = Field(None, description="With vectors drawn too.")
    seq_len: Annotated[int, Field(ge=1, le=512), UpToTokens] = Field(6, description="How many vectors to draw.")
    seed: Seed = 0


class HeadCountAnswer(FromCore):
    """One number of heads. Rows are queries, columns are keys."""

    num_heads: int
    head_dim: int
    parameters: int = Field(description="Of W_Q, W_K, W_V, W_O without biases: the same for every number of heads.")
    raw_scores: list[Matrix] = Field(description="[head][query][key]; their sum over the heads is always the same.")
    scaled_scores: list[Matrix]
    weights: list[Matrix]
    entropy: list[list[float]] = Field(description="[head][query] in nats.")
    most_read: list[list[int]] = Field(
        description="[head][query] the key with the largest weight, the first of equals."
    )


class HeadCountsAnswer(FromCore):
    """One entry for each number of heads, in the order asked for."""

    counts: list[HeadCountAnswer]
    x: Matrix
    query_weight: Matrix
    key_weight: Matrix
    asker: int | None = Field(description="The example's token that asks.")
    answerers: list[int] | None = Field(description="For each question the token that answers it.")
    largest_difference: float = Field(description="Between the sums of raw scores over the heads: rounding alone.")


@router.post("")
def post_head_counts(request: HeadCountsRequest, settings: SettingsDep) -> HeadCountsAnswer:
    """Two separate peaks against one blurred ranking, from the same parameters."""
    return _comparison(_compare(request, settings))


def _compare(request: HeadCountsRequest, settings: Settings) -> HeadCountsExample:
    heads = sum(request.head_counts)
    if request.vectors is None and request.d_model is None:
        tokens = 1 + request.num_questions + request.fillers
        check_cells(settings, "head_counts", 3 * heads, tokens, tokens)
        return peaked_head_counts(
            request.head_counts, request.num_questions, request.head_dim, request.sharpness, request.fillers
        )
    tokens = request.seq_len if request.vectors is None else len(request.vectors)
    field = "seq_len" if request.vectors is None else "vectors"
    width = request.d_model or len((request.vectors or [[]])[0])
    check_tokens(settings, field, tokens)
    check_cells(settings, field, 3 * heads, tokens, tokens)
    check_cells(settings, "d_model" if request.d_model else field, 2, width, width)
    return random_head_counts(request.head_counts, request.vectors, width, tokens, request.seed)


def _comparison(found: HeadCountsExample) -> HeadCountsAnswer:
    counts = [HeadCountAnswer.of(count, most_read=to_json_numbers(count.weights.argmax(-1))) for count in found.counts]
    return HeadCountsAnswer.of(found, counts=counts)
