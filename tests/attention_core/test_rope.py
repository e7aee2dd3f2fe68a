"""RoPE against hand values, complex multiplication, written-out rotation matrices and transformers' own code."""

import math
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.autograd import gradcheck
from transformers.models.gpt_neox.modeling_gpt_neox import apply_rotary_pos_emb as neox_rotary
from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb as gptj_rotary
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb as llama_rotary

from attention_core import rope
from attention_core.rope import PAIRINGS, Pairing, Rope, decay, frequencies, rotate, rotation_matrix

HALF_DTYPES = (torch.float16, torch.bfloat16)


def random(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def by_complex_numbers(vectors: torch.Tensor, positions: list[float], base: float = 10_000.0) -> torch.Tensor:
    """Interleaved pairs as complex numbers, one position and one pair at a time."""
    dim = vectors.shape[-1]
    turned = vectors.clone()
    for row, position in enumerate(positions):
        for pair in range(dim // 2):
            theta = base ** (-2 * pair / dim)
            number = complex(vectors[row, 2 * pair], vectors[row, 2 * pair + 1])
            number *= complex(math.cos(position * theta), math.sin(position * theta))
            turned[row, 2 * pair], turned[row, 2 * pair + 1] = number.real, number.imag
    return turned


def test_one_pair_turns_by_half_a_radian_a_position():
    theta = torch.tensor([0.5], dtype=torch.float64)
    cos, sin = rope.cos_sin(torch.arange(3), theta)
    turned = rope.apply_rotation(torch.tensor([[1.0, 0.0]] * 3, dtype=torch.float64), cos, sin, pairing="interleaved")
    expected = torch.tensor([[1.0, 0.0], [0.8776, 0.4794], [0.5403, 0.8415]], dtype=torch.float64)
    torch.testing.assert_close(turned, expected, atol=5e-5, rtol=0)


def test_frequencies_and_wavelengths_of_every_pair_of_128():
    theta = frequencies(128)
    expected = torch.tensor([math.pow(10_000.0, -2 * i / 128) for i in range(64)], dtype=torch.float64)
    torch.testing.assert_close(theta, expected, atol=0, rtol=1e-15)
    torch.testing.assert_close(rope.wavelengths(theta), 2 * math.pi / expected, atol=0, rtol=1e-15)
    assert theta[0] == 1.0
    assert theta[32].item() == pytest.approx(0.01, rel=1e-14)


def test_mean_strength_against_distance():
    distances = torch.tensor([0, 10, 50, 100, 250])
    expected = torch.tensor([32.5, 17.954137, 12.629452, 10.227330, 6.548179], dtype=torch.float64)
    torch.testing.assert_close(decay(distances, frequencies(128)), expected, atol=1e-6, rtol=0)


def test_mean_strength_does_not_fall_at_every_step():
    strength = decay(torch.arange(251), frequencies(128))
    rises = strength.diff() > 0
    assert rises.any()
    assert strength.argmax() == 0
    assert strength[200:].max() < strength[:10].min()


def test_mean_strength_bounds_the_change_of_scores():
    """Abel's transformation: |Σ h_i e^{jmθ_i}| ≤ max |h_{i+1} − h_i| · Σ |S_j|, with h beyond the last pair 0."""
    query, key = random(128, seed=1), random(128, seed=2)
    h = torch.view_as_complex(query.view(-1, 2)) * torch.view_as_complex(key.view(-1, 2)).conj()
    change = torch.cat((h, h.new_zeros(1))).diff().abs().max()
    for distance in range(0, 60, 7):
        turned = rotate(query, torch.tensor(float(distance)), pairing="interleaved")
        bound = change * decay(torch.tensor(distance), frequencies(128)) * 64
        assert (turned @ key).abs() <= bound


@pytest.mark.parametrize("dim", [2, 6, 64, 128])
def test_interleaved_is_complex_multiplication(dim):
    positions = [0.0, 1.0, -3.0, 2.5, 4095.0]
    vectors = random(5, dim)
    turned = rotate(vectors, torch.tensor(positions, dtype=torch.float64), pairing="interleaved")
    torch.testing.assert_close(turned, by_complex_numbers(vectors, positions), atol=1e-12, rtol=0)


@pytest.mark.parametrize("dim", [2, 6, 64])
def test_half_split_is_interleaved_in_another_order(dim):
    vectors, positions = random(7, dim), torch.arange(7)
    order, back = rope.to_half_split(dim), rope.to_interleaved(dim)
    interleaved = rotate(vectors, positions, pairing="interleaved")
    half_split = rotate(vectors[:, order], positions, pairing="half_split")
    torch.testing.assert_close(half_split, interleaved[:, order], atol=0, rtol=0)
    torch.testing.assert_close(half_split[:, back], interleaved, atol=0, rtol=0)


def test_permutation_written_out():
    assert rope.to_half_split(6).tolist() == [0, 2, 4, 1, 3, 5]
    assert rope.to_interleaved(6).tolist() == [0, 3, 1, 4, 2, 5]


def test_half_split_is_what_llama_does():
    queries, keys, positions = random(2, 3, 11, 16), random(2, 1, 11, 16, seed=1), torch.arange(11)
    turned = rope.angles(positions, frequencies(16)).repeat(1, 2)[None]
    expected = llama_rotary(queries, keys, turned.cos(), turned.sin())
    torch.testing.assert_close(rotate(queries, positions, pairing="half_split"), expected[0], atol=1e-14, rtol=0)
    torch.testing.assert_close(rotate(keys, positions, pairing="half_split"), expected[1], atol=1e-14, rtol=0)


def test_partial_half_split_is_what_gpt_neox_does():
    queries, positions = random(2, 3, 11, 16), torch.arange(11)
    turned = rope.angles(positions, frequencies(4)).repeat(1, 2)[None]
    expected, _ = neox_rotary(queries, queries, turned.cos(), turned.sin())
    actual = rotate(queries, positions, pairing="half_split", rotary_dim=4)
    torch.testing.assert_close(actual, expected, atol=1e-14, rtol=0)
    torch.testing.assert_close(actual[..., 4:], queries[..., 4:], atol=0, rtol=0)


def test_interleaved_is_what_gpt_j_does():
    queries, positions = random(2, 11, 3, 16), torch.arange(11)
    turned = rope.angles(positions, frequencies(16))[None]
    expected = gptj_rotary(queries, turned.sin(), turned.cos())
    actual = rotate(queries.transpose(1, 2), positions, pairing="interleaved").transpose(1, 2)
    torch.testing.assert_close(actual, expected, atol=1e-14, rtol=0)


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_rotation_matrix_is_the_rotation(pairing):
    vectors, theta = random(3, 10), frequencies(10)
    for position in (0.0, 1.0, -7.0, 0.25):
        matrix = rotation_matrix(position, theta, pairing=pairing)
        expected = torch.stack([matrix @ vector for vector in vectors])
        actual = rotate(vectors, torch.tensor(position, dtype=torch.float64), pairing=pairing)
        torch.testing.assert_close(actual, expected, atol=1e-14, rtol=0)


def test_rotation_matrix_by_hand():
    c, s = math.cos(2.0), math.sin(2.0)
    slow_c, slow_s = math.cos(0.02), math.sin(0.02)
    interleaved = [[c, -s, 0, 0], [s, c, 0, 0], [0, 0, slow_c, -slow_s], [0, 0, slow_s, slow_c]]
    half_split = [[c, 0, -s, 0], [0, slow_c, 0, -slow_s], [s, 0, c, 0], [0, slow_s, 0, slow_c]]
    by_hand: dict[Pairing, list[list[float]]] = {"interleaved": interleaved, "half_split": half_split}
    for pairing, matrix in by_hand.items():
        actual = rotation_matrix(2, frequencies(4), pairing=pairing)
        torch.testing.assert_close(actual, torch.tensor(matrix, dtype=torch.float64), atol=1e-15, rtol=0)


@settings(deadline=None, max_examples=25)
@given(m=st.integers(-5000, 5000), n=st.integers(-5000, 5000), pairing=st.sampled_from(PAIRINGS))
def test_two_rotations_leave_their_difference(m, n, pairing):
    theta = frequencies(8)
    left = rotation_matrix(m, theta, pairing=pairing).T @ rotation_matrix(n, theta, pairing=pairing)
    torch.testing.assert_close(left, rotation_matrix(n - m, theta, pairing=pairing), atol=2e-12, rtol=0)


@pytest.mark.parametrize(("dtype", "bound"), [(torch.float32, 1e-6), (torch.float64, 1e-14)])
@pytest.mark.parametrize("pairing", PAIRINGS)
def test_sliding_both_positions_leaves_the_score(dtype, bound, pairing):
    query, key = (torch.nn.functional.normalize(random(64, seed=s), dim=-1).to(dtype) for s in (1, 2))
    positions = torch.arange(9)
    scores = (
        rotate(query.expand(9, 64), positions, pairing=pairing)
        @ rotate(key.expand(9, 64), positions, pairing=pairing).T
    )
    shift = 13
    slid = (
        rotate(query.expand(9, 64), positions + shift, pairing=pairing)
        @ rotate(key.expand(9, 64), positions + shift, pairing=pairing).T
    )
    assert (scores - slid).abs().max() <= bound
    half_slid = (
        rotate(query.expand(9, 64), positions + shift, pairing=pairing)
        @ rotate(key.expand(9, 64), positions, pairing=pairing).T
    )
    assert (scores - half_slid).abs().max() > 1e-2


def test_float32_stays_relative_far_out_because_angles_are_float64():
    query = torch.nn.functional.normalize(random(64), dim=-1).float()

    def score(shift: int, angle_dtype: torch.dtype) -> torch.Tensor:
        at = [rotate(query, torch.tensor(m + shift), pairing="half_split", angle_dtype=angle_dtype) for m in (0, 5)]
        return at[0] @ at[1]

    assert (score(1_000_000, torch.float64) - score(0, torch.float64)).abs() <= 1e-6
    assert (score(1_000_000, torch.float32) - score(0, torch.float32)).abs() > 1e-5


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_mixed_pairings_are_not_relative(pairing):
    query, key = random(16, seed=1), random(16, seed=2)
    other: Pairing = "half_split" if pairing == "interleaved" else "interleaved"

    def score(m: int, n: int) -> float:
        at = rotate(query, torch.tensor(m), pairing=pairing) @ rotate(key, torch.tensor(n), pairing=other)
        return float(at)

    assert abs(score(3, 5) - score(10, 12)) > 0.1


@pytest.mark.parametrize("pairing", PAIRINGS)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, *HALF_DTYPES])
def test_norm_is_unchanged(pairing, dtype):
    vectors = random(4096, 8).to(dtype)
    turned = rotate(vectors, torch.arange(4096), pairing=pairing)
    assert turned.dtype == dtype
    bound = 8 * torch.finfo(dtype).eps
    torch.testing.assert_close(turned.double().norm(dim=-1), vectors.double().norm(dim=-1), rtol=bound, atol=0)


