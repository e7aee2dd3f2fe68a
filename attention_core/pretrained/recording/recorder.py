"""Run our attention inside a pretrained model and record its inputs.

transformers lets applications register a function as a model's attention (``AttentionInterface``), and another for its
masks (``AttentionMaskInterface``). Ours are registered under the name ``observatory``: the mask function passes on the
*rule* instead of a matrix, the attention function computes with ``BlockwiseAttention`` and keeps queries, keys and
values (after RoPE), scale, bias rule, mask rule and log-sum-exp. Nothing of size N × N is kept.

What receives the calls of a forward pass is held in a context variable, so analyses in different threads do not
interfere. Any ``Receiver`` can take the place of a ``Recording`` and compute attention in its own way.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface

from attention_core.blockwise.attention import BlockwiseAttention
from attention_core.blockwise.bias import BiasRule
from attention_core.blockwise.given_weights import GivenWeights
from attention_core.blockwise.row_blocks import Block
from attention_core.masks import DenseMask, MaskRule
from attention_core.pretrained.errors import UnsupportedAttentionError
from attention_core.pretrained.recording.bias_rules import ContentBias, relative_bias
from attention_core.pretrained.recording.output_projections import OutputProjection
from attention_core.pretrained.recording.unwritten_mask import RecordedMask, UnwrittenMask, observatory_mask

IMPLEMENTATION = "observatory"
"""The name under which transformers finds our attention (``attn_implementation``)."""


@dataclass(frozen=True, eq=False)
class AttentionCall:
    """One call of the attention function by a model, as its inputs."""

    module: nn.Module
    queries: Float[Tensor, "B H Q D"]
    keys: Float[Tensor, "B Hkv K D"]
    values: Float[Tensor, "B Hkv K V"]
    scale: float
    bias: Float[Tensor, "..."] | None
    """Broadcast over (B, H, Q, K)."""
    mask: MaskRule | None
    cap: float | None = None
    """See BlockwiseAttention; likewise sinks."""
    sinks: Float[Tensor, " H"] | None = None
    has_content_bias: bool = False
    """Whether the bias was computed from these queries and keys."""


@runtime_checkable
class Receiver(Protocol):
    """What computes the attention calls of a forward pass."""

    def attend(self, call: AttentionCall) -> Float[Tensor, "B H Q V"]:
        """The head outputs, with which the model goes on."""
        ...


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
    def without_keys(self) -> Bool[Tensor, "B H Q"]:
        """True for a query that may attend to no key: its weights are all 0."""
        if isinstance(self.attention, GivenWeights):
            return ~self.attention.given.any(dim=-1)
        return self.log_sum_exp[..., 1] == float("-inf")

    @property
    def nbytes(self) -> int:
        """Memory held, including W_O, which outlives its model, and a bias of its own, which is no rule."""
        projection = 0 if self.projection is None else self.projection.nbytes
        bias = self.attention.bias.values.nbytes if isinstance(self.attention.bias, ContentBias) else 0
        return self.attention.nbytes + self.log_sum_exp.nbytes + projection + bias


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

    def attend(self, call: AttentionCall) -> Float[Tensor, "B H Q V"]:
        """Compute with ``BlockwiseAttention``, and keep a record of it."""
        attention = BlockwiseAttention(
            queries=call.queries.contiguous(),
            keys=call.keys.contiguous(),
            values=call.values.contiguous(),
            scale=call.scale,
            bias=ContentBias(call.bias) if call.has_content_bias and call.bias is not None else self._rule(call.bias),
            mask=call.mask,
            cap=call.cap,
            sinks=call.sinks,
            blocks=_blocks_of(call),
        )
        if self.change is not None:
            attention = self.change(call.module, attention)
        head_outputs, log_sum_exp = attention.attend(self.on_block)
        self.layers.append(LayerRecord(call.module, attention, log_sum_exp))
        return head_outputs

    def _rule(self, bias: Tensor | None) -> BiasRule | None:
        """The rule of a bias; layers that share one bias tensor share its rule."""
        if bias is None:
            return None
        if self._last_bias is None or self._last_bias[0] is not bias:
            self._last_bias = (bias, relative_bias(bias))
        return self._last_bias[1]


def _blocks_of(call: AttentionCall) -> tuple[Block, ...]:
    """The blocks of a recorded mask; none of one that is the same for all rows (VisualBERT)."""
    size = (call.queries.shape[-2], call.keys.shape[-2])
    return call.mask.blocks if isinstance(call.mask, RecordedMask) and call.mask.size[1:] == size else ()


_receiver: ContextVar[Receiver | None] = ContextVar("receiver", default=None)


@contextmanager
def receive(receiver: Receiver) -> Iterator[None]:
    """Have ``receiver`` compute every attention call of forward passes in this context and thread."""
    token = _receiver.set(receiver)
    try:
        yield
    finally:
        _receiver.reset(token)


@contextmanager
def record(on_block: Callable[[], None] | None = None, change: Change | None = None) -> Iterator[Recording]:
    """Record (and optionally change) every attention call of forward passes in this context and thread."""
    recording = Recording(on_block, change)
    try:
        with receive(recording):
            yield recording
    finally:
        recording._last_bias = None


def observatory_attention(
    module: nn.Module,
    query: Float[Tensor, "B H Q D"],
    key: Float[Tensor, "B Hkv K D"],
    value: Float[Tensor, "B Hkv K V"],
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    position_bias: Float[Tensor, "#B H #Q K"] | None = None,
    softcap: float | None = None,
    s_aux: Float[Tensor, " H"] | None = None,
    has_content_bias: bool = False,
    **_: Any,
) -> tuple[Float[Tensor, "B Q H V"], None]:
    """Attention as transformers calls it. Returns head outputs as (batch, queries, heads, size), and no weights."""
    if dropout > 0:
        raise UnsupportedAttentionError("dropout is on: put the model into evaluation mode")
    mask, mask_bias = _split_mask(attention_mask)
    scale = query.shape[-1] ** -0.5 if scaling is None else float(scaling)
    bias = _sum_of(position_bias, mask_bias)
    sinks = None if s_aux is None else s_aux.detach()
    call = AttentionCall(module, query, key, value, scale, bias, mask, softcap, sinks, has_content_bias)
    head_outputs = (_receiver.get() or Recording()).attend(call)
    return head_outputs.transpose(1, 2).contiguous(), None


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


AttentionInterface.register(IMPLEMENTATION, observatory_attention)
AttentionMaskInterface.register(IMPLEMENTATION, observatory_mask)
