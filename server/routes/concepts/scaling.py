"""Why scores are divided by √d_k: distributions, saturation, scatter panels, and growth with d_k."""

from typing import Annotated, Literal

import numpy as np
from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from attention_core.demos.scaling import (
    Growth,
    Saturation,
    ScatterPanel,
    ScoreDistribution,
    Theory,
    linear_scores,
    normal_scores,
    saturation,
    saturation_growth,
    scatter_panels,
)
from attention_core.refusal import InvalidValueError, Sentence
from ...answers import figures
from ...answers.answer_paths import Drawn
from ...answers.drawings import KEYS, LENGTH, NATS, SCORE, WEIGHT, Drawing, bars, curves, density_family, heat, said
from ...answers.figures import Figure, Points
from ...answers.from_core import AnswerOf
from ...answers.palette import Palette
from ...answers.summaries import SummaryAnswer
from ...requests.bodies import BodyRoute
from ...requests.bounded import Number, RequestModel, Seed, check_cells
from ...web.errors import ApiError
from ...web.openapi.schema_rules import at_most_one
from ..dependencies import SettingsDep
from ..figure_routes import add_figures

RANDOM_NUMBERS = Sentence("random numbers")

router = APIRouter(prefix="/api/scaling", tags=["scaling"], route_class=BodyRoute)

MAX_MULTIPLICATIONS = 2**36
"""Of one request: 10,000 sequences of 10 positions through two layers of 512 × 512 are within."""
MAX_DRAWN = 2**26
"""Random numbers of one request."""
DEFAULT_LAYERS = 64
MAX_SCORES = 2**23
"""Scores of one distribution."""

Size = Annotated[int, Field(strict=True, ge=1, le=4096)]
Sizes = Annotated[list[Size], Field(min_length=1, max_length=16)]
Divisor = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=1e-6, le=1e9)]


class ScalingRequest(RequestModel):
    """Random queries and keys from N(0, 1), or the outputs of fresh linear layers for inputs from N(0, 1)."""

    d_k: Sizes = Field([8, 64, 512])
    source: Literal["normal", "linear"] = "normal"
    samples: Annotated[int, Field(strict=True, ge=1, le=100_000)] = 10_000
    seed: Seed = 0
    bins: Annotated[int, Field(strict=True, ge=1, le=400)] = 40
    bias: bool = Field(True, description="linear: whether the layers have a bias.")
    d_model: Size | None = Field(None, description="linear: size of the inputs; d_k unless given.")
    seq_len: Annotated[int, Field(strict=True, ge=1, le=256)] = Field(
        1, description="linear: 1 scores independent pairs; more scores all pairs of a sequence, itself included."
    )
    layers: Annotated[int, Field(strict=True, ge=1, le=1024)] | None = Field(
        None, description="linear: pairs of fresh layers among which the samples are divided; up to 64 unless given."
    )


class TheoryAnswer(AnswerOf[Theory]):
    """The predicted variance of the scores, without sampling."""


class ScoreDistributionAnswer(AnswerOf[ScoreDistribution]):
    """Raw and scaled scores at one d_k."""

    raw: SummaryAnswer
    scaled: SummaryAnswer
    ratio: float | None
    theory: TheoryAnswer


class ScalingAnswer(BaseModel):
    """One entry for each d_k, in the order asked for."""

    distributions: list[ScoreDistributionAnswer]


@router.post("")
def post_scaling(request: ScalingRequest) -> ScalingAnswer:
    """The distribution of scores with and without ÷√d_k, measured and expected."""
    _check_work(request)
    return ScalingAnswer(distributions=[ScoreDistributionAnswer.of(_scores(request, d_k)) for d_k in request.d_k])


add_figures(
    router,
    post_scaling,
    {
        "scaled": density_family(
            "distributions", "d_k", "scaled", Sentence("Scores divided by √d_k"), SCORE, "d_k = {}"
        ),
        "raw": density_family("distributions", "d_k", "raw", Sentence("Raw scores q·k"), SCORE, "d_k = {}"),
    },
)


