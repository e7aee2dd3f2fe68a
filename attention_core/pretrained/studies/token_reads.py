"""One token in every layer and head: what it attends to most, and which tokens attend to it most.

One row and one column of each map are computed, never the map: memory is heads × tokens, whatever the length.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.pretrained.inputs.words import spans_of
from attention_core.pretrained.recording.selection import check_between, check_index, check_name
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.analysis_parts import Part

MAX_COUNT = 64
"""Tokens listed for each head at most."""


@dataclass(frozen=True, eq=False)
class TopTokens:
    """The largest weights of one row or column of each head, descending; what the mask forbids is not listed."""

    indices: Int[np.ndarray, "layers heads count"]
    """−1 where there are no more to list."""
    weights: Float[np.ndarray, "layers heads count"]
    """0 where there are no more to list."""
    totals: Float[np.ndarray, "layers heads"]
    """The sum over all tokens: of a row 1 (0 if every key is masked), of a column the attention that it receives."""


@dataclass(frozen=True, eq=False)
class PartReads:
    """The results for one part of the model; null where the token does not occur on that side."""

    name: str
    reads: TopTokens | None
    """The keys that this token attends to."""
    read_by: TopTokens | None
    """The queries that attend to this token."""


@dataclass(frozen=True, eq=False)
class TokenReads:
    """Everything one token attends to and is attended to by."""

    side: str
    """source or target: the text whose tokens ``index`` counts."""
    index: int
    parts: list[PartReads]


def token_reads(
    analysis: Analysis,
    index: int,
    *,
    side: str | None = None,
    count: int = 5,
    hide_special: bool = False,
    words: bool = False,
) -> TokenReads:
    """The ``count`` largest weights of token ``index`` (of the given side, or of the first part's queries).

    ``hide_special`` omits special tokens from the lists and the totals. With ``words`` the token's whole word is used,
    and words are listed, each by its first token: weights to a word are summed over its tokens, those from it averaged
    (Clark et al. 2019, section 4.1).
    Raises SelectionError for a token or a side that the analysis does not have, or a count outside 1…MAX_COUNT.
    """
    check_between("count", count, 1, MAX_COUNT)
    sizes = {part.key_side: part.key_tokens for part in analysis.parts}
    sizes |= {part.query_side: part.query_tokens for part in analysis.parts}
    side = analysis.parts[0].query_side if side is None else side
    check_name("side", side, sorted(sizes))
    check_index("index", index, sizes[side])
    spans = {
        name: spans_of(tokens, hide_special=hide_special, words=words)
        for name, tokens in (("source", analysis.tokens), ("target", analysis.target_tokens))
        if tokens is not None
    }
    own = next((span for span in spans[side] if index in span), range(index, index + 1))
    with torch.inference_mode():
        parts = [_part_reads(part, side, slice(own.start, own.stop), spans, count) for part in analysis.parts]
    return TokenReads(side, index, [part for part in parts if part.reads is not None or part.read_by is not None])


def _part_reads(part: Part, side: str, own: slice, spans: Mapping[str, list[range]], count: int) -> PartReads:
    reads = read_by = None
    if part.query_side == side:
        rows = (
            (weights.mean(dim=-2), may.any(dim=-2)) for weights, may in _windows(part, own, slice(0, part.key_tokens))
        )
        reads = _top(rows, spans[part.key_side], count, mean=False)
    if part.key_side == side:
        columns = (
            (weights.sum(dim=-1), may.any(dim=-1)) for weights, may in _windows(part, slice(0, part.query_tokens), own)
        )
        read_by = _top(columns, spans[part.query_side], count, mean=True)
    return PartReads(part.name, reads, read_by)


def _windows(
    part: Part, rows: slice, cols: slice
) -> Iterator[tuple[Float[Tensor, "H rows cols"], Bool[Tensor, "H rows cols"]]]:
    """The window of every layer, all heads, and which of its cells are allowed."""
    for index, layer in enumerate(part.record.layers):
        weights = layer.attention.weights(rows, cols, layer.log_sum_exp)[0]
        yield weights, part.allowed_window(index, rows, cols)


def _top(
    lines: Iterable[tuple[Float[Tensor, "H N"], Bool[Tensor, "H N"]]], spans: list[range], count: int, *, mean: bool
) -> TopTokens:
    """The largest weights of one row or column of every head, layer by layer."""
    reads = [
        _largest(_condensed(line, spans, mean=mean), _condensed(allowed.to(line.dtype), spans, mean=mean) > 0, count)
        for line, allowed in lines
    ]
    weights, places, totals = (torch.stack(each).cpu().numpy() for each in zip(*reads, strict=True))
    firsts = np.array([span.start for span in spans], dtype=np.int64)
    return TopTokens(np.where(places < 0, -1, firsts[places]), weights, totals)


def _condensed(line: Float[Tensor, "H N"], spans: list[range], *, mean: bool) -> Float[Tensor, "H spans"]:
    """Sum or mean over the tokens of each span."""
    if len(spans) == line.shape[-1]:
        return line
    lengths = torch.tensor([len(span) for span in spans], dtype=torch.long, device=line.device)
    tokens = torch.tensor([index for span in spans for index in span], dtype=torch.long, device=line.device)
    places = torch.arange(len(spans), device=line.device).repeat_interleave(lengths)
    sums = line.new_zeros(line.shape[0], len(spans)).index_add_(1, places, line[:, tokens])
    return sums / lengths if mean else sums


def _largest(weights: Float[Tensor, "H N"], allowed: Bool[Tensor, "H N"], count: int) -> tuple[Tensor, Tensor, Tensor]:
    best = weights.masked_fill(~allowed, float("-inf")).topk(min(count, weights.shape[-1]), dim=-1)
    is_none = best.values == float("-inf")
    return best.values.masked_fill(is_none, 0.0).float(), best.indices.masked_fill(is_none, -1), weights.sum(-1).float()
