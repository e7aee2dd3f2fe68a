"""Multi-head attention: our own module applied to vectors or tokens, every stage of every head."""

from dataclasses import fields
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter
from pydantic import ConfigDict, Field

from attention_core.demos.multi_head import MultiHeadChoice, MultiHeadExample, multi_head_example
from attention_core.multi_head_trace import ShapeStep
from attention_core.precision import Precision
from attention_core.pretrained.studies.attention_layer import AttentionLayer
from attention_core.qk_norm import NormKind
from attention_core.refusal import InvalidValueError, Sentence
from attention_core.rope import Pairing
from ...answers.drawings import HEADS, KEYS, QUERIES, heat, stages, vectors
from ...answers.from_core import AnswerOf, FromCore
from ...requests.bodies import BodyRoute
from ...requests.bounded import MatrixIn, RequestModel, Rows, Seed, Text, UpToTokens, check_cells, check_tokens
from ...requests.mask_options import MaskOptions
from ...requests.model_layer import MODULE_NUMBERS, ModelLayer, refuse_beside
from ...requests.turns import in_turn
from ...settings import Settings
from ...web.errors import ApiError
from ...web.matrices import Matrix
from ...web.openapi.schema_rules import ABSENT, at_most_one, either, every
from ..dependencies import ObservatoryDep, SettingsDep
from ..figure_routes import add_figures
from ..model_layers import choice_of, layer_of

router = APIRouter(prefix="/api/multi_head", tags=["multi_head"], route_class=BodyRoute)

DEFAULT_D_MODEL = 16
DEFAULT_TOKENS = 4
NOT_OPTIONS = {"d_model", "weights", "biases"}
MODULE_OPTIONS = tuple(each.name for each in fields(MultiHeadChoice) if each.name not in NOT_OPTIONS)
"""Fields of a request that are options of the module too."""
MAX_MULTIPLICATIONS = 2**33
"""Of one request: enough for 4,096 tokens and four projections of 512 × 512."""
SMALL_PROJECTION = 2**16
"""Most numbers of a projection that is sent by default."""

Width = Annotated[int, Field(ge=1, le=1_024)]
Heads = Annotated[int, Field(ge=1, le=128)]
HeadDim = Annotated[int, Field(ge=1, le=1_024)]
Batch = Annotated[int, Field(ge=1, le=64)]
Count = Annotated[int, Field(ge=1, le=16_384), UpToTokens]
Word = Annotated[Text, Field(min_length=1, max_length=64)]
Tokens = Annotated[list[Word], Field(min_length=1, max_length=4_096), UpToTokens]
Positive = Annotated[float, Field(gt=0, le=1e9)]


class WeightsIn(RequestModel):
    """Matrices (out, in) instead of random ones; rows are the heads one after another."""

    queries: MatrixIn | None = None
    keys: MatrixIn | None = None
    values: MatrixIn | None = None
    output: MatrixIn | None = None


class MultiHeadRequest(RequestModel):
    """The module, and its input: vectors, tokens with random vectors, only random vectors, or a model's layer."""

    model_config = ConfigDict(
        json_schema_extra=every(
            at_most_one("vectors", "tokens", "query_len"),
            at_most_one("context_vectors", "context_tokens", "key_len"),
            either({"batch": {"maximum": 1}}, {"vectors": ABSENT, "tokens": ABSENT, "layer_of": ABSENT}),
            either({"layer_of": ABSENT}, dict.fromkeys(MODULE_NUMBERS, ABSENT)),
        )
    )

    layer_of: ModelLayer | None = Field(None, description="A layer of a loaded model, with all its numbers.")
    d_model: Width | None = Field(None, description="The size of the vectors; 16 unless vectors are given.")
    num_heads: Heads = 4
    num_kv_heads: Heads | None = Field(None, description="Fewer than num_heads: GQA; 1: MQA; num_heads unless given.")
    head_dim: HeadDim | None = Field(None, description="d_model / num_heads unless given.")
    value_dim: HeadDim | None = Field(None, description="head_dim unless given.")
    bias: bool = True
    rope: Pairing | None = Field(None, description="Rotate queries and keys by their positions, in this pairing.")
    rope_base: Annotated[float, Field(ge=1e-3, le=1e12)] = 10_000.0
    alibi: bool = Field(False, description="Add −slope·(query − key), with a different slope for each head.")
    alibi_symmetric: bool = Field(False, description="−slope·|query − key|, as in encoders.")
    qk_norm: NormKind | None = Field(None, description="Normalise each head's queries and keys: rms or l2.")
    qk_norm_before_rope: bool = Field(False, description="As Qwen3 does; nanochat normalises after RoPE.")
    scale: Positive | None = Field(None, description="1/√head_dim, or √head_dim with l2, unless given.")
    weights: WeightsIn | None = None
    vectors: Rows | None = Field(None, description="One row a token.")
    tokens: Tokens | None = Field(None, description="Equal tokens get equal random vectors.")
    batch: Batch = Field(1, description="Random sequences where neither vectors nor tokens are given.")
    query_len: Count | None = Field(None, description="Tokens of each random sequence; 4 unless given.")
    context_vectors: Rows | None = Field(None, description="Cross-attention: keys and values are made from these.")
    context_tokens: Tokens | None = None
    key_len: Count | None = Field(None, description="Cross-attention with this many random vectors.")
    mask: MaskOptions | None = None
    is_causal: bool = False
    item: Annotated[int, Field(ge=0, lt=64)] = Field(
        0, description="The sequence of the batch whose stages are in the answer."
    )
    with_projections: bool | None = Field(
        None, description="Whether the answer has the weights; by default if each has at most 65536 numbers."
    )
    precision: Precision = "float32"
    seed: Seed = Field(0, description="Of weights and random vectors.")


