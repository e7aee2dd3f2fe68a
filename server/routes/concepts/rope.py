"""RoPE: one query and one key, turned to every position asked for; and every scaling, side by side."""

from collections.abc import Iterator
from dataclasses import MISSING, fields
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
from attention_core.refusal import InvalidValueError
from attention_core.rope import Pairing
from attention_core.rope_scaling import KINDS, Scaling, choose
from server.answers.from_core import AnswerOf
from server.requests.bodies import BodyRoute
from server.requests.bounded import Number, RequestModel, UpToTokens, Vector, check_cells, check_tokens
from server.routes.dependencies import SettingsDep
from server.web.matrices import JsonNumber
from server.web.schema_rules import ABSENT, GIVEN, either, every

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
"""Kinds that do not ask how long a model was trained, though its configuration may say so."""


def _own_names(given: Any) -> Any:
    """Settings may be written as in a transformers configuration."""
    if not isinstance(given, dict):
        return given
    named = {OTHER_NAMES.get(name, name): value for name, value in given.items()}
    return named | {"kind": "ntk"} if named.get("kind") == "ntk_aware" else named


def _kinds() -> Iterator[dict[str, object]]:
    """Each kind with the settings that it needs, and without those that it does not have."""
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
    rope_theta: Base | None = Field(None, description="The base, where a configuration keeps it here.")
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
    """One query, one key, and the positions they go to."""

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
    frequencies: Vector | None = Field(None, description="Radians per position of each pair, for base's.")
    scaling: Annotated[ScalingIn, BeforeValidator(_own_names)] | None = None
    sequence_length: Length | None = Field(None, description="For dynamic scaling; the largest position + 1.")
    rotary_dim: Dim | None = Field(None, description="Turn only the first so many numbers.")
    vector: Vector | None = Field(None, description="The query; (1, 0) in every pair unless given.")
    key: Vector | None = Field(None, description="The key; the query unless given.")
    distances: Positions | None = Field(None, description="For `decay`; the positions unless given.")
    precision: Precision = Field("float64", description="Of vectors and scores; angles are float64 always.")
    slide: Number | None = Field(None, description="Show the scores again with this added to the positions.")
    mix_pairings: bool = Field(default=False, description="Show the mistake of mixing the two pairings.")
    compose: Two | None = Field(None, description="m, n: show R_mᵀR_n beside R_{n−m}.")


class SlideOut(AnswerOf[Slide]):
    """The scores with positions shifted."""


class MixedPairingsOut(AnswerOf[MixedPairings]):
    """The mistake: scores of queries and keys that are paired differently."""


class CompositionOut(AnswerOf[Composition]):
    """R_mᵀR_n and R_{n−m}."""


class RopeResponse(AnswerOf[RopeNumbers]):
    """Everything that happens to the two vectors. Rows of scores are queries, columns keys."""

    wavelengths: list[JsonNumber] = Field(description="[pairs] positions per full turn.")
    slide: SlideOut | None
    mixed_pairings: MixedPairingsOut | None
    composition: CompositionOut | None


class ScalingsRequest(RequestModel):
    """The positions to look at, and the model that was trained."""

    dim: Annotated[Dim, Field(ge=4)] = 128
    base: Annotated[float, Field(gt=1, le=MAX_BASE)] = 10_000.0
    trained_length: Length = 2_048.0
    factor: Factor = 4.0
    positions: Positions = Field(description="Also the distances whose scores are given.")


class StretchOut(AnswerOf[Stretch]):
    """One way past the trained length."""


class ScalingsResponse(BaseModel):
    """Plain RoPE first, then every scaling."""

    scalings: list[StretchOut]


@router.post("")
def rope(request: RopeRequest, settings: SettingsDep) -> RopeResponse:
    """Angles, turned vectors, their scores against each other, and how strength falls with distance."""
    count = len(request.positions)
    check_tokens(settings, "positions", count)
    check_cells(settings, "positions", count, request.dim)
    if request.distances is not None:
        check_tokens(settings, "distances", len(request.distances))
        check_cells(settings, "distances", len(request.distances), request.dim)
    if request.slide is not None or request.mix_pairings:
        check_cells(settings, "positions", count, count)
    if request.compose is not None and request.dim > MAX_COMPOSED_DIM:
        raise InvalidValueError(
            "dim must be at most {max_composed_dim} with compose, not {dim}", MAX_COMPOSED_DIM, request.dim
        )
    if request.frequencies is not None and (request.base is not None or request.scaling is not None):
        raise InvalidValueError("frequencies must stand alone: base and scaling make frequencies of their own")
    numbers = rope_numbers(
        request.dim,
        request.positions,
        request.pairing,
        base=_base(request),
        scaling=None if request.scaling is None else request.scaling.chosen(),
        scores=count**2 <= settings.max_concept_cells,
        **request.model_dump(exclude={"dim", "positions", "pairing", "base", "scaling"}),
    )
    return RopeResponse.of(numbers)


def _base(request: RopeRequest) -> float:
    theta = None if request.scaling is None else request.scaling.rope_theta
    if theta is None:
        return 10_000.0 if request.base is None else request.base
    if request.base not in (None, theta):
        raise InvalidValueError("rope_theta must be the base where both are given")
    return theta


@router.post("/scaling")
def rope_scaling(request: ScalingsRequest, settings: SettingsDep) -> ScalingsResponse:
    """The same positions under plain RoPE and every scaling: angles, and scores against distance."""
    check_tokens(settings, "positions", len(request.positions))
    check_cells(settings, "positions", len(request.positions), request.dim)
    stretches = compare_scalings(
        request.dim,
        request.positions,
        base=request.base,
        trained_length=request.trained_length,
        factor=request.factor,
    )
    return ScalingsResponse(scalings=[StretchOut.of(stretch) for stretch in stretches])
