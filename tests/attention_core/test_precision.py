"""Number formats against numpy's."""

import math

import numpy as np
import pytest
import torch

from attention_core.precision import DTYPES, cast, largest, largest_exponent

NUMPY = {"float64": np.float64, "float32": np.float32, "float16": np.float16}


@pytest.mark.parametrize("precision", list(NUMPY))
def test_largest_numbers_are_numpys(precision) -> None:
    assert largest(precision) == float(np.finfo(NUMPY[precision]).max)
    assert largest_exponent(precision) == math.log(float(np.finfo(NUMPY[precision]).max))


@pytest.mark.parametrize("precision", list(DTYPES))
def test_exp_overflows_just_above_the_largest_exponent(precision) -> None:
    below, above = (torch.tensor(largest_exponent(precision) * factor).double() for factor in (0.99, 1.01))
    assert below.to(DTYPES[precision]).exp().isfinite()
    assert above.to(DTYPES[precision]).exp().isinf()


def test_bfloat16_reaches_as_far_as_float32_with_fewer_digits() -> None:
    assert largest("bfloat16") == float(2.0**127 * (2 - 2**-7))
    assert cast(torch.tensor([1.00390625, 257.0]), "bfloat16", "x").tolist() == [1.0, 256.0]


@pytest.mark.parametrize("precision", list(NUMPY))
def test_rounding_is_numpys(precision) -> None:
    numbers = np.array([0.1, 1 / 3, -2.7, 65504.0, 1e-7, float("-inf")])
    rounded = cast(torch.tensor(numbers), precision, "numbers")
    assert rounded.dtype == DTYPES[precision]
    assert rounded.double().tolist() == numbers.astype(NUMPY[precision]).astype(np.float64).tolist()


def test_overflow_is_an_error_and_infinity_is_not() -> None:
    with pytest.raises(ValueError, match=r"^scores must fit float16, whose largest number is 65504$"):
        cast(torch.tensor([1e5]), "float16", "scores")
    assert cast(torch.tensor([-math.inf, math.inf]), "float16", "scores").tolist() == [-math.inf, math.inf]
