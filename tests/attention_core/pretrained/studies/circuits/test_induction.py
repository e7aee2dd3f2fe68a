"""Scores on repeated random tokens: ideal heads by hand, and the library's own weights in plain loops."""

import numpy as np
import pytest
import torch

from attention_core.blockwise.attention import BlockwiseAttention
from attention_core.pretrained.errors import Cancelled, SelectionError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.parity import eager_copy
from attention_core.pretrained.recording.recorder import LayerRecord
from attention_core.pretrained.studies.circuits.induction import HEAD_SCORES, HeadScores, _scores, head_scores


def reading_at(offsets: list[int], size: int) -> LayerRecord:
    """A layer whose heads put all weight on key i − offset (on the first token where there is none)."""
    keys = torch.eye(size)
    queries = torch.stack([keys[(torch.arange(size) - offset).clamp(min=0)] for offset in offsets])
    shared = keys.expand(1, len(offsets), -1, -1)
    attention = BlockwiseAttention(200.0 * queries[None], shared, shared, 1.0)
    return LayerRecord(None, attention, attention.attend()[1])  # type: ignore[arg-type]


@pytest.mark.parametrize(("period", "first"), [(2, 3), (5, 5), (70, 71), (67, 70)])
def test_ideal_heads(period: int, first: int) -> None:
    layers = [reading_at([period - 1, period], first + period + 1), reading_at([1, 0], first + period + 1)]
    found = {name: values.tolist() for name, values in _scores(layers, first=first, period=period).items()}
    assert found["induction"] == [[1.0, 0.0], [1.0, 0.0] if period == 2 else [0.0, 0.0]]
    assert found["duplicate_token"] == [[0.0, 1.0], [0.0, 0.0]]
    assert found["previous_token_random"] == [[1.0, 0.0] if period == 2 else [0.0, 0.0], [1.0, 0.0]]


def naive(loaded: LoadedModel, *, period: int, sequences: int, seed: int) -> dict[str, np.ndarray]:
    """The same from the library's own weight matrices."""
    ordinary = torch.tensor(sorted(set(loaded.tokenizer.get_vocab().values()) - set(loaded.tokenizer.all_special_ids)))
    decoder = loaded.entry.kind == "decoder"
    start = [loaded.tokenizer.bos_token_id if decoder else loaded.tokenizer.cls_token_id]
    if start == [None]:
        start = [] if decoder else [loaded.tokenizer.bos_token_id]
    generator = torch.Generator().manual_seed(seed)
    collected: dict[str, list[np.ndarray]] = {name: [] for name in HEAD_SCORES}
    twin = eager_copy(loaded.model)
    for _ in range(sequences):
        half = ordinary[torch.randperm(len(ordinary), generator=generator)[:period]].tolist()
        assert len(set(half)) == period
        end = [] if decoder else [loaded.tokenizer.sep_token_id or loaded.tokenizer.eos_token_id]
        ids = torch.tensor([[*start, *half, *half, *end]])
        with torch.inference_mode():
            weights = torch.stack(twin(ids, output_attentions=True).attentions)[:, 0].numpy()
        for name, offset in (("induction", period - 1), ("duplicate_token", period), ("previous_token_random", 1)):
            queries = range(len(start) + period, len(start) + 2 * period)
            collected[name].append(np.mean([weights[:, :, i, i - offset] for i in queries], axis=0))
    return {name: np.mean(values, axis=0) for name, values in collected.items()}


@pytest.mark.parametrize("name", ["tiny-gpt2", "tiny-llama", "tiny-mistral", "tiny-bert", "tiny-roberta"])
def test_against_the_librarys_weights(catalog: Catalog, name: str) -> None:
    loaded = catalog.load(name)
    found = head_scores(loaded, period=9, sequences=3, seed=5)
    assert (found.period, found.sequences, found.seed, len(found.parts)) == (9, 3, 5, 1)
    expected = naive(loaded, period=9, sequences=3, seed=5)
    assert list(found.parts[0].scores) == list(HEAD_SCORES) == list(expected)
    for score, values in expected.items():
        np.testing.assert_allclose(found.parts[0].scores[score], values, atol=1e-5, err_msg=score)


def test_the_previous_token_head_of_minilm(minilm: LoadedModel) -> None:
    found = head_scores(minilm, sequences=1)
    previous = found.parts[0].scores["previous_token_random"]
    assert found.period == 50
    assert np.unravel_index(previous.argmax(), previous.shape) == (0, 2)
    assert previous.max() > 0.99


@pytest.mark.parametrize("name", ["tiny-t5", "tiny-bart"])
def test_both_sides_of_a_model_with_two(catalog: Catalog, name: str) -> None:
    found = head_scores(catalog.load(name), period=6, sequences=1)
    shapes = [(part.name, values.shape) for part in found.parts for values in part.scores.values()]
    assert shapes == [("encoder", (2, 4))] * 3 + [("decoder", (3, 4))] * 3


def flat(scores: HeadScores) -> np.ndarray:
    return np.concatenate([values.ravel() for part in scores.parts for values in part.scores.values()])


def test_the_seed_says_which_tokens(catalog: Catalog) -> None:
    loaded = catalog.load("tiny-gpt2")
    state = torch.random.get_rng_state()
    first, again, other = (flat(head_scores(loaded, seed=seed, sequences=1)) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert torch.equal(torch.random.get_rng_state(), state)


@pytest.mark.parametrize(
    ("asked", "field", "message"),
    [
        ({"period": 1}, "period", "period must be from 2 to 34 here, not 1"),
        ({"period": 35}, "period", "period must be from 2 to 34 here, not 35"),
        ({"period": 11, "max_tokens": 21}, "period", "period must be from 2 to 10 here, not 11"),
        ({"sequences": 9}, "sequences", "sequences must be from 1 to 8, not 9"),
    ],
)
def test_out_of_range(catalog: Catalog, asked: dict, field: str, message: str) -> None:
    """tiny-gpt2 takes 70 tokens, one of which stands in front."""
    with pytest.raises(SelectionError, match=message) as error:
        head_scores(catalog.load("tiny-gpt2"), **asked)
    assert error.value.field == field


def test_it_stops_when_told(minilm: LoadedModel) -> None:
    with pytest.raises(Cancelled, match="the measurement was cancelled"):
        head_scores(minilm, cancelled=lambda: True)
