"""Attention with every option chosen by name: scoring function, scale, temperature, position, bias, mask, precision."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from attention_core.alibi import alibi_bias, slopes
from attention_core.attend import attend, entropy, fully_masked
from attention_core.demos.masks import MaskChoice
from attention_core.precision import DTYPES, Precision, cast
from attention_core.refusal import InvalidValueError, check_choice
from attention_core.rope import Pairing, rotate
from attention_core.scoring.additive import AdditiveScorer
from attention_core.scoring.cosine import cosine_scores
from attention_core.scoring.dot import dot_scores
from attention_core.scoring.scaled_dot import default_scale
from attention_core.trace import AttentionTrace, to_array

Mechanism = Literal["dot", "scaled_dot", "cosine", "additive"]

Rows = Sequence[Sequence[float]]

HIDDEN_CELLS = 2**16
"""Most numbers of a hidden layer that is part of the result."""


@dataclass(frozen=True)
class RopeChoice:
    """Rotate queries and keys by their positions before scoring."""

    pairing: Pairing = "interleaved"
    base: float = 10_000.0
    query_positions: Sequence[float] | None = None
    """The last positions of the keys unless given, as more queries than keys must be."""
    key_positions: Sequence[float] | None = None


@dataclass(frozen=True)
class AlibiChoice:
    """Add one ALiBi head's distance penalty to the bias; fewer queries than keys occupy the last positions."""

    num_heads: int = 8
    head: int = 0
    """Whose slope; 0 has the steepest."""
    slope: float | None = None
    """Instead of the head's."""
    symmetric: bool = False
    """Also penalise keys after the query, for attention without a causal mask."""


@dataclass(frozen=True)
class AdditiveWeights:
    """``score = combine · tanh(query_weight q + key_weight k + bias)``."""

    query_weight: Rows
    key_weight: Rows
    combine: Sequence[float]
    bias: Sequence[float] | None = None


@dataclass(frozen=True)
class AdditiveChoice:
    """A random hidden layer of this size from a seed, or these weights."""

    hidden: int = 8
    seed: int = 0
    weights: AdditiveWeights | None = None


@dataclass(frozen=True, eq=False)
class HiddenLayer:
    """The hidden layer of additive attention: ``score = combine · tanh(query_weight q + key_weight k + bias)``."""

    query_weight: Float[np.ndarray, "hidden query_size"]
    key_weight: Float[np.ndarray, "hidden key_size"]
    combine: Float[np.ndarray, "hidden"]
    bias: Float[np.ndarray, "hidden"] | None
    hidden_layer: Float[np.ndarray, "queries keys hidden"] | None
    """After tanh; null if it is too large."""


@dataclass(frozen=True, eq=False)
class ScoredAttention:
    """Every stage, and statistics of queries, keys and weights."""

    stages: dict[str, Float[np.ndarray, "..."] | Bool[np.ndarray, "..."]]
    """By their names in the trace. Queries and keys as scored: rotated under RoPE."""
    scale: float
    """What raw scores are multiplied by: the mechanism's scale divided by the temperature."""
    entropy: Float[np.ndarray, "queries"]
    """Of each query's weights, in nats."""
    fully_masked: Bool[np.ndarray, "queries"]
    """Queries that may attend to no key: softmax is undefined there, and their weights are set to 0."""
    query_norms: Float[np.ndarray, "queries"]
    """Lengths of the queries."""
    key_norms: Float[np.ndarray, "keys"]
    additive: HiddenLayer | None
    """Of the additive mechanism only."""


