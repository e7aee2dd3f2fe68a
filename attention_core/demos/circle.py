"""Attention on a circle: keys are n arrows around the origin, and values are the same arrows.

Every number can be seen: a query is an angle, a score is ``|q| |k| cos θ``, the output is a point inside the polygon.
Unless lengths and angles are given, the keys have length 1 and point to 0°, 360°/n, 2 · 360°/n, …
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from attention_core.demos.scoring import (
    AdditiveChoice,
    Mechanism,
    RopeChoice,
    ScoredAttention,
    attention_by_name,
)
from attention_core.refusal import InvalidValueError, check_at_least


@dataclass(frozen=True)
class Turn:
    """RoPE with its single pair of dimensions: rotates query and key by position · theta radians, not the values."""

    query_positions: Sequence[float]
    key_positions: Sequence[float]
    theta: float = 1.0


def circle(
    n: int,
    query_angles_deg: Sequence[float],
    *,
    lengths: Sequence[float] | None = None,
    key_angles_deg: Sequence[float] | None = None,
    query_lengths: Sequence[float] | None = None,
    mechanism: Mechanism = "dot",
    temperature: float = 1.0,
    additive: AdditiveChoice | None = None,
    turn: Turn | None = None,
) -> ScoredAttention:
    """Attention of queries at these angles (degrees, counter-clockwise from the x-axis) to n keys, also the values.

    ``lengths`` and ``key_angles_deg`` have one number for each key, ``query_lengths`` one for each query; a length of 0
    is the zero vector, a negative one points the other way. Raises ValueError naming the argument that does not fit.
    """
    check_at_least(1, n=n)
    key_angles = [360.0 * index / n for index in range(n)] if key_angles_deg is None else key_angles_deg
    keys = _arrows("lengths", lengths, _as_many("key_angles_deg", key_angles, n))
    queries = _arrows("query_lengths", query_lengths, query_angles_deg)
    return attention_by_name(
        queries,
        keys,
        keys,
        mechanism,
        temperature=temperature,
        additive=additive,
        rope=None if turn is None else _rope(turn, len(queries), n),
    )


def _arrows(name: str, lengths: Sequence[float] | None, angles_deg: Sequence[float]) -> list[list[float]]:
    """``(r cos φ, r sin φ)``."""
    radii = [1.0] * len(angles_deg) if lengths is None else _as_many(name, lengths, len(angles_deg))
    angles = [math.radians(angle) for angle in angles_deg]
    return [[r * math.cos(angle), r * math.sin(angle)] for r, angle in zip(radii, angles, strict=True)]


def _rope(turn: Turn, num_queries: int, num_keys: int) -> RopeChoice:
    """RoPE rotation; in two dimensions the frequency is 1, so another theta is equivalent to other positions."""
    return RopeChoice(
        query_positions=[turn.theta * m for m in _as_many("query_positions", turn.query_positions, num_queries)],
        key_positions=[turn.theta * m for m in _as_many("key_positions", turn.key_positions, num_keys)],
    )


def _as_many(name: str, numbers: Sequence[float], count: int) -> Sequence[float]:
    if len(numbers) != count:
        raise InvalidValueError("{name} must have {count} numbers, not {given}", name, count, len(numbers))
    return numbers
