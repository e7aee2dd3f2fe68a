"""Blockwise attention: any window of the N × N matrix without ever materialising the whole.

It holds queries, keys, values (N × d per head), the rules of mask and bias, and each row's log-sum-exp. From these,
any window of any stage is exact: ``weights = exp(cap(q · k · scale) + bias − log_sum_exp)``, where few models have a
cap. A cell has the same value in every window, because scores are rounded independently of it (``exact_products``):
rows add up to 1 over any partition into windows (with a learned sink, to 1 minus its weight). Rows are processed in
blocks, and keys that a block may not attend to are never touched, so causal attention costs half and a sliding window
costs O(N).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.attend import cap_scores, log_weights_in_place, softmax_in_place, weights_in_place
from attention_core.blockwise.bias import BiasRule, HeadBias
from attention_core.blockwise.exact_products import on_grids, product_dtype
from attention_core.blockwise.head_edit import HeadEdit
from attention_core.blockwise.row_blocks import Block, row_blocks
from attention_core.masks import HeadMask, MaskRule
from attention_core.refusal import InvalidValueError

ROUGH_ERROR = 3e-5
"""Relative error of a weight up to which thumbnails and metrics use float32 products, which take half the time."""
ROUGH_CELLS = 2**22
"""Queries times keys below which they use exact ones: a text of 2,048 tokens is fast anyway."""


@dataclass(frozen=True, eq=False)
class BlockwiseAttention:
    """Queries, keys, values, mask and bias of one layer.

    B batch, H query heads, G = H / Hkv query heads for each key head, Q queries, K keys, D and V head sizes.
    """

    queries: Float[Tensor, "B H Q D"]
    keys: Float[Tensor, "B Hkv K D"]
    values: Float[Tensor, "B Hkv K V"]
    scale: float
    bias: BiasRule | None = None
    mask: MaskRule | None = None
    cap: float | None = None
    """Scaled scores become ``cap · tanh(score / cap)`` before bias and mask (Gemma 2)."""
    sinks: Float[Tensor, " H"] | None = None
    """One more score in each row of a head, whose weight is dropped (gpt-oss): weights add up to less than 1."""
    blocks: tuple[Block, ...] = field(default=())
    """Computed from the mask when not given; layers with the same mask share them."""
    edits: Mapping[int, HeadEdit] = field(default_factory=dict)
    """Interventions by query head. They affect every stage from ``scaled_scores`` on."""
    are_on_grids: bool = False
    """Whether queries and keys are already rounded for exact products; if not, they are rounded here unless they need
    gradients."""

    def __post_init__(self) -> None:
        if self.num_heads % self.keys.shape[1]:
            raise InvalidValueError(
                "{num_heads} query heads cannot share {num_kv_heads} key heads evenly",
                self.num_heads,
                self.keys.shape[1],
            )
        if not self.are_on_grids and not (self.queries.requires_grad or self.keys.requires_grad):
            queries, keys = on_grids(self.queries, self.keys)
            object.__setattr__(self, "queries", queries)
            object.__setattr__(self, "keys", keys)
            object.__setattr__(self, "are_on_grids", True)
        if not self.blocks:
            object.__setattr__(self, "blocks", row_blocks(self.num_queries, self.num_keys, self.mask))

    @property
    def num_heads(self) -> int:
        """Number of query heads."""
        return self.queries.shape[1]

    @property
    def num_queries(self) -> int:
        """Number of rows."""
        return self.queries.shape[2]

    @property
    def num_keys(self) -> int:
        """Number of columns."""
        return self.keys.shape[2]

    @property
    def nbytes(self) -> int:
        """Memory held by queries, keys and values. (Edits share their tensors between heads and layers.)"""
        return self.queries.nbytes + self.keys.nbytes + self.values.nbytes

    def head(self, index: int) -> "BlockwiseAttention":
        """A single query head, as views without copying."""
        kv_index = index * self.keys.shape[1] // self.num_heads
        return BlockwiseAttention(
            queries=self.queries[:, index : index + 1],
            keys=self.keys[:, kv_index : kv_index + 1],
            values=self.values[:, kv_index : kv_index + 1],
            scale=self.scale,
            bias=None if self.bias is None else HeadBias(self.bias, index),
            mask=None if self.mask is None else HeadMask(self.mask, index),
            cap=self.cap,
            sinks=None if self.sinks is None else self.sinks[index : index + 1],
            blocks=self.blocks,
            edits={0: self.edits[index]} if index in self.edits else {},
            are_on_grids=self.are_on_grids,
        )

    @property
    def precision(self) -> torch.dtype:
        """The dtype of every displayed stage: float32 also for half-precision models, whose softmax runs in it."""
        return torch.promote_types(self.queries.dtype, torch.float32)

    def raw_scores(self, rows: slice, cols: slice) -> Float[Tensor, "B H rows cols"]:
        """``q · k`` for these queries and keys."""
        return self._raw_scores(rows, cols).to(self.precision)

    def scaled_scores(self, rows: slice, cols: slice) -> Float[Tensor, "B H rows cols"]:
        """``q · k · scale``, divided by the temperature of an edited head, not yet capped."""
        return self._scaled_scores(rows, cols).to(self.precision)

    def masked_scores(self, rows: slice, cols: slice, *, fully_visible: bool = False) -> Float[Tensor, "B H rows cols"]:
        """``q · k · scale``, capped if the model caps scores, plus bias; −∞ where the mask forbids."""
        return self._masked_scores(rows, cols, fully_visible=fully_visible).to(self.precision)

    def rough_scores(
        self, stage: str, rows: slice, cols: slice, *, fully_visible: bool = False
    ) -> Float[Tensor, "B H rows cols"]:
        """One of the three stages above at twice the speed, accumulated in float32: for heat maps of scores only."""
        match stage:
            case "raw_scores":
                return self._raw_scores(rows, cols, self.precision)
            case "scaled_scores":
                return self._scaled_scores(rows, cols, self.precision)
            case _:
                return self._masked_scores(rows, cols, self.precision, fully_visible=fully_visible)

    def _raw_scores(self, rows: slice, cols: slice, dtype: torch.dtype | None = None) -> Float[Tensor, "B H rows cols"]:
        """Raw scores in float64, like the two below: identical in every window."""
        exact = dtype or product_dtype(self.queries.device, self.queries.dtype)
        queries = self.queries[:, :, rows].to(exact)
        keys = self.keys[:, :, cols].to(exact)
        batch, heads, count, size = queries.shape
        # Heads that share keys are stacked into one tall matrix: keys are never repeated.
        stacked = queries.reshape(batch, keys.shape[1], -1, size) @ keys.transpose(-1, -2)
        if self.queries.dtype != self.precision:  # half-precision models round their products to their own format
            stacked = stacked.to(self.queries.dtype).to(exact)
        return stacked.view(batch, heads, count, -1)

    def _scaled_scores(
        self, rows: slice, cols: slice, dtype: torch.dtype | None = None
    ) -> Float[Tensor, "B H rows cols"]:
        scores = self._raw_scores(rows, cols, dtype).mul_(self.scale)
        for head, edit in self.edits.items():
            edit.soften(scores[:, head])
        return scores

    def _masked_scores(
        self, rows: slice, cols: slice, dtype: torch.dtype | None = None, *, fully_visible: bool = False
    ) -> Float[Tensor, "B H rows cols"]:
        scores = self._scaled_scores(rows, cols, dtype)
        if self.cap is not None:
            scores = cap_scores(scores, self.cap)
        if self.bias is not None:
            scores += self.bias.window(rows, cols)
        self._replace_scores(scores, rows, cols)
        if self.mask is not None and not fully_visible:
            scores.masked_fill_(~self.mask.window(rows, cols), float("-inf"))
        return scores

    def allowed(self, rows: slice, cols: slice) -> Bool[Tensor, "B H rows cols"]:
        """Which keys each query may attend to, after the mask and any edits."""
        size = (self.queries.shape[0], self.num_heads, rows.stop - rows.start, cols.stop - cols.start)
        scores = torch.zeros(size, device=self.queries.device)
        self._replace_scores(scores, rows, cols)
        allowed = scores > float("-inf")
        return allowed if self.mask is None else allowed & self.mask.window(rows, cols)

    def _replace_scores(self, scores: Float[Tensor, "B H rows cols"], rows: slice, cols: slice) -> None:
        for head, edit in self.edits.items():
            edit.replace_scores(scores[:, head], rows, cols, self.num_keys - self.num_queries)

    def sink_scores(self, rows: slice) -> Float[Tensor, "B H rows 1"] | None:
        """The sink's score in these rows: −∞ where an edit replaced the scores; None for attention without sinks."""
        if self.sinks is None:
            return None
        exact = product_dtype(self.queries.device, self.queries.dtype)
        size = (self.queries.shape[0], self.num_heads, rows.stop - rows.start, 1)
        scores = self.sinks.to(exact)[None, :, None, None].repeat(size[0], 1, size[2], 1)
        for head, edit in self.edits.items():
            edit.remove_sink(scores[:, head], rows)
        return scores

    def sink_weights(self, rows: slice, log_sum_exp: Float[Tensor, "B H Q 2"]) -> Float[Tensor, "B H rows"] | None:
        """What the sink takes of these rows; without edits, 1 minus their sum. None for attention without sinks."""
        scores = self.sink_scores(rows)
        return None if scores is None else weights_in_place(scores, log_sum_exp[:, :, rows], self.precision)[..., 0]

    def _drop_weights(
        self, window: Float[Tensor, "B H rows cols"], rows: slice, cols: slice, fill: float
    ) -> Float[Tensor, "B H rows cols"]:
        for head, edit in self.edits.items():
            edit.drop_weights(window[:, head], rows, cols, fill)
        return window

    def log_weights(
        self,
        rows: slice,
        cols: slice,
        log_sum_exp: Float[Tensor, "B H Q 2"],
        *,
        fully_visible: bool = False,
        rough: bool = False,
    ) -> Float[Tensor, "B H rows cols"]:
        """``ln`` of the weights of any window, given the log-sum-exp of all rows; −∞ where masked.

        ``rough``: from products added up in float32. See ``may_be_rough``.
        """
        dtype = self.precision if rough else None
        scores = self._masked_scores(rows, cols, dtype, fully_visible=fully_visible)
        logarithms = log_weights_in_place(scores, log_sum_exp[:, :, rows], self.precision)
        return self._drop_weights(logarithms, rows, cols, float("-inf"))

    def weights(
        self,
        rows: slice,
        cols: slice,
        log_sum_exp: Float[Tensor, "B H Q 2"],
        *,
        fully_visible: bool = False,
    ) -> Float[Tensor, "B H rows cols"]:
        """Exact weights of any window, given the log-sum-exp of all rows."""
        scores = self._masked_scores(rows, cols, fully_visible=fully_visible)
        weights = weights_in_place(scores, log_sum_exp[:, :, rows], self.precision)
        return self._drop_weights(weights, rows, cols, 0.0)

    def may_be_rough(self, log_sum_exp: Float[Tensor, "B H Q 2"]) -> bool:
        """Whether float32 products are faster and accurate to ``ROUGH_ERROR`` for the weights of every head.

        The sum of D products of a query and a key has an error of about √D u ‖q‖ ‖k‖, where u = 2⁻²⁴ (Higham 2002,
        Accuracy and Stability of Numerical Algorithms, section 3.1); scale and temperature multiply that, and the
        largest score adds a rounding error of its own. This is the relative error of a weight. Half-precision models
        round their products to their own format, where one float32 rounding error may become one of half precision.
        """
        if self.queries.dtype != torch.float32 or self.num_queries * self.num_keys < ROUGH_CELLS:
            return False
        sharpest = min((edit.temperature for edit in self.edits.values()), default=1.0)
        longest = float(self.queries.float().norm(dim=-1).amax()) * float(self.keys.float().norm(dim=-1).amax())
        products = self.queries.shape[-1] ** 0.5 * longest * abs(self.scale) / min(1.0, sharpest)
        return 2.0**-24 * (products + float(log_sum_exp[..., 0].abs().amax())) <= ROUGH_ERROR

    def weight_blocks(
        self, log_sum_exp: Float[Tensor, "B H Q 2"]
    ) -> Iterator[tuple[Block, Float[Tensor, "B H rows cols"]]]:
        """All weights, block by block; keys outside a block's span have weight 0."""
        for block in self.blocks:
            yield block, self.weights(block.rows, block.cols, log_sum_exp, fully_visible=block.fully_visible)

    def attend(
        self, on_block: Callable[[], None] | None = None
    ) -> tuple[Float[Tensor, "B H Q V"], Float[Tensor, "B H Q 2"]]:
        """Head outputs, and the log-sum-exp of every row in two summands (``softmax_in_place``).

        ``on_block`` is called before each block; it may raise to stop the work.
        """
        batch, heads, count, _ = self.queries.shape
        kv_heads = self.keys.shape[1]
        head_outputs = self.values.new_empty(batch, heads, count, self.values.shape[-1])
        exact = product_dtype(self.queries.device, self.queries.dtype)
        log_sum_exp = self.queries.new_empty(batch, heads, count, 2, dtype=exact)
        for block in self.blocks:
            if on_block is not None:
                on_block()
            scores = self._masked_scores(block.rows, block.cols, fully_visible=block.fully_visible)
            sink = self.sink_scores(block.rows)
            weights, log_sum_exp[:, :, block.rows] = softmax_in_place(scores, self.precision, sink)
            self._drop_weights(weights, block.rows, block.cols, 0.0)
            stacked = weights.view(batch, kv_heads, -1, weights.shape[-1])
            mixed = stacked.to(self.values.dtype) @ self.values[:, :, block.cols]
            head_outputs[:, :, block.rows] = mixed.view(batch, heads, -1, self.values.shape[-1])
        for head, edit in self.edits.items():
            edit.replace_output(head_outputs[:, head])
        return head_outputs, log_sum_exp
