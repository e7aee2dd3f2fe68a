"""Softmax steps against float64 arithmetic and numpy's number formats."""

import math

import numpy as np
import pytest

from attention_core.demos.softmax import softmax_steps
from attention_core.precision import DTYPES

NOTES = [2.1, 4.5, 1.8, 3.2]


def by_hand(scores: list[float]) -> list[float]:
    exponentials = [math.exp(score - max(scores)) for score in scores]
    return [exponential / sum(exponentials) for exponential in exponentials]


def test_every_step_by_hand() -> None:
    steps = softmax_steps(NOTES)
    assert steps.stable.maximum == 4.5
    np.testing.assert_allclose(steps.stable.shifted, [-2.4, 0, -2.7, -1.3], rtol=1e-15)
    np.testing.assert_allclose(steps.stable.exponentials, np.exp([-2.4, 0, -2.7, -1.3]), rtol=1e-15)
    assert steps.stable.total == pytest.approx(math.exp(-2.4) + 1 + math.exp(-2.7) + math.exp(-1.3), rel=1e-15)
    np.testing.assert_allclose(steps.stable.weights, [0.0634, 0.6991, 0.0470, 0.1905], atol=5e-5)
    np.testing.assert_allclose(steps.stable.weights, steps.stable.exponentials / steps.stable.total, rtol=1e-15)
    np.testing.assert_allclose(steps.unstable.exponentials, np.exp(NOTES), rtol=1e-15)
    assert steps.unstable.total == pytest.approx(sum(map(math.exp, NOTES)), rel=1e-15)
    np.testing.assert_allclose(steps.unstable.weights, by_hand(NOTES), rtol=1e-14)
    np.testing.assert_allclose(steps.exact, by_hand(NOTES), rtol=1e-14)
    assert not steps.unstable.overflowed
    assert not steps.unstable.vanished
    assert steps.entropy == pytest.approx(-sum(w * math.log(w) for w in by_hand(NOTES)), rel=1e-14)


def test_the_scores_of_the_scaling_lesson() -> None:
    np.testing.assert_allclose(
        softmax_steps([10.0, 5.0, 2.0, 1.0]).stable.weights, [0.99285, 0.00669, 0.00033, 0.00012], atol=5e-6
    )
    np.testing.assert_allclose(
        softmax_steps([10.0, 5.0, 2.0, 1.0], temperature=8.0).stable.weights,
        [0.4489, 0.2403, 0.1651, 0.1457],
        atol=5e-5,
    )


@pytest.mark.parametrize("shift", [-1e4, -3.7, 0.0, 50.0, 1e4])
def test_a_constant_added_changes_nothing(shift: float) -> None:
    steps = softmax_steps(NOTES, shift=shift)
    np.testing.assert_allclose(steps.shifted_weights, steps.exact, rtol=0, atol=1e-11)


@pytest.mark.parametrize(
    ("precision", "score", "overflows"),
    [
        ("float16", 11.0, False),
        ("float16", 12.0, True),
        ("bfloat16", 88.0, False),
        ("bfloat16", 89.0, True),
        ("float32", 88.0, False),
        ("float32", 89.0, True),
        ("float64", 709.0, False),
        ("float64", 710.0, True),
    ],
)
def test_overflow_is_shown_where_the_number_format_ends(precision, score: float, overflows: bool) -> None:
    steps = softmax_steps([score, 1.0], precision=precision)
    assert steps.unstable.overflowed is overflows
    assert bool(np.isinf(steps.unstable.exponentials[0])) is overflows
    assert bool(np.isnan(steps.unstable.weights[0])) is overflows
    assert (score > steps.largest_exponent) is overflows
    np.testing.assert_allclose(steps.stable.weights, by_hand([score, 1.0]), atol=5e-3)


def test_a_sum_can_overflow_where_no_single_exponential_does() -> None:
    steps = softmax_steps([11.0, 11.0], precision="float16")
    assert np.isfinite(steps.unstable.exponentials).all()
    assert steps.unstable.overflowed
    assert steps.unstable.weights.tolist() == [0.0, 0.0]
    assert steps.stable.weights.tolist() == [0.5, 0.5]


def test_everything_can_vanish_too() -> None:
    steps = softmax_steps([-30.0, -31.0], precision="float16")
    assert steps.unstable.vanished
    assert np.isnan(steps.unstable.weights).all()
    np.testing.assert_allclose(steps.stable.weights, by_hand([-30.0, -31.0]), atol=1e-3)


def test_unstable_float16_is_numpys_float16() -> None:
    exponentials = np.exp(np.array(NOTES, dtype=np.float16))
    steps = softmax_steps(NOTES, precision="float16")
    np.testing.assert_allclose(steps.unstable.exponentials, exponentials, rtol=1e-3)
    assert steps.unstable.exponentials.dtype == np.float16


@pytest.mark.parametrize("precision", list(DTYPES))
def test_extreme_scores(precision) -> None:
    steps = softmax_steps([1e4, -1e4, 1e4], precision=precision)
    assert steps.stable.weights.tolist() == [0.5, 0.0, 0.5]


@pytest.mark.parametrize(("temperature", "expected"), [(1e-6, [0, 1, 0, 0]), (1e6, [0.25] * 4)])
def test_temperature_limits(temperature: float, expected: list[float]) -> None:
    steps = softmax_steps(NOTES, temperature=temperature)
    np.testing.assert_allclose(steps.stable.weights, expected, atol=1e-5)
    assert steps.entropy == pytest.approx(0 if temperature < 1 else math.log(4), abs=1e-9)


def test_one_score() -> None:
    assert softmax_steps([-7.0]).stable.weights.tolist() == [1.0]


def test_invalid_input_is_named() -> None:
    with pytest.raises(ValueError, match=r"^temperature must be > 0, not 0.0$"):
        softmax_steps([1.0], temperature=0.0)
    with pytest.raises(ValueError, match=r"^scores must not be empty$"):
        softmax_steps([])
    with pytest.raises(ValueError, match=r"^scores must fit float16, whose largest number is 65504$"):
        softmax_steps([1e5], precision="float16")
