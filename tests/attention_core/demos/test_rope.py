"""RoPE results against dense rotation matrices and scores computed one at a time."""

import math

import numpy as np
import pytest
import torch

from attention_core import rope
from attention_core.demos.rope import compare_scalings, rope_numbers
from attention_core.rope import PAIRINGS, Pairing
from attention_core.rope_scaling import DynamicNtk, Linear, Yarn

QUERY = [0.3, -1.2, 0.5, 2.0, -0.7, 0.1]
KEY = [1.1, 0.4, -0.9, 0.2, 0.6, -1.5]


def naive_scores(pairing: Pairing, query_at: list[float], key_at: list[float], key_pairing: Pairing) -> np.ndarray:
    query, key = (torch.tensor(v, dtype=torch.float64) for v in (QUERY, KEY))
    theta = rope.frequencies(6)
    scores = np.zeros((len(query_at), len(key_at)))
    for row, m in enumerate(query_at):
        for col, n in enumerate(key_at):
            turned = rope.rotation_matrix(m, theta, pairing=pairing) @ query
            scores[row, col] = turned @ (rope.rotation_matrix(n, theta, pairing=key_pairing) @ key)
    return scores


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_every_number(pairing):
    positions = [0, 1, -2, 3.5]
    numbers = rope_numbers(6, positions, pairing, vector=QUERY, key=KEY)
    theta = np.array([1.0, 10_000 ** (-1 / 3), 10_000 ** (-2 / 3)])
    np.testing.assert_allclose(numbers.frequencies, theta, rtol=1e-15)
    np.testing.assert_allclose(numbers.wavelengths, 2 * math.pi / theta, rtol=1e-15)
    np.testing.assert_allclose(numbers.angles, np.outer(positions, theta), rtol=1e-15)
    np.testing.assert_allclose(numbers.cos, np.cos(np.outer(positions, theta)), atol=1e-15)
    np.testing.assert_allclose(numbers.sin, np.sin(np.outer(positions, theta)), atol=1e-15)
    np.testing.assert_allclose(numbers.norms, np.linalg.norm(QUERY), rtol=1e-14)
    np.testing.assert_allclose(
        numbers.relative_scores, naive_scores(pairing, positions, positions, pairing), atol=1e-14
    )
    at_zero = numbers.rotated[0]
    np.testing.assert_array_equal(at_zero, QUERY)
    assert numbers.permutation.tolist() == [0, 2, 4, 1, 3, 5]
    assert (numbers.slide, numbers.mixed_pairings, numbers.composition) == (None, None, None)


def test_the_query_is_one_and_zero_in_every_pair_unless_given():
    for pairing, expected in (("interleaved", [1, 0, 1, 0, 0, 0]), ("half_split", [1, 1, 0, 0, 0, 0])):
        numbers = rope_numbers(6, [0, 2], pairing, rotary_dim=4)
        assert numbers.vector.tolist() == expected
        c = math.cos(2) + math.cos(0.02)
        np.testing.assert_allclose(numbers.relative_scores, [[2, c], [c, 2]], atol=1e-14)


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_sliding(pairing):
    positions = [0, 3, 4]
    slide = rope_numbers(6, positions, pairing, vector=QUERY, key=KEY, slide=11).slide
    assert slide is not None
    moved = [p + 11 for p in positions]
    np.testing.assert_allclose(slide.both, naive_scores(pairing, positions, positions, pairing), atol=1e-14)
    np.testing.assert_allclose(slide.query_only, naive_scores(pairing, moved, positions, pairing), atol=1e-14)
    assert slide.largest_change_both <= 1e-14
    assert slide.largest_change_query_only > 0.1


@pytest.mark.parametrize("precision", ["float64", "float32", "float16", "bfloat16"])
def test_shift_invariance_in_every_precision(precision):
    bound = {"float64": 1e-14, "float32": 1e-6, "float16": 4e-3, "bfloat16": 4e-2}[precision]
    unit = (np.array(QUERY) / np.linalg.norm(QUERY)).tolist()
    slide = rope_numbers(6, list(range(20)), "half_split", vector=unit, precision=precision, slide=20).slide
    assert slide is not None
    assert slide.largest_change_both <= bound


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_mixing_the_pairings(pairing):
    other: Pairing = "half_split" if pairing == "interleaved" else "interleaved"
    positions = [0, 1, 2]
    numbers = rope_numbers(6, positions, pairing, vector=QUERY, key=KEY, mix_pairings=True)
    mixed = numbers.mixed_pairings
    assert mixed is not None
    assert numbers.relative_scores is not None
    np.testing.assert_allclose(mixed.mixed_scores, naive_scores(pairing, positions, positions, other), atol=1e-14)
    np.testing.assert_allclose(mixed.wrong_layout_scores, naive_scores(other, positions, positions, other), atol=1e-14)
    np.testing.assert_allclose(mixed.permuted_scores, numbers.relative_scores, atol=1e-14)
    assert np.ptp(np.diagonal(mixed.mixed_scores)) > 0.1
    assert np.ptp(np.diagonal(mixed.wrong_layout_scores)) < 1e-14
    assert np.abs(mixed.wrong_layout_scores - numbers.relative_scores).max() > 0.1
    assert mixed.largest_change_on_slide > 0.1


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_permuting_leaves_what_is_not_turned(pairing):
    vector = [*QUERY, 7.0, -3.0]
    mixed = rope_numbers(8, [0, 5], pairing, rotary_dim=6, vector=vector, mix_pairings=True).mixed_pairings
    plain = rope_numbers(8, [0, 5], pairing, rotary_dim=6, vector=vector).relative_scores
    assert mixed is not None
    np.testing.assert_allclose(mixed.permuted_scores, plain, atol=1e-13)


