"""Attention masks: which query may attend to which key.

Convention: a boolean mask is *true where attention is allowed*, as in torch's ``scaled_dot_product_attention`` and in
transformers. An additive mask is 0 where allowed and −∞ where not. A row that allows nothing has
weights 0 and output 0 (see ``attend.softmax``), never NaN.

Positions: when there are fewer queries than keys, the queries are the *last* positions (decoding with a cache), so
query i is at position ``i + num_keys - num_queries``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.refusal import InvalidValueError

Predicate = Callable[[Tensor, Tensor], Tensor]
"""(query positions (Q, 1), key positions (K)) → boolean (Q, K), true where attention is allowed."""


def causal_mask(num_queries: int, num_keys: int, *, device: torch.device | str | None = None) -> Bool[Tensor, "Q K"]:
    """Each position attends to itself and earlier ones: ``key ≤ query`` (Vaswani et al. 2017, §3.2.3).

    Raises ValueError if there are more queries than keys: a query before the first key could attend to nothing.
    """
    return dense(causal, num_queries, num_keys, device=device)


def sliding_window_mask(
    num_queries: int,
    num_keys: int,
    window: int,
    *,
    causal_only: bool = True,
    device: torch.device | str | None = None,
) -> Bool[Tensor, "Q K"]:
    """Each position attends to keys less than ``window`` positions away (Beltagy et al. 2020, Mistral's convention).

    ``causal_only``: ``0 ≤ query − key < window``; otherwise ``|query − key| < window``.
    """
    return dense(sliding_window(window, causal_only=causal_only), num_queries, num_keys, device=device)


def prefix_mask(
    num_queries: int, num_keys: int, prefix: int, *, device: torch.device | str | None = None
) -> Bool[Tensor, "Q K"]:
    """Every query sees the first ``prefix`` positions and all earlier ones (Raffel et al. 2020, §3.2.1)."""
    return dense(prefix_causal(prefix), num_queries, num_keys, device=device)


def padding_mask(
    is_token: Bool[Tensor, "... K"],
) -> Bool[Tensor, "... 1 K"]:
    """No position attends to padding. ``is_token`` is false at padding; the result broadcasts over queries."""
    return is_token.unsqueeze(-2)


def to_additive(mask: Bool[Tensor, "..."], dtype: torch.dtype = torch.float32) -> Float[Tensor, "..."]:
    """0 where allowed, −∞ where not."""
    return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(~mask, float("-inf"))


def forbidden(mask: Bool[Tensor, "..."] | Float[Tensor, "..."]) -> Bool[Tensor, "..."]:
    """True where attention is masked, whichever form the mask has."""
    return ~mask if mask.dtype == torch.bool else mask == float("-inf")


def causal(query: Int[Tensor, "Q 1"], key: Int[Tensor, " K"]) -> Bool[Tensor, "Q K"]:
    """``key ≤ query`` as a predicate."""
    return key <= query


def sliding_window(window: int, *, causal_only: bool = True) -> Predicate:
    """``0 ≤ query − key < window`` (or ``|query − key| < window``) as a predicate."""
    if window < 1:
        raise InvalidValueError(
            "window must be at least 1, not {window}: a position attends at least to itself", window
        )

    def predicate(query: Tensor, key: Tensor) -> Tensor:
        distance = query - key
        return (distance < window) & ((distance >= 0) if causal_only else (distance > -window))

    return predicate


def prefix_causal(prefix: int) -> Predicate:
    """``key < prefix or key ≤ query`` as a predicate."""
    if prefix < 0:
        raise InvalidValueError("{name} must not be negative, not {given}", "prefix", prefix)
    return lambda query, key: (key < prefix) | (key <= query)


def dense(
    predicate: Predicate, num_queries: int, num_keys: int, *, device: torch.device | str | None = None
) -> Bool[Tensor, "Q K"]:
    """The predicate as a dense matrix."""
    rule = PredicateMask(predicate, num_queries, num_keys, device=device)
    return rule.window(slice(0, num_queries), slice(0, num_keys))


@runtime_checkable
class MaskRule(Protocol):
    """A mask that is never materialised: any window of it can be computed."""

    def window(self, rows: slice, cols: slice) -> Bool[Tensor, "*batch rows cols"]:
        """The mask for these queries and keys (slices with both ends given)."""
        ...


@dataclass(frozen=True)
class PredicateMask:
    """A mask rule from a predicate on positions."""

    predicate: Predicate
    num_queries: int
    num_keys: int
    device: torch.device | str | None = None

    def __post_init__(self) -> None:
        if self.num_queries > self.num_keys:
            raise InvalidValueError(
                "num_queries ({num_queries}) must not exceed num_keys ({num_keys}): the queries are the "
                "last positions of the keys",
                self.num_queries,
                self.num_keys,
            )

    def window(self, rows: slice, cols: slice) -> Bool[Tensor, "rows cols"]:
        """See MaskRule."""
        offset = self.num_keys - self.num_queries
        query = torch.arange(rows.start, rows.stop, device=self.device).unsqueeze(-1) + offset
        key = torch.arange(cols.start, cols.stop, device=self.device)
        return self.predicate(query, key)


@dataclass(frozen=True, eq=False)
class DenseMask:
    """A mask rule from an existing matrix."""

    allowed: Bool[Tensor, "*batch Q K"]

    def window(self, rows: slice, cols: slice) -> Bool[Tensor, "*batch rows cols"]:
        """See MaskRule. An axis of size 1 covers all rows or columns."""
        row = rows if self.allowed.shape[-2] > 1 else slice(None)
        col = cols if self.allowed.shape[-1] > 1 else slice(None)
        size = (*self.allowed.shape[:-2], rows.stop - rows.start, cols.stop - cols.start)
        return self.allowed[..., row, col].expand(size)


@dataclass(frozen=True, eq=False)
class HeadMask:
    """A single head of a mask rule; most masks are the same for all heads."""

    mask: MaskRule
    head: int

    def window(self, rows: slice, cols: slice) -> Bool[Tensor, "*batch rows cols"]:
        """See MaskRule."""
        window = self.mask.window(rows, cols)
        has_heads = window.ndim > 2 and window.shape[-3] > 1
        return window[..., self.head : self.head + 1, :, :] if has_heads else window
