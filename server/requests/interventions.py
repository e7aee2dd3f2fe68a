"""Interventions in requests and answers."""

import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from attention_core.pretrained.running import interventions as core
from attention_core.refusal import InvalidValueError
from ..web.errors import ApiError
from .bounded import MAX_MAGNITUDE, MAX_ROWS, RequestModel

MAX_INTERVENTIONS = 64
MAX_HEADS = 1_024
MAX_EDGES = 4_096

Heads = Field(min_length=1, max_length=MAX_HEADS, json_schema_extra={"uniqueItems": True})
Index = Annotated[int, Field(ge=0)]
Weight = Annotated[float, Field(ge=0, le=MAX_MAGNITUDE, allow_inf_nan=False)]


class _Intervention(RequestModel):
    part: Literal["encoder", "decoder", "cross"] | None = Field(None, description="By default the model's first.")
    layer: Index | Literal["all"] = Field(description="Counted from 0.")
    heads: Annotated[list[Index], Heads] | Literal["all"] = Field(description="Query heads, counted from 0.")


class HeadOff(_Intervention):
    """The heads' output becomes 0, or its mean over all queries of the text. Their weights stay as they were."""

    kind: Literal["head_off"]
    mode: Literal["zero", "mean"] = "zero"


class CutEdges(_Intervention):
    """Weights from a query to a key become 0; null stands for every query, or for every key."""

    kind: Literal["cut_edges"]
    edges: list[
        Annotated[list[Index | None], Field(min_length=2, max_length=2, json_schema_extra={"title": "query, key"})]
    ] = Field(min_length=1, max_length=MAX_EDGES, examples=[[[8, 2], [None, 0]]])
    renormalise: bool = Field(True, description="Whether the rest of the row grows to sum to 1 again.")


class ReplaceRow(_Intervention):
    """Weights for one query, one for each key, in place of those that the heads compute."""

    kind: Literal["replace_row"]
    query: Index
    weights: list[Weight] = Field(min_length=1, max_length=MAX_ROWS)
    normalise: bool = Field(True, description="Divide by their sum; otherwise they must sum to 1.")


class Temperature(_Intervention):
    """softmax(q · k · scale / temperature + bias)"""

    kind: Literal["temperature"]
    temperature: float = Field(ge=core.MIN_TEMPERATURE, le=core.MAX_TEMPERATURE, allow_inf_nan=False)


class SetPattern(_Intervention):
    """Where the heads read: equally everywhere, at the position before alone, or nowhere after the query."""

    kind: Literal["pattern"]
    pattern: Literal["uniform", "previous_token", "causal"]


Intervention = Annotated[HeadOff | CutEdges | ReplaceRow | Temperature | SetPattern, Field(discriminator="kind")]
Interventions = Annotated[list[Intervention], Field(max_length=MAX_INTERVENTIONS)]

_ADAPTER: TypeAdapter[list[Intervention]] = TypeAdapter(list[Intervention])
_CORE: dict[str, type[core.Intervention]] = {
    each.kind: each for each in (core.HeadOff, core.CutEdges, core.ReplaceRow, core.Temperature, core.SetPattern)
}


def to_core(interventions: Sequence[Intervention]) -> tuple[core.Intervention, ...]:
    """Convert to the core's interventions. Raises ApiError (422 ``invalid_value``) naming the field of the request."""
    made = []
    for index, wanted in enumerate(interventions):
        fields = {name: _frozen(value) for name, value in wanted.model_dump(exclude={"kind"}).items()}
        try:
            made.append(_CORE[wanted.kind](**fields))
        except InvalidValueError as error:
            name = re.match(r"\w+", str(error))
            field = f"interventions.{index}.{name.group()}" if name else f"interventions.{index}"
            raise ApiError(422, "invalid_value", error.sentence, field=field) from None
    return tuple(made)


def from_core(interventions: Sequence[core.Intervention]) -> list[Intervention]:
    """Convert to an answer's interventions, with all defaults filled in."""
    return _ADAPTER.validate_python([{"kind": each.kind, **_thawed(asdict(each))} for each in interventions])


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _thawed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _thawed(each) for name, each in value.items()}
    return [_thawed(each) for each in value] if isinstance(value, tuple) else value
