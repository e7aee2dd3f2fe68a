"""Image preprocessing of a vision transformer, from its files: size, patches, normalisation.

The steps are those of transformers' image processors, each as preprocessor_config.json specifies; ``inputs.images``
carries them out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from PIL import Image
from transformers import PreTrainedConfig
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_ZERO_SHOT_IMAGE_CLASSIFICATION_MAPPING_NAMES,
    MODEL_MAPPING_NAMES,
)

from attention_core.pretrained.errors import ModelUnavailableError, ReadsImagesError
from attention_core.pretrained.models.library_source import modeling_source
from attention_core.refusal import Sentence

REFUSAL = Sentence("This model takes images, not texts: send one to POST /api/analyses/image.")
LARGEST_SIDE = 4_096
"""Largest supported image side in pixels."""


@dataclass(frozen=True)
class ImageRules:
    """A model's image preprocessing."""

    height: int
    width: int
    patch_height: int
    patch_width: int
    resample: int = Image.Resampling.BILINEAR
    rescale_factor: float = 1 / 255
    mean: tuple[float, float, float] = (0.5, 0.5, 0.5)
    standard_deviation: tuple[float, float, float] = (0.5, 0.5, 0.5)
    resize: tuple[int, int] | int | None = None
    """Before the centre is cropped to height and width: to (height, width), or so that the shorter side is this long.
    None: at once to height and width, without cropping."""

    @property
    def grid(self) -> tuple[int, int]:
        """Number of patch rows and columns."""
        return self.height // self.patch_height, self.width // self.patch_width


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
    given = all(getattr(config, name, None) is not None for name in ("image_size", "patch_size", "num_channels"))
    others = ("vision_config", "text_config", "num_frames")
    if not given or any(getattr(config, name, None) for name in others) or config.model_type not in MODEL_MAPPING_NAMES:
        return False
    return 'main_input_name = "pixel_values"' in modeling_source(config)


def vision_tower(config: PreTrainedConfig) -> PreTrainedConfig:
    """Of a model with one tower for images and one for texts (CLIP, SigLIP), the configuration of the former."""
    tower = getattr(config, "vision_config", None)
    if config.model_type not in MODEL_FOR_ZERO_SHOT_IMAGE_CLASSIFICATION_MAPPING_NAMES:
        return config
    return tower if isinstance(tower, PreTrainedConfig) and reads_images(tower) else config


def image_rules(config: PreTrainedConfig, preprocessor: Mapping[str, Any]) -> ImageRules:
    """Parse config.json and preprocessor_config.json; the latter may be missing (then ViT's published defaults).

    Raises ModelUnavailableError for unsupported steps.
    """
    resize, (height, width) = _sizes(config, preprocessor)
    patch_height, patch_width = _pair(config.patch_size, "patch_size")
    if config.num_channels != 3 or height % patch_height or width % patch_width:
        raise ModelUnavailableError("config.json does not describe an RGB image that divides evenly into its patches.")
    for step, usual in (("do_resize", True), ("do_pad", False)):
        if bool(preprocessor.get(step, usual) or False) is not usual:
            raise ModelUnavailableError(
                "preprocessor_config.json specifies {step} in a way that is not supported here.", step
            )
    scales, normalises = preprocessor.get("do_rescale", True), preprocessor.get("do_normalize", True)
    return ImageRules(
        height=height,
        width=width,
        patch_height=patch_height,
        patch_width=patch_width,
        resample=Image.Resampling(preprocessor.get("resample", Image.Resampling.BILINEAR)),
        resize=resize,
        rescale_factor=float(preprocessor.get("rescale_factor", 1 / 255)) if scales else 1.0,
        mean=_triple(preprocessor.get("image_mean", (0.5, 0.5, 0.5))) if normalises else (0.0, 0.0, 0.0),
        standard_deviation=_triple(preprocessor.get("image_std", (0.5, 0.5, 0.5))) if normalises else (1.0, 1.0, 1.0),
    )


def _sizes(
    config: PreTrainedConfig, preprocessor: Mapping[str, Any]
) -> tuple[tuple[int, int] | int | None, tuple[int, int]]:
    """What the image is resized to before its centre is cropped (None if that is all), and its final size."""
    usual = _pair(config.image_size, "image_size")
    size = preprocessor.get("size", {"height": usual[0], "width": usual[1]})
    is_cropped = bool(preprocessor.get("do_center_crop") or False)
    cropped = _size_of(preprocessor.get("crop_size", usual)) if is_cropped else None
    edge = size.get("shortest_edge") if isinstance(size, Mapping) else None
    if isinstance(edge, int) and 0 < edge <= LARGEST_SIDE and cropped is not None and edge >= max(cropped):
        return edge, _allowed(config, cropped)
    whole = _size_of(size)
    if cropped is not None and min(whole[0] - cropped[0], whole[1] - cropped[1]) < 0:
        raise _other_size()
    return (None, _allowed(config, whole)) if cropped in (None, whole) else (whole, _allowed(config, cropped))


def _size_of(size: Any) -> tuple[int, int]:
    sides = (size.get("height"), size.get("width")) if isinstance(size, Mapping) else size
    if sides is None or (isinstance(sides, tuple) and None in sides):
        raise _other_size()
    return _pair(sides, "size")


def _allowed(config: PreTrainedConfig, size: tuple[int, int] | None) -> tuple[int, int]:
    """The size, if the model takes images of it: another than its own only where positions are always interpolated."""
    source = modeling_source(config)
    stretches = "interpolate_pos_encoding(" in source and "interpolate_pos_encoding: bool" not in source
    if size is None or (size != _pair(config.image_size, "image_size") and not stretches):
        raise _other_size()
    return size


def _other_size() -> ModelUnavailableError:
    return ModelUnavailableError("preprocessor_config.json and config.json give different sizes.")


def _pair(value: Any, name: str) -> tuple[int, int]:
    pair = (value, value) if isinstance(value, int) else tuple(value)
    if len(pair) != 2 or not all(isinstance(side, int) and 0 < side <= LARGEST_SIDE for side in pair):
        raise ModelUnavailableError("config.json does not give {name} as one or two positive numbers.", name)
    return int(pair[0]), int(pair[1])


def _triple(value: Any) -> tuple[float, float, float]:
    numbers = [float(number) for number in value]
    if len(numbers) != 3:
        raise ModelUnavailableError("preprocessor_config.json does not give three numbers for the three colours.")
    return numbers[0], numbers[1], numbers[2]
