"""ALiBi slopes and biases, and the same queries and keys with no positions, with RoPE and with ALiBi.

Plain numbers in, arrays out. Rows are queries, columns keys.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core.alibi import AlibiBias, alibi_bias, slopes
from attention_core.masks import causal_mask
from attention_core.refusal import InvalidValueError
from attention_core.rope import Pairing, rotate
from attention_core.scoring.scaled_dot import scaled_dot_attention

Array = NDArray[Any]
Rows = Sequence[Sequence[int | float]]


@dataclass(frozen=True, eq=False)
class AlibiNumbers:
    """The numbers that ALiBi adds."""

    slopes: Array
    """(heads)"""
    bias: Array
    """(heads, rows, cols) what is added to the scaled scores of this window."""


@dataclass(frozen=True, eq=False)
class Attended:
    """One head's stages, N tokens."""

    scaled_scores: Array
    """(N, N) ``q · k/√D``, after turning by RoPE where that is what is shown."""
    masked_scores: Array
    """(N, N) with the bias, −∞ where the causal mask forbids."""
    weights: Array
    output: Array


@dataclass(frozen=True, eq=False)
class PositionsCompared:
    """The same queries, keys and values under three ways of knowing positions."""

    none: Attended
    rope: Attended | None
    """None where vectors have an odd size, which RoPE cannot pair."""
    alibi: list[Attended]
    """One for each head's slope."""


def alibi_numbers(
    heads: int,
    seq_len: int,
    *,
    symmetric: bool = False,
    rows: tuple[int, int] | None = None,
    cols: tuple[int, int] | None = None,
) -> AlibiNumbers:
    """Slopes, and the bias of a window (first, one past the last) of the seq_len × seq_len matrix."""
    window = [_window(span, seq_len, name) for span, name in ((rows, "rows"), (cols, "cols"))]
    rule = AlibiBias(heads, seq_len, seq_len, symmetric=symmetric, dtype=torch.float64)
    return AlibiNumbers(slopes=slopes(heads).numpy(), bias=rule.window(*window).squeeze(0).numpy())


def compare_positions(
    heads: int,
    queries: Rows,
    keys: Rows,
    values: Rows | None = None,
    *,
    symmetric: bool = False,
    causal: bool = True,
    pairing: Pairing = "half_split",
    base: int | float = 10_000.0,
) -> PositionsCompared:
    """Attention without positions, with RoPE and with ALiBi, on one head's queries and keys (values: the keys)."""
    q, k = torch.tensor(queries, dtype=torch.float64), torch.tensor(keys, dtype=torch.float64)
    v = k if values is None else torch.tensor(values, dtype=torch.float64)
    for name, other in (("keys", k), ("values", v)):
        if len(other) != len(q):
            raise InvalidValueError(
                "{name} must have {rows} rows, as many as queries, not {given}", name, len(q), len(other)
            )
    if k.shape[-1] != q.shape[-1]:
        raise InvalidValueError("keys must have size {size}, as queries have, not {given}", q.shape[-1], k.shape[-1])
    mask = causal_mask(len(q), len(k)) if causal else None
    places = torch.arange(len(q))
    rope = None
    if q.shape[-1] % 2 == 0:
        turned_q, turned_k = (rotate(vectors, places, pairing=pairing, base=base) for vectors in (q, k))
        rope = _attended(turned_q, turned_k, v, None, mask)
    biases = alibi_bias(heads, len(q), len(k), symmetric=symmetric, dtype=torch.float64)
    return PositionsCompared(
        none=_attended(q, k, v, None, mask),
        rope=rope,
        alibi=[_attended(q, k, v, bias, mask) for bias in biases],
    )


def _attended(queries: Tensor, keys: Tensor, values: Tensor, bias: Tensor | None, mask: Tensor | None) -> Attended:
    trace = scaled_dot_attention(queries, keys, values, bias=bias, mask=mask)
    stages = (trace.scaled_scores, trace.masked_scores, trace.weights, trace.output)
    return Attended(*(stage.numpy() for stage in stages))


def _window(span: tuple[int, int] | None, seq_len: int, name: str) -> slice:
    start, stop = span or (0, seq_len)
    if not 0 <= start < stop <= seq_len:
        raise InvalidValueError(
            "{name} must be a first and one past a last position below {seq_len}, not {start}, {stop}",
            name,
            seq_len,
            start,
            stop,
        )
    return slice(start, stop)
