"""Where a model's positions are in a sound: how long each of them is, and which bands of frequency there are."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from torch import Tensor
from transformers import PreTrainedConfig

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.preprocessing.sound_rules import SoundRules

TRIAL_SECONDS = (1, 3)
"""Lengths of the two noises from which the length of a position is measured."""

Counter = Callable[[Mapping[str, Tensor]], int]
"""The number of positions that a model makes of its input."""


@dataclass(frozen=True)
class SoundLayout:
    """The positions of a sound: tokens before them, then one for each stretch of time, band by band."""

    hop: float
    """Seconds from one position to the next."""
    before: tuple[str, ...] = ()
    """Names of learned tokens before the first position."""
    bands: int = 1
    """Bands of frequency, each with as many positions."""


def noise(rules: SoundRules, seconds: int = TRIAL_SECONDS[0]) -> np.ndarray:
    """Always the same noise."""
    return np.random.default_rng(0).normal(0, 0.1, seconds * rules.sampling_rate).astype(np.float32)


def sound_layout(config: PreTrainedConfig, rules: SoundRules, positions: int, count: Counter) -> SoundLayout:
    """The layout of a model that makes ``positions`` of the shorter noise.

    Raises ModelUnavailableError if they are not evenly spaced in time.
    """
    if rules.longest is not None:
        before, bands = _beside_time(config)
        along, rest = divmod(positions - len(before), bands)
        if rest or along < 1:
            raise _uneven()
        return SoundLayout(rules.longest / along, before, bands)
    short, long = TRIAL_SECONDS
    more = count(rules.features(noise(rules, long))) - positions
    if more <= 0:
        raise _uneven()
    hop = (long - short) / more
    if abs(positions * hop - short) > max(4 * hop, 0.1):
        raise _uneven()
    return SoundLayout(hop)


def _beside_time(config: PreTrainedConfig) -> tuple[tuple[str, ...], int]:
    """Learned tokens and bands of a model that cuts a spectrogram into patches."""
    if not hasattr(config, "frequency_stride"):
        return (), 1
    return ("[CLS]", "[DIST]"), (config.num_mel_bins - config.patch_size) // config.frequency_stride + 1


def _uneven() -> ModelUnavailableError:
    return ModelUnavailableError("Its positions are not evenly spaced in time, so they have no place in a sound.")
