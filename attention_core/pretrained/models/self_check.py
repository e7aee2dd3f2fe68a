"""Check a loaded model: our attention against the library's on a few random tokens.

Every weight of every head and the last hidden state are compared. The acceptable difference depends on the model: large
scores and many layers amplify rounding errors. So if the difference exceeds what float32 explains, the library's
attention is run once more with the last bit of embeddings and projections changed at random; the effect of that is the
yardstick. A wrong mask, scale, bias or head grouping changes far more.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
import transformers
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.pytorch_utils import Conv1D

from attention_core.pretrained.errors import ModelUnavailableError, as_unavailable
from attention_core.pretrained.recording.parity import (
    BOUND,
    compared_with_eager,
    eager_copy,
    largest_differences,
    last_hidden_state,
    relative_difference,
)
from attention_core.pretrained.recording.recorder import LayerRecord, record

VERSION = 1
"""Increment when the check changes."""
ROUNDING_STEPS = 32
"""Accepted multiple of the difference in that run."""
LARGEST_BOUND = 0.05
"""Upper limit of the bound, however sensitive a model is."""
WINDOW_BOUND = 1e-5
"""Largest difference between a window and the same cells of the whole, and between a row's sum and 1."""

ROUNDED = (nn.Embedding, nn.Linear, Conv1D)
"""Modules whose output is perturbed in the last bit."""

CheckKey = tuple[str, int, str, str, str]


@dataclass(frozen=True)
class SelfCheck:
    """The measured difference; anything within the bound counts as agreement."""

    weights: float | None
    """Largest difference of any weight; None if the library's attention returns no weights."""
    last_hidden_state: float
    """Largest difference, relative to its largest value."""
    bound: float
    tokens: int


def check_key(fingerprint: str, device: torch.device, dtype: torch.dtype) -> CheckKey:
    """The key a check is valid for: files, check version, library, device and dtype."""
    return (fingerprint, VERSION, transformers.__version__, str(device), str(dtype))


def self_check(model: PreTrainedModel, inputs: Mapping[str, Tensor]) -> SelfCheck:
    """Compare both on these inputs. Raises ModelUnavailableError saying what differs, and by how much."""
    with torch.inference_mode():
        with record() as recording:
            ours = last_hidden_state(model, inputs)
        _check_windows(recording.layers)
        with as_unavailable(
            "The library's own eager attention does not run on it, so there is nothing to compare with."
        ):
            theirs = _eager(model, inputs, recording.layers)
        weights = _largest(
            [
                None if each is None else float(largest_differences(layer, each).max())
                for layer, each in zip(recording.layers, theirs.weights, strict=True)
            ]
        )
        state = relative_difference(ours, theirs.state)
        bound = BOUND
        if not _within(weights, state, bound):
            nudged = _eager(model, inputs, recording.layers, nudge=True)
            pairs = zip(theirs.weights, nudged.weights, strict=True)
            own = _largest([None if a is None or b is None else float((a - b).abs().max()) for a, b in pairs])
            rounding = max(own or 0.0, relative_difference(nudged.state, theirs.state))
            bound = min(max(BOUND, ROUNDING_STEPS * rounding), LARGEST_BOUND)
    tokens = recording.layers[0].attention.num_queries
    if weights is not None and not _within(weights, 0.0, bound):
        raise ModelUnavailableError(
            "With our attention it does not compute what it computes with the library's own: on "
            "{tokens} random tokens its weights differ by up to {weights}, and rounding explains "
            "{bound}.",
            tokens,
            f"{weights:.2g}",
            f"{bound:.2g}",
        )
    if not state <= bound:
        raise ModelUnavailableError(
            "With our attention it does not compute what it computes with the library's own: on "
            "{tokens} random tokens its last hidden state differs by {state} of its largest number, "
            "and rounding explains {bound}.",
            tokens,
            f"{state:.2g}",
            f"{bound:.2g}",
        )
    return SelfCheck(weights, state, bound, tokens)


@dataclass(frozen=True, eq=False)
class _EagerRun:
    weights: list[Tensor | None]
    """Weights of each call, (B, H, Q, K); None if the library returns none."""
    state: Tensor


def _eager(
    model: PreTrainedModel, inputs: Mapping[str, Tensor], layers: list[LayerRecord], *, nudge: bool = False
) -> _EagerRun:
    eager = eager_copy(model)
    if nudge:
        for module in eager.modules():
            if isinstance(module, ROUNDED):
                module.register_forward_hook(_nudge)
    found: list[Tensor | None] = []
    with compared_with_eager(model, eager, layers, lambda _, theirs: found.append(theirs)):
        state = last_hidden_state(eager, inputs)
    return _EagerRun(found, state)


def _nudge(_module: nn.Module, _args: Any, output: Any) -> Any:
    """Move every value up or down by one unit in the last place."""
    if not isinstance(output, Tensor) or not output.is_floating_point():
        return output
    generator = torch.Generator().manual_seed(0)
    signs = torch.randint(0, 2, output.shape, generator=generator).to(output) * 2 - 1
    return output * (1 + signs * torch.finfo(output.dtype).eps)


def _check_windows(layers: list[LayerRecord]) -> None:
    """Check that windows of a head's weights match the whole, and that rows sum to 1 with their sink, or to 0."""
    for number, layer in enumerate(layers):
        attention = layer.attention
        rows, cols = slice(0, attention.num_queries), slice(0, attention.num_keys)
        with as_unavailable("The weights of layer {number} cannot be computed window by window.", number):
            whole = attention.weights(rows, cols, layer.log_sum_exp)[0]
            sums = whole.sum(dim=-1)
            if (sink := attention.sink_weights(rows, layer.log_sum_exp)) is not None:
                sums += sink[0]
            off = float(torch.minimum((sums - 1).abs(), sums.abs()).max())
            for head in {0, attention.num_heads - 1}:
                part = attention.head(head).weights(
                    slice(rows.stop // 2, rows.stop), cols, layer.log_sum_exp[:, head : head + 1]
                )
                off = max(off, float((part[0, 0] - whole[head, rows.stop // 2 :]).abs().max()))
        scores = attention.masked_scores(rows, cols)
        largest = float(scores.masked_fill(~(scores.abs() < float("inf")), 0.0).abs().max())
        if not off <= WINDOW_BOUND + ROUNDING_STEPS * torch.finfo(whole.dtype).eps * largest:
            raise ModelUnavailableError(
                "The weights of layer {number} do not add up to 1: they are off by {off}.", number, f"{off:.2g}"
            )


def _largest(differences: list[float | None]) -> float | None:
    known = [each for each in differences if each is not None]
    return max(known) if len(known) == len(differences) else None


def _within(weights: float | None, state: float, bound: float) -> bool:
    return (weights is None or weights <= bound) and state <= bound
