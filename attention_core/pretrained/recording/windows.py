"""Compute any window of any stage of any head exactly from the record."""

from typing import Literal

from jaxtyping import Float
from torch import Tensor

from attention_core.blockwise.given_weights import GivenWeights
from attention_core.pretrained.recording.output_projections import value_norms
from attention_core.pretrained.recording.recorder import LayerRecord
from attention_core.refusal import InvalidValueError
from attention_core.trace import STAGES as TRACE_STAGES

STAGES = (*TRACE_STAGES, "value_weighted", "norm_weighted")
"""The square stages of a recorded head. ``value_weighted`` is weight · ‖value‖; ``norm_weighted`` is ‖α f(x)‖ with
``f(x) = (x W_V + b_V) W_O``: how long the vector is that the head adds to the residual stream (Kobayashi et al. 2020,
section 3)."""

SCORES = frozenset({"raw_scores", "scaled_scores", "masked_scores"})
"""The stages before the softmax."""

Pooling = Literal["max", "mean"]
ROWS_AT_ONCE = 256


def known_stages(layer: LayerRecord) -> tuple[str, ...]:
    """The stages this record supports: given weights have no scores, and weighted stages need values."""
    unknown: set[str] = set()
    if isinstance(layer.attention, GivenWeights):
        unknown |= SCORES
    if layer.attention.values.shape[-1] == 0:
        unknown.add("value_weighted")
    if layer.projection is None:
        unknown.add("norm_weighted")
    return tuple(stage for stage in STAGES if stage not in unknown)


def stage_window(layer: LayerRecord, head: int, stage: str, rows: slice, cols: slice) -> Float[Tensor, "rows cols"]:
    """One stage of one head for these queries and keys, at full resolution, of the first text of the batch."""
    return _stage(layer, head, stage, rows, cols)[0, 0]


def _stage(layer: LayerRecord, head: int, stage: str, rows: slice, cols: slice) -> Float[Tensor, "B 1 rows cols"]:
    attention = layer.attention.head(head)
    log_sum_exp = layer.log_sum_exp[:, head : head + 1]
    match stage:
        case "raw_scores":
            return attention.raw_scores(rows, cols)
        case "scaled_scores":
            return attention.scaled_scores(rows, cols)
        case "masked_scores":
            return attention.masked_scores(rows, cols)
        case "weights" | "value_weighted" | "norm_weighted":
            norms = key_norms(layer, head, stage, cols)
            weights = attention.weights(rows, cols, log_sum_exp)
            return weights if norms is None else weights * norms
        case _:
            raise InvalidValueError(
                "{name} must be one of {choices}, not {given}", "stage", ", ".join(STAGES), repr(stage)
            )


def key_norms(layer: LayerRecord, head: int, stage: str, cols: slice) -> Float[Tensor, " cols"] | None:
    """The factor that ``stage`` applies to each key's weight: ‖value‖ or ‖f(x)‖; None for any other stage."""
    if stage not in {"value_weighted", "norm_weighted"}:
        return None
    values = layer.attention.head(head).values[0, 0, cols]
    if stage == "value_weighted":
        return values.float().norm(dim=-1)
    if layer.projection is None:
        raise InvalidValueError("stage norm_weighted needs the layer's output projection, which is unknown")
    return value_norms(values, layer.projection.of_head(head, values.shape[-1]))
