"""RoPE: one query and one key rotated to every position, and all scalings compared."""

from collections.abc import Iterator
from dataclasses import MISSING, fields, replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from attention_core.demos.rope import (
    Composition,
    MixedPairings,
    RopeNumbers,
    Slide,
    Stretch,
    compare_scalings,
    rope_numbers,
)
from attention_core.precision import Precision
from attention_core.refusal import InvalidValueError, Sentence
from attention_core.rope import Pairing
from attention_core.rope_scaling import KINDS, Scaling, choose
from ...answers.answer_paths import Drawn
from ...answers.drawings import (
    DIMENSIONS,
    KEY,
    PAIR,
    PAIRS,
    QUERY,
    SCORE,
    curve_family,
    curves,
    heat,
    positioned,
    vectors,
)
from ...answers.from_core import AnswerOf
from ...requests.bodies import BodyRoute
from ...requests.bounded import Number, RequestModel, UpToTokens, Vector, check_cells, check_tokens
from ...settings import Settings
from ...web.matrices import JsonNumber
from ...web.openapi.schema_rules import ABSENT, GIVEN, either, every
from ..dependencies import SettingsDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/rope", tags=["rope"], route_class=BodyRoute)

MAX_DIM = 1_024
MAX_COMPOSED_DIM = 256
MIN_BASE, MAX_BASE = 1e-3, 1e12
MAX_LENGTH = 1e9

Dim = Annotated[int, Field(ge=2, le=MAX_DIM, multiple_of=2, description="Numbers in a vector; even.")]
Base = Annotated[float, Field(ge=MIN_BASE, le=MAX_BASE, description="θ_i = base^(−2i/dim).")]
Length = Annotated[float, Field(ge=1, le=MAX_LENGTH)]
Positions = Annotated[list[Number], Field(min_length=1, fail_fast=True), UpToTokens]
Two = Annotated[list[Number], Field(min_length=2, max_length=2)]
Factor = Annotated[float, Field(ge=1, le=1e6)]
Positive = Annotated[float, Field(gt=0, le=1e6)]

OTHER_NAMES = {
    "type": "kind",
    "rope_type": "kind",
    "original_max_position_embeddings": "trained_length",
    "max_position_embeddings": "trained_length",
}
WITHOUT_LENGTH = ("linear", "ntk")
"""Kinds that do not need the trained length, though a configuration may give it."""


def _own_names(given: Any) -> Any:
    """Our names for settings named as in a transformers configuration."""
    if not isinstance(given, dict):
        return given
    named = {OTHER_NAMES.get(name, name): value for name, value in given.items()}
    return named | {"kind": "ntk"} if named.get("kind") == "ntk_aware" else named


def _kinds() -> Iterator[dict[str, object]]:
    """Each kind with the settings that it requires, and without those that it does not have."""
    yield {"kind": "default"}
    names = dict.fromkeys(field.name for kind in KINDS.values() for field in fields(kind))
    for kind, scaling in KINDS.items():
        needed = {field.name: field.default is MISSING for field in fields(scaling)}
        known = needed | ({"trained_length": False} if kind in WITHOUT_LENGTH else {})
        absent = {name: ABSENT for name in names if name not in known}
        yield absent | {name: GIVEN for name, is_needed in known.items() if is_needed} | {"kind": kind}


class ScalingIn(RequestModel):
    """Which scaling, with the settings that its kind has (see ``attention_core.rope_scaling``)."""

    model_config = ConfigDict(json_schema_extra=either(*_kinds()))

    kind: Literal["default", "linear", "ntk", "dynamic", "yarn", "llama3"] = Field(
        description="Also accepted as `type` or `rope_type`; default is plain RoPE."
    )
    rope_theta: Base | None = Field(None, description="The base, where a configuration has it here.")
    factor: Factor | None = None
    trained_length: Length | None = Field(None, description="Also accepted as `original_max_position_embeddings`.")
    beta_fast: Positive | None = None
    beta_slow: Positive | None = None
    attention_factor: Positive | None = None
    mscale: Positive | None = None
    mscale_all_dim: Positive | None = None
    truncate: bool | None = None
    low_freq_factor: Positive | None = None
    high_freq_factor: Positive | None = None

    def chosen(self) -> Scaling | None:
        """The scaling itself, None for plain RoPE."""
        settings = self.model_dump(exclude={"kind", "rope_theta"}, exclude_none=True)
        if self.kind in WITHOUT_LENGTH:
            settings.pop("trained_length", None)
        return None if self.kind == "default" else choose(self.kind, settings)


