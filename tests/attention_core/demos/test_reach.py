"""Reach of a small model with drawn masks: measured by replacing tokens, against products of the masks."""

from itertools import product

import numpy as np
import pytest
import torch

from attention_core.demos.reach import MIXINGS, SmallModel, measure_reach, mix, mixed_positions

CAUSAL = np.tril(np.ones((6, 6), dtype=bool))


def with_hole(query: int, key: int) -> np.ndarray:
    mask = CAUSAL.copy()
    mask[query, key] = True
    return mask


MASKS = {
    "causal": CAUSAL,
    "hole": with_hole(1, 4),
    "window": np.triu(CAUSAL, -1),
    "documents": CAUSAL & np.kron(np.eye(2, dtype=bool), np.ones((3, 3), dtype=bool)),
    "prefix": CAUSAL | (np.arange(6) < 3),
    "strided": CAUSAL & ((np.arange(6)[:, None] - np.arange(6)) % 2 == 0),
    "full": np.ones((6, 6), dtype=bool),
    "nothing": np.zeros((6, 6), dtype=bool),
    "random": np.random.default_rng(5).random((6, 6)) < 0.25,
}


def walked(masks: list[np.ndarray], beside: np.ndarray) -> np.ndarray:
    """After each layer, the keys found by walking back from each query: beside attention, then through it or not."""
    count = len(beside)
    found = np.zeros((len(masks), count, count), dtype=bool)
    for layers, query in product(range(1, len(masks) + 1), range(count)):
        at = {query}
        for mask in reversed(masks[:layers]):
            at = {key for one in at for key in range(count) if beside[one, key]}
            at |= {key for one in at for key in range(count) if mask[one, key]}
        found[layers - 1, query, sorted(at)] = True
    return found


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("seed", [0, 3])
def test_with_attention_alone_it_reaches_what_the_powers_of_the_mask_allow(name: str, seed: int) -> None:
    mask = MASKS[name]
    answer = measure_reach([mask.tolist()], layers=4, seed=seed)
    step = mask | np.eye(6, dtype=bool)
    powers = [np.linalg.matrix_power(step.astype(int), layers) > 0 for layers in range(1, 5)]
    np.testing.assert_array_equal(answer.allowed, powers)
    np.testing.assert_array_equal(answer.reached, powers)
    np.testing.assert_array_equal(answer.allowed, walked([mask] * 4, np.eye(6, dtype=bool)))
    assert not answer.leaks.any(), "the masks are what was intended"


@pytest.mark.parametrize("mixing", MIXINGS)
@pytest.mark.parametrize("name", ["causal", "hole", "window", "documents", "nothing"])
def test_what_passes_beside_attention_reaches_further_than_any_mask_says(mixing: str, name: str) -> None:
    answer = measure_reach([MASKS[name].tolist()], layers=3, mixing=mixing)
    np.testing.assert_array_equal(answer.reached, walked([MASKS[name]] * 3, answer.mixed))
    np.testing.assert_array_equal(answer.allowed, walked([MASKS[name]] * 3, np.eye(6, dtype=bool)))


def test_a_convolution_that_looks_ahead_adds_a_position_a_layer_under_a_causal_mask() -> None:
    answer = measure_reach([CAUSAL.tolist()], layers=4, mixing="convolution")
    ahead = np.arange(6)[None] - np.arange(6)[:, None]
    for layer in range(4):
        np.testing.assert_array_equal(answer.reached[layer], ahead <= layer + 1)
        np.testing.assert_array_equal(answer.allowed[layer], ahead <= 0)
    np.testing.assert_array_equal(answer.leaks, answer.reached & ~CAUSAL)


def test_a_hole_in_one_layer_alone_opens_what_leads_through_it() -> None:
    masks = [CAUSAL, with_hole(1, 4), CAUSAL]
    answer = measure_reach([mask.tolist() for mask in masks], intended=CAUSAL.tolist())
    np.testing.assert_array_equal(answer.reached, walked(masks, np.eye(6, dtype=bool)))
    assert [int(layer.sum()) for layer in answer.leaks] == [0, 3, 6]
    everywhere = measure_reach([with_hole(1, 4).tolist()], layers=3, intended=CAUSAL.tolist())
    assert [int(layer.sum()) for layer in everywhere.leaks] == [1, 5, 6]


def test_the_weights_are_those_of_the_masked_attention() -> None:
    answer = measure_reach([MASKS["random"].tolist()], layers=2)
    for layer in range(2):
        np.testing.assert_array_equal(answer.weights[layer] > 0, MASKS["random"])
        rows = answer.weights[layer].sum(-1)
        np.testing.assert_allclose(rows, MASKS["random"].any(-1).astype(float), atol=1e-6)


def test_a_change_is_the_largest_difference_that_two_other_tokens_make() -> None:
    answer = measure_reach([MASKS["hole"].tolist()], layers=2, seed=4)
    model = SmallModel(torch.tensor(np.stack([MASKS["hole"]] * 2)), "none", 4)
    text = torch.arange(6)
    with torch.no_grad():
        for key in range(6):
            differences = []
            for other in (6, 7):
                changed = text.clone()
                changed[key] = other
                differences.append((model(text[None]) - model(changed[None])).abs().amax(-1)[0])
            expected = torch.stack(differences).amax(0).numpy()
            np.testing.assert_allclose(answer.change[1, :, key], expected, atol=1e-5)


@pytest.mark.parametrize("mixing", MIXINGS)
def test_mixing_passes_between_the_positions_that_it_names(mixing: str) -> None:
    x = torch.randn(5, 16, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    for key in range(5):
        other = x.clone()
        other[key] += 1
        moved = (mix(other, mixing) != mix(x, mixing)).any(-1)
        assert torch.equal(moved, mixed_positions(5, mixing)[:, key])
    if mixing == "convolution":
        expected = x[2] + (x[1] + x[3]) / 4
        torch.testing.assert_close(mix(x, mixing)[2], expected)


@pytest.mark.parametrize(
    ("masks", "more", "message"),
    [
        ([[[True, True]]], {}, "masks must be square"),
        ([[[True, True], [True]]], {}, "masks must be square"),
        ([[[True] * 2] * 2, [[True] * 3] * 3], {}, "masks must be square and of one size"),
        ([[[True] * 2] * 2] * 2, {"layers": 3}, "masks must be one for all 3 layers or one for each, not 2"),
        ([[[True] * 2] * 2], {"layers": 0}, "layers must be at least 1, not 0"),
        ([[[True] * 2] * 2], {"intended": [[True] * 3] * 3}, "intended must have 2 rows as the masks have, not 3"),
    ],
)
def test_masks_that_do_not_fit_are_named(masks, more, message) -> None:
    with pytest.raises(ValueError, match=message):
        measure_reach(masks, **more)
