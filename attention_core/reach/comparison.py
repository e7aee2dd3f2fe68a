"""Compare two ways of running the same tokens: cached steps with prefill, packed documents with each alone.

Reach says which token has influence, not whether it is the right one: positions that do not restart, or a cache that is
written one off, may leave every influence where it was. The states themselves then differ. Another shape of the batch
rounds otherwise, so here is a tolerance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from .copies import Measurement, changes, prepare

TOLERANCE = 1e-3
"""Of the largest number of a state."""


@dataclass(frozen=True)
class Deviation:
    """The first state and position at which two runs differ by more than the tolerance."""

    name: str
    position: int
    difference: float
    """Relative to the largest number of the state."""


def cached_deviation(
    model: Callable[..., Any], tokens: Sequence[int] | Tensor, *, chunk: int = 1, **options: Any
) -> Deviation | None:
    """Where cached steps of ``chunk`` tokens give other states than one pass; None where they agree."""
    whole = prepare(model, tokens, **options)
    steps = prepare(model, tokens, chunk=chunk, **options)
    return _deviation(whole.names, _states(whole), _states(steps), 0)


def packed_deviation(
    model: Callable[..., Any],
    tokens: Sequence[int] | Tensor,
    documents: Sequence[int],
    *,
    inputs: Mapping[str, Any] | None = None,
    alone: Mapping[str, Any] | None = None,
    **options: Any,
) -> Deviation | None:
    """Where a packed document has other states than by itself; None where they agree.

    ``inputs`` are those of the packed call, ``alone`` those of each document's own.
    """
    together = prepare(model, tokens, inputs=inputs, **options)
    states = _states(together)
    start = 0
    for length in documents:
        if length > 1:
            part = prepare(model, torch.as_tensor(tokens)[start : start + length], inputs=alone, **options)
            cut = [each[:, start : start + length] for each in states]
            if (deviation := _deviation(together.names, _states(part), cut, start)) is not None:
                return deviation
        start += length
    return None


def _states(run: Measurement) -> list[Tensor]:
    """(1, positions, features) of each state."""
    return [torch.cat([each[:1] for each in steps], 1) for steps in run.unchanged(run.shape.rows)[0]]


def _deviation(names: Sequence[str], right: Sequence[Tensor], given: Sequence[Tensor], start: int) -> Deviation | None:
    if len(right) != len(given):
        raise ValueError(f"model: {len(given)} states in one way of running it, {len(right)} in the other")
    for name, ours, other in zip(names, right, given, strict=True):
        largest = float(ours.float().abs().nan_to_num(0.0, 0.0, 0.0).max()) or 1.0
        off = changes(other, ours)[0] / largest
        if bool((off > TOLERANCE).any()):
            position = int((off > TOLERANCE).nonzero()[0])
            return Deviation(name, start + position, float(off[position]))
    return None
