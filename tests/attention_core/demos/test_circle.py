"""The circle against hand-computed sines, cosines and exponentials."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from attention_core.demos.circle import Turn, circle
from attention_core.demos.scoring import AdditiveChoice


def by_hand(
    query_degrees: list[float], key_degrees: list[float], lengths: list[float], temperature: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Weights and outputs from ``r cos(difference of the angles)``, without a vector for the scores."""
    weights, outputs = [], []
    for query in query_degrees:
        scores = [
            r * math.cos(math.radians(query - key)) / temperature for key, r in zip(key_degrees, lengths, strict=True)
        ]
        exponentials = [math.exp(score) for score in scores]
        row = [e / sum(exponentials) for e in exponentials]
        weights.append(row)
        outputs.append(
            [
                sum(w * r * turn(math.radians(key)) for w, r, key in zip(row, lengths, key_degrees, strict=True))
                for turn in (math.cos, math.sin)
            ]
        )
    return np.array(weights), np.array(outputs)


def lengthened(index: int) -> list[float]:
    return [5.0 if key == index else 1.0 for key in range(10)]


TEN = [36.0 * index for index in range(10)]


def test_one_query_among_ten_keys() -> None:
    stages = circle(10, [45.0]).stages
    np.testing.assert_allclose(stages["output"], [[0.31564538, 0.31564537]], atol=1e-8)
    assert stages["weights"].shape == (1, 10)
    assert stages["weights"].sum() == pytest.approx(1, abs=1e-14)
    assert stages["weights"].argmax() == 1
    assert stages["weights"].max() == pytest.approx(0.2121, abs=5e-5)
    np.testing.assert_allclose(
        stages["keys"][3], [math.cos(math.radians(108)), math.sin(math.radians(108))], atol=1e-15
    )
    assert stages["values"].tolist() == stages["keys"].tolist()


def test_three_queries_at_once() -> None:
    stages = circle(10, [45.0, 0.0, 90.0]).stages
    weights, outputs = by_hand([45.0, 0.0, 90.0], TEN, [1.0] * 10)
    assert stages["output"].shape == (3, 2)
    assert stages["weights"].shape == (3, 10)
    np.testing.assert_allclose(stages["weights"], weights, rtol=1e-13)
    np.testing.assert_allclose(stages["output"], outputs, atol=1e-14)


def test_a_longer_key_on_the_querys_side_gains() -> None:
    before, after = circle(10, [45.0]).stages, circle(10, [45.0], lengths=lengthened(3)).stages
    assert before["weights"][0, 3] == pytest.approx(0.124, abs=5e-4)
    assert after["weights"][0, 3] == pytest.approx(0.466, abs=5e-4)
    np.testing.assert_allclose(after["output"], [[-0.504, 2.337]], atol=5e-4)
    np.testing.assert_allclose(after["weights"], by_hand([45.0], TEN, lengthened(3))[0], rtol=1e-13)


def test_a_longer_key_on_the_other_side_loses() -> None:
    before, after = circle(10, [45.0]).stages, circle(10, [45.0], lengths=lengthened(4)).stages
    assert before["weights"][0, 4] == pytest.approx(0.0675, abs=5e-5)
    assert after["weights"][0, 4] == pytest.approx(0.0373, abs=5e-5)


def test_cosine_scores_do_not_see_the_length_but_the_output_does() -> None:
    plain = circle(10, [45.0], mechanism="cosine").stages
    longer = circle(10, [45.0], mechanism="cosine", lengths=lengthened(3)).stages
    np.testing.assert_allclose(longer["weights"], plain["weights"], rtol=1e-13)
    assert np.abs(longer["output"] - plain["output"]).max() > 0.4


@pytest.mark.parametrize("n", [1, 2, 7, 24])
@pytest.mark.parametrize("temperature", [0.05, 1.0, 30.0])
def test_any_number_of_keys_and_any_temperature(n: int, temperature: float) -> None:
    angles = [360.0 * index / n for index in range(n)]
    result = circle(n, [10.0, 200.0], temperature=temperature)
    weights, outputs = by_hand([10.0, 200.0], angles, [1.0] * n, temperature)
    np.testing.assert_allclose(result.stages["weights"], weights, rtol=1e-12)
    np.testing.assert_allclose(result.stages["output"], outputs, atol=1e-13)
    assert result.scale == pytest.approx(1 / temperature)


