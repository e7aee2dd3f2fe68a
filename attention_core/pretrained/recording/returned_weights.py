"""The weights that a model's own attention returns, of models whose attention cannot be replaced by ours.

They come whole, N × N for each head, so such a model has a limit of its own on the length of a text. Queries, keys and
values stay unknown: only what follows from weights alone can be shown.
"""

import inspect
import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from transformers import PreTrainedModel

from attention_core.pretrained.errors import UnsupportedAttentionError
from attention_core.pretrained.recording.parts import SIDES, PartName, PartShape, Side

MAX_CELLS = 2**26
"""Weights of all heads together: 256 MiB in float32."""
ROUNDING = 1e-2
"""By how much a row may exceed 1."""


def run_returning_weights(model: PreTrainedModel, inputs: Mapping[str, Tensor]) -> Any:
    """One forward pass of the whole model, with its attention weights."""
    accepted = inspect.signature(model.forward).parameters
    options = {"use_cache": False} if "use_cache" in accepted else {}
    return model(**inputs, **options, output_attentions=True)


def returned_weights(output: Any, kind: str) -> dict[PartName, Float[Tensor, "L H Q K"]]:
    """The weights in a model's output, of its first text.

    Raises UnsupportedAttentionError unless there is a weight of every query for every key in every layer.
    """
    if kind == "encoder_decoder":
        named = {"encoder": "encoder_attentions", "decoder": "decoder_attentions", "cross": "cross_attentions"}
        returned = {part: getattr(output, named[part], None) for part in SIDES}
    else:
        returned = {"encoder" if kind == "encoder" else "decoder": getattr(output, "attentions", None)}
    return {part: _stacked(layers) for part, layers in returned.items()}


def _stacked(layers: Any) -> Float[Tensor, "L H Q K"]:
    shapes = {tuple(each.shape) if isinstance(each, Tensor) else () for each in layers or ()}
    shape = shapes.pop() if len(shapes) == 1 else ()
    if len(shape) != 4 or shape[0] != 1:
        raise UnsupportedAttentionError("the library returns no weight of every query for every key")
    weights = torch.cat(list(layers))
    sums = weights.sum(dim=-1, dtype=torch.float32)
    if bool((weights < 0).any()) or not bool((sums <= 1 + ROUNDING).all()):
        raise UnsupportedAttentionError("what the library returns as its weights are no shares: rows exceed 1")
    return weights


def shapes_of(
    weights: Mapping[PartName, Float[Tensor, "L H Q K"]], kind: str, kv_heads: int | None, head_dim: int | None
) -> tuple[PartShape, ...]:
    """The shapes of the parts."""
    only: tuple[Side, Side] = ("source", "source")
    return tuple(
        PartShape(
            name=part,
            layers=each.shape[0],
            heads=each.shape[1],
            query_side=(SIDES[part] if kind == "encoder_decoder" else only)[0],
            key_side=(SIDES[part] if kind == "encoder_decoder" else only)[1],
            causal=None if each.shape[2] < 2 else part != "cross" and reads_back_only(each),
            key_heads=tuple(range(each.shape[1])),
            kv_heads=kv_heads,
            head_dim=head_dim,
        )
        for part, each in weights.items()
    )


def reads_back_only(weights: Float[Tensor, "L H Q K"]) -> bool:
    """Whether no query attends to a later position, in a square of more than one position."""
    size = weights.shape[2]
    return size == weights.shape[3] > 1 and not any(bool(layer.triu(1).any()) for layer in weights)


def most_tokens(parts: Sequence[PartShape]) -> int:
    """The longest text whose weights fit into ``MAX_CELLS``."""
    return math.isqrt(MAX_CELLS // max(1, sum(part.layers * part.heads for part in parts)))
