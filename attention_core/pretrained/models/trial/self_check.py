"""Check a loaded model: our attention against the library's on a few random tokens, and on many.

The model makes the pass that an analysis makes. Every weight of every head and the last hidden state are compared
(``parity.agreement``), and the rows of every layer are those of the tokens. The second input is longer than windows and
original contexts, as far as the model takes it and its cost allows: a rule that begins to matter there is tried, and
what rounding makes of a longer text is known.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
import transformers
from torch import Tensor
from transformers import PreTrainedModel

from attention_core.pretrained.errors import ModelUnavailableError, as_unavailable
from attention_core.pretrained.recording.parity import ROUNDING_STEPS, Agreement, agreement
from attention_core.pretrained.recording.recorder import LayerRecord
from attention_core.refusal import Sentence

VERSION = 3
"""Increment when the check changes."""
WINDOW_BOUND = 1e-5
"""Largest difference between a window and the same cells of the whole, and between a row's sum and 1."""

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
    """Of the longest input."""
    reach: tuple[Sentence, ...] = ()
    """What is to be said of which position reaches which (``reach_check``)."""


def check_key(fingerprint: str, device: torch.device, dtype: torch.dtype) -> CheckKey:
    """The key a check is valid for: files, check version, library, device and dtype."""
    return (fingerprint, VERSION, transformers.__version__, str(device), str(dtype))


def self_check(model: PreTrainedModel, *inputs: Mapping[str, Tensor]) -> SelfCheck:
    """Compare both on each of these inputs. Raises ModelUnavailableError saying what differs, and by how much."""
    checks = [_checked(model, each) for each in inputs]
    weights = [each.weights for each in checks if each.weights is not None]
    return SelfCheck(
        max(weights) if len(weights) == len(checks) else None,
        max(each.relative_state for each in checks),
        max(each.bound for each in checks),
        max(_tokens(each) for each in checks),
    )


def _tokens(found: Agreement) -> int:
    return max(layer.attention.num_queries for layer in found.layers)


def _checked(model: PreTrainedModel, inputs: Mapping[str, Tensor]) -> Agreement:
    with as_unavailable("The library's own eager attention, with which ours is compared, does not run on it: {cause}."):
        measured = agreement(model, inputs)
    with torch.inference_mode():
        _check_windows(measured.layers)
    if measured.weights is not None and not measured.weights <= measured.bound:
        raise ModelUnavailableError(
            "With our attention it does not compute what it computes with the library's own: on "
            "{tokens} random tokens its weights differ by up to {weights}, and rounding explains "
            "{bound}.",
            _tokens(measured),
            f"{measured.weights:.2g}",
            f"{measured.bound:.2g}",
        )
    if not measured.relative_state <= measured.bound:
        raise ModelUnavailableError(
            "With our attention it does not compute what it computes with the library's own: on "
            "{tokens} random tokens its last hidden state differs by {state} of its largest number, "
            "and rounding explains {bound}.",
            _tokens(measured),
            f"{measured.relative_state:.2g}",
            f"{measured.bound:.2g}",
        )
    return measured


def _check_windows(layers: list[LayerRecord]) -> None:
    """Check that windows of a head's weights match the whole, and that rows sum to 1 with their sink, or to 0."""
    for number, layer in enumerate(layers):
        attention = layer.attention
        rows, cols = slice(0, attention.num_queries), slice(0, attention.num_keys)
        with as_unavailable("The weights of layer {number} cannot be computed window by window: {cause}.", number):
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
