"""Masks by kind, masked scores, and leaks of finite mask values."""

import math

import numpy as np
import pytest
import torch

from attention_core.demos.masks import MaskChoice, apply_mask, example_scores, leaks
from attention_core.masks import causal_mask, prefix_mask, sliding_window_mask

INFINITY = float("inf")
FOUR = np.array([[2.1, 4.5, 1.8, 3.2], [1.2, 3.4, 2.8, 1.9], [0.8, 2.1, 4.0, 2.5], [1.5, 2.9, 1.3, 3.7]])


def weights_by_hand(scores: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    exponentials = np.where(allowed, np.exp(scores - scores.max()), 0.0)
    total = exponentials.sum(-1, keepdims=True)
    return np.divide(exponentials, total, out=np.zeros_like(exponentials), where=total > 0)


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (MaskChoice("none"), torch.ones(3, 5, dtype=torch.bool)),
        (MaskChoice("causal"), causal_mask(3, 5)),
        (MaskChoice("sliding_window", window=2), sliding_window_mask(3, 5, 2)),
        (MaskChoice("sliding_window", window=2, causal_only=False), sliding_window_mask(3, 5, 2, causal_only=False)),
        (MaskChoice("prefix", prefix=0), prefix_mask(3, 5, 0)),
        (MaskChoice("prefix", prefix=4), prefix_mask(3, 5, 4)),
        (MaskChoice("padding", lengths=2), torch.tensor([[True, True, False, False, False]] * 3)),
        (MaskChoice("padding", is_token=[False, True, True, True, True]), torch.tensor([[False] + [True] * 4] * 3)),
        (
            MaskChoice("custom", allowed=[[True, False, True, False, True]] * 3),
            torch.tensor([[True, False] * 2 + [True]] * 3),
        ),
        (
            MaskChoice("custom", additive=[[0.0, -INFINITY, -1.0, 2.0, 0.0]] * 3),
            torch.tensor([[True, False, True, True, True]] * 3),
        ),
    ],
)
def test_each_kind(choice: MaskChoice, expected: torch.Tensor) -> None:
    scores = example_scores(3, 5, seed=1)
    result = apply_mask(choice, scores)
    assert result.allowed.tolist() == expected.tolist()
    added = np.array(choice.additive) if choice.additive else np.where(expected, 0.0, -INFINITY)
    assert result.additive.tolist() == added.tolist()
    assert result.masked_scores.tolist() == (scores + added).tolist()
    finite = np.where(expected, scores + added, 0.0)
    np.testing.assert_allclose(result.weights, weights_by_hand(finite, expected.numpy()), rtol=1e-13, atol=1e-16)
    assert not result.fully_masked.any()


def test_the_four_by_four_example() -> None:
    result = apply_mask(MaskChoice("causal"), FOUR)
    np.testing.assert_allclose(result.weights[3], [0.0671, 0.2722, 0.0550, 0.6057], atol=5e-5)
    assert result.masked_scores[0].tolist() == [2.1, -INFINITY, -INFINITY, -INFINITY]
    assert result.weights[0].tolist() == [1.0, 0.0, 0.0, 0.0]


def test_pads_of_a_batch_get_exactly_nothing() -> None:
    scores = example_scores(5, 5)
    result = apply_mask(MaskChoice("padding", lengths=[5, 3]), scores)
    assert result.weights.shape == (2, 5, 5)
    assert (result.weights[1, :, 3:] == 0.0).all()
    for index, length in enumerate((5, 3)):
        expected = weights_by_hand(scores, np.broadcast_to(np.arange(5) < length, (5, 5)))
        np.testing.assert_allclose(result.weights[index], expected, rtol=1e-13)
    same = apply_mask(
        MaskChoice("padding", is_token=[[True] * 5, [True] * 3 + [False] * 2]), np.stack([scores, scores])
    )
    assert same.weights.tolist() == result.weights.tolist()


