"""Moments and histograms against hand counts."""

import math

import pytest
import torch
from torch.testing import assert_close

from attention_core.demos.summary import summarise


def test_by_hand() -> None:
    summary = summarise(torch.tensor([[1.0, 2.0], [2.0, 5.0]]), bins=4)
    assert (summary.count, summary.mean, summary.minimum, summary.maximum) == (4, 2.5, 1.0, 5.0)
    assert summary.variance == pytest.approx((2.25 + 0.25 + 0.25 + 6.25) / 3, abs=1e-15)
    assert summary.standard_deviation == pytest.approx(math.sqrt(3), abs=1e-15)
    assert summary.edges.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert summary.counts.tolist() == [1, 2, 0, 1]


def test_given_span() -> None:
    summary = summarise(torch.tensor([0.25, 0.75, 1.0]), bins=2, span=(-1.0, 1.0))
    assert summary.edges.tolist() == [-1.0, 0.0, 1.0]
    assert summary.counts.tolist() == [0, 3]


def test_one_number_has_no_spread() -> None:
    summary = summarise(torch.tensor([7.0]), bins=1)
    assert (summary.variance, summary.standard_deviation, summary.counts.tolist()) == (0.0, 0.0, [1])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_moments_are_taken_in_float64(dtype: torch.dtype) -> None:
    numbers = torch.full((70_000,), 2.0, dtype=dtype)  # a float16 sum would end at 65,504
    assert_close(torch.tensor(summarise(numbers, bins=3).mean), torch.tensor(2.0))


def test_invalid_input_is_named() -> None:
    with pytest.raises(ValueError, match=r"^numbers must not be empty$"):
        summarise(torch.zeros(0), bins=3)
    with pytest.raises(ValueError, match=r"^bins must be at least 1, not 0$"):
        summarise(torch.zeros(1), bins=0)
    with pytest.raises(ValueError, match=r"^span must hold every number, not 0\.0 … 1\.0$"):
        summarise(torch.tensor([2.0]), bins=1, span=(0.0, 1.0))
