"""Image files: bounded decoding."""

import io
import struct
import zlib
from typing import Any

import numpy as np
import pytest
from PIL import Image

from attention_core.pretrained.errors import ImageTooLargeError, InvalidImageError
from attention_core.pretrained.inputs.images import decode_image

PIXELS = np.random.default_rng(4).integers(0, 256, (13, 21, 3), dtype=np.uint8)


def file(format: str, image: Image.Image | None = None, **options: Any) -> bytes:  # noqa: A002 - Pillow calls it so
    buffer = io.BytesIO()
    (image or Image.fromarray(PIXELS)).save(buffer, format=format, **options)
    return buffer.getvalue()


@pytest.mark.parametrize(("format", "options"), [("PNG", {}), ("WEBP", {"lossless": True})])
def test_lossless_formats_keep_every_pixel(format: str, options: dict[str, Any]) -> None:  # noqa: A002
    np.testing.assert_array_equal(np.asarray(decode_image(file(format, **options), 300)), PIXELS)


def test_jpeg_keeps_a_plain_colour() -> None:
    image = decode_image(file("JPEG", Image.new("RGB", (9, 5), (200, 30, 60)), quality=95), 300)
    assert (image.size, image.mode) == ((9, 5), "RGB")
    assert np.abs(np.asarray(image).astype(int) - [200, 30, 60]).max() <= 3


def test_any_mode_becomes_rgb_and_upright() -> None:
    for mode in ("L", "RGBA", "P", "1", "I;16"):
        image = Image.new(mode, (7, 3))
        assert decode_image(file("PNG", image), 300).mode == "RGB"
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by 90°
    assert decode_image(file("JPEG", Image.new("RGB", (7, 3)), exif=exif), 300).size == (3, 7)


def test_the_bound_is_on_pixels() -> None:
    assert decode_image(file("PNG"), 13 * 21).size == (21, 13)
    with pytest.raises(ImageTooLargeError, match=r"21 × 13 pixels; this server accepts at most 272") as caught:
        decode_image(file("PNG"), 13 * 21 - 1)
    assert (caught.value.field, caught.value.limit) == ("image", 272)


def bomb(width: int, height: int) -> bytes:
    """A PNG of some bytes that claims to be enormous."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"0")) + chunk(b"IEND", b"")


@pytest.mark.parametrize("side", [5_000, 10_000, 60_000])
def test_a_bomb_is_refused_before_it_is_decoded(side: int) -> None:
    with pytest.raises(ImageTooLargeError, match=r"this server accepts at most 16777216\.$"):
        decode_image(bomb(side, side), 2**24)


@pytest.mark.parametrize("data", [b"", b"GIF89a", b"not an image", file("GIF"), file("BMP"), file("TIFF")])
def test_what_is_no_image_of_a_known_format(data: bytes) -> None:
    with pytest.raises(InvalidImageError, match="not a PNG, JPEG or WebP file"):
        decode_image(data, 2**24)


@pytest.mark.parametrize("format", ["PNG", "JPEG", "WEBP"])
def test_half_an_image(format: str) -> None:  # noqa: A002
    data = file(format)
    for end in (len(data) // 2, len(data) * 3 // 4):
        with pytest.raises(InvalidImageError, match=r"damaged or truncated|not a PNG, JPEG or WebP"):
            decode_image(data[:end], 2**24)
