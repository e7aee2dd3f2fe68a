"""Overview and metrics of every head, against naive loops over the library's own weights."""

from collections import Counter
from typing import NamedTuple

import numpy as np
import pytest
import torch
from torch import Tensor
from transformers import BartConfig, BartModel, MistralConfig, MistralModel, PreTrainedModel

from attention_core.pretrained.errors import Cancelled
from attention_core.pretrained.recording.metrics import METRICS
from attention_core.pretrained.recording.parts import PartRecord, split_into_parts
from attention_core.pretrained.recording.recorder import IMPLEMENTATION, record
from attention_core.pretrained.recording.weight_sweep import WeightSweep, sweep_weights

SEPARATORS = [3, 11]


class Case(NamedTuple):
    part: PartRecord
    swept: WeightSweep
    weights: Tensor
    """(L, H, Q, K) as the library hands them out."""


def mistral() -> PreTrainedModel:
    config = MistralConfig(
        vocab_size=50, hidden_size=24, num_hidden_layers=2, num_attention_heads=6, num_key_value_heads=3,
        intermediate_size=16, sliding_window=31,
    )  # fmt: skip
    return with_large_weights(MistralModel._from_config(config, attn_implementation=IMPLEMENTATION))


def bart() -> PreTrainedModel:
    config = BartConfig(
        vocab_size=50, d_model=24, encoder_layers=2, decoder_layers=2, encoder_attention_heads=3,
        decoder_attention_heads=3, encoder_ffn_dim=16, decoder_ffn_dim=16, max_position_embeddings=200,
    )  # fmt: skip
    return with_large_weights(BartModel._from_config(config, attn_implementation=IMPLEMENTATION))


def with_large_weights(model: PreTrainedModel) -> PreTrainedModel:
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 2:
                parameter.normal_(std=0.4, generator=generator)
    return model.eval()


def ids(count: int) -> Tensor:
    return torch.randint(3, 50, (1, count), generator=torch.Generator().manual_seed(count))


@pytest.fixture(scope="module", params=[1, 2, 13, 64, 65, 149])
def sliding(request: pytest.FixtureRequest) -> Case:
    """A causal sliding window with grouped heads, below and above the size of the picture."""
    model = mistral()
    inputs = {"input_ids": ids(request.param), "use_cache": False}
    with torch.inference_mode():
        with record() as recording:
            model(**inputs)
        (part,) = split_into_parts(model, "decoder", recording.layers)
        swept = sweep_weights(part, SEPARATORS, lambda: None)
        model.set_attn_implementation("eager")
        weights = torch.stack(model(**inputs, output_attentions=True).attentions)[:, 0]
    return Case(part, swept, weights)


@pytest.fixture(scope="module")
def crossing() -> Case:
    """Cross-attention of 129 source tokens by 7 target tokens."""
    model = bart()
    inputs = {"input_ids": ids(129), "decoder_input_ids": ids(7), "use_cache": False}
    with torch.inference_mode():
        with record() as recording:
            model(**inputs)
        part = split_into_parts(model, "encoder_decoder", recording.layers)[2]
        swept = sweep_weights(part, SEPARATORS, lambda: None)
        model.set_attn_implementation("eager")
        weights = torch.stack(model(**inputs, output_attentions=True).cross_attentions)[:, 0]
    return Case(part, swept, weights)


def naive_overview(weights: Tensor) -> np.ndarray:
    layers, heads, queries, keys = weights.shape
    down, across = -(-queries // 64), -(-keys // 64)
    picture = np.zeros((layers, heads, -(-queries // down), -(-keys // across)))
    for i in range(picture.shape[2]):
        for j in range(picture.shape[3]):
            cell = weights[:, :, i * down : (i + 1) * down, j * across : (j + 1) * across]
            picture[:, :, i, j] = cell.amax(dim=(-1, -2)).numpy()
    return picture * 255


def test_overview_of_a_sliding_window(sliding: Case) -> None:
    expected = naive_overview(sliding.weights)
    assert sliding.swept.overview.shape == expected.shape
    assert np.abs(sliding.swept.overview - expected).max() <= 0.5 + 1e-2


def test_overview_of_cross_attention(crossing: Case) -> None:
    expected = naive_overview(crossing.weights)
    assert crossing.swept.overview.shape == expected.shape == (2, 3, 7, 43)
    assert np.abs(crossing.swept.overview - expected).max() <= 0.5 + 1e-2


def naive_metrics(weights: np.ndarray) -> dict[str, float]:
    """One head, in plain Python."""
    queries, keys = weights.shape
    cells = [(i, j, float(weights[i, j])) for i in range(queries) for j in range(keys)]
    neighbours = max(1, queries - 1)
    offsets = Counter(int(np.argmax(weights[i])) - i for i in range(queries))
    return {
        "entropy": sum(-w * np.log(w) for _, _, w in cells if w > 0) / queries,
        "mean_distance": sum(w * abs(i - j) for i, j, w in cells) / queries,
        "previous_token": sum(w for i, j, w in cells if j == i - 1) / neighbours,
        "next_token": sum(w for i, j, w in cells if j == i + 1) / neighbours,
        "same_token": sum(w for i, j, w in cells if i == j) / queries,
        "positional_regularity": max(offsets.values()) / queries,
        "first_token": sum(w for _, j, w in cells if j == 0) / queries,
        "separator": sum(w for _, j, w in cells if j in SEPARATORS) / queries,
    }


def assert_metrics(case: Case, names: set[str]) -> None:
    assert set(case.swept.metrics) == names
    for layer in range(case.weights.shape[0]):
        for head in range(case.weights.shape[1]):
            expected = naive_metrics(case.weights[layer, head].double().numpy())
            for name in names:
                assert case.swept.metrics[name][layer, head] == pytest.approx(expected[name], abs=2e-5), name


def test_metrics_of_a_sliding_window(sliding: Case) -> None:
    assert_metrics(sliding, set(METRICS))


def test_metrics_between_two_texts_compare_no_positions(crossing: Case) -> None:
    assert_metrics(crossing, {"entropy", "first_token", "separator"})


def test_survey_stops_when_told(sliding: Case) -> None:
    def stop() -> None:
        raise Cancelled("enough")

    with pytest.raises(Cancelled, match="enough"):
        sweep_weights(sliding.part, SEPARATORS, stop)
