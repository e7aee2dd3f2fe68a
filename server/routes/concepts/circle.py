"""Attention on a circle: keys are n arrows, values the same arrows, queries are angles."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from attention_core.demos.circle import Turn, circle
from attention_core.demos.scoring import Mechanism
from attention_core.refusal import InvalidValueError
from server.requests.additive_options import MAX_HIDDEN, AdditiveOptions, AdditiveWeightsIn
from server.requests.bodies import BodyRoute
from server.requests.bounded import Number, RequestModel, Temperature
from server.web.matrices import Matrix, to_json_numbers
from server.web.schema_rules import ABSENT, either

router = APIRouter(prefix="/api/circle", tags=["circle"], route_class=BodyRoute)

MAX_KEYS = 24
MAX_QUERIES = 16

PerKey = Annotated[list[Number], Field(min_length=1, max_length=MAX_KEYS)]
Arrow = Annotated[list[Number], Field(min_length=2, max_length=2)]
PerHidden = Annotated[list[Arrow], Field(min_length=1, max_length=MAX_HIDDEN, fail_fast=True)]
PerQuery = Annotated[list[Number], Field(min_length=1, max_length=MAX_QUERIES)]


class ArrowWeights(AdditiveWeightsIn):
    """For arrows, which have two coordinates."""

    query_weight: PerHidden = Field(description="(hidden, 2)")
    key_weight: PerHidden = Field(description="(hidden, 2)")


class ArrowAdditive(AdditiveOptions):
    """The hidden layer of additive attention on arrows: drawn from a seed, or given."""

    weights: ArrowWeights | None = Field(None, description="In place of hidden and seed.")


class TurnOptions(RequestModel):
    """RoPE in two dimensions: arrows turn by position · theta radians before they are scored."""

    query_positions: PerQuery
    key_positions: PerKey
    theta: Number = 1.0


class CircleRequest(RequestModel):
    """Arrows around the origin. Angles in degrees, counter-clockwise from the x-axis."""

    model_config = ConfigDict(json_schema_extra=either({"mechanism": "additive"}, {"additive": ABSENT}))

    n: Annotated[int, Field(ge=1, le=MAX_KEYS, description="Keys.")] = 10
    query_angles_deg: PerQuery = Field(examples=[[45.0]])
    lengths: PerKey | None = Field(None, description="Of the keys, one each; 1 unless given.")
    key_angles_deg: PerKey | None = Field(None, description="One each; 0, 360/n, 2·360/n, … unless given.")
    query_lengths: PerQuery | None = Field(None, description="One each; 1 unless given.")
    mechanism: Mechanism = "dot"
    temperature: Temperature = 1.0
    additive: ArrowAdditive | None = Field(None, description="For the additive mechanism alone.")
    turn: TurnOptions | None = Field(None, description="Give arrows positions, and turn them by RoPE.")


class HiddenLayer(BaseModel):
    """The weights of additive attention: `score = combine · tanh(query_weight q + key_weight k + bias)`."""

    query_weight: Matrix
    key_weight: Matrix
    combine: list[float]
    bias: list[float] | None = None


class CircleAnswer(BaseModel):
    """Rows are queries, columns are keys."""

    keys: Matrix = Field(description="(n, 2), as they are scored: turned, if they have positions.")
    queries: Matrix
    values: Matrix = Field(description="(n, 2): the keys, never turned.")
    scores: Matrix = Field(description="(queries, n), before scale and temperature.")
    scaled_scores: Matrix = Field(description="scores · scale")
    weights: Matrix
    outputs: Matrix = Field(description="(queries, 2)")
    entropy: list[float] = Field(description="Of each query's weights, in nats.")
    scale: float = Field(description="The mechanism's scale divided by the temperature.")
    additive_weights: HiddenLayer | None = Field(description="Of the additive mechanism alone.")


@router.post("")
def post_circle(request: CircleRequest) -> CircleAnswer:
    """Queries read keys that one can see."""
    turn = request.turn
    if request.additive is not None and request.mechanism != "additive":
        raise InvalidValueError("additive must be left out with the mechanism {mechanism}", request.mechanism)
    result = circle(
        request.n,
        request.query_angles_deg,
        lengths=request.lengths,
        key_angles_deg=request.key_angles_deg,
        query_lengths=request.query_lengths,
        mechanism=request.mechanism,
        temperature=request.temperature,
        additive=None if request.additive is None else request.additive.choice(),
        turn=None if turn is None else Turn(turn.query_positions, turn.key_positions, turn.theta),
    )
    hidden = result.additive_weights
    stages = {name: to_json_numbers(array) for name, array in result.stages.items()}
    return CircleAnswer(
        keys=stages["keys"],
        queries=stages["queries"],
        values=stages["values"],
        scores=stages["raw_scores"],
        scaled_scores=stages["scaled_scores"],
        weights=stages["weights"],
        outputs=stages["output"],
        entropy=to_json_numbers(result.entropy),
        scale=result.scale,
        additive_weights=None
        if hidden is None
        else HiddenLayer(**{name: to_json_numbers(array) for name, array in hidden.items()}),
    )
