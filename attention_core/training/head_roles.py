"""Head scores of a small network: previous token, induction, answer position, each a share of its attention.

- ``previous_token``: weight on key i − 1, averaged over all queries i but the first (Olsson et al. 2022);
- ``induction``: weight on the token after the last occurrence of token i, averaged over the queries whose token has
  occurred before, unless what followed is the previous token (*prefix matching*, Olsson et al. 2022);
- ``answer``: weight on the tokens that show what must come next, averaged over the scored queries. For periodic
  sequences this is induction, summed over all previous periods.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.repeated_tokens import FEWEST_BETWEEN
from attention_core.training.tasks import Batch

ROLES = ("previous_token", "induction", "answer")
FORMED = 0.5
"""A head has a role when more than this share of its attention goes to the role's cells."""


def role_masks(batch: Batch) -> dict[str, Bool[Tensor, "B T T"]]:
    """By role, the cells whose weights count; at most one per row except for ``answer``. Empty rows do not count."""
    length = batch.ids.shape[1]
    positions = torch.arange(length)
    previous = (positions[None, :] == positions[:, None] - 1).expand(len(batch.ids), -1, -1)
    return {"previous_token": previous, "induction": _behind_last_occurrence(batch.ids), "answer": batch.sources}


def role_scores(
    weights: Float[Tensor, "B H T T"], masks: dict[str, Bool[Tensor, "B T T"]]
) -> dict[str, Float[Tensor, " H"]]:
    """By role, the score of each head: 0 to 1; 0 for a role that no query can play."""
    scores = {}
    for role, mask in masks.items():
        shares = (weights * mask.unsqueeze(1)).sum(dim=-1)
        rows = mask.any(dim=-1).sum().clamp(min=1)
        scores[role] = shares.sum(dim=(0, 2)) / rows
    return scores


def uniform_scores(masks: dict[str, Bool[Tensor, "B T T"]]) -> dict[str, float]:
    """Chance level: the scores of a head that attends uniformly to all tokens up to its own."""
    length = next(iter(masks.values())).shape[-1]
    even = torch.tril(torch.ones(length, length)) / torch.arange(1, length + 1)[:, None]
    batch = len(next(iter(masks.values())))
    scores = role_scores(even.expand(batch, 1, -1, -1), masks)
    return {role: float(score[0]) for role, score in scores.items()}


def _behind_last_occurrence(ids: Int[Tensor, "B T"]) -> Bool[Tensor, "B T T"]:
    length = ids.shape[1]
    earlier = torch.ones(length, length, dtype=torch.bool).tril(-1)
    same = (ids[:, :, None] == ids[:, None, :]) & earlier
    last = torch.where(same, torch.arange(length), -1).amax(dim=-1)
    positions = torch.arange(length)
    followed = (positions == last[:, :, None] + 1) & same.any(dim=-1, keepdim=True)
    return followed & (positions <= positions[:, None] - FEWEST_BETWEEN)
