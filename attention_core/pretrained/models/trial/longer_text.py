"""The length of the second text on which a model is checked: beyond its windows and its original context."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from torch import nn
from transformers import PreTrainedModel

from attention_core.pretrained.models.configuration import ModelFacts
from attention_core.pretrained.models.rope_limits import original_length
from attention_core.pretrained.models.trial.trial_run import SOURCE_TOKENS
from attention_core.pretrained.recording.parts import PartShape

LONG = 320
"""Tokens of a model without any such edge within reach."""
BEYOND = 16
"""Tokens beyond an edge."""
MOST_WORK = 2**37
"""Parameters × tokens: the passes of a check then take some seconds on a few cores."""
ON_A_GPU = 64
"""As many times that on a GPU."""
MOST_CELLS = 2**26
"""Weights of all heads together."""
EDGES = (
    "sliding_window",
    "attention_chunk_size",
    "attention_window",
    "local_attention",
    "window_size",
    "original_max_position_embeddings",
    "relative_attention_max_distance",
)
"""Names in configurations of lengths beyond which another rule holds."""


def longer_text(model: PreTrainedModel, facts: ModelFacts, parts: Sequence[PartShape]) -> int | None:
    """Its number of tokens; None for a model that reads no text, or none longer than the first one."""
    if facts.reads != "text" and facts.kind != "encoder_decoder":
        return None
    looked_up = {id(each.weight) for each in model.modules() if isinstance(each, nn.Embedding)}
    multiplied = sum(each.numel() for each in model.parameters() if id(each) not in looked_up)
    cells = sum(part.layers * part.heads for part in parts)
    work = MOST_WORK if model.device.type == "cpu" else ON_A_GPU * MOST_WORK
    most = min(facts.max_tokens, work // max(1, multiplied), math.isqrt(MOST_CELLS // max(1, cells)))
    edges = [*_edges(model.config.to_dict()), original_length(model.config) or 0]
    within = [edge + BEYOND for edge in edges if edge + BEYOND <= most]
    count = min(max([LONG, *within]), most)
    return count if count > SOURCE_TOKENS else None


def _edges(settings: Mapping[Any, Any]) -> Iterator[int]:
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _edges(value)
        elif name in EDGES:
            yield from (each for each in (value if isinstance(value, list) else [value]) if isinstance(each, int))
