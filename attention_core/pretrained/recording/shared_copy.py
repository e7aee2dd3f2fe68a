"""A second set of modules around the same numbers: what is hooked or switched there, nobody else sees."""

import copy

from transformers import PreTrainedModel


def twin_of(model: PreTrainedModel) -> PreTrainedModel:
    """A copy of the model's modules and configuration that shares every parameter and buffer; no weight is copied."""
    shared = {id(tensor): tensor for tensor in (*model.parameters(), *model.buffers())}
    return copy.deepcopy(model, memo=shared)