def test_scaled_dot_divides_by_root_two() -> None:
    scaled = circle(10, [45.0], mechanism="scaled_dot").stages["weights"]
    np.testing.assert_allclose(scaled, by_hand([45.0], TEN, [1.0] * 10, math.sqrt(2))[0], rtol=1e-13)


def test_angles_and_lengths_of_ones_own() -> None:
    angles, lengths = [10.0, 100.0, -30.0], [1.0, 2.0, 0.0]
    stages = circle(3, [50.0], key_angles_deg=angles, lengths=lengths).stages
    np.testing.assert_allclose(stages["weights"], by_hand([50.0], angles, lengths)[0], rtol=1e-13)
    doubled = circle(3, [50.0], key_angles_deg=angles, lengths=lengths, query_lengths=[2.0]).stages
    np.testing.assert_allclose(doubled["weights"], by_hand([50.0], angles, lengths, 0.5)[0], rtol=1e-13)


def test_turning_is_adding_angles() -> None:
    turn = Turn(query_positions=[4.0], key_positions=[0.0, 1.0, 2.0], theta=0.5)
    stages = circle(3, [30.0], turn=turn).stages
    turned = [120.0 * index + math.degrees(0.5 * index) for index in range(3)]
    weights, _ = by_hand([30.0 + math.degrees(2.0)], turned, [1.0] * 3)
    np.testing.assert_allclose(stages["weights"], weights, rtol=1e-13)
    np.testing.assert_allclose(stages["values"], circle(3, [30.0]).stages["values"], rtol=0)
    moved = Turn(query_positions=[14.0], key_positions=[10.0, 11.0, 12.0], theta=0.5)
    np.testing.assert_allclose(circle(3, [30.0], turn=moved).stages["weights"], weights, rtol=1e-12)


def test_additive_scores_repeat_under_a_seed_in_any_thread() -> None:
    before = torch.get_rng_state()
    with ThreadPoolExecutor(8) as pool:
        results = list(
            pool.map(lambda _: circle(10, [45.0], mechanism="additive", additive=AdditiveChoice(seed=3)), range(16))
        )
    assert all(np.array_equal(r.stages["output"], results[0].stages["output"]) for r in results)
    other = circle(10, [45.0], mechanism="additive", additive=AdditiveChoice(seed=4))
    assert not np.array_equal(other.stages["output"], results[0].stages["output"])
    assert torch.equal(torch.get_rng_state(), before)


def test_extreme_lengths_and_the_zero_vector() -> None:
    stages = circle(2, [0.0, 180.0], lengths=[1e4, 1e4], query_lengths=[1e4, 0.0]).stages
    assert stages["weights"].tolist() == [[1.0, 0.0], [0.5, 0.5]]


def test_invalid_input_is_named() -> None:
    with pytest.raises(ValueError, match=r"^n must be at least 1, not 0$"):
        circle(0, [1.0])
    with pytest.raises(ValueError, match=r"^lengths must have 3 numbers, not 2$"):
        circle(3, [1.0], lengths=[1.0, 1.0])
    with pytest.raises(ValueError, match=r"^key_angles_deg must have 3 numbers, not 2$"):
        circle(3, [1.0], key_angles_deg=[1.0, 1.0])
    with pytest.raises(ValueError, match=r"^query_lengths must have 1 numbers, not 2$"):
        circle(3, [1.0], query_lengths=[1.0, 1.0])
    with pytest.raises(ValueError, match=r"^key_positions must have 3 numbers, not 1$"):
        circle(3, [1.0], turn=Turn([0.0], [0.0]))
    with pytest.raises(ValueError, match=r"^temperature must be > 0, not -1.0$"):
        circle(3, [1.0], temperature=-1.0)
