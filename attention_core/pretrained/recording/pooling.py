"""Split a matrix into equal cells: the arithmetic of pooling.

The last cell of a side may be smaller, so that one pixel is always the same number of tokens: with at most 64 cells a
side, 512 tokens give 64 cells of 8, and 65 tokens give 33 cells of 2.
"""

import math

import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor


def cell_size(count: int, max_size: int | None) -> int:
    """Number of tokens per cell so that ``count`` tokens give at most ``max_size`` cells."""
    return 1 if max_size is None else max(1, math.ceil(count / max_size))


def max_of_cells(
    matrix: Float[Tensor, "*batch rows cols"], cell_rows: int, cell_cols: int
) -> Float[Tensor, "*batch cells_down cells_across"]:
    """Maximum of each cell."""
    if cell_rows == cell_cols == 1:
        return matrix
    # Rows first: that reduction runs along memory and leaves little for the slow one.
    return _cells(matrix, cell_rows, cell_cols, float("-inf")).amax(dim=-3).amax(dim=-1)


def sum_of_cells(
    matrix: Float[Tensor, "*batch rows cols"], cell_rows: int, cell_cols: int
) -> Float[Tensor, "*batch cells_down cells_across"]:
    """The sum of each cell."""
    if cell_rows == cell_cols == 1:
        return matrix
    return _cells(matrix, cell_rows, cell_cols, 0.0).sum(dim=-3).sum(dim=-1)


def _cells(matrix: Tensor, cell_rows: int, cell_cols: int, fill: float) -> Tensor:
    """(…, rows, cols) → (…, cells down, cell rows, cells across, cell cols), the last cells padded."""
    down = math.ceil(matrix.shape[-2] / cell_rows)
    across = math.ceil(matrix.shape[-1] / cell_cols)
    missing = (0, across * cell_cols - matrix.shape[-1], 0, down * cell_rows - matrix.shape[-2])
    filled = F.pad(matrix, missing, value=fill) if any(missing) else matrix
    return filled.reshape(*matrix.shape[:-2], down, cell_rows, across, cell_cols)
