"""Which recorded attention calls belong to the encoder, the decoder, and the cross-attention between them."""

import re
from dataclasses import dataclass
from typing import Literal

from transformers import PreTrainedModel

from attention_core.pretrained.errors import UnsupportedAttentionError
from attention_core.pretrained.recorder import LayerRecord

PartName = Literal["encoder", "decoder", "cross"]
Side = Literal["source", "target"]

CROSS_ATTENTION = re.compile(r"cross|EncDecAttention|encoder_attn", re.IGNORECASE)
"""How transformers' models name the modules in which a decoder reads its encoder."""


@dataclass(frozen=True, eq=False)
class PartRecord:
    """The recorded layers of one part, first to last."""

    name: PartName
    layers: list[LayerRecord]
    query_side: Side
    key_side: Side


def split_into_parts(model: PreTrainedModel, kind: str | None, layers: list[LayerRecord]) -> list[PartRecord]:
    """One part for encoders and decoders; encoder, decoder and cross for encoder–decoder models.

    Raises UnsupportedAttentionError if nothing was recorded: the model does not go through AttentionInterface.
    """
    if not layers:
        raise UnsupportedAttentionError("this model computes its attention in a way that cannot be recorded")
    if kind != "encoder_decoder":
        name: PartName = "encoder" if kind == "encoder" else "decoder"
        return [PartRecord(name, layers, "source", "source")]
    in_encoder = {id(module) for module in model.get_encoder().modules()}
    names = {id(module): name for name, module in model.named_modules()}
    by_part: dict[PartName, list[LayerRecord]] = {"encoder": [], "decoder": [], "cross": []}
    for layer in layers:
        if id(layer.module) in in_encoder:
            by_part["encoder"].append(layer)
        else:
            is_cross = CROSS_ATTENTION.search(names[id(layer.module)]) is not None
            by_part["cross" if is_cross else "decoder"].append(layer)
    sides: dict[PartName, tuple[Side, Side]] = {
        "encoder": ("source", "source"),
        "decoder": ("target", "target"),
        "cross": ("target", "source"),
    }
    return [PartRecord(name, found, *sides[name]) for name, found in by_part.items() if found]
