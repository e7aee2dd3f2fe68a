"""Reach in an analysed text that runs in another way: packed with another document, behind padding, in cached steps.

One text in each: its tokens from ``start`` on are the second document, or those before it are padding. The model runs
as the library runs it; its layers and its weights are found by running it (``attention_core.reach``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import torch
from jaxtyping import Bool
from torch import Tensor
from transformers import PreTrainedModel

from attention_core.pretrained.errors import SelectionError
from attention_core.reach.allowed import packed, restarting_positions
from attention_core.reach.comparison import Deviation, cached_deviation, packed_deviation
from attention_core.reach.measure import Reach, is_layer, reach
from attention_core.reach.running import Runner
from attention_core.reach.states import EMBEDDINGS

ReachCase = Literal["plain", "packed", "padded", "cached"]
"""The text as it was analysed; two documents in one row; padding on its left; token by token with a KV cache."""
STARTING: tuple[ReachCase, ...] = ("packed", "padded")
"""Those in which something begins in the middle of the text."""
PADDING = 4
"""Positions on the left, unless said otherwise."""


@dataclass(frozen=True)
class StateDeviation:
    """The first state that is another than in one pass, or than the document has alone."""

    layer: int | None
    """After which, from 0; None for what enters the first."""
    position: int
    difference: float
    """Relative to the largest number of the states after this layer."""


@dataclass(frozen=True, eq=False)
class MeasuredCase:
    """What was measured, layer by layer, and what is allowed."""

    found: Reach
    """Of what enters the first layer, and of each layer."""
    masks: list[Bool[Tensor, "queries keys"]]
    asked: Bool[Tensor, " queries"]
    """False for padding, about which nothing is asked."""
    deviation: StateDeviation | None = None
    """Where cached steps or a packed document give another state than one pass, or the document alone."""
    replaced: Bool[Tensor, " keys"] | None = None
    """False for what could not be replaced, of which nothing is known; None: all were."""


def start_of(case: ReachCase, start: int | None, count: int) -> int | None:
    """First token of the second document, or behind the padding; None where nothing begins there.

    Raises SelectionError for one that leaves either side empty, or that the case has not.
    """
    if case not in STARTING:
        if start is not None:
            raise SelectionError("start is of packed and padded texts, not of {case}", case, field="start")
        return None
    if start is None:
        return count // 2 if case == "packed" else min(PADDING, count // 2)
    if not 1 <= start < count:
        raise SelectionError(
            "start must be from 1 to {last}, a token of the text with one before it, not {start}",
            count - 1,
            start,
            field="start",
        )
    return start


def measured_case(
    model: PreTrainedModel,
    inputs: Mapping[str, Tensor],
    masks: Sequence[Tensor],
    case: ReachCase,
    start: int | None,
    **options: Any,
) -> MeasuredCase:
    """Run copies of the text in this way. ``masks`` are what each layer declares for one pass over the text.

    Raises SelectionError where the model has no such way, ValueError where it cannot be measured.
    """
    ids = inputs["input_ids"][0]
    count = len(ids)
    _check(model, masks, case)
    arguments = {name: each for name, each in inputs.items() if name not in {"input_ids", "attention_mask"}}
    asked = torch.ones(count, dtype=torch.bool)
    within = asked.expand(count, count)
    deviation = None
    compared = {name: each for name, each in options.items() if name == "check"}
    if case == "packed" and start is not None:
        documents = (start, count - start)
        within = packed(documents)
        arguments["position_ids"] = restarting_positions(documents).to(ids.device)
        alone = {name: each for name, each in arguments.items() if name != "position_ids"}
        deviation = packed_deviation(model, ids, documents, inputs=arguments, alone=alone, **compared)
    if case == "padded" and start is not None:
        asked = torch.arange(count) >= start
        within = asked.expand(count, count)
        arguments["attention_mask"] = asked.long()[None].to(ids.device)
    if case == "cached":
        options = options | {"chunk": 1}
        deviation = cached_deviation(model, ids, inputs=arguments, **compared)
    measured = reach(model, ids, inputs=arguments, **options)
    return MeasuredCase(
        _of_layers(measured, len(masks)),
        [each & within for each in masks],
        asked,
        _deviation(deviation, measured.names),
    )


def _check(model: PreTrainedModel, masks: Sequence[Tensor], case: ReachCase) -> None:
    takes = Runner(model).parameters()
    is_causal = not any(bool(each.triu(1).any()) for each in masks)
    if case == "packed" and not ("position_ids" in takes and is_causal):
        raise SelectionError("packed documents need a causal model that takes position ids", field="case")
    if case == "padded" and "attention_mask" not in takes:
        raise SelectionError("padding needs a model that takes an attention mask", field="case")
    if case == "cached" and not ("past_key_values" in takes and is_causal):
        raise SelectionError("cached steps need a causal model with a KV cache", field="case")


def _deviation(found: Deviation | None, names: Sequence[str]) -> StateDeviation | None:
    layers = [name for name in names if is_layer(name)]
    if found is None or found.name not in {EMBEDDINGS, *layers}:  # in the output, which is no state of a layer
        return None
    layer = layers.index(found.name) if found.name in layers else None
    return StateDeviation(layer, found.position, found.difference)


def _of_layers(found: Reach, layers: int) -> Reach:
    """Without what is no layer's, but for what enters the first."""
    kept = [index for index, name in enumerate(found.names) if is_layer(name)]
    if len(kept) != layers or found.names[0] != EMBEDDINGS:
        raise SelectionError(
            "model must return its states after each of its {layers} layers; {found} were found",
            layers,
            len(kept),
            field="case",
        )
    kept = [0, *kept]
    return replace(
        found,
        names=(EMBEDDINGS, *(f"layer {index}" for index in range(layers))),
        change=found.change[kept],
        floor=found.floor[kept],
        weights=tuple(found.weights[index] for index in kept),
    )
