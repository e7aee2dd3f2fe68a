"""Preprocess image files for a vision transformer: bounded decoding, resizing, normalisation, patches.

Files are untrusted: the size is checked in the header before a pixel is decoded, and only PNG, JPEG and WebP are
accepted. They are resized, cropped and normalised by the model's own image processor (``ImageRules``).
"""

import io
from dataclasses import dataclass

from jaxtyping import Float
from PIL import Image, ImageOps, UnidentifiedImageError
from torch import Tensor
from transformers.image_transforms import convert_to_rgb

from attention_core.pretrained.errors import ImageTooLargeError, InvalidImageError
from attention_core.pretrained.models.preprocessing.image_rules import ImageRules

FORMATS = ("PNG", "JPEG", "WEBP")
LARGEST_RESIZED = 2**26
"""Pixels of an image that is resized and not yet cropped."""


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
    """The first frame as RGB, upright, on white where it is transparent, as the library converts it.

    Raises InvalidImageError unless it is a complete image in a known format, ImageTooLargeError from its header alone.
    """
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            width, height = image.size
            if width * height > max_pixels:
                raise _too_large(max_pixels, f"{width} × {height}")
            return Image.fromarray(convert_to_rgb(ImageOps.exif_transpose(image), return_numpy=True))
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise _too_large(max_pixels, "far too many") from error
    except UnidentifiedImageError as error:
        raise InvalidImageError("The image is not a PNG, JPEG or WebP file.") from error
    except (OSError, ValueError, SyntaxError, EOFError, OverflowError) as error:  # raised by Pillow's decoders
        raise InvalidImageError("The image file is damaged or truncated.") from error


def prepare(image: Image.Image, rules: ImageRules) -> tuple[Float[Tensor, "1 3 H W"], Picture]:
    """The model's input, and the same image for display.

    Raises ImageTooLargeError if it is so long and narrow that it would be enormous once its shorter side is resized.
    """
    if (made := rules.resized_pixels(*image.size)) > LARGEST_RESIZED:
        raise ImageTooLargeError(
            "The image is so long and narrow that this model's preprocessing would make {size} pixels of it; at most "
            "{limit} are supported.",
            made,
            limit=LARGEST_RESIZED,
        )
    seen = rules.seen(image)
    file = io.BytesIO()
    seen.save(file, format="PNG")
    picture = Picture(
        width=rules.width,
        height=rules.height,
        patch=(rules.patch_height, rules.patch_width),
        grid=rules.grid,
        original_size=image.size,
        png=file.getvalue(),
    )
    return rules.normalised(seen), picture


def prepared_again(image: Image.Image, rules: ImageRules) -> Float[Tensor, "1 3 H W"]:
    """The model's input from an image that ``prepare`` has already resized and cropped."""
    return rules.normalised(image)


def _too_large(max_pixels: int, size: str) -> ImageTooLargeError:
    return ImageTooLargeError(
        "The image has {size} pixels; this server accepts at most {limit}.", size, limit=max_pixels
    )
