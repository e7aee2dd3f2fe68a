"""Query, key and value projections of one input, and the roles that the operations give them."""

from typing import Annotated

import numpy as np
from fastapi import APIRouter
from numpy.typing import NDArray
from pydantic import ConfigDict, Field

from attention_core.demos.projections import (
    STEPS,
    ProjectionArrays,
    ProjectionExample,
    RolesExperiment,
    Step,
    Swap,
    projection_example,
    random_inputs,
    random_roles,
    swap_roles,
)
from attention_core.pretrained.studies.attention_layer import AttentionLayer
from attention_core.refusal import InvalidValueError, Sentence
from ...answers.drawings import DIMENSIONS, KEYS, QUERIES, heat, stages, vectors
from ...answers.from_core import AnswerOf
from ...answers.stages import Stages
from ...requests.bodies import BodyRoute
from ...requests.bounded import (
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
from ...requests.model_layer import ModelHead, refuse_beside
from ...requests.turns import in_turn
from ...settings import Settings
from ...web.matrices import Matrix
from ...web.openapi.schema_rules import ABSENT, UpTo, either
from ..dependencies import ObservatoryDep, SettingsDep
from ..figure_routes import add_figures
from ..model_layers import layer_of

router = APIRouter(prefix="/api/projections", tags=["projections"], route_class=BodyRoute)

STAGES, ROLE_STAGES = 4, 16
"""Matrices of one shape in an answer: the whole answer is bounded."""

GIVEN_NUMBERS = (
    "inputs",
    "query_weight",
    "key_weight",
    "value_weight",
    "query_bias",
    "key_bias",
    "value_bias",
    "d_k",
    "d_v",
)
"""Fields that a model's head takes the place of."""

Size = Annotated[int, Field(strict=True, ge=1, le=4096)]


class ProjectionsRequest(RequestModel):
    """One input and three weights (out, in): given, those of a model's head, or random."""

    model_config = ConfigDict(json_schema_extra=either({"head_of": ABSENT}, dict.fromkeys(GIVEN_NUMBERS, ABSENT)))

    head_of: ModelHead | None = Field(None, description="A head of a loaded model, with all its numbers.")
    inputs: Rows | None = Field(None, description="Tokens × d_model.")
    num_tokens: Annotated[Size, UpToTokens, UpTo("max_concept_cells", factor=STAGES, power=2)] = Field(
        4, description="Of random inputs."
    )
    d_model: Size = Field(8, description="Of random inputs.")
    query_weight: MatrixIn | None = Field(None, description="d_k × d_model")
    key_weight: MatrixIn | None = Field(None, description="d_k × d_model")
    value_weight: MatrixIn | None = Field(None, description="d_v × d_model")
    query_bias: Vector | None = None
    key_bias: Vector | None = None
    value_bias: Vector | None = None
    d_k: Size | None = Field(None, description="Of random query and key weights; d_model unless given.")
    d_v: Size | None = Field(None, description="Of a random value weight; d_model unless given.")
    bias: bool = Field(False, description="Whether random projections have a bias.")
    scale: Number | None = Field(None, description="1/√d_k unless given.")
    with_weights: bool = Field(True, description="Whether the answer has weights and biases of the projections.")
    seed: Seed = 0


class ProjectionAnswer(AnswerOf[ProjectionArrays]):
    """As it was used."""

    weight: list[list[float]] | None
    bias: list[float] | None


class ProjectionsAnswer(Stages):
    """The input, its projections, and every stage."""

    tokens: list[str] | None = Field(description="Of a model's text, special tokens included.")
    inputs: list[list[float]]
    query: ProjectionAnswer
    key: ProjectionAnswer
    value: ProjectionAnswer
    shapes: dict[str, list[int]]


@router.post("")
async def post_projections(
    request: ProjectionsRequest, settings: SettingsDep, observatory: ObservatoryDep
) -> ProjectionsAnswer:
    """Three projections of one input, and the attention between them."""
    if request.head_of is None:
        return await in_turn(_of_numbers, request, settings)
    refuse_beside(request, "head_of", GIVEN_NUMBERS)
    layer = await layer_of(request.head_of, settings, observatory)
    return await in_turn(_of_model, request, request.head_of.head, layer, settings)


def _of_model(request: ProjectionsRequest, head: int, layer: AttentionLayer, settings: Settings) -> ProjectionsAnswer:
    query, key, value = (ProjectionArrays(each.weight, each.bias) for each in layer.of_head(head))
    tokens, d_model = layer.inputs.shape
    sizes = [len(layer.query.weight) // layer.heads, len(layer.value.weight) // layer.heads]
    check_cells(settings, "text", STAGES, max(tokens, *sizes), max(tokens, d_model))
    example = projection_example(layer.inputs, query, key, value, d_k=sizes[0], d_v=sizes[1], scale=request.scale)
    return _answer(request, example, [token.text for token in layer.tokens])


def _of_numbers(request: ProjectionsRequest, settings: Settings) -> ProjectionsAnswer:
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
    return _answer(request, example, None)


def _answer(request: ProjectionsRequest, example: ProjectionExample, tokens: list[str] | None) -> ProjectionsAnswer:
    used = example.projections if request.with_weights else (ProjectionArrays(),) * 3
    return ProjectionsAnswer.of(
        example.stages,
        example,
        dict(zip(("query", "key", "value"), used, strict=True)),
        tokens=tokens,
        shapes={name: list(array.shape) for name, array in {"inputs": example.inputs, **example.stages}.items()},
    )


add_figures(
    router,
    post_projections,
    {
        **stages("{}", "weights", "raw_scores", "scaled_scores", "masked_scores"),
        "inputs": vectors("inputs", Sentence("Inputs")),
        "queries": vectors("queries", Sentence("Queries"), QUERIES),
        "keys": vectors("keys", Sentence("Keys"), KEYS),
        "values": vectors("values", Sentence("Values"), KEYS),
        "output": vectors("output", Sentence("Output"), QUERIES),
        "query_weight": vectors("query.weight", "W_Q", DIMENSIONS),
        "key_weight": vectors("key.weight", "W_K", DIMENSIONS),
        "value_weight": vectors("value.weight", "W_V", DIMENSIONS),
    },
)


def _inputs(request: ProjectionsRequest, settings: Settings) -> NDArray[np.float64]:
    inputs = _array(request.inputs)
    tokens, d_model = (request.num_tokens, request.d_model) if inputs is None else inputs.shape
    check_tokens(settings, "num_tokens" if inputs is None else "inputs", tokens)
    check_cells(settings, "num_tokens" if inputs is None else "inputs", STAGES, tokens, max(tokens, d_model))
    return random_inputs(tokens, d_model, seed=request.seed) if inputs is None else inputs


def _head_sizes(
    request: ProjectionsRequest, query: ProjectionArrays, key: ProjectionArrays, d_model: int
) -> tuple[int, int]:
    """d_k and d_v: random queries take the size of given keys, and vice versa."""
    declared = next((len(side.weight) for side in (query, key) if side.weight is not None), None)
    if declared is not None and request.d_k not in {None, declared}:
        raise InvalidValueError("d_k must be left out, or {given}, the size of the weight given", declared)
    return declared or request.d_k or d_model, request.d_v or d_model


def _check_fit(d_model: int, sides: dict[str, tuple[ProjectionArrays, int]]) -> None:
    """Refuse sizes that do not agree, named as in the request."""
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
    """Three matrices of one shape, given or random, and which two are swapped."""

    queries: Rows | None = None
    keys: Rows | None = None
    values: Rows | None = None
    num_tokens: Annotated[Size, UpToTokens, UpTo("max_concept_cells", factor=ROLE_STAGES, power=2)] = Field(
        3, description="Of random matrices."
    )
    size: Size = Field(4, description="Of random queries, keys and values.")
    swap: Swap = "keys_values"
    seed: Seed = 0


class ProjectionStepAnswer(AnswerOf[Step]):
    """One operation: its inputs and result, and the roles that it gives."""

    result: Matrix
    row_sums: list[float]
    swapped_result: Matrix
    largest_change: float


class RolesAnswer(AnswerOf[RolesExperiment]):
    """The steps in order, and all stages before and after the swap."""

    swap: str
    steps: list[ProjectionStepAnswer]
    stages: Stages
    swapped: Stages


@router.post("/roles")
def post_projection_roles(request: RolesRequest, settings: SettingsDep) -> RolesAnswer:
    """The same three matrices through score, softmax and weighted sum, in place and with two of them swapped."""
    arrays = (_array(request.queries), _array(request.keys), _array(request.values))
    shapes = [array.shape for array in arrays if array is not None]
    tokens, size = shapes[0] if shapes else (request.num_tokens, request.size)
    field = "queries" if request.queries is not None else "keys" if request.keys is not None else "values"
    field = field if shapes else "num_tokens"
    check_tokens(settings, field, tokens)
    check_cells(settings, field, ROLE_STAGES, tokens, max(tokens, size))
    drawn = random_roles(tokens, size, seed=request.seed)
    queries, keys, values = (own if array is None else array for array, own in zip(arrays, drawn, strict=True))
    swapped = swap_roles(queries, keys, values, request.swap)
    steps = [
        {
            **vars(step),
            "result": swapped.stages[step.stage],
            "row_sums": swapped.stages[step.stage].sum(axis=-1),
            "swapped_result": swapped.swapped[step.stage],
            "largest_change": swapped.largest_change[step.stage],
        }
        for step in STEPS
    ]
    return RolesAnswer.of(swapped, {"steps": steps}, swap=request.swap)


add_figures(
    router,
    post_projection_roles,
    {
        **stages("stages.{}", "weights", "raw_scores"),
        "output": vectors("stages.output", Sentence("Output"), QUERIES),
        "swapped_weights": heat("swapped.weights", Sentence("Weights after the swap"), bounds="weights"),
        "swapped_raw_scores": heat("swapped.raw_scores", Sentence("Raw scores after the swap")),
        "swapped_output": vectors("swapped.output", Sentence("Output after the swap"), QUERIES),
    },
)


def _array(numbers: list[list[float]] | list[float] | None) -> NDArray[np.float64] | None:
    return None if numbers is None else np.array(numbers, dtype=np.float64)
