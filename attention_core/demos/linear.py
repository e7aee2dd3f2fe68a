"""The linear layer compared with torch's, its initialisation with theory, and scores with and without bias."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.attend import softmax
from attention_core.demos.summary import Summary, summarise
from attention_core.linear import empty_linear, initial_bound, linear, random_linear
from attention_core.refusal import InvalidValueError
from attention_core.rope import rotate


@dataclass(frozen=True)
class Parameters:
    """The number of learned parameters."""

    weight: int
    bias: int

    @property
    def total(self) -> int:
        """Of both."""
        return self.weight + self.bias


@dataclass(frozen=True, eq=False)
class LinearExample:
    """One linear layer applied, in float64."""

    inputs: Float[np.ndarray, "*batch in"]
    weight: Float[np.ndarray, "out in"]
    bias: Float[np.ndarray, "out"] | None
    terms: Float[np.ndarray, "out in"]
    """``x_i W_oi`` of the first input vector; each row adds up, with the bias, to one output."""
    by_hand: Float[np.ndarray, "*batch out"]
    outputs: Float[np.ndarray, "*batch out"]
    """Of ``torch.nn.Linear`` with the same numbers."""
    largest_difference: float
    """Between ``by_hand`` and ``outputs``."""
    parameters: Parameters


def linear_example(inputs: np.ndarray, weight: np.ndarray, bias: np.ndarray | None = None) -> LinearExample:
    """Apply the layer by hand and with torch's module, on the same values."""
    x, w = torch.from_numpy(inputs).double(), torch.from_numpy(weight).double()
    b = None if bias is None else torch.from_numpy(bias).double()
    by_hand = linear(x, w, b)
    if x.numel() == 0:
        raise InvalidValueError("inputs must hold at least one vector")
    module = empty_linear(w.shape[1], w.shape[0], bias=b is not None, dtype=torch.float64)
    with torch.no_grad():
        module.weight.copy_(w)
        if b is not None:
            module.bias.copy_(b)
        outputs = module(x)
    return LinearExample(
        inputs=x.numpy(),
        weight=w.numpy(),
        bias=None if b is None else b.numpy(),
        terms=(x.reshape(-1, w.shape[1])[0] * w).numpy(),
        by_hand=by_hand.numpy(),
        outputs=outputs.numpy(),
        largest_difference=float((by_hand - outputs).abs().max()),
        parameters=Parameters(weight=w.numel(), bias=0 if b is None else b.numel()),
    )


def random_example(
    in_features: int,
    out_features: int,
    *,
    bias: bool = True,
    leading: Sequence[int] = (),
    inputs: np.ndarray | None = None,
    seed: int = 0,
) -> LinearExample:
    """``linear_example`` with torch's random initialisation, on N(0, 1) inputs with these leading axes."""
    generator = torch.Generator().manual_seed(seed)
    layer = random_linear(in_features, out_features, bias=bias, generator=generator)
    x = torch.randn(*leading, in_features, generator=generator).numpy() if inputs is None else inputs
    return linear_example(x, layer.weight.detach().numpy(), layer.bias.detach().numpy() if bias else None)


@dataclass(frozen=True, eq=False)
class Initialisation:
    """The weights and biases of one fresh layer compared with their distribution."""

    in_features: int
    bound: float
    """``1/√in = √(6/((1 + a²)·in))`` with a = √5; the weights are uniform in ±bound."""
    expected_standard_deviation: float
    """``bound/√3``"""
    weights: Summary
    """Its histogram spans ±bound."""
    biases: Summary
    """Of as many numbers as there are outputs, initialised in the same range."""


