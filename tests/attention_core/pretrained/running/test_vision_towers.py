"""Vision transformers of many kinds: the library's eager weights, and tokens at their places in the image."""

import io
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from odd_models import write_odd_model
from PIL import Image

from attention_core.pretrained.inputs.images import prepare
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.running.image_analysis import analyse_image
from attention_core.pretrained.studies.outputs.attribution import attribution

CLIP_STEPS = '{"size": {"shortest_edge": 20}, "do_center_crop": true, "crop_size": {"height": 16, "width": 16}}'
KINDS = {
    # name: class, tokens before the patches, preprocessor_config.json
    "both-towers": ("CLIPVisionModel", ["[CLS]"], CLIP_STEPS),
    "registers": ("Dinov2WithRegistersModel", ["[CLS]", "[REG 0]", "[REG 1]", "[REG 2]"], CLIP_STEPS),
    "distilled": ("DeiTForImageClassificationWithTeacher", ["[CLS]", "[DIST]"], "{}"),
    "biased": ("BeitModel", ["[CLS]"], "{}"),
    "data2vec": ("Data2VecVisionModel", ["[CLS]"], "{}"),
    "patches": ("SiglipVisionModel", [], "{}"),
}


def png() -> bytes:
    pixels = np.random.default_rng(8).integers(0, 256, (30, 40, 3), dtype=np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="PNG")
    return buffer.getvalue()


@pytest.mark.parametrize("name", KINDS)
def test_vision_tower(tmp_path: Path, name: str) -> None:
    architecture, before, preprocessor = KINDS[name]
    folder = write_odd_model(tmp_path, name)
    (folder / "preprocessor_config.json").write_text(preprocessor)
    loaded = Catalog(models_dir=tmp_path, hub_models=(), device="cpu").load(name)
    assert type(loaded.model).__name__ == loaded.entry.architecture == architecture
    assert loaded.entry.self_check is not None
    assert loaded.entry.self_check.weights is not None
    assert max(loaded.entry.self_check.weights, loaded.entry.self_check.last_hidden_state) < 1e-5
    analysis = analyse_image(loaded, png(), max_tokens=100, max_pixels=10_000)
    assert [token.text for token in analysis.tokens if token.special] == before
    assert [token.text for token in analysis.tokens if not token.special][:6] == [
        *("0,0", "0,1", "0,2", "0,3", "1,0", "1,1")
    ]
    assert loaded.entry.max_tokens == len(analysis.tokens) == 16 + len(before)
    assert analysis.tokens[len(before) + 6].box == (8, 4, 4, 4)
    assert loaded.images is not None
    pixels, picture = prepare(Image.open(io.BytesIO(png())), loaded.images)
    assert (picture.width, picture.height) == (16, 16)
    eager = getattr(transformers, architecture).from_pretrained(
        folder, config=loaded.model.config, attn_implementation="eager"
    )
    with torch.inference_mode():
        found = eager.eval()(pixel_values=pixels, output_attentions=True).attentions
    for layer, theirs in enumerate(found):
        for head in range(4):
            np.testing.assert_allclose(analysis.window(None, layer, head), theirs[0, head].numpy(), rtol=0, atol=1e-5)
    if name == "patches":  # an image that is run again is the same one
        shares = attribution(loaded, analysis, target="embedding").parts[0].shares
        assert shares.shape == (2, 4, 16, 16)
