"""W_O of every architecture: all heads' ‖α f(x)‖ vectors sum to the attention module's output."""

from typing import Any

import pytest
import torch
import transformers
from torch import Tensor, nn

from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.output_projections import candidates, value_norms, watch
from attention_core.pretrained.recording.recorder import IMPLEMENTATION, LayerRecord, record
from attention_core.pretrained.recording.windows import stage_window

MODELS = (
    "tiny-gpt2", "tiny-llama", "tiny-qwen3", "tiny-mistral", "tiny-gpt-neox", "tiny-bert", "tiny-roberta",
    "tiny-distilbert", "tiny-modernbert", "tiny-t5", "tiny-bart",
)  # fmt: skip
TOKENS = 11
SIBLINGS = {"BertSelfAttention", "RobertaSelfAttention"}
"""Attention modules whose output projection stands beside them, not within."""


def run(loaded: LoadedModel) -> tuple[list[LayerRecord], list[Tensor]]:
    """Every recorded layer, and the library's own projected output of it."""
    ids = torch.randint(5, 300, (1, TOKENS), generator=torch.Generator().manual_seed(4))
    inputs = {"input_ids": ids}
    if loaded.entry.kind == "encoder_decoder":
        inputs["decoder_input_ids"] = ids[:, :7]
    names = {module: name for name, module in loaded.model.named_modules()}
    outputs: list[Tensor] = []

    def keep(_module: nn.Module, _args: Any, output: Any) -> None:
        outputs.append(output[0] if isinstance(output, tuple) else output)

    with torch.inference_mode(), record() as recording:
        loaded.model(**inputs)
    handles = []
    for attention in dict.fromkeys(layer.module for layer in recording.layers):
        name = names[attention]
        if type(attention).__name__ in SIBLINGS:
            name = name.removesuffix("self") + "output.dense"
        handles.append(loaded.model.get_submodule(name).register_forward_hook(keep))
    with torch.inference_mode():
        loaded.model(**inputs)
    for handle in handles:
        handle.remove()
    return recording.layers, outputs


@pytest.mark.parametrize("name", MODELS)
def test_contributions_of_all_heads_add_up_to_the_projected_output(catalog: Catalog, name: str) -> None:
    loaded = catalog.load(name)
    layers, outputs = run(loaded)
    assert len(layers) == len(outputs)
    for layer, output in zip(layers, outputs, strict=True):
        attention, projection = layer.attention, loaded.projections[layer.module]
        whole = slice(0, attention.num_keys)
        total = torch.zeros_like(output[0], dtype=torch.float64)
        for head in range(attention.num_heads):
            with torch.inference_mode():
                weights = stage_window(layer, head, "weights", slice(0, attention.num_queries), whole).double()
            values = attention.values[0, head * attention.values.shape[1] // attention.num_heads].double()
            total += weights @ values @ projection.of_head(head, values.shape[-1]).double()
        if projection.bias is not None:
            total += projection.bias.double()
        torch.testing.assert_close(total.float(), output[0], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("name", MODELS)
def test_norms_are_those_of_the_vectors_written_out(catalog: Catalog, name: str) -> None:
    loaded = catalog.load(name)
    for layer in run(loaded)[0]:
        for head in range(layer.attention.num_heads):
            values = layer.attention.head(head).values[0, 0]
            matrix = loaded.projections[layer.module].of_head(head, values.shape[-1])
            expected = (values.double() @ matrix.double()).norm(dim=-1).float()
            with torch.inference_mode():
                torch.testing.assert_close(value_norms(values, matrix), expected, atol=1e-6, rtol=1e-5)


def test_vit_keeps_it_where_llama_does() -> None:
    config = transformers.ViTConfig(
        hidden_size=12, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8, image_size=8, patch_size=4
    )
    model = transformers.ViTModel._from_config(config, attn_implementation=IMPLEMENTATION).eval()
    pixels = torch.randn(1, 3, 8, 8, generator=torch.Generator().manual_seed(0))
    with torch.inference_mode(), watch(model) as watched, record() as recording:
        model(pixels)
        (layer,) = recording.layers
        found = watched.confirmed([(layer.module, layer.attention.attend()[0])])
    assert found[layer.module].bias is layer.module.o_proj.bias
    assert torch.equal(found[layer.module].weight, layer.module.o_proj.weight.T)


class Normalised(nn.Module):
    """An attention that does something to its head outputs before it projects them."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(6)
        self.o_proj = nn.Linear(6, 4)

    def forward(self, head_outputs: Tensor) -> Tensor:
        return self.o_proj(self.norm(head_outputs))


def test_a_projection_that_takes_in_something_else_is_none() -> None:
    model = Normalised()
    assert candidates(model) == {model: model.o_proj}
    head_outputs = torch.randn(1, 2, 5, 3, generator=torch.Generator().manual_seed(1))
    with torch.inference_mode(), watch(model) as watched:
        model(head_outputs.transpose(1, 2).flatten(2))
        assert watched.confirmed([(model, head_outputs)]) == {}
    assert not model.o_proj._forward_pre_hooks
