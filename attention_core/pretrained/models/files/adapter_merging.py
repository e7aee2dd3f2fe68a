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
from attention_core.pretrained.models.files.moved_names import places


def merge_adapter(model: PreTrainedModel, adapter: Adapter, key_mapping: Mapping[str, str] | None = None) -> None:
    """Change the model's weights in place. ``key_mapping`` is that with which its checkpoint was loaded.

    Raises ModelUnavailableError if the adapter names a weight that the model does not have, or has in another shape.
    """
    tensors = load_file(for_library(adapter.weights))
    owners = _owners(model)
    changed = [f"{update.module}.weight" for update in adapter.updates]
    place_of = places(model, [*adapter.replaced, *changed], key_mapping)
    merged: set[str] = set()
    with torch.no_grad():
        for parameter, name in adapter.replaced.items():
            place = place_of[parameter]
            _put(_parameter(model, place, owners), tensors[name].float(), place)
        for update, name in zip(adapter.updates, changed, strict=True):
            place = place_of[name]
            if place in merged:
                raise _misfit(update.module)
            merged.add(place)
            delta = update.scaling * (tensors[update.up].float() @ tensors[update.down].float())
            weight = _parameter(model, place, owners)
            owner = model.get_submodule(place.rpartition(".")[0])
            _put(weight, weight + _as_stored(delta, weight, owner, update), place)


def _as_stored(delta: Tensor, weight: Tensor, module: nn.Module, update: Update) -> Tensor:
    """B · A has a row for every output. ``Conv1D`` of GPT-2 and embeddings have a column for it."""
    if not isinstance(module, nn.Embedding if update.is_embedding else nn.Linear | Conv1D):
        raise _misfit(update.module)
    delta = delta.T if isinstance(module, nn.Embedding | Conv1D) else delta
    if delta.shape != weight.shape:
        raise _misfit(update.module)
    return delta


def _owners(model: PreTrainedModel) -> Mapping[int, int]:
    """How many names each parameter has."""
    counts: dict[int, int] = {}
    for _, parameter in model.named_parameters(remove_duplicate=False):
        counts[id(parameter)] = counts.get(id(parameter), 0) + 1
    return counts


def _parameter(model: PreTrainedModel, name: str, owners: Mapping[int, int]) -> nn.Parameter:
    parameter = model.get_parameter(name)
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
