"""A layer taken out of MiniLM: its parts are the model's own, and give the weights that transformers computes."""

import math

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from attention_core.pretrained.errors import ModelUnavailableError, SelectionError
from attention_core.pretrained.recording.parity import eager_copy
from attention_core.pretrained.studies.attention_layer import attention_layer

TEXT = "The cat sat on the mat because it was tired."
LAYER, HEADS, SIZE = 5, 12, 32


def test_inputs_and_projections_are_the_model_s(minilm) -> None:
    found = attention_layer(minilm, TEXT, layer=LAYER)
    encoded = minilm.tokenizer(TEXT, return_tensors="pt")
    eager = eager_copy(minilm.model)
    with torch.inference_mode():
        theirs = eager(**encoded, output_hidden_states=True, output_attentions=True)
    assert_close(torch.from_numpy(found.inputs), theirs.hidden_states[LAYER][0], rtol=0, atol=1e-5)
    own = minilm.model.encoder.layer[LAYER].attention
    for mine, module in (
        (found.query, own.self.query),
        (found.key, own.self.key),
        (found.value, own.self.value),
        (found.output, own.output.dense),
    ):
        np.testing.assert_array_equal(mine.weight, module.weight.detach().numpy())
        np.testing.assert_array_equal(mine.bias, module.bias.detach().numpy())
    for head in range(HEADS):
        query, key, value = found.of_head(head)
        assert len(query.weight) == len(key.bias) == len(value.weight) == SIZE
        q, k = (found.inputs @ each.weight.T + each.bias for each in (query, key))
        weights = torch.from_numpy(q @ k.T / math.sqrt(SIZE)).softmax(-1)
        assert_close(weights, theirs.attentions[LAYER][0, head], rtol=0, atol=1e-5)


def test_heads_and_layers_out_of_range_are_refused(minilm) -> None:
    with pytest.raises(SelectionError):
        attention_layer(minilm, TEXT, layer=6)
    with pytest.raises(SelectionError):
        attention_layer(minilm, TEXT).of_head(12)


@pytest.mark.parametrize("name", ["tiny-gpt2", "tiny-llama", "tiny-t5", "tiny-modernbert"])
def test_where_more_makes_the_weights_the_layer_is_refused(catalog, name: str) -> None:
    with pytest.raises(ModelUnavailableError, match="more than three projections and a softmax"):
        attention_layer(catalog.load(name), "A small model reads a small text.")


@pytest.mark.parametrize("name", ["tiny-bert", "tiny-roberta", "tiny-distilbert"])
def test_other_encoders_too(catalog, name: str) -> None:
    found = attention_layer(catalog.load(name), "A small model reads a small text.", layer=1)
    assert found.inputs.shape == (len(found.tokens), 32)
    assert found.output.weight.shape == (32, 32)
