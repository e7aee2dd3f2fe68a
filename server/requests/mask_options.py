"""A mask as requests choose it: its kind, and what that kind needs."""

import math
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema

from attention_core.demos.masks import OPTIONS, MaskChoice, MaskKind
from attention_core.refusal import InvalidValueError
from ..web.openapi.schema_rules import ABSENT, GIVEN, either
from .bounded import (
    MAX_MAGNITUDE,
    MAX_ROWS,
    MAX_WIDTH,
    RequestModel,
    UpToTokens,
    whole,
)

MAX_BATCH = 64

Size = Annotated[int, Field(ge=1, le=MAX_ROWS)]


def _integers(value: Any) -> Any:
    """One length, or one for each sequence."""
    lengths = [whole(each) for each in (value if isinstance(value, list) else [value])]
    if not 1 <= len(lengths) <= MAX_BATCH:
        raise InvalidValueError("there must be 1 to {limit} lengths", limit=MAX_BATCH)
    for length in lengths:
        if type(length) is not int or not 0 <= length <= MAX_ROWS:
            raise InvalidValueError("must be a whole number from 0 to {limit}, or a list of them", limit=MAX_ROWS)
    return lengths if isinstance(value, list) else lengths[0]


def _booleans(value: Any) -> Any:
    """True or false for each key, of one sequence or of each."""
    if not isinstance(value, list) or not value:
        raise InvalidValueError("must be a list of true and false, or a list of such lists")
    rows = value if isinstance(value[0], list) else [value]
    if len(rows) > MAX_BATCH:
        raise InvalidValueError("there must be at most {limit} sequences", limit=MAX_BATCH)
    for row in rows:
        if not isinstance(row, list) or not 1 <= len(row) <= MAX_ROWS or any(type(cell) is not bool for cell in row):
            raise InvalidValueError(
                "must be a list of 1 to {limit} true and false, or a list of such lists", limit=MAX_ROWS
            )
    return value


def _additive_number(value: Any) -> Any:
    """A finite number or −∞."""
    if value == "-Infinity":
        return -math.inf
    if type(value) not in {int, float} or not abs(value) <= MAX_MAGNITUDE:
        raise InvalidValueError('must be a number within ±{limit} or "-Infinity"', limit=MAX_MAGNITUDE)
    return float(value)


LENGTH = {"type": "integer", "minimum": 0, "maximum": MAX_ROWS, **UpToTokens.note}
LENGTHS = {"type": "array", "items": LENGTH, "minItems": 1, "maxItems": MAX_BATCH}
BOOLEANS = {"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": MAX_ROWS, **UpToTokens.note}
BATCHED_BOOLEANS = {"type": "array", "items": BOOLEANS, "minItems": 1, "maxItems": MAX_BATCH}
NUMBER = {"type": "number", "minimum": -MAX_MAGNITUDE, "maximum": MAX_MAGNITUDE}
Lengths = Annotated[Any, AfterValidator(_integers), WithJsonSchema({"anyOf": [LENGTH, LENGTHS]})]
IsToken = Annotated[Any, AfterValidator(_booleans), WithJsonSchema({"anyOf": [BOOLEANS, BATCHED_BOOLEANS]})]
AdditiveNumber = Annotated[
    Any, AfterValidator(_additive_number), WithJsonSchema({"anyOf": [NUMBER, {"const": "-Infinity"}]})
]
Row = Annotated[list[bool], Field(min_length=1, max_length=MAX_WIDTH, fail_fast=True), UpToTokens]
AdditiveRow = Annotated[list[AdditiveNumber], Field(min_length=1, max_length=MAX_WIDTH, fail_fast=True), UpToTokens]
AS_ROWS = Field(min_length=1, max_length=MAX_ROWS, fail_fast=True)


def _kinds() -> Iterator[dict[str, object]]:
    """Each kind with one of the options that it needs, and without those that it does not have."""
    options = dict.fromkeys(name for needed, optional in OPTIONS.values() for name in (*needed, *optional))
    for kind, (needed, optional) in OPTIONS.items():
        for one in needed or ("kind",):
            absent = {name: ABSENT for name in options if name not in {one, *optional}}
            yield absent | {one: GIVEN, "kind": kind}


class MaskOptions(RequestModel):
    """A mask by its kind and what that kind needs. Queries fewer than keys are the last positions of the keys."""

    model_config = ConfigDict(json_schema_extra=either(*_kinds()))

    kind: MaskKind
    window: Size | None = Field(None, description="sliding_window: keys less than this far away are visible.")
    causal_only: bool | None = Field(None, description="sliding_window: past keys only; true unless given.")
    prefix: Annotated[int, Field(ge=0, le=MAX_ROWS)] | None = Field(
        None, description="prefix: the number of first positions that every query may attend to."
    )
    lengths: Lengths | None = Field(None, description="padding: real tokens of the sequence, or of each of a batch.")
    is_token: IsToken | None = Field(None, description="padding: true at real tokens, for one sequence or each.")
    allowed: Annotated[list[Row], AS_ROWS, UpToTokens] | None = Field(
        None, description="custom: true where attending is allowed; rows are queries."
    )
    additive: Annotated[list[AdditiveRow], AS_ROWS, UpToTokens] | None = Field(
        None, description='custom: added to the scores; "-Infinity" where attending is not allowed.'
    )
    causal: bool | None = Field(None, description="padding and custom: causal on top.")

    def choice(self) -> MaskChoice:
        """The mask as the core knows it. Raises ValueError for options that do not belong together."""
        return MaskChoice(**{name: getattr(self, name) for name in MaskOptions.model_fields})
