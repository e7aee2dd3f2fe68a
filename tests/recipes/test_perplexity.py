"""Perplexity against one forward pass per token, in float64."""

import math

import pytest
import torch

from recipes.decoder.new_model import new_model
from recipes.decoder.perplexity import negative_log_likelihood, perplexity, windows
from recipes.decoder.recipe import Recipe
from recipes.decoder.rows import NOT_LEARNT


def test_windows_by_hand() -> None:
    assert windows(torch.arange(1, 8), 4).tolist() == [[0, 1, 2, 3], [0, 4, 5, 6], [0, 7, NOT_LEARNT, NOT_LEARNT]]
    assert windows(torch.arange(1, 7), 4).tolist() == [[0, 1, 2, 3], [0, 4, 5, 6]]


@pytest.mark.parametrize("count", [1, 22, 23, 24, 101])
def test_each_token_is_foretold_once(tiny: Recipe, count: int) -> None:
    torch.manual_seed(1)
    model = new_model(tiny).double().eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)  # far from uniform
    ids = torch.randint(1, tiny.vocabulary, (count,))
    expected = 0.0
    for place in range(count):
        before = ids[place - place % (tiny.context - 1) : place]
        logits = model(torch.cat([torch.zeros(1, dtype=torch.long), before])[None]).logits[0, -1]
        expected -= float(logits.log_softmax(0)[ids[place]].detach())
    found, tokens = negative_log_likelihood(model, ids, context=tiny.context)
    assert tokens == count
    assert found == pytest.approx(expected, rel=1e-5)  # the sum is taken in float32


def test_the_mode_stays_and_dropout_is_off(tiny: Recipe) -> None:
    model = new_model(tiny).train()
    ids = torch.randint(1, tiny.vocabulary, (50,), generator=torch.Generator().manual_seed(0))
    assert negative_log_likelihood(model, ids, context=tiny.context) == negative_log_likelihood(
        model, ids, context=tiny.context
    )
    assert model.training


def test_a_model_that_knows_nothing(tiny: Recipe) -> None:
    model = new_model(tiny).eval()
    for parameter in model.parameters():
        torch.nn.init.zeros_(parameter)
    total, tokens = negative_log_likelihood(model, torch.arange(1, 90), context=tiny.context)
    assert perplexity(total, tokens) == pytest.approx(tiny.vocabulary, rel=1e-5)
    assert perplexity(6 * math.log(5), 6) == pytest.approx(5)
