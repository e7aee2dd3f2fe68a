"""Sinusoidal positions: the table, similarities, a shift as a rotation, and the table that a model learned."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from attention_core.demos.sinusoidal import SinusoidalNumbers, Step, cosine_similarity, sinusoidal_numbers
from attention_core.pretrained.models.position_table import position_table
from attention_core.refusal import InvalidValueError, Sentence
from attention_core.rope import Pairing
from ...answers.drawings import DIMENSIONS, PAIR, curves, heat, positioned, vectors
from ...answers.from_core import AnswerOf
from ...requests.bodies import BodyRoute
from ...requests.bounded import Number, RequestModel, Text, UpToTokens, check_cells, check_tokens
from ...settings import Settings
from ...web.errors import ApiError
from ...web.matrices import to_answer_numbers
from ...web.openapi.schema_rules import ABSENT, at_most_one, either, every
from ..dependencies import ObservatoryDep, SettingsDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/sinusoidal", tags=["sinusoidal"], route_class=BodyRoute)

MAX_DIM = 4_096
MAX_STEP_DIM = 1_024
DEFAULT_LENGTH = 64


class SinusoidalRequest(RequestModel):
    """The positions, and the size of their vectors."""

    model_config = ConfigDict(
        protected_namespaces=(),
        json_schema_extra=every(
            at_most_one("seq_len", "positions"), either({"step": ABSENT}, {"dim": {"maximum": MAX_STEP_DIM}})
        ),
    )

    dim: Annotated[int, Field(ge=2, le=MAX_DIM, multiple_of=2)] = 64
    seq_len: Annotated[int, Field(ge=1), UpToTokens] | None = Field(
        None, description="Positions 0 … seq_len−1; 64 unless given."
    )
    positions: Annotated[list[Number], Field(min_length=1, fail_fast=True), UpToTokens] | None = Field(
        None, description="Any numbers, instead of seq_len."
    )
    base: Annotated[float, Field(ge=1e-3, le=1e12)] = Field(10_000.0, description="ω_i = base^(−2i/dim).")
    layout: Pairing = Field("interleaved", description="sin, cos, sin, cos …; or half_split: all sines, then cosines.")
    step: Number | None = Field(None, description="k: show M_k with PE(pos + k) = M_k PE(pos).")
    model: Annotated[Text, Field(max_length=200)] | None = Field(
        None, description="A model whose position table is shown at the same positions."
    )


class StepOut(AnswerOf[Step]):
    """The same shift from every position."""


class TableOut(BaseModel):
    """The position table of a pretrained model."""

    model_config = ConfigDict(protected_namespaces=())

    model: str
    learned: bool = Field(description="False for a fixed, sinusoidal table.")
    table_size: list[int] = Field(description="Positions and numbers of the whole table.")
    positions: list[int] = Field(description="Those of the request that the table has.")
    encoding: list[list[float]] = Field(description="[positions][d_model]")
    cosine_similarity: list[list[float]] | None


class SinusoidalResponse(AnswerOf[SinusoidalNumbers]):
    """Vectors of positions, and how similar they are."""

    positions: list[float]
    step: StepOut | None
    table: TableOut | None = Field(description="Null unless a model is named.")


@router.post("")
def post_sinusoidal(
    request: SinusoidalRequest, settings: SettingsDep, observatory: ObservatoryDep
) -> SinusoidalResponse:
    """The table of positions × dimensions, similarities, the shift by k, and a model's own table."""
    positions = _positions(request, settings)
    check_cells(settings, "dim", len(positions), request.dim)
    if request.step is not None and request.dim > MAX_STEP_DIM:
        raise InvalidValueError("dim must be at most {max_step_dim} with step, not {dim}", MAX_STEP_DIM, request.dim)
    compare = len(positions) ** 2 <= settings.max_concept_cells
    numbers = sinusoidal_numbers(
        request.dim, positions, base=request.base, layout=request.layout, compare=compare, step=request.step
    )
    table = None if request.model is None else _table(request.model, positions, settings, observatory, compare=compare)
    return SinusoidalResponse.of(numbers, positions=positions, table=table)


ENCODED = positioned(lambda drawn: drawn.answer.positions)

TABLE = positioned(lambda drawn: drawn.answer.table.positions)

add_figures(
    router,
    post_sinusoidal,
    {
        "encoding": vectors("encoding", Sentence("Vectors of the positions"), ENCODED),
        "similarity": heat("similarity", Sentence("Dot products of the positions"), ENCODED, ENCODED),
        "cosine_similarity": heat("cosine_similarity", Sentence("Cosines of the positions"), ENCODED, ENCODED),
        "step": heat("step.matrix", Sentence("Matrix of the shift"), DIMENSIONS, DIMENSIONS),
        "table": vectors("table.encoding", Sentence("Vectors of the model's table"), TABLE),
        "table_cosine_similarity": heat(
            "table.cosine_similarity", Sentence("Cosines of the model's table"), TABLE, TABLE
        ),
        "wavelengths": curves("wavelengths", Sentence("Wavelengths"), PAIR, Sentence("positions")),
    },
)


def _positions(request: SinusoidalRequest, settings: Settings) -> list[float]:
    if request.positions is not None:
        if request.seq_len is not None:
            raise InvalidValueError("{name} must be left out where {other} are given", "seq_len", "positions")
        check_tokens(settings, "positions", len(request.positions))
        return request.positions
    length = DEFAULT_LENGTH if request.seq_len is None else request.seq_len
    check_tokens(settings, "seq_len", length)
    return [float(position) for position in range(length)]


def _table(
    model: str, positions: list[float], settings: Settings, observatory: ObservatoryDep, *, compare: bool
) -> TableOut:
    loaded = observatory.catalog.load(model)
    table = position_table(loaded)
    if table is None:
        raise ApiError(
            422,
            "invalid_value",
            "This model has no table of positions; it encodes them by {positions}.",
            loaded.entry.positions,
            field="model",
        )
    size, width = table.vectors.shape
    rows = [int(position) for position in positions if position.is_integer() and 0 <= position < size]
    check_cells(settings, "model", len(rows), width)
    vectors = table.vectors[rows]
    return TableOut.model_construct(
        model=model,
        learned=table.learned,
        table_size=[size, width],
        positions=rows,
        encoding=to_answer_numbers(vectors),
        cosine_similarity=to_answer_numbers(cosine_similarity(vectors)) if compare else None,
    )
