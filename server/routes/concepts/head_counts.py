"""One wide head or many narrow ones, with the same parameters."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from attention_core.demos.head_counts import HeadCountArrays, HeadCountsExample, peaked_head_counts, random_head_counts
from attention_core.refusal import Sentence
from ...answers.drawings import DIMENSIONS, HEADS, QUERIES, heat, stages, vectors
from ...answers.from_core import AnswerOf
from ...requests.bodies import BodyRoute
from ...requests.bounded import RequestModel, Rows, Seed, UpToTokens, check_cells, check_tokens
from ...settings import Settings
from ..dependencies import SettingsDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/head_counts", tags=["head_counts"], route_class=BodyRoute)

Heads = Annotated[int, Field(ge=1, le=128)]
Width = Annotated[int, Field(ge=1, le=1_024)]


class HeadCountsRequest(RequestModel):
    """The same W_Q and W_K split into each number of heads.

    Unless vectors or d_model are given, the example is a token that asks several questions, each answered by another.
    """

    head_counts: Annotated[list[Heads], Field(min_length=1, max_length=8)] = Field([1, 2], examples=[[1, 4, 8]])
    num_questions: Annotated[int, Field(ge=1, le=16)] = 2
    head_dim: Annotated[int, Field(ge=3, le=64)] = Field(4, description="Numbers for each question.")
    sharpness: Annotated[float, Field(ge=0, le=1e4)] = Field(
        8.0, description="Query sharpness: how far the answer scores above other keys."
    )
    fillers: Annotated[int, Field(ge=0, le=256)] = Field(3, description="Tokens that answer no question.")
    vectors: Rows | None = Field(None, description="With random W_Q and W_K, instead of the example.")
    d_model: Width | None = Field(None, description="With random vectors too.")
    seq_len: Annotated[int, Field(ge=1, le=512), UpToTokens] = Field(6, description="Number of random vectors.")
    seed: Seed = 0


class HeadCountAnswer(AnswerOf[HeadCountArrays]):
    """One number of heads. Rows are queries, columns are keys."""

    most_read: list[list[int]]


class HeadCountsAnswer(AnswerOf[HeadCountsExample]):
    """One entry for each number of heads, in the order asked for."""

    counts: list[HeadCountAnswer]


@router.post("")
def post_head_counts(request: HeadCountsRequest, settings: SettingsDep) -> HeadCountsAnswer:
    """Several separate peaks or one blurred ranking, from the same parameters."""
    return HeadCountsAnswer.of(_compare(request, settings))


add_figures(
    router,
    post_head_counts,
    {
        **stages("counts[count].{}[head]", "weights", "raw_scores", "scaled_scores"),
        "entropy": heat("counts[count].entropy", Sentence("Entropy of the weights"), HEADS, QUERIES, "positive"),
        "x": vectors("x", Sentence("Vectors of the tokens")),
        "query_weight": vectors("query_weight", "W_Q", DIMENSIONS),
        "key_weight": vectors("key_weight", "W_K", DIMENSIONS),
    },
)


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
