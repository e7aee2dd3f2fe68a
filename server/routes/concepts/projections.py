"""Query, key and value from one input, and the roles that the operations give them."""

from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from attention_core.demos.projections import (
    STEPS,
    ProjectionArrays,
    projection_example,
    random_inputs,
    random_roles,
    swap_roles,
)
from attention_core.refusal import InvalidValueError
from server.answers.from_core import FromCore
from server.requests.bodies import BodyRoute
from server.requests.bounded import (
    MatrixIn,
    Number,
    RequestModel,
    Rows,
    Seed,
    UpToTokens,
    Vector,
    check_cells,
    check_tokens,
)
from server.routes.dependencies import SettingsDep
from server.settings import Settings
from server.web.matrices import Matrix, to_json_numbers
from server.web.schema_rules import UpTo

router = APIRouter(prefix="/api/projections", tags=["projections"], route_class=BodyRoute)

STAGES, ROLE_STAGES = 4, 16
"""Matrices of one shape that an answer holds: what is bounded is the whole answer."""

Size = Annotated[int, Field(strict=True, ge=1, le=4096)]


class ProjectionsRequest(RequestModel):
    """One input and three weights (out, in). What is not given is drawn from the seed."""

    inputs: Rows | None = Field(None, description="Tokens × d_model.")
    num_tokens: Annotated[Size, UpToTokens, UpTo("max_concept_cells", factor=STAGES, power=2)] = Field(
        4, description="Of drawn inputs."
    )
    d_model: Size = Field(8, description="Of drawn inputs.")
    query_weight: MatrixIn | None = Field(None, description="d_k × d_model")
    key_weight: MatrixIn | None = Field(None, description="d_k × d_model")
    value_weight: MatrixIn | None = Field(None, description="d_v × d_model")
    query_bias: Vector | None = None
    key_bias: Vector | None = None
    value_bias: Vector | None = None
    d_k: Size | None = Field(None, description="Of drawn query and key weights; d_model unless given.")
    d_v: Size | None = Field(None, description="Of a drawn value weight; d_model unless given.")
    bias: bool = Field(False, description="Whether drawn projections have a bias.")
    scale: Number | None = Field(None, description="1/√d_k unless given.")
    seed: Seed = 0


class ProjectionAnswer(FromCore):
    """As it was used."""

    weight: Matrix
    bias: list[float] | None


class Stages(BaseModel):
    """Every stage of one head. Rows are queries, columns are keys."""

    queries: Matrix
    keys: Matrix
    values: Matrix
    raw_scores: Matrix
    scaled_scores: Matrix
    masked_scores: Matrix
    weights: Matrix
    head_outputs: Matrix
    output: Matrix


class ProjectionsAnswer(Stages):
    """The input, its projections, and every stage."""

    inputs: Matrix
    query: ProjectionAnswer
    key: ProjectionAnswer
    value: ProjectionAnswer
    shapes: dict[str, list[int]]


@router.post("")
def post_projections(request: ProjectionsRequest, settings: SettingsDep) -> ProjectionsAnswer:
    """Three projections of one input, and the attention between them."""
    inputs = _inputs(request, settings)
    d_model = inputs.shape[1]
    query = ProjectionArrays(_array(request.query_weight), _array(request.query_bias))
    key = ProjectionArrays(_array(request.key_weight), _array(request.key_bias))
    value = ProjectionArrays(_array(request.value_weight), _array(request.value_bias))
    d_k, d_v = _head_sizes(request, query, key, d_model)
    _check_fit(d_model, {"query": (query, d_k), "key": (key, d_k), "value": (value, d_v)})
    value_size = d_v if value.weight is None else len(value.weight)
    widest = max(d_model, len(inputs))
    check_cells(settings, "d_k", STAGES, d_k, widest)
    check_cells(settings, "d_v", STAGES, value_size, widest)
    example = projection_example(
        inputs, query, key, value, d_k=d_k, d_v=d_v, bias=request.bias, scale=request.scale, seed=request.seed
    )
    used = [ProjectionAnswer.of(own) for own in example.projections if own.weight is not None]
    return ProjectionsAnswer.model_construct(
        inputs=to_json_numbers(example.inputs),
        query=used[0],
        key=used[1],
        value=used[2],
        shapes={"inputs": list(inputs.shape), **{name: list(array.shape) for name, array in example.stages.items()}},
        **_stages(example.stages),
    )


def _inputs(request: ProjectionsRequest, settings: Settings) -> NDArray[np.float64]:
    given = _array(request.inputs)
    tokens, d_model = (request.num_tokens, request.d_model) if given is None else given.shape
    check_tokens(settings, "num_tokens" if given is None else "inputs", tokens)
    check_cells(settings, "num_tokens" if given is None else "inputs", STAGES, tokens, max(tokens, d_model))
    return random_inputs(tokens, d_model, seed=request.seed) if given is None else given


