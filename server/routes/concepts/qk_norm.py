"""Norms of queries and keys side by side, and how lengths concentrate in many dimensions."""

from typing import Annotated, Literal

import numpy as np
from fastapi import APIRouter
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from attention_core.demos.qk_norm import compare_norms, norm_concentration, random_vectors
from attention_core.refusal import InvalidValueError
from server.answers.from_core import FromCore
from server.requests.bodies import BodyRoute
from server.requests.bounded import RequestModel, Rows, Seed, UpToTokens, Vector, check_cells, check_tokens
from server.routes.dependencies import SettingsDep
from server.web.errors import ApiError
from server.web.matrices import Matrix, to_json_numbers

router = APIRouter(prefix="/api/qk_norm", tags=["qk_norm"], route_class=BodyRoute)

NORMS, MATRICES = 4, 13
"""Arrays of vectors and of products that an answer holds: what is bounded is the whole answer."""
MAX_WORK = 2**33
"""Multiplications of one request about concentration."""
SAMPLES_A_DRAW = 64
"""Drawing a layer takes as long as carrying so many vectors through it."""

Size = Annotated[int, Field(strict=True, ge=1, le=4096)]


class QKNormRequest(RequestModel):
    """Queries and keys of one head; row i stands at position i."""

    queries: Rows | None = Field(None, description="Drawn from N(0, 1) unless given.")
    keys: Rows | None = Field(None, description="Drawn likewise; as many as num_keys.")
    num_queries: Annotated[Size, UpToTokens] = 4
    num_keys: Annotated[Size, UpToTokens] = 4
    size: Size = Field(8, description="Of drawn queries and keys.")
    learned_scale: Vector | None = Field(None, description="One number for each dimension, for rms and l2.")
    rope: Literal["none", "interleaved", "half_split"] = "none"
    base: Annotated[float, Field(strict=True, allow_inf_nan=False, ge=1.0, le=1e9)] = 10_000.0
    order: Literal["after_rope", "before_rope"] = Field(
        "after_rope", description="nanochat norms after RoPE, Qwen3 before."
    )
    seed: Seed = 0


class NormAnswer(FromCore):
    """The same queries and keys under one norm. Rows are queries, columns are keys."""

    kind: Literal["none", "layer", "rms", "l2"]
    queries: Matrix
    keys: Matrix
    query_norms: list[float]
    key_norms: list[float]
    dot_products: Matrix
    lowest: float
    highest: float
    bound: float | None = Field(description="|q·k| cannot exceed it, whatever the input. Null: no bound.")
    score_scale: float = Field(description="1/√D; for l2 √D.")
    scores: Matrix
    weights: Matrix


class QKNormAnswer(BaseModel):
    """None, LayerNorm, RMS norm and L2 norm, in this order."""

    cosines: Matrix
    norms: list[NormAnswer]
    order_difference: dict[str, float] | None = Field(
        description="Largest change of a dot product when norm and RoPE change places. Null without RoPE."
    )


@router.post("")
def post_qk_norm(request: QKNormRequest, settings: SettingsDep) -> QKNormAnswer:
    """What each norm leaves of lengths, dot products and weights."""
    size = next((len(rows[0]) for rows in (request.queries, request.keys) if rows is not None), request.size)
    tokens = [request.num_queries, request.num_keys]
    for index, (name, rows) in enumerate({"queries": request.queries, "keys": request.keys}.items()):
        tokens[index] = tokens[index] if rows is None else len(rows)
        check_tokens(settings, name if rows is not None else f"num_{name}", tokens[index])
    check_cells(settings, "num_queries" if request.queries is None else "queries", MATRICES, tokens[0], tokens[1])
    check_cells(settings, "num_queries" if request.queries is None else "queries", NORMS, tokens[0], size)
    check_cells(settings, "num_keys" if request.keys is None else "keys", NORMS, tokens[1], size)
    queries = _array(request.queries, tokens[0], size, request.seed)
    keys = _array(request.keys, tokens[1], size, request.seed + 1)
    if request.rope != "none" and size % 2:
        raise InvalidValueError("rope must turn pairs; the vectors have {size} numbers", size)
    found = compare_norms(
        queries,
        keys,
        learned_scale=None if request.learned_scale is None else np.array(request.learned_scale, dtype=np.float64),
        rope=None if request.rope == "none" else request.rope,
        base=request.base,
        order=request.order,
    )
    return QKNormAnswer.model_construct(
        cosines=to_json_numbers(found.cosines),
        norms=[NormAnswer.of(reading) for reading in found.readings],
        order_difference=found.order_difference,
    )


def _array(rows: list[list[float]] | None, count: int, size: int, seed: int) -> NDArray[np.float64]:
    return random_vectors(count, size, seed=seed) if rows is None else np.array(rows, dtype=np.float64)


class ConcentrationRequest(RequestModel):
    """Sizes to go through."""

    dims: Annotated[list[Size], Field(min_length=1, max_length=16)] = Field([2, 8, 32, 128, 512])
    samples: Annotated[int, Field(strict=True, ge=2, le=10_000)] = 1_000
    gain: Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=10)] = Field(
        0.3, description="Spread of a learned gain around 1."
    )
    seed: Seed = 0


class LengthsAnswer(FromCore):
    """Of many random vectors."""

    mean: float
    standard_deviation: float
    relative_spread: float = Field(description="Standard deviation by mean.")
    mean_by_root_d: float


class ConcentrationPoint(FromCore):
    """Lengths and angles at one size."""

    d: int
    raw: LengthsAnswer = Field(description="Of x from N(0, 1).")
    expected_mean: float = Field(description="√2 Γ((d+1)/2)/Γ(d/2)")
    expected_relative_spread: float = Field(description="About 1/√(2d).")
    layer_norm: LengthsAnswer = Field(description="Of LayerNorm(x): √d.")
    layer_norm_gain: LengthsAnswer = Field(description="With a gain for each dimension.")
    projected: LengthsAnswer = Field(description="Of W_q LayerNorm(x).")
    cosine_standard_deviation: float
    expected_cosine_standard_deviation: float = Field(description="1/√d")


class ConcentrationAnswer(BaseModel):
    """One point for each size."""

    points: list[ConcentrationPoint]


@router.post("/concentration")
def post_concentration(request: ConcentrationRequest) -> ConcentrationAnswer:
    """How lengths and angles of random vectors gather as d grows."""
    work = sum(d * d for d in request.dims) * (request.samples + SAMPLES_A_DRAW)
    if work > MAX_WORK:
        raise ApiError(
            422,
            "too_large",
            "samples asks for {work} multiplications; one request may ask for {limit}.",
            work,
            field="samples",
            limit=MAX_WORK,
        )
    found = norm_concentration(request.dims, samples=request.samples, gain=request.gain, seed=request.seed)
    return ConcentrationAnswer(points=[ConcentrationPoint.of(point) for point in found])