def _scores(request: ScalingRequest, d_k: int) -> ScoreDistribution:
    if request.source == "normal":
        return normal_scores(d_k, samples=request.samples, seed=request.seed, bins=request.bins)
    return linear_scores(
        d_k,
        d_model=request.d_model,
        bias=request.bias,
        samples=request.samples,
        seq_len=request.seq_len,
        layers=_layers(request),
        seed=request.seed,
        bins=request.bins,
    )


def _check_work(request: ScalingRequest) -> None:
    """Refuse what would take more than a few seconds."""
    if request.source == "normal":
        _limit("samples", 2 * request.samples * sum(request.d_k), MAX_DRAWN, RANDOM_NUMBERS)
        return
    rows = request.samples * request.seq_len
    widths = [(request.d_model or d_k, d_k) for d_k in request.d_k]
    products = Sentence("multiplications")
    _limit("samples", rows * request.seq_len, MAX_SCORES, Sentence("scores"))
    _limit("samples", 2 * rows * sum(ins * outs for ins, outs in widths), MAX_MULTIPLICATIONS, products)
    _limit("samples", 2 * rows * sum(ins for ins, _ in widths), 2 * MAX_DRAWN, RANDOM_NUMBERS)
    _limit("layers", _layers(request) * _layer_numbers(request), MAX_DRAWN, RANDOM_NUMBERS)


