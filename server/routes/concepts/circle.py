"""Attention on a circle: keys are n arrows, values are the same arrows, queries are angles."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import ConfigDict, Field

from attention_core.demos.circle import Turn, circle
from attention_core.demos.scoring import Mechanism
from attention_core.refusal import InvalidValueError, Sentence
from ...answers.drawings import NATS, QUERIES, bars, heat, scatter, stages
from ...answers.from_core import FromCore
from ...requests.additive_options import MAX_HIDDEN, AdditiveOptions, AdditiveWeightsIn
from ...requests.bodies import BodyRoute
from ...requests.bounded import Number, RequestModel, Temperature
from ...web.openapi.schema_rules import ABSENT, either
from ..figure_routes import add_figures

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
    """The hidden layer of additive attention on arrows: random from a seed, or given."""

    weights: ArrowWeights | None = Field(None, description="Instead of hidden and seed.")


class TurnOptions(RequestModel):
    """RoPE in two dimensions: arrows are rotated by position · theta radians before they are scored."""

    query_positions: PerQuery
    key_positions: PerKey
    theta: Number = 1.0


class CircleRequest(RequestModel):
    """Arrows around the origin. Angles in degrees, counter-clockwise from the x-axis."""

    model_config = ConfigDict(json_schema_extra=either({"mechanism": "additive"}, {"additive": ABSENT}))

    n: Annotated[int, Field(ge=1, le=MAX_KEYS, description="Keys.")] = 10
    query_angles_deg: PerQuery = Field(examples=[[45.0]])
    lengths: PerKey | None = Field(None, description="One for each key; 1 unless given.")
    key_angles_deg: PerKey | None = Field(None, description="One for each key; 0, 360/n, 2·360/n, … unless given.")
    query_lengths: PerQuery | None = Field(None, description="One for each query; 1 unless given.")
    mechanism: Mechanism = "dot"
    temperature: Temperature = 1.0
    additive: ArrowAdditive | None = Field(None, description="For the additive mechanism only.")
    turn: TurnOptions | None = Field(None, description="Positions of the arrows, and their rotation by RoPE.")


class HiddenLayer(FromCore):
    """The weights of additive attention: `score = combine · tanh(query_weight q + key_weight k + bias)`."""

    query_weight: list[list[float]]
    key_weight: list[list[float]]
    combine: list[float]
    bias: list[float] | None = None


class CircleAnswer(FromCore):
    """Rows are queries, columns are keys."""

    keys: list[list[float]] = Field(description="(n, 2), as scored: rotated if they have positions.")
    queries: list[list[float]]
    values: list[list[float]] = Field(description="(n, 2): the keys, never rotated.")
    scores: list[list[float]] = Field(description="(queries, n), before scale and temperature.")
    scaled_scores: list[list[float]] = Field(description="scores · scale")
    weights: list[list[float]]
    outputs: list[list[float]] = Field(description="(queries, 2)")
    entropy: list[float] = Field(description="Of each query's weights, in nats.")
    scale: float = Field(description="The mechanism's scale divided by the temperature.")
    additive_weights: HiddenLayer | None = Field(description="Of the additive mechanism only.")


@router.post("")
def post_circle(request: CircleRequest) -> CircleAnswer:
    """Attend to keys in the plane."""
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
    named = {
        "scores": result.stages["raw_scores"],
        "outputs": result.stages["output"],
        "additive_weights": result.additive,
    }
    return CircleAnswer.of(result, result.stages, named)


add_figures(
    router,
    post_circle,
    {
        **stages("{}", "weights"),
        "scores": heat("scores", Sentence("Raw scores")),
        **stages("{}", "scaled_scores"),
        "plane": scatter(
            {Sentence("Keys"): "keys", Sentence("Queries"): "queries", Sentence("Outputs"): "outputs"},
            Sentence("Keys, queries and outputs"),
        ),
        "entropy": bars("entropy", Sentence("Entropy of the weights"), NATS, QUERIES),
    },
)
