"""Cached pooled scores against the dot products."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from attention_core.blockwise.attention import BlockwiseAttention
from attention_core.blockwise.given_weights import given_weights
from attention_core.blockwise.head_edit import HeadEdit
from attention_core.masks import PredicateMask, causal
from attention_core.pretrained.recording import pooled_scores as module
from attention_core.pretrained.recording.parts import PartRecord
from attention_core.pretrained.recording.pooled_scores import PooledScores, cached_pooled_window, pool_scores
from attention_core.pretrained.recording.pooling import cell_size
from attention_core.pretrained.recording.recorder import LayerRecord

QUERIES, KEYS, SIZE, LAYERS, HEADS = 45, 51, 6, 2, 4
SCALE = 0.3


def draw(*shape: int, seed: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@pytest.fixture
def part() -> PartRecord:
    layers = []
    for layer in range(LAYERS):
        attention = BlockwiseAttention(
            queries=draw(1, HEADS, QUERIES, SIZE, seed=3 * layer),
            keys=draw(1, 2, KEYS, SIZE, seed=3 * layer + 1),
            values=draw(1, 2, KEYS, SIZE, seed=3 * layer + 2),
            scale=SCALE,
            mask=PredicateMask(causal, QUERIES, KEYS),
            edits={3: HeadEdit(temperature=2.0)},
        )
        layers.append(LayerRecord(None, attention, attention.attend()[1]))
    return PartRecord("decoder", layers, "source", "source")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures for any text, of at most 16 cells a side; here of 8 (6 × 7 tokens each), as 7 is no multiple of 4."""
    monkeypatch.setattr(module, "SIDE", 16)
    monkeypatch.setattr(module, "LEAST_WORK", 0)


def scores(part: PartRecord, layer: int, head: int) -> Tensor:
    attention = part.layers[layer].attention
    return attention.queries[0, head] @ attention.keys[0, head // 2].T


def pool(matrix: Tensor, down: int, across: int) -> Tensor:
    return torch.stack([torch.stack([c.max() for c in r.split(across, 1)]) for r in matrix.split(down)])


def kept_of(part: PartRecord) -> PooledScores:
    kept = pool_scores(part, lambda: None)
    assert kept is not None
    return kept


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("rows", "cols", "max_size", "cell"),
    [
        ((0, 45), (0, 51), 8, (6, 7)),
        ((0, 45), (0, 51), 4, (12, 13)),
        ((6, 45), (7, 51), 7, (6, 7)),
        ((0, 45), (0, 51), 15, (3, 4)),
        ((0, 45), (0, 51), 5, (9, 11)),  # 11 is no multiple of 4
        ((0, 45), (0, 51), 7, (7, 8)),  # nor 7 of 3
        ((0, 45), (0, 48), 8, (6, 6)),
        ((9, 36), (8, 40), 9, (3, 4)),
        ((9, 45), (4, 51), 12, (3, 4)),
        ((9, 45), (19, 51), 8, (5, 4)),
        ((0, 45), (0, 51), 1, (45, 51)),
    ],
)
@pytest.mark.parametrize("stage", ["raw_scores", "scaled_scores"])
def test_any_window_is_what_it_is_without_pictures(
    part: PartRecord, rows: tuple[int, int], cols: tuple[int, int], max_size: int, cell: tuple[int, int], stage: str
) -> None:
    kept = kept_of(part)
    for layer in range(LAYERS):
        for head in range(HEADS):
            scale = 1.0 if stage == "raw_scores" else SCALE / 2 if head == 3 else SCALE
            expected = pool(scale * scores(part, layer, head)[slice(*rows), slice(*cols)], *cell)
            record = part.layers[layer]
            found = cached_pooled_window(kept, record, layer, head, stage, slice(*rows), slice(*cols), max_size, "max")
            torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)


def test_the_whole_picture_of_a_page_is_kept_at_any_length() -> None:
    for count in (9000, 16_000, 16_383, 16_384, 20_011):
        kept = cell_size(count, module._side(count))
        assert -(-count // kept) <= 512
        assert cell_size(count, 256) % kept == 0
    assert module._side(16_384) == 512
    assert module._side(16_384, 16_000) == 256


@pytest.mark.usefixtures("small")
def test_what_is_kept_is_what_is_answered(part: PartRecord, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = kept_of(part)
    before = kept.maxima.clone()
    assert kept.maxima.shape == (LAYERS, HEADS, 8, 8)
    assert kept.nbytes == 4 * LAYERS * HEADS * 8 * 8
    monkeypatch.setattr(module, "pooled_window", None)
    whole = (slice(0, QUERIES), slice(0, KEYS))
    for stage in ("raw_scores", "scaled_scores"):
        cached_pooled_window(kept, part.layers[1], 1, 2, stage, *whole, 8, "max").zero_()
    part_of_it = (slice(6, 45), slice(7, 51))
    assert cached_pooled_window(kept, part.layers[0], 0, 0, "raw_scores", *part_of_it, 7, "max").shape == (7, 7)
    torch.testing.assert_close(kept.maxima, before, atol=0, rtol=0)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(("stage", "pooling"), [("raw_scores", "mean"), ("masked_scores", "max"), ("weights", "max")])
def test_other_windows_are_computed(part: PartRecord, stage: str, pooling: str) -> None:
    kept, whole = kept_of(part), (slice(0, QUERIES), slice(0, KEYS))
    found = cached_pooled_window(kept, part.layers[0], 0, 1, stage, *whole, 15, pooling)  # type: ignore[arg-type]
    bare = cached_pooled_window(None, part.layers[0], 0, 1, stage, *whole, 15, pooling)  # type: ignore[arg-type]
    torch.testing.assert_close(found, bare, atol=0, rtol=0)
    assert not torch.equal(found, kept.maxima[0, 1])


def test_short_texts_and_given_weights_have_none(part: PartRecord, monkeypatch: pytest.MonkeyPatch) -> None:
    assert pool_scores(part, lambda: None) is None
    monkeypatch.setattr(module, "LEAST_WORK", 0)
    assert pool_scores(part, lambda: None) is not None
    monkeypatch.setattr(module, "MAX_BYTES", 4 * LAYERS * HEADS * QUERIES * KEYS - 1)
    assert pool_scores(part, lambda: None) is None
    weights = draw(1, HEADS, 9, 9, seed=1).softmax(-1)
    given = LayerRecord(None, given_weights(weights), torch.zeros(1, HEADS, 9, 2))
    assert pool_scores(replace(part, layers=[given]), lambda: None) is None


@pytest.mark.usefixtures("small")
def test_the_work_can_be_stopped(part: PartRecord) -> None:
    def stop() -> None:
        raise InterruptedError("stop")

    with pytest.raises(InterruptedError, match="stop"):
        pool_scores(part, stop)