class RopeRequest(RequestModel):
    """One query, one key, and the positions that they are rotated to."""

    model_config = ConfigDict(
        json_schema_extra=every(
            either({"frequencies": ABSENT}, {"base": ABSENT, "scaling": ABSENT}),
            either({"compose": ABSENT}, {"dim": {"maximum": MAX_COMPOSED_DIM}}),
        )
    )

    dim: Dim
    pairing: Pairing = Field(description="interleaved: numbers 2i and 2i+1; half_split: i and i+dim/2.")
    positions: Positions = Field(description="Any numbers, negative and fractional too.")
    base: Base | None = Field(None, description="10000 unless given.")
    frequencies: Vector | None = Field(None, description="Radians per position of each pair, instead of the base's.")
    scaling: Annotated[ScalingIn, BeforeValidator(_own_names)] | None = None
    sequence_length: Length | None = Field(
        None, description="For dynamic scaling; the largest position + 1 unless given."
    )
    rotary_dim: Dim | None = Field(None, description="How many of the first numbers are rotated; all unless given.")
    vector: Vector | None = Field(None, description="The query; (1, 0) in every pair unless given.")
    key: Vector | None = Field(None, description="The key; the query unless given.")
    distances: Positions | None = Field(None, description="For `decay`; the positions unless given.")
    precision: Precision = Field("float64", description="Of vectors and scores; angles are always float64.")
    slide: Number | None = Field(None, description="Also give the scores with this added to the positions.")
    mix_pairings: bool = Field(default=False, description="Also give the scores of mixed pairings, a common mistake.")
    compose: Two | None = Field(None, description="m, n: also give R_mᵀR_n and R_{n−m}.")


class SlideOut(AnswerOf[Slide]):
    """The scores with positions shifted."""


class MixedPairingsOut(AnswerOf[MixedPairings]):
    """The mistake: scores of queries and keys that are paired differently."""


class CompositionOut(AnswerOf[Composition]):
    """R_mᵀR_n and R_{n−m}."""


class RopeResponse(AnswerOf[RopeNumbers]):
    """All RoPE results for the two vectors. Rows of scores are queries, columns keys."""

    wavelengths: list[JsonNumber]
    slide: SlideOut | None
    mixed_pairings: MixedPairingsOut | None
    composition: CompositionOut | None


class ScalingsRequest(RequestModel):
    """The positions, and the trained model."""

    dim: Annotated[Dim, Field(ge=4)] = 128
    base: Annotated[float, Field(gt=1, le=MAX_BASE)] = 10_000.0
    trained_length: Length = 2_048.0
    factor: Factor = 4.0
    positions: Positions = Field(description="Also the distances of the scores.")


class StretchOut(AnswerOf[Stretch]):
    """One method of context extension."""


class ScalingsResponse(BaseModel):
    """Plain RoPE first, then every scaling."""

    scalings: list[StretchOut]


@router.post("")
def post_rope(request: RopeRequest, settings: SettingsDep) -> RopeResponse:
    """Angles, rotated vectors, their scores, and the decay of scores with distance."""
    return RopeResponse.of(_numbers(request, settings))


def _positions(drawn: Drawn) -> list[float]:
    return drawn.given["request"].positions


DISTANCE = Sentence("distance between query and key")
ROTATED = positioned(_positions)
ROTATED_PAIRS = replace(ROTATED, title=QUERY), replace(ROTATED, title=KEY)

