"""The residual stream that is kept is the library's own hidden states; the loaded model itself is never hooked."""

import pytest
import torch
from transformers import AlbertConfig, AlbertForMaskedLM

from attention_core.pretrained.errors import UnsupportedAttentionError
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.recording.recorder import Recording, receive
from attention_core.pretrained.studies.patching.activations import Activations, Hooked, Keeping, block_of

TEXT = "The cat [MASK] on the mat ."


@pytest.mark.parametrize("name", ["tiny-gpt2", "tiny-llama", "tiny-gpt-neox", "tiny-bert", "tiny-t5"])
def test_streams_are_the_librarys_hidden_states(catalog: Catalog, name: str) -> None:
    loaded = catalog.load(name)
    hooked = Hooked(loaded, loaded.parts[0].name)
    inputs, _ = tokenise(loaded, TEXT)
    if name == "tiny-t5":
        inputs["decoder_input_ids"] = inputs["input_ids"][:, :3]
    streams: list[torch.Tensor] = []

    def keep(_: int, stream: torch.Tensor) -> torch.Tensor:
        streams.append(stream.clone())
        return stream

    def run() -> tuple[Keeping, dict[str, torch.Tensor]]:
        keeping = Keeping(hooked.part_of, hooked.part, Recording())
        with torch.inference_mode(), hooked.streaming(keep), receive(keeping):
            return keeping, hooked.model(**inputs, output_hidden_states=True)

    keeping, _ = run()
    assert not streams
    hooked.watch_blocks(Activations(keeping.layers, [], torch.zeros(1)))
    _, output = run()
    states = output["encoder_hidden_states" if name == "tiny-t5" else "hidden_states"]
    assert len(streams) == len(keeping.layers) == len(states) - 1
    assert all(torch.equal(stream, state) for stream, state in zip(streams, states, strict=False))
    assert hooked.model is not loaded.model
    assert not any(module._forward_pre_hooks for module in loaded.model.modules())


def test_a_block_is_an_element_of_the_outermost_list() -> None:
    shared = AlbertForMaskedLM(
        AlbertConfig(vocab_size=9, hidden_size=8, embedding_size=4, num_attention_heads=2, intermediate_size=8)
    )
    modules = dict(shared.named_modules())
    (name,) = (name for name in modules if name.endswith("attention"))
    assert block_of(name, modules) is modules["albert.encoder.albert_layer_groups.0"]
    with pytest.raises(UnsupportedAttentionError, match="no list of blocks"):
        block_of("albert.encoder", modules)
