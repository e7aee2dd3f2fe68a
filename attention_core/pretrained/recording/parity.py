"""Parity: our attention inside the model against the library's eager attention, on the same input.

The eager copy shares every parameter with the model, so it costs no memory for weights, and each of its layers'
weight matrices is compared and dropped before the next is computed.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from transformers import PreTrainedModel

from attention_core.pretrained.errors import UnsupportedAttentionError
from attention_core.pretrained.recording.recorder import LayerRecord, record
from attention_core.pretrained.recording.replaced.swapping import restore_modules
from attention_core.pretrained.recording.shared_copy import copy_sharing_weights

BOUND = 1e-5
"""Largest difference expected in float32."""
ROW_SUM = 1e-3
"""Rows of the library's that add up to 1 up to this still include what a sink takes."""


@dataclass(frozen=True)
class Parity:
    """Maximum differences between our attention and eager attention."""

    weights: float
    last_hidden_state: float
    """Absolute difference; large where the hidden states themselves are large."""
    relative_hidden_state: float
    """The same relative to the largest number in it."""
    bound: float = BOUND
    """Expected of float32 in this model, from its check when it was loaded."""

    @property
    def within_bound(self) -> bool:
        """Whether ``weights`` and ``relative_hidden_state`` are within it."""
        return self.weights <= self.bound and self.relative_hidden_state <= self.bound


def parity(model: PreTrainedModel, inputs: Mapping[str, Tensor], bound: float = BOUND) -> Parity:
    """Run both on ``inputs`` (as for the model's body, without its head) and compare every weight of every head."""
    with torch.inference_mode():
        with record() as recording:
            ours = last_hidden_state(model, inputs)
        eager = eager_copy(model)
        differences: list[float] = []

        def compare(layer: LayerRecord, theirs: Tensor | None) -> None:
            differences.append(float(largest_differences(layer, returned_weights(theirs)).max()))

        with compared_with_eager(model, eager, recording.layers, compare):
            theirs = last_hidden_state(eager, inputs)
    return Parity(max(differences), float((ours - theirs).abs().max()), relative_difference(ours, theirs), bound)


def relative_difference(ours: Tensor, theirs: Tensor) -> float:
    """Maximum absolute difference divided by the maximum absolute value; infinite where shapes differ."""
    if ours.shape != theirs.shape:
        return float("inf")
    largest = float(theirs.abs().max())
    return float((ours - theirs).abs().max()) / (largest or 1.0)


@contextmanager
def compared_with_eager(
    model: nn.Module,
    eager: nn.Module,
    layers: list[LayerRecord],
    compare: Callable[[LayerRecord, Float[Tensor, "B H Q K"] | None], None],
) -> Iterator[None]:
    """Run the eager copy inside: each call's weights are passed to ``compare`` with our record, then dropped.

    ``compare`` gets None where the library returns no weights.
    """
    left = iter(layers)
    compared = 0

    def note(_module: nn.Module, _args: Any, output: Any) -> None:
        nonlocal compared
        layer = next(left)
        compare(layer, _weights_among(output, layer))
        compared += 1

    for module in _counterparts(model, eager, layers):
        module.register_forward_hook(note)
    yield
    if compared != len(layers):
        raise RuntimeError(f"recorded {len(layers)} attention calls but compared {compared}")


def body(model: PreTrainedModel) -> nn.Module:
    """The model without its task head; T5's head sits inside its body."""
    if model.main_input_name not in inspect.signature(model.base_model.forward).parameters:
        return model  # a bare model that calls a part of itself by the name of a body (DINOv3)
    if model.base_model is not model or not model.can_generate() or model.config.is_encoder_decoder:
        return model.base_model
    # Some classes store their body under a name other than base_model_prefix (Llama4ForCausalLM).
    inner = [child for child in model.children() if isinstance(child, PreTrainedModel)]
    return inner[0] if len(inner) == 1 else model


def last_hidden_state(model: PreTrainedModel, inputs: Mapping[str, Tensor]) -> Tensor:
    """The body's output, the input of the head."""
    inner: Any = body(model)
    if inner is not model or not model.can_generate():
        return hidden_state(inner(**inputs))
    output = inner(**inputs, output_hidden_states=True)
    return (output.decoder_hidden_states if "decoder_hidden_states" in output else output.hidden_states)[-1]


def hidden_state(output: Any) -> Tensor:
    """The last hidden state in a body's output, which of some models is a tuple (DPR)."""
    found: Tensor = output[0] if isinstance(output, tuple) else output.last_hidden_state
    return found


def eager_copy(model: PreTrainedModel) -> PreTrainedModel:
    """A weight-sharing copy of the model with the library's eager attention."""
    eager = copy_sharing_weights(model)
    if not restore_modules(eager):
        eager.set_attn_implementation("eager")
    return eager


def _counterparts(model: nn.Module, eager: nn.Module, layers: list[LayerRecord]) -> list[nn.Module]:
    """The copy's attention modules, each once (some models use one module for every layer)."""
    recorded = {id(layer.module) for layer in layers}
    return [eager.get_submodule(name) for name, module in model.named_modules() if id(module) in recorded]


def _weights_among(output: Any, layer: LayerRecord) -> Tensor | None:
    attention = layer.attention
    size = (attention.queries.shape[0], attention.num_heads, attention.num_queries, attention.num_keys)
    for tensor in reversed(output) if isinstance(output, tuple | list) else ():
        if isinstance(tensor, Tensor) and tensor.shape == size:
            return tensor
    return None


def returned_weights(weights: Tensor | None) -> Tensor:
    """The library's weights. Raises UnsupportedAttentionError if it returns none."""
    if weights is None:
        raise UnsupportedAttentionError("The library's own attention in this model returns no weights to compare with.")
    return weights


def largest_differences(layer: LayerRecord, theirs: Float[Tensor, "B H Q K"]) -> Float[Tensor, " H"]:
    """Per head, over all rows and keys; a block's span omits only keys whose weight is 0 on both sides.

    Where the library returns weights from which the sink has not yet taken its share (GraniteMoeSWA), it is taken here.
    Where it returns one mean over all heads (WavLM), the mean is compared.
    """
    is_mean = theirs.shape[1] > 1 and theirs.stride(1) == 0
    outside = theirs.clone()
    taken = layer.attention.sink_weights(slice(0, layer.attention.num_queries), layer.log_sum_exp)
    if taken is not None and bool((theirs.sum(dim=-1) - 1).abs().max() < ROW_SUM):
        outside *= (1 - taken).unsqueeze(-1)
    largest = torch.zeros(theirs.shape[1], device=theirs.device)
    for block, weights in layer.attention.weight_blocks(layer.log_sum_exp):
        window = outside[:, :, block.rows, block.cols]
        ours = weights.mean(dim=1, keepdim=True) if is_mean else weights
        largest = torch.maximum(largest, (ours - window).abs().amax(dim=(0, 2, 3)).float())
        window.zero_()
    return torch.maximum(largest, outside.abs().amax(dim=(0, 2, 3)).float())
