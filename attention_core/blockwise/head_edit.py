"""Interventions on single heads: edited scores, weights and outputs.

An edited head has the same stages as any other. The edits, each optional, apply in this order:

1. ``temperature`` T divides the scaled scores: ``q · k · scale / T``. The bias is not divided, so that this is the
   same as dividing the queries by T.
2. ``pattern`` and ``rows`` replace scaled scores, bias and the learned sink by scores with the desired softmax: 0
   everywhere for ``uniform``; 0 at the previous position and −∞ elsewhere for ``previous_token`` (the first position,
   which has no predecessor, attends to itself); ``ln w`` for a row of given weights w. ``rows`` apply after
   ``pattern``.
3. The model's own mask, then ``causal`` and ``cuts``, set scores to −∞. Softmax renormalises the rest.
4. ``drops`` set weights to 0 after the softmax; the rest is not renormalised, and the row sums to less than 1.
5. ``output`` replaces the head output ``weights · values``: 0 (``zero``), or the mean of this head's outputs over all
   queries of the text (``mean``), which in a causal model leaks information from later tokens to earlier ones. The
   weights stay as they were.

Everything works on windows of the matrix, so any window of any stage is exact without materialising a matrix.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor

Pattern = Literal["uniform", "previous_token"]
Output = Literal["zero", "mean"]

ANY = -1
"""In an edge: every query or every key."""


@dataclass(frozen=True, eq=False)
class GivenRow:
    """Replacement weights for one query."""

    query: int
    log_weights: Float[Tensor, " K"]
    """``ln w``, −∞ where a weight is 0; the weights sum to 1."""


@dataclass(frozen=True, eq=False)
class HeadEdit:
    """The edits of one head of one layer. Windows are (batch, rows, cols) of that head."""

    temperature: float = 1.0
    pattern: Pattern | None = None
    rows: tuple[GivenRow, ...] = ()
    causal: bool = False
    cuts: tuple[Int[Tensor, "_ 2"], ...] = ()
    """(query, key) whose scores become −∞; ANY means all."""
    drops: tuple[Int[Tensor, "_ 2"], ...] = ()
    """(query, key) whose weights become 0."""
    output: Output | None = None

    def soften(self, scaled_scores: Float[Tensor, "B rows cols"]) -> None:
        """Step 1 (temperature), in place."""
        if self.temperature != 1.0:
            scaled_scores /= self.temperature

    def replace_scores(self, scores: Float[Tensor, "B rows cols"], rows: slice, cols: slice, offset: int) -> None:
        """Steps 2 and 3 (except the model's mask), in place. Query i has position ``i + offset``."""
        if self.pattern is not None:
            scores.zero_()
        if self.pattern == "previous_token":
            query, key = _positions(scores, rows, cols, offset)
            scores.masked_fill_(key != (query - 1).clamp_(min=0), float("-inf"))
        for row in self.rows:
            if rows.start <= row.query < rows.stop:
                scores[:, row.query - rows.start] = row.log_weights[cols].to(scores.dtype)
        if self.causal:
            query, key = _positions(scores, rows, cols, offset)
            scores.masked_fill_(key > query, float("-inf"))
        for edges in self.cuts:
            _fill_edges(scores, edges, rows, cols, float("-inf"))

    def remove_sink(self, sink: Float[Tensor, "B rows 1"], rows: slice) -> None:
        """Step 2 for the score of a learned sink, in place: replaced rows have none, so that they add up to 1."""
        if self.pattern is not None:
            sink.fill_(float("-inf"))
        for row in self.rows:
            if rows.start <= row.query < rows.stop:
                sink[:, row.query - rows.start] = float("-inf")

    def drop_weights(self, window: Float[Tensor, "B rows cols"], rows: slice, cols: slice, fill: float) -> None:
        """Step 4, in place. ``fill`` is 0 for weights and −∞ for their logarithms."""
        for edges in self.drops:
            _fill_edges(window, edges, rows, cols, fill)

    def replace_output(self, head_outputs: Float[Tensor, "B Q V"]) -> None:
        """Step 5, in place."""
        if self.output == "zero":
            head_outputs.zero_()
        elif self.output == "mean":
            precision = torch.promote_types(head_outputs.dtype, torch.float32)
            head_outputs.copy_(head_outputs.mean(dim=1, keepdim=True, dtype=precision))


def _positions(
    scores: Tensor, rows: slice, cols: slice, offset: int
) -> tuple[Int[Tensor, "rows 1"], Int[Tensor, " cols"]]:
    query = torch.arange(rows.start, rows.stop, device=scores.device)[:, None] + offset
    return query, torch.arange(cols.start, cols.stop, device=scores.device)


def _fill_edges(
    window: Float[Tensor, "B rows cols"], edges: Int[Tensor, "edges 2"], rows: slice, cols: slice, fill: float
) -> None:
    query, key = edges.unbind(dim=-1)
    in_rows = (query >= rows.start) & (query < rows.stop)
    in_cols = (key >= cols.start) & (key < cols.stop)
    single = in_rows & in_cols
    window[:, query[single] - rows.start, key[single] - cols.start] = fill
    window[:, query[in_rows & (key == ANY)] - rows.start] = fill
    window[:, :, key[in_cols & (query == ANY)] - cols.start] = fill
