"""One small picture of every head, drawn block by block, so memory stays flat in the number of tokens."""

import math
from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.blockwise import ROWS_PER_BLOCK, Block, BlockwiseAttention, row_blocks
from attention_core.masks import MaskRule
from attention_core.pretrained.windows import cell_size, pool

PICTURE_SIZE = 64
"""Largest number of cells a side."""


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
    """For each layer its row blocks, cut so that no cell of the picture straddles two; layers share equal masks."""
    by_mask: dict[int, tuple[Block, ...]] = {}
    rows_per_block = cell_rows * max(1, ROWS_PER_BLOCK // cell_rows)
    for attention in attentions:
        if id(attention.mask) not in by_mask:
            blocks = _blocks(attention, rows_per_block, attention.mask)
            by_mask[id(attention.mask)] = tuple(_align(block, cell_cols) for block in blocks)
    return {layer: by_mask[id(attention.mask)] for layer, attention in enumerate(attentions)}


def _blocks(attention: BlockwiseAttention, rows_per_block: int, mask: MaskRule | None) -> tuple[Block, ...]:
    if rows_per_block == ROWS_PER_BLOCK:
        return attention.blocks
    return row_blocks(attention.num_queries, attention.num_keys, mask, rows_per_block)


def _align(block: Block, cell_cols: int) -> Block:
    start = block.cols.start // cell_cols * cell_cols
    moved = start != block.cols.start
    return Block(block.rows, slice(start, block.cols.stop), block.fully_visible and not moved)
