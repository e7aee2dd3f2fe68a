"""Gradient × attention against autograd through the library's own eager attention, and against finite differences."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from attention_core.pretrained.errors import Cancelled, ModelUnavailableError, SelectionError, WindowTooLargeError
from attention_core.pretrained.inputs.tokens import tokenise, tokenise_target
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.parity import eager_copy
from attention_core.pretrained.running.analysis import Analysis, AnalysisRequest, analyse
from attention_core.pretrained.studies.outputs import attribution as module
from attention_core.pretrained.studies.outputs.attribution import Attribution, attribution

TEXT = "A small model reads a small text."


def eager(loaded: LoadedModel, *, target: str | None = None) -> Any:
    """Outputs of the library's eager attention, with a graph behind every weight matrix."""
    twin = eager_copy(loaded.model)
    inputs, _ = tokenise(loaded, TEXT)
    if target is not None:
        inputs |= tokenise_target(loaded, target)[0]
    # Parameters ask for no gradient; inputs must, so that a graph is built at all.
    for embedding in [each for each in twin.modules() if isinstance(each, nn.Embedding)]:
        embedding.register_forward_hook(lambda _module, _args, output: output.detach().requires_grad_())
    options = {"use_cache": False} if loaded.model.can_generate() else {}
    return twin(**inputs, **options, output_attentions=True)


def assert_shares(found: Attribution, output: Tensor, attentions: dict[str, tuple[Tensor, ...]]) -> None:
    assert found.output == pytest.approx(float(output.detach()), abs=1e-5)
    assert [part.name for part in found.parts] == list(attentions)
    flat = [weights for layers in attentions.values() for weights in layers]
    gradients = iter(torch.autograd.grad(output, flat, allow_unused=True))
    for part in found.parts:
        for layer, weights in enumerate(attentions[part.name]):
            gradient = next(gradients)
            expected = torch.zeros_like(weights) if gradient is None else weights * gradient
            np.testing.assert_allclose(part.shares[layer], expected[0].detach().numpy(), atol=2e-6, rtol=1e-4)
        np.testing.assert_allclose(part.heads, part.shares.sum(axis=(-1, -2)))


def analysed(loaded: LoadedModel, **request: Any) -> Analysis:
    return analyse(loaded, AnalysisRequest(TEXT, **request), max_tokens=64)


@pytest.mark.parametrize("name", ["tiny-gpt2", "tiny-llama", "tiny-mistral", "tiny-gpt-neox"])
def test_the_next_token(catalog: Catalog, name: str) -> None:
    loaded = catalog.load(name)
    analysis, outputs = analysed(loaded), eager(loaded)
    best = analysis.predictions[0]
    found = attribution(loaded, analysis)
    assert (found.target, found.position, found.token_id) == ("logit", best.index, best.candidates[0].id)
    assert np.abs(found.parts[0].shares).max() > 1e-4, "tiny as the model is, some weight matters"
    assert_shares(found, outputs.logits[0, -1, best.candidates[0].id], {"decoder": outputs.attentions})
    outputs = eager(loaded)
    other = attribution(loaded, analysis, position=2, token=17)
    assert_shares(other, outputs.logits[0, 2, 17], {"decoder": outputs.attentions})
    assert not other.parts[0].shares[:, :, 3:].any(), "what comes later has no say"
    outputs = eager(loaded)
    between = attribution(loaded, analysis, position=2, token=17, against=40)
    assert (between.token_id, between.against_id) == (17, 40)
    assert_shares(between, outputs.logits[0, 2, 17] - outputs.logits[0, 2, 40], {"decoder": outputs.attentions})


@pytest.mark.parametrize("name", ["tiny-bert", "tiny-distilbert", "tiny-modernbert"])
def test_a_masked_token(catalog: Catalog, name: str) -> None:
    loaded = catalog.load(name)
    outputs = eager(loaded)
    found = attribution(loaded, analysed(loaded), position=3, token=40)
    assert_shares(found, outputs.logits[0, 3, 40], {"encoder": outputs.attentions})
    with pytest.raises(SelectionError, match="position must be given: no token is masked"):
        attribution(loaded, analysed(loaded))


def test_the_first_masked_token_unless_told(catalog: Catalog) -> None:
    loaded = catalog.load("tiny-bert")
    analysis = analyse(loaded, AnalysisRequest("A small [MASK] reads."), max_tokens=64)
    found = attribution(loaded, analysis)
    assert found.position == analysis.predictions[0].index
    assert found.token_id == analysis.predictions[0].candidates[0].id