@pytest.mark.parametrize("dtype", HALF_DTYPES)
@pytest.mark.parametrize("pairing", PAIRINGS)
def test_half_precision_rounds_once(dtype, pairing):
    vectors = random(2000, 6).to(dtype)
    exact = rotate(vectors.double(), torch.arange(2000), pairing=pairing)
    torch.testing.assert_close(
        rotate(vectors, torch.arange(2000), pairing=pairing).double(), exact, rtol=torch.finfo(dtype).eps, atol=1e-4
    )


def test_each_sequence_may_have_its_own_positions():
    vectors = random(2, 3, 5, 4)
    positions = torch.tensor([[0, 1, 2, 3, 4], [0, 0, 0, 1, 2]])
    actual = rotate(vectors, positions.unsqueeze(1), pairing="half_split")
    for row in range(2):
        torch.testing.assert_close(actual[row], rotate(vectors[row], positions[row], pairing="half_split"))


def test_rope_object_is_the_function():
    vectors = random(2, 5, 8)
    chosen = Rope("interleaved", base=500.0, rotary_dim=4)
    expected = rotate(vectors, torch.arange(5), pairing="interleaved", base=500.0, rotary_dim=4)
    torch.testing.assert_close(chosen.rotate(vectors, torch.arange(5)), expected, atol=0, rtol=0)


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_gradients(pairing):
    vectors = random(3, 8).requires_grad_()
    positions = torch.tensor([0.5, -2.0, 100.0], dtype=torch.float64, requires_grad=True)
    assert gradcheck(lambda x, m: rotate(x, m, pairing=pairing, rotary_dim=6), (vectors, positions))


