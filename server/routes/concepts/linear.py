"""The linear layer: by hand, its initialisation, its bias, and which known models have a bias."""

from functools import cache
from typing import Annotated

import numpy as np
from fastapi import APIRouter
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from attention_core.demos.linear import (
    BiasComparison,
    Initialisation,
    LinearExample,
    compare_bias,
    initialisation,
    linear_example,
    random_example,
)
from attention_core.demos.linear import Parameters as LayerParameters
from attention_core.linear import count_parameters, initial_bound
from attention_core.pretrained.models.projection_biases import ProjectionBiases, known_biases
from attention_core.refusal import InvalidValueError, Sentence
from ...answers.drawings import SCORE, WEIGHT, Side, bars, densities, density_family, heat, vectors
from ...answers.from_core import AnswerOf
from ...answers.summaries import SummaryAnswer
from ...requests.bodies import BodyRoute
from ...requests.bounded import MatrixIn, RequestModel, Seed, Vector, check_cells
from ...requests.nested import MAX_RANK, Nested
from ...web.openapi.schema_rules import ABSENT, GIVEN, UpTo, at_most_one, either, every
from ..dependencies import SettingsDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/linear", tags=["linear"], route_class=BodyRoute)

WEIGHT_MATRICES, INPUT_ARRAYS, SCORE_MATRICES = 2, 3, 2
"""Arrays of one shape in an answer: the whole answer is bounded."""

Size = Annotated[int, Field(strict=True, ge=1, le=4096)]
Bins = Annotated[int, Field(strict=True, ge=1, le=400)]


class LinearRequest(RequestModel):
    """One layer and its inputs, random or given."""

    model_config = ConfigDict(
        json_schema_extra=every(at_most_one("inputs", "leading"), either({"weight": GIVEN}, {"bias_values": ABSENT}))
    )

    in_features: Size = 4
    out_features: Size = 3
    bias: bool = Field(True, description="Whether a random layer has a bias.")
    seed: Seed = 0
    inputs: Nested | None = Field(None, description="1 to 4 axes, the last of size in_features.")
    leading: Annotated[list[Size], Field(max_length=MAX_RANK - 1)] | None = Field(
        None, description="Leading axes of random inputs, from N(0, 1), such as batch, heads, tokens."
    )
    weight: MatrixIn | None = Field(None, description="(out, in). Its sizes replace in_features and out_features.")
    bias_values: Vector | None = Field(None, description="The bias of a given weight.")


class Parameters(AnswerOf[LayerParameters]):
    """The number of learned parameters."""

    total: int


class LinearAnswer(AnswerOf[LinearExample]):
    """``y = x Wᵀ + b``, twice."""

    matches: bool = Field(description="numpy.allclose of by_hand and outputs.")
    input_shape: list[int]
    output_shape: list[int]
    parameters: Parameters
    bound: float = Field(description="1/√in: the numbers of a fresh layer are uniform in ±bound.")
    expected_standard_deviation: float = Field(description="bound/√3")


@router.post("")
def post_linear(request: LinearRequest, settings: SettingsDep) -> LinearAnswer:
    """A linear layer computed by hand and by torch's own module."""
    if request.inputs is not None and request.leading is not None:
        raise InvalidValueError("{name} must be left out where {other} are given", "leading", "inputs")
    if request.weight is None and request.bias_values is not None:
        raise InvalidValueError("bias_values must be left out where no weight is given")
    if request.bias_values is not None and len(request.bias_values) != len(request.weight or ()):
        raise InvalidValueError("bias_values must have one number for each row of the weight")
    inputs = None if request.inputs is None else np.array(request.inputs, dtype=np.float64)
    leading = tuple(request.leading or ()) if inputs is None else inputs.shape[:-1]
    sizes = (request.out_features, request.in_features)
    outs, ins = sizes if request.weight is None else (len(request.weight), len(request.weight[0]))
    check_cells(settings, "in_features" if request.weight is None else "weight", WEIGHT_MATRICES, outs, ins)
    check_cells(settings, "leading" if inputs is None else "inputs", INPUT_ARRAYS, *leading, max(outs, ins))
    return _answer(_example(request, inputs, leading, ins))


OUTPUTS, INPUTS = Side(Sentence("output")), Side(Sentence("input"))

add_figures(
    router,
    post_linear,
    {
        "weight": vectors("weight", Sentence("Weights of the layer"), OUTPUTS, INPUTS),
        "terms": vectors("terms", Sentence("Products that an output is the sum of"), OUTPUTS, INPUTS),
        "bias": bars("bias", Sentence("Bias"), Sentence("number"), OUTPUTS),
    },
)


def _example(
    request: LinearRequest, inputs: NDArray[np.float64] | None, leading: tuple[int, ...], in_features: int
) -> LinearExample:
    if request.weight is None:
        return random_example(
            in_features, request.out_features, bias=request.bias, leading=leading, inputs=inputs, seed=request.seed
        )
    if inputs is None:
        inputs = np.random.default_rng(request.seed).standard_normal((*leading, in_features))
    bias = None if request.bias_values is None else np.array(request.bias_values, dtype=np.float64)
    return linear_example(inputs, np.array(request.weight, dtype=np.float64), bias)


