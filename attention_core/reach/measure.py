"""Measure which position reaches which: replace one token per copy of a text, and see which states change.

A position i is reached by j where the state at i is not bit for bit the same once the token at j is another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from .copies import BUDGET, prepare
from .replacement import replaced_tokens
from .states import EMBEDDINGS, OUTPUT, begun


@dataclass(frozen=True, eq=False)
class Reach:
    """What was measured. Rows are queries, columns are keys, as in a mask."""

    names: tuple[str, ...]
    """Of the states: ``embeddings`` (what enters the first layer), each layer's module, ``output``."""
    change: Tensor
    """(states, queries, keys) The largest change of a state's number; 0.0 is not reached."""
    floor: Tensor
    """(states) The largest change that counts as none; 0 where it is bit for bit."""
    keys: tuple[int, ...]
    """The positions that were replaced: the columns."""
    weights: tuple[Tensor | None, ...]
    """(queries, N) per state: the largest attention weight of the layer over its heads; None without attention."""
    mixes_rows: bool
    """Whether the copies of a batch see each other, so that they were run one by one."""
    rows: int
    """Copies in a batch, the first of them unchanged; 1 if they run one by one."""
    row_bytes: int
    """What one copy takes, estimated."""

    @property
    def exact(self) -> bool:
        """Whether not reached means bit for bit the same."""
        return not bool(self.floor.any())

    @property
    def reached(self) -> Tensor:
        """(states, queries, keys) True where the key's token reaches the query's state."""
        return self.change > self.floor[:, None, None]

    @property
    def unmoved(self) -> tuple[int, ...]:
        """Positions whose replacement changed nothing at all: of these nothing is known."""
        columns = self.reached.any(0).any(0)
        return tuple(key for key, moved in zip(self.keys, columns.tolist(), strict=True) if not moved)


def reach(
    model: Callable[..., Any],
    tokens: Sequence[int] | Tensor,
    *,
    keys: Sequence[int] | None = None,
    replacements: int = 2,
    vocabulary: Sequence[int] | None = None,
    budget: int = BUDGET,
    **options: Any,
) -> Reach:
    """Which token reaches which position's state, after each layer.

    ``model`` is a module (of torch, of transformers, of ours) or any callable from ids (rows, N) to states: a tensor
    (rows, N, …), a list of them, or an output of transformers. ``tokens`` are N ids, or vectors (N, d) for a model
    without ids.

    ``keys`` are the positions that are replaced (all); each by ``replacements`` others of the vocabulary, since one may
    by chance change nothing (a router that chooses the same expert). ``budget`` bounds a batch's bytes (estimated).
    ``inputs`` are further arguments, tensors with one row; ``argument`` names what is replaced, such as
    ``decoder_input_ids``; ``layers`` are named modules, else found; ``positions`` is the number of states where it is
    not N; ``chunk`` runs cached steps of so many tokens. ``report`` is told how many copies of how many are done,
    ``check`` is called between batches and may raise.

    Evaluation mode and no gradients while it runs, and small random numbers in matrices that are 0 as a whole; modes,
    parameters and random state are as before afterwards. Raises ValueError for what cannot be measured.
    """
    with begun(model if isinstance(model, nn.Module) else None):
        run = prepare(model, tokens, **options)
        count = len(run.tokens)
        chosen = tuple(range(count) if keys is None else keys)
        if not chosen or min(chosen) < 0 or max(chosen) >= count or len(set(chosen)) < len(chosen):
            raise ValueError(f"keys must be different positions from 0 to {count - 1}, not {list(chosen)}")
        if replacements < 1:
            raise ValueError(f"replacements must be at least 1, not {replacements}")
        jobs = replaced_tokens(run.tokens, chosen, replacements, vocabulary=vocabulary, model=run.runner.module)
        texts = []
        for key, other in jobs:
            text = run.tokens.clone()
            text[key] = other
            texts.append(text)
        moved, floor, mixed, rows = run.compare(texts, budget)
    change = torch.zeros(len(run.names), moved.shape[2], len(chosen))
    column = {key: index for index, key in enumerate(chosen)}
    for index, (key, _) in enumerate(jobs):
        place = change[:, :, column[key]]
        torch.maximum(place, moved[:, index], out=place)
    return Reach(run.names, change, floor, chosen, run.weights, mixed, rows, run.row_bytes)


def is_layer(name: str) -> bool:
    """Whether a state's name is a layer's."""
    return name not in {EMBEDDINGS, OUTPUT}
