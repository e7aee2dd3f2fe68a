"""transformers' masks as rules: any window of a mask without its Q × K storage."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from jaxtyping import Bool
from torch import Tensor
from torch.utils._pytree import tree_map_only
from transformers.masking_utils import and_masks, padding_mask_function, prepare_padding_mask, sdpa_mask

from attention_core.blockwise.row_blocks import Block, row_blocks


@dataclass(frozen=True, eq=False)
class RecordedMask:
    """transformers' mask predicate, evaluated window by window."""

    predicate: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
    """(batch, head, query, key indices, broadcasting) → boolean."""
    size: tuple[int, int, int]
    """Batch, queries, keys."""
    query_offset: int
    key_offset: int
    device: torch.device
    first_text: int = 0
    """The first one's index in the batch that the predicate is about."""

    def window(self, rows: slice, cols: slice) -> Bool[Tensor, "B 1 rows cols"]:
        """See MaskRule."""
        batch = (torch.arange(self.size[0], device=self.device) + self.first_text)[:, None, None, None]
        head = torch.zeros(1, dtype=torch.long, device=self.device)[:, None, None, None]
        query = (torch.arange(rows.start, rows.stop, device=self.device) + self.query_offset)[:, None]
        key = torch.arange(cols.start, cols.stop, device=self.device) + self.key_offset
        allowed = self.predicate(batch, head, query[None, None], key[None, None, None])
        return allowed.expand(self.size[0], 1, rows.stop - rows.start, cols.stop - cols.start)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Row blocks with their visible keys, computed once for all layers with this mask."""
        return row_blocks(self.size[1], self.size[2], self)


class UnwrittenMask(Tensor):
    """A boolean mask (B, 1, Q, K) that models can pass along without its Q × K storage.

    A model that only passes its mask on to the attention function never materialises it. Any other operation (such as
    slicing) works on the materialised mask, so the result is correct either way.
    """

    rule: RecordedMask

    @staticmethod
    def __new__(cls, rule: RecordedMask) -> "UnwrittenMask":
        """Make a tensor with the mask's shape and no storage."""
        batch, queries, keys = rule.size
        mask: UnwrittenMask = Tensor._make_wrapper_subclass(
            cls, (batch, 1, queries, keys), dtype=torch.bool, device=rule.device
        )
        mask.rule = rule
        return mask

    def written(self) -> Bool[Tensor, "B 1 Q K"]:
        """The mask as an ordinary tensor."""
        _, queries, keys = self.rule.size
        return self.rule.window(slice(0, queries), slice(0, keys))

    @classmethod
    def __torch_dispatch__(  # type: ignore[override] # torch annotates the disabled one
        cls, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Materialise the mask for any tensor operation."""
        args, kwargs = tree_map_only(UnwrittenMask, UnwrittenMask.written, (args, kwargs or {}))
        return func(*args, **kwargs)


def observatory_mask(
    batch_size: int,
    q_length: int,
    kv_length: int,
    q_offset: int | Tensor = 0,
    kv_offset: int = 0,
    *,
    mask_function: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor],
    attention_mask: Tensor | None = None,
    allow_is_bidirectional_skip: bool = False,
    use_vmap: bool = False,
    device: torch.device | str = "cpu",
    **kwargs: Any,
) -> Tensor | None:
    """Mask creation as transformers calls it: the rule instead of the matrix; None if nothing is masked."""
    padding = prepare_padding_mask(attention_mask, kv_length, kv_offset)
    if padding is not None and bool(padding.all()):
        padding = None
    if allow_is_bidirectional_skip and padding is None and kwargs.get("local_size") is None:
        return None
    if use_vmap:  # a predicate that takes only one index at a time
        return sdpa_mask(
            batch_size,
            q_length,
            kv_length,
            int(q_offset),
            kv_offset,
            mask_function,
            attention_mask,
            allow_is_causal_skip=False,
            use_vmap=True,
            device=device,
        )
    predicate = mask_function if padding is None else and_masks(mask_function, padding_mask_function(padding))
    size = (batch_size, q_length, kv_length)
    return UnwrittenMask(RecordedMask(predicate, size, int(q_offset), kv_offset, torch.device(device)))