add_figures(
    router,
    post_rope,
    {
        "decay": curves(
            "decay", Sentence("Mean strength against distance"), DISTANCE, Sentence("mean |S|"), "decay_distances"
        ),
        "relative_scores": heat(
            "relative_scores",
            Sentence("Scores of the rotated vectors"),
            *ROTATED_PAIRS,
        ),
        "angles": vectors("angles", Sentence("Angles in radians"), ROTATED, PAIRS),
        "cos": vectors("cos", Sentence("Cosines of the angles"), ROTATED, PAIRS),
        "sin": vectors("sin", Sentence("Sines of the angles"), ROTATED, PAIRS),
        "rotated": vectors("rotated", Sentence("Rotated queries"), ROTATED),
        "rotated_keys": vectors("rotated_keys", Sentence("Rotated keys"), ROTATED),
        "slide": heat("slide.both", Sentence("Scores of the shifted positions")),
        "product": heat("composition.product", "R_mᵀR_n", DIMENSIONS, DIMENSIONS),
        "wavelengths": curves("wavelengths", Sentence("Wavelengths"), PAIR, Sentence("positions per full turn")),
    },
)


def _numbers(request: RopeRequest, settings: Settings) -> RopeNumbers:
    count = len(request.positions)
    check_tokens(settings, "positions", count)
    check_cells(settings, "positions", 4, count, request.dim)  # both rotated; of half the size, angles, cos, sin
    if request.distances is not None:
        check_tokens(settings, "distances", len(request.distances))
        check_cells(settings, "distances", len(request.distances), request.dim)
    if further := 2 * (request.slide is not None) + 3 * request.mix_pairings:  # squares beside the first
        check_cells(settings, "positions", 1 + further, count, count)
    if request.compose is not None:
        _check_composed(settings, request.dim)
    if request.frequencies is not None and (request.base is not None or request.scaling is not None):
        raise InvalidValueError("frequencies must be given without base and scaling, which determine them too")
    return rope_numbers(
        request.dim,
        request.positions,
        request.pairing,
        base=_base(request),
        scaling=None if request.scaling is None else request.scaling.chosen(),
        scores=count**2 <= settings.max_concept_cells,
        **request.model_dump(exclude={"dim", "positions", "pairing", "base", "scaling"}),
    )


def _check_composed(settings: Settings, dim: int) -> None:
    if dim > MAX_COMPOSED_DIM:
        raise InvalidValueError("dim must be at most {max_composed_dim} with compose, not {dim}", MAX_COMPOSED_DIM, dim)
    check_cells(settings, "dim", 2, dim, dim)


def _base(request: RopeRequest) -> float:
    theta = None if request.scaling is None else request.scaling.rope_theta
    if theta is None:
        return 10_000.0 if request.base is None else request.base
    if request.base not in (None, theta):
        raise InvalidValueError("rope_theta must be the base where both are given")
    return theta


@router.post("/scaling")
def post_rope_scaling(request: ScalingsRequest, settings: SettingsDep) -> ScalingsResponse:
    """The same positions under plain RoPE and every scaling: angles, and scores by distance."""
    check_tokens(settings, "positions", len(request.positions))
    check_cells(settings, "positions", 3, len(request.positions), request.dim)  # of six methods, half as much each
    stretches = compare_scalings(
        request.dim,
        request.positions,
        base=request.base,
        trained_length=request.trained_length,
        factor=request.factor,
    )
    return ScalingsResponse(scalings=[StretchOut.of(stretch) for stretch in stretches])


add_figures(
    router,
    post_rope_scaling,
    {
        "scores": curve_family(
            "scalings",
            "kind",
            "scores",
            Sentence("Scores by distance"),
            DISTANCE,
            SCORE,
            _positions,
        ),
        "frequencies": curve_family(
            "scalings", "kind", "frequencies", Sentence("Frequencies"), PAIR, Sentence("radians per position")
        ),
    },
)
