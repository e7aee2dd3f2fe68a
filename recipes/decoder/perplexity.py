"""Perplexity of a model on a text: exp of the mean negative log-probability of its tokens."""

import math

import torch
from jaxtyping import Int
from torch import Tensor
from torch.nn import functional
from transformers import GPT2LMHeadModel

from recipes.decoder.rows import END_OF_TEXT_ID, NOT_LEARNT


def negative_log_likelihood(
    model: GPT2LMHeadModel, ids: Int[Tensor, " tokens"], *, context: int, rows: int = 4
) -> tuple[float, int]:
    """Sum of −ln p over all tokens, and their number.

    The text is cut into consecutive windows of ``context`` − 1 tokens, each behind the end-of-text token, so every
    token is predicted exactly once, on average from half a context. The model is left in the mode it was in.
    """
    was_training, total = model.training, 0.0
    model.eval()
    with torch.inference_mode():
        for block in windows(ids, context).split(rows):
            logits = model(block[:, :-1].clamp(min=0).to(model.device)).logits.float()
            targets = block[:, 1:].to(model.device)
            total += float(
                functional.cross_entropy(
                    logits.flatten(0, 1), targets.flatten(), ignore_index=NOT_LEARNT, reduction="sum"
                )
            )
    model.train(was_training)
    return total, len(ids)


def windows(ids: Int[Tensor, " tokens"], context: int) -> Int[Tensor, "windows context"]:
    """End-of-text and ``context`` − 1 tokens in each row; the last row is padded with NOT_LEARNT."""
    size = context - 1
    count = math.ceil(len(ids) / size)
    padded = torch.full((count * size,), NOT_LEARNT)
    padded[: len(ids)] = ids
    return torch.cat([torch.full((count, 1), END_OF_TEXT_ID), padded.view(count, size)], dim=1)


def perplexity(nll: float, tokens: int) -> float:
    """exp(sum of −ln p / number of tokens)."""
    return math.exp(nll / tokens)
