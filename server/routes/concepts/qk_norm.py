"""Norms of queries and keys compared, and how vector lengths concentrate in high dimensions."""

from typing import Annotated, Literal

import numpy as np
from fastapi import APIRouter
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from attention_core.demos.qk_norm import (
    Concentration,
    Lengths,
    NormComparison,
    Normed,
    compare_norms,
    norm_concentration,
    random_vectors,
)
from attention_core.refusal import InvalidValueError, Sentence
from ...answers.drawings import LENGTH, QUERIES, bars, curves, heat, stages
from ...answers.from_core import AnswerOf
from ...requests.bodies import BodyRoute
from ...requests.bounded import RequestModel, Rows, Seed, UpToTokens, Vector, check_cells, check_tokens
from ...web.errors import ApiError
from ..dependencies import SettingsDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/qk_norm", tags=["qk_norm"], route_class=BodyRoute)

NORMS, MATRICES = 4, 13
"""Arrays of vectors and of products in an answer: the whole answer is bounded."""
MAX_WORK = 2**33
"""Multiplications of one concentration request."""
SAMPLES_A_DRAW = 64
"""Initialising a layer takes as long as applying it to this many vectors."""

Size = Annotated[int, Field(strict=True, ge=1, le=4096)]


class QKNormRequest(RequestModel):
    """Queries and keys of one head; row i has position i."""

    queries: Rows | None = Field(None, description="Random, from N(0, 1), unless given.")
    keys: Rows | None = Field(None, description="num_keys random ones unless given.")
    num_queries: Annotated[Size, UpToTokens] = 4
    num_keys: Annotated[Size, UpToTokens] = 4
    size: Size = Field(8, description="Of random queries and keys.")
    learned_scale: Vector | None = Field(None, description="One number for each dimension, for rms and l2.")
    rope: Literal["none", "interleaved", "half_split"] = "none"
    base: Annotated[float, Field(strict=True, allow_inf_nan=False, ge=1.0, le=1e9)] = 10_000.0
    order: Literal["after_rope", "before_rope"] = Field(
        "after_rope", description="nanochat normalises after RoPE, Qwen3 before."
    )
    seed: Seed = 0


class NormedAnswer(AnswerOf[Normed]):
    """The same queries and keys under one norm. Rows are queries, columns are keys."""


class QKNormAnswer(AnswerOf[NormComparison]):
    """No norm, LayerNorm, RMS norm and L2 norm, in this order."""

    norms: list[NormedAnswer]


@router.post("")
def post_qk_norm(request: QKNormRequest, settings: SettingsDep) -> QKNormAnswer:
    """Lengths, dot products and weights under each norm."""
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
        raise InvalidValueError("rope rotates pairs; the vectors have {size} numbers", size)
    comparison = compare_norms(
        queries,
        keys,
        learned_scale=None if request.learned_scale is None else np.array(request.learned_scale, dtype=np.float64),
        rope=None if request.rope == "none" else request.rope,
        base=request.base,
        order=request.order,
    )
    return QKNormAnswer.of(comparison)


add_figures(
    router,
    post_qk_norm,
    {
        **stages("norms[norm].{}", "weights"),
        "scores": heat("norms[norm].scores", Sentence("Scores")),
        "dot_products": heat("norms[norm].dot_products", Sentence("Dot products")),
        "cosines": heat("cosines", Sentence("Cosines")),
        "query_norms": bars("norms[norm].query_norms", Sentence("Lengths of the queries"), LENGTH, QUERIES),
        "key_norms": bars("norms[norm].key_norms", Sentence("Lengths of the keys"), LENGTH),
    },
)


def _array(rows: list[list[float]] | None, count: int, size: int, seed: int) -> NDArray[np.float64]:
    return random_vectors(count, size, seed=seed) if rows is None else np.array(rows, dtype=np.float64)


class ConcentrationRequest(RequestModel):
    """The sizes to compare."""

    dims: Annotated[list[Size], Field(min_length=1, max_length=16)] = Field([2, 8, 32, 128, 512])
    samples: Annotated[int, Field(strict=True, ge=2, le=10_000)] = 1_000
    gain: Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=10)] = Field(
        0.3, description="Standard deviation of a learned gain around 1."
    )
    seed: Seed = 0


class LengthsAnswer(AnswerOf[Lengths]):
    """Of many random vectors."""


class ConcentrationPoint(AnswerOf[Concentration]):
    """Lengths and angles at one size."""

    raw: LengthsAnswer
    layer_norm: LengthsAnswer
    layer_norm_gain: LengthsAnswer
    projected: LengthsAnswer


class ConcentrationAnswer(BaseModel):
    """One point for each size."""

    points: list[ConcentrationPoint]


@router.post("/concentration")
def post_qk_norm_concentration(request: ConcentrationRequest) -> ConcentrationAnswer:
    """How lengths and angles of random vectors concentrate as d grows."""
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
    concentration = norm_concentration(request.dims, samples=request.samples, gain=request.gain, seed=request.seed)
    return ConcentrationAnswer(points=[ConcentrationPoint.of(point) for point in concentration])


add_figures(
    router,
    post_qk_norm_concentration,
    {
        "relative_spread": curves(
            {
                "N(0, 1)": "points[*].raw.relative_spread",
                "LayerNorm": "points[*].layer_norm.relative_spread",
                Sentence("LayerNorm with a learned gain"): "points[*].layer_norm_gain.relative_spread",
                Sentence("projected"): "points[*].projected.relative_spread",
            },
            Sentence("Spread of the lengths, relative to their mean"),
            "d",
            Sentence("relative spread"),
            "points[*].d",
        ),
        "cosines": curves(
            {
                Sentence("measured"): "points[*].cosine_standard_deviation",
                Sentence("expected"): "points[*].expected_cosine_standard_deviation",
            },
            Sentence("Spread of the cosines"),
            "d",
            Sentence("standard deviation"),
            "points[*].d",
        ),
    },
)
