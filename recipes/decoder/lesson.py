"""An auxiliary loss that teaches a few heads of layer 1 induction through their attention alone.

On texts this small the token loss alone does not form an induction head within an hour of training: while no head finds
the earlier occurrence there is nothing to copy, and while nothing is copied no gradient points a head to it. So the
first ``taught_heads`` heads of layer 1 learn where to attend on repeated random tokens, which is half of the circuit:
in a pretraining phase, and as a small part of the training loss, so that they retain it until it is useful. The other
half, predicting the token found there, is left to the training.
"""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional
from transformers import GPT2LMHeadModel

from recipes.decoder.recipe import Recipe
from recipes.decoder.rows import repeated_random_tokens, step_seed


def teach(model: GPT2LMHeadModel, recipe: Recipe, interrupted: Callable[[], bool]) -> float:
    """Pretrain the attention of layers 0 and 1 in place; returns the last loss, or NaN if interrupted.

    The loss of a query is −ln Σ_j α_ij over the keys j that follow an earlier occurrence of token i; its mean over
    taught heads and all queries that have such a key is minimised by Adam.
    """
    first, second = model.transformer.h[0], model.transformer.h[1]
    modules = (first.ln_1, first.attn, second.ln_1, second.attn.c_attn)
    taught = [parameter for module in modules for parameter in module.parameters()]
    optimiser = torch.optim.Adam(taught, lr=recipe.lesson_rate)
    was_training = model.training
    model.eval()
    loss = torch.tensor(0.0)
    for step in range(recipe.lesson_steps):
        if interrupted():
            loss = torch.tensor(float("nan"))
            break
        loss = lesson_loss(model, recipe, lesson_batch(recipe, step - recipe.lesson_steps).to(model.device))
        gradients = torch.autograd.grad(loss, taught, allow_unused=True)
        for parameter, gradient in zip(taught, gradients, strict=True):
            parameter.grad = gradient
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
    model.train(was_training)
    return float(loss.detach())


def lesson_batch(recipe: Recipe, step: int) -> Int[Tensor, "rows T"]:
    """Rows of repeated random tokens for a training step, or for pretraining (from −lesson_steps to −1)."""
    generator = torch.Generator().manual_seed(step_seed(recipe, recipe.steps + recipe.lesson_steps + step))
    return torch.stack([repeated_random_tokens(recipe, recipe.context, generator) for _ in range(recipe.lesson_rows)])


def lesson_loss(model: GPT2LMHeadModel, recipe: Recipe, tokens: Int[Tensor, "rows T"]) -> Float[Tensor, ""]:
    """The loss of the taught heads on these rows, each query counted once per head; requires "sdpa"."""
    log_weights = _log_weights(model, recipe, tokens)
    wanted = follows_same_token(tokens)
    queries = wanted.any(dim=-1)
    log_mass = log_weights.masked_fill(~wanted[:, None], -torch.inf).logsumexp(dim=-1)
    return -log_mass.transpose(1, 2)[queries].mean()


def follows_same_token(tokens: Int[Tensor, "rows T"]) -> Bool[Tensor, "rows T T"]:
    """(row, i, j): token j − 1 is the token i, and j ≤ i."""
    same = functional.pad(tokens[:, :, None] == tokens[:, None, :-1], (1, 0))
    return same & torch.ones_like(same[0]).tril()


def _log_weights(model: GPT2LMHeadModel, recipe: Recipe, tokens: Int[Tensor, "rows T"]) -> Float[Tensor, "rows H T T"]:
    """Logarithms of the taught heads' causal weights in layer 1."""
    transformer, length = model.transformer, tokens.shape[1]
    size = recipe.width // recipe.heads
    first, second = transformer.h[0], transformer.h[1]
    hidden = transformer.wte(tokens) + transformer.wpe(torch.arange(length, device=tokens.device))
    hidden = second.ln_1(first(hidden))
    queries, keys, _ = second.attn.c_attn(hidden).split(recipe.width, dim=-1)
    queries, keys = (
        matrix[..., : recipe.taught_heads * size].unflatten(-1, (recipe.taught_heads, size)).transpose(1, 2)
        for matrix in (queries, keys)
    )
    later = torch.ones(length, length, dtype=torch.bool, device=tokens.device).triu(1)
    scores = (queries @ keys.mT / size**0.5).masked_fill(later, -torch.inf)
    return scores.log_softmax(dim=-1)
