"""Image preprocessing of a vision transformer: the library's own image processor, from preprocessor_config.json.

``inputs.images`` carries it out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from PIL import Image
from torch import Tensor
from transformers import PreTrainedConfig
from transformers.image_utils import SizeDict
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_ZERO_SHOT_IMAGE_CLASSIFICATION_MAPPING_NAMES,
    MODEL_MAPPING_NAMES,
)

from attention_core.pretrained.errors import ModelUnavailableError, ReadsImagesError, as_unavailable
from attention_core.pretrained.models.library_source import modeling_source
from attention_core.pretrained.models.preprocessing.image_processor import image_processor_class
from attention_core.refusal import Sentence

REFUSAL = Sentence("This model takes images, not texts: send one to POST /api/analyses/image.")
INVALID = Sentence("preprocessor_config.json does not describe valid image preprocessing.")
OTHER_SIZE = Sentence("preprocessor_config.json and config.json give different sizes.")
VARYING = Sentence("Its image processor makes images of different sizes, which is not supported here.")
OTHER_STEPS = Sentence("Its image processor does more than resize, crop and normalise, which is not supported here.")
LARGEST_SIDE = 4_096
"""Largest supported image side in pixels."""
TRIED = ((60, 30), (30, 60))
"""Widths and heights of the images on which a processor is tried."""


@dataclass(frozen=True, eq=False)
class ImageRules:
    """A model's image preprocessing."""

    height: int
    width: int
    patch_height: int
    patch_width: int
    processor: Any
    """The library's image processor."""

    @property
    def grid(self) -> tuple[int, int]:
        """Number of patch rows and columns."""
        return self.height // self.patch_height, self.width // self.patch_width

    def resized_pixels(self, width: int, height: int) -> int:
        """How many pixels an image of this size has once it is resized, before it is cropped."""
        edge = self.processor.size.shortest_edge if self.processor.do_resize and self.processor.size else None
        return self.height * self.width if not edge else edge * edge * max(width, height) // min(width, height)

    def seen(self, image: Image.Image) -> Image.Image:
        """The RGB image resized and cropped: what the model sees of it, in 8 bits."""
        return Image.fromarray(np.ascontiguousarray(_resized(self.processor, image)[0].transpose(1, 2, 0)))

    def normalised(self, seen: Image.Image) -> Float[Tensor, "1 3 H W"]:
        """The model's input, of an image that is resized and cropped already."""
        return _normalised(self.processor, seen)


class NoTokenizer:
    """A tokenizer stand-in for models that read images or sounds: it decodes class names and refuses texts."""

    sep_token_id = eos_token_id = mask_token_id = mask_token = None

    def __init__(self, class_names: Mapping[int, str], refusal: ModelUnavailableError | None = None) -> None:
        self._class_names = class_names
        self._refusal = refusal or ReadsImagesError(REFUSAL)

    def decode(self, ids: list[int], **_: Any) -> str:
        """The name of a class."""
        return ", ".join(self._class_names.get(index, str(index)) for index in ids)

    def __getattr__(self, name: str) -> Any:
        """Raise ReadsImagesError, or the refusal given: every other tokenizer attribute concerns texts."""
        if name.startswith("__"):
            raise AttributeError(name)
        raise self._refusal


def reads_images(config: PreTrainedConfig) -> bool:
    """Whether the model cuts one image into patches, by its configuration and the library's code."""
    is_complete = all(getattr(config, name, None) is not None for name in ("image_size", "patch_size", "num_channels"))
    others = ("vision_config", "text_config", "num_frames")
    if (
        not is_complete
        or any(getattr(config, name, None) for name in others)
        or config.model_type not in MODEL_MAPPING_NAMES
    ):
        return False
    return 'main_input_name = "pixel_values"' in modeling_source(config)


def vision_tower(config: PreTrainedConfig) -> PreTrainedConfig:
    """Of a model with one tower for images and one for texts (CLIP, SigLIP), the configuration of the former."""
    tower = getattr(config, "vision_config", None)
    if config.model_type not in MODEL_FOR_ZERO_SHOT_IMAGE_CLASSIFICATION_MAPPING_NAMES:
        return config
    return tower if isinstance(tower, PreTrainedConfig) and reads_images(tower) else config


def patch_grid(config: PreTrainedConfig) -> tuple[int, int]:
    """Patches down and across of an image of the size that config.json gives.

    Raises ModelUnavailableError unless it is an RGB image of whole patches.
    """
    height, width = _pair(config.image_size, "image_size")
    patch_height, patch_width = _patch(config, height, width)
    return height // patch_height, width // patch_width