class ShapeAnswer(AnswerOf[ShapeStep]):
    """One intermediate tensor of the module."""


class ParametersAnswer(FromCore):
    """Numbers of learned parameters."""

    queries: int
    keys: int
    values: int
    output: int
    qk_norm: int = Field(description="Of the norm's learned scales; 0 without a norm.")
    total: int = Field(description="The sum of the five.")
    own_kv_heads: int = Field(description="The total if every query head had its own keys and values.")


class MultiHeadAnswer(FromCore):
    """Every stage of one sequence of the batch, [head][query][…]; rows are queries, columns are keys."""

    tokens: list[str] | None = Field(description="Of a model's text, special tokens included.")
    sizes: dict[str, int]
    scale: float
    shapes: list[ShapeAnswer] = Field(
        description="Of every intermediate tensor, in order of computation, with the batch axis."
    )
    kv_head_of_query_head: list[int]
    x: Matrix
    context: Matrix | None
    queries: list[Matrix] = Field(description="As scored: after RoPE and QK-norm.")
    keys: list[Matrix] = Field(description="As each query head uses them: shared heads are repeated.")
    values: list[Matrix]
    raw_scores: list[Matrix]
    scaled_scores: list[Matrix]
    bias: list[Matrix] | None = Field(description="ALiBi's.")
    mask: list[list[bool]] | Matrix | None = Field(
        description="True where attending is allowed; numbers if given as numbers."
    )
    masked_scores: list[Matrix]
    weights: list[Matrix]
    head_outputs: list[Matrix]
    concatenated: Matrix = Field(description="[query][head · value_dim]: the heads' outputs concatenated.")
    output: Matrix = Field(description="[query][d_model]")
    entropy: list[list[float]] = Field(description="[head][query] of the weights, in nats.")
    fully_masked: list[bool] = Field(
        description="[query] True where every key is masked, so that weights are set to 0."
    )
    projections: dict[str, Matrix] | None = Field(
        description="The weights of queries, keys, values and output, (out, in)."
    )
    biases: dict[str, list[float]] | None
    parameters: ParametersAnswer
    loop_difference: float = Field(
        description="Largest, between the output and that of separate heads in a loop: only rounding."
    )
    own_kv_heads_difference: float = Field(
        description="Largest, to that of full attention with keys and values repeated."
    )
    fused_difference: float = Field(description="Largest, to that of torch's fused kernel.")


@router.post("")
async def post_multi_head(
    request: MultiHeadRequest, settings: SettingsDep, observatory: ObservatoryDep
) -> MultiHeadAnswer:
    """Project, split into heads, attend, concatenate, project: every tensor's shape, every head's stages."""
    if request.layer_of is None:
        return await in_turn(_of_numbers, request, settings)
    refuse_beside(request, "layer_of", MODULE_NUMBERS)
    if request.batch > 1:
        raise InvalidValueError("batch must be 1 where layer_of is given, not {batch}", request.batch)
    layer = await layer_of(request.layer_of, settings, observatory)
    return await in_turn(_of_model, request, layer, settings)


def _of_numbers(request: MultiHeadRequest, settings: Settings) -> MultiHeadAnswer:
    batch, num_queries, num_keys = _lengths(request)
    width = len(request.vectors[0]) if request.vectors is not None else DEFAULT_D_MODEL
    d_model = width if request.d_model is None else request.d_model
    _check_work(request, settings, d_model, (batch, num_queries, num_keys))
    _check_item(request, batch)
    weights: dict[Any, Any] = {} if request.weights is None else request.weights.model_dump(exclude_none=True)
    options = {name: getattr(request, name) for name in MODULE_OPTIONS}
    example = multi_head_example(
        MultiHeadChoice(d_model, weights=weights, **options),
        request.vectors or request.tokens or (batch, num_queries),
        request.context_vectors or request.context_tokens or request.key_len,
        mask=None if request.mask is None else request.mask.choice(),
        is_causal=request.is_causal,
    )
    return _answer(request, example, None)


