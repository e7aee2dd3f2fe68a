"""Projections against hand values and torch's modules; roles against what the exchange must and must not change."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch.testing import assert_close

from attention_core.projections import (
    STEPS,
    Projection,
    ProjectionArrays,
    check_swap,
    draw_projections,
    project_and_attend,
    projection_example,
    random_inputs,
    random_roles,
    swap_roles,
)

BANDED = [[1.0, 0.5, 0, 0], [0.5, 1, 0.5, 0], [0, 0.5, 1, 0.5], [0, 0, 0.5, 1]]
NONE = ProjectionArrays()


def draw(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def test_figures() -> None:
    eye = torch.eye(4, dtype=torch.float64)
    trace = project_and_attend(eye[:3], Projection(eye), Projection(2 * eye), Projection(torch.tensor(BANDED).double()))
    assert_close(trace.keys, 2 * eye[:3])
    assert_close(trace.values, torch.tensor(BANDED).double()[:3])
    assert_close(trace.scaled_scores, torch.eye(3, dtype=torch.float64))
    peak, rest = math.e / (math.e + 2), 1 / (math.e + 2)
    assert (round(peak, 4), round(rest, 4)) == (0.5761, 0.2119)
    assert_close(trace.weights, torch.full((3, 3), rest).double() + eye[:3, :3] * (peak - rest), rtol=1e-6, atol=1e-6)
    expected = [[0.6821, 0.6060, 0.3179, 0.1060], [0.5, 0.7881, 0.5, 0.1060], [0.3179, 0.6060, 0.6821, 0.2881]]
    assert_close(trace.output, torch.tensor(expected).double(), rtol=0, atol=6e-5)


def test_is_three_linear_layers_and_torchs_attention() -> None:
    modules = [torch.nn.Linear(7, size, dtype=torch.float64) for size in (5, 5, 3)]
    inputs = draw(2, 11, 7)
    trace = project_and_attend(inputs, *(Projection(module.weight, module.bias) for module in modules))
    expected = F.scaled_dot_product_attention(*(module(inputs) for module in modules))
    assert trace.queries.shape == (2, 11, 5)
    assert_close(trace.output, expected, rtol=1e-12, atol=1e-12)


def test_gradients() -> None:
    tensors = [draw(3, 5).requires_grad_(), *(draw(n, 5, seed=n).requires_grad_() for n in (2, 2, 4))]
    tensors.append(draw(4, seed=9).requires_grad_())

    def output(inputs, query, key, value, bias):
        return project_and_attend(inputs, Projection(query), Projection(key), Projection(value, bias)).output

    assert torch.autograd.gradcheck(output, tensors)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_types_are_kept(dtype: torch.dtype) -> None:
    weight = Projection(draw(4, 4, dtype=dtype))
    assert project_and_attend(draw(3, 4, seed=1, dtype=dtype), weight, weight, weight).output.dtype == dtype


def test_drawn_projections_are_torchs() -> None:
    drawn = draw_projections(6, 4, 3, bias=True, generator=torch.Generator().manual_seed(2))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(2)
        theirs = [torch.nn.Linear(6, size) for size in (4, 4, 3)]
    for own, module in zip(drawn, theirs, strict=True):
        assert_close(own.weight, module.weight.detach(), rtol=1e-6, atol=0)
        assert_close(own.bias, module.bias.detach(), rtol=1e-6, atol=0)


def test_example_draws_what_is_not_given() -> None:
    inputs = random_inputs(4, 6, seed=1)
    weight = draw(5, 6).numpy()
    example = projection_example(inputs, ProjectionArrays(weight), NONE, NONE, d_k=5, d_v=2, bias=True, seed=3)
    query, key, value = example.projections
    assert (query.weight == weight).all()
    assert query.bias is None
    assert key.weight.shape == (5, 6)
    assert value.bias.shape == (2,)
    expected = F.scaled_dot_product_attention(
        *(
            F.linear(
                torch.from_numpy(inputs),
                torch.from_numpy(p.weight),
                None if p.bias is None else torch.from_numpy(p.bias),
            )
            for p in example.projections
        )
    )
    assert_close(torch.from_numpy(example.stages["output"]), expected, rtol=1e-12, atol=1e-12)


def test_scale_is_taken() -> None:
    example = projection_example(random_inputs(3, 4), NONE, NONE, NONE, d_k=4, d_v=4, scale=2.0)
    np.testing.assert_allclose(example.stages["scaled_scores"], 2 * example.stages["raw_scores"])


def test_exchanging_keys_and_values_changes_scores_and_what_is_read() -> None:
    queries, keys, values = random_roles(3, 4, seed=5)
    found = swap_roles(queries, keys, values, "keys_values")
    np.testing.assert_allclose(found.swapped["raw_scores"], queries @ values.T, atol=1e-14)
    np.testing.assert_allclose(found.swapped["output"], found.swapped["weights"] @ keys, atol=1e-14)
    assert found.largest_change["queries"] == 0
    assert min(found.largest_change[step.stage] for step in STEPS) > 0.01
    np.testing.assert_allclose(found.stages["weights"].sum(axis=-1), 1, atol=1e-15)
    np.testing.assert_allclose(found.swapped["weights"].sum(axis=-1), 1, atol=1e-15)


def test_exchanging_queries_and_keys_transposes_the_scores() -> None:
    found = swap_roles(*random_roles(5, 3), "queries_keys")
    np.testing.assert_allclose(found.swapped["raw_scores"], found.stages["raw_scores"].T, atol=1e-14)
    assert found.largest_change["values"] == 0
    assert found.largest_change["weights"] > 0.01


def test_exchanging_queries_and_values() -> None:
    queries, keys, values = random_roles(5, 3)
    found = swap_roles(queries, keys, values, "queries_values")
    np.testing.assert_allclose(found.swapped["raw_scores"], values @ keys.T, atol=1e-14)
    assert (found.swapped["values"] == queries).all()


def test_no_exchange_changes_nothing() -> None:
    assert set(swap_roles(*random_roles(3, 4), "none").largest_change.values()) == {0.0}


def test_steps_are_stages_of_the_trace() -> None:
    stages = swap_roles(*random_roles(2, 2), "none").stages
    for step in STEPS:
        assert {step.stage, *step.reads, *step.roles} <= set(stages)


def test_seeds_threads_and_the_global_random_state() -> None:
    before = torch.random.get_rng_state()
    with ThreadPoolExecutor(4) as pool:
        outputs = list(
            pool.map(lambda _: projection_example(random_inputs(3, 4), NONE, NONE, NONE, d_k=4, d_v=4).stages, range(8))
        )
    assert all((outputs[0]["output"] == other["output"]).all() for other in outputs)
    assert (random_roles(2, 3, seed=1)[0] != random_roles(2, 3, seed=2)[0]).all()
    assert torch.equal(before, torch.random.get_rng_state())


def test_invalid_input_is_named() -> None:
    ones = np.ones((2, 3))
    with pytest.raises(
        ValueError, match=r"^queries, keys and values must have one shape .*, not \[2, 3\], \[2, 3\], \[3, 3\]$"
    ):
        swap_roles(ones, ones, np.ones((3, 3)), "none")
    with pytest.raises(ValueError, match=r"^swap must be one of none, .*, not 'all'$"):
        check_swap("all")
    with pytest.raises(ValueError, match=r"^num_tokens and size must be at least 1, not 0 and 3$"):
        random_roles(0, 3)
    with pytest.raises(ValueError, match=r"^num_tokens and d_model must be at least 1, not 2 and 0$"):
        random_inputs(2, 0)
