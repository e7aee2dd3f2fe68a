"""A loaded model as a scan needs it: its body, one self-attending part, separators and output norms."""

from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.activations import FastGELUActivation, GELUTanh, NewGELUActivation

from attention_core.atlas.texts.batches import Batch
from attention_core.atlas.texts.tokeniser import Tokeniser
from attention_core.pretrained.errors import ReadsImagesError, ReadsSoundsError
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.model_run import body
from attention_core.pretrained.recording.output_projections import OutputProjection
from attention_core.pretrained.recording.parts import PartShape
from attention_core.pretrained.recording.shared_copy import copy_sharing_weights


class HeadNorms:
    """``‖f(x)‖ = ‖v W_O‖`` of every key in every head (Kobayashi et al. 2020, eq. 5).

    With ``W_Oᵀ = Q R`` and Q's columns orthonormal, ``‖v W_O‖ = ‖v Rᵀ‖``.
    """

    def __init__(self, projections: dict[nn.Module, OutputProjection], heads: int) -> None:
        self._triangles = {module: _triangles(projection, heads) for module, projection in projections.items()}

    def __call__(self, module: nn.Module, values: Float[Tensor, "B H N V"]) -> Float[Tensor, "B H N"]:
        """The norm for each value vector."""
        batch, heads, keys, size = values.shape
        by_head = values.transpose(0, 1).reshape(heads, batch * keys, size) @ self._triangles[module]
        return by_head.norm(dim=-1).view(heads, batch, keys).transpose(0, 1)


class ScannedModel:
    """One model, ready to be scanned.

    Of an encoder–decoder model only the encoder is: what its decoder attends to depends on a target text.
    """

    def __init__(self, loaded: LoadedModel) -> None:
        if loaded.images is not None:
            raise ReadsImagesError("{id} takes images; an atlas is made of texts.", loaded.entry.id)
        if loaded.sounds is not None:
            raise ReadsSoundsError("{id} takes sounds; an atlas is made of texts.", loaded.entry.id)
        loaded.check_carried()
        self.loaded = loaded
        self.device = loaded.device
        self.tokeniser = Tokeniser(loaded)
        self.part: PartShape = loaded.parts[0]
        self.layers = self.part.layers
        self.heads = self.part.heads
        model: Any = with_fast_gelu(loaded.model)
        self.body: nn.Module = model.get_encoder() if loaded.entry.kind == "encoder_decoder" else body(model)
        copies = {loaded.model.get_submodule(name): module for name, module in model.named_modules()}
        inside = set(self.body.modules())
        known = {
            copies[module]: each
            for module, each in loaded.projections.items()
            if module is not None and copies[module] in inside
        }
        self.norms = HeadNorms(known, self.heads) if self._all_known(known) else None

    @property
    def separators(self) -> Int[np.ndarray, " ids"]:
        """Ids of separators, as in an analysis' metrics."""
        return self.tokeniser.separators

    def run(self, batch: Batch) -> None:
        """One forward pass, without a head for predictions.

        A padded key stands behind every real query, so a causal model needs no mask for it.
        """
        inputs = {"input_ids": batch.ids.to(self.device)}
        if batch.is_padded and not self.part.causal:
            inputs["attention_mask"] = torch.from_numpy(batch.real.astype(np.int64)).to(self.device)
        self.body(**inputs)

    def _all_known(self, known: dict[nn.Module, OutputProjection]) -> bool:
        """Whether W_O is known in every layer (some models use one module in all of them)."""
        return bool(known) and self.layers % len(known) == 0


def with_fast_gelu(model: PreTrainedModel) -> PreTrainedModel:
    """The model, or if it spells out the tanh approximation of GELU, a copy that computes it in one kernel.

    GPT-2's ``gelu_new`` is eight passes over the largest matrices of the model, ``GELUTanh`` one. The copy shares all
    weights, and its hidden states differ by rounding only.
    """
    slow = (NewGELUActivation, FastGELUActivation)
    if not any(isinstance(module, slow) for module in model.modules()):
        return model
    copied = copy_sharing_weights(model)
    fast = GELUTanh()
    for module in list(copied.modules()):
        for name, child in module.named_children():
            if isinstance(child, slow):
                setattr(module, name, fast)
    return copied


def _triangles(projection: OutputProjection, heads: int) -> Float[Tensor, "H V R"]:
    weight = projection.weight.float()
    by_head = weight.view(heads, weight.shape[0] // heads, weight.shape[1])
    return torch.linalg.qr(by_head.transpose(1, 2), mode="r").R.transpose(1, 2).contiguous()