def _head_sizes(
    request: ProjectionsRequest, query: ProjectionArrays, key: ProjectionArrays, d_model: int
) -> tuple[int, int]:
    """Drawn queries take the size of given keys, and the other way round."""
    given = next((len(side.weight) for side in (query, key) if side.weight is not None), None)
    if given is not None and request.d_k not in {None, given}:
        raise InvalidValueError("d_k must be left out, or {given}, the size of the weight given", given)
    return given or request.d_k or d_model, request.d_v or d_model


def _check_fit(d_model: int, sides: dict[str, tuple[ProjectionArrays, int]]) -> None:
    """Sizes, named as the request names them."""
    for name, (side, size) in sides.items():
        if side.weight is not None and side.weight.shape[1] != d_model:
            raise InvalidValueError(
                "{name}_weight must have {d_model} columns, one for each input, not {given}",
                name,
                d_model,
                side.weight.shape[1],
            )
        if name != "value" and side.weight is not None and len(side.weight) != size:
            raise InvalidValueError(
                "{name}_weight must have {size} rows, as the query has, not {given}", name, size, len(side.weight)
            )
        rows = size if side.weight is None else len(side.weight)
        if side.bias is not None and len(side.bias) != rows:
            raise InvalidValueError(
                "{name} must have {count} numbers, not {given}", f"{name}_bias", rows, len(side.bias)
            )


class RolesRequest(RequestModel):
    """Three matrices of one shape, given or drawn, and which two change places."""

    queries: Rows | None = None
    keys: Rows | None = None
    values: Rows | None = None
    num_tokens: Annotated[Size, UpToTokens, UpTo("max_concept_cells", factor=ROLE_STAGES, power=2)] = Field(
        3, description="Of drawn matrices."
    )
    size: Size = Field(4, description="Of drawn queries, keys and values.")
    swap: Literal["none", "keys_values", "queries_keys", "queries_values"] = "keys_values"
    seed: Seed = 0


class StepAnswer(BaseModel):
    """One operation: what it makes, from what, and which role it gives to whom."""

    stage: str
    operation: str
    reads: list[str]
    roles: dict[str, str] = Field(description="asks, is_asked_for or is_read, for each of the three that is used.")
    result: Matrix
    row_sums: list[float]
    swapped_result: Matrix
    largest_change: float


class RolesAnswer(BaseModel):
    """The steps in order, and all stages before and after the exchange."""

    swap: str
    steps: list[StepAnswer]
    stages: Stages
    swapped: Stages
    largest_change: dict[str, float]


@router.post("/roles")
def post_roles(request: RolesRequest, settings: SettingsDep) -> RolesAnswer:
    """The same three matrices through score, softmax and mix, in their places and exchanged."""
    given = (_array(request.queries), _array(request.keys), _array(request.values))
    shapes = [array.shape for array in given if array is not None]
    tokens, size = shapes[0] if shapes else (request.num_tokens, request.size)
    field = "queries" if request.queries is not None else "keys" if request.keys is not None else "values"
    field = field if shapes else "num_tokens"
    check_tokens(settings, field, tokens)
    check_cells(settings, field, ROLE_STAGES, tokens, max(tokens, size))
    drawn = random_roles(tokens, size, seed=request.seed)
    queries, keys, values = (own if array is None else array for array, own in zip(given, drawn, strict=True))
    found = swap_roles(queries, keys, values, request.swap)
    return RolesAnswer.model_construct(
        swap=request.swap,
        steps=[
            StepAnswer.model_construct(
                stage=step.stage,
                operation=step.operation,
                reads=list(step.reads),
                roles=step.roles,
                result=to_json_numbers(found.stages[step.stage]),
                row_sums=to_json_numbers(found.stages[step.stage].sum(axis=-1)),
                swapped_result=to_json_numbers(found.swapped[step.stage]),
                largest_change=found.largest_change[step.stage],
            )
            for step in STEPS
        ],
        stages=Stages.model_construct(**_stages(found.stages)),
        swapped=Stages.model_construct(**_stages(found.swapped)),
        largest_change=found.largest_change,
    )


def _array(numbers: list[list[float]] | list[float] | None) -> NDArray[np.float64] | None:
    return None if numbers is None else np.array(numbers, dtype=np.float64)


def _stages(stages: dict[str, NDArray[np.float64]]) -> dict[str, Any]:
    return {name: to_json_numbers(array) for name, array in stages.items()}
