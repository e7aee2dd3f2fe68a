"""WAV files decoded and resampled: the standard library's writer, and sines whose samples are known."""

import struct

import numpy as np
import pytest
from sound_models import wav

from attention_core.pretrained.errors import InvalidSoundError, SoundTooLongError
from attention_core.pretrained.inputs.sounds import Sound, decode_sound, encode_sound, resampled

RATE = 8_000


def sine(frequency: float, rate: int, seconds: float = 0.5) -> np.ndarray:
    return 0.6 * np.sin(2 * np.pi * frequency * np.arange(round(seconds * rate)) / rate)


@pytest.mark.parametrize(("width", "step"), [(1, 2**-7), (2, 2**-15), (3, 2**-23), (4, 2**-24)])
def test_integers_of_every_width(width: int, step: float) -> None:
    stereo = np.stack([sine(200, RATE), sine(300, RATE)], axis=1)
    sound = decode_sound(wav(stereo, RATE, width), 1)
    assert (sound.sampling_rate, sound.seconds) == (RATE, 0.5)
    np.testing.assert_allclose(sound.samples, stereo.mean(axis=1), rtol=0, atol=1.5 * step)


def test_floating_point_and_other_chunks() -> None:
    sound = Sound(sine(200, RATE).astype(np.float32), RATE)
    file = encode_sound(sound)
    listed = file[:36] + b"LIST" + struct.pack("<I", 3) + b"abc\0" + file[36:]
    extensible = file[:16] + struct.pack("<IHHIIHH", 40, 0xFFFE, 1, RATE, 4 * RATE, 4, 32)
    extensible += struct.pack("<HHIH", 22, 32, 0, 3) + bytes(14) + file[36:]
    for each in (file, listed, extensible):
        np.testing.assert_array_equal(decode_sound(each, 1).samples, sound.samples)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"RIFF",
        b"ID3" + bytes(90),
        wav(sine(200, RATE))[:-1],
        wav(sine(200, RATE))[:30],
        wav(sine(200, RATE, 0.01)),
        wav(sine(200, RATE))[:20] + b"\x11" + wav(sine(200, RATE))[21:],
        encode_sound(Sound(np.full(RATE, np.nan, dtype=np.float32), RATE)),
    ],
)
def test_other_files_are_refused(data: bytes) -> None:
    with pytest.raises(InvalidSoundError):
        decode_sound(data, 1)


def test_longer_sounds_are_refused() -> None:
    with pytest.raises(SoundTooLongError, match=r"0\.5 s; at most 0\.4 s"):
        decode_sound(wav(sine(200, RATE), RATE), 0.4)


@pytest.mark.parametrize(("source", "wanted"), [(44_100, 16_000), (8_000, 16_000), (48_000, 16_000), (22_050, 16_000)])
def test_resampling_keeps_what_both_rates_can_hold(source: int, wanted: int) -> None:
    for frequency in (440.0, 3_000.0):
        made = resampled(Sound(sine(frequency, source).astype(np.float32), source), wanted)
        assert made.sampling_rate == wanted
        inner = slice(wanted // 20, -wanted // 20)  # at its ends a sound begins and stops at once
        np.testing.assert_allclose(made.samples[inner], sine(frequency, wanted)[inner], rtol=0, atol=2e-4)


def test_resampling_removes_what_the_lower_rate_cannot_hold() -> None:
    made = resampled(Sound(sine(9_500, 44_100).astype(np.float32), 44_100), 16_000)
    assert np.abs(made.samples[800:-800]).max() < 1e-3
