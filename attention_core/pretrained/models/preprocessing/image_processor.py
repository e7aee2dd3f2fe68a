"""The library's image processor of a vision transformer, found as the library finds it.

It is always the class that works with Pillow, whatever else is installed, so that every machine makes the same numbers.
"""

import ast
import importlib.util
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.abc import InspectLoader
from typing import Any

from transformers import PreTrainedConfig, image_utils
from transformers.image_processing_backends import PilBackend
from transformers.models.auto.configuration_auto import model_type_to_module_name
from transformers.models.auto.image_processing_auto import (
    IMAGE_PROCESSOR_MAPPING_NAMES,
    get_image_processor_class_from_name,
)
from transformers.processing_utils import ImagesKwargs

from attention_core.pretrained.errors import ModelUnavailableError

PUBLISHED_WITH = {"dinov2_with_registers": "BitImageProcessor", "radio": "CLIPImageProcessor"}
"""Image processors of published models where transformers names none."""
ONLY_TORCHVISION = {
    "DINOv3ViTImageProcessor": "dinov3_vit",
    "Sapiens2ImageProcessor": "sapiens2",
    "Tipsv2ImageProcessor": "tipsv2",
}
"""Classes that the library has for torchvision only, by their folder. Of an image alone, their steps are the usual ones
(DINOv3's scales before it resizes: the same but for rounding to whole numbers)."""


def image_processor_class(config: PreTrainedConfig, preprocessor: Mapping[str, Any]) -> type[PilBackend]:
    """The class that the file names, else that of this type of model.

    Raises ModelUnavailableError if transformers has none, or one that needs torchvision.
    """
    named = _named(config, preprocessor)
    candidates = _of_type(config, preprocessor) if named is None else iter((named,))
    for name in candidates:
        if (processor := _by_name(name)) is not None:
            return processor
    if named is None:
        raise ModelUnavailableError("transformers has no image processor that makes its input of an image.")
    raise ModelUnavailableError("Its image processor {name} is not in transformers, or needs torchvision.", named)


def _named(config: PreTrainedConfig, preprocessor: Mapping[str, Any]) -> str | None:
    named = preprocessor.get("image_processor_type")
    old = preprocessor.get("feature_extractor_type")
    if named is None and isinstance(old, str):
        named = old.replace("FeatureExtractor", "ImageProcessor")
    if named is None:
        named = getattr(config, "image_processor_type", None)
    return named.removesuffix("Fast") if isinstance(named, str) else None


def _of_type(config: PreTrainedConfig, preprocessor: Mapping[str, Any]) -> Iterator[str]:
    """By the model's type, what the file says of its processor, and the folder of the library that its code is in."""
    yield from IMAGE_PROCESSOR_MAPPING_NAMES.get(config.model_type, {}).values()
    whole = preprocessor.get("processor_class")
    if isinstance(whole, str) and whole.endswith("Processor"):
        yield whole.removesuffix("Processor") + "ImageProcessor"
    folder = type(config).__module__.split(".")[-2]
    for model_type, classes in IMAGE_PROCESSOR_MAPPING_NAMES.items():
        if model_type_to_module_name(model_type) == folder:
            yield from classes.values()
    if config.model_type in PUBLISHED_WITH:
        yield PUBLISHED_WITH[config.model_type]


def _by_name(name: str) -> type[PilBackend] | None:
    if name in ONLY_TORCHVISION:
        return _with_pillow(name)
    pillows = (each.get("pil") for each in IMAGE_PROCESSOR_MAPPING_NAMES.values() if name in each.values())
    processor = get_image_processor_class_from_name(next(pillows, None) or f"{name.removesuffix('Pil')}Pil")
    return processor if isinstance(processor, type) and issubclass(processor, PilBackend) else None


@cache
def _with_pillow(name: str) -> type[PilBackend]:
    """A class with the settings of one that cannot be imported, read from the library's source code."""
    folder = ONLY_TORCHVISION[name]
    spec = importlib.util.find_spec(f"transformers.models.{folder}.image_processing_{folder}")
    source = spec.loader.get_source(spec.name) if spec and isinstance(spec.loader, InspectLoader) else None
    if source is None:
        raise ModelUnavailableError("transformers has no image processor that makes its input of an image.")
    tree = ast.parse(source)
    (body,) = (node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    settings = {
        node.targets[0].id: _value(node.value)
        for node in body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        if node.targets[0].id in ImagesKwargs.__annotations__
    }
    return type(f"{name}Pil", (PilBackend,), settings)


def _value(node: ast.expr) -> Any:
    """A literal, or a constant of the library's."""
    if isinstance(node, ast.Attribute):
        return getattr(_value(node.value), node.attr)
    return getattr(image_utils, node.id) if isinstance(node, ast.Name) else ast.literal_eval(node)
