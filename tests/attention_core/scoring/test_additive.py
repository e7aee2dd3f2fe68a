"""Additive attention against a double loop over pairs and against torch's linear layers on the joined vectors."""

import math
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

from attention_core.scoring.additive import AdditiveScorer, additive_attention


def draw(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def scorer(
    query_size: int = 3, key_size: int = 5, hidden: int = 4, *, bias: bool = True, seed: int = 0
) -> AdditiveScorer:
    generator = torch.Generator().manual_seed(seed)
    return AdditiveScorer(query_size, key_size, hidden, bias=bias, generator=generator, dtype=torch.float64)


@pytest.mark.parametrize("bias", [True, False])
def test_scores_against_a_double_loop(bias: bool) -> None:
    layer = scorer(bias=bias)
    queries, keys = draw(2, 3), draw(7, 5, seed=1)
    w_q, w_k, v = layer.query_weight.tolist(), layer.key_weight.tolist(), layer.combine.tolist()
    b = [0.0] * 4 if layer.bias is None else layer.bias.tolist()
    looped = [
        [
            sum(
                v[h]
                * math.tanh(
                    sum(w * x for w, x in zip(w_q[h], query, strict=True))
                    + sum(w * x for w, x in zip(w_k[h], key, strict=True))
                    + b[h]
                )
                for h in range(4)
            )
            for key in keys.tolist()
        ]
        for query in queries.tolist()
    ]
    assert_close(layer(queries, keys), torch.tensor(looped, dtype=torch.float64), rtol=1e-13, atol=1e-14)


def test_it_is_one_hidden_layer_on_query_and_key_laid_end_to_end() -> None:
    layer = scorer()
    network = nn.Sequential(nn.Linear(8, 4), nn.Tanh(), nn.Linear(4, 1, bias=False)).double()
    with torch.no_grad():
        network[0].weight.copy_(torch.cat([layer.query_weight, layer.key_weight], dim=1))
        network[0].bias.copy_(layer.bias)
        network[2].weight.copy_(layer.combine[None])
    queries, keys = draw(2, 6, 3), draw(2, 7, 5, seed=1)
    pairs = torch.cat([queries[:, :, None].expand(2, 6, 7, 3), keys[:, None].expand(2, 6, 7, 5)], dim=-1)
    assert_close(layer(queries, keys), network(pairs).squeeze(-1), rtol=1e-13, atol=1e-14)
    trace = additive_attention(queries, keys, keys, layer, scale=2.0)
    assert_close(trace.weights, torch.softmax(2 * network(pairs).squeeze(-1), dim=-1), rtol=1e-13, atol=1e-14)
    assert_close(trace.output, trace.weights @ keys, rtol=0, atol=0)


def test_scores_are_bounded_however_long_the_vectors() -> None:
    layer = scorer()
    scores = layer(draw(9, 3) * 1e6, draw(9, 5, seed=1) * 1e6)
    assert (scores.abs() <= layer.combine.abs().sum() + 1e-12).all()


def test_weights_start_within_the_bounds_of_torchs_linear_layers() -> None:
    layer = scorer(24, 40, 100)
    for parameter, bound in [
        (layer.query_weight, 1 / 8),
        (layer.key_weight, 1 / 8),
        (layer.bias, 1 / 8),
        (layer.combine, 1 / 10),
    ]:
        assert parameter is not None
        assert 0.9 * bound < parameter.abs().max() <= bound
    assert sum(p.numel() for p in layer.parameters()) == 100 * (24 + 40 + 1 + 1)
    assert sum(p.numel() for p in scorer(24, 40, 100, bias=False).parameters()) == 100 * (24 + 40 + 1)


def test_a_seed_repeats_and_the_global_random_state_is_left_alone() -> None:
    before = torch.get_rng_state()
    with ThreadPoolExecutor(8) as pool:
        layers = list(pool.map(lambda _: scorer(seed=3), range(16)))
    for layer in layers:
        for ours, first in zip(layer.parameters(), layers[0].parameters(), strict=True):
            assert torch.equal(ours, first)
    assert not torch.equal(scorer(seed=4).query_weight, layers[0].query_weight)
    assert torch.equal(AdditiveScorer(3, 5, 4).combine, AdditiveScorer(3, 5, 4).combine)
    assert torch.equal(torch.get_rng_state(), before)


def test_gradients() -> None:
    layer = scorer(2, 3, 4)
    inputs = (draw(2, 2).requires_grad_(), draw(3, 3, seed=1).requires_grad_(), draw(3, 2, seed=2).requires_grad_())
    assert torch.autograd.gradcheck(
        lambda q, k, v, *_: additive_attention(q, k, v, layer).output, (*inputs, *layer.parameters())
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_other_precisions(dtype: torch.dtype) -> None:
    layer = scorer()
    queries, keys = draw(2, 3, dtype=dtype), draw(7, 5, seed=1, dtype=dtype)
    exact = layer(queries.double(), keys.double())
    scores = layer.to(dtype)(queries, keys)
    assert scores.dtype == dtype
    assert_close(scores.double(), exact, rtol=0, atol=8 * torch.finfo(dtype).eps)


def test_invalid_input_is_named() -> None:
    for sizes, name in [((0, 1, 1), "query_size"), ((1, 0, 1), "key_size"), ((1, 1, 0), "hidden")]:
        with pytest.raises(ValueError, match=rf"^{name} must be at least 1, not 0$"):
            AdditiveScorer(*sizes)
    with pytest.raises(ValueError, match=r"^queries have size 4 but the weights expect size 3$"):
        scorer()(draw(2, 4), draw(2, 5))
    with pytest.raises(ValueError, match=r"^keys have size 4 but the weights expect size 5$"):
        scorer()(draw(2, 3), draw(2, 4))