def _of_model(request: MultiHeadRequest, layer: AttentionLayer, settings: Settings) -> MultiHeadAnswer:
    _check_item(request, 1)
    tokens, d_model = layer.inputs.shape
    check_cells(settings, "text", 6, layer.heads, tokens, tokens)
    check_cells(settings, "text", 6, tokens, d_model)
    options = {name: getattr(request, name) for name in MODULE_OPTIONS}
    choice = choice_of(layer, options)
    example = multi_head_example(choice, layer.inputs.tolist(), is_causal=request.is_causal)
    return _answer(request, example, [token.text for token in layer.tokens])


def _check_item(request: MultiHeadRequest, batch: int) -> None:
    if request.item >= batch:
        raise ApiError(
            422, "out_of_range", "item must be below the batch, {batch}.", batch, field="item", limit=batch - 1
        )


add_figures(
    router,
    post_multi_head,
    {
        **stages("{}[head]", "weights", "raw_scores", "scaled_scores", "masked_scores"),
        "bias": heat("bias[head]", Sentence("Bias")),
        "mask": heat("mask", Sentence("Mask")),
        "queries": vectors("queries[head]", Sentence("Queries"), QUERIES),
        "keys": vectors("keys[head]", Sentence("Keys"), KEYS),
        "values": vectors("values[head]", Sentence("Values"), KEYS),
        "head_outputs": vectors("head_outputs[head]", Sentence("Output of the head"), QUERIES),
        "output": vectors("output", Sentence("Output"), QUERIES),
        "entropy": heat("entropy", Sentence("Entropy of the weights"), HEADS, QUERIES, "positive"),
    },
)


def _lengths(request: MultiHeadRequest) -> tuple[int, int, int]:
    """Sequences, queries and keys. Refuses inputs given twice."""
    for names in (("vectors", "tokens", "query_len"), ("context_vectors", "context_tokens", "key_len")):
        present = [name for name in names if getattr(request, name) is not None]
        if len(present) > 1:
            raise InvalidValueError("{name} must be left out where {other} are given", present[1], present[0])
    rows = request.vectors or request.tokens
    if rows is not None and request.batch > 1:
        raise InvalidValueError("batch must be 1 where vectors or tokens are given, not {batch}", request.batch)
    num_queries = (request.query_len or DEFAULT_TOKENS) if rows is None else len(rows)
    context = request.context_vectors or request.context_tokens
    num_keys = (request.key_len or num_queries) if context is None else len(context)
    return request.batch, num_queries, num_keys


def _check_work(request: MultiHeadRequest, settings: Settings, d_model: int, lengths: tuple[int, int, int]) -> None:
    batch, num_queries, num_keys = lengths
    queries = next((name for name in ("vectors", "tokens") if getattr(request, name) is not None), "query_len")
    contexts = ("context_vectors", "context_tokens", "key_len")
    keys = next((name for name in contexts if getattr(request, name) is not None), queries)
    check_tokens(settings, queries, num_queries)
    check_tokens(settings, keys, num_keys)
    heads = request.num_heads
    head_dim = max(request.head_dim or -(-d_model // heads), request.value_dim or 1)
    check_cells(settings, queries, max(batch, 6), heads, num_queries, num_keys)
    check_cells(settings, "num_heads", 4, heads * head_dim, d_model)
    check_cells(settings, queries, 6, max(num_queries, num_keys), max(heads * head_dim, d_model))
    work = 4 * batch * max(num_queries, num_keys) * heads * head_dim * d_model
    if work > MAX_MULTIPLICATIONS:
        limit = MAX_MULTIPLICATIONS
        raise ApiError(
            422,
            "too_large",
            "{field} asks for {work} multiplications; one request may ask for {limit}.",
            work,
            field=queries,
            limit=limit,
        )


def _answer(request: MultiHeadRequest, found: MultiHeadExample, tokens: list[str] | None) -> MultiHeadAnswer:
    item = request.item
    small = all(weight.size <= SMALL_PROJECTION for weight in found.projections.values())
    with_projections = small if request.with_projections is None else request.with_projections
    of_item = {name: array[item] for name, array in found.stages.items() if name not in SHARED} | {
        "x": found.x[item],
        "context": None if found.context is None else found.context[item],
        "bias": _of_item(found.stages.get("bias"), item),
        "mask": _of_item(found.stages.get("mask"), item, head=0),  # the same for all heads
        "concatenated": found.tensors["concatenated"][item],
        "entropy": found.entropy[item],
        "fully_masked": found.fully_masked[item, 0],
    }
    weights = {} if with_projections else {"projections": None, "biases": None}
    return MultiHeadAnswer.of(of_item | weights, found, tokens=tokens, kv_head_of_query_head=list(found.kv_heads))


SHARED = ("bias", "mask")
"""Stages that need not have a batch or head axis of their own."""


def _of_item(stage: np.ndarray | None, item: int, head: int | slice = slice(None)) -> np.ndarray | None:
    """[head][query][key] of one sequence, where the stage has a batch axis at all."""
    return stage if stage is None or stage.ndim != 4 else stage[item if stage.shape[0] > 1 else 0, head]
