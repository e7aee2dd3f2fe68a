"""The linear layer ``y = x Wᵀ + b`` and its initialisation.

Convention: W is (out, in), as in ``torch.nn.Linear``; each row of W gives one output. Only the last axis of the input
is transformed, all leading axes are kept: (…, in) → (…, out).
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attention_core.refusal import InvalidValueError, check_at_least


def linear(
    inputs: Float[Tensor, "... I"], weight: Float[Tensor, "O Iw"], bias: Float[Tensor, " Ob"] | None = None
) -> Float[Tensor, "... O"]:
    """``y_o = Σ_i x_i W_oi + b_o``. Raises ValueError unless I = Iw and O = Ob."""
    if inputs.ndim < 1 or inputs.shape[-1] != weight.shape[1]:
        raise InvalidValueError(
            "inputs must have {size} numbers on their last axis, not {given}", weight.shape[1], list(inputs.shape)
        )
    if bias is not None and bias.shape[0] != weight.shape[0]:
        raise InvalidValueError(
            "bias must have {rows} numbers, one for each row of the weight, not {given}", weight.shape[0], len(bias)
        )
    outputs = inputs @ weight.T
    return outputs if bias is None else outputs + bias


def initial_bound(in_features: int) -> float:
    """Bound of the uniform initialisation: ``√(6 / ((1 + a²) · in))`` with ``a = √5``, which is ``1/√in``.

    The standard deviation is ``bound/√3`` (He et al. 2015 with torch's choice of a; LeCun's ``1/√(3 in)``).
    """
    check_at_least(1, in_features=in_features)
    return 1.0 / math.sqrt(in_features)


def random_linear(in_features: int, out_features: int, *, bias: bool = True, generator: torch.Generator) -> nn.Linear:
    """A fresh ``torch.nn.Linear`` initialised from ``generator``, the global random state untouched.

    A generator with seed s gives what ``torch.manual_seed(s); nn.Linear(in_features, out_features)`` gives.
    """
    bound = initial_bound(in_features)
    check_at_least(1, out_features=out_features)
    layer = empty_linear(in_features, out_features, bias=bias, dtype=torch.float32)
    for parameter in layer.parameters():  # the weight first, then the bias
        nn.init.uniform_(parameter, -bound, bound, generator=generator)
    return layer


def empty_linear(in_features: int, out_features: int, *, bias: bool, dtype: torch.dtype) -> nn.Linear:
    """A module with uninitialised parameters, so that the global random state is not touched."""
    layer = nn.Linear(in_features, out_features, bias=bias, device="meta", dtype=dtype)
    return layer.to_empty(device="cpu")


def count_parameters(in_features: int, out_features: int, *, bias: bool = True) -> int:
    """``in · out + out``, or ``in · out`` without bias."""
    return in_features * out_features + (out_features if bias else 0)
