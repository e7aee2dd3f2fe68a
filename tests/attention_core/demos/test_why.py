"""Three ways to take in a sentence, against autograd and NumPy."""

import math

import numpy as np
import pytest
import torch

from attention_core.demos.why import RecurrentReading, numbered, three_ways

WORDS = [0, 1, 2, 3, 0, 4, 5, 6, 7, 8]
GAINS = [0.5, 0.9, 1.3]


def vector(word: int, dim: int, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(1000 * seed + word + 1)
    drawn = torch.randn(dim, generator=generator, dtype=torch.float64)
    return drawn * math.sqrt(dim) / drawn.norm()


def parts(dim: int, seed: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    drawn = [torch.randn(dim, dim, generator=generator, dtype=torch.float64) for _ in range(3)]
    orthogonal, _ = torch.linalg.qr(drawn[0])
    return orthogonal, drawn[1] / (2 * math.sqrt(dim)), drawn[2] / math.sqrt(dim)


def by_autograd(vectors: torch.Tensor, hidden_weight: torch.Tensor, input_weight: torch.Tensor) -> list[float]:
    def last_state(read: torch.Tensor) -> torch.Tensor:
        state = torch.zeros(len(hidden_weight), dtype=torch.float64)
        for one in read:
            state = torch.tanh(hidden_weight @ state + input_weight @ one)
        return state

    jacobian = torch.autograd.functional.jacobian(last_state, vectors)
    return [float(np.linalg.svd(jacobian[:, t].numpy(), compute_uv=False)[0]) for t in range(len(vectors))]


@pytest.mark.parametrize(("dim", "seed", "reader"), [(32, 0, 7), (16, 3, 9), (5, 1, 0)])
def test_influences_are_those_of_autograd(dim: int, seed: int, reader: int) -> None:
    found = three_ways(WORDS, reader=reader, asks=7, wanted=1, gains=GAINS, dim=dim, seed=seed)
    vectors = torch.stack([vector(word, dim, seed) for word in WORDS])
    orthogonal, input_weight, _ = parts(dim, seed)
    assert [one.gain for one in found.recurrent] == GAINS
    for one in found.recurrent:
        expected = by_autograd(vectors[: reader + 1], one.gain * orthogonal, input_weight)
        np.testing.assert_allclose(one.influences[: reader + 1], expected, rtol=1e-10)
        assert one.influences[reader + 1 :].tolist() == [0] * (len(WORDS) - reader - 1)
        np.testing.assert_allclose(one.shares, one.influences / one.influences.sum(), rtol=1e-14)
        norm = np.linalg.svd(input_weight.numpy(), compute_uv=False)[0]
        np.testing.assert_allclose(
            one.bounds[: reader + 1], [one.gain ** (reader - t) * norm for t in range(reader + 1)]
        )
        assert (one.influences <= one.bounds).all()


def test_weights_are_softmax_of_the_scores_and_the_asking_word_finds_the_wanted_one() -> None:
    found = three_ways(WORDS, reader=7, asks=7, wanted=1, gains=[1.0], dim=32, seed=4)
    vectors = np.stack([vector(word, 32, 4).numpy() for word in WORDS])
    start = parts(32, 4)[2].numpy()
    query_weight = start + np.outer(vectors[1] - start @ vectors[7], vectors[7]) / 32
    np.testing.assert_allclose(query_weight @ vectors[7], vectors[1], atol=1e-13)
    scores = vectors @ query_weight.T @ vectors.T / math.sqrt(32)
    np.testing.assert_allclose(found.scores, scores, atol=1e-13)
    np.testing.assert_allclose(found.scores[7, 1], math.sqrt(32), rtol=1e-14)
    np.testing.assert_allclose(found.weights, np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True), atol=1e-14)
    np.testing.assert_allclose(found.weights[:, 0], found.weights[:, 4], rtol=1e-14)  # the, twice
    assert found.weights[7].argmax() == 1
    np.testing.assert_array_equal(found.average, [0.1] * 10)
    assert (found.effort.recurrent_steps, found.effort.recurrent_path, found.effort.compared_pairs) == (10, 6, 100)


def test_words_are_numbered_by_their_first_appearance() -> None:
    assert numbered(["the", "cat", "sat", "on", "the", "mat", "because", "it", "was", "tired."]) == WORDS


def fades(reading: RecurrentReading, reader: int) -> float:
    return float(reading.influences[0] / reading.influences[reader])


def test_a_gain_below_one_fades_and_the_distance_does_not_matter_to_attention() -> None:
    between = list(range(100, 140))
    long = [*WORDS[:2], *between, *WORDS[2:]]
    near = three_ways(WORDS, reader=7, asks=7, wanted=1, gains=GAINS, dim=32)
    far = three_ways(long, reader=47, asks=47, wanted=1, gains=GAINS, dim=32)
    assert far.scores[47, 1] == pytest.approx(near.scores[7, 1], rel=1e-14)
    assert far.weights[47].argmax() == 1
    assert far.weights[47, 1] > 0.7
    low, usual, high = (fades(one, 47) for one in far.recurrent)
    assert low < 0.5**47
    assert usual < 1e-6
    assert 0.001 < high < 1


def test_bad_input() -> None:
    for name in ("reader", "asks", "wanted"):
        given = {"reader": 0, "asks": 0, "wanted": 0, name: 3}
        with pytest.raises(ValueError, match=rf"^{name} must be a position from 0 to 2, not 3"):
            three_ways([0, 1, 2], **given, gains=[1.0], dim=4)
    with pytest.raises(ValueError, match=r"^reader must be a position from 0 to 0, not -1"):
        three_ways([0], reader=-1, asks=0, wanted=0, gains=[1.0], dim=4)
