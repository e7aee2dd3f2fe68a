"""Which keys each query may attend to: the one rule for what lists, tables and files leave out as masked.

A weight of 0 says nothing by itself: softmax may underflow where attending is allowed. What is allowed follows from the
mask, from edits that set scores to −∞, and from a bias of the lowest finite number, which some models use as a mask. Of
a layer of which only weights are known it follows from their being causal.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attention_core.blockwise.attention import BlockwiseAttention
from attention_core.blockwise.bias import HeadBias
from attention_core.blockwise.given_weights import GivenWeights
from attention_core.pretrained.recording.bias_rules import DenseBias, RelativeBias
from attention_core.pretrained.recording.recorder import LayerRecord

MAX_RUNS = 2**20
"""Runs of allowed keys that are worth sending to a page, over all masks of a part."""


@dataclass(frozen=True, eq=False)
class AllowedKeys:
    """The different masks of a part, and which of them each head has."""

    masks: list[list[list[int]]]
    """[masks][queries] Runs of keys that a query may attend to, as [first, end, first, end …]."""
    of_heads: list[list[int | None]]
    """[layers][heads] The index of the head's mask; null where every query may attend to every key."""


def allowed_window(
    attention: BlockwiseAttention, rows: slice, cols: slice, *, causal: bool
) -> Bool[Tensor, "H rows cols"]:
    """Which of these keys these queries may attend to, of the first text of the batch.

    ``causal``: of the part, for given weights without a mask of their own.
    """
    allowed = attention.allowed(rows, cols)
    bias = attention.bias
    if bias is not None and _hides(attention):
        allowed = allowed & (bias.window(rows, cols).to(attention.precision) > _lowest(attention))
    if _is_given_causal(attention, causal=causal):
        query = torch.arange(rows.start, rows.stop, device=allowed.device)[:, None]
        key = torch.arange(cols.start, cols.stop, device=allowed.device)
        allowed = allowed & (key <= query + attention.num_keys - attention.num_queries)
    return allowed[0]


def allowed_keys(layers: Sequence[LayerRecord], *, causal: bool) -> AllowedKeys | None:
    """The masks of a part; None where nothing is masked, or where they are too irregular to be said in runs."""
    kept: dict[Hashable, int | None] = {}
    masks: dict[tuple[bytes, bytes], int | None] = {}
    said: list[list[list[int]]] = []
    of_heads: list[list[int | None]] = []
    left = MAX_RUNS
    for layer in layers:
        attention = layer.attention
        of_heads.append([])
        for head in range(attention.num_heads):
            key = _key(attention, head)
            if key not in kept:
                edges, counts = _runs(attention.head(head), causal=causal)
                name = edges.tobytes(), counts.tobytes()
                if name not in masks:
                    is_whole = bool((counts == 2).all() and (edges == [0, attention.num_keys] * len(counts)).all())
                    masks[name] = None if is_whole else len(said)
                    left -= 0 if is_whole else edges.size // 2
                    if left < 0:
                        return None
                    if not is_whole:
                        said.append([each.tolist() for each in np.split(edges, np.cumsum(counts)[:-1])])
                kept[key] = masks[name]
            of_heads[-1].append(kept[key])
    return AllowedKeys(said, of_heads) if said else None


def _runs(head: BlockwiseAttention, *, causal: bool) -> tuple[Int[np.ndarray, " edges"], Int[np.ndarray, " queries"]]:
    """Where runs of allowed keys begin and end, row after row, and how many such edges each row has."""
    needs_all = bool(head.edits) or _hides(head) or _is_given_causal(head, causal=causal)
    edges, counts = [], []
    for block in head.blocks:
        rows = block.rows.stop - block.rows.start
        if block.fully_visible and not needs_all:
            edges.append(np.tile([block.cols.start, block.cols.stop], rows))
            counts.append(np.full(rows, 2))
            continue
        allowed = allowed_window(head, block.rows, block.cols, causal=causal)[0].cpu().numpy()
        row, key = np.nonzero(np.diff(np.pad(allowed, ((0, 0), (1, 1))).astype(np.int8), axis=1))
        edges.append(key + block.cols.start)
        counts.append(np.bincount(row, minlength=rows))
    return np.concatenate(edges), np.concatenate(counts)


def _key(attention: BlockwiseAttention, head: int) -> Hashable:
    """The same for heads that have the same mask."""
    edit = attention.edits.get(head)
    first = slice(0, 1)
    sizes = [] if attention.mask is None else [attention.mask.window(first, first).shape]
    if attention.bias is not None and _hides(attention):
        sizes.append(attention.bias.window(first, first).shape)
    differs = any(len(size) > 2 and size[-3] > 1 for size in sizes)
    return (
        id(attention.mask),
        id(edit) if edit else None,
        id(attention.bias) if _hides(attention) else None,
        (head if differs else None),
    )


def _hides(attention: BlockwiseAttention) -> bool:
    """Whether the bias forbids some keys; a rule of another kind is computed from finite numbers."""
    match attention.bias.bias if isinstance(attention.bias, HeadBias) else attention.bias:
        case RelativeBias(by_distance=values) | DenseBias(values=values):
            return bool((values <= _lowest(attention)).any())
        case _:
            return False


def _lowest(attention: BlockwiseAttention) -> float:
    return torch.finfo(attention.queries.dtype).min / 2


def _is_given_causal(attention: BlockwiseAttention, *, causal: bool) -> bool:
    return causal and attention.mask is None and isinstance(attention, GivenWeights)
