"""One small picture of every head, drawn block by block, so memory stays flat in the number of tokens."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.blockwise import ROWS_PER_BLOCK, Block, BlockwiseAttention, row_blocks
from attention_core.pretrained.windows import cell_size, pool

PICTURE_SIZE = 64
"""Largest number of cells a side."""

COLS_PER_BLOCK = 1024
"""Keys read at once."""


class Overview:
    """Largest weight in each cell of at most 64 × 64, for every head of every layer of one part."""

    def __init__(self, num_layers: int, num_heads: int, num_queries: int, num_keys: int) -> None:
        self.cell_rows = cell_size(num_queries, PICTURE_SIZE)
        self.cell_cols = cell_size(num_keys, PICTURE_SIZE)
        size = (math.ceil(num_queries / self.cell_rows), math.ceil(num_keys / self.cell_cols))
        self.picture = np.zeros((num_layers, num_heads, *size), dtype=np.uint8)

    def add(self, layer: int, block: Block, weights: Float[Tensor, "H rows cols"]) -> None:
        """Take in the weights of one block of one layer; blocks are aligned to cells (``aligned_blocks``)."""
        cells = pool(weights, self.cell_rows, self.cell_cols, "max")
        top, left = block.rows.start // self.cell_rows, block.cols.start // self.cell_cols
        bytes_ = (cells * 255.0).round_().to(torch.uint8).cpu().numpy()
        self.picture[layer, :, top : top + cells.shape[-2], left : left + cells.shape[-1]] = bytes_


def aligned_blocks(
    attentions: Sequence[BlockwiseAttention], cell_rows: int, cell_cols: int
) -> dict[int, tuple[Block, ...]]:
    """For each layer its blocks, cut so that no cell of the picture straddles two; layers share equal masks.

    Weights need no whole row at a time (the log-sum-exp is known), so long rows are cut too: a block of all heads
    stays in a core's cache, and most blocks below a causal diagonal need no mask.
    """
    by_mask: dict[int, tuple[Block, ...]] = {}
    for attention in attentions:
        if id(attention.mask) not in by_mask:
            by_mask[id(attention.mask)] = tuple(_aligned(attention, cell_rows, cell_cols))
    return {layer: by_mask[id(attention.mask)] for layer, attention in enumerate(attentions)}


def _aligned(attention: BlockwiseAttention, cell_rows: int, cell_cols: int) -> Iterator[Block]:
    rows_per_block = cell_rows * max(1, ROWS_PER_BLOCK // cell_rows)
    cols_per_block = cell_cols * max(1, COLS_PER_BLOCK // cell_cols)
    mask = attention.mask
    blocks = attention.blocks
    if rows_per_block != ROWS_PER_BLOCK:
        blocks = row_blocks(attention.num_queries, attention.num_keys, mask, rows_per_block)
    for block in blocks:
        first = block.cols.start // cell_cols * cell_cols
        for start in range(first, block.cols.stop, cols_per_block):
            cols = slice(start, min(start + cols_per_block, block.cols.stop))
            visible = mask is None or bool(mask.window(block.rows, cols).all())
            yield Block(block.rows, cols, visible)
