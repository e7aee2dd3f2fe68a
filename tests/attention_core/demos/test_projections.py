"""Projections given or random; the effect of swapping roles."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch.testing import assert_close

from attention_core.demos.projections import (
    STEPS,
    ProjectionArrays,
    check_swap,
    projection_example,
    random_inputs,
    random_roles,
    swap_roles,
)

NONE = ProjectionArrays()


def draw(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


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
        ValueError, match=r"^queries, keys and values must have the same shape .*, not \[2, 3\], \[2, 3\], \[3, 3\]$"
    ):
        swap_roles(ones, ones, np.ones((3, 3)), "none")
    with pytest.raises(ValueError, match=r"^swap must be one of none, .*, not 'all'$"):
        check_swap("all")
    with pytest.raises(ValueError, match=r"^num_tokens must be at least 1, not 0$"):
        random_roles(0, 3)
    with pytest.raises(ValueError, match=r"^d_model must be at least 1, not 0$"):
        random_inputs(2, 0)
