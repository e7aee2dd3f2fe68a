"""Ask of a long text whether a model is causal, with few passes: replace everything from a cut on.

A cut c answers for all pairs across it at once: no state before c may change. A leak that is the same at every position
(a convolution that looks ahead, a mask off by one) shows at any cut; a hole of one cell only at a cut between its two
positions, so that all cuts must be asked (``cuts="all"``) to exclude it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from torch import Tensor, nn

from .copies import BUDGET, Measurement, prepare
from .replacement import other_text
from .states import begun

GOLDEN = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True)
class SuffixReach:
    """Whether any state changed before any cut, and one pair that shows it."""

    cuts: tuple[int, ...]
    """First replaced positions."""
    leaking: tuple[int, ...]
    """Those before which a state changed."""
    query: int | None = None
    key: int | None = None
    name: str | None = None
    """Of the first state at which the pair appears."""

    @property
    def is_causal(self) -> bool:
        """Whether no later token reached any earlier state, at these cuts."""
        return not self.leaking


def few_cuts(count: int) -> list[int]:
    """2 · ⌈log₂ N⌉ different cuts from 1 to N − 1, spread without a period, so that blocks' borders are not all."""
    wanted = min(count - 1, 2 * math.ceil(math.log2(count)))
    positions = {1, count - 1}
    turn = 1
    while len(positions) < wanted:
        positions.add(1 + int((turn * GOLDEN % 1) * (count - 1)))
        turn += 1
    return sorted(positions)


def suffix_reach(
    model: Callable[..., Any],
    tokens: Sequence[int] | Tensor,
    *,
    cuts: Sequence[int] | Literal["few", "all"] = "few",
    vocabulary: Sequence[int] | None = None,
    budget: int = BUDGET,
    **options: Any,
) -> SuffixReach:
    """Replace all tokens from each cut on; where a state before it changes, find one pair by bisection.

    ``cuts``: positions from 1 to N − 1, ``"few"`` (see `few_cuts`) or ``"all"``. The rest is as in `reach`. Raises
    ValueError for what cannot be measured.
    """
    with begun(model if isinstance(model, nn.Module) else None):
        return _suffix_reach(prepare(model, tokens, **options), cuts, vocabulary, budget)


def _suffix_reach(
    run: Measurement, cuts: Sequence[int] | Literal["few", "all"], vocabulary: Sequence[int] | None, budget: int
) -> SuffixReach:
    count = len(run.tokens)
    asked = (few_cuts(count) if cuts == "few" else list(range(1, count))) if isinstance(cuts, str) else list(cuts)
    if not asked or min(asked) < 1 or max(asked) >= count:
        raise ValueError(f"cuts must be from 1 to {count - 1}, not {asked}")
    other = other_text(run.tokens, 0, vocabulary=vocabulary, model=run.runner.module)
    change, floor, *_ = run.compare([_mixed(run, other, cut, count) for cut in asked], budget)
    moved = change > floor[:, None, None]
    leaking = [index for index, cut in enumerate(asked) if bool(moved[:, index, :cut].any())]
    if not leaking:
        return SuffixReach(tuple(asked), ())
    first = leaking[0]
    cut = asked[first]
    query = int(moved[:, first, :cut].any(0).nonzero()[-1])
    key, name = _bisected(run, other, query, cut, budget)
    return SuffixReach(tuple(asked), tuple(asked[index] for index in leaking), query, key, name)


def _bisected(run: Measurement, other: Tensor, query: int, cut: int, budget: int) -> tuple[int, str]:
    """A position from ``cut`` on that reaches the query: half of the span that does, until one is left."""
    start, stop = cut, len(run.tokens)
    while True:
        middle = (start + stop) // 2
        spans = [(start, stop)] if stop - start == 1 else [(start, middle), (middle, stop)]
        change, floor, *_ = run.compare([_mixed(run, other, *span) for span in spans], budget)
        moved = (change > floor[:, None, None])[:, :, query]
        hit = next((index for index in range(len(spans)) if bool(moved[:, index].any())), None)
        if hit is None:  # each half alone changes nothing: only together
            return start, run.names[-1]
        if len(spans) == 1:
            return start, run.names[int(moved[:, 0].int().argmax())]
        start, stop = spans[hit]


def _mixed(run: Measurement, other: Tensor, start: int, stop: int) -> Tensor:
    text = run.tokens.clone()
    text[start:stop] = other[start:stop]
    return text
