"""Multi-head attention on given or random vectors from plain options; every stage as numpy arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.attend import entropy, fully_masked
from attention_core.demos.masks import MaskChoice
from attention_core.demos.multi_head_equivalents import MultiHeadLoop, with_own_kv_heads
from attention_core.multi_head import MultiHeadAttention
from attention_core.multi_head_trace import ShapeStep
from attention_core.precision import DTYPES, Precision
from attention_core.qk_norm import NormKind
from attention_core.refusal import InvalidValueError
from attention_core.rope import Pairing, Rope
from attention_core.trace import to_array

Stages = dict[str, Float[np.ndarray, "..."] | Bool[np.ndarray, "..."]]
Projection = Literal["queries", "keys", "values", "output"]


@dataclass(frozen=True)
class MultiHeadChoice:
    """Multi-head attention options from plain values, as requests supply them."""

    d_model: int
    num_heads: int
    num_kv_heads: int | None = None
    head_dim: int | None = None
    value_dim: int | None = None
    bias: bool = True
    rope: Pairing | None = None
    rope_base: float = 10_000.0
    alibi: bool = False
    alibi_symmetric: bool = False
    qk_norm: NormKind | None = None
    qk_norm_before_rope: bool = False
    scale: float | None = None
    weights: Mapping[Projection, Sequence[Sequence[float]]] | None = None
    """(out, in) matrices instead of random ones."""
    biases: Mapping[Projection, Sequence[float]] | None = None
    """Instead of random ones, where there are biases."""
    precision: Precision = "float32"
    seed: int = 0


@dataclass(frozen=True, eq=False)
class MultiHeadExample:
    """One forward pass, with the equivalent formulations."""

    x: Float[np.ndarray, "batch queries d_model"]
    context: Float[np.ndarray, "batch keys context_dim"] | None
    sizes: dict[str, int]
    scale: float
    shapes: tuple[ShapeStep, ...]
    kv_heads: tuple[int, ...]
    stages: Stages
    """By the names of ``AttentionTrace``, (B, H, …); ``output`` (B, Q, d_model)."""
    tensors: Stages
    """By the names of ``shapes``, each with its batch axis."""
    entropy: Float[np.ndarray, "batch heads queries"]
    """Of the weights, in nats."""
    fully_masked: Bool[np.ndarray, "batch heads queries"]
    """Queries that may attend to no key: their weights are set to 0."""
    projections: dict[Projection, Float[np.ndarray, "..."]]
    """The weights used, (out, in)."""
    biases: dict[Projection, Float[np.ndarray, "..."]]
    parameters: dict[str, int]
    """Of each projection with its bias and of ``qk_norm``'s scales; ``total`` is their sum, ``own_kv_heads`` what it
    would be without sharing."""
    loop_difference: float
    """Largest, between the output and that of separate heads in a loop."""
    own_kv_heads_difference: float
    """Largest, between the output and that of full attention with keys and values repeated."""
    fused_difference: float
    """Largest, between the output and that of the path without a trace."""


def embed(tokens: Sequence[str], dim: int, generator: torch.Generator) -> Tensor:
    """A vector from N(0, 1) for each distinct token, in order of first appearance: equal tokens, equal vectors."""
    numbers = {token: index for index, token in enumerate(dict.fromkeys(tokens))}
    table = torch.randn(len(numbers), dim, generator=generator)
    return table[[numbers[token] for token in tokens]]


def build(choice: MultiHeadChoice, context_dim: int, generator: torch.Generator) -> MultiHeadAttention:
    """The module for these options. Raises ValueError for sizes or weights that do not fit."""
    rope = None if choice.rope is None else Rope(choice.rope, choice.rope_base)
    module = MultiHeadAttention(
        choice.d_model,
        choice.num_heads,
        choice.num_kv_heads,
        choice.head_dim,
        value_dim=choice.value_dim,
        context_dim=context_dim,
        bias=choice.bias,
        rope=rope,
        alibi=choice.alibi,
        alibi_symmetric=choice.alibi_symmetric,
        qk_norm=choice.qk_norm,
        qk_norm_before_rope=choice.qk_norm_before_rope,
        scale=choice.scale,
        generator=generator,
        dtype=DTYPES[choice.precision],
    )
    for name, rows in (choice.weights or {}).items():
        _fill(_projections(module)[name].weight, name, rows)
    for name, numbers in (choice.biases or {}).items():
        _fill(_projections(module)[name].bias, name, numbers)
    return module


@torch.no_grad()
def _fill(parameter: Tensor, name: str, numbers: Sequence[Any]) -> None:
    weight = torch.tensor(numbers, dtype=parameter.dtype)
    if weight.shape != parameter.shape:
        raise InvalidValueError(
            "{name} must have shape {shape}, not {given}", name, tuple(parameter.shape), tuple(weight.shape)
        )
    parameter.copy_(weight)


@torch.no_grad()
def multi_head_example(
    choice: MultiHeadChoice,
    x: Sequence[Sequence[float]] | Sequence[str] | tuple[int, int],
    context: Sequence[Sequence[float]] | Sequence[str] | int | None = None,
    *,
    mask: MaskChoice | None = None,
    is_causal: bool = False,
) -> MultiHeadExample:
    """Run the module on x: vectors, tokens (random embeddings), or (batch, tokens) for random vectors.

    ``context`` likewise; a number is that many random vectors. Raises ValueError for what does not fit.
    """
    generator, dtype = torch.Generator().manual_seed(choice.seed), DTYPES[choice.precision]
    vectors = _vectors("vectors", x, choice.d_model, generator).to(dtype)
    source = None
    if context is not None:
        size = (vectors.shape[0], context) if isinstance(context, int) else context
        source = _vectors("context_vectors", size, None, generator, choice.d_model).to(dtype)
    module = build(choice, choice.d_model if source is None else source.shape[-1], generator)
    num_queries, num_keys = vectors.shape[1], (vectors if source is None else source).shape[1]
    built = None if mask is None else mask.build(num_queries, num_keys, dtype=dtype)
    trace = module(vectors, source, mask=built, is_causal=is_causal, trace=True)
    attention = trace.attention
    own = with_own_kv_heads(module)
    layers = _projections(module)
    counts: dict[str, int] = {name: _parameters(layer) for name, layer in layers.items()}
    counts["qk_norm"] = 0 if module.qk_norm is None else _parameters(module.qk_norm)
    equivalents = {
        "loop": MultiHeadLoop(module)(vectors, source, mask=built, is_causal=is_causal),
        "own": own(vectors, source, mask=built, is_causal=is_causal),
        "fused": module(vectors, source, mask=built, is_causal=is_causal),
    }
    differences = {name: float((output - attention.output).abs().max()) for name, output in equivalents.items()}
    return MultiHeadExample(
        x=to_array(vectors),
        context=None if source is None else to_array(source),
        sizes=_sizes(module, vectors, num_keys),
        scale=module.scale,
        shapes=trace.shapes,
        kv_heads=trace.kv_heads,
        stages=attention.as_arrays(),
        tensors={name: to_array(tensor) for name, tensor in trace.tensors.items()},
        entropy=to_array(entropy(attention.weights)),
        fully_masked=to_array(fully_masked(attention.masked_scores)),
        projections={name: to_array(layer.weight) for name, layer in layers.items()},
        biases={name: to_array(layer.bias) for name, layer in layers.items() if layer.bias is not None},
        parameters=counts | {"total": _parameters(module), "own_kv_heads": _parameters(own)},
        loop_difference=differences["loop"],
        own_kv_heads_difference=differences["own"],
        fused_difference=differences["fused"],
    )


def _parameters(module: torch.nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


def _vectors(
    name: str, given: Any, dim: int | None, generator: torch.Generator, drawn_dim: int | None = None
) -> Tensor:
    """(B, T, dim) from vectors, tokens, or (batch, tokens)."""
    if isinstance(given, tuple):
        return torch.randn(*given, dim or drawn_dim or 1, generator=generator)
    if isinstance(given[0], str):
        return embed(given, dim or drawn_dim or 1, generator).unsqueeze(0)
    vectors = torch.tensor([given], dtype=torch.float64)
    if dim is not None and vectors.shape[-1] != dim:
        raise InvalidValueError(
            "{name} must have vectors of d_model ({d_model}) numbers, not {given}", name, dim, vectors.shape[-1]
        )
    return vectors


def _projections(module: MultiHeadAttention) -> dict[Projection, torch.nn.Linear]:
    return {
        "queries": module.query_projection,
        "keys": module.key_projection,
        "values": module.value_projection,
        "output": module.output_projection,
    }


def _sizes(module: MultiHeadAttention, x: Tensor, num_keys: int) -> dict[str, int]:
    names = ("d_model", "context_dim", "num_heads", "num_kv_heads", "head_dim", "value_dim")
    return {
        "batch": x.shape[0],
        "num_queries": x.shape[1],
        "num_keys": num_keys,
        **{name: getattr(module, name) for name in names},
        "group": module.num_heads // module.num_kv_heads,
        "output_inputs": module.output_projection.in_features,
    }
