"""Assign recorded attention calls to encoder, decoder and cross-attention."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn
from transformers import PreTrainedModel

from attention_core.blockwise.attention import BlockwiseAttention
from attention_core.pretrained.errors import UnsupportedAttentionError
from attention_core.pretrained.recording.recorder import LayerRecord
from attention_core.refusal import Sentence

PartName = Literal["encoder", "decoder", "cross"]
Side = Literal["source", "target"]

CROSS_ATTENTION = re.compile(r"cross|EncDecAttention|encoder_attn", re.IGNORECASE)
"""Names of cross-attention modules in transformers' models."""


OTHER_POSITIONS = Sentence("Its attention covers positions other than the tokens, which is not supported here.")


@dataclass(frozen=True, eq=False)
class PartRecord:
    """The recorded layers of one part, first to last."""

    name: PartName
    layers: list[LayerRecord]
    query_side: Side
    key_side: Side


def without_modules(part: PartRecord) -> PartRecord:
    """The same records without their modules, so that they can outlive the model."""
    return replace(part, layers=[replace(layer, module=None) for layer in part.layers])


@dataclass(frozen=True)
class PartShape:
    """The number of layers of a part, and of query heads in each."""

    name: PartName
    layers: int
    heads: int
    query_side: Side
    key_side: Side
    causal: bool | None
    """Whether no query attends to a later key; None if unknown, because there was only one query."""
    key_heads: tuple[int, ...]
    """For each query head of the first layer, the key/value head it uses."""
    kv_heads: int | None
    """None if layers differ; likewise head_dim."""
    head_dim: int | None


SIDES: dict[PartName, tuple[Side, Side]] = {
    "encoder": ("source", "source"),
    "decoder": ("target", "target"),
    "cross": ("target", "source"),
}
"""Sides of queries and keys in an encoder–decoder model."""


def part_of_modules(model: PreTrainedModel, kind: str | None) -> Callable[[nn.Module | None], PartName]:
    """Which part an attention module of this model belongs to."""
    if kind != "encoder_decoder":
        return lambda _: "encoder" if kind == "encoder" else "decoder"
    in_encoder = {id(module) for module in model.get_encoder().modules()}
    names = {id(module): name for name, module in model.named_modules()}

    def part_of(module: nn.Module | None) -> PartName:
        if id(module) in in_encoder:
            return "encoder"
        return "decoder" if CROSS_ATTENTION.search(names[id(module)]) is None else "cross"

    return part_of


def split_into_parts(model: PreTrainedModel, kind: str | None, layers: list[LayerRecord]) -> list[PartRecord]:
    """One part for encoders and decoders; encoder, decoder and cross for encoder–decoder models.

    Raises UnsupportedAttentionError if nothing was recorded: the model does not use AttentionInterface.
    """
    if not layers:
        raise UnsupportedAttentionError("this model computes its attention in a way that cannot be recorded")
    part_of = part_of_modules(model, kind)
    by_part: dict[PartName, list[LayerRecord]] = {name: [] for name in SIDES}
    for layer in layers:
        by_part[part_of(layer.module)].append(layer)
    only: tuple[Side, Side] = ("source", "source")
    return [
        PartRecord(name, layers, *(SIDES[name] if kind == "encoder_decoder" else only))
        for name, layers in by_part.items()
        if layers
    ]


def tokens_of(inputs: Mapping[str, Tensor], others: int) -> dict[Side, int]:
    """The number of tokens of each side; ``others`` is that of patches, or of positions in a sound."""
    ids: dict[Side, str] = {"source": "input_ids", "target": "decoder_input_ids"}
    return {side: inputs[name].shape[1] if name in inputs else others for side, name in ids.items()}


def check_positions(parts: Sequence[PartRecord], inputs: Mapping[str, Tensor]) -> None:
    """Check that every layer has as many rows and columns as there are tokens. Raises UnsupportedAttentionError."""
    counts = tokens_of(inputs, parts[0].layers[0].attention.num_queries)
    for part in parts:
        size = (1, counts[part.query_side], counts[part.key_side])
        for layer in part.layers:
            attention = layer.attention
            if (attention.queries.shape[0], attention.num_queries, attention.num_keys) != size:
                raise UnsupportedAttentionError(OTHER_POSITIONS)


def part_shapes(parts: Sequence[PartRecord]) -> tuple[PartShape, ...]:
    """The shapes of the recorded parts."""
    return tuple(
        PartShape(
            part.name,
            len(part.layers),
            part.layers[0].attention.num_heads,
            part.query_side,
            part.key_side,
            _is_causal(part),
            key_heads(part.layers[0].attention),
            _the_only({max(key_heads(layer.attention)) + 1 for layer in part.layers}),
            _the_only({layer.attention.queries.shape[-1] for layer in part.layers}),
        )
        for part in parts
    )


def sink_shares(part: PartRecord) -> Float[np.ndarray, "L H"] | None:
    """What learned sinks take of a head's rows of the first text, on average; None for a part without sinks."""
    if all(layer.attention.sinks is None for layer in part.layers):
        return None
    shares = []
    for layer in part.layers:
        taken = layer.attention.sink_weights(slice(0, layer.attention.num_queries), layer.log_sum_exp)
        shares.append(torch.zeros(layer.attention.num_heads) if taken is None else taken[0].mean(dim=-1).cpu())
    return torch.stack(shares).float().numpy()


def score_cap(part: PartRecord) -> float | None:
    """The bound of a part's scores before bias and mask; None if they are not capped."""
    return next((layer.attention.cap for layer in part.layers if layer.attention.cap is not None), None)


def grouped_heads(attention: BlockwiseAttention) -> tuple[int, ...]:
    """For each query head its index into the given key heads: neighbours share one."""
    return tuple(head * attention.keys.shape[1] // attention.num_heads for head in range(attention.num_heads))


def key_heads(attention: BlockwiseAttention) -> tuple[int, ...]:
    """For each query head its key/value head.

    Identical heads count once: some models pass repeated copies, in an order of their own (JetMoE).
    """
    keys, values = attention.keys[0], attention.values[0]
    numbers: list[int] = []
    for head in range(keys.shape[0]):
        same = (
            number
            for other, number in enumerate(numbers)
            if torch.equal(keys[other], keys[head]) and torch.equal(values[other], values[head])
        )
        numbers.append(next(same, max(numbers, default=-1) + 1))
    return tuple(numbers[head] for head in grouped_heads(attention))


def _is_causal(part: PartRecord) -> bool | None:
    """Whether a part is causal, from its recorded masks and biases."""
    count = part.layers[0].attention.num_queries
    if part.query_side != part.key_side:
        return False
    return None if count < 2 else not any(_reads_ahead(layer, slice(0, count)) for layer in part.layers)


def _reads_ahead(layer: LayerRecord, span: slice) -> bool:
    """Whether a query attends to a later key; a mask inside a bias is the lowest finite number."""
    scores = layer.attention.masked_scores(span, span)
    return bool((scores > torch.finfo(scores.dtype).min / 2).triu(1).any())


def _the_only(numbers: set[int]) -> int | None:
    return numbers.pop() if len(numbers) == 1 else None
