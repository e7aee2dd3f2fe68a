"""Tiles of a window against the dense mask."""

import pytest
import torch

from attention_core.blockwise.row_blocks import row_blocks
from attention_core.blockwise.tiles import cut, tiles
from attention_core.masks import DenseMask, MaskRule, PredicateMask, causal, sliding_window

N = 150


def striped() -> MaskRule:
    """Random, with rows that read nothing and columns that nobody reads."""
    allowed = torch.rand(1, 1, N, N, generator=torch.Generator().manual_seed(2)) > 0.3
    allowed[..., 40:110, :] = False
    allowed[..., :7] = False
    allowed[..., 100:, 60:130] = True
    return DenseMask(allowed)


MASKS: dict[str, MaskRule] = {
    "causal": PredicateMask(causal, N, N),
    "window": PredicateMask(sliding_window(31), N, N),
    "both ways": PredicateMask(sliding_window(100, causal_only=False), N, N),
    "striped": striped(),
}


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize(("rows", "cols"), [((0, N), (0, N)), ((13, 141), (5, 149)), ((3, 4), (90, 97))])
@pytest.mark.parametrize("cells", [(1, 1), (4, 7), (37, 50)])
def test_tiles_cover_what_is_read_once_and_say_where_no_mask_is_needed(
    name: str, rows: tuple[int, int], cols: tuple[int, int], cells: tuple[int, int]
) -> None:
    mask = MASKS[name]
    blocks = row_blocks(N, N, mask)
    allowed = mask.window(slice(0, N), slice(0, N)).reshape(N, N)
    covered = torch.zeros(N, N, dtype=torch.int)
    last = None
    for tile in tiles(slice(*rows), slice(*cols), *cells, blocks, rows_at_once=16, cols_at_once=32):
        covered[tile.rows, tile.cols] += 1
        assert tile.rows.stop - tile.rows.start <= 16
        assert tile.cols.stop - tile.cols.start <= 32
        for span, window, cell in ((tile.rows, rows, cells[0]), (tile.cols, cols, cells[1])):
            first, end = (span.start - window[0]) // cell, (span.stop - 1 - window[0]) // cell
            assert first == end or (span.start - window[0]) % cell == 0, "a tile of several cells starts with one"
        if tile.fully_visible:
            assert bool(allowed[tile.rows, tile.cols].all())
        assert last is None or (tile.rows.start, tile.cols.start) > last
        last = (tile.rows.start, tile.cols.start)
    assert covered.max() <= 1
    window = (slice(*rows), slice(*cols))
    assert bool(covered[window][allowed[window]].all())
    outside = covered.clone()
    outside[window] = 0
    assert outside.sum() == 0


def test_a_causal_matrix_needs_its_mask_on_the_diagonal_alone() -> None:
    blocks = row_blocks(512, 512, PredicateMask(causal, 512, 512))
    found = [
        (tile.rows.start, tile.cols.start, tile.cols.stop, tile.fully_visible)
        for tile in tiles(slice(0, 512), slice(0, 512), 8, 8, blocks, rows_at_once=128, cols_at_once=1000)
    ]
    assert found == [
        (0, 0, 128, False),
        (128, 0, 128, True),
        (128, 128, 256, False),
        (256, 0, 256, True),
        (256, 256, 384, False),
        (384, 0, 384, True),
        (384, 384, 512, False),
    ]


def test_without_blocks_everything_is_covered() -> None:
    found = list(tiles(slice(2, 7), slice(1, 12), 2, 3, None, rows_at_once=4, cols_at_once=6))
    assert [(t.rows, t.cols, t.fully_visible) for t in found] == [
        (slice(2, 6), slice(1, 7), True),
        (slice(2, 6), slice(7, 12), True),
        (slice(6, 7), slice(1, 7), True),
        (slice(6, 7), slice(7, 12), True),
    ]


def test_cells_larger_than_a_tile_are_spread() -> None:
    assert list(cut(slice(5, 30), 20, 8)) == [
        slice(5, 13), slice(13, 21), slice(21, 25), slice(25, 30),
    ]  # fmt: skip
