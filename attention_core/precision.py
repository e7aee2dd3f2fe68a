"""Number formats by name, and their ranges."""

import math
from typing import Literal

import torch
from torch import Tensor

from attention_core.refusal import InvalidValueError, check_choice

Precision = Literal["float64", "float32", "float16", "bfloat16"]

DTYPES: dict[Precision, torch.dtype] = {
    "float64": torch.float64,
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
}


def cast(tensor: Tensor, precision: Precision, name: str) -> Tensor:
    """The tensor rounded to this precision. Raises ValueError naming ``name`` if a finite number overflows."""
    check_choice("precision", precision, DTYPES)
    rounded = tensor.to(DTYPES[precision])
    if bool((rounded.isinf() & tensor.isfinite()).any()):
        raise InvalidValueError(
            "{name} must fit {precision}, whose largest number is {largest}",
            name,
            precision,
            f"{largest(precision):.6g}",
        )
    return rounded


def largest(precision: Precision) -> float:
    """The largest finite number: 65504 in float16."""
    return torch.finfo(DTYPES[precision]).max


def largest_exponent(precision: Precision) -> float:
    """The largest score whose ``exp`` is still finite: 11.09 in float16, 88.72 in float32 and bfloat16."""
    return math.log(largest(precision))
