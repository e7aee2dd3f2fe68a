"""Image preprocessing of a vision transformer, from its files: size, patches, normalisation.

The steps are those of transformers' image processors, each as preprocessor_config.json specifies; ``inputs.images``
carries them out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from PIL import Image
from transformers import PreTrainedConfig

from attention_core.pretrained.errors import ModelUnavailableError, ReadsImagesError
from attention_core.refusal import Sentence

IMAGE_MODELS = frozenset({"vit"})
"""Types of models whose tokens are [CLS] and then the patches of one square image, row by row."""
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

    @property
    def grid(self) -> tuple[int, int]:
        """Number of patch rows and columns."""
        return self.height // self.patch_height, self.width // self.patch_width


class NoTokenizer:
    """A tokenizer stand-in for vision models: it decodes class names and refuses texts."""

    sep_token_id = eos_token_id = mask_token_id = mask_token = None

    def __init__(self, class_names: Mapping[int, str]) -> None:
        self._class_names = class_names

    def decode(self, ids: list[int], **_: Any) -> str:
        """The name of a class."""
        return ", ".join(self._class_names.get(index, str(index)) for index in ids)

    def __getattr__(self, name: str) -> Any:
        """Raise ReadsImagesError: every other tokenizer attribute concerns texts."""
        if name.startswith("__"):
            raise AttributeError(name)
        raise ReadsImagesError(REFUSAL)


def image_rules(config: PreTrainedConfig, preprocessor: Mapping[str, Any]) -> ImageRules:
    """Parse config.json and preprocessor_config.json; the latter may be missing (then ViT's published defaults).

    Raises ModelUnavailableError for unsupported steps.
    """
    height, width = _pair(config.image_size, "image_size")
    patch_height, patch_width = _pair(config.patch_size, "patch_size")
    if config.num_channels != 3 or height % patch_height or width % patch_width:
        raise ModelUnavailableError("config.json does not describe an RGB image that divides evenly into its patches.")
    for step, usual in (("do_resize", True), ("do_center_crop", False), ("do_pad", False)):
        if bool(preprocessor.get(step, usual) or False) is not usual:
            raise ModelUnavailableError(
                "preprocessor_config.json specifies {step} in a way that is not supported here.", step
            )
    size = preprocessor.get("size", {"height": height, "width": width})
    if size not in ({"height": height, "width": width}, height if height == width else None):
        raise ModelUnavailableError("preprocessor_config.json and config.json give different sizes.")
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
