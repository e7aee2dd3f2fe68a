"""Training batches: pieces of text, and repeated pieces that let induction heads form."""

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from recipes.decoder.recipe import Recipe
from recipes.decoder.texts import Corpus

END_OF_TEXT_ID = 0
NOT_LEARNT = -100
"""A target that takes no part in the loss (as in torch's cross_entropy)."""

SHORTEST_RANDOM, SHORTEST_PIECE = 2, 4
"""Shortest period of repeated random tokens and of a repeated piece of text."""

MOST_TIMES = 4
"""Largest number of times a piece is repeated."""


def batch(corpus: Corpus, recipe: Recipe, step: int) -> tuple[Int[Tensor, "rows T"], Int[Tensor, "rows T"]]:
    """Inputs and targets of a step (targets[:, i] follows inputs[:, i]), determined by seed and step alone."""
    generator = torch.Generator().manual_seed(step_seed(recipe, step))
    repeats = 1.0 if step < recipe.only_repeats else recipe.repeats
    pairs = [_row(corpus, recipe, repeats, generator) for _ in range(recipe.rows)]
    return torch.stack([inputs for inputs, _ in pairs]), torch.stack([targets for _, targets in pairs])


def step_seed(recipe: Recipe, step: int) -> int:
    """The random seed of a step, so that a resumed training draws the same numbers."""
    return recipe.seed * 1_000_003 + step


def _row(
    corpus: Corpus, recipe: Recipe, repeats: float, generator: torch.Generator
) -> tuple[Int[Tensor, " T"], Int[Tensor, " T"]]:
    def chance() -> float:
        return float(torch.rand((), generator=generator))

    mark = torch.full((int(chance() < recipe.marked),), END_OF_TEXT_ID)
    size = recipe.context + 1 - len(mark)
    if chance() >= repeats:
        tokens, learnt = _piece(corpus, size, generator), torch.ones(size, dtype=torch.bool)
    else:
        tokens, learnt = _repetitions(corpus, recipe, size, chance() < recipe.random_repeats, generator)
    row = torch.cat([mark, tokens])
    targets = torch.where(torch.cat([mark > 0, learnt])[1:], row[1:], NOT_LEARNT)
    return row[:-1], targets


def _repetitions(
    corpus: Corpus, recipe: Recipe, size: int, of_random_tokens: bool, generator: torch.Generator
) -> tuple[Int[Tensor, " size"], Bool[Tensor, " size"]]:
    """Pieces repeated two to MOST_TIMES times, and a mask of the tokens in the loss.

    Random tokens cannot be predicted the first time. Many short pieces rather than one, so that a step covers many
    different tokens.
    """
    tokens: list[Tensor] = []
    learnt: list[Tensor] = []
    while sum(map(len, tokens)) < size:
        shortest = SHORTEST_RANDOM if of_random_tokens else SHORTEST_PIECE
        period = _between(shortest, size // 2, generator)
        piece = _random_piece(recipe, period, generator) if of_random_tokens else _piece(corpus, period, generator)
        times = int(torch.randint(2, MOST_TIMES + 1, (), generator=generator))
        tokens.append(piece.repeat(times))
        learnt.append(torch.arange(times * period) >= (period if of_random_tokens else 0))
    return torch.cat(tokens)[:size], torch.cat(learnt)[:size]


def repeated_random_tokens(recipe: Recipe, size: int, generator: torch.Generator) -> Int[Tensor, " size"]:
    """One piece of random tokens repeated at least twice."""
    piece = _random_piece(recipe, _between(SHORTEST_RANDOM, size // 2, generator), generator)
    return piece.repeat(-(-size // len(piece)))[:size]


def _random_piece(recipe: Recipe, size: int, generator: torch.Generator) -> Int[Tensor, " size"]:
    """Random tokens, all different, so that each token's last occurrence is the only one within a piece."""
    return 1 + torch.randperm(recipe.vocabulary - 1, generator=generator)[:size]


def _piece(corpus: Corpus, size: int, generator: torch.Generator) -> Int[Tensor, " size"]:
    """Consecutive tokens from a uniformly random position in the texts."""
    places = torch.tensor([len(ids) - size + 1 for ids in corpus.training])
    if int(places.min()) < 1:
        raise ValueError(
            f"every text must have at least {size} tokens for training, not {int(places.min()) + size - 1}"
        )
    place = int(torch.randint(int(places.sum()), (), generator=generator))
    ends = places.cumsum(0)
    text = int(torch.searchsorted(ends, place, right=True))
    start = place - int(ends[text] - places[text])
    return corpus.training[text][start : start + size]


def _between(low: int, high: int, generator: torch.Generator) -> int:
    """A log-uniform integer from low to high: short periods teach most at first."""
    low = min(low, high)
    position = float(torch.rand((), generator=generator, dtype=torch.float64))
    return min(high, int(low * ((high + 1) / low) ** position))
