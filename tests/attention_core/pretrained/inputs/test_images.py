"""Image files: bounded decoding, preprocessing as in the library."""

import io
import struct
import zlib
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from transformers import CLIPVisionConfig, ViTConfig
from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil
from transformers.models.vit.image_processing_pil_vit import ViTImageProcessorPil

from attention_core.pretrained.errors import (
    ImageTooLargeError,
    InvalidImageError,
    ModelUnavailableError,
    ReadsImagesError,
)
from attention_core.pretrained.inputs.images import decode_image, prepare, prepared_again
from attention_core.pretrained.models.preprocessing.image_rules import ImageRules, NoTokenizer, image_rules

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


PREPROCESSORS: list[dict[str, Any]] = [
    {},
    {"image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225], "resample": 3},
    {"do_normalize": False},
    {"do_rescale": False, "resample": 0},
    {"rescale_factor": 1 / 127.5, "image_mean": [1.0, 1.0, 1.0], "image_std": [1.0, 1.0, 1.0]},
]


@pytest.mark.parametrize("preprocessor", PREPROCESSORS)
def test_preparation_is_that_of_the_library(preprocessor: dict[str, Any]) -> None:
    rules = image_rules(ViTConfig(image_size=8, patch_size=4), preprocessor)
    image = Image.fromarray(PIXELS)
    theirs = ViTImageProcessorPil(size={"height": 8, "width": 8}, **preprocessor)(image, return_tensors="pt")
    pixels, picture = prepare(image, rules)
    torch.testing.assert_close(pixels, theirs["pixel_values"].float(), rtol=1e-6, atol=1e-6)
    assert (picture.width, picture.height, picture.patch, picture.grid) == (8, 8, (4, 4), (2, 2))
    assert picture.original_size == (21, 13)
    shown = np.asarray(Image.open(io.BytesIO(picture.png)))
    np.testing.assert_array_equal(shown, np.asarray(image.resize((8, 8), rules.resample)))


@pytest.mark.parametrize("edge", [8, 11])
@pytest.mark.parametrize("turned", [False, True])
def test_centre_is_cropped_as_the_library_does(edge: int, turned: bool) -> None:
    """CLIP's steps: the shorter side to a length, then a square from the centre."""
    steps = {"size": {"shortest_edge": edge}, "do_center_crop": True, "crop_size": {"height": 8, "width": 8}}
    rules = image_rules(CLIPVisionConfig(image_size=8, patch_size=4), {**steps, "resample": 3})
    image = Image.fromarray(PIXELS.transpose(1, 0, 2).copy() if turned else PIXELS)
    options = {**steps, "do_normalize": True, "image_mean": [0.5] * 3, "image_std": [0.5] * 3}
    theirs = CLIPImageProcessorPil(**options, resample=3)(image, return_tensors="pt")
    pixels, picture = prepare(image, rules)
    torch.testing.assert_close(pixels, theirs["pixel_values"].float(), rtol=1e-6, atol=1e-6)
    assert (picture.width, picture.height, picture.original_size) == (8, 8, image.size)
    torch.testing.assert_close(prepared_again(decode_image(picture.png, 64), rules), pixels)


@pytest.mark.parametrize(
    ("config", "preprocessor", "reason"),
    [
        ({"num_channels": 1}, {}, "does not describe an RGB image"),
        ({"patch_size": 3}, {}, "that divides evenly into its patches"),
        ({}, {"do_center_crop": True, "crop_size": {"height": 12, "width": 12}}, "give different sizes"),
        ({}, {"size": {"shortest_edge": 8}}, "give different sizes"),
        ({}, {"size": {"shortest_edge": 4}, "do_center_crop": True, "crop_size": 8}, "give different sizes"),
        ({}, {"do_resize": False}, "specifies do_resize"),
        ({}, {"size": {"height": 16, "width": 16}}, "give different sizes"),
        ({}, {"image_mean": [0.5]}, "three numbers"),
    ],
)
def test_rules_that_are_not_followed_here(config: dict[str, Any], preprocessor: dict[str, Any], reason: str) -> None:
    with pytest.raises(ModelUnavailableError, match=reason):
        image_rules(ViTConfig(**{"image_size": 8, "patch_size": 4, **config}), preprocessor)


def test_oblong_pictures() -> None:
    rules = image_rules(ViTConfig(image_size=(8, 12), patch_size=(4, 2)), {})
    assert rules == ImageRules(height=8, width=12, patch_height=4, patch_width=2)
    assert rules.grid == (2, 6)


def test_no_tokenizer_knows_classes_and_refuses_texts() -> None:
    tokenizer = NoTokenizer({0: "cat"})
    assert (tokenizer.decode([0]), tokenizer.decode([7]), tokenizer.sep_token_id) == ("cat", "7", None)
    with pytest.raises(ReadsImagesError, match="takes images, not texts"):
        tokenizer.get_vocab()
