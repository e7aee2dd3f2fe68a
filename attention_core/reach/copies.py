"""Run copies of a text side by side, and compare their states with those of unchanged copies.

On a CPU all copies of a batch run in the same kernels, so a state that nothing reaches has the same bits. Every batch
has unchanged copies too. Where one of these differs from the unchanged batch, rounding depends on the other copies (a
GPU, experts): the largest such difference, with a margin, is then the floor below which a change counts as none. Where
it differs by more, the copies of a batch see each other, and they run one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from .attention_weights import Watching, in_parts
from .running import Runner
from .states import OUTPUT, Layers, Shape, as_states, find_layers, taken

BUDGET = 2**28
"""Bytes that a batch may take."""
HELD = 4
"""How often the largest tensor of a pass is counted: a product, its operands and what is next."""
MIXED = 1e-4
"""Of the largest state: a larger change of an unchanged copy is no rounding."""
MARGIN, STEPS = 8, 32
"""Of the noise seen, and of rounding where experts are chosen, in units of the precision."""


TINY = torch.finfo(torch.float32).tiny


@dataclass(eq=False)
class _Pass:
    """The states of one pass as they come; compared with those of an unchanged pass at once, or kept."""

    base: list[list[Tensor]] | None = None
    """(rows or 1, positions, features) per state and step."""
    names: list[str] = field(default_factory=list)
    states: list[list[Tensor]] = field(default_factory=list)
    """(rows, positions, features), or of a comparison (rows, positions)."""
    place: int = 0
    step: int = 0

    def take(self, name: str, state: Tensor) -> None:
        if self.place == len(self.states):
            self.names.append(name)
            self.states.append([])
        place, self.place = self.place, self.place + 1
        if self.base is None:
            self.states[place].append(state.detach().clone())
        else:
            if place >= len(self.base) or self.step >= len(self.base[place]):
                raise ValueError("model: it returns more states for some tokens than for others")
            self.states[place].append(changes(state.detach(), self.base[place][self.step]))

    def end_step(self) -> None:
        self.place, self.step = 0, self.step + 1

    def changed(self) -> Tensor:
        """(states, rows, positions)."""
        return torch.stack([torch.cat(steps, 1) for steps in self.states])


def changes(state: Tensor, base: Tensor) -> Tensor:
    """(rows, positions) Largest absolute difference over features; 0 only if equal, ∞ where one alone is NaN.

    It is taken in the states' own precision, at least float32, and given in float32: what is smaller counts as the
    smallest float32.
    """
    same = (state == base) | (state.isnan() & base.isnan())
    own = torch.promote_types(state.dtype, torch.float32)
    difference = (state.to(own) - base.to(own)).abs().nan_to_num(nan=torch.inf, posinf=torch.inf)
    largest = difference.masked_fill_(same, 0.0).amax(-1)
    return largest.float().masked_fill_((largest > 0) & (largest < TINY), TINY)


@dataclass(eq=False)
class Measurement:
    """Runs of one model on one text; what `reach` and `suffix_reach` share."""

    runner: Runner
    tokens: Tensor
    layers: Layers | None
    shape: Shape
    names: tuple[str, ...]
    weights: tuple[Tensor | None, ...]
    routes: bool
    row_bytes: int
    report: Callable[[int, int], None] | None = None
    check: Callable[[], None] | None = None

    def run(self, rows: Tensor, base: list[list[Tensor]] | None = None) -> _Pass:
        """One pass over copies of the text."""
        taking = _Pass(base)
        shape = replace(self.shape, rows=len(rows))
        _take_pass(self.runner, rows, shape, self.layers, taking)
        return taking

    def copies(self, count: int) -> Tensor:
        """(count, N) Unchanged."""
        return self.tokens.expand(count, *self.tokens.shape).contiguous()

    def unchanged(self, rows: int) -> tuple[list[list[Tensor]], Tensor]:
        """The states of an unchanged batch, of one row where all agree bit for bit, and the largest of each state."""
        states = self.run(self.copies(rows)).states
        if all(not changes(each, each[:1]).any() for steps in states for each in steps):
            states = [[each[:1].clone() for each in steps] for steps in states]
        largest = [max(float(each.float().abs().nan_to_num(0, 0, 0).max()) for each in steps) for steps in states]
        return states, torch.tensor(largest)

    def compare(self, changed: Sequence[Tensor], budget: int) -> tuple[Tensor, Tensor, bool, int]:
        """How much each of these texts changes each state: (states, texts, positions), floor, mixed rows, batch."""
        rows = max(2, min(len(changed) + 1, budget // self.row_bytes))
        while rows in self.shape.sizes:  # so that they are told apart
            rows += 1
        moved = self._batches(changed, rows)
        mixed = moved is None
        if moved is None:
            rows = 1
            moved = self._batches(changed, rows)
        if moved is None:
            raise ValueError("model: it returns other states for the same tokens")
        return (*moved, mixed, rows)

    def _batches(self, changed: Sequence[Tensor], rows: int) -> tuple[Tensor, Tensor] | None:
        """None if an unchanged copy changes by more than rounding."""
        base, largest = self.unchanged(rows)
        noise = torch.zeros(len(base))
        batches = []
        room = max(1, rows - 1)
        if rows == 1:
            noise = self.run(self.copies(1), base).changed().flatten(1).amax(1).cpu()
        else:
            noise = self._beside_others(changed, rows, base)
            if bool((noise > MIXED * largest).any()):
                return None
        for start in range(0, len(changed), room):
            self._tell(start, len(changed))
            part = changed[start : start + room]
            batch = self.copies(rows)
            first = int(rows > 1)
            batch[first : first + len(part)] = torch.stack(list(part))
            moved = self.run(batch, base).changed().cpu()
            if rows > 1:
                still = torch.cat([moved[:, :1], moved[:, first + len(part) :]], 1)
                noise = torch.maximum(noise, still.flatten(1).amax(1))
            if bool((noise > MIXED * largest).any()):
                return None
            batches.append(moved[:, first : first + len(part)])
        self._tell(len(changed), len(changed))
        change = torch.cat(batches, 1)
        return change, self._floor(change, noise, largest)

    def _beside_others(self, changed: Sequence[Tensor], rows: int, base: list[list[Tensor]]) -> Tensor:
        """How much unchanged copies, every third, change beside texts in which everything is another."""
        batch = self.copies(rows)
        others = [row for row in range(rows) if row % 3]
        for turn, row in enumerate(others):
            strange = torch.stack([changed[(turn + place) % len(changed)][place] for place in range(len(self.tokens))])
            batch[row] = strange.roll(turn + 1, 0) if turn % 2 else strange[turn % len(strange)]
        still = self.run(batch, base).changed()[:, ::3]
        return still.flatten(1).amax(1).cpu()

    def _floor(self, change: Tensor, noise: Tensor, largest: Tensor) -> Tensor:
        rounding = STEPS * torch.finfo(torch.float32).eps * largest
        if bool(noise.any()):
            return torch.maximum(MARGIN * noise, rounding)
        small = (change > 0) & (change <= rounding[:, None, None])
        return rounding if self.routes and bool(small.any()) else torch.zeros_like(rounding)

    def _tell(self, done: int, of: int) -> None:
        if self.check is not None:
            self.check()
        if self.report is not None:
            self.report(done, of)


def _take_pass(runner: Runner, rows: Tensor, shape: Shape, layers: Layers | None, taking: _Pass) -> None:
    def outputs() -> None:
        for output in runner.outputs(rows, shape):
            for name, state in _output_states(output, shape, listed=layers is None):
                taking.take(name, state)
            taking.end_step()

    if layers is None:
        outputs()
    else:
        with taken(layers, shape, taking.take):
            outputs()


def _output_states(output: Any, shape: Shape, *, listed: bool) -> Iterator[tuple[str, Tensor]]:
    """The states that a pass returns: of a callable all in its list, of a module the first."""
    hidden = getattr(output, "hidden_states", None) if listed else None
    parts = hidden or (output if listed and isinstance(output, (list, tuple)) else ())
    for index, each in enumerate(parts):
        if (states := as_states(each, shape)) is not None:
            yield f"state {index}", states
    if (not parts or hidden) and (states := as_states(output, shape)) is not None:
        yield OUTPUT, states


def prepare(
    model: Callable[..., Any],
    tokens: Sequence[int] | Tensor,
    *,
    inputs: Mapping[str, Any] | None = None,
    argument: str | None = None,
    layers: str | Sequence[str] | None = None,
    positions: int | None = None,
    chunk: int | None = None,
    report: Callable[[int, int], None] | None = None,
    check: Callable[[], None] | None = None,
) -> Measurement:
    """Run the text once: find layers, states and attention weights. Raises ValueError as ``reach`` does."""
    runner = Runner(model, dict(inputs or {}), argument, chunk)
    sequence = _on_device(tokens, runner)
    count = len(sequence)
    rows = 2 if count != 2 else 3  # so that rows and positions are told apart
    shape = Shape(rows, positions or count, runner.spans(count))
    batch = sequence.expand(rows, *sequence.shape).contiguous()
    found = None
    if runner.module is not None:
        found = find_layers(runner.module, lambda: list(runner.outputs(batch, shape)), shape, layers)
    taking = _Pass()
    seen: list[list[tuple[int, Tensor, bool]]] = []

    def see(weights: Tensor, is_used: bool) -> None:
        while len(seen) <= taking.place:
            seen.append([])
        seen[taking.place].append((taking.step, weights, is_used))

    with in_parts(), Watching(see, shape.sizes, count, rows) as watching:
        _take_pass(runner, batch, shape, found, taking)
    if not taking.states:
        raise ValueError("model: nothing that it returns has an axis of positions; name its layers")
    kept = sum(each.nbytes for steps in taking.states for each in steps)
    weights = [_assembled(parts, shape, count) for parts in seen]
    return Measurement(
        runner,
        sequence,
        found,
        shape,
        tuple(_named(taking.names)),
        _of_states(weights, taking, listed=found is None),
        watching.routes,
        (kept + HELD * watching.largest) // rows + 1,
        report,
        check,
    )


def _named(names: Sequence[str]) -> Iterator[str]:
    """Modules that run more than once are numbered from their second run on."""
    for index, name in enumerate(names):
        before = list(names[:index]).count(name)
        yield f"{name} ({before + 1})" if before else name


def _on_device(tokens: Sequence[int] | Tensor, runner: Runner) -> Tensor:
    sequence = torch.as_tensor(tokens)
    wanted = 2 if sequence.is_floating_point() else 1
    if sequence.dim() == wanted + 1 and len(sequence) == 1:
        sequence = sequence[0]
    if sequence.dim() != wanted or len(sequence) < 2:
        raise ValueError(f"tokens must be at least two ids (N,), or vectors (N, d), not {tuple(sequence.shape)}")
    parameter = None if runner.module is None else next(runner.module.parameters(), None)
    return sequence if parameter is None else sequence.to(parameter.device)


def _assembled(parts: Sequence[tuple[int, Tensor, bool]], shape: Shape, keys: int) -> Tensor | None:
    """(queries, N) The largest weights of all attentions of a state; steps have their rows, right-aligned columns."""
    if not parts:
        return None
    whole = torch.zeros(shape.positions, keys)
    spans = shape.spans or ((0, shape.positions),)
    any_used = any(is_used for _, _, is_used in parts)
    for step, weights, is_used in parts:
        if any_used and not is_used:
            continue
        start, stop = spans[step]
        end = stop if shape.spans else keys
        known = weights.shape[-1]
        if len(weights) == stop - start and known <= end:
            place = whole[start:stop, end - known : end]
            torch.maximum(place, weights.cpu(), out=place)
    return whole


def _of_states(weights: Sequence[Tensor | None], taking: _Pass, *, listed: bool) -> tuple[Tensor | None, ...]:
    """Weights by state. Those of a callable come before any of its states, so all belong to the first."""
    count = len(taking.states)
    if listed and count > 1:
        return tuple(weights[0] if weights else None for _ in range(count))
    return tuple(weights[index] if index < len(weights) else None for index in range(count))
