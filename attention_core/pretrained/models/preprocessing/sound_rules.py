"""Sound preprocessing of an audio model: the model's own feature extractor, from preprocessor_config.json.

Either log-mel spectrograms (Whisper, the Audio Spectrogram Transformer) or the waveform itself (wav2vec 2.0, HuBERT);
``inputs.sounds`` carries it out.
"""

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor
from transformers import PreTrainedConfig
from transformers.models.auto.feature_extraction_auto import (
    FEATURE_EXTRACTOR_MAPPING_NAMES,
    feature_extractor_class_from_name,
)

from attention_core.pretrained.errors import ModelUnavailableError, as_unavailable
from attention_core.pretrained.models.library_source import modeling_source
from attention_core.refusal import Sentence

TAKES_SOUNDS = Sentence("This model takes sounds, not texts: send one to POST /api/analyses/sound.")
NO_EXTRACTOR = Sentence("transformers has no feature extractor that makes its input of a sound.")
NAMES = ("input_features", "input_values")
"""What models call the input that a feature extractor makes of a sound."""
RATES = range(1_000, 192_001)
"""Samples per second that a model may be made for."""
PUBLISHED_WITH = {"wav2vec2-bert": "SeamlessM4TFeatureExtractor"}
"""Feature extractors of published models where transformers names one of another kind: w2v-BERT reads a spectrogram."""


@dataclass(frozen=True, eq=False)
class SoundRules:
    """A model's sound preprocessing."""

    extractor: Any
    """The library's feature extractor."""
    sampling_rate: int
    """Samples per second."""
    longest: float | None
    """Seconds that the model reads, shorter sounds being filled up with silence; None if it reads any length."""

    def features(self, samples: Float[np.ndarray, " S"]) -> dict[str, Tensor]:
        """The model's input, of samples at its rate. Raises ModelUnavailableError if the extractor fails."""
        with as_unavailable("Its feature extractor fails on this sound."):
            made = self.extractor(samples, sampling_rate=self.sampling_rate, return_tensors="pt")
        return {name: torch.as_tensor(made[name]) for name in NAMES if name in made}


def reads_sounds(config: PreTrainedConfig, architecture: str) -> bool:
    """Whether this class takes sounds, by the library's code."""
    _, _, behind = modeling_source(config).partition(f"\nclass {architecture}(")
    block = re.split(r"\n(?:class|def|@) ?", behind, maxsplit=1)[0]
    return re.search(r"\b(?:input_features|input_values)\s*:", block) is not None


def sound_rules(config: PreTrainedConfig, preprocessor: Mapping[str, Any] | None) -> SoundRules:
    """The model's feature extractor, with its settings from preprocessor_config.json.

    What the file leaves out is the class's default, except that the bands are as many as the model reads. Raises
    ModelUnavailableError if there is no extractor for this model.
    """
    settings = dict(preprocessor or {})
    usual = PUBLISHED_WITH.get(config.model_type, FEATURE_EXTRACTOR_MAPPING_NAMES.get(config.model_type))
    name = settings.get("feature_extractor_type") or getattr(config, "feature_extractor_type", None) or usual
    made = feature_extractor_class_from_name(name) if isinstance(name, str) else None
    if made is None:
        raise ModelUnavailableError(NO_EXTRACTOR)
    with as_unavailable("preprocessor_config.json does not describe valid sound preprocessing."):
        extractor = made(**{**_bands(made, config), **settings})
        rate = int(extractor.sampling_rate)
    if rate not in RATES:
        raise ModelUnavailableError("preprocessor_config.json does not describe valid sound preprocessing.")
    return SoundRules(extractor, rate, _longest(extractor, rate))


def _bands(made: type, config: PreTrainedConfig) -> dict[str, int]:
    """The arguments that give the number of bands (a waveform's feature_size is 1)."""
    bands = getattr(config, "num_mel_bins", None)
    arguments = inspect.signature(made).parameters
    usual = {name: arguments[name].default for name in ("feature_size", "num_mel_bins") if name in arguments}
    return {} if bands is None else {name: bands for name, default in usual.items() if default != 1}


def _longest(extractor: Any, rate: int) -> float | None:
    if isinstance(count := getattr(extractor, "n_samples", None), int):
        return count / rate
    frames = getattr(extractor, "max_length", None)
    return frames / 100 if isinstance(frames, int) else None  # kaldi's frames, one in 10 ms
