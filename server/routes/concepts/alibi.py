"""ALiBi: slopes and biases for any number of heads, and the same queries and keys under RoPE and under ALiBi."""

from typing import Annotated

import numpy as np
from fastapi import APIRouter
from pydantic import ConfigDict, Field

from attention_core.demos.alibi import AlibiNumbers, Attended, PositionsCompared, alibi_numbers, compare_positions
from attention_core.refusal import InvalidValueError, Sentence
from attention_core.rope import Pairing
from ...answers import figures
from ...answers.answer_paths import Drawn
from ...answers.drawings import HEADS, KEY, QUERY, Drawing, Side, bars, heat, said, stages
from ...answers.figures import Figure
from ...answers.from_core import AnswerOf
from ...answers.palette import Palette
from ...requests.bodies import BodyRoute
from ...requests.bounded import RequestModel, Rows, UpToTokens, check_cells, check_tokens
from ...settings import Settings
from ...web.matrices import Matrix
from ...web.openapi.schema_rules import ABSENT, GIVEN, either
from ..dependencies import SettingsDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/alibi", tags=["alibi"], route_class=BodyRoute)

MAX_HEADS = 1_024

Span = Annotated[list[Annotated[int, Field(ge=0), UpToTokens]], Field(min_length=2, max_length=2)]


class AlibiRequest(RequestModel):
    """How many heads and tokens; and, to see the bias at work, one head's queries and keys."""

    model_config = ConfigDict(json_schema_extra=either({"queries": GIVEN}, {"keys": ABSENT, "values": ABSENT}))

    heads: Annotated[int, Field(ge=1, le=MAX_HEADS)]
    seq_len: Annotated[int, Field(ge=1), UpToTokens]
    symmetric: bool = Field(default=False, description="−slope·|query − key|, as in encoders.")
    rows: Span | None = Field(None, description="First query, and one past the last: a window of the bias.")
    cols: Span | None = Field(None, description="First key, and one past the last.")
    queries: Rows | None = Field(None, description="seq_len rows: shows their attention under each encoding.")
    keys: Rows | None = Field(None, description="The queries unless given.")
    values: Rows | None = Field(None, description="The keys unless given.")
    causal: bool = Field(
        default=True, description="Whether the attention shown is causal; the bias itself is not masked."
    )
    pairing: Pairing = Field("half_split", description="Of RoPE, for comparison.")
    base: Annotated[float, Field(ge=1e-3, le=1e12)] = Field(10_000.0, description="Of RoPE, for comparison.")


class AttendedOut(AnswerOf[Attended]):
    """One head's stages."""

    masked_scores: Matrix


class ComparedOut(AnswerOf[PositionsCompared]):
    """The same queries, keys and values with no positions, with RoPE, and with each head's ALiBi."""

    none: AttendedOut
    rope: AttendedOut | None
    alibi: list[AttendedOut]


class AlibiResponse(AnswerOf[AlibiNumbers]):
    """What ALiBi adds to the scaled scores. Rows are queries, columns are keys."""

    compared: ComparedOut | None = Field(description="Null unless queries are given.")


@router.post("")
def post_alibi(request: AlibiRequest, settings: SettingsDep) -> AlibiResponse:
    """Slopes and biases; with queries, their attention under ALiBi, under RoPE and without positions."""
    return AlibiResponse.of(_numbers(request, settings), compared=_compared(request, settings))


WINDOW = (
    Side(QUERY, span=lambda drawn: drawn.given["request"].rows),
    Side(KEY, span=lambda drawn: drawn.given["request"].cols),
)


def _distance_curves(drawn: Drawn, palette: Palette, title: str) -> Figure:
    """How far each head attends: e^bias of the window's last query over the keys before it."""
    request, bias = drawn.given["request"], drawn.array("bias")
    last = (request.rows[1] if request.rows else request.seq_len) - 1
    first = request.cols[0] if request.cols else 0
    distances = last - np.arange(first, first + bias.shape[2])
    past = np.flatnonzero(distances >= 0)[::-1]
    return figures.curves(
        {
            said(Sentence("head {index}", head)): (distances[past], np.exp(of_head[-1][past]))
            for head, of_head in enumerate(bias)
        },
        palette,
        title=title,
        x=said(Sentence("distance between query and key")),
        y=said(Sentence("times the weight at distance 0")),
    )


add_figures(
    router,
    post_alibi,
    {
        "distances": Drawing(Sentence("Weight left at each distance, with equal scores"), (), _distance_curves),
        "bias": heat("bias[head]", Sentence("Bias"), *WINDOW),
        "slopes": bars("slopes", Sentence("Slopes"), Sentence("slope"), HEADS),
        **stages("compared.alibi[head].{}", "weights", "scaled_scores", "masked_scores"),
        "rope_weights": heat("compared.rope.weights", Sentence("Weights with RoPE"), bounds="weights"),
        "none_weights": heat("compared.none.weights", Sentence("Weights without positions"), bounds="weights"),
    },
)


def _numbers(request: AlibiRequest, settings: Settings) -> AlibiNumbers:
    check_tokens(settings, "seq_len", request.seq_len)
    shape = [span[1] - span[0] if span else request.seq_len for span in (request.rows, request.cols)]
    check_cells(settings, "seq_len", request.heads, *(max(size, 0) for size in shape))
    rows, cols = ((span[0], span[1]) if span else None for span in (request.rows, request.cols))
    return alibi_numbers(request.heads, request.seq_len, symmetric=request.symmetric, rows=rows, cols=cols)


def _compared(request: AlibiRequest, settings: Settings) -> ComparedOut | None:
    if request.queries is None:
        for name in ("keys", "values"):
            if getattr(request, name) is not None:
                raise InvalidValueError("{name} must come with queries", name)
        return None
    if len(request.queries) != request.seq_len:
        raise InvalidValueError(
            "queries must have seq_len ({seq_len}) rows, not {given}", request.seq_len, len(request.queries)
        )
    check_cells(settings, "queries", request.heads, request.seq_len, request.seq_len)
    keys = request.queries if request.keys is None else request.keys
    width = len((keys if request.values is None else request.values)[0])
    check_cells(settings, "values", request.heads, request.seq_len, width)
    return ComparedOut.of(
        compare_positions(
            request.heads,
            request.queries,
            keys,
            request.values,
            symmetric=request.symmetric,
            causal=request.causal,
            pairing=request.pairing,
            base=request.base,
        )
    )