def _layers(request: ScalingRequest) -> int:
    """As requested; else as many as MAX_DRAWN allows, at most DEFAULT_LAYERS."""
    if request.layers is not None:
        return request.layers
    return max(1, min(DEFAULT_LAYERS, request.samples, MAX_DRAWN // _layer_numbers(request)))


def _layer_numbers(request: ScalingRequest) -> int:
    """Weights of one pair of layers at each d_k."""
    return 2 * sum((request.d_model or d_k) * d_k for d_k in request.d_k)


def _limit(field: str, count: int, limit: int, what: Sentence) -> None:
    if count > limit:
        raise ApiError(
            422,
            "too_large",
            "{field} asks for {count} {what}; one request may ask for {limit}.",
            count,
            what,
            field=field,
            limit=limit,
        )


class SaturationRequest(RequestModel):
    """One row of scores, and its divisor: ``divisor``, or √d_k."""

    model_config = ConfigDict(json_schema_extra=at_most_one("divisor", "d_k"))

    scores: Annotated[list[Number], Field(min_length=1, max_length=512)] = Field([10.0, 5.0, 2.0, 1.0])
    divisor: Divisor | None = None
    d_k: Size | None = Field(None, description="Divide by its square root; 64 unless one of the two is given.")


class SaturationSide(AnswerOf[Saturation]):
    """Softmax of one row, and its gradient."""


class SaturationAnswer(BaseModel):
    """The same row twice."""

    divisor: float
    unscaled: SaturationSide
    scaled: SaturationSide


@router.post("/saturation")
def post_scaling_saturation(request: SaturationRequest, settings: SettingsDep) -> SaturationAnswer:
    """Softmax of one row of scores, unscaled and divided."""
    check_cells(settings, "scores", 2, len(request.scores), len(request.scores))
    if request.divisor is not None and request.d_k is not None:
        raise InvalidValueError("{name} must be left out where {other} is given", "divisor", "d_k")
    divisor = (request.d_k or 64) ** 0.5 if request.divisor is None else request.divisor
    return SaturationAnswer(
        divisor=divisor,
        unscaled=SaturationSide.of(saturation(request.scores)),
        scaled=SaturationSide.of(saturation(request.scores, divisor)),
    )


add_figures(
    router,
    post_scaling_saturation,
    {
        "weights": bars(
            {Sentence("unscaled"): "unscaled.weights", Sentence("scaled"): "scaled.weights"},
            Sentence("Weights"),
            WEIGHT,
        ),
        "unscaled_jacobian": heat("unscaled.jacobian", Sentence("Gradient of softmax, unscaled"), KEYS, KEYS),
        "scaled_jacobian": heat("scaled.jacobian", Sentence("Gradient of softmax, scaled"), KEYS, KEYS),
    },
)


class PanelsRequest(RequestModel):
    """One query and its keys from N(0, 1), at each size."""

    dims: Sizes = Field([1, 100])
    num_keys: Annotated[int, Field(strict=True, ge=1, le=512)] = 20
    seed: Seed = 0


class PanelAnswer(AnswerOf[ScatterPanel]):
    """One scatter plot: dot products on the x-axis, weights on the y-axis."""


class PanelsAnswer(BaseModel):
    """For each size the panel without scaling, then the one with."""

    panels: list[PanelAnswer]


@router.post("/panels")
def post_scaling_panels(request: PanelsRequest, settings: SettingsDep) -> PanelsAnswer:
    """Weights by dot product, at each size with and without ÷√d."""
    check_cells(settings, "dims", sum(request.dims), request.num_keys)
    panels = scatter_panels(request.dims, num_keys=request.num_keys, seed=request.seed)
    return PanelsAnswer(panels=[PanelAnswer.of(panel) for panel in panels])


def _panels(drawn: Drawn, palette: Palette, title: str) -> Figure:
    scaled = {False: said(Sentence("unscaled")), True: said(Sentence("scaled"))}
    points = {
        f"d = {panel.dim}, {scaled[panel.is_scaled]}": Points(np.stack([panel.dot_products, panel.weights], axis=1))
        for panel in drawn.value("panels")
    }
    return figures.scatter(points, palette, title=title, x=said(Sentence("dot product")), y=said(WEIGHT))


add_figures(
    router,
    post_scaling_panels,
    {"panels": Drawing(Sentence("Weights by dot product"), ("panels",), _panels)},
)


class GrowthRequest(RequestModel):
    """The sizes, and how many random rows of scores are averaged at each."""

    d_k: Sizes = Field([1, 4, 16, 64, 256, 1024])
    num_keys: Annotated[int, Field(strict=True, ge=1, le=128)] = 20
    trials: Annotated[int, Field(strict=True, ge=1, le=1000)] = 200
    seed: Seed = 0


class GrowthPoint(AnswerOf[Growth]):
    """Means at one d_k, without and with ÷√d_k."""


class GrowthAnswer(BaseModel):
    """One point for each d_k."""

    points: list[GrowthPoint]


@router.post("/growth")
def post_scaling_growth(request: GrowthRequest) -> GrowthAnswer:
    """Entropy and gradient of softmax as d_k grows."""
    _limit("trials", request.trials * request.num_keys * sum(request.d_k), MAX_DRAWN, RANDOM_NUMBERS)
    _limit("trials", 2 * len(request.d_k) * request.trials * request.num_keys**2, MAX_DRAWN, Sentence("cells"))
    growth = saturation_growth(request.d_k, num_keys=request.num_keys, trials=request.trials, seed=request.seed)
    return GrowthAnswer(points=[GrowthPoint.of(point) for point in growth])


add_figures(
    router,
    post_scaling_growth,
    {
        "entropy": curves(
            {Sentence("unscaled"): "points[*].entropy", Sentence("scaled"): "points[*].scaled_entropy"},
            Sentence("Entropy of the weights"),
            "d_k",
            NATS,
            "points[*].d_k",
        ),
        "gradient_norm": curves(
            {Sentence("unscaled"): "points[*].gradient_norm", Sentence("scaled"): "points[*].scaled_gradient_norm"},
            Sentence("Length of the gradient of softmax"),
            "d_k",
            LENGTH,
            "points[*].d_k",
        ),
        "largest_weight": curves(
            {Sentence("unscaled"): "points[*].largest_weight", Sentence("scaled"): "points[*].scaled_largest_weight"},
            Sentence("Largest weight"),
            "d_k",
            WEIGHT,
            "points[*].d_k",
        ),
    },
)
