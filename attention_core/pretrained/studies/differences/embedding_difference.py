"""The difference between the embeddings of two analyses: what a change did to a model that predicts nothing."""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.model_run import run_model, watching_state
from attention_core.pretrained.recording.recorder import record
from attention_core.pretrained.recording.shared_copy import copy_sharing_weights
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.cancellation import stopping
from attention_core.pretrained.running.rerun import prepare


@dataclass(frozen=True)
class EmbeddingChange:
    """The embedding of the input, the mean of its last hidden states, in both analyses."""

    length: float
    """‖e‖ in the first."""
    other_length: float
    """‖e‖ in the other."""
    cosine: float
    """Between the two: 1 where only the length changes, or nothing."""

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return 100


def has_embedding_alone(loaded: LoadedModel, analysis: Analysis) -> bool:
    """Whether the model predicts nothing of this input, so that its embedding is what a change can be seen in."""
    return (
        not analysis.predictions and not loaded.weights_only and loaded.model.get_output_embeddings() is None
    ) and loaded.class_names is None


def embedding_difference(loaded: LoadedModel, first: Analysis, second: Analysis) -> EmbeddingChange:
    """Run both inputs through the model, each with its changes. Raises SelectionError for uploaded tensors."""
    embedding, other = (_embedding(loaded, analysis) for analysis in (first, second))
    lengths = embedding.norm(), other.norm()
    cosine = float(embedding @ other / (lengths[0] * lengths[1]))
    return EmbeddingChange(float(lengths[0]), float(lengths[1]), min(1.0, max(-1.0, cosine)))


def _embedding(loaded: LoadedModel, analysis: Analysis) -> Float[Tensor, " D"]:
    shared = replace(loaded, model=copy_sharing_weights(loaded.model))
    rerun = prepare(shared, analysis)
    check = stopping(None, "difference")
    with torch.inference_mode(), record(check, rerun.change), watching_state(shared.model) as states:
        run_model(shared.model, rerun.inputs, [])
    return states[-1][0].double().mean(dim=0)
