"""Pretraining and auxiliary loss of the taught heads."""

import dataclasses

import pytest
import torch

from recipes.decoder.gradients import part_gradient
from recipes.decoder.lesson import follows_same_token, lesson_batch, lesson_loss, teach
from recipes.decoder.new_model import new_model
from recipes.decoder.recipe import Recipe
from recipes.decoder.rows import repeated_random_tokens
from recipes.decoder.texts import Corpus

SMALL = Recipe(vocabulary=60, layers=2, heads=2, width=64, context=48, lesson_steps=300, precision="float32")


def test_where_to_look_by_a_loop() -> None:
    tokens = torch.tensor([[4, 2, 4, 4, 2, 9, 4], [1, 1, 1, 2, 3, 2, 1]])
    expected = torch.zeros(2, 7, 7, dtype=torch.bool)
    for row in range(2):
        for query in range(7):
            for key in range(1, query + 1):
                expected[row, query, key] = tokens[row, key - 1] == tokens[row, query]
    assert torch.equal(follows_same_token(tokens), expected)


def test_the_loss_is_that_of_the_weights_of_transformers() -> None:
    torch.manual_seed(4)
    recipe = dataclasses.replace(SMALL, taught_heads=2)
    model = new_model(recipe).eval()
    tokens = torch.stack([repeated_random_tokens(recipe, 48, torch.Generator().manual_seed(n)) for n in range(3)])
    found = lesson_loss(model, recipe, tokens)
    model.set_attn_implementation("eager")
    with torch.inference_mode():
        weights = model(tokens, output_attentions=True).attentions[1].double()  # (rows, heads, queries, keys)
    losses = []
    for row in range(3):
        for head in range(2):
            for query in range(48):
                keys = [key for key in range(1, query + 1) if tokens[row, key - 1] == tokens[row, query]]
                if keys:
                    losses.append(-weights[row, head, query, keys].sum().log())
    torch.testing.assert_close(found.detach().double(), torch.stack(losses).mean(), rtol=1e-5, atol=0)


@pytest.fixture(scope="module")
def taught() -> torch.Tensor:
    """Weights of layer 1 of the small model after its lesson, on random tokens given twice: (heads, queries, keys)."""
    torch.manual_seed(4)
    recipe = dataclasses.replace(SMALL, taught_heads=1)
    model = new_model(recipe)
    teach(model, recipe, lambda: False)
    assert model.training
    model.eval().set_attn_implementation("eager")
    piece = 1 + torch.randperm(59, generator=torch.Generator().manual_seed(99))[:20]
    with torch.inference_mode():
        weights: torch.Tensor = model(piece.repeat(2)[None], output_attentions=True).attentions[1][0]
    return weights


def test_the_taught_head_looks_where_it_was_told(taught: torch.Tensor) -> None:
    second = torch.arange(20, 40)
    induction = taught[:, second, second - 19].mean(dim=-1)
    assert induction[0] > 0.5
    assert induction[1] < 0.2  # nobody told this one


def test_the_training_goes_on_teaching_a_little(corpus: Corpus, tiny: Recipe) -> None:
    """Its gradient is that of the tokens and a share of that of the lesson, each part with a row of it."""
    torch.manual_seed(5)
    model = new_model(tiny).eval()

    def gradients(share: float) -> list[torch.Tensor]:
        model.zero_grad()
        recipe = dataclasses.replace(tiny, lesson_share=share)
        for part in range(recipe.parts):
            part_gradient(model, corpus, recipe, 3, part)
        return [torch.zeros_like(one) if one.grad is None else one.grad.clone() for one in model.parameters()]

    without, taught = gradients(0.0), gradients(0.25)
    model.zero_grad()
    for row in lesson_batch(tiny, 3):
        (0.25 / 2 * lesson_loss(model, tiny, row[None])).backward()
    for parameter, before, after in zip(model.parameters(), without, taught, strict=True):
        lesson = torch.zeros_like(before) if parameter.grad is None else parameter.grad
        torch.testing.assert_close(after, before + lesson, atol=1e-6, rtol=1e-4)
    assert max(float((after - before).abs().max()) for before, after in zip(without, taught, strict=True)) > 1e-4


def test_only_attention_of_the_first_two_layers_is_changed() -> None:
    torch.manual_seed(4)
    model = new_model(SMALL)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    teach(model, dataclasses.replace(SMALL, lesson_steps=2), lambda: False)
    changed = {name for name, tensor in model.state_dict().items() if not torch.equal(before[name], tensor)}
    assert changed
    assert all(
        name.startswith(("transformer.h.0.ln_1", "transformer.h.0.attn", "transformer.h.1.")) for name in changed
    )
    assert not any("mlp" in name or "h.1.attn.c_proj" in name or "ln_2" in name for name in changed)


def test_an_interruption_ends_it() -> None:
    model = new_model(SMALL)
    before = model.transformer.h[1].attn.c_attn.weight.detach().clone()
    assert teach(model, SMALL, lambda: True) != 0
    assert torch.equal(before, model.transformer.h[1].attn.c_attn.weight)