def initialisation(in_features: int, *, out_features: int = 64, seed: int = 0, bins: int = 40) -> Initialisation:
    """Initialise one layer and summarise its weights and biases."""
    layer = random_linear(in_features, out_features, generator=torch.Generator().manual_seed(seed))
    bound = initial_bound(in_features)
    numbers = [parameter.detach() for parameter in (layer.weight, layer.bias)]
    edge = max(bound, *(float(values.abs().max()) for values in numbers))  # float32 may round the bound up
    weights, biases = (summarise(values, bins=bins, span=(-edge, edge)) for values in numbers)
    return Initialisation(
        in_features=in_features,
        bound=bound,
        expected_standard_deviation=bound / math.sqrt(3.0),
        weights=weights,
        biases=biases,
    )


@dataclass(frozen=True, eq=False)
class BiasComparison:
    """Scores ``Q Kᵀ`` of the same input and weights, with the biases of query and key and without.

    ``with_bias = without_bias + query_offset + key_offset + constant``.
    """

    with_bias: Float[np.ndarray, "batch queries keys"]
    without_bias: Float[np.ndarray, "batch queries keys"]
    """``(X W_qᵀ)(X W_kᵀ)ᵀ``."""
    query_offset: Float[np.ndarray, "batch queries 1"]
    """``(X W_qᵀ) b_k``: the same for every key, so softmax cancels it."""
    key_offset: Float[np.ndarray, "batch 1 keys"]
    """``(X W_kᵀ) b_q``: the same for every query, so some keys get more weight from all of them."""
    constant: float
    """``b_q · b_k``: softmax cancels it too."""
    with_bias_summary: Summary
    without_bias_summary: Summary
    weights_change_without_biases: float
    """Largest change of a weight when both biases are left out."""
    weights_change_without_key_bias: float
    """Largest change of a weight when only b_k is left out: only rounding."""
    weights_change_without_key_bias_under_rope: float | None
    """The same where RoPE rotates queries and keys by their positions 0, 1, …: then ``q · R b_k`` depends on the key's
    position, and softmax does not cancel it. None for an odd d_k, which has no pairs to rotate."""


def compare_bias(
    d_model: int, d_k: int, *, batch: int = 2, seq_len: int = 4, seed: int = 0, bins: int = 20
) -> BiasComparison:
    """Split the scores of a random input under freshly initialised W_q and W_k into their bias terms."""
    generator = torch.Generator().manual_seed(seed)
    query_layer = random_linear(d_model, d_k, generator=generator).double()
    key_layer = random_linear(d_model, d_k, generator=generator).double()
    inputs = torch.randn(batch, seq_len, d_model, generator=generator).double()
    with torch.no_grad():
        query_bias, key_bias = query_layer.bias, key_layer.bias
        queries, keys = linear(inputs, query_layer.weight), linear(inputs, key_layer.weight)
        without = queries @ keys.mT
        with_bias = (queries + query_bias) @ (keys + key_bias).mT
        without_key_bias = (queries + query_bias) @ keys.mT
        scale = 1.0 / math.sqrt(d_k)
        weights = softmax(with_bias * scale)
        positions = torch.arange(seq_len)

        def under_rope(rotated_keys: Tensor) -> Tensor:
            q, k = (rotate(x, positions, pairing="half_split") for x in (queries + query_bias, rotated_keys))
            return softmax(q @ k.mT * scale)

        change = None if d_k % 2 else float((under_rope(keys + key_bias) - under_rope(keys)).abs().max())
        return BiasComparison(
            with_bias=with_bias.numpy(),
            without_bias=without.numpy(),
            query_offset=(queries @ key_bias).unsqueeze(-1).numpy(),
            key_offset=(keys @ query_bias).unsqueeze(-2).numpy(),
            constant=float(query_bias @ key_bias),
            with_bias_summary=summarise(with_bias, bins=bins),
            without_bias_summary=summarise(without, bins=bins),
            weights_change_without_biases=float((weights - softmax(without * scale)).abs().max()),
            weights_change_without_key_bias=float((weights - softmax(without_key_bias * scale)).abs().max()),
            weights_change_without_key_bias_under_rope=change,
        )
