"""Explainable outputs against the library's logits."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from tiny_models import write_classifier_folder
from torch import Tensor, nn

from attention_core.pretrained.errors import Cancelled, SelectionError
from attention_core.pretrained.inputs.images import prepare as prepare_image
from attention_core.pretrained.inputs.tokens import tokenise, tokenise_target
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.parity import eager_copy
from attention_core.pretrained.running.analysis import Analysis, AnalysisRequest, analyse
from attention_core.pretrained.running.image_analysis import analyse_image
from attention_core.pretrained.running.interventions import HeadOff
from attention_core.pretrained.running.predictions import CANDIDATES
from attention_core.pretrained.studies import output as module
from attention_core.pretrained.studies.output import Output, output
from attention_core.pretrained.studies.outputs.attribution import attribution

TEXT = "A small model reads a small text."


def analysed(loaded: LoadedModel, **request: Any) -> Analysis:
    return analyse(loaded, AnalysisRequest(TEXT, **request), max_tokens=64)


def assert_best(found: Output, logits: Tensor) -> None:
    logits = logits.double()
    best = logits.topk(min(CANDIDATES, len(logits)))
    assert found.vocabulary == len(logits)
    assert [one.id for one in found.candidates] == best.indices.tolist()
    assert [one.logit for one in found.candidates] == pytest.approx(best.values.tolist(), abs=1e-4)
    probabilities = (best.values - logits.logsumexp(0)).exp().tolist()
    assert [one.probability for one in found.candidates] == pytest.approx(probabilities, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "kind", "looks"),
    [
        ("tiny-gpt2", "next_token", ["logit_lens", "direct_effect", "attribution"]),
        ("tiny-bert", "masked_token", ["attribution"]),
        ("tiny-t5", "next_token", ["attribution"]),
    ],
)
def test_the_logits_at_a_position(catalog: Catalog, name: str, kind: str, looks: list[str]) -> None:
    loaded = catalog.load(name)
    target = {"target_text": "A small text."} if name == "tiny-t5" else {}
    inputs, _ = tokenise(loaded, TEXT)
    if target:
        inputs |= tokenise_target(loaded, target["target_text"])[0]
    with torch.inference_mode():
        logits = eager_copy(loaded.model)(**inputs).logits[0]
    analysis = analysed(loaded, **target)
    for position in (0, 3):
        found = output(loaded, analysis, position)
        assert (found.kind, found.position, found.looks) == (kind, position, looks)
        assert_best(found, logits[position])
    with pytest.raises(SelectionError, match=r"position must be from 0 to \d+, not 60"):
        output(loaded, analysis, 60)
    with pytest.raises(Cancelled, match="the output was cancelled"):
        output(loaded, analysis, 0, cancelled=lambda: True)


def test_of_a_changed_model_what_the_changed_model_says(catalog: Catalog) -> None:
    loaded = catalog.load("tiny-gpt2")
    off = analysed(loaded, interventions=(HeadOff(layer=0, heads=(0, 1)),))
    last = len(off.tokens) - 1
    assert output(loaded, off, last).candidates == pytest.approx(off.predictions[0].candidates)
    assert output(loaded, analysed(loaded), last).candidates != pytest.approx(off.predictions[0].candidates)


def test_an_embedding_has_no_candidates(minilm: LoadedModel) -> None:
    found = output(minilm, analysed(minilm), 60)
    assert (found.kind, found.position, found.vocabulary, found.candidates) == ("embedding", None, 0, [])
    assert found.looks == ["attribution"]
    assert found.weights == 6 * 12 * len(tokenise(minilm, TEXT)[1]) ** 2


def test_what_takes_too_many_weights_is_not_offered(minilm: LoadedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_CELLS", 100)
    found = output(minilm, analysed(minilm), 0)
    assert (found.looks, found.max_weights) == ([], 100)


def test_a_class_of_a_picture(tmp_path: Path) -> None:
    """The picture is kept as it was resized; that the model sees the same again shows in every weight × gradient."""
    loaded = Catalog(models_dir=write_classifier_folder(tmp_path).parent, device="cpu").load("tiny-vit-classes")
    pixels = np.random.default_rng(5).integers(0, 256, (30, 40, 3), dtype=np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="PNG")
    analysis = analyse_image(loaded, buffer.getvalue(), max_tokens=64, max_pixels=10**6)
    assert loaded.images is not None
    values, _ = prepare_image(Image.fromarray(pixels), loaded.images)
    twin = eager_copy(loaded.model)
    for layer in [each for each in twin.modules() if isinstance(each, nn.Conv2d)]:
        layer.register_forward_hook(lambda _module, _args, result: result.detach().requires_grad_())
    outputs = twin(pixel_values=values, output_attentions=True)
    found = output(loaded, analysis, 3)
    assert (found.kind, found.position, found.looks) == ("class", None, ["attribution"])
    assert_best(found, outputs.logits[0].detach())
    first, second = (one.id for one in found.candidates[:2])
    shares = attribution(loaded, analysis, against=second)
    assert (shares.target, shares.position, shares.token_id, shares.against_id) == ("logit", None, first, second)
    difference = outputs.logits[0, first] - outputs.logits[0, second]
    assert shares.output == pytest.approx(float(difference.detach()), abs=1e-5)
    gradients = torch.autograd.grad(difference, outputs.attentions)
    for layer, (weights, gradient) in enumerate(zip(outputs.attentions, gradients, strict=True)):
        expected = (weights * gradient)[0].detach().numpy()
        np.testing.assert_allclose(shares.parts[0].shares[layer], expected, atol=2e-6, rtol=1e-4)
