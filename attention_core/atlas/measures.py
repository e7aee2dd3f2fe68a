"""The measures of a head over a corpus: title, definition, source and unit of each.

A single text has them too (``attention_core.pretrained.studies.prompts.text_measures``).
"""

from typing import Literal, get_args

from attention_core.pretrained.recording.metrics import MetricInfo
from attention_core.pretrained.studies.prompts.text_measures import PROMPT_MEASURES

MeasureName = Literal[
    "entropy",
    "strongest_weight",
    "mean_distance",
    "previous_token",
    "next_token",
    "same_token",
    "positional_regularity",
    "first_token",
    "separator",
    "induction",
    "duplicate_token",
    "norm_weighted",
]

MEASURES: dict[str, MetricInfo] = {name: PROMPT_MEASURES[name] for name in get_args(MeasureName)}
"""Every measure by name, in the order in which it is shown."""

PER_QUERY = tuple(name for name in MEASURES if name != "positional_regularity")
"""Measures that each query has a value of, so that they have a distribution."""
