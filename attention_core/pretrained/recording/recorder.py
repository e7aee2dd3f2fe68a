"""Run our attention inside a pretrained model and record its inputs.

transformers lets applications register a function as a model's attention (``AttentionInterface``), and another for its
masks (``AttentionMaskInterface``). Ours are registered under the name ``observatory``: the mask function passes on the
*rule* instead of a matrix, the attention function computes with ``BlockwiseAttention`` and keeps queries, keys and
values (after RoPE), scale, bias rule, mask rule and log-sum-exp. Nothing of size N × N is kept.

The current recording is held in a context variable, so analyses in different threads do not interfere.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.utils._pytree import tree_map_only
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import and_masks, padding_mask_function, prepare_padding_mask, sdpa_mask

from attention_core.blockwise.attention import BiasRule, BlockwiseAttention
from attention_core.blockwise.row_blocks import Block, row_blocks
from attention_core.masks import DenseMask, MaskRule
from attention_core.pretrained.errors import UnsupportedAttentionError
from attention_core.pretrained.recording.output_projections import OutputProjection
from attention_core.refusal import Sentence

UNSUPPORTED = {"softcap": Sentence("soft-capped scores"), "s_aux": Sentence("learned attention sinks")}
IMPLEMENTATION = "observatory"
"""The name under which transformers finds our attention (``attn_implementation``)."""


@dataclass(frozen=True, eq=False)
class LayerRecord:
    """One call of the attention function: its inputs, and each row's log-sum-exp."""

    module: nn.Module | None
    """The module that made the call; None for uploaded tensors, and in stored records, to free the model."""
    attention: BlockwiseAttention
    log_sum_exp: Float[Tensor, "B H Q 2"]
    """As two summands, see ``attend.softmax_in_place``."""
    projection: OutputProjection | None = None
    """W_O after this attention, if known."""

    @property
    def nbytes(self) -> int:
        """Memory held, including W_O, which outlives its model."""
        projection = 0 if self.projection is None else self.projection.nbytes
        return self.attention.nbytes + self.log_sum_exp.nbytes + projection


Change = Callable[[nn.Module, BlockwiseAttention], BlockwiseAttention]
"""From the module and the attention it is about to compute to the attention to compute instead."""


@dataclass
class Recording:
    """The attention calls of one forward pass, in order."""

    on_block: Callable[[], None] | None = None
    """Called before each block of work; may raise to stop the pass."""
    change: Change | None = None
    layers: list[LayerRecord] = field(default_factory=list)
    _last_bias: tuple[Tensor, BiasRule | None] | None = None

    def bias_rule(self, bias: Tensor | None) -> BiasRule | None:
        """The rule of a bias; layers that share one bias tensor share its rule."""
        if bias is None:
            return None
        if self._last_bias is None or self._last_bias[0] is not bias:
            self._last_bias = (bias, relative_bias(bias))
        return self._last_bias[1]


_recording: ContextVar[Recording | None] = ContextVar("recording", default=None)


@contextmanager
def record(on_block: Callable[[], None] | None = None, change: Change | None = None) -> Iterator[Recording]:
    """Record (and optionally change) every attention call of forward passes in this context and thread."""
    recording = Recording(on_block, change)
    token = _recording.set(recording)
    try:
        yield recording
    finally:
        recording._last_bias = None
        _recording.reset(token)


def observatory_attention(
    module: nn.Module,
    query: Float[Tensor, "B H Q D"],
    key: Float[Tensor, "B Hkv K D"],
    value: Float[Tensor, "B Hkv K V"],
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    position_bias: Float[Tensor, "1 H Q K"] | None = None,
    **kwargs: Any,
) -> tuple[Float[Tensor, "B Q H V"], None]:
    """Attention as transformers calls it. Returns head outputs as (batch, queries, heads, size), and no weights."""
    _refuse_unsupported(dropout, kwargs)
    recording = _recording.get() or Recording()
    mask, mask_bias = _split_mask(attention_mask)
    attention = BlockwiseAttention(
        queries=query.contiguous(),
        keys=key.contiguous(),
        values=value.contiguous(),
        scale=query.shape[-1] ** -0.5 if scaling is None else float(scaling),
        bias=recording.bias_rule(_sum_of(position_bias, mask_bias)),
        mask=mask,
        blocks=mask.blocks if isinstance(mask, RecordedMask) else (),
    )
    if recording.change is not None:
        attention = recording.change(module, attention)
    head_outputs, log_sum_exp = attention.attend(recording.on_block)
    recording.layers.append(LayerRecord(module, attention, log_sum_exp))
    return head_outputs.transpose(1, 2).contiguous(), None


