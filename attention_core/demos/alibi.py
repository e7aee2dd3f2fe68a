"""ALiBi slopes and biases, and the same queries and keys with no positions, with RoPE and with ALiBi.

Plain numbers in, arrays out. Rows are queries, columns keys.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.alibi import AlibiBias, alibi_bias, slopes
from attention_core.masks import causal_mask
from attention_core.refusal import InvalidValueError
from attention_core.rope import Pairing, rotate
from attention_core.scoring.scaled_dot import scaled_dot_attention

Rows = Sequence[Sequence[int | float]]
Scores = Float[np.ndarray, "queries keys"]


@dataclass(frozen=True, eq=False)
class AlibiNumbers:
    """The numbers that ALiBi adds to the scaled scores. Rows are queries, columns are keys."""

    slopes: Float[np.ndarray, "heads"]
    bias: Float[np.ndarray, "heads queries keys"]
    """−slope·(query − key), above the diagonal too, where a causal mask hides it."""


@dataclass(frozen=True, eq=False)
class Attended:
    """One head's stages."""

    scaled_scores: Scores
    """``q · k/√D``, of rotated vectors under RoPE."""
    masked_scores: Scores
    """With the bias, −∞ where the causal mask forbids."""
    weights: Scores
    output: Float[np.ndarray, "queries value_size"]


@dataclass(frozen=True, eq=False)
class PositionsCompared:
    """The same queries, keys and values without positions, with RoPE, and with each head's ALiBi."""

    none: Attended
    rope: Attended | None
    """Null where vectors have an odd size, which RoPE cannot pair."""
    alibi: list[Attended]
    """One for each head."""


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
    bias = rule.window(*window).squeeze(0).numpy()
    return AlibiNumbers(slopes=slopes(heads).numpy(), bias=np.where(bias == 0, 0.0, bias))  # no −0


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
        rotated_q, rotated_k = (rotate(vectors, places, pairing=pairing, base=base) for vectors in (q, k))
        rope = _attended(rotated_q, rotated_k, v, None, mask)
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
            "{name} must be a start and an exclusive end up to {seq_len}, not {start}, {stop}",
            name,
            seq_len,
            start,
            stop,
        )
    return slice(start, stop)
