"""Split a window of the matrix into cache-sized tiles, skipping those that are fully masked.

Tiles are split at the edges of the keys that all rows of a block may attend to (``Block.solid``): below a causal
diagonal, for example, only the tiles on the diagonal need the mask. Tiles are aligned to the cells of a pooled window,
counted from its first row and column; a cell larger than a tile spans several.
"""

from collections.abc import Iterator, Sequence

from attention_core.blockwise.row_blocks import Block

ROWS_AT_ONCE = 512
COLS_AT_ONCE = 1024
"""Measured by ``benchmarks/long_text.py``: larger ones exceed a core's cache, smaller ones add overhead."""


def tiles(
    rows: slice,
    cols: slice,
    cell_rows: int,
    cell_cols: int,
    blocks: Sequence[Block] | None,
    *,
    rows_at_once: int = ROWS_AT_ONCE,
    cols_at_once: int = COLS_AT_ONCE,
) -> Iterator[Block]:
    """The tiles of a window in row-major order.

    Keys outside the spans of ``blocks`` are left out; without blocks every cell is covered and counts as visible.
    """
    for band in cut(rows, cell_rows, rows_at_once):
        for span, visible in _stretches(band, cols, cell_cols, blocks):
            for part in cut(span, cell_cols, cols_at_once):
                yield Block(band, part, visible, solid=part if visible else slice(0, 0))


def cut(span: slice, cell: int, at_once: int) -> Iterator[slice]:
    """Pieces of about ``at_once``: whole cells, or parts of a larger one. ``span`` starts at a cell boundary."""
    step = cell * max(1, at_once // cell)
    for start in range(span.start, span.stop, step):
        stop = min(start + step, span.stop)
        for first in range(start, stop, min(step, at_once)):
            yield slice(first, min(first + min(step, at_once), stop))


def _stretches(band: slice, cols: slice, cell: int, blocks: Sequence[Block] | None) -> Iterator[tuple[slice, bool]]:
    """The unmasked columns of a band, in runs that every row may attend to and runs that only some may."""
    if blocks is None:
        yield cols, True
        return
    met = [block for block in blocks if block.rows.start < band.stop and block.rows.stop > band.start]
    start = _down(max(cols.start, min(block.cols.start for block in met)), cols, cell)
    stop = _up(min(cols.stop, max(block.cols.stop for block in met)), cols, cell)
    first = min(max(start, _up(max(block.solid.start for block in met), cols, cell)), stop)
    last = max(first, min(stop, _down(min(block.solid.stop for block in met), cols, cell)))
    for span, visible in ((slice(start, first), False), (slice(first, last), True), (slice(last, stop), False)):
        if span.start < span.stop:
            yield span, visible


def _down(key: int, cols: slice, cell: int) -> int:
    """The start of the cell that holds this key, clipped to the window."""
    return key if key >= cols.stop else cols.start + max(0, key - cols.start) // cell * cell


def _up(key: int, cols: slice, cell: int) -> int:
    """The end of the cell before which this key lies, clipped to the window."""
    return min(cols.stop, cols.start + -(-max(0, key - cols.start) // cell) * cell)
