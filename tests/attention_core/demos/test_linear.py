"""A linear layer against hand values; initialisation against theory; bias terms."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from attention_core.demos.linear import compare_bias, initialisation, linear_example, random_example
from attention_core.linear import linear, random_linear


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_global_random_state_is_untouched() -> None:
    before = torch.random.get_rng_state()
    random_example(4, 3, leading=(2,), seed=1)
    initialisation(8)
    compare_bias(8, 8)
    assert torch.equal(before, torch.random.get_rng_state())


def test_threads_and_repetition_give_the_same() -> None:
    with ThreadPoolExecutor(4) as pool:
        outputs = list(pool.map(lambda _: random_example(16, 16, leading=(5,), seed=3).outputs, range(12)))
    assert all(np.array_equal(outputs[0], other) for other in outputs)
    assert not np.array_equal(outputs[0], random_example(16, 16, leading=(5,), seed=4).outputs)


@pytest.mark.parametrize("leading", [(), (5,), (5, 10), (5, 8, 10)])
def test_example_keeps_leading_axes(leading: tuple[int, ...]) -> None:
    example = random_example(4, 3, leading=leading)
    assert example.outputs.shape == example.by_hand.shape == (*leading, 3)
    assert example.largest_difference < 1e-14
    assert (example.parameters.weight, example.parameters.bias, example.parameters.total) == (12, 3, 15)


def test_the_terms_of_an_example_add_up() -> None:
    example = linear_example(np.array([1.0, 2.0, 3.0, 4.0]), np.arange(12.0).reshape(3, 4), np.array([1.0, 0.0, -1.0]))
    assert example.terms.tolist() == [[0, 2, 6, 12], [4, 10, 18, 28], [8, 18, 30, 44]]
    assert example.outputs.tolist() == example.by_hand.tolist() == [21.0, 60.0, 99.0]


def test_a_printed_layer_gives_its_printed_output() -> None:
    weight = [[0.2718, 0.4257, 0.0045, 0.2400], [-0.2094, 0.2349, -0.3089, 0.1979], [0.4376, -0.3982, 0.4402, -0.1586]]
    example = linear_example(np.array([1.0, 2, 3, 4]), np.array(weight), np.array([0.2165, -0.4657, -0.0720]))
    np.testing.assert_allclose(example.outputs, [2.3132, -0.3404, 0.2553], atol=5e-4)  # all numbers have four decimals


@pytest.mark.parametrize(
    ("in_features", "bound", "deviation"), [(8, 0.3536, 0.2041), (64, 0.1250, 0.0722), (512, 0.0442, 0.0255)]
)
def test_initialisation_figures(in_features: int, bound: float, deviation: float) -> None:
    drawn = initialisation(in_features, out_features=64, seed=5)
    assert drawn.bound == pytest.approx(bound, abs=5e-5)
    assert drawn.expected_standard_deviation == pytest.approx(deviation, abs=5e-5)
    count = 64 * in_features
    assert drawn.weights.count == drawn.weights.counts.sum() == count
    assert -drawn.bound * (1 + 1e-6) <= drawn.weights.minimum < drawn.weights.maximum <= drawn.bound * (1 + 1e-6)
    assert drawn.biases.count == 64
    assert -drawn.bound * (1 + 1e-6) <= drawn.biases.minimum < -drawn.bound / 2
    assert drawn.bound / 2 < drawn.biases.maximum <= drawn.bound * (1 + 1e-6)
    # A uniform sample's variance has standard error σ² √((κ − 1)/n) with kurtosis κ = 9/5; five of them.
    variance = drawn.expected_standard_deviation**2
    assert drawn.weights.variance == pytest.approx(variance, abs=5 * variance * math.sqrt(0.8 / count))
    # Each of 40 equally likely bins: binomial, six standard errors.
    expected, error = count / 40, math.sqrt(count / 40 * (39 / 40))
    assert (abs(drawn.weights.counts - expected) < 6 * error).all()
    assert_close(
        torch.tensor(drawn.weights.edges[[0, -1]]), torch.tensor([-1.0, 1.0]).double() * drawn.bound, rtol=1e-6, atol=0
    )


def test_bias_takes_the_scores_apart() -> None:
    compared = compare_bias(7, 5, batch=2, seq_len=3, seed=2)
    total = compared.without_bias + compared.query_offset + compared.key_offset + compared.constant
    assert compared.with_bias.shape == (2, 3, 3)
    np.testing.assert_allclose(compared.with_bias, total, atol=1e-13)
    query_layer = (g := generator(2)) and random_linear(7, 5, generator=g).double()
    key_layer = random_linear(7, 5, generator=g).double()
    inputs = torch.randn(2, 3, 7, generator=g).double()
    expected = (query_layer(inputs) @ key_layer(inputs).mT).detach().numpy()
    np.testing.assert_allclose(compared.with_bias, expected, atol=1e-13)
    assert compared.with_bias_summary.mean == pytest.approx(expected.mean())
    assert compared.without_bias_summary.standard_deviation == pytest.approx(compared.without_bias.std(ddof=1))


def test_under_rope_softmax_does_not_cancel_the_key_bias() -> None:
    """Each pair of dimensions as a complex number, which a position multiplies by e^(iθm)."""
    compared = compare_bias(8, 8, batch=1, seq_len=6, seed=1)
    g = generator(1)
    layers = [random_linear(8, 8, generator=g).double() for _ in range(2)]
    inputs = torch.randn(1, 6, 8, generator=g).double()[0]
    turns = np.exp(1j * np.outer(np.arange(6), 10_000.0 ** (-np.arange(4) / 4)))

    def weights(queries: torch.Tensor, keys: torch.Tensor) -> np.ndarray:
        q, k = ((x[:, :4] + 1j * x[:, 4:]) * turns for x in (queries.detach().numpy(), keys.detach().numpy()))
        scores = (q @ k.conj().T).real / np.sqrt(8)
        return np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)

    queries, keys = (layer(inputs) for layer in layers)
    change = np.abs(weights(queries, keys) - weights(queries, keys - layers[1].bias)).max()
    assert change > 0.005
    assert compared.weights_change_without_key_bias_under_rope == pytest.approx(change, abs=1e-12)
    assert compare_bias(8, 5).weights_change_without_key_bias_under_rope is None


def test_softmax_cancels_the_key_bias_and_nothing_else() -> None:
    compared = compare_bias(8, 8, seed=1)
    assert compared.weights_change_without_key_bias < 1e-14
    assert compared.weights_change_without_biases > 1e-3


def test_invalid_input_is_named() -> None:
    with pytest.raises(ValueError, match=r"^inputs must have 3 numbers on their last axis, not \[2, 4\]$"):
        linear(torch.ones(2, 4), torch.ones(5, 3))
    with pytest.raises(ValueError, match=r"^bias must have 5 numbers, one for each row of the weight, not 2$"):
        linear_example(np.ones(3), np.ones((5, 3)), np.ones(2))
    with pytest.raises(ValueError, match=r"^inputs must hold at least one vector$"):
        linear_example(np.ones((0, 3)), np.ones((5, 3)))
    with pytest.raises(ValueError, match=r"^in_features must be at least 1, not 0$"):
        random_linear(0, 3, generator=generator())
    with pytest.raises(ValueError, match=r"^out_features must be at least 1, not -1$"):
        random_linear(3, -1, generator=generator())


def test_a_shift_before_a_projection_is_a_bias_after_it() -> None:
    layer = random_linear(8, 8, bias=False, generator=generator(0))
    norm = torch.nn.LayerNorm(8)
    with torch.no_grad():
        norm.bias.copy_(torch.arange(8.0))
        inputs = torch.randn(5, 8, generator=generator(1))
        normed = torch.nn.functional.layer_norm(inputs, (8,))
        assert_close(layer(norm(inputs)), layer(normed) + layer.weight @ norm.bias)
