"""What the fold must know of a batch, the same for every layer: neighbours, sinks, repeated tokens, samples."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.atlas.folding.word_attention import WordReading, word_reading
from attention_core.atlas.measures import PER_QUERY
from attention_core.atlas.texts.batches import Batch
from attention_core.attend import MASKED
from attention_core.masks import MaskRule
from attention_core.repeated_tokens import induction_keys, last_occurrence

Cells = tuple[Int[Tensor, " _"], Int[Tensor, " _"], Int[Tensor, " _"]]
"""Window, query and key of some cells."""


@dataclass(frozen=True, eq=False)
class BatchFacts:
    """Positions and indicators of one batch, on the model's device."""

    batch: Batch
    has: Bool[np.ndarray, "M B N"]
    """Whether a query has a value of each measure of PER_QUERY."""
    real_queries: Int[Tensor, " queries"] | None
    """Indices of the real queries among all B · N; None if there is no padding."""
    distance: Float[Tensor, "N N"]
    """|query − key|"""
    sinks: Int[Tensor, "B S"]
    """The first position and those of separators, ascending; filled up with the first."""
    separators: Float[Tensor, "B S"]
    """1 for a separator among them, 0 for any other."""
    duplicates: Cells
    """Queries with an earlier occurrence of their token, and the last such key."""
    inductions: Cells
    """Queries that show induction, and the key after the last occurrence of their token (``induction_keys``)."""
    sampled: tuple[Int[Tensor, " sampled"], Int[Tensor, " sampled"]]
    """Window and query of the sampled queries."""
    sampled_hashes: np.ndarray
    words: WordReading | None
    """What is needed for relations, if the batch has any."""


def batch_facts(
    batch: Batch,
    separators: Int[np.ndarray, " ids"],
    sampled: dict[int, list[tuple[int, int]]],
    *,
    has_norms: bool,
    device: torch.device,
) -> BatchFacts:
    """Find them. ``sampled`` has (query, hash) of the sampled queries by window id."""
    real = batch.real
    size = real.shape[1]
    position = np.arange(size)
    lengths = real.sum(axis=1)
    previous, followed = (
        batch.each([keys_of(window.tokens.ids, window.tokens.special) for window in batch.windows], -1)
        for keys_of in (last_occurrence, induction_keys)
    )
    repeated, induced = previous >= 0, followed >= 0
    has = {
        "previous_token": real & (position > 0),
        "next_token": position < (lengths - 1)[:, None],
        "duplicate_token": repeated,
        "induction": induced,
        "norm_weighted": real & has_norms,
    }
    ids = batch.ids.numpy()
    sinks, is_separator = _sinks(np.isin(ids, separators) & real)
    chosen = [(row, *each) for row, window in enumerate(batch.windows) for each in sampled.get(window.id, ())]
    rows, queries = (torch.tensor([each[axis] for each in chosen], dtype=torch.long, device=device) for axis in (0, 1))
    distance = torch.from_numpy(np.abs(position[:, None] - position).astype(np.float32))
    return BatchFacts(
        batch=batch,
        has=np.stack([has.get(name, real) for name in PER_QUERY]),
        real_queries=torch.from_numpy(np.flatnonzero(real)).to(device) if batch.is_padded else None,
        distance=distance.to(device),
        sinks=torch.from_numpy(sinks).to(device),
        separators=torch.from_numpy(is_separator.astype(np.float32)).to(device),
        duplicates=_cells(repeated, previous, device),
        inductions=_cells(induced, followed, device),
        sampled=(rows, queries),
        sampled_hashes=np.array([each[2] for each in chosen], dtype=np.uint64),
        words=word_reading(batch, device),
    )


def additive_mask(rule: MaskRule, size: int) -> Float[Tensor, "B 1 N N"]:
    """0 where attending is allowed, else MASKED; one window's for all if the rule does not differ between them."""
    allowed = rule.window(slice(0, size), slice(0, size))
    allowed = allowed[:1] if allowed.stride(0) == 0 else allowed
    return torch.zeros(allowed.shape, device=allowed.device).masked_fill_(~allowed, MASKED)


def without_choice(
    mask: Float[Tensor, "#B 1 N N"] | None,
    bias: Float[Tensor, "..."] | None,
    scores: Float[Tensor, "B H N N"],
    sinks: Int[Tensor, "B S"],
) -> Bool[Tensor, "2 B H N"]:
    """Queries that may attend to one key at most: of all keys, and of those that are no sink.

    Which key they attend to shows nothing of what a head does. ``mask`` and ``bias`` are what was added to the scores;
    either may forbid a key.
    """
    batch, keys = scores.shape[0], scores.shape[-1]
    allowed = torch.ones(keys, dtype=torch.bool, device=scores.device).expand(1, 1, keys, keys)
    for each in (mask, bias):
        if each is not None:
            allowed = allowed & (each > max(MASKED, torch.finfo(each.dtype).min) / 2)
    is_sink = torch.zeros(batch, keys, dtype=torch.bool, device=scores.device).scatter_(1, sinks, value=True)
    counts = [each.sum(dim=-1) for each in (allowed, allowed & ~is_sink[:, None, None])]
    return torch.stack([(count < 2).expand(scores.shape[:-1]) for count in counts])


def _sinks(separators: Bool[np.ndarray, "B N"]) -> tuple[Int[np.ndarray, "B S"], Bool[np.ndarray, "B S"]]:
    listed: Sequence[np.ndarray] = [np.union1d([0], np.flatnonzero(row)) for row in separators]
    table = np.zeros((len(listed), max(len(row) for row in listed)), dtype=np.int64)
    for row, positions in enumerate(listed):
        table[row, : len(positions)] = positions
    is_separator = np.take_along_axis(separators, table, axis=1)
    is_separator[:, 1:] &= table[:, 1:] > 0
    return table, is_separator


def _cells(chosen: Bool[np.ndarray, "B N"], keys: Int[np.ndarray, "B N"], device: torch.device) -> Cells:
    windows, queries = np.nonzero(chosen)
    places = (windows, queries, keys[windows, queries])
    tensors = [torch.from_numpy(np.asarray(each, dtype=np.int64)).to(device) for each in places]
    return tensors[0], tensors[1], tensors[2]