def _answer(example: LinearExample) -> LinearAnswer:
    bound = initial_bound(example.weight.shape[1])
    return LinearAnswer.of(
        example,
        matches=bool(np.allclose(example.by_hand, example.outputs)),
        input_shape=list(example.inputs.shape),
        output_shape=list(example.outputs.shape),
        bound=bound,
        expected_standard_deviation=bound / 3**0.5,
    )


class InitialisationRequest(RequestModel):
    """Fresh layers of several input sizes."""

    sizes: Annotated[list[Size], Field(min_length=1, max_length=16)] = Field([8, 64, 512], description="in_features.")
    out_features: Size = 64
    seed: Seed = 0
    bins: Bins = 40


class InitialisationLayer(AnswerOf[Initialisation]):
    """One layer's weights and biases compared with their distribution."""

    weights: SummaryAnswer
    biases: SummaryAnswer


class InitialisationAnswer(BaseModel):
    """One entry for each size, in the order asked for."""

    layers: list[InitialisationLayer]


@router.post("/initialisation")
def post_linear_initialisation(request: InitialisationRequest, settings: SettingsDep) -> InitialisationAnswer:
    """Histograms of fresh weights, with their bound."""
    check_cells(settings, "sizes", sum(request.sizes), request.out_features)
    layers = [
        initialisation(size, out_features=request.out_features, seed=request.seed, bins=request.bins)
        for size in request.sizes
    ]
    return InitialisationAnswer(layers=[InitialisationLayer.of(layer) for layer in layers])


add_figures(
    router,
    post_linear_initialisation,
    {"weights": density_family("layers", "in_features", "weights", Sentence("Fresh weights"), WEIGHT, "in = {}")},
)


class LargeModel(RequestModel):
    """A large model, of which only the biases are counted."""

    d_model: Annotated[int, Field(strict=True, ge=1, le=2**20)] = 4096
    layers: Annotated[int, Field(strict=True, ge=1, le=10_000)] = 96
    projections: Annotated[int, Field(strict=True, ge=1, le=4)] = Field(3, description="Query, key, value, output.")


class BiasRequest(RequestModel):
    """Query and key projections of one random input."""

    d_model: Size = 8
    d_k: Size = 8
    projections: Annotated[int, Field(strict=True, ge=1, le=4)] = Field(2, description="How many are counted.")
    batch: Annotated[int, Field(strict=True, ge=1, le=256)] = 2
    seq_len: Annotated[Size, UpTo("max_concept_cells", factor=SCORE_MATRICES, power=2)] = 4
    seed: Seed = 0
    bins: Bins = 20
    large: LargeModel = LargeModel()


class BiasParameters(BaseModel):
    """The number of parameters of the requested projections."""

    with_bias: int
    without_bias: int
    saved: int
    saved_percent: float
    large_biases: int = Field(description="layers · projections · d_model of the large model.")


class BiasAnswer(AnswerOf[BiasComparison]):
    """``with_bias = without_bias + query_offset + key_offset + constant``; axes (batch, queries, keys)."""

    parameters: BiasParameters
    with_bias_summary: SummaryAnswer
    without_bias_summary: SummaryAnswer


@router.post("/bias")
def post_linear_bias(request: BiasRequest, settings: SettingsDep) -> BiasAnswer:
    """Scores with and without bias, and what the bias costs in parameters."""
    check_cells(settings, "d_model", request.d_model, request.d_k)
    widest = max(request.seq_len, request.d_model, request.d_k)
    check_cells(settings, "seq_len", SCORE_MATRICES, request.batch, request.seq_len, widest)
    compared = compare_bias(
        request.d_model,
        request.d_k,
        batch=request.batch,
        seq_len=request.seq_len,
        seed=request.seed,
        bins=request.bins,
    )
    return BiasAnswer.of(compared, parameters=_bias_parameters(request))


add_figures(
    router,
    post_linear_bias,
    {
        "distributions": densities(
            {Sentence("with bias"): "with_bias_summary", Sentence("without bias"): "without_bias_summary"},
            Sentence("Scores with and without bias"),
            SCORE,
        ),
        "with_bias": heat("with_bias[?sequence]", Sentence("Scores with bias")),
        "without_bias": heat("without_bias[?sequence]", Sentence("Scores without bias")),
    },
)


def _bias_parameters(request: BiasRequest) -> BiasParameters:
    with_bias = request.projections * count_parameters(request.d_model, request.d_k)
    without_bias = request.projections * count_parameters(request.d_model, request.d_k, bias=False)
    return BiasParameters(
        with_bias=with_bias,
        without_bias=without_bias,
        saved=with_bias - without_bias,
        saved_percent=100 * (with_bias - without_bias) / with_bias,
        large_biases=request.large.layers * request.large.projections * request.large.d_model,
    )


class KnownModel(AnswerOf[ProjectionBiases]):
    """Whether the projections of one architecture's attention have a bias, in its default configuration."""


class KnownModels(BaseModel):
    """As found in the library's own classes."""

    models: list[KnownModel]


@router.get("/models")
def get_linear_models() -> KnownModels:
    """Which known models give query, key and value a bias."""
    return _known_models()


@cache
def _known_models() -> KnownModels:
    """Computed once: the library does not change while the server runs, and 26 architectures take seconds."""
    return KnownModels(models=[KnownModel.of(row) for row in known_biases()])
