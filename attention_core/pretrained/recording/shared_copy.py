"""Copy a model's modules while sharing its weights, so that hooks and settings stay local to the copy."""

import copy

from transformers import PreTrainedModel


def copy_sharing_weights(model: PreTrainedModel) -> PreTrainedModel:
    """A copy of the model's modules and configuration that shares every parameter and buffer."""
    shared = {id(tensor): tensor for tensor in (*model.parameters(), *model.buffers())}
    return copy.deepcopy(model, memo=shared)