def image_rules(config: PreTrainedConfig, preprocessor: Mapping[str, Any] | None) -> ImageRules:
    """The model's image processor, with its settings from preprocessor_config.json.

    What the file leaves out is the class's default; if the model does not take images of that size, or without a file
    (None), it is the model's own size, reached in the same steps. Raises ModelUnavailableError for a processor that
    transformers does not have, for steps that are not supported, and for sizes that the model does not take.
    """
    settings = dict(preprocessor or {})
    made = image_processor_class(config, settings)
    with as_unavailable(INVALID.template):
        processor = _bounded(made(**settings))
        size = None if preprocessor is None else _size_made(processor)
        if size is None or not (_takes(config, size) or settings.keys() & {"size", "crop_size"}):
            own = _pair(config.image_size, "image_size")
            processor = _bounded(made(**settings, **_sizes(processor, own)))
            size = _size_made(processor)
    if not _takes(config, size):
        raise ModelUnavailableError(OTHER_SIZE)
    patch_height, patch_width = _patch(config, *size)
    return ImageRules(*size, patch_height, patch_width, processor)


def _size_made(processor: Any) -> tuple[int, int]:
    """Height and width of what the processor makes, tried on two images."""
    sizes = set()
    for width, height in TRIED:
        image = Image.fromarray(np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8))
        pixels = torch.as_tensor(processor(image, return_tensors="pt")["pixel_values"])
        resized = _resized(processor, image)
        if pixels.shape[:2] != (1, 3) or resized.shape != pixels.shape or resized.dtype != np.uint8:
            raise ModelUnavailableError(OTHER_STEPS)
        again = _normalised(processor, Image.fromarray(resized[0].transpose(1, 2, 0)))
        if not torch.allclose(again, pixels.float(), rtol=1e-5, atol=1e-5):
            raise ModelUnavailableError(OTHER_STEPS)
        sizes.add((pixels.shape[2], pixels.shape[3]))
    if len(sizes) > 1:
        raise ModelUnavailableError(VARYING)
    return sizes.pop()


def _resized(processor: Any, image: Image.Image) -> np.ndarray:
    """[1, 3, H, W], as whole numbers."""
    return np.asarray(processor(image, do_rescale=False, do_normalize=False, return_tensors="np")["pixel_values"])


def _normalised(processor: Any, seen: Image.Image) -> Float[Tensor, "1 3 H W"]:
    made = processor(seen, do_resize=False, do_center_crop=False, do_pad=False, return_tensors="pt")
    return torch.as_tensor(made["pixel_values"]).float()


def _bounded(processor: Any) -> Any:
    """The processor, if none of its settings makes images larger than are supported."""
    for name in type(processor).valid_kwargs.__annotations__:
        value = getattr(processor, name, None)
        sides = dict(value).values() if isinstance(value, SizeDict) else [value]
        if any(isinstance(side, int) and side > LARGEST_SIDE for side in sides):
            raise ModelUnavailableError(INVALID)
    return processor


def _sizes(processor: Any, own: tuple[int, int]) -> dict[str, dict[str, int]]:
    """The processor's sizes, scaled to the model's own."""
    whole = dict(zip(("height", "width"), own, strict=True))
    if not (processor.do_center_crop and processor.crop_size and processor.size):
        return {"size": whole}
    edge = processor.size.shortest_edge
    ratio = (edge or processor.size.height) / processor.crop_size.height
    scaled = {name: int(side * ratio) for name, side in whole.items()}
    return {"size": {"shortest_edge": max(scaled.values())} if edge else scaled, "crop_size": whole}


def _takes(config: PreTrainedConfig, size: tuple[int, int]) -> bool:
    """Whether the model takes images of this size: its own, or any of whole patches if it interpolates positions."""
    source = modeling_source(config)
    stretches = "interpolate_pos_encoding(" in source and "interpolate_pos_encoding: bool" not in source
    patch = _pair(config.patch_size, "patch_size")
    is_whole = all(side % each == 0 for side, each in zip(size, patch, strict=True))
    return is_whole if stretches else size == _pair(config.image_size, "image_size")


def _patch(config: PreTrainedConfig, height: int, width: int) -> tuple[int, int]:
    """Height and width of a patch, of which the image has a whole number."""
    patch_height, patch_width = _pair(config.patch_size, "patch_size")
    if config.num_channels != 3 or height % patch_height or width % patch_width:
        raise ModelUnavailableError("config.json does not describe an RGB image that divides evenly into its patches.")
    return patch_height, patch_width


def _pair(value: Any, name: str) -> tuple[int, int]:
    pair = (value, value) if isinstance(value, int) else tuple(value)
    if len(pair) != 2 or not all(isinstance(side, int) and 0 < side <= LARGEST_SIDE for side in pair):
        raise ModelUnavailableError("config.json does not give {name} as one or two positive numbers.", name)
    return int(pair[0]), int(pair[1])
