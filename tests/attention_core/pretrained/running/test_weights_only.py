"""Models whose attention cannot be replaced: the weights that the library returns, and nothing that needs more."""

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from odd_models import write_odd_model
from PIL import Image

from attention_core.atlas.folding.scanned_model import ScannedModel
from attention_core.pretrained.errors import (
    AnalysisError,
    InterventionError,
    ModelUnavailableError,
    TextTooLongError,
    UnsupportedAttentionError,
)
from attention_core.pretrained.inputs.images import decode_image, prepared_again
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording import returned_weights
from attention_core.pretrained.recording.replaced import swapping
from attention_core.pretrained.running.analysis import Analysis, AnalysisRequest, analyse
from attention_core.pretrained.running.image_analysis import analyse_image
from attention_core.pretrained.running.interventions import HeadOff
from attention_core.pretrained.studies.circuits.induction import head_scores
from attention_core.pretrained.studies.flow.rollout import rollout
from attention_core.pretrained.studies.outputs.attribution import attribution
from attention_core.pretrained.studies.outputs.block_stations import pretrained_walk
from attention_core.pretrained.studies.vectors import pair_vectors

TEXT = "The cat sat on the mat because it was tired."
TARGET = "A small model reads."
TEXTS = ("deberta", "fsmt")


@pytest.fixture(scope="module", autouse=True)
def own_attention() -> Iterator[None]:
    """As if nothing were known of these models' modules: FSMT, data2vec and Longformer can be carried."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(swapping, "REPLACED", {})
        patch.setattr(swapping, "NAMED_ALIKE", {})
        yield


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own-attention")
    for name in (*TEXTS, "data2vec", "longformer"):
        write_odd_model(folder, name)
    return folder


@pytest.fixture(scope="module")
def catalog(folders: Path) -> Catalog:
    return Catalog(models_dir=folders, hub_models=(), device="cpu")


def analysed(loaded: LoadedModel, text: str = TEXT) -> Analysis:
    return analyse(loaded, AnalysisRequest(text, target_text=TARGET), max_tokens=64)


@pytest.mark.parametrize("name", TEXTS)
def test_weights_are_those_that_the_library_returns(catalog: Catalog, folders: Path, name: str) -> None:
    loaded = catalog.load(name)
    assert (loaded.weights_only, loaded.entry.support, loaded.entry.self_check) == (True, "weights_only", None)
    analysis = analysed(loaded)
    model = getattr(transformers, str(loaded.entry.architecture)).from_pretrained(folders / name).eval()
    inputs = {"input_ids": torch.tensor([[token.id for token in analysis.tokens]])}
    if analysis.target_tokens is not None:
        inputs["decoder_input_ids"] = torch.tensor([[token.id for token in analysis.target_tokens]])
    with torch.inference_mode():
        # With a cache, FSMT leaves its causal mask away.
        output = model(**inputs, output_attentions=True, **({"use_cache": False} if name == "fsmt" else {}))
    found = {
        "encoder": output.get("encoder_attentions", output.get("attentions")),
        "decoder": output.get("decoder_attentions", output.get("attentions")),
        "cross": output.get("cross_attentions"),
    }
    assert [part.name for part in analysis.parts] == {"deberta": ["encoder"]}.get(name, ["encoder", "decoder", "cross"])
    for part in analysis.parts:
        assert part.stages == ("weights",)
        assert part.causal == (part.name == "decoder")
        assert part.layers == len(found[part.name])
        for layer, theirs in enumerate(found[part.name]):
            for head in range(4):
                window = analysis.window(part.name, layer, head)
                np.testing.assert_allclose(window, theirs[0, head].numpy(), rtol=0, atol=1e-6)
        entropy = torch.special.entr(torch.cat(found[part.name])).sum(dim=-1).mean(dim=-1)
        np.testing.assert_allclose(part.metrics["entropy"], entropy.numpy(), rtol=0, atol=1e-5)
    if loaded.entry.kind != "encoder":
        assert analysis.predictions[0].candidates[0].id == int(output.logits[0, -1].argmax())


def test_weights_of_an_image(catalog: Catalog, folders: Path) -> None:
    loaded = catalog.load("data2vec")
    picture = analyse_image(loaded, _noise(), max_tokens=64, max_pixels=10_000)
    assert [token.text for token in picture.tokens[:3]] == ["[CLS]", "0,0", "0,1"]
    assert loaded.images is not None
    assert picture.picture is not None
    pixels = prepared_again(decode_image(picture.picture.png, 10_000), loaded.images)
    model = transformers.Data2VecVisionModel.from_pretrained(folders / "data2vec", attn_implementation="eager").eval()
    with torch.inference_mode():
        theirs = model(pixel_values=pixels, output_attentions=True).attentions
    np.testing.assert_allclose(picture.window(None, 1, 3), theirs[1][0, 3].numpy(), rtol=0, atol=1e-6)


def _noise() -> bytes:
    buffer = io.BytesIO()
    pixels = np.random.default_rng(8).integers(0, 256, (30, 40, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(buffer, format="PNG")
    return buffer.getvalue()


def test_what_follows_from_weights_is_shown_and_the_rest_refused(catalog: Catalog) -> None:
    loaded = catalog.load("deberta")
    analysis = analysed(loaded)
    product = np.eye(len(analysis.tokens))
    for layer in range(2):
        mean = np.mean([analysis.window(None, layer, head) for head in range(4)], axis=0)
        product = (mean + np.eye(len(product))) / 2 @ product
    np.testing.assert_allclose(rollout(analysis).matrix, product, atol=1e-6)
    with pytest.raises(InterventionError, match="nothing in it can be changed"):
        analyse(loaded, AnalysisRequest(TEXT, interventions=(HeadOff(layer=0, heads=(0,)),)), max_tokens=64)
    with pytest.raises(InterventionError, match="nothing to compare") as caught:
        analyse(loaded, AnalysisRequest(TEXT, parity=True), max_tokens=64)
    assert caught.value.field == "parity"
    for study in (
        lambda: attribution(loaded, analysis),
        lambda: head_scores(loaded),
        lambda: pretrained_walk(loaded, TEXT, layer=0, token=0),
        lambda: ScannedModel(loaded),
    ):
        with pytest.raises(UnsupportedAttentionError, match="queries, keys and values are needed"):
            study()
    with pytest.raises((AnalysisError, ValueError), match="unknown"):
        pair_vectors(analysis, None, 0, 0, 1, 0)
    with pytest.raises(AnalysisError, match="stage must be one of weights"):
        analysis.window(None, 0, 0, "raw_scores")


def test_length_is_bounded_by_the_weights(catalog: Catalog, folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = catalog.load("deberta")
    monkeypatch.setattr(returned_weights, "MAX_CELLS", 8 * 100)
    with pytest.raises(TextTooLongError, match="a text may have 10 tokens, this one has") as caught:
        analysed(loaded)
    assert caught.value.limit == 10
    again = Catalog(models_dir=folders, hub_models=(), device="cpu")
    assert again.load("deberta").entry.max_tokens == 10


def test_weights_of_windows_are_refused(catalog: Catalog) -> None:
    with pytest.raises(ModelUnavailableError, match="positions other than the tokens"):
        catalog.load("longformer")
