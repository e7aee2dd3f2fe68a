"""The measures of a head over a corpus: title, definition, source and unit of each.

Those that an analysis of one text has too are its metrics (``attention_core.pretrained.recording.metrics``).
"""

from typing import Literal, get_args

from attention_core.pretrained.recording.metrics import METRICS, MetricInfo

_OWN: dict[str, MetricInfo] = {
    "strongest_weight": MetricInfo(
        "Strongest weight",
        "The largest weight of each query, averaged: 1 when it attends to one token.",
        "Voita et al. (2019), section 4 (confidence)",
        "share",
    ),
    "induction": MetricInfo(
        "Induction",
        "Weight on the token that followed this token's last occurrence, averaged over the queries that have one.",
        "Olsson et al. (2022), prefix matching",
        "share",
        self_attention_only=True,
    ),
    "duplicate_token": MetricInfo(
        "Duplicate token",
        "Weight on this token's last occurrence, averaged over the queries that have one.",
        "Wang et al. (2022), section 3",
        "share",
        self_attention_only=True,
    ),
    "norm_weighted": MetricInfo(
        "Contribution",
        "Σ ‖α f(x)‖ over the keys of each query, averaged: how much the head writes.",
        "Kobayashi et al. (2020), section 3",
        "length",
    ),
}

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

MEASURES: dict[str, MetricInfo] = {
    name: METRICS[name] if name in METRICS else _OWN[name] for name in get_args(MeasureName)
}
"""Every measure by name, in the order in which it is shown."""

PER_QUERY = tuple(name for name in MEASURES if name != "positional_regularity")
"""Measures that each query has a value of, so that they have a distribution."""
