"""What every head does for the answer to each prompt: its direct effect on a logit, and gradient × attention."""

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from jaxtyping import Float

from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.metrics import MetricInfo
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.studies.outputs.attribution import attribution
from attention_core.pretrained.studies.outputs.direct_effect import direct_effect
from attention_core.pretrained.studies.prompts.answers import ExpectedToken
from attention_core.pretrained.studies.prompts.averages import PromptMeasures

EffectName = Literal["direct_effect", "attribution"]

EFFECTS: dict[EffectName, MetricInfo] = {
    "direct_effect": MetricInfo(
        "Direct effect",
        "What the head adds directly to the logit: its output through the final norm, whose scale is held fixed, and "
        "the token's row of the output matrix.",
        "Elhage et al. (2021)",
        "logit",
    ),
    "attribution": MetricInfo(
        "Gradient × attention",
        "The head's weights times the gradients of the output with respect to them, summed: its contribution to first "
        "order.",
        "Serrano & Smith (2019); Barkan et al. (2021)",
        "for the output",
    ),
}
"""By name, in the order in which they are shown."""


def effect_of(
    loaded: LoadedModel,
    analysis: Analysis,
    effect: EffectName,
    expected: ExpectedToken | None,
    part: str,
    cancelled: Callable[[], bool] | None = None,
) -> Float[np.ndarray, "layers heads"]:
    """Of every head of a part, on the expected token after the prompt, or else on the output that is explained first:
    the most probable token, or the length of the embedding.

    Raises the errors of ``direct_effect`` and ``attribution``: not every model has them.
    """
    token = None if expected is None else expected.id
    if effect == "direct_effect":
        last = len(analysis.tokens) - 1
        return direct_effect(loaded, analysis, last, token=token, cancelled=cancelled).heads
    attributed = attribution(loaded, analysis, token=token, cancelled=cancelled)
    return next(each for each in attributed.parts if each.name == part).heads


def collect_effects(
    part: str, effect: EffectName, found: Sequence[Float[np.ndarray, "layers heads"]]
) -> PromptMeasures:
    """One effect in each prompt, as a measure of its own."""
    return PromptMeasures(part, {effect: np.stack(found)}, {effect: list(range(len(found)))}, len(found))
