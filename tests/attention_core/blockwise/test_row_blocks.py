"""Spans of row blocks against the dense mask."""

import itertools

import pytest
import torch

from attention_core.blockwise.row_blocks import ROWS_PER_BLOCK, Block, row_blocks
from attention_core.masks import DenseMask, MaskRule, PredicateMask, causal, prefix_causal, sliding_window


def padding() -> DenseMask:
    """Of two texts the second is shorter."""
    is_token = torch.ones(2, 1, 1, 97, dtype=torch.bool)
    is_token[1, ..., 49:] = False
    return DenseMask(is_token)


def random() -> DenseMask:
    allowed = torch.rand(2, 1, 70, 97, generator=torch.Generator().manual_seed(4)) > 0.5
    allowed[0, :, 35] = False
    return DenseMask(allowed)


MASKS: dict[str, MaskRule | None] = {
    "none": None,
    "causal": PredicateMask(causal, 70, 97),
    "window": PredicateMask(sliding_window(7), 70, 97),
    "both ways": PredicateMask(sliding_window(7, causal_only=False), 70, 97),
    "prefix": PredicateMask(prefix_causal(3), 70, 97),
    "padding": padding(),
    "random": random(),
    "nothing": DenseMask(torch.zeros(1, 1, 70, 97, dtype=torch.bool)),
}


@pytest.mark.parametrize("rows_per_block", [1, 7, 64, 1000])
@pytest.mark.parametrize("name", list(MASKS))
def test_spans_hold_everything_that_is_read_and_no_more(name: str, rows_per_block: int) -> None:
    mask = MASKS[name]
    blocks = row_blocks(70, 97, mask, rows_per_block)
    assert [row for block in blocks for row in range(70)[block.rows]] == list(range(70))
    for block in blocks:
        allowed = (
            torch.ones(1, 70, 97, dtype=torch.bool)[:, block.rows]
            if mask is None
            else mask.window(block.rows, slice(0, 97)).reshape(-1, block.rows.stop - block.rows.start, 97)
        )
        read = allowed.any(dim=0).any(dim=0).nonzero().flatten().tolist()
        span = (read[0], read[-1] + 1) if read else (0, 1)
        assert (block.cols.start, block.cols.stop) == span
        assert block.fully_visible is bool(allowed[..., block.cols].all())
        read_by_all = allowed.flatten(0, -2).all(dim=0).tolist()
        runs = [len(list(run)) for is_read, run in itertools.groupby(read_by_all) if is_read]
        assert block.solid.stop - block.solid.start == max(runs, default=0)
        assert all(read_by_all[block.solid])


def test_causal_blocks_skip_the_future_and_windows_the_past() -> None:
    assert ROWS_PER_BLOCK == 64
    assert row_blocks(128, 128, PredicateMask(causal, 128, 128)) == (
        Block(slice(0, 64), slice(0, 64), fully_visible=False),
        Block(slice(64, 128), slice(0, 128), fully_visible=False),
    )
    windowed = row_blocks(128, 128, PredicateMask(sliding_window(4), 128, 128))
    assert windowed[1] == Block(slice(64, 128), slice(61, 128), fully_visible=False)
    assert row_blocks(65, 3, None)[1] == Block(slice(64, 65), slice(0, 3), fully_visible=True)