def attention_by_name(
    queries: Rows,
    keys: Rows,
    values: Rows,
    mechanism: Mechanism = "scaled_dot",
    *,
    scale: float | None = None,
    temperature: float = 1.0,
    bias: Rows | None = None,
    mask: MaskChoice | None = None,
    rope: RopeChoice | None = None,
    alibi: AlibiChoice | None = None,
    additive: AdditiveChoice | None = None,
    precision: Precision = "float64",
) -> ScoredAttention:
    """``weights = softmax(score(q, k) · scale / temperature + bias + mask)``, ``output = weights · values``.

    ``scale`` is 1/√D for scaled_dot and 1 for the others unless given. Lists of rows; D may differ between queries and
    keys for additive alone. Raises ValueError naming what does not fit, or what overflows the precision.
    """
    q, k, v = (
        cast(torch.tensor(rows, dtype=torch.float64), precision, name)
        for rows, name in ((queries, "queries"), (keys, "keys"), (values, "values"))
    )
    if len(keys) != len(values):
        raise InvalidValueError("values must be as many as keys, not {given} for {keys} keys", len(values), len(keys))
    if not temperature > 0:
        raise InvalidValueError("{name} must be > {least}, not {given}", "temperature", 0, temperature)
    query_norms, key_norms = to_array(q.double().norm(dim=-1)), to_array(k.double().norm(dim=-1))
    if rope is not None:
        q, k = _rotate(q, k, rope)
    scorer = (
        _scorer(q.shape[-1], k.shape[-1], additive or AdditiveChoice(), precision) if mechanism == "additive" else None
    )
    used_scale = _scale(mechanism, q.shape[-1], scale) / temperature
    biases = [
        *([] if bias is None else [_bias(bias, len(queries), len(keys), precision)]),
        *([] if alibi is None else [_alibi(alibi, len(queries), len(keys), q.dtype)]),
    ]
    trace = attend(
        q,
        k,
        v,
        _raw_scores(mechanism, q, k, scorer),
        scale=used_scale,
        bias=sum(biases[1:], biases[0]) if biases else None,
        mask=None if mask is None else _mask(mask, len(queries), len(keys), q.dtype),
    )
    _refuse_overflow(trace, precision)
    return ScoredAttention(
        stages=trace.as_arrays(),
        scale=used_scale,
        entropy=to_array(entropy(trace.weights)),
        fully_masked=to_array(fully_masked(trace.masked_scores)),
        query_norms=query_norms,
        key_norms=key_norms,
        additive=None if scorer is None else _hidden_layer(scorer, q, k),
    )


def _hidden_layer(scorer: AdditiveScorer, queries: Tensor, keys: Tensor) -> HiddenLayer:
    weights = {name: to_array(parameter) for name, parameter in scorer.named_parameters()}
    fits = len(queries) * len(keys) * scorer.combine.numel() <= HIDDEN_CELLS
    hidden = to_array(scorer.hidden(queries, keys)) if fits else None
    bias = weights.pop("bias", None)
    return HiddenLayer(**weights, bias=bias, hidden_layer=hidden)


def _raw_scores(mechanism: Mechanism, queries: Tensor, keys: Tensor, scorer: AdditiveScorer | None) -> Tensor:
    if scorer is not None:
        return scorer(queries, keys)
    check_choice("mechanism", mechanism, get_args(Mechanism))
    return cosine_scores(queries, keys) if mechanism == "cosine" else dot_scores(queries, keys)


def _scale(mechanism: Mechanism, size: int, scale: float | None) -> float:
    if scale is None:
        return default_scale(size) if mechanism == "scaled_dot" else 1.0
    if not math.isfinite(scale):
        raise InvalidValueError("{name} must be finite, not {given}", "scale", scale)
    return scale


def _rotate(queries: Tensor, keys: Tensor, rope: RopeChoice) -> tuple[Tensor, Tensor]:
    num_queries, num_keys = queries.shape[-2], keys.shape[-2]
    for name, vectors in (("queries", queries), ("keys", keys)):
        if vectors.shape[-1] % 2:
            raise InvalidValueError(
                "{name} must have an even size under RoPE, which rotates pairs, not {size}", name, vectors.shape[-1]
            )
    if num_queries > num_keys and rope.query_positions is None:
        raise InvalidValueError(
            "queries ({num_queries}) must not outnumber keys ({num_keys}) with RoPE unless query_positions are given: "
            "the queries take the last positions of the keys",
            num_queries,
            num_keys,
        )
    first = max(num_keys - num_queries, 0)
    query_positions = _positions("query_positions", rope.query_positions, range(first, first + num_queries))
    key_positions = _positions("key_positions", rope.key_positions, range(num_keys))
    return (
        rotate(queries, query_positions, pairing=rope.pairing, base=rope.base),
        rotate(keys, key_positions, pairing=rope.pairing, base=rope.base),
    )


