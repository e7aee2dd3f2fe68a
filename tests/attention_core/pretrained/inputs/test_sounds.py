"""WAV files decoded and resampled: the standard library's writer, and sines whose samples are known."""

import struct
import tracemalloc

import numpy as np
import pytest
from sound_models import wav

from attention_core.pretrained.errors import InvalidSoundError, SoundTooLongError
from attention_core.pretrained.inputs import sounds
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
    ("file_size", "data_size"),
    [(0xFFFFFFFF, 0xFFFFFFFF), (0x7FFFFFFF, 0x7FFFFFFF - 36), (0x7FFFF024, 0x7FFFF000), (0, 0), (0xFFFFFFFF, 0)],
)
def test_a_sound_of_unknown_length_goes_to_the_end_of_its_file(file_size: int, data_size: int) -> None:
    """As ffmpeg, sox and arecord write into pipes, and recorders before they are stopped."""
    samples = sine(200, RATE)
    file = wav(samples, RATE)
    at = file.index(b"data") + 4
    streamed = file[:4] + struct.pack("<I", file_size) + file[8:at] + struct.pack("<I", data_size) + file[at + 4 :]
    np.testing.assert_array_equal(decode_sound(streamed, 1).samples, decode_sound(file, 1).samples)
    half_a_sample_more = decode_sound(streamed + b"\1", 1)
    assert len(half_a_sample_more.samples) == len(samples)
    with pytest.raises(SoundTooLongError):
        decode_sound(streamed, 0.4)


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


@pytest.mark.full("191999-16000")
@pytest.mark.parametrize(("rate", "wanted"), [(192_000, 16_000), (191_999, 16_000), (1_000, 192_000)])
def test_reading_takes_little_more_than_the_sound(rate: int, wanted: int) -> None:
    """What numpy has allocated at most: the samples as numbers in double precision, once at each rate."""
    channels = 8 if rate > 100_000 else 1
    data = file_of(np.zeros((2 * rate, channels), dtype=np.int16), rate)
    tracemalloc.start()
    try:
        resampled(decode_sound(data, 30), wanted)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 2 * len(data) + 2 * 8 * 2 * (rate + wanted) + 40 * 2**20


def test_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = np.random.default_rng(1).integers(-9_000, 9_000, (3_000, 2), dtype=np.int16)
    data = file_of(samples, 8_000)
    whole = resampled(decode_sound(data, 30), 16_000).samples
    monkeypatch.setattr(sounds, "BLOCK", 501)
    np.testing.assert_allclose(resampled(decode_sound(data, 30), 16_000).samples, whole, atol=1e-6)
    np.testing.assert_allclose(decode_sound(data, 30).samples, samples.mean(axis=1) / 2**15, atol=1e-6)


def file_of(samples: np.ndarray, rate: int) -> bytes:
    """A file of several channels, 16 bits a sample."""
    body, channels = samples.tobytes(), samples.shape[1]
    layout = struct.pack("<HHIIHH", 1, channels, rate, 2 * rate * channels, 2 * channels, 16)
    chunks = b"WAVEfmt " + struct.pack("<I", 16) + layout + b"data" + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", len(chunks)) + chunks
