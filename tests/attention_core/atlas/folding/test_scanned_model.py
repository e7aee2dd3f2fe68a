"""The model as a scan runs it: GELU in one kernel, with the library's hidden states."""

import torch
from torch.testing import assert_close
from transformers.activations import GELUTanh, NewGELUActivation

from attention_core.atlas.folding.scanned_model import ScannedModel, with_fast_gelu
from attention_core.pretrained.models.loading import LoadedModel


def test_gelu_in_one_kernel_has_the_librarys_hidden_states_and_leaves_the_model_as_it_is(mini: LoadedModel) -> None:
    model = ScannedModel(mini)
    kinds = [sum(isinstance(module, kind) for module in model.body.modules()) for kind in (GELUTanh, NewGELUActivation)]
    assert kinds[0] > 0
    assert kinds[1] == 0
    assert any(isinstance(module, NewGELUActivation) for module in mini.model.modules())
    assert {weight.data_ptr() for weight in model.body.parameters()} <= {w.data_ptr() for w in mini.model.parameters()}
    ids = torch.arange(30).view(2, 15)
    with torch.inference_mode():
        found, expected = (body(input_ids=ids).last_hidden_state for body in (model.body, mini.model.base_model))
    assert_close(found, expected, rtol=1e-4, atol=1e-5)
    assert not torch.equal(found, expected)  # another kernel was at work


def test_a_model_without_the_spelled_out_gelu_is_not_copied(minilm: LoadedModel) -> None:
    assert with_fast_gelu(minilm.model) is minilm.model