def _positions(name: str, given: Sequence[float] | None, default: range) -> Tensor:
    if given is not None and len(given) != len(default):
        raise InvalidValueError(
            "{name} must be {count}, one for each vector, not {given}", name, len(default), len(given)
        )
    return torch.tensor(default if given is None else given, dtype=torch.float64)


def _bias(bias: Rows, num_queries: int, num_keys: int, precision: Precision) -> Tensor:
    tensor = cast(torch.tensor(bias, dtype=torch.float64), precision, "bias")
    if tensor.shape != (num_queries, num_keys):
        raise InvalidValueError(
            "bias must have {num_queries} rows of {num_keys} numbers, not shape {shape}",
            num_queries,
            num_keys,
            tuple(tensor.shape),
        )
    return tensor


def _alibi(alibi: AlibiChoice, num_queries: int, num_keys: int, dtype: torch.dtype) -> Tensor:
    if num_queries > num_keys:
        raise InvalidValueError(
            "queries ({num_queries}) must not outnumber keys ({num_keys}) with ALiBi", num_queries, num_keys
        )
    if not 0 <= alibi.head < alibi.num_heads:
        raise InvalidValueError(
            "{name} must be {least} to {most}, not {given}", "head", 0, alibi.num_heads - 1, alibi.head
        )
    bias = alibi_bias(alibi.num_heads, num_queries, num_keys, symmetric=alibi.symmetric, dtype=torch.float64)[
        alibi.head
    ]
    if alibi.slope is not None:
        bias = bias * (alibi.slope / slopes(alibi.num_heads)[alibi.head])
    return bias.to(dtype)


def _mask(choice: MaskChoice, num_queries: int, num_keys: int, dtype: torch.dtype) -> Tensor | None:
    if num_queries > num_keys and (choice.causal or choice.kind in {"causal", "sliding_window", "prefix"}):
        raise InvalidValueError(
            "queries ({num_queries}) must not outnumber keys ({num_keys}) with a mask that goes by "
            "position: the queries take the last positions of the keys",
            num_queries,
            num_keys,
        )
    mask = choice.build(num_queries, num_keys, dtype=dtype)
    if mask is None or mask.ndim == 2:
        return mask
    if len(mask) != 1:
        raise InvalidValueError("mask must cover one sequence, not {given}", len(mask))
    return mask[0]


def _scorer(query_size: int, key_size: int, choice: AdditiveChoice, precision: Precision) -> AdditiveScorer:
    """The chosen hidden layer. Random weights are float64, so that a seed gives the same ones in every precision."""
    if choice.weights is None:
        generator = torch.Generator().manual_seed(choice.seed)
        scorer = AdditiveScorer(query_size, key_size, choice.hidden, generator=generator, dtype=torch.float64)
        return scorer.to(DTYPES[precision])
    chosen = choice.weights
    hidden = len(chosen.combine)
    scorer = AdditiveScorer(query_size, key_size, hidden, bias=chosen.bias is not None, dtype=torch.float64)
    with torch.no_grad():
        for name, parameter in scorer.named_parameters():
            _copy(name, parameter, torch.tensor(getattr(chosen, name), dtype=torch.float64))
    return scorer.to(DTYPES[precision])


def _copy(name: str, parameter: nn.Parameter, given: Tensor) -> None:
    if given.shape != parameter.shape:
        raise InvalidValueError(
            "{name} must have shape {shape}, not {given}", name, tuple(parameter.shape), tuple(given.shape)
        )
    parameter.copy_(given)


def _refuse_overflow(trace: AttentionTrace, precision: Precision) -> None:
    """Name the step that overflowed the precision, before an infinity turns into NaN."""
    if not bool(trace.raw_scores.isfinite().all()):
        raise InvalidValueError("queries and keys are so large that their scores overflow {precision}", precision)
    if not bool(trace.scaled_scores.isfinite().all()):
        raise InvalidValueError("scale or temperature makes the scores overflow {precision}", precision)
    if bool((trace.masked_scores.isnan() | (trace.masked_scores == float("inf"))).any()):
        raise InvalidValueError("bias makes the scores overflow {precision}", precision)
