"""Softmax, entropy and the way from scores to output, against torch's own and against loops."""

import math
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

from attention_core.attend import (
    MASKED,
    attend,
    attend_fused,
    cap_scores,
    entropy,
    entropy_of_largest,
    mask_scores,
    row_maximum,
    softmax,
    softmax_in_place,
    softmax_unstable,
    softmax_with_exponents,
    softmax_with_sink,
    weights_in_place,
)

INFINITY = float("inf")


def draw(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("shape", [(1,), (1, 1), (7,), (2, 3, 5), (1, 4096)])
def test_softmax_is_torchs(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    scores = draw(*shape, dtype=dtype) * 5
    weights = softmax(scores)
    assert weights.dtype == dtype
    assert_close(weights, torch.softmax(scores, dim=-1), rtol=2 * torch.finfo(dtype).eps, atol=1e-7)


@given(st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=9), st.floats(-1e4, 1e4))
def test_softmax_does_not_change_when_a_constant_is_added(scores: list[float], constant: float) -> None:
    tensor = torch.tensor(scores, dtype=torch.float64)
    assert_close(softmax(tensor), softmax(tensor - constant), rtol=0, atol=1e-11)


def test_softmax_of_the_notes_scores() -> None:
    weights = softmax(torch.tensor([2.1, 4.5, 1.8, 3.2], dtype=torch.float64))
    looped = [math.exp(s) / sum(math.exp(t) for t in (2.1, 4.5, 1.8, 3.2)) for s in (2.1, 4.5, 1.8, 3.2)]
    assert_close(weights, torch.tensor(looped, dtype=torch.float64), rtol=1e-14, atol=0)
    assert weights.tolist() == pytest.approx([0.0634, 0.6991, 0.0470, 0.1905], abs=5e-5)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_extreme_scores_stay_finite(dtype: torch.dtype) -> None:
    scores = torch.tensor([[1e4, -1e4, 1e4], [-1e4, -1e4, -1e4], [6e4, -6e4, 0.0]], dtype=dtype)
    expected = torch.tensor([[0.5, 0.0, 0.5], [1 / 3, 1 / 3, 1 / 3], [1.0, 0.0, 0.0]], dtype=dtype)
    assert_close(softmax(scores), expected, rtol=torch.finfo(dtype).eps, atol=0)


def test_half_precision_counts_more_keys_than_its_largest_number() -> None:
    weights = softmax(torch.zeros(70_000, dtype=torch.float16))
    assert_close(weights.double(), torch.full((70_000,), 1 / 70_000).double(), rtol=0, atol=6e-8)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_a_fully_masked_row_reads_nothing(dtype: torch.dtype) -> None:
    scores = torch.tensor([[-INFINITY, -INFINITY], [0.0, -INFINITY]], dtype=dtype)
    assert softmax(scores).tolist() == [[0.0, 0.0], [1.0, 0.0]]


def test_nan_is_passed_on_and_stays_in_its_row() -> None:
    weights = softmax(torch.tensor([[math.nan, 0.0], [0.0, 0.0]]))
    assert weights[0].isnan().all()
    assert weights[1].tolist() == [0.5, 0.5]


def test_no_keys_at_all_give_nothing() -> None:
    trace = attend(draw(2, 3), draw(0, 3), draw(0, 4), draw(2, 3) @ draw(0, 3).T)
    assert trace.weights.shape == (2, 0)
    assert_close(trace.output, torch.zeros(2, 4, dtype=torch.float64))


def test_row_maximum() -> None:
    scores = torch.tensor([[1.0, 3.0], [-INFINITY, -2.0], [-INFINITY, -INFINITY]])
    assert row_maximum(scores).tolist() == [[3.0], [-2.0], [0.0]]


def test_softmax_gradients() -> None:
    assert torch.autograd.gradcheck(softmax, draw(3, 5).requires_grad_())
    scores = torch.tensor([[0.5, -INFINITY, 1.0], [-INFINITY] * 3], dtype=torch.float64, requires_grad=True)
    (softmax(scores) * draw(2, 3)).sum().backward()
    assert scores.grad is not None
    assert scores.grad.isfinite().all()
    assert scores.grad[1].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("dtype", "safe", "too_large"),
    [
        (torch.float16, 11.0, 11.2),
        (torch.bfloat16, 88.5, 89.0),
        (torch.float32, 88.7, 88.8),
        (torch.float64, 709.7, 709.9),
    ],
)
def test_unstable_softmax_overflows_where_exp_does(dtype: torch.dtype, safe: float, too_large: float) -> None:
    fine = torch.tensor([safe, 0.0], dtype=dtype)
    assert_close(softmax_unstable(fine), softmax(fine), rtol=torch.finfo(dtype).eps * 4, atol=1e-7)
    broken = torch.tensor([too_large, 0.0], dtype=dtype)
    assert softmax_unstable(broken)[0].isnan()
    assert softmax(broken).isfinite().all()


