"""Synthetic tasks for small networks: sequences of at most 48 tokens that are partly predictable from their prefix.

Every sequence is a text to be continued, as for any decoder. Only the *scored* tokens count, those that follow from
the preceding ones; the others are random and unpredictable. For each scored token the positions that hold the answer
are known (its ``sources``), which shows whether a head attends to them.

- ``repeat``: random tokens repeated with a period of 8 to 24; scored from the second period on.
- ``copy``: ``a b c = a b c``; ``reverse``: ``a b c = c b a``; ``sort``: ``c a b = a b c``. All symbols of one sequence
  are different.
- ``brackets``: ``( [ · ] { · } · )``: after each ``·`` comes the bracket that closes the last one still open.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from jaxtyping import Bool, Int
from torch import Tensor

TaskName = Literal["repeat", "copy", "reverse", "sort", "brackets"]
TASK_NAMES: tuple[TaskName, ...] = get_args(TaskName)

LENGTH = 48
"""Tokens of a sequence."""
VOCABULARY = 32
SHORTEST_PERIOD, LONGEST_PERIOD = 8, 24
EXAMPLE_PERIOD = 16
EQUALS, END = VOCABULARY - 2, VOCABULARY - 1
"""The tokens between question and answer, and after the answer."""
SHORTEST_LIST, LONGEST_LIST = 6, 23
MARK, OPENING, CLOSING = 0, 1, 5
"""The mark before a closing bracket; the first of the four opening and of the four closing brackets."""
KINDS, DEEPEST = 4, 8


@dataclass(frozen=True, eq=False)
class Batch:
    """Sequences, and which of their tokens are predictable."""

    ids: Int[Tensor, "B T"]
    scored: Bool[Tensor, "B T"]
    """True at a position whose *next* token counts."""
    sources: Bool[Tensor, "B T T"]
    """Row i, column j: true where token j shows what follows token i. All false in rows that are not scored."""


@dataclass(frozen=True)
class Task:
    """One kind of sequence."""

    name: TaskName
    vocabulary: tuple[str, ...]
    """The text of each id."""
    answers: int
    """Number of possible values of a scored token."""
    draw: Callable[[int, torch.Generator], Batch]
    example: Callable[[int, torch.Generator], Batch]
    """Example sequences of one shape, so that their maps can be compared."""


def _repeated(periods: Int[Tensor, " B"], base: Int[Tensor, "B longest"]) -> Batch:
    """``base`` repeated, each sequence with its own period."""
    positions = torch.arange(LENGTH)
    period = periods[:, None]
    ids = base.gather(1, positions[None] % period)
    scored = (positions[None] >= period) & (positions[None] + 1 < LENGTH)
    follower = (positions + 1)[None, :, None]
    behind = follower - positions[None, None, :]
    sources = (behind > 0) & (behind % period[:, :, None] == 0) & scored[:, :, None]
    return Batch(ids, scored, sources)


def _draw_repeated(count: int, generator: torch.Generator) -> Batch:
    periods = torch.randint(SHORTEST_PERIOD, LONGEST_PERIOD + 1, (count,), generator=generator)
    return _repeated(periods, torch.randint(0, VOCABULARY, (count, LONGEST_PERIOD), generator=generator))


def _example_repeated(count: int, generator: torch.Generator) -> Batch:
    """All tokens of a period differ, so that each has one last occurrence."""
    return _repeated(torch.full((count,), EXAMPLE_PERIOD), _distinct(count, VOCABULARY, generator)[:, :EXAMPLE_PERIOD])


def _distinct(count: int, symbols: int, generator: torch.Generator) -> Int[Tensor, "B symbols"]:
    """A random permutation of all symbols for each sequence."""
    return torch.rand((count, symbols), generator=generator).argsort(dim=1)


Order = Callable[[Tensor, Tensor], Tensor]
"""From symbols (B, n) and sizes (B, 1), the position of each answer in the question."""


def _answered(order: Order, sizes: Int[Tensor, " B"], generator: torch.Generator) -> Batch:
    """``a … = answer .``; sizes differ, so positions alone do not determine where an answer is."""
    count, size = len(sizes), sizes[:, None]
    symbols = _distinct(count, VOCABULARY - 2, generator)[:, :LONGEST_LIST]
    places = order(symbols, size)
    positions = torch.arange(LENGTH)[None].expand(count, -1)
    ids = torch.full((count, LENGTH), END)
    in_input, answer = positions < size, (positions > size) & (positions <= 2 * size)
    ids[in_input] = symbols.gather(1, positions.clamp(max=LONGEST_LIST - 1))[in_input]
    ids[positions == size] = EQUALS
    answer_index = (positions - size - 1).clamp(0, LONGEST_LIST - 1)
    ids[answer] = symbols.gather(1, places.gather(1, answer_index))[answer]
    scored = (positions >= size) & (positions < 2 * size)
    shown_at = places.gather(1, (positions - size).clamp(0, LONGEST_LIST - 1))
    sources = (positions[:, None, :] == shown_at[:, :, None]) & scored[:, :, None]
    return Batch(ids, scored, sources)


def _same(symbols: Tensor, size: Tensor) -> Tensor:  # noqa: ARG001 -- one of three orders
    return torch.arange(symbols.shape[1]).expand_as(symbols)


def _backwards(symbols: Tensor, size: Tensor) -> Tensor:
    return (size - 1 - torch.arange(symbols.shape[1])).clamp(min=0)


def _sorted(symbols: Tensor, size: Tensor) -> Tensor:
    unused = torch.arange(symbols.shape[1])[None] >= size
    return symbols.masked_fill(unused, VOCABULARY).argsort(dim=1)


def _list_task(name: TaskName, order: Order) -> Task:
    def draw(count: int, generator: torch.Generator) -> Batch:
        sizes = torch.randint(SHORTEST_LIST, LONGEST_LIST + 1, (count,), generator=generator)
        return _answered(order, sizes, generator)

    def example(count: int, generator: torch.Generator) -> Batch:
        return _answered(order, torch.full((count,), LONGEST_LIST), generator)

    return Task(name, (*map(str, range(VOCABULARY - 2)), "=", "."), VOCABULARY - 2, draw, example)


def _brackets(count: int, generator: torch.Generator) -> Batch:
    """Random balanced brackets, at most DEEPEST deep; a closing one takes two tokens."""
    ids = torch.empty((count, LENGTH), dtype=torch.long)
    scored = torch.zeros((count, LENGTH), dtype=torch.bool)
    sources = torch.zeros((count, LENGTH, LENGTH), dtype=torch.bool)
    opens = torch.rand((count, LENGTH), generator=generator) < 0.5
    kinds = torch.randint(0, KINDS, (count, LENGTH), generator=generator)
    stack = torch.zeros((count, DEEPEST), dtype=torch.long)
    depth = torch.zeros(count, dtype=torch.long)
    marked = torch.zeros(count, dtype=torch.bool)
    rows = torch.arange(count)
    for position in range(LENGTH):
        top = stack[rows, (depth - 1).clamp(min=0)]
        begins = ~marked & (opens[:, position] | (depth == 0)) & (depth < DEEPEST)
        opened = kinds[rows, top]
        ids[:, position] = torch.where(
            begins, OPENING + kinds[:, position], torch.where(marked, CLOSING + opened, MARK)
        )
        if position:
            scored[:, position - 1] = marked
            sources[rows, position - 1, top] = marked
        stack[rows[begins], depth[begins]] = position
        depth = depth + begins.long() - marked.long()
        marked = ~marked & ~begins
    return Batch(ids, scored, sources)


TASKS: dict[TaskName, Task] = {
    "repeat": Task("repeat", tuple(map(str, range(VOCABULARY))), VOCABULARY, _draw_repeated, _example_repeated),
    "copy": _list_task("copy", _same),
    "reverse": _list_task("reverse", _backwards),
    "sort": _list_task("sort", _sorted),
    "brackets": Task("brackets", ("·", *"([{<", *")]}>"), KINDS, _brackets, _brackets),
}
"""Every task by name."""
