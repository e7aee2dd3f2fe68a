"""Masks: built from a kind and sizes, in both forms, on scores; and what finite numbers in place of −∞ let through."""

import math
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter
from pydantic import BaseModel, Field, WithJsonSchema

from attention_core.demos.masks import Leak, MaskChoice, MaskKind, apply_mask, example_scores, leaks
from attention_core.precision import Precision
from attention_core.refusal import InvalidValueError
from server.answers.from_core import FromCore
from server.requests.bodies import BodyRoute
from server.requests.bounded import (
    Seed,
    UpToTokens,
    check_cells,
    check_tokens,
)
from server.requests.mask_options import AdditiveNumber, MaskOptions, Size
from server.requests.nested import NestedNumbers, nested_schema
from server.routes.dependencies import SettingsDep
from server.web.matrices import JsonNumber, to_answer_numbers

router = APIRouter(prefix="/api/masks", tags=["masks"], route_class=BodyRoute)

MAX_FILLS = 8
EXAMPLE_TOKENS = 4
"""Queries and keys where nothing says how many."""

Scores = Annotated[NestedNumbers, WithJsonSchema(nested_schema(2, 3))]


class MasksRequest(MaskOptions):
    """A mask, and the scores to put it on."""

    num_queries: Annotated[Size, UpToTokens] | None = Field(
        None, description="What the scores or the mask say, else as many as keys."
    )
    num_keys: Annotated[Size, UpToTokens] | None = Field(
        None, description="What the scores or the mask say, else as many as queries."
    )
    scores: Scores | None = Field(None, description="A matrix or one for each sequence; example scores unless given.")
    seed: Seed = Field(0, description="Of the example scores.")
    precision: Precision = "float64"
    fills: Annotated[list[AdditiveNumber], Field(max_length=MAX_FILLS)] = Field(
        [], description='Numbers to add where reading is not allowed, such as -1e4, -1e9, "-Infinity": see `leaks`.'
    )
    precisions: Annotated[list[Precision], Field(min_length=1, max_length=4)] = Field(
        ["float16", "bfloat16", "float32"], description="In which the fills are tried."
    )


class LeakAnswer(FromCore):
    """One number in one precision, added where −∞ belongs."""

    precision: Precision
    fill: JsonNumber
    stored: JsonNumber = Field(description="The number as this precision holds it.")
    weights: list[Any]
    leaked: list[Any] = Field(description="For each row: the weight on forbidden keys.")
    largest: float


class MasksAnswer(BaseModel):
    """Rows are queries, columns are keys; a batch of sequences puts one more axis in front of everything."""

    kind: MaskKind
    num_queries: int
    num_keys: int
    precision: Precision
    allowed: list[Any] = Field(description="True where reading is allowed.")
    additive: list[Any] = Field(description="0 where reading is allowed, −∞ where not.")
    scores: list[Any]
    masked_scores: list[Any]
    weights: list[Any] = Field(description="Rows sum to 1, or are 0 where nothing may be read.")
    entropy: list[Any] = Field(description="Of each row, in nats.")
    fully_masked: list[Any] = Field(description="Rows that may read nothing.")
    leaks: list[LeakAnswer] = Field(
        description="Every fill in every precision. A finite number leaks where scores are as large as it, and in rows "
        "that may read nothing."
    )


@router.post("")
def post_masks(request: MasksRequest, settings: SettingsDep) -> MasksAnswer:
    """A mask as a boolean and as an additive matrix, and the weights that scores have under it."""
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
    result = apply_mask(choice, scores, request.precision)
    found = leaks(choice, scores, request.fills, request.precisions)
    return MasksAnswer.model_construct(
        kind=request.kind,
        num_queries=num_queries,
        num_keys=num_keys,
        precision=request.precision,
        allowed=to_answer_numbers(result.allowed),
        additive=to_answer_numbers(result.additive),
        scores=to_answer_numbers(result.scores),
        masked_scores=to_answer_numbers(result.masked_scores),
        weights=to_answer_numbers(result.weights),
        entropy=to_answer_numbers(result.entropy),
        fully_masked=to_answer_numbers(result.fully_masked),
        leaks=[_leak(leak) for leak in found],
    )


def _leak(leak: Leak) -> LeakAnswer:
    fill, stored = _json_number(leak.fill), _json_number(leak.stored)
    return LeakAnswer.of(leak, fill=fill, stored=stored, largest=float(leak.leaked.max()))


def _json_number(number: float) -> JsonNumber:
    return number if math.isfinite(number) else ("-Infinity" if number < 0 else "Infinity")


def _sizes(request: MasksRequest, choice: MaskChoice) -> tuple[int, int, int]:
    """Sequences, queries, keys, from whoever says so; all who do must agree."""
    shape: Sequence[int] = () if request.scores is None else np.shape(request.scores)
    if request.scores is not None and len(shape) not in {2, 3}:
        raise InvalidValueError("scores must be a matrix or a list of matrices, not of {axes} axes", len(shape))
    mask_queries, mask_keys = choice.sizes()
    if mask_keys == 0 and request.num_keys is None:
        raise InvalidValueError("lengths must not all be 0 where nothing else says the number of keys")
    said = (request.num_keys, *shape[-1:], mask_keys, request.num_queries, EXAMPLE_TOKENS)
    num_keys = next(size for size in said if size)
    num_queries = next(size for size in (request.num_queries, *shape[-2:-1], mask_queries, num_keys) if size)
    if shape and tuple(shape[-2:]) != (num_queries, num_keys):
        raise InvalidValueError("{name} must have {rows} rows of {columns} numbers", "scores", num_queries, num_keys)
    of_mask = request.lengths if isinstance(request.lengths, list) else request.is_token
    batch = len(of_mask) if isinstance(of_mask, list) and not isinstance(of_mask[0], bool) else 1
    return max(batch, *shape[:-2], 1), num_queries, num_keys
