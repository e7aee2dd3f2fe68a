"""One head of attention on given queries, keys and values, every option chosen by name: the whole trace."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import ConfigDict, Field

from attention_core.demos.scoring import (
    AdditiveChoice,
    AlibiChoice,
    HiddenLayer,
    Mechanism,
    RopeChoice,
    attention_by_name,
)
from attention_core.precision import Precision
from attention_core.refusal import InvalidValueError, Sentence
from attention_core.rope import Pairing
from ...answers.drawings import KEYS, NATS, QUERIES, bars, heat, stages, vectors
from ...answers.from_core import AnswerOf
from ...answers.stages import Stages
from ...requests.additive_options import AdditiveOptions
from ...requests.bodies import BodyRoute
from ...requests.bounded import (
    Number,
    RequestModel,
    Rows,
    Temperature,
    Vector,
    check_cells,
    check_tokens,
)
from ...requests.mask_options import MaskOptions
from ...web.matrices import Matrix
from ...web.openapi.schema_rules import ABSENT, either
from ..dependencies import SettingsDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/scoring", tags=["scoring"], route_class=BodyRoute)

MAX_HEADS = 1_024
MIN_BASE, MAX_BASE = 1e-3, 1e12

POSITION_OPTIONS = {
    "rope": ("pairing", "base", "query_positions", "key_positions"),
    "alibi": ("num_heads", "head", "slope", "symmetric"),
}


class PositionOptions(RequestModel):
    """How attention knows positions: by rotating queries and keys, or by a penalty on distance."""

    model_config = ConfigDict(
        json_schema_extra=either(
            *(
                {"kind": kind}
                | {name: ABSENT for other, names in POSITION_OPTIONS.items() if other != kind for name in names}
                for kind in POSITION_OPTIONS
            )
        )
    )

    kind: Literal["rope", "alibi"]
    pairing: Pairing | None = Field(None, description="rope: which two numbers form a pair; interleaved unless given.")
    base: Annotated[float, Field(ge=MIN_BASE, le=MAX_BASE)] | None = Field(
        None, description="rope: 10000 unless given."
    )
    query_positions: Vector | None = Field(None, description="rope: the last positions of the keys unless given.")
    key_positions: Vector | None = Field(None, description="rope: 0, 1, 2, … unless given.")
    num_heads: Annotated[int, Field(ge=1, le=MAX_HEADS)] | None = Field(None, description="alibi: 8 unless given.")
    head: Annotated[int, Field(ge=0, lt=MAX_HEADS)] | None = Field(
        None, description="alibi: whose slope; 0, the steepest, unless given."
    )
    slope: Number | None = Field(None, description="alibi: instead of the head's.")
    symmetric: bool | None = Field(None, description="alibi: also penalise keys after the query; false unless given.")

    def choices(self) -> dict[str, RopeChoice | AlibiChoice]:
        """The choice by its name. Raises ValueError for options of the other kind."""
        options = self.model_dump(exclude={"kind"}, exclude_none=True)
        for name in options:
            if name not in POSITION_OPTIONS[self.kind]:
                raise InvalidValueError("{name} is not an option of positions of kind {kind}", name, self.kind)
        return {"rope": RopeChoice(**options)} if self.kind == "rope" else {"alibi": AlibiChoice(**options)}


class ScoringRequest(RequestModel):
    """Rows are vectors: one query, key or value each."""

    model_config = ConfigDict(json_schema_extra=either({"mechanism": "additive"}, {"additive": ABSENT}))

    queries: Rows = Field(examples=[[[2.0]]])
    keys: Rows = Field(examples=[[[1.0]]])
    values: Rows = Field(description="As many as keys.", examples=[[[5.0]]])
    mechanism: Mechanism = "scaled_dot"
    scale: Number | None = Field(
        None, description="What scores are multiplied by; 1/√d for scaled_dot and 1 for others unless given."
    )
    temperature: Temperature = Field(1.0, description="What scores are divided by.")
    bias: Rows | None = Field(None, description="(queries, keys), added to the scaled scores.")
    mask: MaskOptions | None = None
    position: PositionOptions | None = None
    additive: AdditiveOptions | None = Field(None, description="For the additive mechanism only.")
    precision: Precision = Field("float64", description="Number format of the whole computation.")


class AdditiveAnswer(AnswerOf[HiddenLayer]):
    """The hidden layer that was used."""

    query_weight: Matrix
    key_weight: Matrix


class ScoringAnswer(Stages):
    """Every stage by its name, in the order of computation. Rows are queries, columns are keys."""

    bias: Matrix | None = Field(description="Added to the scaled scores: the bias given, and ALiBi's.")
    mask: list[list[bool]] | Matrix | None = Field(
        description="True where attending is allowed; numbers if given as numbers."
    )
    entropy: list[float] = Field(description="Of each query's weights, in nats.")
    fully_masked: list[bool] = Field(description="[query] True where every key is masked: the weights are set to 0.")
    scale: float = Field(description="What raw scores are multiplied by; includes the temperature.")
    temperature: float
    mechanism: Mechanism
    precision: Precision
    query_norms: list[float] = Field(description="Lengths of the queries.")
    key_norms: list[float]
    additive: AdditiveAnswer | None


@router.post("")
def post_scoring(request: ScoringRequest, settings: SettingsDep) -> ScoringAnswer:
    """`softmax(score(q, k) · scale / temperature + bias + mask) · values`, every stage of it."""
    num_queries, num_keys = len(request.queries), len(request.keys)
    check_tokens(settings, "queries", num_queries)
    check_tokens(settings, "keys", num_keys)
    check_cells(settings, "queries", 6, num_queries, num_keys)
    check_cells(settings, "values", 2 * num_queries + num_keys, len(request.values[0]))
    additive = _additive(request)
    if request.mechanism == "additive":
        hidden = len(additive.weights.combine) if additive.weights else additive.hidden
        check_cells(settings, "additive.hidden", num_queries, num_keys, hidden)
        check_cells(settings, "additive.hidden", hidden, len(request.queries[0]) + len(request.keys[0]))
    position: dict[str, Any] = {} if request.position is None else request.position.choices()
    result = attention_by_name(
        request.queries,
        request.keys,
        request.values,
        request.mechanism,
        scale=request.scale,
        temperature=request.temperature,
        bias=request.bias,
        mask=None if request.mask is None else request.mask.choice(),
        additive=additive,
        precision=request.precision,
        **position,
    )
    return ScoringAnswer.of({"bias": None, "mask": None} | result.stages, result, request)


add_figures(
    router,
    post_scoring,
    {
        **stages("{}", "weights", "raw_scores", "scaled_scores", "masked_scores"),
        "bias": heat("bias", Sentence("Bias")),
        "mask": heat("mask", Sentence("Mask")),
        "queries": vectors("queries", Sentence("Queries"), QUERIES),
        "keys": vectors("keys", Sentence("Keys"), KEYS),
        "values": vectors("values", Sentence("Values"), KEYS),
        "output": vectors("output", Sentence("Output"), QUERIES),
        "entropy": bars("entropy", Sentence("Entropy of the weights"), NATS, QUERIES),
    },
)


def _additive(request: ScoringRequest) -> AdditiveChoice:
    if request.additive is None:
        return AdditiveChoice()
    if request.mechanism != "additive":
        raise InvalidValueError("additive must be left out with the mechanism {mechanism}", request.mechanism)
    return request.additive.choice()
