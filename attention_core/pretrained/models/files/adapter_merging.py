"""Merge a LoRA adapter into its base: W + (alpha / r) · B · A for every adapted weight.

As ``merge_and_unload`` of PEFT does it, in float32. PEFT itself is not a dependency: it needs ``accelerate``, whose
presence changes how transformers loads every model, and of all its methods only this sum is wanted here.
"""

from collections.abc import Mapping

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.pytorch_utils import Conv1D

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.files.adapters import Adapter, Update
from attention_core.pretrained.models.files.model_files import for_library


def merge_adapter(model: PreTrainedModel, adapter: Adapter) -> None:
    """Change the model's weights in place.

    Raises ModelUnavailableError if the adapter names a weight that the model does not have, or has in another shape.
    """
    tensors = load_file(for_library(adapter.weights))
    owners = _owners(model)
    merged: set[str] = set()
    with torch.no_grad():
        for parameter, name in adapter.replaced.items():
            module, _, kind = parameter.rpartition(".")
            place = f"{_named(model, module)}.{kind}"
            _put(_parameter(model, place, owners), tensors[name].float(), place)
        for update in adapter.updates:
            place = _named(model, update.module)
            if place in merged:
                raise _misfit(place)
            merged.add(place)
            delta = update.scaling * (tensors[update.up].float() @ tensors[update.down].float())
            weight = _parameter(model, f"{place}.weight", owners)
            _put(weight, weight + _as_stored(delta, weight, model.get_submodule(place), update), place)


def _as_stored(delta: Tensor, weight: Tensor, module: nn.Module, update: Update) -> Tensor:
    """B · A has a row for every output. ``Conv1D`` of GPT-2 and embeddings have a column for it."""
    if not isinstance(module, nn.Embedding if update.is_embedding else nn.Linear | Conv1D):
        raise _misfit(update.module)
    delta = delta.T if isinstance(module, nn.Embedding | Conv1D) else delta
    if delta.shape != weight.shape:
        raise _misfit(update.module)
    return delta


def _named(model: PreTrainedModel, module: str) -> str:
    """The name of a module in this class of the model: it may have been wrapped with or without its head."""
    base = f"{model.base_model_prefix}."
    modules = dict(model.named_modules())
    for name in (module, base + module, module.removeprefix(base)):
        if name in modules:
            return name
    raise ModelUnavailableError("The adapter changes {module}, which its base does not have.", module)


def _owners(model: PreTrainedModel) -> Mapping[int, int]:
    """How many names each parameter has."""
    counts: dict[int, int] = {}
    for _, parameter in model.named_parameters(remove_duplicate=False):
        counts[id(parameter)] = counts.get(id(parameter), 0) + 1
    return counts


def _parameter(model: PreTrainedModel, name: str, owners: Mapping[int, int]) -> nn.Parameter:
    try:
        parameter = model.get_parameter(name)
    except AttributeError as error:
        raise ModelUnavailableError("The adapter changes {module}, which its base does not have.", name) from error
    if owners[id(parameter)] > 1:
        raise ModelUnavailableError(
            "The adapter changes {module}, which its base uses in two places, so it cannot be merged into one of them.",
            name,
        )
    return parameter


def _put(parameter: nn.Parameter, value: Tensor, name: str) -> None:
    if value.shape != parameter.shape:
        raise _misfit(name)
    parameter.copy_(value)


def _misfit(name: str) -> ModelUnavailableError:
    return ModelUnavailableError("The adapter does not fit {module} of its base; it was made for another model.", name)
