"""Maximum weights by hand: offsets, ties, masked rows, blocks along rows and keys."""

import pytest
import torch
from torch import Tensor

from attention_core.blockwise.row_blocks import Block
from attention_core.pretrained.recording.positional_regularity import PositionalRegularity, first_of_largest


def shares(layers: list[Tensor], rows: int, cols: int) -> Tensor:
    """Of (H, Q, K) weights for each layer, handed over in blocks of this size."""
    heads, queries, keys = layers[0].shape
    regularity = PositionalRegularity(len(layers), heads, queries, torch.device("cpu"))
    for layer, weights in enumerate(layers):
        for top in range(0, queries, rows):
            for left in range(0, keys, cols):
                block = Block(slice(top, min(top + rows, queries)), slice(left, min(left + cols, keys)), True)
                regularity.add(layer, block, weights[:, block.rows, block.cols])
    return regularity.result()


def at(keys: list[int], size: int) -> Tensor:
    """One head whose queries read one key each."""
    return torch.eye(size)[torch.tensor(keys)]


@pytest.mark.parametrize(("rows", "cols"), [(5, 5), (2, 3), (1, 1), (3, 2)])
def test_shares_by_hand(rows: int, cols: int) -> None:
    previous = at([0, 0, 1, 2, 3], 5)  # offsets 0 −1 −1 −1 −1
    first = at([0, 0, 0, 0, 0], 5)  # offsets 0 −1 −2 −3 −4
    next_ = at([1, 2, 3, 4, 4], 5)  # offsets 1 1 1 1 0
    uniform = torch.full((5, 5), 0.2)  # ties: the first key counts
    got = shares([torch.stack([previous, first]), torch.stack([next_, uniform])], rows, cols)
    assert got.tolist() == [[4 / 5, 1 / 5], [4 / 5, 1 / 5]]


def test_rows_that_read_nothing_do_not_count() -> None:
    weights = at([0, 1, 1, 2, 3], 5)  # offsets 0 0 −1 −1 −1
    weights[3:] = 0.0
    assert shares([weights[None]], 2, 2).tolist() == [[2 / 3]]
    assert shares([torch.zeros(1, 5, 5)], 2, 2).tolist() == [[0.0]]


def test_the_first_of_equals() -> None:
    weights = torch.tensor([[0.1, 0.4, 0.4, 0.1], [0.0, 0.0, 0.0, 0.0], [0.2, 0.2, 0.2, 0.4]])
    assert first_of_largest(weights).tolist() == [1, 0, 3]