def test_left_padding_with_a_causal_mask_leaves_rows_that_read_nothing() -> None:
    result = apply_mask(MaskChoice("padding", is_token=[False, False, True, True], causal=True), example_scores(4, 4))
    assert result.allowed.tolist() == [
        [False] * 4,
        [False] * 4,
        [False, False, True, False],
        [False, False, True, True],
    ]
    assert result.fully_masked.tolist() == [True, True, False, False]
    assert result.weights[:2].tolist() == [[0.0] * 4] * 2
    assert result.entropy[:3].tolist() == [0.0] * 3
    assert np.isfinite(result.weights).all()
    additive = [[0.0, 1.0], [2.0, 0.0]]
    both = apply_mask(MaskChoice("custom", additive=additive, causal=True), np.zeros((2, 2)))
    assert both.masked_scores.tolist() == [[0.0, -INFINITY], [2.0, 0.0]]


def test_a_sentence_of_nothing_but_pads() -> None:
    result = apply_mask(MaskChoice("padding", lengths=[0, 2]), example_scores(2, 2))
    assert result.fully_masked.tolist() == [[True, True], [False, False]]
    assert result.weights[0].tolist() == [[0.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("precision", ["float64", "float32", "float16", "bfloat16"])
def test_extreme_scores_in_every_precision(precision) -> None:
    scores = np.array([[1e4, -1e4, 1e4], [-1e4, -1e4, 1e4], [0.0, 1e4, -1e4]])
    result = apply_mask(MaskChoice("causal"), scores, precision)
    assert result.weights.tolist() == [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 1.0, 0.0]]


@pytest.mark.parametrize("precision", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("fill", [-1e4, -1e5, -1e9])
def test_finite_numbers_leak_in_a_row_that_may_read_nothing(precision, fill: float) -> None:
    choice = MaskChoice("padding", lengths=[0, 2])
    [leak] = leaks(choice, example_scores(2, 2), [fill], [precision])
    beyond = precision == "float16" and fill < -65504
    assert (leak.stored == -INFINITY) is beyond
    assert leak.leaked[0].tolist() == ([0.0, 0.0] if beyond else [1.0, 1.0])
    assert leak.leaked[1].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("precision", ["float16", "bfloat16", "float32"])
def test_no_row_leaks_more_than_all_of_its_weight(precision) -> None:
    choice = MaskChoice("padding", lengths=[0, 5])
    for leak in leaks(choice, example_scores(6, 6), [-1e4, -1e9], [precision]):
        assert leak.largest <= 1.0


def test_finite_numbers_leak_where_scores_are_as_large() -> None:
    scores = np.array([[-2e4, 3e4], [0.0, 0.0]])
    choice = MaskChoice("causal")
    found = {(leak.precision, leak.fill): leak for leak in leaks(choice, scores, [-1e4, -1e5, -INFINITY])}
    for precision in ("float16", "bfloat16", "float32"):
        assert found[precision, -1e4].leaked.tolist() == [1.0, 0.0]
        assert found[precision, -INFINITY].leaked.tolist() == [0.0, 0.0]
        assert found[precision, -1e5].leaked.tolist() == [0.0, 0.0]
    larger = leaks(choice, np.array([[-6e4, 6e4], [0.0, 0.0]]), [-1e5], ["float32", "bfloat16"])
    assert [leak.leaked[0] for leak in larger] == [1.0, 1.0]


@pytest.mark.parametrize("precision", ["float16", "bfloat16", "float32"])
def test_an_allowed_score_below_a_masked_one_leaks(precision) -> None:
    [leak] = leaks(MaskChoice("causal"), np.array([[-12000.0, 0.0], [0.0, 0.0]]), [-1e4], [precision])
    assert leak.weights[0].tolist() == [0.0, 1.0]
    assert leak.leaked.tolist() == [1.0, 0.0]


def test_a_large_number_rounds_the_scores_away() -> None:
    scores = np.array([[1.0, 2.0, 3.0]])
    for fill, precision in [(-1e9, "float32"), (-1e5, "bfloat16"), (-1e9, "bfloat16")]:
        [leak] = leaks(MaskChoice("padding", lengths=0), scores, [fill], [precision])
        np.testing.assert_allclose(leak.weights, [[1 / 3] * 3], atol=2e-3)
    [leak] = leaks(MaskChoice("padding", lengths=0), scores, [-1e4], ["float32"])
    expected = np.exp(scores) / np.exp(scores).sum()
    np.testing.assert_allclose(leak.weights, expected, atol=2e-3)


def test_without_a_mask_nothing_is_forbidden_and_nothing_leaks() -> None:
    [leak] = leaks(MaskChoice("none"), np.zeros((2, 3)), [-1e4], ["float32"])
    assert leak.leaked.tolist() == [0.0, 0.0]


def test_example_scores_repeat() -> None:
    assert example_scores(3, 5, 7).tolist() == example_scores(3, 5, 7).tolist()
    assert example_scores(3, 5, 7).tolist() != example_scores(3, 5, 8).tolist()
    assert all(math.isclose(x, round(x, 1), abs_tol=1e-12) for x in example_scores(3, 5).ravel())


def test_sizes_that_the_mask_itself_says() -> None:
    assert MaskChoice("causal").sizes() == (None, None)
    assert MaskChoice("padding", lengths=[3, 5]).sizes() == (None, 5)
    assert MaskChoice("padding", is_token=[True, False]).sizes() == (None, 2)
    assert MaskChoice("custom", allowed=[[True, False, True]]).sizes() == (1, 3)
    assert MaskChoice("custom", additive=[[0.0], [0.0]]).sizes() == (2, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "causal", "window": 3}, r"^window is not an option of a mask of kind causal$"),
        ({"kind": "sliding_window"}, r"^kind sliding_window needs window$"),
        ({"kind": "prefix"}, r"^kind prefix needs prefix$"),
        ({"kind": "padding"}, r"^kind padding needs either lengths or is_token$"),
        ({"kind": "padding", "lengths": [1], "is_token": [[True]]}, r"^kind padding needs either lengths or is_token$"),
        ({"kind": "custom"}, r"^kind custom needs either allowed or additive$"),
        ({"kind": "custom", "allowed": [[True], [True, False]]}, r"^allowed must have rows of one length: row 1 has 2"),
    ],
)
def test_options_that_do_not_belong_together(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MaskChoice(**options)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (MaskChoice("padding", lengths=[4]), r"^lengths must lie between 0 and the 3 keys, not \[4\]$"),
        (MaskChoice("padding", lengths=-1), r"^lengths must lie between 0 and the 3 keys, not -1$"),
        (MaskChoice("padding", is_token=[True]), r"^is_token must have one entry for each of 3 keys, not 1$"),
        (MaskChoice("custom", allowed=[[True]]), r"^allowed must have 2 rows of 3 entries, not 1 rows of 1$"),
        (MaskChoice("custom", additive=[[0.0] * 3]), r"^additive must have 2 rows of 3 entries, not 1 rows of 3$"),
        (MaskChoice("sliding_window", window=0), r"^window must be at least 1, not 0"),
    ],
)
def test_masks_that_do_not_fit(choice: MaskChoice, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        apply_mask(choice, np.zeros((2, 3)))


def test_batches_must_be_as_many() -> None:
    with pytest.raises(ValueError, match=r"^scores hold 3 matrices but the mask covers 2 sequences$"):
        apply_mask(MaskChoice("padding", lengths=[1, 2]), np.zeros((3, 2, 2)))
    with pytest.raises(ValueError, match=r"^scores must fit float16"):
        apply_mask(MaskChoice("causal"), np.full((2, 2), 1e5), "float16")
