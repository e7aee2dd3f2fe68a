"""Cells of a matrix, against naive loops."""

import math

import pytest
import torch
from torch import Tensor

from attention_core.pretrained.recording.pooling import cell_size, max_of_cells, sum_of_cells


@pytest.mark.parametrize(
    ("count", "size", "expected"), [(512, 64, 8), (65, 64, 2), (64, 64, 1), (13, 64, 1), (513, 64, 9), (513, None, 1)]
)
def test_cell_size(count: int, size: int | None, expected: int) -> None:
    assert cell_size(count, size) == expected


def naive(matrix: Tensor, cell_rows: int, cell_cols: int, reduce: object) -> Tensor:
    down, across = -(-matrix.shape[0] // cell_rows), -(-matrix.shape[1] // cell_cols)
    pooled = torch.empty(down, across)
    for i in range(down):
        for j in range(across):
            cell = matrix[i * cell_rows : (i + 1) * cell_rows, j * cell_cols : (j + 1) * cell_cols]
            pooled[i, j] = reduce(cell.flatten().tolist())  # type: ignore[operator]
    return pooled


@pytest.mark.parametrize("cells", [(1, 1), (2, 3), (7, 1), (1, 5), (11, 13), (20, 20)])
def test_cells_equal_a_naive_loop(cells: tuple[int, int]) -> None:
    matrix = torch.randn(3, 11, 17, generator=torch.Generator().manual_seed(1)) - 2.0
    for one in range(3):
        torch.testing.assert_close(max_of_cells(matrix, *cells)[one], naive(matrix[one], *cells, max))
        torch.testing.assert_close(sum_of_cells(matrix, *cells)[one], naive(matrix[one], *cells, math.fsum))


def test_minus_infinity_is_the_smallest() -> None:
    matrix = torch.tensor([[-math.inf, -math.inf, -3.0], [-math.inf, -math.inf, -math.inf]])
    assert max_of_cells(matrix, 2, 2).tolist() == [[-math.inf, -3.0]]
