"""Thumbnails of every head, computed block by block in memory independent of the number of tokens."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.blockwise.attention import BlockwiseAttention
from attention_core.blockwise.row_blocks import Block
from attention_core.blockwise.tiles import tiles
from attention_core.pretrained.recording.pooling import cell_size, max_of_cells

PICTURE_SIZE = 64
"""Largest number of cells per side."""

ROWS_AT_ONCE = 64
COLS_AT_ONCE = 1024
"""Columns of a tile, which covers all heads of a layer."""


class Overview:
    """Maximum weight in each cell of at most 64 × 64, for every head of every layer of one part."""

    def __init__(self, num_layers: int, num_heads: int, num_queries: int, num_keys: int) -> None:
        self.cell_rows = cell_size(num_queries, PICTURE_SIZE)
        self.cell_cols = cell_size(num_keys, PICTURE_SIZE)
        size = (math.ceil(num_queries / self.cell_rows), math.ceil(num_keys / self.cell_cols))
        self.picture = np.zeros((num_layers, num_heads, *size), dtype=np.uint8)

    def add(self, layer: int, block: Block, weights: Float[Tensor, "H rows cols"]) -> None:
        """Add the weights of one tile of one layer (``overview_tiles``), covering many cells or a part of one."""
        cell_rows, cell_cols = min(self.cell_rows, weights.shape[-2]), min(self.cell_cols, weights.shape[-1])
        cells = max_of_cells(weights, cell_rows, cell_cols)
        top, left = block.rows.start // self.cell_rows, block.cols.start // self.cell_cols
        bytes_ = (cells * 255.0).round_().to(torch.uint8).cpu().numpy()
        there = self.picture[layer, :, top : top + cells.shape[-2], left : left + cells.shape[-1]]
        np.maximum(there, bytes_, out=there)


def overview_tiles(attentions: Sequence[BlockwiseAttention], overview: Overview) -> dict[int, tuple[Block, ...]]:
    """For each layer the tiles of its matrix, aligned to the thumbnail's cells; layers with one mask share them.

    Weights do not need a whole row at a time (the log-sum-exp is known), so a tile of all heads fits into the cache.
    """
    by_mask: dict[int, tuple[Block, ...]] = {}
    for attention in attentions:
        if id(attention.mask) not in by_mask:
            by_mask[id(attention.mask)] = tuple(_tiles(attention, overview))
    return {layer: by_mask[id(attention.mask)] for layer, attention in enumerate(attentions)}


def _tiles(attention: BlockwiseAttention, overview: Overview) -> Iterator[Block]:
    rows, cols = slice(0, attention.num_queries), slice(0, attention.num_keys)
    return tiles(
        rows,
        cols,
        overview.cell_rows,
        overview.cell_cols,
        attention.blocks,
        rows_at_once=ROWS_AT_ONCE,
        cols_at_once=COLS_AT_ONCE,
    )
