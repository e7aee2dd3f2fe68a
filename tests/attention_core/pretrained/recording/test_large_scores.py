"""Huge scores and tiny temperatures: weights never exceed 1, and rows sum to 1."""

from collections.abc import Callable

import pytest
import torch
from torch import nn
from transformers import AlbertConfig, AlbertModel, MobileBertConfig, MobileBertModel, T5Config, T5EncoderModel

from attention_core.blockwise.attention import BlockwiseAttention
from attention_core.blockwise.head_edit import HeadEdit
from attention_core.pretrained.recording.distribution import distribution
from attention_core.pretrained.recording.metrics import METRICS
from attention_core.pretrained.recording.parts import PartRecord
from attention_core.pretrained.recording.pooled_windows import pooled_window
from attention_core.pretrained.recording.recorder import IMPLEMENTATION, LayerRecord, record
from attention_core.pretrained.recording.weight_sweep import sweep_weights
from attention_core.pretrained.recording.windows import stage_window
from attention_core.pretrained.studies.flow.rollout import rollout_rows, rollout_square

N = 70
SIZES = {"vocab_size": 50, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 32}
MODELS: dict[str, Callable[[], nn.Module]] = {
    "albert": lambda: AlbertModel(AlbertConfig(embedding_size=16, **SIZES)),
    "mobilebert": lambda: MobileBertModel(
        MobileBertConfig(embedding_size=16, intra_bottleneck_size=32, true_hidden_size=32, **SIZES)
    ),
    "t5": lambda: T5EncoderModel(T5Config(vocab_size=50, d_model=32, d_kv=8, d_ff=32, num_layers=2, num_heads=4)),
}


def layers_of(name: str, temperature: float) -> list[LayerRecord]:
    """What a model records whose queries and keys were inflated until scores are about 1,000."""
    torch.manual_seed(0)
    model = MODELS[name]().eval()
    model.set_attn_implementation(IMPLEMENTATION)
    ids = torch.randint(3, 20, (1, N))

    def change(_module: nn.Module, attention: BlockwiseAttention) -> BlockwiseAttention:
        scores = float(attention.masked_scores(slice(0, N), slice(0, N)).abs().max())
        grown = (1000 / scores) ** 0.5
        return BlockwiseAttention(
            queries=attention.queries * grown,
            keys=attention.keys * grown,
            values=attention.values,
            scale=attention.scale,
            bias=attention.bias,
            mask=attention.mask,
            edits={0: HeadEdit(temperature=temperature)},
        )

    with torch.inference_mode(), record(change=change) as recording:
        model(input_ids=ids)
    assert len(recording.layers) == 2
    return recording.layers


@pytest.mark.full
@pytest.mark.parametrize("temperature", [1e-6, 0.5])
@pytest.mark.parametrize("name", MODELS)
def test_everything_shown_stays_within_its_bounds(name: str, temperature: float) -> None:
    layers = layers_of(name, temperature)
    everything = slice(0, N)
    with torch.inference_mode():
        for layer in layers:
            for head in range(4):
                whole = stage_window(layer, head, "weights", everything, everything)
                rows = torch.cat([stage_window(layer, head, "weights", slice(i, i + 1), everything) for i in range(N)])
                cols = [stage_window(layer, head, "weights", everything, slice(i, i + 1)) for i in range(N)]
                for found in (whole, rows, torch.cat(cols, dim=1)):
                    assert float(found.max()) <= 1.0
                    assert float((found.double().sum(dim=1) - 1).abs().max()) <= 1e-6
                    torch.testing.assert_close(found, whole, atol=1e-7, rtol=0)
                largest = pooled_window(layer, head, "weights", everything, everything, 13, "max")
                assert float(largest.max()) <= 1.0
                mean = pooled_window(layer, head, "weights", everything, everything, 13, "mean")
                assert float(mean.max()) <= 1.0
                seen = distribution(layer, head, "weights", 8)
                assert seen.maximum <= 1.0
                assert seen.row_entropy.min() >= 0.0
                assert seen.counts.sum() == N * N
        swept = sweep_weights(PartRecord("encoder", layers, "source", "source"), list(range(N)), lambda: None)
        square = rollout_square(layers, lambda: None)
        from_row = rollout_rows(layers, 5, lambda: None)
    for metric, values in swept.metrics.items():
        assert values.min() >= 0.0, metric
        assert METRICS[metric].unit != "share" or values.max() <= 1.0, metric
    assert float((square.sum(dim=1) - 1).abs().max()) <= 1e-6
    assert float(square.max()) <= 1.0
    assert float((from_row.sum(dim=1) - 1).abs().max()) <= 1e-6
