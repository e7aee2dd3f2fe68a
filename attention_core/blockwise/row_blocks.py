"""Row blocks of a matrix, each with the span of keys that any of its rows may attend to.

Keys outside the span are never touched, so causal attention costs half and a sliding window costs O(N).
"""

from dataclasses import dataclass, field

import torch
from jaxtyping import Bool
from torch import Tensor

from attention_core.masks import MaskRule

ROWS_PER_BLOCK = 64
"""Queries handled at once: with a few hundred keys a block stays in the cache of one core (see benchmarks)."""


@dataclass(frozen=True)
class Block:
    """Rows of the matrix, and the span of keys outside which all of them are masked."""

    rows: slice
    cols: slice
    fully_visible: bool
    """Whether every row may attend to every key of the span, so that no mask is needed."""
    solid: slice = field(default_factory=lambda: slice(0, 0), compare=False)
    """The longest run of keys that every row may attend to; tiles inside it need no mask."""


def row_blocks(
    num_queries: int, num_keys: int, mask: MaskRule | None, rows_per_block: int = ROWS_PER_BLOCK
) -> tuple[Block, ...]:
    """Split the rows into blocks and find for each the span of keys that any of its rows may attend to.

    A block whose rows may attend to nothing keeps its first key, so that every block has a column.
    """
    return tuple(
        _visible_block(slice(start, min(start + rows_per_block, num_queries)), num_keys, mask)
        for start in range(0, num_queries, rows_per_block)
    )


def _visible_block(rows: slice, num_keys: int, mask: MaskRule | None) -> Block:
    if mask is None:
        return Block(rows, slice(0, num_keys), fully_visible=True, solid=slice(0, num_keys))
    allowed = mask.window(rows, slice(0, num_keys))
    visible = allowed.flatten(0, -2).any(dim=0).nonzero()
    if visible.numel() == 0:
        return Block(rows, slice(0, 1), fully_visible=False)
    cols = slice(int(visible[0]), int(visible[-1]) + 1)
    solid = _longest_run(allowed.flatten(0, -2).all(dim=0))
    return Block(rows, cols, fully_visible=solid == cols, solid=solid)


def _longest_run(flags: Bool[Tensor, " K"]) -> slice:
    """The longest run of true values, the first one if several are equal; empty if there is none."""
    edges = (
        torch.diff(flags.to(torch.int8), prepend=flags.new_zeros(1), append=flags.new_zeros(1)).nonzero().view(-1, 2)
    )
    if edges.numel() == 0:
        return slice(0, 0)
    start, stop = edges[int((edges[:, 1] - edges[:, 0]).argmax())].tolist()
    return slice(start, stop)
