"""Preprocess sound files for an audio model: bounded decoding, one channel, the model's rate.

Files are untrusted. Only WAV is accepted, uncompressed: its chunks are read here, since the standard library's ``wave``
knows neither floating-point samples nor the extensible header that recorders write. (The page has the browser decode
any other format.)
"""

import io
import math
import struct
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attention_core.pretrained.errors import InvalidSoundError, SoundTooLongError

INTEGER, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE
MAX_CHANNELS = 8
RATES = range(1_000, 192_001)
SHORTEST = 0.1
"""Seconds; audio models make no position of less."""
UNKNOWN_LENGTH = 0x7FFF0000
"""Lengths from here on stand for an unknown one, as while recording or into a pipe. So does 0 in a file of length 0."""
BLOCK = 2**20
"""Numbers at a time, while a file is read or resampled."""
WINDOW = 24
"""Zero crossings of the resampling filter on each side."""
ROLLOFF = 0.97
"""Its cut-off, as a share of the lower rate's half."""
STEEPNESS = 9.0
"""The β of its Kaiser window."""


@dataclass(frozen=True, eq=False)
class Sound:
    """A sound as the model hears it."""

    samples: Float[np.ndarray, " S"]
    """From −1 to 1, one channel."""
    sampling_rate: int
    """Samples per second."""

    @property
    def seconds(self) -> float:
        """Its length."""
        return len(self.samples) / self.sampling_rate


@dataclass(frozen=True, eq=False)
class Heard:
    """A sound as an audio model heard it: one channel at the model's rate."""

    seconds: float
    sampling_rate: int
    """Samples per second."""
    hop: float
    """Seconds from one position to the next."""
    heard_seconds: float
    """The length that all positions cover: more than the sound's where the model fills it up with silence."""
    first: int
    """The first token that is a position: tokens before it are learned."""
    bands: int
    """Bands of frequency, each with a position for every stretch of time."""
    outline: Float[np.ndarray, " columns"]
    """The largest amplitude in equal stretches of the sound."""
    target_text: str | None
    """The decoder's text so far, given or transcribed."""


def decode_sound(data: bytes, max_seconds: int | float) -> Sound:
    """The mean of the file's channels.

    Raises InvalidSoundError unless it is a complete uncompressed WAV file, SoundTooLongError from its header alone.
    """
    layout, body = _chunks(data)
    try:
        tag, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", layout)
        if tag == EXTENSIBLE:
            tag = struct.unpack_from("<H", layout, 24)[0]
    except struct.error:
        raise _damaged() from None
    if channels not in range(1, MAX_CHANNELS + 1) or rate not in RATES:
        raise _damaged()
    width = bits // 8 * channels
    if (tag, bits) not in {(INTEGER, 8), (INTEGER, 16), (INTEGER, 24), (INTEGER, 32), (FLOAT, 32), (FLOAT, 64)}:
        raise InvalidSoundError("The WAV file is compressed, or its samples have an unusual format.")
    count = len(body) // width
    if count / rate > max_seconds:
        raise SoundTooLongError(
            "The sound lasts {seconds} s; at most {limit} s are accepted.", f"{count / rate:.1f}", limit=max_seconds
        )
    if count / rate < SHORTEST:
        raise InvalidSoundError("The sound is shorter than {shortest} s.", SHORTEST)
    return Sound(_mean_of_channels(memoryview(body)[: count * width], tag, bits, channels), rate)


def encode_sound(sound: Sound) -> bytes:
    """A WAV file with every sample as it is, in floating point."""
    body = sound.samples.astype("<f4").tobytes()
    rate = sound.sampling_rate
    file = io.BytesIO()
    file.write(b"RIFF" + struct.pack("<I", 36 + len(body)) + b"WAVEfmt ")
    file.write(struct.pack("<IHHIIHH", 16, FLOAT, 1, rate, 4 * rate, 4, 32) + b"data" + struct.pack("<I", len(body)))
    file.write(body)
    return file.getvalue()


