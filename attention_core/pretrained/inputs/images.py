"""From an image file to what a vision transformer reads: decoded within bounds, resized, normalised, cut into patches.

A file is foreign matter: its size is known from its header before a pixel is decoded, and only PNG, JPEG and WebP are
tried. Preprocessing is that of transformers' image processors: resize, divide by 255, subtract the mean, divide by
the standard deviation, each as preprocessor_config.json says.
"""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from PIL import Image, ImageOps, UnidentifiedImageError
from torch import Tensor
from transformers import PreTrainedConfig

from attention_core.pretrained.errors import (
    ImageTooLargeError,
    InvalidImageError,
    ModelUnavailableError,
    ReadsImagesError,
)

FORMATS = ("PNG", "JPEG", "WEBP")
IMAGE_MODELS = frozenset({"vit"})
"""Types of models whose tokens are [CLS] and then the patches of one square picture, row by row."""
REFUSAL = "This model reads images, not texts: send one to POST /api/analyses/image."
LARGEST_SIDE = 4_096
"""Pixels; a configuration that says more is none we run."""


@dataclass(frozen=True)
class ImageRules:
    """What a model does with an image before its first layer."""

    height: int
    width: int
    patch_height: int
    patch_width: int
    resample: int = Image.Resampling.BILINEAR
    rescale_factor: float = 1 / 255
    mean: tuple[float, float, float] = (0.5, 0.5, 0.5)
    standard_deviation: tuple[float, float, float] = (0.5, 0.5, 0.5)

    @property
    def grid(self) -> tuple[int, int]:
        """Patches down and across."""
        return self.height // self.patch_height, self.width // self.patch_width


@dataclass(frozen=True)
class Picture:
    """An image as the model sees it, for drawing maps on."""

    width: int
    height: int
    patch: tuple[int, int]
    """Height and width of one patch, in pixels."""
    grid: tuple[int, int]
    """Patches down and across."""
    original_size: tuple[int, int]
    """Width and height of what was sent."""
    png: bytes
    """The resized image."""


class NoTokenizer:
    """Stands where a tokenizer would for a model that reads images: it knows class names and refuses texts."""

    sep_token_id = eos_token_id = mask_token_id = mask_token = None

    def __init__(self, class_names: Mapping[int, str]) -> None:
        self._class_names = class_names

    def decode(self, ids: list[int], **_: Any) -> str:
        """The name of a class."""
        return ", ".join(self._class_names.get(index, str(index)) for index in ids)

    def __getattr__(self, name: str) -> Any:
        """Raise ReadsImagesError: whatever else is asked of a tokenizer concerns texts."""
        if name.startswith("__"):
            raise AttributeError(name)
        raise ReadsImagesError(REFUSAL)


def image_rules(config: PreTrainedConfig, preprocessor: Mapping[str, Any]) -> ImageRules:
    """From config.json and preprocessor_config.json, which may be missing (then as ViT was published).

    Raises ModelUnavailableError for steps that are not carried out here.
    """
    height, width = _pair(config.image_size, "image_size")
    patch_height, patch_width = _pair(config.patch_size, "patch_size")
    if config.num_channels != 3 or height % patch_height or width % patch_width:
        raise ModelUnavailableError("config.json describes no RGB image that its patches cut evenly.")
    for step, usual in (("do_resize", True), ("do_center_crop", False), ("do_pad", False)):
        if bool(preprocessor.get(step, usual) or False) is not usual:
            raise ModelUnavailableError(f"preprocessor_config.json asks for {step} otherwise than is done here.")
    size = preprocessor.get("size", {"height": height, "width": width})
    if size not in ({"height": height, "width": width}, height if height == width else None):
        raise ModelUnavailableError("preprocessor_config.json asks for another size than config.json.")
    scales, normalises = preprocessor.get("do_rescale", True), preprocessor.get("do_normalize", True)
    return ImageRules(
        height=height,
        width=width,
        patch_height=patch_height,
        patch_width=patch_width,
        resample=Image.Resampling(preprocessor.get("resample", Image.Resampling.BILINEAR)),
        rescale_factor=float(preprocessor.get("rescale_factor", 1 / 255)) if scales else 1.0,
        mean=_triple(preprocessor.get("image_mean", (0.5, 0.5, 0.5))) if normalises else (0.0, 0.0, 0.0),
        standard_deviation=_triple(preprocessor.get("image_std", (0.5, 0.5, 0.5))) if normalises else (1.0, 1.0, 1.0),
    )


def decode_image(data: bytes, max_pixels: int) -> Image.Image:
    """The first frame as RGB, upright.

    Raises InvalidImageError if it is no whole image of a known format, ImageTooLargeError from its header alone.
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
        raise InvalidImageError("The image is no PNG, JPEG or WebP file.") from error
    except (OSError, ValueError, SyntaxError, EOFError, OverflowError) as error:  # as Pillow's decoders fail
        raise InvalidImageError("The image file is broken or cut off.") from error


def prepare(image: Image.Image, rules: ImageRules) -> tuple[Float[Tensor, "1 3 H W"], Picture]:
    """What the model reads, and the same for people."""
    resized = image.resize((rules.width, rules.height), rules.resample)
    pixels = np.asarray(resized, dtype=np.float32) * np.float32(rules.rescale_factor)
    mean, deviation = (np.asarray(triple, dtype=np.float32) for triple in (rules.mean, rules.standard_deviation))
    normalised = (pixels - mean) / deviation
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
    return torch.from_numpy(np.ascontiguousarray(normalised.transpose(2, 0, 1))).unsqueeze(0), picture


def _too_large(max_pixels: int, size: str) -> ImageTooLargeError:
    return ImageTooLargeError(f"The image has {size} pixels; this server takes {max_pixels}.", limit=max_pixels)


def _pair(value: Any, name: str) -> tuple[int, int]:
    pair = (value, value) if isinstance(value, int) else tuple(value)
    if len(pair) != 2 or not all(isinstance(side, int) and 0 < side <= LARGEST_SIDE for side in pair):
        raise ModelUnavailableError(f"config.json does not say {name} as one or two positive numbers.")
    return int(pair[0]), int(pair[1])


def _triple(value: Any) -> tuple[float, float, float]:
    numbers = [float(number) for number in value]
    if len(numbers) != 3:
        raise ModelUnavailableError("preprocessor_config.json does not have three numbers for three colours.")
    return numbers[0], numbers[1], numbers[2]
