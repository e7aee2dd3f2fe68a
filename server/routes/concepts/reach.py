"""Which token reaches which position in a small model with masks drawn by hand, beside what the masks allow."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from attention_core.demos.reach import Mixing, ReachNumbers, measure_reach
from attention_core.refusal import Sentence
from ...answers.drawings import heat
from ...answers.from_core import AnswerOf
from ...requests.bodies import BodyRoute
from ...requests.bounded import RequestModel, Seed, UpToTokens, check_cells, check_tokens
from ..dependencies import SettingsDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/reach", tags=["reach"], route_class=BodyRoute)

MAX_TOKENS = 24
MAX_LAYERS = 8
TENSORS = 7
"""Matrices of every layer in an answer, and copies of the tokens beside them."""

Row = Annotated[list[bool], Field(min_length=2, max_length=MAX_TOKENS, fail_fast=True), UpToTokens]
Matrix = Annotated[list[Row], Field(min_length=2, max_length=MAX_TOKENS, fail_fast=True), UpToTokens]


class ReachRequest(RequestModel):
    """Masks of the layers of a small model of random weights, and what mixes positions beside attention."""

    masks: Annotated[list[Matrix], Field(min_length=1, max_length=MAX_LAYERS, fail_fast=True)] = Field(
        description="Square, true where attending is allowed; rows are queries. One for all layers, or one for each.",
    )
    layers: Annotated[int, Field(ge=1, le=MAX_LAYERS)] | None = Field(
        None, description="As many as there are masks unless given."
    )
    intended: Matrix | None = Field(
        None, description="What one layer was meant to let through; its own mask unless given. See `leaks`."
    )
    mixing: Mixing = Field("none", description="What passes between positions after the attention of every layer.")
    seed: Seed = Field(0, description="Of the weights and the tokens' vectors.")


class DrawnReachAnswer(AnswerOf[ReachNumbers]):
    """What the masks allow and what is measured after each layer. Rows are queries, columns are keys."""

    mixing: Mixing = Field(description="What passed between positions after the attention of every layer.")


@router.post("")
def post_reach(request: ReachRequest, settings: SettingsDep) -> DrawnReachAnswer:
    """Replace each token in turn and see which states change: what reaches, beside what the masks allow."""
    count, layers = len(request.masks[0]), request.layers or len(request.masks)
    check_tokens(settings, "masks", count)
    check_cells(settings, "masks", TENSORS, layers, count, count)
    measured = measure_reach(
        request.masks, layers=request.layers, intended=request.intended, mixing=request.mixing, seed=request.seed
    )
    return DrawnReachAnswer.of(measured, mixing=request.mixing)


add_figures(
    router,
    post_reach,
    {
        "masks": heat("masks[layer]", Sentence("Mask"), bounds="weights"),
        "weights": heat("weights[layer]", Sentence("Weights"), bounds="weights"),
        "allowed": heat("allowed[layer]", Sentence("What the masks allow"), bounds="weights"),
        "reached": heat("reached[layer]", Sentence("What reaches"), bounds="weights"),
    },
)
