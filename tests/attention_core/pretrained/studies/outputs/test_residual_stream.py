"""The stream at one token: against the library's own hidden states, and its parts against its growth."""

import pytest
import torch

from attention_core.pretrained.errors import Cancelled, ModelUnavailableError, SelectionError
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse
from attention_core.pretrained.studies.outputs.residual_stream import LAYOUTS, residual_stream

TEXT = "A small model reads a small text."
DECODERS = ("tiny-gpt2", "tiny-llama", "tiny-qwen3", "tiny-mistral", "tiny-gpt-neox", "tiny-gemma")


def stop() -> None:
    raise Cancelled("enough")


@pytest.mark.parametrize("name", DECODERS)
@pytest.mark.parametrize("position", [0, 4])
def test_states_are_the_librarys_and_parts_add_up(catalog: Catalog, name: str, position: int) -> None:
    loaded = catalog.load(name)
    found = residual_stream(loaded, analyse(loaded, AnalysisRequest(TEXT), max_tokens=64), position)
    inputs, _ = tokenise(loaded, TEXT)
    with torch.inference_mode():
        hidden = loaded.model(**inputs, output_hidden_states=True).hidden_states
        states = torch.stack([state[0, position] for state in hidden])
    torch.testing.assert_close(found.stream[:-1], states[:-1])
    with torch.inference_mode():  # the library's last state is behind the norm
        torch.testing.assert_close(found.norm(found.stream[-1]), states[-1])
    for layer, projection in enumerate(found.projections):
        written = found.head_outputs[layer] @ projection.weight + found.feed_forward[layer]
        if projection.bias is not None:
            written = written + projection.bias
        torch.testing.assert_close(found.stream[layer] + written, found.stream[layer + 1], atol=1e-5, rtol=1e-5)


def test_every_layout_is_tried_or_is_llamas(catalog: Catalog) -> None:
    tried = {type(catalog.load(name).model).__name__ for name in DECODERS}
    assert set(LAYOUTS) - tried == {"Qwen2ForCausalLM"}
    assert LAYOUTS["Qwen2ForCausalLM"] is LAYOUTS["Qwen3ForCausalLM"]


def test_what_it_refuses(catalog: Catalog, minilm: LoadedModel) -> None:
    encoder = analyse(minilm, AnalysisRequest(TEXT), max_tokens=64)
    with pytest.raises(ModelUnavailableError, match="decoders of these kinds: GPT2, GPTNeoX, Llama, Gemma"):
        residual_stream(minilm, encoder, 0)
    loaded = catalog.load("tiny-gpt2")
    analysis = analyse(loaded, AnalysisRequest(TEXT), max_tokens=64)
    with pytest.raises(SelectionError, match=r"position must be from 0 to \d+, not 99") as error:
        residual_stream(loaded, analysis, 99)
    assert error.value.field == "position"
    with pytest.raises(Cancelled, match="enough"):
        residual_stream(loaded, analysis, 0, stop)
