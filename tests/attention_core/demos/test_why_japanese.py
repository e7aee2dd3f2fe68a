"""The translation and the asymmetry of 吾輩は猫である, each number from the features by hand."""

import math

import numpy as np
import pytest
import torch

from attention_core.demos.why_japanese import asymmetry, translation


def softmax(scores: np.ndarray) -> np.ndarray:
    return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)


def test_each_word_looks_where_its_features_are() -> None:
    found = translation(gain=0.9, dim=32)
    # 8 · feature · feature / √4: I asks for the speaker (1) and the topic (½), am for being, a half for the animal.
    scores = np.array([[4, 2, 0, 0, 0], [0, 0, 0, 2.4, 4], [0, 0, 2.4, 0, 0], [0, 0, 4, 0, 0]])
    np.testing.assert_allclose(found.scores, scores, atol=1e-14)
    np.testing.assert_allclose(found.weights, softmax(scores), atol=1e-14)
    looked = [found.source[at] for at in found.weights.argmax(axis=1)]
    assert dict(zip(found.target, looked, strict=True)) == {"I": "吾輩", "am": "ある", "a": "猫", "cat": "猫"}


@pytest.mark.parametrize(("gain", "dim", "seed"), [(0.9, 32, 0), (1.2, 16, 5)])
def test_one_vector_is_the_same_for_every_word(gain: float, dim: int, seed: int) -> None:
    found = translation(gain=gain, dim=dim, seed=seed)
    generator = torch.Generator().manual_seed(seed)
    orthogonal, _ = torch.linalg.qr(torch.randn(dim, dim, generator=generator, dtype=torch.float64))
    cell = torch.nn.RNNCell(4, dim, bias=False, dtype=torch.float64)
    cell.weight_hh.data = gain * orthogonal
    cell.weight_ih.data = torch.randn(dim, 4, generator=generator, dtype=torch.float64) / 4  # ½ / √4

    def last_state(read: torch.Tensor) -> torch.Tensor:
        state = torch.zeros(dim, dtype=torch.float64)
        for one in read:
            state = cell(one, state)
        return state

    jacobian = torch.autograd.functional.jacobian(last_state, torch.tensor(found.source_features))
    influences = np.array([np.linalg.svd(jacobian[:, t].numpy(), compute_uv=False)[0] for t in range(5)])
    np.testing.assert_allclose(found.through_one_vector, [influences / influences.sum()] * 4, rtol=1e-10)


def test_scores_with_two_matrices_are_not_symmetric() -> None:
    found = asymmetry()
    name, i, cat = (found.tokens.index(word) for word in ("名前", "吾輩", "猫"))
    nine = 9 / math.sqrt(2)
    expected = np.zeros((11, 11))
    expected[name, [i, cat]] = nine  # asks for someone: both are
    expected[[i, cat], cat] = nine  # someone asks for a kind: 猫 is one
    np.testing.assert_allclose(found.own.scores, expected, atol=1e-14)
    np.testing.assert_allclose(found.own.weights, softmax(expected), atol=1e-14)
    # Of S − Sᵀ six cells are left: 名前 with 吾輩 and 猫, 吾輩 with 猫, and their mirrors; of S four.
    assert found.own.asymmetry == pytest.approx(math.sqrt(6 / 4), rel=1e-14)


def test_one_matrix_has_the_same_score_in_both_directions() -> None:
    shared = asymmetry().shared
    np.testing.assert_array_equal(shared.query_weight, shared.key_weight)
    np.testing.assert_array_equal(shared.scores, shared.scores.T)
    assert shared.asymmetry == 0
    vectors = asymmetry().vectors @ shared.query_weight.T
    np.testing.assert_allclose(shared.scores, vectors @ vectors.T / math.sqrt(2), atol=1e-14)
    assert shared.scores[6, 0] == pytest.approx(2.25 / math.sqrt(2))


def test_between_one_matrix_and_two() -> None:
    half, none = asymmetry(0.5), asymmetry(0.0)
    np.testing.assert_array_equal(none.own.scores, none.shared.scores)
    np.testing.assert_allclose(
        half.own.query_weight, (asymmetry().own.query_weight + half.shared.query_weight) / 2, atol=1e-15
    )
    assert 0 < half.own.asymmetry < asymmetry().own.asymmetry
    for difference in (-0.1, 1.1):
        with pytest.raises(ValueError, match=r"^difference must be from 0 to 1, not "):
            asymmetry(difference)
