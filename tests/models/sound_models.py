"""Tiny random audio models, and sounds to give them."""

import io
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from tiny_models import FORWARD, LAYERS, byte_pairs
from transformers import PreTrainedConfig

SPOKEN = {"vocab_size": 384, "bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2}
WAVES = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "num_feat_extract_layers": 3,
    "conv_dim": (16, 16, 16),
    "conv_stride": (10, 8, 4),
    "conv_kernel": (10, 8, 4),
    "num_conv_pos_embeddings": 8,
    "num_conv_pos_embedding_groups": 2,
}

SOUND_MODELS: dict[str, tuple[str, Callable[[], PreTrainedConfig], Callable[[], Any]]] = {
    "whisper": (
        "WhisperForConditionalGeneration",
        lambda: transformers.WhisperConfig(
            **SPOKEN,
            d_model=32,
            **LAYERS,
            **FORWARD,
            num_mel_bins=8,
            max_source_positions=100,
            max_target_positions=20,
            decoder_start_token_id=0,
        ),
        lambda: transformers.WhisperFeatureExtractor(feature_size=8, chunk_length=2),
    ),
    "wav2vec2": (
        "Wav2Vec2ForCTC",
        lambda: transformers.Wav2Vec2Config(**WAVES),
        transformers.Wav2Vec2FeatureExtractor,
    ),
    "hubert": (
        "HubertModel",
        lambda: transformers.HubertConfig(**WAVES),
        transformers.Wav2Vec2FeatureExtractor,
    ),
    "wavlm": (
        "WavLMModel",
        lambda: transformers.WavLMConfig(**WAVES),
        transformers.Wav2Vec2FeatureExtractor,
    ),
    "cohere": (
        "CohereAsrForConditionalGeneration",
        lambda: transformers.CohereAsrConfig(
            **SPOKEN,
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=48,
            max_position_embeddings=20,
            decoder_start_token_id=0,
            encoder_config={
                "hidden_size": 24,
                "num_hidden_layers": 3,
                "num_attention_heads": 4,
                "intermediate_size": 48,
                "num_mel_bins": 16,
                "subsampling_conv_channels": 8,
            },
        ),
        lambda: transformers.CohereAsrFeatureExtractor(
            feature_size=16, n_fft=400, max_audio_clip_s=4, overlap_chunk_second=1
        ),
    ),
    "w2v-bert": (
        "Wav2Vec2BertModel",
        lambda: transformers.Wav2Vec2BertConfig(
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=48,
            feature_projection_input_dim=16,
        ),
        lambda: transformers.SeamlessM4TFeatureExtractor(feature_size=8, num_mel_bins=8),
    ),
    "sew-d": (
        "SEWDModel",
        lambda: transformers.SEWDConfig(**WAVES, squeeze_factor=2, max_position_embeddings=64, position_buckets=16),
        transformers.Wav2Vec2FeatureExtractor,
    ),
    "ast": (
        "ASTModel",
        lambda: transformers.ASTConfig(
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=48,
            patch_size=8,
            frequency_stride=8,
            time_stride=8,
            max_length=80,
            num_mel_bins=24,
        ),
        lambda: transformers.ASTFeatureExtractor(num_mel_bins=24, max_length=80),
    ),
}


def write_sound_model(directory: Path, name: str) -> Path:
    """Write one of SOUND_MODELS into a folder of that name; its weights make heads far from uniform."""
    architecture, make_config, make_extractor = SOUND_MODELS[name]
    with torch.random.fork_rng():
        torch.manual_seed(23)
        model = getattr(transformers, architecture)(make_config())
        for parameter_name, parameter in model.named_parameters():
            if parameter.ndim == 2 and "conv" not in parameter_name:
                parameter.data.normal_(std=0.2)
    folder = directory / name
    model.save_pretrained(folder)
    make_extractor().save_pretrained(folder)
    if name in {"whisper", "cohere"}:
        byte_pairs(specials=True).save_pretrained(folder)
    return folder


def tones(seconds: float, rate: int = 16_000) -> np.ndarray:
    """Two tones, the second one higher: float64 from −1 to 1."""
    time = np.arange(round(seconds * rate)) / rate
    return 0.4 * np.sin(2 * np.pi * np.where(time < seconds / 2, 300, 700) * time)


def wav(samples: np.ndarray, rate: int = 16_000, width: int = 2) -> bytes:
    """A WAV file by the standard library, with (samples,) or (samples, channels) rounded to ``width`` bytes."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1 if samples.ndim == 1 else samples.shape[1])
        writer.setsampwidth(width)
        writer.setframerate(rate)
        numbers = np.round(samples * (2 ** (8 * width - 1) - 1)).astype("<i4").reshape(-1)
        raw = numbers + 128 if width == 1 else numbers
        writer.writeframes(raw.astype("<i4").view("u1").reshape(-1, 4)[:, :width].tobytes())
    return file.getvalue()
