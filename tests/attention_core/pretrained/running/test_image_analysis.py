"""Images through vision transformers, against the library's own eager attention."""

import io
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from PIL import Image

from attention_core.pretrained.errors import (
    Cancelled,
    InterventionError,
    ReadsImagesError,
    ReadsTextError,
    TextTooLongError,
)
from attention_core.pretrained.inputs.images import prepare
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.analysis import Analysis, AnalysisRequest, analyse
from attention_core.pretrained.running.image_analysis import analyse_image
from attention_core.pretrained.running.interventions import CutEdges, HeadOff

NAMES = {0: "cat", 1: "mat", 2: "hat"}
LIMITS = {"max_tokens": 100, "max_pixels": 10_000}


def png() -> bytes:
    pixels = np.random.default_rng(8).integers(0, 256, (30, 40, 3), dtype=np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="PNG")
    return buffer.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A classifier of oblong pictures: 3 patches down, 5 across."""
    folder = tmp_path_factory.mktemp("images") / "my-vit"
    config = transformers.ViTConfig(
        hidden_size=24, num_hidden_layers=2, num_attention_heads=3, intermediate_size=32, image_size=(12, 20),
        patch_size=4, id2label=NAMES, initializer_range=0.3,
    )  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(3)
        transformers.ViTForImageClassification(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def loaded(folder: Path) -> LoadedModel:
    return Catalog(models_dir=folder.parent, device="cpu").load("my-vit")


@pytest.fixture(scope="module")
def analysis(loaded: LoadedModel) -> Analysis:
    return analyse_image(loaded, png(), **LIMITS)


@pytest.fixture(scope="module")
def eager(folder: Path, loaded: LoadedModel) -> transformers.utils.ModelOutput:
    model = transformers.ViTForImageClassification.from_pretrained(folder, attn_implementation="eager").eval()
    assert loaded.images is not None
    pixels, _ = prepare(Image.open(io.BytesIO(png())), loaded.images)
    with torch.inference_mode():
        return model(pixel_values=pixels, output_attentions=True)


def test_every_weight_is_that_of_eager_attention(analysis: Analysis, eager: transformers.utils.ModelOutput) -> None:
    (part,) = analysis.parts
    assert (part.name, part.layers, part.heads, part.query_tokens, part.causal) == ("encoder", 2, 3, 16, False)
    for layer, theirs in enumerate(eager.attentions):
        for head in range(3):
            window = analysis.window(None, layer, head)
            np.testing.assert_allclose(window, theirs[0, head].numpy(), rtol=0, atol=1e-6)
            np.testing.assert_allclose(part.overview[layer, head] / 255, window, rtol=0, atol=0.5 / 255 + 1e-6)


def test_classes_are_predicted_as_the_library_does(analysis: Analysis, eager: transformers.utils.ModelOutput) -> None:
    (prediction,) = analysis.predictions
    logits = eager.logits[0].double()
    order = logits.argsort(descending=True).tolist()
    assert (prediction.kind, prediction.index) == ("class", 0)
    assert [(candidate.id, candidate.text) for candidate in prediction.candidates] == [(i, NAMES[i]) for i in order]
    expected = (logits - logits.logsumexp(0)).exp()
    for candidate in prediction.candidates:
        assert candidate.probability == pytest.approx(float(expected[candidate.id]), abs=1e-6)


def test_patches_are_tokens_with_places_on_the_picture(analysis: Analysis) -> None:
    tokens, picture = analysis.tokens, analysis.picture
    assert picture is not None
    assert (picture.width, picture.height, picture.grid, picture.original_size) == (20, 12, (3, 5), (40, 30))
    assert (tokens[0].text, tokens[0].special, tokens[0].box) == ("[CLS]", True, None)
    assert [token.index for token in tokens] == list(range(16))
    assert [token.text for token in tokens[1:7]] == ["0,0", "0,1", "0,2", "0,3", "0,4", "1,0"]
    assert tokens[9].box == (12, 4, 4, 4)
    covered = np.zeros((12, 20), dtype=int)
    for token in tokens[1:]:
        assert token.box is not None
        left, top, width, height = token.box
        covered[top : top + height, left : left + width] += 1
    assert (covered == 1).all()


def test_a_patch_token_reads_its_own_patch(loaded: LoadedModel) -> None:
    """Paint one box and see which embeddings change: that token's, and no other's."""
    assert loaded.images is not None
    black = Image.new("RGB", (20, 12))
    painted = black.copy()
    painted.paste((255, 40, 90), (12, 4, 16, 8))
    with torch.inference_mode():
        embed = loaded.model.vit.embeddings
        before, after = (embed(prepare(image, loaded.images)[0])[0] for image in (black, painted))
    assert (before != after).any(dim=-1).nonzero().flatten().tolist() == [9]


def test_it_agrees_with_the_library(loaded: LoadedModel) -> None:
    parity = analyse_image(loaded, png(), **LIMITS, parity=True).parity
    assert parity is not None
    assert max(parity.weights, parity.last_hidden_state) < parity.bound


def test_a_patch_that_is_cut_off_has_no_effect(loaded: LoadedModel) -> None:
    """All edges to patch 9 are cut in every layer: painting that patch then changes no prediction."""
    cut = CutEdges(layer="all", heads="all", edges=((None, 9),))
    assert loaded.images is not None
    logits = []
    for colour in ((0, 0, 0), (255, 40, 90)):
        image = Image.new("RGB", (20, 12))
        image.paste(colour, (12, 4, 16, 8))
        buffer = io.BytesIO()
        image.save(buffer, format="PNG")
        changed, plain = (
            analyse_image(loaded, buffer.getvalue(), **LIMITS, interventions=each) for each in ((cut,), ())
        )
        assert changed.interventions == (cut,)
        np.testing.assert_array_equal(changed.window(None, 1, 2)[:, 9], 0)
        logits.append([analysis.predictions[0].candidates[0].logit for analysis in (changed, plain)])
    assert logits[0][0] == logits[1][0]
    assert logits[0][1] != logits[1][1]


def test_a_changed_model_is_not_compared(loaded: LoadedModel) -> None:
    off = HeadOff(layer=0, heads=(1,))
    with pytest.raises(InterventionError, match="parity must be false with interventions"):
        analyse_image(loaded, png(), **LIMITS, parity=True, interventions=(off,))


def test_a_bare_model_predicts_nothing(models_dir: Path) -> None:
    loaded = Catalog(models_dir=models_dir, device="cpu").load("tiny-vit")
    analysis = analyse_image(loaded, png(), **LIMITS)
    assert (analysis.predictions, len(analysis.tokens), loaded.entry.reads) == ([], 5, "image")
    assert analysis.nbytes > len(analysis.picture.png) if analysis.picture else False


def test_texts_and_images_are_not_mistaken_for_each_other(loaded: LoadedModel, minilm: LoadedModel) -> None:
    with pytest.raises(ReadsImagesError, match="takes images, not texts"):
        analyse(loaded, AnalysisRequest("The cat"), max_tokens=100)
    with pytest.raises(ReadsTextError, match="takes texts, not images"):
        analyse_image(minilm, png(), **LIMITS)


def test_bounds_and_stopping(loaded: LoadedModel) -> None:
    with pytest.raises(TextTooLongError, match="16 tokens; this server accepts at most 15") as caught:
        analyse_image(loaded, png(), max_tokens=15, max_pixels=10_000)
    assert (caught.value.field, caught.value.limit) == ("model", 15)
    with pytest.raises(Cancelled, match="cancelled"):
        analyse_image(loaded, png(), **LIMITS, cancelled=lambda: True)
