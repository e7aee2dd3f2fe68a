"""Permutation experiment against naive attention and torch's module."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core.alibi import slopes
from attention_core.demos.order import WAYS, OrderExperiment, Projections, Way, attend_in_order, order_experiment
from attention_core.rope import frequencies, rotation_matrix

WORDS = ["the", "dog", "chased", "the", "cat"]


def outcome(experiment: OrderExperiment, way: Way) -> float:
    return next(o.largest_difference for o in experiment.outcomes if o.way == way)


def naive(x: torch.Tensor, projections: Projections, way: Way) -> torch.Tensor:
    """One score, one weight, one output at a time."""
    count, dim = x.shape
    if way == "sinusoidal":
        x = x.clone()
        for position in range(count):
            for i in range(dim // 2):
                angle = position * 10_000 ** (-2 * i / dim)
                x[position, 2 * i] += math.sin(angle)
                x[position, 2 * i + 1] += math.cos(angle)
    outputs = torch.zeros_like(x)
    for row in range(count):
        readable = range(row + 1) if way == "causal" else range(count)
        powers = {}
        for col in readable:
            query, key = x[row] @ projections.query, x[col] @ projections.key
            if way == "rope":
                key = rotation_matrix(col - row, frequencies(dim), pairing="half_split") @ key
            score = float(query @ key) / math.sqrt(dim)
            powers[col] = math.exp(score - ((row - col) * slopes(8)[0].item() if way == "alibi" else 0))
        for col, power in powers.items():
            outputs[row] += power / sum(powers.values()) * (x[col] @ projections.value)
    return outputs


@pytest.mark.parametrize("way", WAYS)
def test_each_way_is_what_it_says(way):
    generator = torch.Generator().manual_seed(3)
    x = torch.randn(5, 6, generator=generator, dtype=torch.float64)
    projections = Projections(*torch.randn(3, 6, 6, generator=generator, dtype=torch.float64))
    actual = attend_in_order(x, projections, way).output
    torch.testing.assert_close(actual, naive(x, projections, way), atol=1e-12, rtol=0)


@pytest.mark.parametrize(
    ("precision", "bound"), [("float64", 1e-14), ("float32", 1e-6), ("float16", 4e-3), ("bfloat16", 4e-2)]
)
def test_permuting_words_permutes_outputs_and_nothing_else(precision, bound):
    for seed in range(5):
        experiment = order_experiment(WORDS, seed=seed, precision=precision)
        assert outcome(experiment, "none") <= bound
        for way in ("causal", "sinusoidal", "rope", "alibi"):
            assert outcome(experiment, way) > max(1e-2, bound), way


@settings(deadline=None, max_examples=20)
@given(st.permutations(range(6)))
def test_every_permutation(permutation):
    experiment = order_experiment(list("abcdef"), permutation=permutation)
    assert experiment.permutation == list(permutation)
    assert outcome(experiment, "none") <= 1e-14


def test_torchs_own_attention_is_blind_too():
    """The property is attention's, not ours: the same weights in torch's module."""
    experiment = order_experiment(WORDS, permutation=[4, 1, 2, 3, 0])
    x = torch.from_numpy(experiment.vectors)
    out = torch.nn.functional.scaled_dot_product_attention(x, x, x)
    order = experiment.permutation
    torch.testing.assert_close(
        torch.nn.functional.scaled_dot_product_attention(x[order], x[order], x[order]), out[order], atol=1e-14, rtol=0
    )


def test_symmetric_alibi_knows_no_direction():
    signed = order_experiment(WORDS, permutation=[4, 3, 2, 1, 0])
    assert outcome(signed, "alibi") > 1e-2
    experiment = order_experiment(WORDS, permutation=[4, 3, 2, 1, 0], symmetric=True)
    assert outcome(experiment, "alibi") <= 1e-14
    for way in ("causal", "sinusoidal", "rope"):
        assert outcome(experiment, way) > 1e-2


def test_equal_words_are_equal_without_positions_and_differ_with_them():
    outputs = {o.way: o.outputs for o in order_experiment(WORDS, symmetric=True).outcomes}
    np.testing.assert_allclose(outputs["none"][0], outputs["none"][3], atol=1e-15)
    for way in ("causal", "sinusoidal", "rope", "alibi"):
        assert np.abs(outputs[way][0] - outputs[way][3]).max() > 1e-2


def test_seed_decides_everything_and_global_randomness_is_untouched():
    before = torch.get_rng_state()
    one, same, other = (order_experiment(WORDS, seed=seed) for seed in (1, 1, 2))
    assert torch.equal(torch.get_rng_state(), before)
    assert one.permutation == same.permutation
    np.testing.assert_array_equal(one.outcomes[3].outputs, same.outcomes[3].outputs)
    assert np.abs(one.vectors - other.vectors).max() > 0.1


@pytest.mark.full
def test_drawn_orders_move_something():
    for seed in range(30):
        order = order_experiment(list("abc"), seed=seed, dim=2).permutation
        assert order not in ([0, 1, 2], [2, 1, 0])
        assert order_experiment(list("ab"), seed=seed, dim=2).permutation == [1, 0]
    assert order_experiment(["a"], dim=2).permutation == [0]


def test_given_vectors_and_weights():
    experiment = order_experiment(vectors=[[1.0, 2.0], [3.0, 4.0]], permutation=[1, 0])
    assert experiment.vectors.tolist() == [[1, 2], [3, 4]]
    blind = experiment.outcomes[0]
    assert blind.weights is not None
    assert blind.permuted_weights is not None
    np.testing.assert_allclose(blind.permuted_weights, blind.weights[[1, 0]][:, [1, 0]], atol=1e-15)
    np.testing.assert_array_equal(blind.moved_outputs, blind.outputs[[1, 0]])
    bare = order_experiment(WORDS, keep_weights=False)
    assert all(o.weights is None and o.permuted_weights is None for o in bare.outcomes)


def test_bad_input():
    with pytest.raises(ValueError, match=r"^words must not be empty"):
        order_experiment([])
    with pytest.raises(ValueError, match=r"^dim must have an even size, not 3"):
        order_experiment(WORDS, dim=3)
    with pytest.raises(ValueError, match=r"^dim must be at least 2, not 0"):
        order_experiment(WORDS, dim=0)
    with pytest.raises(ValueError, match=r"^vectors must have an even size, not 1"):
        order_experiment(vectors=[[1.0]])
    for permutation in ([0, 0, 1, 2, 3], [0, 1, 2], [1, 2, 3, 4, 5]):
        with pytest.raises(ValueError, match=r"^permutation must hold each of 0 … 4 once"):
            order_experiment(WORDS, permutation=permutation)
