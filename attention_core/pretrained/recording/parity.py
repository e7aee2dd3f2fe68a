"""Parity: our attention inside the model against the library's eager attention, on the same input.

The eager copy shares every parameter with the model, so it costs no memory for weights, and each of its layers'
weight matrices is compared and dropped before the next is computed.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.pytorch_utils import Conv1D

from attention_core.pretrained.errors import UnsupportedAttentionError
from attention_core.pretrained.recording.model_run import run_model, watching_state
from attention_core.pretrained.recording.recorder import LayerRecord, record
from attention_core.pretrained.recording.replaced.swapping import restore_modules
from attention_core.pretrained.recording.shared_copy import copy_sharing_weights
from attention_core.refusal import Sentence

BOUND = 1e-5
"""Largest difference expected in float32."""
ROUNDING_STEPS = 32
"""Accepted multiple of what a change of the last bits makes."""
LARGEST_BOUND = 0.05
"""Upper limit of such a multiple."""
SAMPLED_ROWS = 64
"""Rows of each head that are compared between the library's two runs."""
ROUNDED = (nn.Embedding, nn.Linear, Conv1D)
"""Modules whose output is changed in the last bit."""
NO_WEIGHTS = Sentence("The library's own attention in this model returns no weights to compare with.")
ON_REQUEST = frozenset({"XLNetRelativeAttention"})
"""Modules that return their weights only if asked, as (Q, K, B, H)."""
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
    """What rounding explains in this model, or on this input where that is more."""

    @property
    def within_bound(self) -> bool:
        """Whether ``weights`` and ``relative_hidden_state`` are within it."""
        return self.weights <= self.bound and self.relative_hidden_state <= self.bound


@dataclass(frozen=True)
class Agreement:
    """How far our attention and the library's are apart on one input, and by how much rounding can part them."""

    weights: float | None
    """Largest difference of any weight; None if the library's attention returns no weights."""
    state: float
    """Largest difference of any number of the last hidden state."""
    relative_state: float
    """The same relative to the largest number in it."""
    bound: float
    layers: list[LayerRecord] = field(repr=False)
    """Our records, in the order of the calls."""

    @property
    def holds(self) -> bool:
        """Whether everything is within the bound."""
        return (self.weights is None or self.weights <= self.bound) and self.relative_state <= self.bound


def agreement(model: PreTrainedModel, inputs: Mapping[str, Tensor], bound: float = BOUND) -> Agreement:
    """Make the pass of an analysis with both, and compare every weight of every head and the last hidden state.

    If they differ by more than ``bound``, the library's attention is run once more with the last bit of embeddings and
    projections changed at random: the effect of that is the yardstick, since large scores, many layers and long texts
    amplify rounding errors. A wrong mask, scale, bias or head grouping changes far more.
    """
    with torch.inference_mode():
        shared = copy_sharing_weights(model)
        with record() as recording:
            ours = _last_state(shared, inputs)
        differences: list[float | None] = []
        sampled: list[Tensor | None] = []

        def compare(layer: LayerRecord, theirs: Tensor | None) -> None:
            differences.append(None if theirs is None else float(largest_differences(layer, theirs).max()))
            sampled.append(_some_rows(theirs))

        theirs = _eager_state(shared, inputs, recording.layers, compare)
        measured = Agreement(
            _largest(differences),
            float((ours - theirs).abs().max()) if ours.shape == theirs.shape else float("inf"),
            relative_difference(ours, theirs),
            bound,
            recording.layers,
        )
        if measured.holds:
            return measured
        moved: list[Tensor | None] = []
        nudged = _eager_state(
            shared, inputs, recording.layers, lambda _, rows: moved.append(_some_rows(rows)), nudge=True
        )
    pairs = zip(sampled, moved, strict=True)
    own = _largest([None if a is None or b is None else float((a - b).abs().max()) for a, b in pairs])
    rounding = max(own or 0.0, relative_difference(nudged, theirs))
    # Where the last bit decides which expert a token goes to, rounding alone makes more than the upper limit.
    return replace(measured, bound=max(bound, min(ROUNDING_STEPS * rounding, LARGEST_BOUND), rounding))


def parity(model: PreTrainedModel, inputs: Mapping[str, Tensor], bound: float = BOUND) -> Parity:
    """The agreement of both on the input of an analysis.

    Raises UnsupportedAttentionError if the library returns no weights to compare with.
    """
    measured = agreement(model, inputs, bound)
    if measured.weights is None:
        raise UnsupportedAttentionError(NO_WEIGHTS)
    return Parity(measured.weights, measured.state, measured.relative_state, measured.bound)


def _last_state(model: PreTrainedModel, inputs: Mapping[str, Tensor]) -> Tensor:
    with watching_state(model) as states:
        run_model(model, inputs, [-1])
    return states[-1]


def _eager_state(
    model: PreTrainedModel,
    inputs: Mapping[str, Tensor],
    layers: list[LayerRecord],
    compare: Callable[[LayerRecord, Float[Tensor, "B H Q K"] | None], None],
    *,
    nudge: bool = False,
) -> Tensor:
    eager = eager_copy(model)
    for module in eager.modules():
        if nudge and isinstance(module, ROUNDED):
            module.register_forward_hook(_nudge)
    with compared_with_eager(model, eager, layers, compare):
        return _last_state(eager, inputs)


def _nudge(_module: nn.Module, _args: Any, output: Any) -> Any:
    """Move every value up or down by one unit in the last place."""
    if not isinstance(output, Tensor) or not output.is_floating_point():
        return output
    generator = torch.Generator().manual_seed(0)
    signs = torch.randint(0, 2, output.shape, generator=generator).to(output) * 2 - 1
    return output * (1 + signs * torch.finfo(output.dtype).eps)


def _some_rows(weights: Float[Tensor, "B H Q K"] | None) -> Float[Tensor, "B H rows K"] | None:
    """A copy of some rows, from the first to the last: all of them would be N × N numbers for each head."""
    if weights is None:
        return None
    count = weights.shape[2]
    return weights[:, :, torch.linspace(0, count - 1, min(count, SAMPLED_ROWS)).long().unique()].clone()


def _largest(differences: list[float | None]) -> float | None:
    known = [each for each in differences if each is not None]
    return max(known) if len(known) == len(differences) else None


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
        if type(module).__name__ in ON_REQUEST:
            module.register_forward_pre_hook(_ask_for_weights, with_kwargs=True)
        module.register_forward_hook(note)
    yield
    if compared != len(layers):
        raise RuntimeError(f"recorded {len(layers)} attention calls but compared {compared}")


def _ask_for_weights(_module: nn.Module, args: Any, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    return args, {**options, "output_attentions": True}


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
        if isinstance(tensor, Tensor) and tensor.shape == (*size[2:], *size[:2]):
            return tensor.permute(2, 3, 0, 1)
    return None


def returned_weights(weights: Tensor | None) -> Tensor:
    """The library's weights. Raises UnsupportedAttentionError if it returns none."""
    if weights is None:
        raise UnsupportedAttentionError(NO_WEIGHTS)
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
