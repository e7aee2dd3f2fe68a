"""How a model makes logits of a residual stream's state: last norm, output matrix, and a factor or a cap of its own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from transformers import ViTForImageClassification

from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.model_run import body
from attention_core.pretrained.studies.outputs.block_layouts import LAYOUTS

SCALES: Mapping[str, Callable[[Any], float]] = {
    "cohere": lambda config: config.logit_scale,
    "cohere2": lambda config: config.logit_scale,
    "granite": lambda config: 1.0 / config.logits_scaling,
}
"""What logits are multiplied with, by transformers' model type; 1 in all others."""


@dataclass(frozen=True, eq=False)
class Reader:
    """``logits = scale · (norm(x) W_U + b)``, which Gemma 2 caps: ``cap · tanh(logits / cap)``, keeping their order."""

    norm: nn.Module
    unembedding: nn.Module
    scale: float = 1.0
    cap: float | None = None

    def uncapped(self, states: Float[Tensor, "states D"]) -> Float[Tensor, "states vocabulary"]:
        """The logits before the cap, in the model's own precision, then float32."""
        with torch.inference_mode():
            dtype = next(self.unembedding.parameters()).dtype
            logits: Tensor = self.unembedding(self.norm(states.to(dtype)))
            return (logits * self.scale).float()

    def logits(self, states: Float[Tensor, "states D"]) -> Float[Tensor, "states vocabulary"]:
        """The model's own logits."""
        logits = self.uncapped(states)
        return logits if self.cap is None else self.cap * torch.tanh(logits / self.cap)


def reader_of(loaded: LoadedModel) -> Reader | None:
    """What makes logits of tokens or classes from the stream after the last block; None in other models."""
    model = loaded.model
    config = model.config
    layout = LAYOUTS.get(config.model_type)
    of_classes = isinstance(model, ViTForImageClassification)
    unembedding = model.classifier if of_classes else model.get_output_embeddings()
    if layout is None or layout.last_norm is None or unembedding is None:
        return None
    # OPT has no last norm where each block ends with one.
    norm = dict(body(model).named_modules()).get(layout.last_norm, nn.Identity())
    cap = getattr(config, "final_logit_softcapping", None)
    scale = SCALES.get(config.model_type, lambda _: 1.0)(config)
    return Reader(norm, unembedding, float(scale), None if cap is None else float(cap))
