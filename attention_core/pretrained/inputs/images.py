"""Preprocess image files for a vision transformer: bounded decoding, resizing, normalisation, patches.

Files are untrusted: the size is checked in the header before a pixel is decoded, and only PNG, JPEG and WebP are
accepted. Preprocessing is that of transformers' image processors: resize, divide by 255, subtract the mean, divide by
the standard deviation, each as preprocessor_config.json specifies.
"""

import io
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from PIL import Image, ImageOps, UnidentifiedImageError
from torch import Tensor

from attention_core.pretrained.errors import ImageTooLargeError, InvalidImageError
from attention_core.pretrained.models.preprocessing.image_rules import ImageRules

FORMATS = ("PNG", "JPEG", "WEBP")


@dataclass(frozen=True)
class Picture:
    """The image as the model sees it, for overlays."""

    width: int
    height: int
    patch: tuple[int, int]
    """Height and width of one patch, in pixels."""
    grid: tuple[int, int]
    """Patches down and across."""
    original_size: tuple[int, int]
    """Width and height of the uploaded image."""
    png: bytes
    """The resized image."""


def decode_image(data: bytes, max_pixels: int) -> Image.Image:
    """The first frame as RGB, upright.

    Raises InvalidImageError unless it is a complete image in a known format, ImageTooLargeError from its header alone.
    """
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            width, height = image.size
            if width * height > max_pixels:
                raise _too_large(max_pixels, f"{width} × {height}")
            return ImageOps.exif_transpose(image).convert("RGB")
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise _too_large(max_pixels, "far too many") from error
    except UnidentifiedImageError as error:
        raise InvalidImageError("The image is not a PNG, JPEG or WebP file.") from error
    except (OSError, ValueError, SyntaxError, EOFError, OverflowError) as error:  # raised by Pillow's decoders
        raise InvalidImageError("The image file is damaged or truncated.") from error


def prepare(image: Image.Image, rules: ImageRules) -> tuple[Float[Tensor, "1 3 H W"], Picture]:
    """The model's input, and the same image for display."""
    resized = _cut(image, rules)
    pixels = _normalised(resized, rules)
    file = io.BytesIO()
    resized.save(file, format="PNG")
    picture = Picture(
        width=rules.width,
        height=rules.height,
        patch=(rules.patch_height, rules.patch_width),
        grid=rules.grid,
        original_size=image.size,
        png=file.getvalue(),
    )
    return pixels, picture


def prepared_again(image: Image.Image, rules: ImageRules) -> Float[Tensor, "1 3 H W"]:
    """The model's input from an image that ``prepare`` has already resized and cropped."""
    return _normalised(image, rules)


def _cut(image: Image.Image, rules: ImageRules) -> Image.Image:
    """Resized, and cropped to its centre."""
    size = (rules.height, rules.width) if rules.resize is None else rules.resize
    if isinstance(size, int):
        across, down = image.size
        shorter = min(across, down)
        size = (int(size * down / shorter), int(size * across / shorter))
    resized = image.resize((size[1], size[0]), rules.resample)
    top, left = (size[0] - rules.height) // 2, (size[1] - rules.width) // 2
    return resized.crop((left, top, left + rules.width, top + rules.height))


def _normalised(resized: Image.Image, rules: ImageRules) -> Float[Tensor, "1 3 H W"]:
    pixels = np.asarray(resized, dtype=np.float32) * np.float32(rules.rescale_factor)
    mean, deviation = (np.asarray(triple, dtype=np.float32) for triple in (rules.mean, rules.standard_deviation))
    normalised = (pixels - mean) / deviation
    return torch.from_numpy(np.ascontiguousarray(normalised.transpose(2, 0, 1))).unsqueeze(0)


def _too_large(max_pixels: int, size: str) -> ImageTooLargeError:
    return ImageTooLargeError(
        "The image has {size} pixels; this server accepts at most {limit}.", size, limit=max_pixels
    )
