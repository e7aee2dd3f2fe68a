"""From which tokens classes are read, against the gradient of the library's logits by its last hidden state."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from odd_models import VISION
from PIL import Image

from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.running.image_analysis import analyse_image

KINDS: dict[str, tuple[str, Any, list[int]]] = {
    "vit": ("ViTForImageClassification", transformers.ViTConfig(**VISION), [0]),
    "beit": ("BeitForImageClassification", transformers.BeitConfig(**VISION, use_mean_pooling=True), []),
    "beit-first": ("BeitForImageClassification", transformers.BeitConfig(**VISION, use_mean_pooling=False), [0]),
    "deit": ("DeiTForImageClassificationWithTeacher", transformers.DeiTConfig(**VISION), [0, 1]),
    "dinov2": ("Dinov2ForImageClassification", transformers.Dinov2Config(**VISION), []),
    "siglip": ("SiglipForImageClassification", transformers.SiglipConfig(vision_config=VISION), []),
}


@pytest.mark.parametrize("name", KINDS)
def test_as_gradients_say(tmp_path: Path, name: str) -> None:
    architecture, config, expected = KINDS[name]
    with torch.random.fork_rng():
        torch.manual_seed(11)
        model = getattr(transformers, architecture)(config).eval()
        for parameter in model.parameters():
            if parameter.ndim > 1:
                parameter.data.normal_(std=0.2)
    model.save_pretrained(tmp_path / name)
    loaded = Catalog(models_dir=tmp_path, hub_models=(), device="cpu").load(name)
    assert list(loaded.layout.read) == expected
    picture = io.BytesIO()
    pixels = np.random.default_rng(3).integers(0, 256, (20, 20, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(picture, format="PNG")
    analysis = analyse_image(loaded, picture.getvalue(), max_tokens=100, max_pixels=10_000)
    if not analysis.predictions:  # a tower without its classifier
        return
    assert [each.read_from for each in analysis.predictions] == [expected]
    output = model(torch.randn(1, 3, 16, 16, generator=torch.Generator().manual_seed(1)), output_hidden_states=True)
    gradient = torch.autograd.grad(output.logits.sum(), output.hidden_states[-1])[0][0]
    used = gradient.abs().sum(dim=-1).nonzero().flatten().tolist()
    special = [token.index for token in analysis.tokens if token.special]
    assert (used if set(used) <= set(special) else []) == expected
