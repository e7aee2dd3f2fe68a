"""One wide head or many: hand-computed sums, sizes and peaks."""

import math

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.autograd import gradcheck
from torch.testing import assert_close

from attention_core.demos.head_counts import (
    compare_head_counts,
    peaked_head_counts,
    random_head_counts,
    several_questions,
)
from attention_core.multi_head import MultiHeadAttention


def draw(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_head_counts_sizes() -> None:
    """C23 and exercise X3: 128/4 = 32, 128/8 = 16, and the same parameters for every number of heads."""
    found = compare_head_counts(draw(3, 128), draw(128, 128), draw(128, 128), (1, 4, 8))
    assert [count.head_dim for count in found] == [128, 32, 16]
    for count in found:
        module = MultiHeadAttention(128, count.num_heads, bias=False)
        assert count.parameters == sum(parameter.numel() for parameter in module.parameters()) == 65_536


def test_head_counts_scores_of_the_wide_head_are_the_sum_over_the_heads() -> None:
    x, query_weight, key_weight = draw(5, 12), draw(12, 12, seed=1), draw(12, 12, seed=2)
    wide = (x @ query_weight.T) @ (x @ key_weight.T).T
    for count in compare_head_counts(x, query_weight, key_weight, (1, 2, 3, 4, 6, 12)):
        assert count.raw_scores.shape == (count.num_heads, 5, 5)
        assert_close(count.raw_scores.sum(0), wide, rtol=0, atol=1e-12)


def test_head_counts_weights_are_those_of_the_module() -> None:
    x, module = draw(5, 12), MultiHeadAttention(12, 3, bias=False).double()
    weights = module.query_projection.weight.detach(), module.key_projection.weight.detach()
    (found,) = compare_head_counts(x, *weights, (3,))
    trace = module(x.unsqueeze(0), trace=True).attention
    assert_close(found.weights, trace.weights[0].detach(), rtol=0, atol=1e-12)
    assert_close(found.scaled_scores, trace.scaled_scores[0].detach(), rtol=0, atol=1e-12)
    by_hand = -(found.weights * found.weights.log()).sum(-1)
    assert_close(found.entropy, by_hand, rtol=0, atol=1e-12)


def test_head_counts_two_peaks_against_one_blurred_ranking() -> None:
    """C23, by hand: 6 tokens, two questions, heads of size 4, sharpness 8."""
    example = several_questions(dtype=torch.float64)
    one, two = compare_head_counts(example.x, example.query_weight, example.key_weight, (1, 2))
    peak = math.exp(4) / (math.exp(4) + 5)  # 8/√4 = 4 against five scores of 0
    rest = 1 / (math.exp(4) + 5)
    assert_close(two.weights[0, 0], torch.tensor([rest, peak, rest, rest, rest, rest], dtype=torch.float64))
    assert_close(two.weights[1, 0], torch.tensor([rest, rest, peak, rest, rest, rest], dtype=torch.float64))
    total = 2 * math.exp(8 / math.sqrt(8)) + 4
    shared, left = math.exp(8 / math.sqrt(8)) / total, 1 / total
    assert_close(one.weights[0, 0], torch.tensor([left, shared, shared, left, left, left], dtype=torch.float64))
    assert peak > 0.9
    assert shared < 0.5
    assert one.entropy[0, 0] > two.entropy[:, 0].max()
    assert two.weights.argmax(-1)[:, 0].tolist() == list(example.answerers)


@pytest.mark.parametrize("questions", [1, 2, 3, 5])
def test_head_counts_each_head_finds_its_answer(questions: int) -> None:
    example = several_questions(questions, head_dim=5, sharpness=20.0, fillers=0, dtype=torch.float64)
    (found,) = compare_head_counts(example.x, example.query_weight, example.key_weight, (questions,))
    s = 20 / math.sqrt(5)
    expected = math.exp(s) / (math.exp(s) + questions)
    for head, answerer in enumerate(example.answerers):
        assert float(found.weights[head, 0, answerer]) == pytest.approx(expected, abs=1e-14)
    # Tokens that ask nothing read everything alike.
    assert_close(found.weights[:, 1:], torch.full_like(found.weights[:, 1:], 1 / (1 + questions)))


def test_head_counts_gradcheck() -> None:
    inputs = tuple(part.requires_grad_() for part in (draw(3, 4), draw(4, 4, seed=1), draw(4, 4, seed=2)))
    assert gradcheck(lambda *parts: compare_head_counts(*parts, (2,))[0].weights, inputs)


def test_head_counts_refuses_what_does_not_divide() -> None:
    with pytest.raises(ValueError, match=r"num_heads must divide d_model \(8\), which 3 does not"):
        compare_head_counts(draw(2, 8), draw(8, 8), draw(8, 8), (2, 3))
    with pytest.raises(ValueError, match="num_questions must be at least 1, not 0"):
        several_questions(0)
    with pytest.raises(ValueError, match="head_dim must be at least 3, not 2"):
        several_questions(head_dim=2)
    with pytest.raises(ValueError, match="fillers must not be negative, not -1"):
        several_questions(fillers=-1)


def test_head_counts_as_arrays() -> None:
    found = peaked_head_counts((1, 2))
    assert [count.num_heads for count in found.counts] == [1, 2]
    assert found.counts[1].weights[0, 0, 1] == pytest.approx(math.exp(4) / (math.exp(4) + 5), abs=1e-15)
    assert (found.asker, found.answerers) == (0, (1, 2))
    assert found.largest_difference == 0
    drawn = random_head_counts((1, 2, 4, 8), d_model=8, seq_len=5, seed=1)
    assert drawn.x.shape == (5, 8)
    assert drawn.largest_difference <= 1e-14
    wide = (drawn.x @ drawn.query_weight.T) @ (drawn.x @ drawn.key_weight.T).T
    np.testing.assert_allclose(drawn.counts[0].raw_scores[0], wide, rtol=0, atol=1e-14)
    again = random_head_counts((1, 2, 4, 8), vectors=drawn.x.tolist(), d_model=8, seed=2)
    assert np.array_equal(again.x, drawn.x)
    with pytest.raises(ValueError, match=r"vectors must have d_model \(8\) numbers, not 2"):
        random_head_counts((1,), vectors=[[1.0, 2.0]], d_model=8)