def test_threads_agree_and_global_randomness_is_untouched():
    before = torch.get_rng_state()
    vectors = random(64, 32)
    expected = {base: rotate(vectors, torch.arange(64), pairing="half_split", base=base) for base in (1e4, 5e5)}
    with ThreadPoolExecutor(4) as pool:
        bases = [1e4, 5e5] * 16
        turned = pool.map(lambda base: rotate(vectors, torch.arange(64), pairing="half_split", base=base), bases)
        for base, actual in zip(bases, turned, strict=True):
            torch.testing.assert_close(actual, expected[base], atol=0, rtol=0)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("dim", [-2, 0, 1, 3, 127])
def test_numbers_must_make_pairs(dim):
    with pytest.raises(ValueError, match=f"^dim must be even and at least 2, not {dim}"):
        frequencies(dim)


@pytest.mark.parametrize("base", [0.0, -1.0, math.nan, math.inf])
def test_base_must_be_positive(base):
    with pytest.raises(ValueError, match=f"^base must be positive and finite, not {base}"):
        frequencies(4, base)


def test_pairing_must_be_known():
    with pytest.raises(ValueError, match=r"^pairing must be one of interleaved, half_split, not 'both'"):
        rope.check_pairing("both")


def test_rotary_dim_must_fit():
    with pytest.raises(ValueError, match=r"^rotary_dim \(6\) must not exceed the vectors' size \(4\)"):
        rotate(random(3, 4), torch.arange(3), pairing="interleaved", rotary_dim=6)


def test_angles_are_never_half_precision():
    with pytest.raises(ValueError, match=r"^dtype must be float32 or float64, not torch\.float16"):
        rotate(random(3, 4), torch.arange(3), pairing="interleaved", angle_dtype=torch.float16)
