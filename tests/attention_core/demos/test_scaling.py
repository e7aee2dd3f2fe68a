"""The √d_k experiments against theory, with tolerances from theory; softmax's gradient against autograd."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from attention_core.attend import entropy
from attention_core.demos.scaling import (
    linear_component_variance,
    linear_scores,
    normal_scores,
    saturation,
    saturation_growth,
    scatter_panels,
    score_theory,
    softmax_jacobian,
)


def variance_error(d_k: int, samples: int) -> float:
    """Standard error of the sample variance of q · k, N(0, 1): its fourth moment is 3 d² + 6 d."""
    return math.sqrt((3 * d_k**2 + 6 * d_k - d_k**2) / samples)


@pytest.mark.parametrize("d_k", [1, 8, 64, 256, 512])
def test_normal_scores_have_variance_d_k(d_k: int) -> None:
    found = normal_scores(d_k, samples=10_000, seed=7)
    assert found.raw.variance == pytest.approx(d_k, abs=5 * variance_error(d_k, 10_000))
    assert found.scaled.variance == pytest.approx(found.raw.variance / d_k, rel=1e-12)
    assert abs(found.raw.mean) < 5 * math.sqrt(d_k / 10_000)
    assert found.raw.count == found.raw.counts.sum() == found.scaled.counts.sum() == 10_000


@pytest.mark.parametrize(("d_k", "variance", "deviation"), [(256, 256, 16), (64, 64, 8), (8, 8, math.sqrt(8))])
def test_theory_figures(d_k: int, variance: float, deviation: float) -> None:
    theory = score_theory(d_k)
    assert (theory.variance, theory.scaled_variance, theory.scaled_standard_deviation) == (variance, 1.0, 1.0)
    assert theory.standard_deviation == pytest.approx(deviation, abs=1e-15)


@pytest.mark.parametrize(
    ("d_k", "variance", "scaled"), [(8, 1.125, 0.140625), (64, 7.3350694, 0.1146105), (512, 57.1113, 0.1115455)]
)
def test_linear_theory_figures(d_k: int, variance: float, scaled: float) -> None:
    theory = score_theory(d_k, linear_component_variance(d_k))
    assert theory.variance == pytest.approx(variance, abs=1e-4)
    assert theory.variance == pytest.approx(d_k * (1 / 3 + 1 / (3 * d_k)) ** 2, rel=1e-14)
    assert theory.scaled_variance == pytest.approx(scaled, abs=1e-6)
    assert score_theory(d_k, linear_component_variance(d_k, bias=False)).variance == pytest.approx(d_k / 9)


@pytest.mark.parametrize(("d_k", "d_model"), [(8, None), (64, None), (16, 48)])
@pytest.mark.parametrize("bias", [True, False])
def test_linear_scores_follow_theory(d_k: int, d_model: int | None, bias: bool) -> None:
    """Means over 40 runs of one pair of layers each: the spread of the runs is itself the standard error."""
    runs = [linear_scores(d_k, d_model=d_model, bias=bias, samples=400, seed=seed).raw for seed in range(40)]
    second_moments = np.array([run.variance * 399 / 400 + run.mean**2 for run in runs])
    expected = score_theory(d_k, linear_component_variance(d_model or d_k, bias=bias)).variance
    error = second_moments.std(ddof=1) / math.sqrt(40)
    assert second_moments.mean() == pytest.approx(expected, abs=5 * error)
    assert error < expected / 5  # else the test could not fail


def test_linear_scores_over_many_layers_follow_theory() -> None:
    found = linear_scores(64, samples=6_400, layers=64, seed=3)
    assert found.raw.variance == pytest.approx(found.theory.variance, rel=0.1)
    assert found.raw.count == 6_400


def test_linear_scores_of_sequences_are_the_modules() -> None:
    found = linear_scores(5, d_model=7, samples=3, seq_len=4, seed=2, bins=3)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(2)
        w_q, w_k = torch.nn.Linear(7, 5), torch.nn.Linear(7, 5)
        inputs = torch.randn(3, 4, 7)
    scores = (w_q(inputs) @ w_k(inputs).mT).flatten().double().detach()
    assert found.raw.count == 3 * 4 * 4
    assert found.raw.variance == pytest.approx(float(scores.var()), rel=1e-5)
    assert found.raw.mean == pytest.approx(float(scores.mean()), abs=1e-6)


def test_portions_do_not_change_what_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = normal_scores(16, samples=100, seed=1).raw
    monkeypatch.setattr("attention_core.demos.scaling.NUMBERS_AT_ONCE", 160)
    portions = normal_scores(16, samples=100, seed=1).raw
    assert portions.count == whole.count == 100
    assert portions.variance == pytest.approx(16, abs=5 * variance_error(16, 100))


def test_saturation_figures() -> None:
    raw, scaled = saturation([10.0, 5.0, 2.0, 1.0]), saturation([10.0, 5.0, 2.0, 1.0], divisor=8.0)
    assert_close(raw.weights, np.array([0.99285465, 0.00668980, 0.00033306, 0.00012253]), rtol=0, atol=1e-7)  # float32
    assert_close(scaled.weights, np.array([0.44887468, 0.24026531, 0.16513178, 0.14572828]), rtol=0, atol=1e-7)
    assert scaled.scores.tolist() == [1.25, 0.625, 0.25, 0.125]
    assert raw.exponentials == pytest.approx([22026.4658, 148.4132, 7.3891, 2.7183], abs=1e-4)
    assert raw.ratio == pytest.approx(math.exp(9))
    assert scaled.ratio == pytest.approx(3.0802, abs=1e-4)
    assert raw.entropy < scaled.entropy < math.log(4)
    assert raw.gradient_norm < scaled.gradient_norm


def test_extreme_scores_stay_numbers() -> None:
    for scores in ([1e4, -1e4, 0.0], [-1e9, 1e9], [1e4]):
        found = saturation(scores)
        assert np.isfinite(found.weights).all()
        assert found.weights.sum() == 1.0
        assert found.gradient_norm == 0.0
        assert found.entropy == 0.0
    assert saturation([1e4, 0.0]).exponentials == [None, 1.0]
    assert saturation([1e4, 0.0]).ratio is None
    assert saturation([100.0, 2.0, 1.0]).weights[0] == 1.0


def test_jacobian_is_autograds() -> None:
    scores = torch.randn(7, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) * 3
    expected = torch.autograd.functional.jacobian(lambda s: torch.softmax(s, -1), scores)
    found = saturation(scores.tolist())
    assert_close(torch.from_numpy(found.jacobian), expected, rtol=0, atol=1e-15)
    assert found.gradient_norm == pytest.approx(float(expected.norm()), rel=1e-12)
    assert found.entropy == pytest.approx(float(torch.distributions.Categorical(logits=scores).entropy()), rel=1e-12)


def test_even_weights() -> None:
    found = saturation([3.0] * 5)
    assert found.entropy == pytest.approx(math.log(5), rel=1e-14)
    assert found.gradient_norm == pytest.approx(math.sqrt(4) / 5, rel=1e-14)  # eigenvalue 1/5, four times


def test_entropy_and_jacobian_are_differentiable() -> None:
    weights = torch.softmax(torch.randn(2, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(1)), -1)
    assert torch.autograd.gradcheck(entropy, weights.requires_grad_())
    assert torch.autograd.gradcheck(softmax_jacobian, weights)


def test_scatter_panels() -> None:
    panels = scatter_panels((1, 100), num_keys=20, seed=4)
    assert [(panel.dim, panel.is_scaled) for panel in panels] == [(1, False), (1, True), (100, False), (100, True)]
    for panel in panels:
        scores = torch.from_numpy(panel.dot_products) / (math.sqrt(panel.dim) if panel.is_scaled else 1.0)
        assert_close(torch.from_numpy(panel.weights), torch.softmax(scores, -1), rtol=1e-12, atol=1e-15)
        assert panel.weights.shape == (20,)
    assert (panels[0].weights == panels[1].weights).all()  # ÷√1 changes nothing
    assert (panels[2].dot_products == panels[3].dot_products).all()
    assert panels[2].entropy < panels[3].entropy
    assert panels[2].weights.max() > panels[3].weights.max()


def test_saturation_grows_with_d_k_unless_scaled() -> None:
    growth = saturation_growth([1, 4, 16, 64, 256, 1024], num_keys=20, trials=200, seed=0)
    entropies, norms = [g.entropy for g in growth], [g.gradient_norm for g in growth]
    assert entropies == sorted(entropies, reverse=True)
    assert norms[1:] == sorted(norms[1:], reverse=True)
    assert growth[-1].largest_weight > 0.9
    # Scaled scores of N(0, 1) keep variance 1: entropy near ln 20 − ½, whatever d_k ≥ 4.
    for g in growth[1:]:
        assert g.scaled_entropy == pytest.approx(math.log(20) - 0.45, abs=0.15)
    assert growth[0].scaled_entropy == growth[0].entropy


def test_growth_is_a_mean_over_rows() -> None:
    found = saturation_growth([3], num_keys=4, trials=5, seed=9)[0]
    generator = torch.Generator().manual_seed(9)
    queries, keys = torch.randn(5, 1, 3, generator=generator), torch.randn(5, 4, 3, generator=generator)
    rows = [saturation((keys[i] @ queries[i, 0]).tolist()) for i in range(5)]
    assert found.entropy == pytest.approx(np.mean([row.entropy for row in rows]), rel=1e-5)
    assert found.gradient_norm == pytest.approx(np.mean([row.gradient_norm for row in rows]), rel=1e-5)
    assert found.largest_weight == pytest.approx(np.mean([row.weights.max() for row in rows]), rel=1e-5)


def test_seeds_threads_and_the_global_random_state() -> None:
    before = torch.random.get_rng_state()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: linear_scores(8, samples=100, seq_len=3, seed=5).raw.variance, range(8)))
    assert len(set(found)) == 1
    assert linear_scores(8, samples=100, seq_len=3, seed=6).raw.variance != found[0]
    assert normal_scores(8, samples=10).raw.mean == normal_scores(8, samples=10).raw.mean
    assert torch.equal(before, torch.random.get_rng_state())


def test_invalid_input_is_named() -> None:
    with pytest.raises(ValueError, match=r"^d_k must be at least 1, not 0$"):
        normal_scores(0)
    with pytest.raises(ValueError, match=r"^samples must be at least 1, not 0$"):
        normal_scores(8, samples=0)
    with pytest.raises(ValueError, match=r"^layers must be between 1 and the number of samples, not 11$"):
        linear_scores(8, samples=10, layers=11)
    with pytest.raises(ValueError, match=r"^seq_len must be at least 1, not 0$"):
        linear_scores(8, seq_len=0)
    with pytest.raises(ValueError, match=r"^divisor must be > 0, not -1\.0$"):
        saturation([1.0], divisor=-1.0)
    with pytest.raises(ValueError, match=r"^scores must not be empty$"):
        saturation([])
    with pytest.raises(ValueError, match=r"^num_keys must be at least 1, not 0$"):
        scatter_panels(num_keys=0)
    with pytest.raises(ValueError, match=r"^trials must be at least 1, not 0$"):
        saturation_growth([1], trials=0)
    with pytest.raises(ValueError, match=r"^d_ks must be at least 1, not -3$"):
        saturation_growth([-3])
