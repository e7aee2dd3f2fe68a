"""Stages by name, their order, and conversion to numpy."""

import numpy as np
import pytest
import torch

from attention_core.attend import attend
from attention_core.trace import STAGES, AttentionTrace, to_array

NAMES = ["queries", "keys", "values", "raw_scores", "scaled_scores", "bias", "mask", "masked_scores", "weights"]


def trace(*, bias: bool = False, mask: bool = False, dtype: torch.dtype = torch.float32) -> AttentionTrace:
    generator = torch.Generator().manual_seed(0)
    queries, keys, values = (torch.randn(n, 3, generator=generator).to(dtype) for n in (2, 5, 5))
    return attend(
        queries,
        keys,
        values,
        queries @ keys.T,
        bias=torch.ones(2, 5, dtype=dtype) if bias else None,
        mask=torch.ones(2, 5, dtype=torch.bool).tril() if mask else None,
    )


def test_stages_come_in_the_order_of_computation() -> None:
    names = [name for name, _ in trace(bias=True, mask=True).stages()]
    assert names == [*NAMES, "head_outputs", "output"]
    assert [name for name in names if name in STAGES] == list(STAGES)


def test_a_bias_or_mask_that_is_not_there_is_left_out() -> None:
    names = [name for name, _ in trace().stages()]
    assert names == [name for name in [*NAMES, "head_outputs", "output"] if name not in {"bias", "mask"}]


def test_square_stages_are_queries_by_keys() -> None:
    arrays = trace(mask=True).as_arrays()
    assert {name: arrays[name].shape for name in STAGES} == dict.fromkeys(STAGES, (2, 5))
    assert arrays["mask"].dtype == np.bool_


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        (torch.float64, np.float64),
        (torch.float32, np.float32),
        (torch.float16, np.float16),
        (torch.bfloat16, np.float32),
    ],
)
def test_arrays_hold_the_same_numbers(dtype: torch.dtype, expected: type) -> None:
    made = trace(mask=True, dtype=dtype)
    arrays = made.as_arrays()
    assert arrays["masked_scores"].dtype == expected
    for name, tensor in made.stages():
        assert arrays[name].tolist() == tensor.tolist()


def test_a_tensor_with_gradients_becomes_an_array_too() -> None:
    assert to_array(torch.ones(2, requires_grad=True) * 2).tolist() == [2.0, 2.0]
