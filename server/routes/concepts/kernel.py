"""Fixed kernels and learned attention on the same points."""

from typing import Annotated

import numpy as np
from fastapi import APIRouter
from numpy.typing import NDArray
from pydantic import ConfigDict, Field

from attention_core.demos.kernel import KernelExperiment, Smoothing, kernel_experiment, random_points
from attention_core.kernel import gamma_of
from attention_core.refusal import InvalidValueError, Sentence
from ...answers.drawings import heat, stages
from ...answers.from_core import AnswerOf
from ...answers.stages import Stages
from ...requests.bodies import BodyRoute
from ...requests.bounded import MatrixIn, Number, RequestModel, Rows, Seed, UpToTokens, check_cells, check_tokens
from ...settings import Settings
from ...web.openapi.schema_rules import UpTo, at_most_one
from ..dependencies import SettingsDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/kernel", tags=["kernel"], route_class=BodyRoute)

MATRICES = 9
"""Queries × keys matrices in an answer: the whole answer is bounded. Distances hold size × as many numbers."""

Positive = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=1e-6, le=1e6)]


UpToDrawn = UpTo("max_concept_cells", factor=MATRICES, power=2)


class KernelRequest(RequestModel):
    """Queries, keys and values as points, and the three ways of weighting them."""

    model_config = ConfigDict(json_schema_extra=at_most_one("gamma", "bandwidth"))

    points: Rows | None = Field(None, description="Queries × size. Random, from N(0, 1), unless given.")
    keys: Rows | None = Field(None, description="Keys × size. The points unless given.")
    values: Rows | None = Field(None, description="Keys × any size. The keys unless given.")
    num_points: Annotated[int, Field(strict=True, ge=1, le=4096), UpToTokens, UpToDrawn] = Field(
        5, description="Number of random points."
    )
    size: Annotated[int, Field(strict=True, ge=1, le=1024)] = Field(2, description="Dimension of random points.")
    query_weight: MatrixIn | None = Field(None, description="Any number of rows × size; the identity unless given.")
    key_weight: MatrixIn | None = Field(None, description="As many rows as query_weight; the identity unless given.")
    gamma: Positive | None = Field(None, description="RBF: exp(−γ‖x − y‖²). 0.5 unless a bandwidth is given.")
    bandwidth: Positive | None = Field(None, description="RBF: γ = 1/(2h²).")
    degree: Annotated[int, Field(strict=True, ge=1, le=20)] = Field(2, description="Polynomial: (x·y + c)^p.")
    constant: Number = Field(1.0, description="Polynomial: c.")
    scale: Number | None = Field(None, description="Attention: 1/√d unless given.")
    seed: Seed = 0


class ReadingAnswer(AnswerOf[Smoothing]):
    """One fixed kernel. Rows are queries, columns are keys."""


class AttentionAnswer(Stages):
    """Every stage of learned attention on the same points."""


class KernelAnswer(AnswerOf[KernelExperiment]):
    """The same values weighted in three ways."""

    points: list[list[float]]
    keys: list[list[float]]
    values: list[list[float]]
    gamma: float
    rbf: ReadingAnswer
    polynomial: ReadingAnswer
    attention: AttentionAnswer


@router.post("")
def post_kernel(request: KernelRequest, settings: SettingsDep) -> KernelAnswer:
    """RBF and polynomial smoothing, and attention with learned weights."""
    if request.gamma is not None and request.bandwidth is not None:
        raise InvalidValueError("{name} must be left out where {other} is given", "bandwidth", "gamma")
    points = _points(request, settings)
    keys = points if request.keys is None else np.array(request.keys, dtype=np.float64)
    values = keys if request.values is None else np.array(request.values, dtype=np.float64)
    _check(request, settings, points, keys, values)
    gamma = (request.gamma or 0.5) if request.bandwidth is None else gamma_of(request.bandwidth)
    experiment = kernel_experiment(
        points,
        keys,
        values,
        None if request.query_weight is None else np.array(request.query_weight, dtype=np.float64),
        None if request.key_weight is None else np.array(request.key_weight, dtype=np.float64),
        gamma=gamma,
        degree=request.degree,
        constant=request.constant,
        scale=request.scale,
    )
    return KernelAnswer.of(experiment, {"points": points, "keys": keys, "values": values}, gamma=gamma)


add_figures(
    router,
    post_kernel,
    {
        **stages("attention.{}", "weights"),
        "rbf": heat("rbf.weights", Sentence("Weights of the RBF kernel"), bounds="weights"),
        "polynomial": heat("polynomial.weights", Sentence("Weights of the polynomial kernel")),
        **stages("attention.{}", "raw_scores", "scaled_scores"),
        "squared_distances": heat("squared_distances", Sentence("Squared distances"), bounds="positive"),
    },
)


def _points(request: KernelRequest, settings: Settings) -> NDArray[np.float64]:
    if request.points is not None:
        return np.array(request.points, dtype=np.float64)
    check_tokens(settings, "num_points", request.num_points)
    check_cells(settings, "num_points", request.num_points, request.num_points, max(request.size, MATRICES))
    return random_points(request.num_points, request.size, seed=request.seed)


def _check(
    request: KernelRequest,
    settings: Settings,
    points: NDArray[np.float64],
    keys: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    """Refuse sizes that do not agree, named as in the request, and too large an answer."""
    size = points.shape[1]
    check_tokens(settings, "points", len(points))
    check_tokens(settings, "keys", len(keys))
    if keys.shape[1] != size:
        raise InvalidValueError("keys must have the size of the points, {size}, not {given}", size, keys.shape[1])
    if len(values) != len(keys):
        raise InvalidValueError("values must be {count}, one for each key, not {given}", len(keys), len(values))
    sides = {"query_weight": request.query_weight, "key_weight": request.key_weight}
    rows = {name: size if weight is None else len(weight) for name, weight in sides.items()}
    for name, weight in sides.items():
        if weight is not None and len(weight[0]) != size:
            raise InvalidValueError(
                "{name} must have {size} columns, the size of the points, not {given}", name, size, len(weight[0])
            )
        check_cells(settings, name, rows[name], max(len(points), len(keys)))
    if rows["query_weight"] != rows["key_weight"]:
        wrong = "query_weight" if request.key_weight is None else "key_weight"
        raise InvalidValueError(
            "{wrong} must give queries and keys one size, not {query_weight} and {key_weight}",
            wrong,
            rows["query_weight"],
            rows["key_weight"],
        )
    check_cells(settings, "keys", len(points), len(keys), max(size, MATRICES))
    check_cells(settings, "values", max(len(points), len(keys)), values.shape[1])
