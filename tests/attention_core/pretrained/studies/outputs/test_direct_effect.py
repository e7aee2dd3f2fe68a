"""Direct effects add up to the model's own logits; one head's is what the logit loses without it, norm held fixed."""

import numpy as np
import pytest
import torch

from attention_core.pretrained.errors import SelectionError
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.analysis import Analysis, AnalysisRequest, analyse
from attention_core.pretrained.studies.outputs.direct_effect import direct_effect
from attention_core.pretrained.studies.outputs.residual_stream import residual_stream

TEXT = "A small model reads a small text."
DECODERS = ("tiny-gpt2", "tiny-llama", "tiny-qwen3", "tiny-mistral", "tiny-gpt-neox", "tiny-gemma")


@pytest.fixture(params=DECODERS)
def loaded(request: pytest.FixtureRequest, catalog: Catalog) -> LoadedModel:
    return catalog.load(request.param)


@pytest.fixture
def analysis(loaded: LoadedModel) -> Analysis:
    return analyse(loaded, AnalysisRequest(TEXT), max_tokens=64)


@pytest.mark.parametrize(("token", "against"), [(7, None), (300, 12), (None, None)])
def test_shares_add_up_to_the_models_logit(
    loaded: LoadedModel, analysis: Analysis, token: int | None, against: int | None
) -> None:
    position = 5
    inputs, _ = tokenise(loaded, TEXT)
    with torch.inference_mode():
        logits = loaded.model(**inputs).logits[0, position].double()
    found = direct_effect(loaded, analysis, position, token=token, against=against)
    assert found.token_id == (int(logits.argmax()) if token is None else token)
    expected = logits[found.token_id] - (0.0 if against is None else logits[against])
    assert found.token_text == loaded.tokenizer.decode([found.token_id])
    assert found.against_text == (None if against is None else loaded.tokenizer.decode([against]))
    assert found.heads.shape == (2, 4)
    shares = [found.heads, found.attention_bias, found.feed_forward, np.array([found.embedding, found.constant])]
    assert sum(each.sum() for each in shares) == pytest.approx(float(expected), abs=1e-5)
    assert found.total == pytest.approx(float(expected), abs=1e-5)
    assert found.logit == pytest.approx(float(expected), abs=1e-5)


def test_one_head_is_what_its_vector_brings(loaded: LoadedModel, analysis: Analysis) -> None:
    """Take a head's vector out of the final stream by hand, divide by the scale that was there."""
    position, token = 6, 41
    found = direct_effect(loaded, analysis, position, token=token)
    residual = residual_stream(loaded, analysis, position)
    final = residual.stream[-1].double()
    weight = loaded.model.get_output_embeddings().weight[token].double()
    gain = residual.norm.weight.double()
    if type(loaded.model).__name__ == "GemmaForCausalLM":
        gain = gain + 1.0
    is_layer_norm = isinstance(residual.norm, torch.nn.LayerNorm)
    scale = final.std(correction=0) if is_layer_norm else final.square().mean().sqrt()
    for layer, projection in enumerate(residual.projections):
        size = projection.weight.shape[0] // 4
        for head in range(4):
            rows = slice(head * size, (head + 1) * size)
            vector = residual.head_outputs[layer, rows].double() @ projection.weight[rows].double()
            if is_layer_norm:
                vector = vector - vector.mean()
            expected = float((vector / scale * gain) @ weight)
            assert found.heads[layer, head] == pytest.approx(expected, rel=1e-2, abs=1e-5)


def test_out_of_range(catalog: Catalog) -> None:
    loaded = catalog.load("tiny-gpt2")
    analysis = analyse(loaded, AnalysisRequest(TEXT), max_tokens=64)
    for field in ("token", "against"):
        with pytest.raises(SelectionError, match=f"{field} must be from 0 to 383, not 384") as error:
            direct_effect(loaded, analysis, 0, **{"token": 3, field: 384})
        assert error.value.field == field
