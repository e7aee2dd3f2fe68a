"""Step-by-step decoding against one full forward pass."""

import itertools

import numpy as np
import pytest
import torch

from attention_core.demos.kv_cache import decode
from attention_core.rope import Rope


@pytest.mark.parametrize("chunks", [(1,), (5,), (3, 1, 1, 2), (1, 1, 1), (1, 4), (2, 3, 1, 7)])
@pytest.mark.parametrize("rope", [None, Rope("half_split")])
def test_kv_cache_steps_equal_reading_at_once(chunks: tuple[int, ...], rope: Rope | None) -> None:
    found = decode(chunks, d_model=12, num_heads=3, num_kv_heads=1, rope=rope, precision="float64")
    assert found.largest_difference <= 1e-14
    np.testing.assert_allclose(
        np.concatenate([step.output for step in found.steps]), found.uncached_output, rtol=0, atol=1e-14
    )
    for step in found.steps:
        rows = slice(step.stored, step.stored + step.new)
        whole = found.uncached_weights[:, rows]
        np.testing.assert_allclose(step.weights, whole[:, :, : step.stored + step.new], rtol=0, atol=1e-14)
        assert (whole[:, :, step.stored + step.new :] == 0).all()
        assert (step.weights[:, ~step.mask] == 0).all()


def test_kv_cache_steps_phases_and_masks() -> None:
    """C28: prefill, single token, chunk, and the mask each needs."""
    found = decode((3, 1, 2))
    assert [step.phase for step in found.steps] == ["prefill", "single_token", "chunk"]
    assert [step.needs_mask for step in found.steps] == [True, False, True]
    assert found.steps[0].mask.tolist() == [[True, False, False], [True, True, False], [True, True, True]]
    assert found.steps[1].mask.tolist() == [[True] * 4]
    assert found.steps[2].mask.tolist() == [[True] * 5 + [False], [True] * 6]
    assert decode((1, 1)).steps[0].phase == "prefill"


def test_kv_cache_steps_count_bytes_and_work() -> None:
    found = decode((3, 1, 2), d_model=16, num_heads=4, num_kv_heads=2, max_length=10)
    per_token = 2 * 2 * 4 * 4  # keys and values, 2 heads, size 4, 4 bytes
    assert [step.used_bytes for step in found.steps] == [3 * per_token, 4 * per_token, 6 * per_token]
    assert found.cache_bytes == 10 * per_token
    assert found.projected_with_cache == 6
    assert found.projected_without_cache == 3 + 4 + 6 == sum(itertools.accumulate((3, 1, 2)))


@pytest.mark.parametrize(("precision", "bound"), [("float32", 1e-6), ("float16", 5e-3), ("bfloat16", 4e-2)])
def test_kv_cache_steps_in_other_precisions(precision: str, bound: float) -> None:
    assert decode((3, 1, 2), precision=precision).largest_difference <= bound


def test_kv_cache_steps_are_deterministic_and_leave_the_global_random_state_alone() -> None:
    state = torch.random.get_rng_state()
    first, same, other = decode((2, 1), seed=1), decode((2, 1), seed=1), decode((2, 1), seed=2)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert np.array_equal(first.uncached_output, same.uncached_output)
    assert not np.array_equal(first.uncached_output, other.uncached_output)


def test_kv_cache_steps_refuse_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match="chunks must not be empty"):
        decode(())
    with pytest.raises(ValueError, match="num_new must be at least 1, not 0"):
        decode((2, 0))
    with pytest.raises(ValueError, match="max_length must be at least the 4 tokens of the chunks, not 3"):
        decode((2, 2), max_length=3)
