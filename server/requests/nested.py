"""Arrays of one to four axes as nested lists of numbers."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field, WithJsonSchema

from attention_core.refusal import InvalidValueError
from .bounded import MAX_MAGNITUDE, MAX_ROWS

MAX_RANK = 4
"""Axes: such as batch, heads, tokens, features."""


def _rectangular(nested: list[Any]) -> list[Any]:
    """Check that the lists hold only numbers, are rectangular, and no deeper than MAX_RANK."""
    _shape(nested, "list", 1)
    return nested


def _shape(nested: list[Any], place: str, rank: int) -> tuple[int, ...]:
    """The shape of nested lists; ``place`` is their location in the request."""
    if rank > MAX_RANK:
        raise InvalidValueError("{place} is nested deeper than {limit} axes", place, limit=MAX_RANK)
    if not nested:
        raise InvalidValueError("{name} must not be empty", place)
    if not isinstance(nested[0], list):
        for index, number in enumerate(nested):
            if isinstance(number, bool) or not isinstance(number, int | float) or not abs(number) <= MAX_MAGNITUDE:
                name = f"{place}[{index}]"
                raise InvalidValueError("{name} must be a number within ±{limit}", name, limit=MAX_MAGNITUDE)
        return (len(nested),)
    shapes = [
        _shape(inner, f"{place}[{index}]", rank + 1) if isinstance(inner, list) else ()
        for index, inner in enumerate(nested)
    ]
    for index, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise InvalidValueError(
                "{name} has shape {given} but the first has {first}", f"{place}[{index}]", list(shape), list(shapes[0])
            )
    return (len(nested), *shapes[0])


def nested_schema(*ranks: int) -> dict[str, Any]:
    """The JSON schema of numbers nested to one of these depths."""
    schemas: list[dict[str, Any]] = [{"type": "number", "minimum": -MAX_MAGNITUDE, "maximum": MAX_MAGNITUDE}]
    for _ in range(max(ranks)):
        schemas.append({"type": "array", "minItems": 1, "items": schemas[-1]})
    return {"anyOf": [schemas[rank] | {"maxItems": MAX_ROWS} for rank in ranks]}


NestedNumbers = Annotated[list[Any], Field(min_length=1, max_length=MAX_ROWS), AfterValidator(_rectangular)]
Nested = Annotated[NestedNumbers, WithJsonSchema(nested_schema(*range(1, MAX_RANK + 1)))]
"""Rectangular nested lists of finite numbers."""
