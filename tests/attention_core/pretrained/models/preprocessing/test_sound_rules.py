"""Preprocessing of sounds, against the library's AutoFeatureExtractor on the same folder."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoConfig, AutoFeatureExtractor, SeamlessM4TFeatureExtractor

from attention_core.pretrained.models.files.folders import read_shape
from attention_core.pretrained.models.preprocessing.sound_rules import SoundRules, sound_rules

SOUND = np.random.default_rng(2).normal(0, 0.1, 8_000).astype(np.float32)
WAVEFORMS = (
    *("data2vec-audio", "hubert", "sew", "sew-d", "unispeech", "unispeech-sat"),
    *("wav2vec2", "wav2vec2-conformer", "wavlm"),
)
FILES: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {"sampling_rate": 16_000}) for name in WAVEFORMS},
    "spectrogram": ("audio-spectrogram-transformer", {"max_length": 200}),
    "spectrogram-not-normalised": ("audio-spectrogram-transformer", {"do_normalize": False, "num_mel_bins": 64}),
    "named": ("wav2vec2", {"do_normalize": False, "feature_extractor_type": "Wav2Vec2FeatureExtractor"}),
    "speech_to_text": ("speech_to_text", {"normalize_vars": False}),
    "parakeet": ("parakeet_encoder", {"preemphasis": 0.5}),
    "lasr": ("lasr_encoder", {}),
    "whisper": ("whisper", {"chunk_length": 4}),
}


def features_of(rules: SoundRules) -> torch.Tensor:
    (made,) = rules.features(SOUND).values()
    return made


@pytest.mark.parametrize("name", FILES)
def test_a_file_means_what_it_means_to_the_library(tmp_path: Path, name: str) -> None:
    model_type, preprocessor = FILES[name]
    AutoConfig.for_model(model_type).save_pretrained(tmp_path)
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(preprocessor))
    theirs = AutoFeatureExtractor.from_pretrained(tmp_path)
    rules = read_shape(tmp_path).sounds
    assert rules is not None
    expected = theirs(SOUND, sampling_rate=theirs.sampling_rate, return_tensors="pt")
    given = expected["input_values" if "input_values" in expected else "input_features"]
    torch.testing.assert_close(features_of(rules), given, rtol=0, atol=0)
    assert {**rules.extractor.to_dict()} == {**theirs.to_dict()}


def test_settings_inside_processor_config_come_first(tmp_path: Path) -> None:
    AutoConfig.for_model("wav2vec2").save_pretrained(tmp_path)
    (tmp_path / "preprocessor_config.json").write_text(json.dumps({"do_normalize": True}))
    inside = {"feature_extractor": {"do_normalize": False}, "processor_class": "Wav2Vec2Processor"}
    (tmp_path / "processor_config.json").write_text(json.dumps(inside))
    rules = read_shape(tmp_path).sounds
    assert rules is not None
    np.testing.assert_array_equal(features_of(rules)[0].numpy(), SOUND)
    assert not AutoFeatureExtractor.from_pretrained(tmp_path).do_normalize


def test_without_a_file_bands_are_those_of_the_model() -> None:
    assert sound_rules(AutoConfig.for_model("whisper", num_mel_bins=128), None).extractor.feature_size == 128
    spectrogram = sound_rules(AutoConfig.for_model("audio-spectrogram-transformer", num_mel_bins=64), {}).extractor
    assert (spectrogram.num_mel_bins, spectrogram.feature_size) == (64, 1)
    bert = sound_rules(AutoConfig.for_model("wav2vec2-bert"), {"processor_class": "Wav2Vec2BertProcessor"}).extractor
    assert isinstance(bert, SeamlessM4TFeatureExtractor)
