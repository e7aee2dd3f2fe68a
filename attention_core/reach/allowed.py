"""What may influence what: boolean masks, and what follows from them in several layers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor


def causal(count: int) -> Tensor:
    """(N, N) True where key ≤ query."""
    return torch.ones(count, count, dtype=torch.bool).tril()


def windowed(count: int, width: int) -> Tensor:
    """(N, N) True for the query's own key and the ``width`` − 1 before it. Raises ValueError unless width ≥ 1."""
    if width < 1:
        raise ValueError(f"width must be at least 1, not {width}")
    return causal(count).triu(1 - width)


def prefixed(count: int, prefix: int) -> Tensor:
    """(N, N) Causal, but the first ``prefix`` positions see each other."""
    allowed = causal(count)
    allowed[:prefix, :prefix] = True
    return allowed


def packed(lengths: Sequence[int]) -> Tensor:
    """(N, N) Causal within each document, nothing across; ``lengths`` of the documents, one after the other.

    Raises ValueError unless all are positive.
    """
    if not lengths or min(lengths) < 1:
        raise ValueError(f"documents must be positive lengths, not {list(lengths)}")
    of = torch.repeat_interleave(torch.arange(len(lengths)), torch.tensor(list(lengths)))
    return causal(len(of)) & (of[:, None] == of)


def document_lengths(position_ids: Tensor) -> list[int]:
    """Lengths of packed documents, each beginning where position ids (N,) or (1, N) do not go on by one."""
    flat = position_ids.reshape(-1)
    starts = [0, *(1 + (flat[1:] != flat[:-1] + 1).nonzero().flatten()).tolist(), len(flat)]
    return [end - start for start, end in pairwise(starts)]


def restarting_positions(lengths: Sequence[int]) -> Tensor:
    """(1, N) Position ids that begin at 0 in each document, by which transformers knows packed ones."""
    return torch.cat([torch.arange(length) for length in lengths])[None]


def product(left: Tensor, right: Tensor) -> Tensor:
    """Boolean product: (i, j) where some k has left (i, k) and right (k, j)."""
    return (left.float() @ right.float()) > 0


def reachable(masks: Sequence[Tensor]) -> Tensor:
    """(L, N, N) What can have arrived after each layer: the product of (M + I) of all layers so far."""
    arrived: list[Tensor] = []
    for mask in masks:
        step = mask | torch.eye(len(mask), dtype=torch.bool)
        arrived.append(product(step, arrived[-1]) if arrived else step)
    return torch.stack(arrived)


def closure(mask: Tensor) -> Tensor:
    """(N, N) What can arrive in any number of layers."""
    known = mask | torch.eye(len(mask), dtype=torch.bool)
    while True:
        further = product(known, known)
        if torch.equal(further, known):
            return known
        known = further
