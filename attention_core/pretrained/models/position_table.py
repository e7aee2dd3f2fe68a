"""The learned position embeddings of a loaded model, if any."""

from dataclasses import dataclass
from typing import Any

import torch
from numpy.typing import NDArray
from torch import nn

from attention_core.pretrained.models.loading import LoadedModel

NAMES = frozenset({"embed_positions", "pos_embed", "position_embedding", "position_embeddings", "wpe"})
"""Names in transformers: GPT-2 ``wpe``, BERT ``position_embeddings``, BART ``embed_positions``."""


@dataclass(frozen=True, eq=False)
class PositionTable:
    """The rows of a model's position table, from the first position of a text."""

    name: str
    """Path of the module inside the model."""
    learned: bool
    """False for a table of fixed sines (Marian, Pegasus)."""
    vectors: NDArray[Any]
    """(positions, d_model) float64."""


def position_table(loaded: LoadedModel) -> PositionTable | None:
    """The position table (of an encoder–decoder model: the encoder's); None without one, as with RoPE."""
    for name, module in loaded.model.named_modules():
        if name.rpartition(".")[2] in NAMES and isinstance(module, nn.Embedding):
            weight = module.weight.detach()[_first_row(module) :].to(device="cpu", dtype=torch.float64)
            return PositionTable(name=name, learned=loaded.entry.positions == "learned", vectors=weight.numpy())
    return None


def _first_row(module: nn.Embedding) -> int:
    """RoBERTa starts positions after the padding index, BART and OPT at an offset of 2."""
    offset = getattr(module, "offset", None)
    if isinstance(offset, int):
        return offset
    return 0 if module.padding_idx is None else module.padding_idx + 1
