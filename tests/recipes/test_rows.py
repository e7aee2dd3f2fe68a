"""Kinds of rows in a training batch."""

import dataclasses
from collections import Counter

import pytest
import torch
from torch import Tensor

from recipes.decoder.recipe import Recipe
from recipes.decoder.rows import END_OF_TEXT_ID, MOST_TIMES, NOT_LEARNT, SHORTEST_PIECE, SHORTEST_RANDOM, batch
from recipes.decoder.texts import Corpus


def first_times(tokens: list[int]) -> list[bool]:
    """Of random pieces one after the other, each given some times: which tokens stand in a first time."""
    first: list[bool] = []
    while len(first) < len(tokens):
        rest = tokens[len(first) :]
        period = next((n for n in range(1, len(rest)) if rest[n] == rest[0]), len(rest))
        assert len(set(rest[:period])) == period
        assert period >= SHORTEST_RANDOM or period == len(rest)
        same = next((n for n in range(period, len(rest)) if rest[n] != rest[n - period]), len(rest))
        times = same // period
        assert 2 <= times <= MOST_TIMES or same == len(rest)
        first += [n < period for n in range(min(times * period, len(rest)) if same < len(rest) else len(rest))]
    return first


def stands_in(tokens: list[int], ids: Tensor) -> bool:
    """Whether these tokens follow each other somewhere in a text."""
    return bool((ids.unfold(0, len(tokens), 1) == torch.tensor(tokens)).all(dim=1).any())


def kind(inputs: Tensor, targets: Tensor, corpus: Corpus) -> str:
    """Says what a row is, and checks it and its targets on the way."""
    row = [*inputs.tolist(), int(targets[-1])]
    marked = row[0] == END_OF_TEXT_ID
    tokens = row[marked:]
    mark = "marked " * marked
    assert END_OF_TEXT_ID not in tokens
    if NOT_LEARNT in targets.tolist():
        learnt = [not first for first in first_times(tokens)]
        expected = [token if known else NOT_LEARNT for token, known in zip(tokens, learnt, strict=True)]
        assert targets.tolist() == expected[not marked :]
        return f"{mark}random"
    assert targets.tolist() == row[1:]
    is_text = [stands_in(tokens, ids) for ids in corpus.training]
    if any(is_text):
        return f"{mark}text {is_text.index(True)}"
    halves = range(SHORTEST_PIECE, len(tokens) // 2 + 1)
    assert any(
        tokens[:n] == tokens[n : 2 * n] and any(stands_in(tokens[:n], ids) for ids in corpus.training) for n in halves
    )
    return f"{mark}piece"


def counted(recipe: Recipe, corpus: Corpus, steps: range) -> Counter[str]:
    kinds: Counter[str] = Counter()
    for step in steps:
        inputs, targets = batch(corpus, recipe, step)
        assert inputs.shape == targets.shape == (recipe.rows, recipe.context)
        kinds.update(kind(*row, corpus) for row in zip(inputs, targets, strict=True))
    return kinds


@pytest.mark.full
def test_every_kind_of_row_comes_up_as_often_as_the_recipe_says(tiny: Recipe, corpus: Corpus) -> None:
    recipe = dataclasses.replace(tiny, rows=40, steps=30, only_repeats=0, repeats=0.5, random_repeats=0.6, marked=0.25)
    kinds = counted(recipe, corpus, range(recipe.steps))
    total = recipe.rows * recipe.steps

    def share(*words: str) -> float:
        return sum(count for name, count in kinds.items() if any(word in name for word in words)) / total

    # Four standard deviations of a share of 1,200 rows are at most 0.058.
    assert share("random") == pytest.approx(0.3, abs=0.058)
    assert share("piece") == pytest.approx(0.2, abs=0.058)
    assert share("marked") == pytest.approx(0.25, abs=0.058)
    sizes = torch.tensor([len(ids) for ids in corpus.training], dtype=torch.float64)
    assert share("text 0") / share("text") == pytest.approx(float(sizes[0] / sizes.sum()), abs=0.08)


def test_repetitions_come_first(tiny: Recipe, corpus: Corpus) -> None:
    recipe = dataclasses.replace(tiny, rows=30, only_repeats=5, repeats=0.0)
    assert sum(count for name, count in counted(recipe, corpus, range(5)).items() if "text" in name) == 0
    assert sum(count for name, count in counted(recipe, corpus, range(5, 9)).items() if "text" not in name) == 0


def test_seed_and_step_say_everything(tiny: Recipe, corpus: Corpus) -> None:
    state = torch.random.get_rng_state()
    first = torch.stack(batch(corpus, tiny, 4))
    assert torch.equal(first, torch.stack(batch(corpus, tiny, 4)))
    assert not torch.equal(first, torch.stack(batch(corpus, tiny, 5)))
    assert not torch.equal(first, torch.stack(batch(corpus, dataclasses.replace(tiny, seed=4), 4)))
    assert torch.equal(torch.random.get_rng_state(), state)


def test_a_text_that_is_too_short_is_refused(tiny: Recipe, corpus: Corpus) -> None:
    short = dataclasses.replace(corpus, training=(corpus.training[0], corpus.training[1][:10]))
    with pytest.raises(ValueError, match="every text must have at least 25 tokens for training, not 10"):
        batch(short, dataclasses.replace(tiny, marked=0.0, only_repeats=0, repeats=0.0), 0)


def test_first_times_by_hand() -> None:
    assert first_times([5, 6, 5, 6, 7, 8, 9, 7, 8, 9, 7, 8, 9, 4, 3]) == [
        n in {0, 1, 4, 5, 6, 13, 14} for n in range(15)
    ]
    assert first_times([5, 6, 7, 5]) == [True, True, True, False]
