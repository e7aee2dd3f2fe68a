"""Windows of every stage, against the library's own layers."""

import math
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.recorder import LayerRecord, record
from attention_core.pretrained.recording.windows import STAGES, stage_window

LAYER, HEAD = 3, 7


@pytest.fixture(scope="module")
def ids() -> Tensor:
    return torch.randint(1000, 20000, (1, 83), generator=torch.Generator().manual_seed(5))


@pytest.fixture(scope="module")
def layer(minilm: LoadedModel, ids: Tensor) -> LayerRecord:
    with torch.inference_mode(), record() as recording:
        minilm.model(ids)
    layer = recording.layers[LAYER]
    return replace(layer, projection=minilm.projections[layer.module])


@pytest.fixture(scope="module")
def stages(minilm: LoadedModel, ids: Tensor) -> dict[str, Tensor]:
    """Every stage of the head, from the layer's own weight matrices and the hidden states before it, in float64."""
    with torch.inference_mode():
        hidden = minilm.model(ids, output_hidden_states=True).hidden_states[LAYER][0].double()
        own = minilm.model.encoder.layer[LAYER].attention.self
        size = own.attention_head_size
        rows = slice(HEAD * size, (HEAD + 1) * size)
        queries, keys, values = (
            hidden @ linear.weight[rows].double().T + linear.bias[rows].double()
            for linear in (own.query, own.key, own.value)
        )
        raw = queries @ keys.T
        scaled = raw / math.sqrt(size)
        weights = torch.softmax(scaled, dim=-1)
        written = values @ minilm.model.encoder.layer[LAYER].attention.output.dense.weight[:, rows].double().T
    return {
        "raw_scores": raw,
        "scaled_scores": scaled,
        "masked_scores": scaled,
        "weights": weights,
        "value_weighted": weights * values.norm(dim=-1),
        "norm_weighted": (weights.unsqueeze(-1) * written).norm(dim=-1),
    }


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(("rows", "cols"), [((0, 83), (0, 83)), ((17, 18), (5, 71)), ((60, 83), (0, 1))])
def test_window_of_each_stage(
    layer: LayerRecord, stages: dict[str, Tensor], stage: str, rows: tuple[int, int], cols: tuple[int, int]
) -> None:
    with torch.inference_mode():
        window = stage_window(layer, HEAD, stage, slice(*rows), slice(*cols))
    expected = stages[stage][slice(*rows), slice(*cols)].float()
    torch.testing.assert_close(window, expected, atol=2e-4 if "scores" in stage else 1e-5, rtol=1e-5)


@pytest.mark.parametrize("stage", STAGES)
def test_looking_does_not_change_the_record(layer: LayerRecord, stage: str) -> None:
    everything = slice(0, 83)
    with torch.inference_mode():
        before = stage_window(layer, HEAD, "weights", everything, everything)
        stage_window(layer, HEAD, stage, everything, everything).zero_()
        after = stage_window(layer, HEAD, "weights", everything, everything)
    assert torch.equal(before, after)


def test_unknown_stage(layer: LayerRecord) -> None:
    with pytest.raises(ValueError, match=r"stage must be one of raw_scores, .*, not 'wieghts'"):
        stage_window(layer, HEAD, "wieghts", slice(0, 1), slice(0, 1))


def test_no_norms_without_a_projection(layer: LayerRecord) -> None:
    bare = replace(layer, projection=None)
    with pytest.raises(ValueError, match="stage norm_weighted needs the layer's output projection"):
        stage_window(bare, HEAD, "norm_weighted", slice(0, 1), slice(0, 1))
