"""Pooled windows of every stage, against naive loops over the exact window of that stage."""

import math
from functools import partial

import pytest
import torch
from torch import Tensor, nn

from attention_core.blockwise.attention import BlockwiseAttention
from attention_core.blockwise.given_weights import given_weights
from attention_core.blockwise.head_edit import HeadEdit
from attention_core.blockwise.parallel import map_shares
from attention_core.masks import DenseMask, MaskRule, PredicateMask, causal, sliding_window
from attention_core.pretrained.recording import pooled_windows
from attention_core.pretrained.recording.bias_rules import RelativeBias
from attention_core.pretrained.recording.output_projections import OutputProjection
from attention_core.pretrained.recording.pooled_windows import pooled_window
from attention_core.pretrained.recording.pooling import cell_size
from attention_core.pretrained.recording.recorder import LayerRecord
from attention_core.pretrained.recording.windows import SCORES, STAGES, stage_window

N, HEADS, HEAD, SIZE = 300, 6, 4, 5


def draw(*shape: int, seed: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def holes() -> DenseMask:
    """Rows that read nothing, columns that nobody reads, and cells of both kinds."""
    allowed = torch.rand(1, 1, N, N, generator=torch.Generator().manual_seed(9)) > 0.4
    allowed[..., 100:190, :] = False
    allowed[..., 200:, 50:280] = True
    return DenseMask(allowed)


MASKS: dict[str, MaskRule | None] = {
    "none": None,
    "causal": PredicateMask(causal, N, N),
    "window": PredicateMask(sliding_window(40), N, N),
    "holes": holes(),
}


def record_of(
    mask: MaskRule | None, *, bias: bool = False, edit: HeadEdit | None = None, dtype: torch.dtype = torch.float32
) -> LayerRecord:
    attention = BlockwiseAttention(
        queries=draw(1, HEADS, N, SIZE, seed=1).to(dtype),
        keys=draw(1, 2, N, SIZE, seed=2).to(dtype),
        values=draw(1, 2, N, SIZE, seed=3).to(dtype),
        scale=0.9,
        bias=RelativeBias(draw(1, HEADS, 2 * N - 1, seed=4), N) if bias else None,
        mask=mask,
        edits={} if edit is None else {HEAD: edit},
    )
    projection = OutputProjection(draw(HEADS * SIZE, 7, seed=5).to(dtype), None)
    return LayerRecord(nn.Identity(), attention, attention.attend()[1], projection)


def naive_pool(matrix: Tensor, cell_rows: int, cell_cols: int, pooling: str) -> Tensor:
    down, across = -(-matrix.shape[0] // cell_rows), -(-matrix.shape[1] // cell_cols)
    pooled, cells = torch.empty(down, across), matrix.tolist()
    for i in range(down):
        for j in range(across):
            cell = [
                value
                for row in cells[i * cell_rows : (i + 1) * cell_rows]
                for value in row[j * cell_cols : (j + 1) * cell_cols]
            ]
            finite = [value for value in cell if value != -math.inf]
            if pooling == "max":
                pooled[i, j] = max(cell)
            else:
                pooled[i, j] = math.fsum(finite) / len(finite) if finite else -math.inf
    return pooled


def assert_pooled(layer: LayerRecord, stage: str, rows: slice, cols: slice, max_size: int, *, head: int = HEAD) -> None:
    exact = stage_window(layer, head, stage, rows, cols)
    cell_rows, cell_cols = (cell_size(span.stop - span.start, max_size) for span in (rows, cols))
    for pooling in ("max", "mean"):
        pooled = pooled_window(layer, head, stage, rows, cols, max_size, pooling)
        assert max(pooled.shape) <= max_size
        expected = naive_pool(exact, cell_rows, cell_cols, pooling)
        torch.testing.assert_close(pooled, expected, atol=2e-5 if stage in SCORES else 1e-6, rtol=2e-5)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("max_size", [1, 7, 40])
def test_the_whole_matrix(stage: str, name: str, max_size: int) -> None:
    assert_pooled(record_of(MASKS[name]), stage, slice(0, N), slice(0, N), max_size)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(("rows", "cols"), [((17, 283), (5, 299)), ((90, 91), (3, 290)), ((2, 60), (200, 261))])
def test_a_part_of_it(stage: str, name: str, rows: tuple[int, int], cols: tuple[int, int]) -> None:
    assert_pooled(record_of(MASKS[name]), stage, slice(*rows), slice(*cols), 31)


@pytest.mark.parametrize("stage", STAGES)
def test_with_a_bias(stage: str) -> None:
    assert_pooled(record_of(MASKS["causal"], bias=True), stage, slice(0, N), slice(0, N), 40)


EDITS = {
    "temperature": HeadEdit(temperature=3.0),
    "uniform": HeadEdit(pattern="uniform"),
    "cuts": HeadEdit(cuts=(torch.tensor([[7, 3], [-1, 0], [250, -1]]),)),
    "drops": HeadEdit(drops=(torch.tensor([[7, 3], [-1, 0], [250, -1]]),)),
}


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("name", EDITS)
def test_of_a_changed_head(stage: str, name: str) -> None:
    layer = record_of(MASKS["causal"], edit=EDITS[name])
    assert_pooled(layer, stage, slice(0, N), slice(0, N), 40)
    assert_pooled(layer, stage, slice(0, N), slice(0, N), 40, head=1)


@pytest.mark.parametrize("stage", ["weights", "value_weighted"])
def test_of_given_weights(stage: str) -> None:
    weights = draw(1, HEADS, N, N, seed=6).clamp(min=0.0)
    attention = given_weights(weights, draw(1, HEADS, N, 3, seed=7))
    layer = LayerRecord(None, attention, torch.zeros(1, HEADS, N, 2))
    assert_pooled(layer, stage, slice(0, N), slice(3, N), 40)


@pytest.mark.parametrize("stage", STAGES)
def test_in_half_precision_as_exact_as_the_exact_window(stage: str) -> None:
    layer = record_of(MASKS["causal"], dtype=torch.bfloat16)
    exact = stage_window(layer, HEAD, stage, slice(0, N), slice(0, N))
    for pooling in ("max", "mean"):
        pooled = pooled_window(layer, HEAD, stage, slice(0, N), slice(0, N), 40, pooling)
        assert pooled.dtype == torch.float32
        torch.testing.assert_close(pooled, naive_pool(exact, 8, 8, pooling), atol=2e-2, rtol=2e-2)


@pytest.mark.parametrize("name", ["causal", "holes"])
@pytest.mark.parametrize("max_size", [1, 7, 40])
def test_computed_by_several_threads(monkeypatch: pytest.MonkeyPatch, name: str, max_size: int) -> None:
    monkeypatch.setattr(pooled_windows, "map_shares", partial(map_shares, threads=3))
    layer = record_of(MASKS[name])
    for stage in STAGES:
        assert_pooled(layer, stage, slice(0, N), slice(0, N), max_size)


def test_unknown_stage() -> None:
    with pytest.raises(ValueError, match=r"stage must be one of raw_scores, .*, not 'wieghts'"):
        pooled_window(record_of(None), 0, "wieghts", slice(0, 9), slice(0, 9), 3, "max")
