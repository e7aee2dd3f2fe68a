"""Measure each query of a layer from its attention weights, in few passes over them."""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.atlas.folding.batch_facts import BatchFacts
from attention_core.atlas.measures import PER_QUERY
from attention_core.attend import entropy_of_largest
from attention_core.pretrained.recording.positional_regularity import first_of_largest


@dataclass(frozen=True, eq=False)
class StrongestKeys:
    """The strongest key of each query: of all keys, and of those that are no sink."""

    keys: Int[Tensor, "2 B H N"]
    """The first of equals; −1 if no key gets any weight."""
    weights: Float[Tensor, "2 B H N"]
    """0 if no key gets any weight."""


def query_values(
    facts: BatchFacts,
    weights: Float[Tensor, "B H N N"],
    mean_exponent: Float[Tensor, "B H N"],
    norm_weighted: Float[Tensor, "B H N"] | None,
    scratch: Float[Tensor, "B H N N"],
) -> tuple[Float[Tensor, "M B H N"], StrongestKeys]:
    """Every measure of PER_QUERY for every query, and the strongest keys. ``weights`` and ``scratch`` are overwritten.

    ``mean_exponent`` is that of ``softmax_with_exponents``, ``norm_weighted`` the weighted sum of the values' norms.
    A query that does not have a measure (see ``BatchFacts.has``) has any number there.
    """
    size = weights.shape[-1]
    values = {
        "mean_distance": torch.mul(weights, facts.distance, out=scratch).sum(dim=-1),
        "previous_token": _at_offset(weights, -1),
        "next_token": _at_offset(weights, 1),
        "same_token": _at_offset(weights, 0),
        "induction": _at_cells(weights, facts.inductions),
        "duplicate_token": _at_cells(weights, facts.duplicates),
        "norm_weighted": torch.zeros_like(mean_exponent) if norm_weighted is None else norm_weighted,
    }
    sinks = facts.sinks[:, None, None].expand(*weights.shape[:2], size, -1)
    of_sinks = weights.gather(-1, sinks)
    values["first_token"] = of_sinks[..., 0]
    values["separator"] = (of_sinks * facts.separators[:, None, None]).sum(dim=-1)
    strongest = _strongest_keys(weights, sinks, of_sinks)
    values["strongest_weight"] = strongest.weights[0]
    values["entropy"] = entropy_of_largest(strongest.weights[0], mean_exponent)
    return torch.stack([values[name] for name in PER_QUERY]), strongest


def _strongest_keys(
    weights: Float[Tensor, "B H N N"], sinks: Int[Tensor, "B H N S"], of_sinks: Float[Tensor, "B H N S"]
) -> StrongestKeys:
    """One search among the keys that are no sink; the best sink is compared with what it finds."""
    weights.scatter_(-1, sinks, -1.0)
    other = first_of_largest(weights).unsqueeze(-1)
    of_other = weights.gather(-1, other)
    best = first_of_largest(of_sinks.contiguous()).unsqueeze(-1)
    of_best, best = of_sinks.gather(-1, best), sinks.gather(-1, best)
    is_sink = (of_best > of_other) | ((of_best == of_other) & (best < other))
    keys = torch.stack([torch.where(is_sink, best, other), other]).squeeze(-1)
    largest = torch.stack([torch.where(is_sink, of_best, of_other), of_other]).squeeze(-1)
    none = largest <= 0
    return StrongestKeys(keys.masked_fill_(none, -1), largest.masked_fill_(none, 0.0))


def _at_offset(weights: Float[Tensor, "B H N N"], offset: int) -> Float[Tensor, "B H N"]:
    """The weight of each query on the key at this offset, 0 where there is none."""
    gathered = weights.new_zeros(weights.shape[:-1])
    diagonal = weights.diagonal(offset, dim1=-2, dim2=-1)
    gathered[..., max(-offset, 0) : max(-offset, 0) + diagonal.shape[-1]] = diagonal
    return gathered


def _at_cells(
    weights: Float[Tensor, "B H N N"], cells: tuple[Int[Tensor, " C"], Int[Tensor, " C"], Int[Tensor, " C"]]
) -> Float[Tensor, "B H N"]:
    """The weights of these cells at their queries, 0 elsewhere."""
    gathered = weights.new_zeros(weights.shape[:-1])
    windows, queries, keys = cells
    gathered[windows, :, queries] = weights[windows, :, queries, keys]
    return gathered


def offset_sums(weights: Float[Tensor, "B H N N"], room: Float[Tensor, "H room"]) -> Float[Tensor, "H offsets"]:
    """Weights summed along diagonals, over the batch: 2N − 1 offsets ``key − query`` from −(N − 1).

    The sum over the batch is written into every second half of rows of length 2N. Read with a row length of 2N + 1, the
    same memory has the diagonals as its columns. ``room`` (H, N · (2N + 1)) is 0 wherever nothing is written.
    """
    heads, size = weights.shape[1], weights.shape[-1]
    written = room[:, : 2 * size * size].view(heads, size, 2 * size)[:, :, size:]
    torch.sum(weights, dim=0, out=written) if weights.shape[0] > 1 else written.copy_(weights[0])
    return room.view(heads, size, 2 * size + 1).sum(dim=1)[:, 1 : 2 * size]