def test_unstable_softmax_vanishes_far_below_zero() -> None:
    scores = torch.tensor([-2000.0, -2001.0], dtype=torch.float64)
    assert softmax_unstable(scores).isnan().all()
    assert_close(softmax(scores), torch.tensor([1.0, math.exp(-1)], dtype=torch.float64) / (1 + math.exp(-1)))


def test_entropy() -> None:
    weights = torch.tensor([[1.0, 0, 0, 0], [0.25] * 4, [0.5, 0.5, 0, 0], [0, 0, 0, 0]], dtype=torch.float64)
    expected = torch.tensor([0.0, math.log(4), math.log(2), 0.0], dtype=torch.float64)
    assert_close(entropy(weights), expected, rtol=1e-14, atol=1e-14)
    drawn = softmax(draw(3, 5))
    looped = [-sum(w * math.log(w) for w in row) for row in drawn.tolist()]
    assert_close(entropy(drawn), torch.tensor(looped, dtype=torch.float64), rtol=1e-14, atol=0)


def test_entropy_has_finite_gradients_at_zero() -> None:
    weights = torch.tensor([[1.0, 0.0]], dtype=torch.float64, requires_grad=True)
    entropy(weights).sum().backward()
    assert weights.grad is not None
    assert weights.grad.isfinite().all()
    assert torch.autograd.gradcheck(lambda scores: entropy(softmax(scores)), draw(3, 5).requires_grad_())


def test_boolean_and_additive_masks_agree() -> None:
    scores = draw(2, 3, 5)
    allowed = draw(3, 5, seed=1) > 0
    additive = torch.where(allowed, 0.0, -INFINITY).double()
    assert_close(mask_scores(scores, allowed), mask_scores(scores, additive), rtol=0, atol=0)
    assert mask_scores(scores, None) is scores


def naive(queries: Tensor, keys: Tensor, values: Tensor, scale: float, bias: Tensor, allowed: Tensor) -> Tensor:
    """Loops over floats, for one head."""
    rows = []
    for i, query in enumerate(queries.tolist()):
        scores = [
            sum(a * b for a, b in zip(query, key, strict=True)) * scale + float(bias[i, j])
            for j, key in enumerate(keys.tolist())
        ]
        exponentials = [math.exp(s) if allowed[i, j] else 0.0 for j, s in enumerate(scores)]
        total = sum(exponentials) or 1.0
        rows.append(
            [sum(e / total * v for e, v in zip(exponentials, column, strict=True)) for column in values.T.tolist()]
        )
    return torch.tensor(rows, dtype=torch.float64)