def _refuse_unsupported(dropout: float, kwargs: dict[str, Any]) -> None:
    if dropout > 0:
        raise UnsupportedAttentionError("dropout is on: put the model into evaluation mode")
    for name, meaning in UNSUPPORTED.items():
        if kwargs.get(name) is not None:
            raise UnsupportedAttentionError(
                "this model's attention uses {meaning}, which is not supported here", meaning
            )


def _sum_of(first: Tensor | None, second: Tensor | None) -> Tensor | None:
    if first is None or second is None:
        return second if first is None else first
    return first + second


def _split_mask(attention_mask: Tensor | None) -> tuple[MaskRule | None, Tensor | None]:
    """Split transformers' mask into a mask rule and (for additive masks with finite values) a bias."""
    if attention_mask is None:
        return None, None
    if isinstance(attention_mask, UnwrittenMask):
        return attention_mask.rule, None
    if attention_mask.dtype == torch.bool:
        return DenseMask(attention_mask), None
    # A model that builds its own additive mask uses the lowest finite number for forbidden keys.
    allowed = attention_mask > torch.finfo(attention_mask.dtype).min / 2
    finite = attention_mask.masked_fill(~allowed, 0.0)
    return DenseMask(allowed), finite if bool(finite.any()) else None


# --- masks --------------------------------------------------------------------------------------------------------


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

    def window(self, rows: slice, cols: slice) -> Bool[Tensor, "B 1 rows cols"]:
        """See MaskRule."""
        batch = torch.arange(self.size[0], device=self.device)[:, None, None, None]
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


# --- biases -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RelativeBias:
    """A bias that depends only on the distance ``key − query`` (T5, ALiBi): 2N − 1 numbers per head."""

    by_distance: Float[Tensor, "B H distances"]
    """Index 0 is the distance ``−(Q − 1)``."""
    num_queries: int

    def window(self, rows: slice, cols: slice) -> Float[Tensor, "B H rows cols"]:
        """See BiasRule."""
        device = self.by_distance.device
        query = torch.arange(rows.start, rows.stop, device=device)[:, None]
        key = torch.arange(cols.start, cols.stop, device=device)
        return self.by_distance[..., key - query + self.num_queries - 1]


@dataclass(frozen=True, eq=False)
class DenseBias:
    """A bias of unknown structure: the only case in which a Q × K matrix is kept."""

    values: Float[Tensor, "B H Q K"]

    def window(self, rows: slice, cols: slice) -> Float[Tensor, "B H rows cols"]:
        """See BiasRule. An axis of size 1 covers all rows or columns."""
        row = rows if self.values.shape[-2] > 1 else slice(None)
        col = cols if self.values.shape[-1] > 1 else slice(None)
        return self.values[..., row, col]


def relative_bias(bias: Float[Tensor, "B H Q K"]) -> BiasRule | None:
    """The rule behind a dense bias: None if it is 0 everywhere, by distance if its diagonals are constant."""
    if not bool(bias.any()):
        return None
    num_queries, num_keys = bias.shape[-2:]
    if num_queries > 1 and num_keys > 1 and torch.equal(bias[..., 1:, 1:], bias[..., :-1, :-1]):
        by_distance = torch.cat([bias[..., :, 0].flip(-1), bias[..., 0, 1:]], dim=-1)
        return RelativeBias(by_distance, num_queries)
    return DenseBias(bias)


AttentionInterface.register(IMPLEMENTATION, observatory_attention)
AttentionMaskInterface.register(IMPLEMENTATION, observatory_mask)
