"""Initial weights match their description."""

import pytest
import torch

from attention_core.sinusoidal import encode
from recipes.decoder.new_model import new_model
from recipes.decoder.recipe import Recipe


@pytest.fixture(scope="module")
def weights() -> torch.Tensor:
    """Of a new model on random tokens: (layers, heads, queries, keys)."""
    torch.manual_seed(1)
    model = new_model(Recipe()).eval()
    model.set_attn_implementation("eager")
    ids = torch.randint(1, 4096, (1, 300), generator=torch.Generator().manual_seed(2))
    with torch.inference_mode():
        return torch.stack(model(ids, output_attentions=True).attentions)[:, 0]


def test_two_heads_begin_on_the_previous_token_and_no_other(weights: torch.Tensor) -> None:
    previous = weights.diagonal(offset=-1, dim1=-2, dim2=-1)[..., 19:].mean(dim=-1)
    assert (previous[0, :2] > 0.95).all()
    previous[0, :2] = 0
    assert previous.max() < 0.1


def test_the_other_heads_begin_by_reading_what_resembles_the_query() -> None:
    model = new_model(Recipe())
    for layer, block in enumerate(model.transformer.h):
        queries, keys, values = block.attn.c_attn.weight.detach().split(192, dim=1)
        first = 64 if layer == 0 else 0
        assert torch.equal(queries[:, first:], keys[:, first:])
        assert torch.equal(block.attn.c_proj.weight, values.T)
        assert float(values.square().mean().sqrt()) == pytest.approx(0.03, rel=0.05)
        assert float(queries[:, first:].square().mean().sqrt()) == pytest.approx(0.06, rel=0.05)


def test_positions_begin_as_sinusoids() -> None:
    positions = new_model(Recipe()).transformer.wpe.weight.detach()
    assert float(positions.square().mean().sqrt()) == pytest.approx(0.06, rel=1e-3)
    assert float(positions[7, 0] / positions[0, 1]) == pytest.approx(float(torch.tensor(21.0).sin()), abs=1e-5)
    expected = encode(torch.arange(512) * 3.0, 192, base=300.0)
    torch.testing.assert_close(positions / positions[0, 1], expected)


def test_tokens_leave_the_first_numbers_to_positions() -> None:
    model = new_model(Recipe())
    tokens = model.transformer.wte.weight.detach()
    assert torch.equal(model.lm_head.weight, tokens)
    assert model.lm_head.weight is not model.transformer.wte.weight
    assert (tokens[:, :32] == 0).all()
    assert float(tokens[:, 32:].square().mean().sqrt()) == pytest.approx(0.06, rel=0.01)
