"""A layer of a loaded model for the routes of concepts, computed once for each text."""

import json
from collections.abc import Mapping
from typing import Any

from attention_core.demos.multi_head import MultiHeadChoice, Projection
from attention_core.pretrained.studies.attention_layer import AttentionLayer, LinearArrays, attention_layer
from ..requests.bounded import check_characters
from ..requests.model_layer import ModelLayer
from ..settings import Settings
from .dependencies import Observatory


async def layer_of(wanted: ModelLayer, settings: Settings, observatory: Observatory) -> AttentionLayer:
    """The layer, after the model has been loaded. Raises the errors of loading and of ``attention_layer``."""
    check_characters(settings, "text", wanted.text)
    loaded = await observatory.loading.get(wanted.model)
    asked = {
        "text": wanted.text,
        "layer": wanted.layer,
        "weights": loaded.identity,
    }
    limit = min(settings.max_tokens, settings.max_concept_tokens)
    return await observatory.study(
        f"attention_layer/{json.dumps(asked, sort_keys=True)}",
        lambda cancelled: attention_layer(
            loaded, wanted.text, layer=wanted.layer, max_tokens=limit, cancelled=cancelled
        ),
    )


def choice_of(layer: AttentionLayer, options: Mapping[str, Any]) -> MultiHeadChoice:
    """Our own module with the layer's weights and biases; ``options`` are those of ``MultiHeadChoice`` besides."""
    projections: dict[Projection, LinearArrays] = {
        "queries": layer.query,
        "keys": layer.key,
        "values": layer.value,
        "output": layer.output,
    }
    return MultiHeadChoice(
        layer.inputs.shape[1],
        weights={name: each.weight.tolist() for name, each in projections.items()},
        biases={name: _bias_or_zeros(each) for name, each in projections.items()},
        **{**options, "num_heads": layer.heads, "bias": True},
    )


def _bias_or_zeros(projection: LinearArrays) -> list[float]:
    return [0.0] * len(projection.weight) if projection.bias is None else projection.bias.tolist()
