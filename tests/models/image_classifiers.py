"""Random classifiers of images with weights that tell two images apart, and images for them."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from PIL import Image
from seeing_models import VISION

NAMES = {0: "circle, ring", 1: "square, ring", 2: "Star"}
CLASSIFIERS: dict[str, tuple[str, Any]] = {
    "vit": ("ViTForImageClassification", transformers.ViTConfig),
    "beit": ("BeitForImageClassification", transformers.BeitConfig),
    "deit": ("DeiTForImageClassificationWithTeacher", transformers.DeiTConfig),
    "dinov2": ("Dinov2ForImageClassification", transformers.Dinov2Config),
}


def write_image_classifier(directory: Path, name: str) -> None:
    """Write one of CLASSIFIERS, of 16 × 16 pixels in 16 patches, into a folder of that name."""
    architecture, config_class = CLASSIFIERS[name]
    with torch.random.fork_rng():
        torch.manual_seed(11)
        model = getattr(transformers, architecture)(config_class(**VISION, id2label=NAMES))
        for path, parameter in model.named_parameters():
            if parameter.ndim > 1 or "bias_table" in path or "lambda" in path:
                parameter.data.normal_(std=0.3)
    model.save_pretrained(directory / name)


def noise_image(seed: int) -> Image.Image:
    """An image of 16 × 16 random pixels, which the models above need not resize."""
    pixels = np.random.default_rng(seed).integers(0, 256, (16, 16, 3), dtype=np.uint8)
    return Image.fromarray(pixels)


def png_of(image: Image.Image) -> bytes:
    """The image as a file."""
    file = io.BytesIO()
    image.save(file, format="PNG")
    return file.getvalue()