def test_composition():
    composition = rope_numbers(128, [0], "interleaved", compose=[3, 10]).composition
    assert composition is not None
    expected = rope.rotation_matrix(7, rope.frequencies(128), pairing="interleaved")
    np.testing.assert_allclose(composition.product, expected, atol=1e-14)
    np.testing.assert_array_equal(composition.difference_rotation, expected)
    assert composition.largest_difference <= 1e-14


def test_own_frequencies_scaling_and_distances():
    numbers = rope_numbers(2, [0, 1, 2], "interleaved", frequencies=[0.5], vector=[1, 0], distances=[0, 7])
    np.testing.assert_allclose(numbers.rotated, [[1, 0], [0.8776, 0.4794], [0.5403, 0.8415]], atol=5e-5)
    np.testing.assert_allclose(numbers.decay, [1, 1], rtol=1e-15)
    scaled = rope_numbers(2, [0, 1, 2], "half_split", scaling=Linear(2), vector=[1, 0])
    np.testing.assert_allclose(scaled.rotated, numbers.rotated, atol=1e-15)


def test_dynamic_scaling_reads_the_length_from_the_positions():
    scaling = DynamicNtk(2.0, trained_length=16)
    numbers = rope_numbers(8, [0, 63], "half_split", scaling=scaling)
    expected = rope.frequencies(8, scaling=scaling, sequence_length=64)
    np.testing.assert_array_equal(numbers.frequencies, expected)
    told = rope_numbers(8, [0, 63], "half_split", scaling=scaling, sequence_length=16)
    np.testing.assert_allclose(told.frequencies, rope.frequencies(8), rtol=1e-15)


def test_past_the_trained_length():
    positions = [0, 1, 511, 512, 1500]
    stretches = {s.kind: s for s in compare_scalings(64, positions, base=10_000.0, trained_length=512, factor=4)}
    assert list(stretches) == ["none", "linear", "ntk", "dynamic", "yarn", "llama3"]
    plain = rope.frequencies(64).numpy()
    for kind, stretch in stretches.items():
        np.testing.assert_allclose(stretch.angles, np.outer(positions, stretch.frequencies), rtol=1e-15)
        factor = 0.1 * math.log(4) + 1 if kind == "yarn" else 1
        expected = [factor**2 * np.mean([math.cos(m * t) for t in stretch.frequencies]) for m in positions]
        np.testing.assert_allclose(stretch.scores, expected, atol=1e-14)
        slow = 512 * plain < 2 * math.pi
        unseen = [int(((m * stretch.frequencies > 512 * plain) & slow).sum()) for m in positions]
        assert stretch.unseen_pairs.tolist() == unseen
    never_finished_a_turn = int((512 * plain < 2 * math.pi).sum())
    assert stretches["none"].unseen_pairs.tolist() == [0, 0, 0, 0, never_finished_a_turn]
    assert stretches["linear"].unseen_pairs.tolist() == [0] * 5
    np.testing.assert_allclose(stretches["linear"].frequencies, plain / 4, rtol=1e-15)
    np.testing.assert_array_equal(
        stretches["yarn"].frequencies, rope.frequencies(64, scaling=Yarn(4, trained_length=512))
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dim": 5}, r"^dim must be even and at least 2, not 5"),
        ({"rotary_dim": 8}, r"^rotary_dim must be at most dim \(6\), not 8"),
        ({"vector": [1.0]}, r"^vector must have dim \(6\) numbers, not 1"),
        ({"key": [1.0] * 7}, r"^key must have dim \(6\) numbers, not 7"),
        ({"frequencies": [1.0]}, r"^frequencies must have one entry for each of 3 pairs, not 1"),
        ({"vector": [1e5] * 6, "precision": "float16"}, r"^vector must fit float16, whose largest number is 65504"),
        ({"vector": [6e4] * 6, "precision": "float16"}, r"^precision float16 cannot hold the scores"),
    ],
)
def test_bad_input(arguments, message):
    dim = arguments.pop("dim", 6)
    with pytest.raises(ValueError, match=message):
        rope_numbers(dim, [0, 1], "interleaved", **arguments)