def resampled(sound: Sound, rate: int) -> Sound:
    """The sound at another rate, by a Kaiser-windowed sinc whose cut-off is below half of the lower rate."""
    if rate == sound.sampling_rate:
        return sound
    common = math.gcd(rate, sound.sampling_rate)
    up, down = rate // common, sound.sampling_rate // common
    share = ROLLOFF * min(1.0, up / down)
    reach = math.ceil(WINDOW / share)
    padded = np.pad(sound.samples.astype(np.float64), (reach, reach + 1))
    count = -(-len(sound.samples) * up // down)
    made = np.empty(count, dtype=np.float32)
    offsets = np.arange(-reach, reach + 1)
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1)
    for phase in range(min(up, count)):
        # Samples phase, phase + up, … of the result lie equally far from their left neighbours in the source.
        first, beyond = divmod(phase * down, up)
        distances = offsets - beyond / up
        taper = np.i0(STEEPNESS * np.sqrt(1 - (distances / (reach + 1)) ** 2))
        kernel = share * np.sinc(share * distances) * taper
        places = np.arange(phase, count, up)
        starts = first + (places - phase) // up * down
        step = max(BLOCK // len(kernel), 1)
        for block in range(0, len(places), step):
            made[places[block : block + step]] = windows[starts[block : block + step]] @ (kernel / kernel.sum())
    return Sound(made.clip(-1, 1), rate)


def _chunks(data: bytes) -> tuple[bytes, bytes]:
    """The content of the chunks ``fmt `` and ``data``."""
    if data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        raise InvalidSoundError("The sound is not a WAV file.")
    file_size = int.from_bytes(data[4:8], "little")
    is_unfinished = file_size == 0 or file_size >= UNKNOWN_LENGTH
    chunks: dict[bytes, bytes] = {}
    position = 12
    while position + 8 <= len(data) and b"data" not in chunks:
        name, size = struct.unpack_from("<4sI", data, position)
        if name == b"data" and (size >= UNKNOWN_LENGTH or (size == 0 and is_unfinished)):
            size = len(data) - position - 8  # to the end of the file
        if position + 8 + size > len(data):
            raise _damaged()
        chunks.setdefault(name, data[position + 8 : position + 8 + size])
        position += 8 + size + size % 2
    if not {b"fmt ", b"data"} <= chunks.keys():
        raise _damaged()
    return chunks[b"fmt "], chunks[b"data"]


def _mean_of_channels(body: memoryview, tag: int, bits: int, channels: int) -> Float[np.ndarray, " S"]:
    """From −1 to 1. In blocks: as numbers, a file of eight channels takes many times its size."""
    width = bits // 8 * channels
    mean = np.empty(len(body) // width, dtype=np.float32)
    step = max(BLOCK // channels, 1)
    for start in range(0, len(mean), step):
        frames = _numbers(body[start * width : (start + step) * width], tag, bits).reshape(-1, channels)
        if not np.isfinite(frames).all():
            raise _damaged()
        mean[start : start + step] = frames.mean(axis=1).clip(-1, 1)
    return mean


def _numbers(body: memoryview, tag: int, bits: int) -> Float[np.ndarray, " N"]:
    if tag == FLOAT:
        return np.frombuffer(body, f"<f{bits // 8}").astype(np.float64)
    if bits == 8:
        return (np.frombuffer(body, "u1").astype(np.float64) - 128) / 128
    if bits == 24:
        wide = np.zeros((len(body) // 3, 4), dtype=np.uint8)
        wide[:, 1:] = np.frombuffer(body, "u1").reshape(-1, 3)
        return wide.view("<i4").ravel().astype(np.float64) / 2**31
    return np.frombuffer(body, f"<i{bits // 8}").astype(np.float64) / 2 ** (bits - 1)


def _damaged() -> InvalidSoundError:
    return InvalidSoundError("The WAV file is damaged or truncated.")