@pytest.mark.parametrize("name", ["tiny-t5", "tiny-bart"])
def test_all_three_parts_of_a_model_with_two_sides(catalog: Catalog, name: str) -> None:
    loaded = catalog.load(name)
    outputs = eager(loaded, target="A small text.")
    found = attribution(loaded, analysed(loaded, target_text="A small text."), position=1, token=40)
    attentions = {part: outputs[f"{part}_attentions"] for part in ("encoder", "decoder", "cross")}
    assert_shares(found, outputs.logits[0, 1, 40], attentions)


def test_embedding_and_component(minilm: LoadedModel) -> None:
    analysis = analysed(minilm)
    outputs = eager(minilm)
    embedding = outputs.last_hidden_state[0].mean(dim=0)
    found = attribution(minilm, analysis)
    assert (found.target, found.position, found.token_id, found.component) == ("embedding", None, None, None)
    assert_shares(found, embedding @ (embedding / embedding.norm()).detach(), {"encoder": outputs.attentions})
    outputs = eager(minilm)
    found = attribution(minilm, analysis, component=5, position=2)
    assert (found.target, found.position, found.component) == ("component", 2, 5)
    assert_shares(found, outputs.last_hidden_state[0, 2, 5], {"encoder": outputs.attentions})


def test_a_share_is_what_the_output_loses(catalog: Catalog) -> None:
    """In the last layer a weight w acts by w · v W_O alone: scaling one weight is scaling that vector."""
    loaded = catalog.load("tiny-gpt2")
    analysis = analysed(loaded)
    found = attribution(loaded, analysis, position=4, token=30)
    attention = analysis.parts[0].record.layers[1].attention
    projection = analysis.parts[0].record.layers[1].projection
    assert projection is not None
    inputs, _ = tokenise(loaded, TEXT)
    block = eager_copy(loaded.model)
    step = 1e-2

    def logit(head: int, key: int, scale: float) -> float:
        value = attention.values[0, head, key] @ projection.of_head(head, 8)
        weight = analysis.window(None, 1, head)[4, key]

        def add(_module: Any, _args: Any, output: Any) -> Any:
            output[0][0, 4] += float(scale * weight) * value
            return output

        handle = block.transformer.h[1].attn.register_forward_hook(add)
        with torch.inference_mode():
            result = float(block(**inputs).logits[0, 4, 30].double())
        handle.remove()
        return result

    for head, key in [(0, 0), (1, 3), (3, 4)]:
        slope = (logit(head, key, step) - logit(head, key, -step)) / (2 * step)
        assert found.parts[0].shares[1, head, 4, key] == pytest.approx(slope, rel=2e-2, abs=2e-5)


@pytest.mark.full
def test_what_it_refuses(catalog: Catalog, minilm: LoadedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    analysis = analysed(minilm)
    with pytest.raises(ModelUnavailableError, match="predicts no tokens: ask for its embedding"):
        attribution(minilm, analysis, target="logit")
    with pytest.raises(SelectionError, match="component must be given"):
        attribution(minilm, analysis, target="component")
    with pytest.raises(SelectionError, match="component must be from 0 to 383, not 384"):
        attribution(minilm, analysis, component=384)
    with pytest.raises(Cancelled, match="the attribution was cancelled"):
        attribution(minilm, analysis, cancelled=lambda: True)
    two_sided = catalog.load("tiny-t5")
    with pytest.raises(ModelUnavailableError, match="is an encoder–decoder model: ask for a logit"):
        attribution(two_sided, analysed(two_sided), target="embedding")
    decoder = catalog.load("tiny-gpt2")
    with pytest.raises(SelectionError, match="token must be from 0 to 383, not 384"):
        attribution(decoder, analysed(decoder), token=384)
    with pytest.raises(SelectionError, match="against must be from 0 to 383, not 384"):
        attribution(decoder, analysed(decoder), against=384)
    with pytest.raises(SelectionError, match=r"position must be from 0 to \d+, not 60"):
        attribution(decoder, analysed(decoder), position=60)
    monkeypatch.setattr(module, "MAX_CELLS", 100)
    with pytest.raises(WindowTooLargeError, match=r"gradients of \d+ weights are more than 100") as error:
        attribution(minilm, analysis)
    assert error.value.limit == 100
