"""The stream at one token: against the library's own hidden states, and its parts against its growth."""

from collections.abc import Callable

import pytest
import torch

from attention_core.pretrained.errors import Cancelled, ModelUnavailableError, SelectionError
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.recorder import record
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse
from attention_core.pretrained.studies.outputs.block_layouts import LAYOUTS
from attention_core.pretrained.studies.outputs.residual_stream import reads_stream, residual_stream

TEXT = "A small model reads a small text."
DECODERS = {
    "tiny-gpt2": "gpt2",
    "tiny-llama": "llama",
    "tiny-qwen3": "qwen3",
    "tiny-mistral": "mistral",
    "tiny-gpt-neox": "gpt_neox",
    "tiny-gemma": "gemma",
    "gemma2": "gemma2",
    "gemma3": "gemma3_text",
    "stablelm-parallel": "stablelm",
    "falcon-groups": "falcon",
    **{
        name: name
        for name in (
            *("gptj", "codegen", "gpt_neo", "phi", "phi3", "bloom", "mpt", "opt", "olmo2", "olmo3", "granite"),
            *("cohere", "cohere2", "stablelm", "starcoder2", "mixtral", "qwen2_moe", "qwen3_moe"),
        )
    },
}
"""With the type of each."""


def stop() -> None:
    raise Cancelled("enough")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", DECODERS)
def test_states_are_the_librarys_and_parts_add_up(decoder: Callable[[str], LoadedModel], name: str) -> None:
    loaded = decoder(name)
    inputs, _ = tokenise(loaded, TEXT)
    with torch.inference_mode(), record():
        hidden = loaded.model(**inputs, output_hidden_states=True).hidden_states
    analysis = analyse(loaded, AnalysisRequest(TEXT), max_tokens=64)
    for position in (0, 4):
        found = residual_stream(loaded, analysis, position)
        states = torch.stack([state[0, position] for state in hidden])
        torch.testing.assert_close(found.stream[:-1], states[:-1])
        with torch.inference_mode():  # the library's last state is behind the norm
            torch.testing.assert_close(found.reader.norm(found.stream[-1]), states[-1])
        for layer, (projection, through) in enumerate(zip(found.projections, found.written, strict=True)):
            written = found.head_outputs[layer] @ projection.weight
            if projection.bias is not None:
                written = written + projection.bias
            added = (through.unscaled(written) / through.sigma)[0] + through.shift() + found.feed_forward[layer]
            torch.testing.assert_close(found.stream[layer] + added, found.stream[layer + 1], atol=1e-5, rtol=1e-5)


@pytest.mark.full
def test_every_layout_is_tried_or_is_llamas(decoder: Callable[[str], LoadedModel]) -> None:
    assert {name: decoder(name).model.config.model_type for name in DECODERS} == DECODERS
    read = {model_type for model_type, layout in LAYOUTS.items() if layout.last_norm is not None}
    assert read - set(DECODERS.values()) == {"qwen2", "vit"}
    assert LAYOUTS["qwen2"] is LAYOUTS["qwen3"]


def test_what_it_refuses(catalog: Catalog, minilm: LoadedModel, decoder: Callable[[str], LoadedModel]) -> None:
    for other in (minilm, decoder("opt-post")):
        assert not reads_stream(other)
        with pytest.raises(ModelUnavailableError, match=r"available only for decoders: .* is of another kind"):
            residual_stream(other, analyse(other, AnalysisRequest(TEXT), max_tokens=64), 0)
    openai = decoder("openai-gpt")
    assert not reads_stream(openai)
    with pytest.raises(ModelUnavailableError, match=r"traced only in models of these types: .* openai-gpt is of"):
        residual_stream(openai, analyse(openai, AnalysisRequest(TEXT), max_tokens=64), 0)
    loaded = catalog.load("tiny-gpt2")
    analysis = analyse(loaded, AnalysisRequest(TEXT), max_tokens=64)
    with pytest.raises(SelectionError, match=r"position must be from 0 to \d+, not 99") as error:
        residual_stream(loaded, analysis, 99)
    assert error.value.field == "position"
    with pytest.raises(Cancelled, match="enough"):
        residual_stream(loaded, analysis, 0, stop)