@pytest.mark.parametrize(("num_queries", "num_keys"), [(1, 1), (3, 5), (7, 2), (5, 13)])
def test_attend_against_a_loop(num_queries: int, num_keys: int) -> None:
    queries, keys, values = draw(num_queries, 3), draw(num_keys, 3, seed=1), draw(num_keys, 4, seed=2)
    bias, allowed = draw(num_queries, num_keys, seed=3), draw(num_queries, num_keys, seed=4) > -0.5
    allowed[0] = False
    trace = attend(queries, keys, values, queries @ keys.T, scale=0.7, bias=bias, mask=allowed)
    assert_close(trace.output, naive(queries, keys, values, 0.7, bias, allowed), rtol=1e-13, atol=1e-14)
    assert trace.output[0].tolist() == [0.0] * 4
    assert_close(trace.scaled_scores, queries @ keys.T * 0.7, rtol=0, atol=0)
    assert_close(trace.masked_scores[allowed], (queries @ keys.T * 0.7 + bias)[allowed], rtol=0, atol=0)
    assert (trace.masked_scores[~allowed] == -INFINITY).all()
    row_sums = trace.weights.sum(dim=-1)
    assert_close(row_sums, allowed.any(dim=-1).double(), rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_attend_and_its_fused_twin_agree(dtype: torch.dtype) -> None:
    queries, keys, values = (draw(2, 3, n, 5, seed=s, dtype=dtype) for s, n in enumerate((7, 11, 11)))
    mask = draw(7, 11, seed=5) > -1
    trace = attend(queries, keys, values, queries @ keys.mT, scale=0.3, mask=mask)
    fused = attend_fused(queries, keys, values, scale=0.3, mask=mask)
    tolerance = {torch.float64: 1e-14, torch.float32: 1e-6, torch.float16: 4e-3, torch.bfloat16: 3e-2}[dtype]
    assert_close(trace.output, fused, rtol=tolerance, atol=tolerance)


def test_fused_attention_shares_key_heads() -> None:
    queries, keys, values = draw(1, 6, 5, 4), draw(1, 2, 5, 4, seed=1), draw(1, 2, 5, 3, seed=2)
    repeated = [tensor.repeat_interleave(3, dim=1) for tensor in (keys, values)]
    trace = attend(queries, *repeated, queries @ repeated[0].mT, mask=torch.ones(5, 5, dtype=torch.bool).tril())
    assert_close(attend_fused(queries, keys, values, is_causal=True), trace.output, rtol=1e-13, atol=1e-14)


def test_dropout_acts_on_the_mixture_and_not_on_the_weights_shown() -> None:
    queries, keys, values = draw(64, 4), draw(64, 4, seed=1), torch.ones(64, 1, dtype=torch.float64)
    weights = torch.softmax(queries @ keys.T, dim=-1)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        trace = attend(queries, keys, values, queries @ keys.T, dropout=0.5)
        torch.manual_seed(0)
        expected = F.dropout(weights, 0.5) @ values
    assert_close(trace.weights, weights, rtol=1e-13, atol=1e-15)
    assert_close(trace.output, expected, rtol=1e-13, atol=1e-15)
    assert not torch.allclose(trace.output, torch.ones_like(trace.output))


def test_softmax_in_place_gives_weights_and_log_sum_exp() -> None:
    scores = draw(2, 3, 5)
    scores[0, 0] = -INFINITY
    scores[1, 2, 1:] = -INFINITY
    original = scores.clone()
    weights, log_sum_exp = softmax_in_place(scores, torch.float64)
    assert_close(weights, softmax(original), rtol=1e-14, atol=1e-15)
    assert_close(log_sum_exp.sum(dim=-1), original.logsumexp(dim=-1), rtol=1e-14, atol=1e-14)
    window = weights_in_place(original[..., 1:3].clone(), log_sum_exp, torch.float64)
    assert_close(window, weights[..., 1:3], rtol=1e-13, atol=1e-15)


def test_many_threads_compute_the_same_and_leave_the_global_random_state_alone() -> None:
    queries, keys, values = draw(9, 8), draw(13, 8, seed=1), draw(13, 3, seed=2)
    expected = F.scaled_dot_product_attention(queries[None], keys[None], values[None], scale=0.5)[0]
    before = torch.get_rng_state()
    with ThreadPoolExecutor(8) as pool:
        outputs = list(pool.map(lambda _: attend(queries, keys, values, queries @ keys.T, scale=0.5).output, range(40)))
    assert all(torch.equal(output, outputs[0]) for output in outputs)
    assert_close(outputs[0], expected, rtol=1e-13, atol=1e-14)
    assert torch.equal(torch.get_rng_state(), before)


def test_softmax_with_exponents_against_softmax_and_entropy() -> None:
    scores = torch.randn(3, 5, 7, generator=torch.Generator().manual_seed(3)) * 300
    scores[:, :, 4:] = MASKED
    scores[1, 2, 1:] = MASKED
    weights, exponents = softmax_with_exponents(scores.clone())
    found = entropy_of_largest(weights.amax(dim=-1), exponents)
    assert torch.allclose(weights, softmax(scores), rtol=0, atol=1e-6)
    assert torch.all(weights[:, :, 4:] == 0)
    assert torch.allclose(found, entropy(softmax(scores.double())).float(), rtol=0, atol=2e-6)
    assert found[1, 2] == 0


def test_sink_takes_its_share_of_every_row() -> None:
    """Against a naive softmax over one more score; entropy from mean exponents; far apart, too."""
    scores = torch.randn(2, 3, 7, generator=torch.Generator().manual_seed(5), dtype=torch.float64)
    for value in (-40.0, 0.3, 500.0):
        sink = torch.full((2, 3, 1), value, dtype=torch.float64)
        expected = torch.cat([scores, sink], dim=-1).softmax(dim=-1)[..., :-1]
        assert_close(softmax_with_sink(scores, sink), expected)
        in_place, log_sum_exp = softmax_in_place(scores.clone(), torch.float64, sink)
        assert_close(in_place, expected)
        assert_close(weights_in_place(scores.clone(), log_sum_exp, torch.float64), expected)
        weights, mean_exponent = softmax_with_exponents(scores.clone(), sink)
        assert_close(weights, expected)
        if value < 100:
            assert_close(entropy_of_largest(weights.amax(dim=-1), mean_exponent), entropy(expected))
    nothing = torch.full((1, 1, 4), float("-inf"), dtype=torch.float64)
    for value, total in ((1.0, 0.0), (float("-inf"), 0.0)):
        in_place, _ = softmax_in_place(nothing.clone(), torch.float64, torch.full((1, 1, 1), value).double())
        assert float(in_place.sum()) == total


def test_cap_bounds_and_keeps_small_scores() -> None:
    scores = torch.tensor([-1e6, -1.0, 0.0, 0.01, 1.0, 1e6], dtype=torch.float64)
    expected = [5.0 * math.tanh(score / 5.0) for score in scores.tolist()]
    assert_close(cap_scores(scores, 5.0), torch.tensor(expected, dtype=torch.float64))
