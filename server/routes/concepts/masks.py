"""Masks built from a kind and sizes, in both forms, applied to scores; and what leaks through finite fill values."""

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from fastapi import APIRouter
from pydantic import Field, WithJsonSchema

from attention_core.demos.masks import Leak, MaskChoice, MaskedScores, MaskKind, apply_mask, example_scores, leaks
from attention_core.precision import Precision
from attention_core.refusal import InvalidValueError, Sentence
from ...answers.drawings import heat, stages
from ...answers.from_core import AnswerOf
from ...requests.bodies import BodyRoute
from ...requests.bounded import (
    Seed,
    UpToTokens,
    check_cells,
    check_tokens,
)
from ...requests.mask_options import AdditiveNumber, MaskOptions, Size
from ...requests.nested import NestedNumbers, nested_schema
from ...web.matrices import JsonNumber
from ..dependencies import SettingsDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/masks", tags=["masks"], route_class=BodyRoute)

MAX_FILLS = 8
EXAMPLE_TOKENS = 4
"""Queries and keys where nothing determines their number."""

Scores = Annotated[NestedNumbers, WithJsonSchema(nested_schema(2, 3))]


class MasksRequest(MaskOptions):
    """A mask, and the scores that it is applied to."""

    num_queries: Annotated[Size, UpToTokens] | None = Field(
        None, description="Unless given, as the scores or the mask have it, or else num_keys."
    )
    num_keys: Annotated[Size, UpToTokens] | None = Field(
        None, description="Unless given, as the scores or the mask have it, or else num_queries."
    )
    scores: Scores | None = Field(None, description="A matrix or one for each sequence; example scores unless given.")
    seed: Seed = Field(0, description="Of the example scores.")
    precision: Precision = "float64"
    fills: Annotated[list[AdditiveNumber], Field(max_length=MAX_FILLS)] = Field(
        [], description='Numbers added where attending is not allowed, such as -1e4, -1e9, "-Infinity": see `leaks`.'
    )
    precisions: Annotated[list[Precision], Field(min_length=1, max_length=4)] = Field(
        ["float16", "bfloat16", "float32"], description="Those that the fills are tried in."
    )


class LeakAnswer(AnswerOf[Leak]):
    """The weight that leaks through one fill value in one precision."""

    fill: JsonNumber
    stored: JsonNumber
    largest: float


class MasksAnswer(AnswerOf[MaskedScores]):
    """Rows are queries, columns are keys; a batch of sequences puts one more axis in front of everything."""

    kind: MaskKind
    num_queries: int
    num_keys: int
    precision: Precision
    leaks: list[LeakAnswer] = Field(
        description="Every fill in every precision. A finite number leaks where scores are as large as it, "
        "and in fully masked rows."
    )


@router.post("")
def post_masks(request: MasksRequest, settings: SettingsDep) -> MasksAnswer:
    """A mask as a boolean and as an additive matrix, and the weights of the masked scores."""
    choice = request.choice()
    batch, num_queries, num_keys = _sizes(request, choice)
    check_tokens(settings, "num_keys", num_keys)
    check_tokens(settings, "num_queries", num_queries)
    check_cells(settings, "num_queries", 5 + len(request.fills) * len(request.precisions), batch, num_queries, num_keys)
    scores = (
        example_scores(num_queries, num_keys, request.seed)
        if request.scores is None
        else np.array(request.scores, float)
    )
    return MasksAnswer.of(
        apply_mask(choice, scores, request.precision),
        {"leaks": leaks(choice, scores, request.fills, request.precisions)},
        kind=request.kind,
        num_queries=num_queries,
        num_keys=num_keys,
        precision=request.precision,
    )


add_figures(
    router,
    post_masks,
    {
        "allowed": heat("allowed[?sequence]", Sentence("Mask"), bounds="weights"),
        "scores": heat("scores[?sequence]", Sentence("Scores")),
        **stages("{}[?sequence]", "masked_scores", "weights"),
    },
)


def _sizes(request: MasksRequest, choice: MaskChoice) -> tuple[int, int, int]:
    """Numbers of sequences, queries and keys, from all that determine them; these must agree."""
    shape: Sequence[int] = () if request.scores is None else np.shape(request.scores)
    if request.scores is not None and len(shape) not in {2, 3}:
        raise InvalidValueError("scores must be a matrix or a list of matrices, not of {axes} axes", len(shape))
    mask_queries, mask_keys = choice.sizes()
    if mask_keys == 0 and request.num_keys is None:
        raise InvalidValueError("lengths must not all be 0 where nothing else determines the number of keys")
    said = (request.num_keys, *shape[-1:], mask_keys, request.num_queries, EXAMPLE_TOKENS)
    num_keys = next(size for size in said if size)
    num_queries = next(size for size in (request.num_queries, *shape[-2:-1], mask_queries, num_keys) if size)
    if shape and tuple(shape[-2:]) != (num_queries, num_keys):
        raise InvalidValueError("{name} must have {rows} rows of {columns} numbers", "scores", num_queries, num_keys)
    of_mask = request.lengths if isinstance(request.lengths, list) else request.is_token
    batch = len(of_mask) if isinstance(of_mask, list) and not isinstance(of_mask[0], bool) else 1
    return max(batch, *shape[:-2], 1), num_queries, num_keys
