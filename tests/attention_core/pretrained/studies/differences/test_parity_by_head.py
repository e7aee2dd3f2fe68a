"""Differences by head and layer: against the library's own collections of weights and hidden states."""

from typing import Any

import numpy as np
import pytest
import torch

from attention_core.pretrained.errors import Cancelled, SelectionError, TextTooLongError
from attention_core.pretrained.inputs.tokens import tokenise, tokenise_target
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.model_run import body
from attention_core.pretrained.recording.parity import BOUND, eager_copy, parity
from attention_core.pretrained.studies.differences.parity_by_head import parity_by_head

TEXT = "The cat sat on the mat."
OWN_FORMS = ("tiny-gpt2", "tiny-llama", "tiny-qwen3")
OTHERS = ("minilm", "tiny-mistral", "tiny-modernbert", "tiny-t5", "tiny-bart")


def load(catalog: Catalog, minilm: LoadedModel, name: str) -> LoadedModel:
    return minilm if name == "minilm" else catalog.load(name)


@pytest.mark.parametrize("name", [*OWN_FORMS, *OTHERS])
def test_nothing_differs_by_more_than_the_bound(catalog: Catalog, minilm: LoadedModel, name: str) -> None:
    loaded = load(catalog, minilm, name)
    found = parity_by_head(loaded, TEXT, layer=1, head=2)
    inputs, tokens = tokenise(loaded, TEXT)
    if loaded.entry.kind == "encoder_decoder":
        inputs |= tokenise_target(loaded)[0]
    whole = parity(loaded.model, inputs)
    assert [part.name for part in found.parts] == [part.name for part in loaded.parts]
    assert [part.weights.shape for part in found.parts] == [(part.layers, part.heads) for part in loaded.parts]
    assert max(part.weights.max() for part in found.parts) == pytest.approx(whole.weights, abs=1e-9)
    assert whole.weights <= BOUND
    last = "decoder" if "decoder" in found.hidden_states else "encoder"
    assert found.hidden_states[last][-1] == pytest.approx(whole.last_hidden_state, abs=1e-9)
    for states in found.hidden_states.values():
        assert states.max() <= BOUND
    assert (found.own_decoder is not None) == (name in OWN_FORMS)
    assert found.tokens == tokens


@pytest.mark.parametrize("name", ["minilm", "tiny-gpt2", "tiny-t5"])
def test_the_head_shown_is_the_librarys(catalog: Catalog, minilm: LoadedModel, name: str) -> None:
    loaded = load(catalog, minilm, name)
    found = parity_by_head(loaded, TEXT, layer=1, head=3)
    twin: Any = eager_copy(loaded.model)
    reader = twin.get_encoder() if loaded.entry.kind == "encoder_decoder" else body(twin)
    with torch.no_grad():
        expected = reader(**tokenise(loaded, TEXT)[0], output_attentions=True).attentions[1][0, 3]
    np.testing.assert_allclose(found.theirs, expected, atol=1e-7)
    np.testing.assert_allclose(found.ours, expected, atol=BOUND)
    assert found.nbytes > found.ours.nbytes


@pytest.mark.parametrize("name", OWN_FORMS)
def test_our_own_decoder_with_the_same_weights(catalog: Catalog, name: str) -> None:
    found = parity_by_head(catalog.load(name), TEXT)
    assert found.own_decoder is not None
    assert found.own_decoder.logits <= BOUND
    with torch.no_grad():
        logits = catalog.load(name).model(**tokenise(catalog.load(name), TEXT)[0]).logits
    assert found.own_decoder.largest_logit == pytest.approx(float(logits.abs().max()), rel=1e-5)


def test_what_is_refused(minilm: LoadedModel) -> None:
    for options, field in (({"layer": 6}, "layer"), ({"head": -1}, "head"), ({"part": "cross"}, "part")):
        with pytest.raises(SelectionError, match=f"{field} must be") as error:
            parity_by_head(minilm, TEXT, **options)  # type: ignore[arg-type]
        assert error.value.field == field
    with pytest.raises(TextTooLongError):
        parity_by_head(minilm, "a " * 600)
    with pytest.raises(Cancelled, match="the comparison was cancelled"):
        parity_by_head(minilm, TEXT, cancelled=lambda: True)
