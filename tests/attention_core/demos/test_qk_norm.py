"""Norms against torch's and their definitions; vector norms against the χ distribution."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch.testing import assert_close

from attention_core.demos.qk_norm import compare_norms, expected_length, norm_concentration, random_vectors
from attention_core.rope import rotation_matrix

Q, K = random_vectors(3, 8, seed=1), random_vectors(5, 8, seed=2)


def by_kind(*args, **kwargs):
    return {normed.kind: normed for normed in compare_norms(*args, **kwargs).norms}


def test_l2_leaves_the_cosine_exactly() -> None:
    angles = np.radians([0, 36, 90, 135, 180])
    vectors = np.stack((np.cos(angles), np.sin(angles)), axis=1) * np.array([[1], [5], [0.2], [7], [3]])
    found = compare_norms(vectors, vectors)
    expected = np.cos(angles[:, None] - angles[None])
    np.testing.assert_allclose(found.cosines, expected, atol=1e-15)
    l2 = found.norms[3]
    np.testing.assert_allclose(l2.dot_products, expected, atol=1e-15)
    np.testing.assert_allclose(l2.query_norms, 1, atol=1e-15)
    assert l2.bound == 1


def test_others_do_not() -> None:
    found = by_kind(Q, K)
    for kind in ("layer", "rms"):
        np.testing.assert_allclose(found[kind].query_norms, math.sqrt(8), rtol=1e-4)
        assert found[kind].bound == 8
        assert np.abs(found[kind].dot_products).max() <= 8
    np.testing.assert_allclose(found["rms"].dot_products, 8 * found["l2"].dot_products, rtol=1e-5)
    np.testing.assert_allclose(found["none"].dot_products, Q @ K.T)
    assert found["none"].bound is None
    assert found["none"].highest == pytest.approx((Q @ K.T).max(), rel=1e-14)


def test_readings_are_torchs() -> None:
    q, k = torch.from_numpy(Q), torch.from_numpy(K)
    found = by_kind(Q, K)
    normed = {
        "none": (q, k),
        "layer": (F.layer_norm(q, (8,)), F.layer_norm(k, (8,))),
        "rms": (F.rms_norm(q, (8,), eps=1e-6), F.rms_norm(k, (8,), eps=1e-6)),
        "l2": (F.normalize(q, dim=-1), F.normalize(k, dim=-1)),
    }
    for kind, (a, b) in normed.items():
        scale = math.sqrt(8) if kind == "l2" else 1 / math.sqrt(8)
        assert found[kind].score_scale == pytest.approx(scale)
        assert_close(torch.from_numpy(found[kind].queries), a, rtol=1e-12, atol=1e-12)
        assert_close(torch.from_numpy(found[kind].weights), torch.softmax(a @ b.T * scale, -1), rtol=1e-12, atol=1e-12)


def test_lengths_of_the_input_do_not_matter_after_a_norm() -> None:
    lengths = np.array([[0.1], [3.0], [50.0]])
    plain, longer = by_kind(Q, K), by_kind(Q * lengths, K)
    np.testing.assert_allclose(longer["l2"].weights, plain["l2"].weights, atol=1e-14)
    np.testing.assert_allclose(longer["rms"].weights, plain["rms"].weights, atol=1e-3)  # ε tells 0.1 apart
    assert np.abs(longer["none"].weights - plain["none"].weights).max() > 0.1


@pytest.mark.parametrize("pairing", ["interleaved", "half_split"])
def test_order_matters_only_with_a_learned_scale(pairing) -> None:
    scale = np.linspace(0.5, 2, 8)
    free = compare_norms(Q, K, rope=pairing)
    assert free.order_difference is not None
    assert max(free.order_difference.values()) < 1e-13
    learned = compare_norms(Q, K, rope=pairing, learned_scale=scale)
    assert learned.order_difference is not None
    assert min(learned.order_difference.values()) > 1e-3
    assert compare_norms(Q, K).order_difference is None


@pytest.mark.parametrize("order", ["after_rope", "before_rope"])
def test_order_is_the_one_asked_for(order) -> None:
    scale = np.linspace(0.5, 2, 8)
    theta = 10_000.0 ** (-torch.arange(0, 8, 2, dtype=torch.float64) / 8)
    turns = torch.stack([rotation_matrix(float(m), theta, pairing="half_split").double() for m in range(3)])
    q = torch.from_numpy(Q)
    if order == "after_rope":
        expected = F.normalize(torch.einsum("nij,nj->ni", turns, q), dim=-1) * torch.from_numpy(scale)
    else:
        expected = torch.einsum("nij,nj->ni", turns, F.normalize(q, dim=-1) * torch.from_numpy(scale))
    found = by_kind(Q, K, rope="half_split", learned_scale=scale, order=order)["l2"]
    assert_close(torch.from_numpy(found.queries), expected, rtol=1e-10, atol=1e-10)
    assert found.bound == 4.0


@pytest.mark.parametrize("d", [2, 16, 128, 1024])
def test_lengths_follow_the_chi_distribution(d: int) -> None:
    found = norm_concentration([d], samples=2_000, seed=4)[0]
    mean, spread = expected_length(d)
    error = spread * mean / math.sqrt(2_000)
    assert found.raw.mean == pytest.approx(mean, abs=5 * error)
    assert found.raw.relative_spread == pytest.approx(spread, rel=5 / math.sqrt(2 * 2_000) * 1.2)
    assert found.cosine_standard_deviation == pytest.approx(1 / math.sqrt(d), rel=5 / math.sqrt(2 * 2_000) * 1.2)
    assert (found.expected_mean, found.expected_relative_spread) == (mean, spread)


def test_expected_lengths() -> None:
    assert expected_length(1)[0] == pytest.approx(math.sqrt(2 / math.pi), rel=1e-14)
    assert expected_length(2)[0] == pytest.approx(math.sqrt(math.pi / 2), rel=1e-14)
    for d in (64, 1024):
        mean, spread = expected_length(d)
        assert mean == pytest.approx(math.sqrt(d - 0.5), rel=1e-4)
        assert spread == pytest.approx(1 / math.sqrt(2 * d), rel=0.01)


def test_layer_norm_has_length_root_d_and_concentrates() -> None:
    found = norm_concentration([8, 64, 512], samples=2_000, gain=0.3, seed=1)
    for each in found:
        assert each.layer_norm.mean == pytest.approx(math.sqrt(each.d), rel=1e-4)
        assert each.layer_norm.mean_by_root_d == pytest.approx(1, rel=1e-4)
        assert each.layer_norm.relative_spread < 1e-3
        # E‖gain ∘ x‖² = d (1 + gain²), up to the draw of the d gains.
        assert each.layer_norm_gain.mean_by_root_d == pytest.approx(math.sqrt(1.09), rel=4 * 0.3 / math.sqrt(each.d))
        # A fresh layer without bias has variance 1/(3 d): length √(d/3).
        assert each.projected.mean_by_root_d == pytest.approx(math.sqrt(1 / 3), rel=0.2)
    for name in ("raw", "layer_norm_gain", "projected"):
        spreads = [getattr(each, name).relative_spread for each in found]
        assert spreads[0] > 1.5 * spreads[1] > 2.25 * spreads[2], name


def test_portions_seeds_threads_and_the_global_random_state(monkeypatch: pytest.MonkeyPatch) -> None:
    before = torch.random.get_rng_state()
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda _: norm_concentration([8], samples=50, seed=2)[0], range(6)))
    assert all(other == found[0] for other in found)
    assert norm_concentration([8], samples=50, seed=3)[0] != found[0]
    monkeypatch.setattr("attention_core.demos.qk_norm.VECTORS_AT_ONCE", 80)
    assert norm_concentration([8], samples=50, seed=2)[0].raw.mean == pytest.approx(expected_length(8)[0], rel=0.2)
    assert torch.equal(before, torch.random.get_rng_state())


def test_one_dimension_and_zeros() -> None:
    found = norm_concentration([1], samples=10)[0]
    assert found.layer_norm.mean == 0  # nothing is left of one number once its mean is taken away
    assert found.layer_norm.relative_spread == 0
    zeros = compare_norms(np.zeros((1, 4)), np.ones((2, 4)))
    for reading in zeros.norms:
        np.testing.assert_allclose(reading.weights, 0.5)


def test_invalid_input_is_named() -> None:
    with pytest.raises(ValueError, match=r"^keys must have the size of the queries, 8, not 3$"):
        compare_norms(Q, np.ones((1, 3)))
    with pytest.raises(ValueError, match=r"^learned_scale must have 8 numbers, not 2$"):
        compare_norms(Q, K, learned_scale=np.ones(2))
    with pytest.raises(ValueError, match=r"odd|even"):
        compare_norms(np.ones((1, 3)), np.ones((1, 3)), rope="half_split")
    with pytest.raises(ValueError, match=r"^dims must be at least 1, not 0$"):
        norm_concentration([0])
    with pytest.raises(ValueError, match=r"^samples must be at least 2, not 1$"):
        norm_concentration([4], samples=1)
    with pytest.raises(ValueError, match=r"^gain must not be negative, not -1\.0$"):
        norm_concentration([4], gain=-1.0)
    with pytest.raises(ValueError, match=r"^count must be at least 1, not 0$"):
        random_vectors(0, 2)
