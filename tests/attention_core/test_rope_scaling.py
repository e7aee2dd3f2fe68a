"""RoPE scaling against transformers' own functions, and against what each method promises."""

import math

import pytest
import torch
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from attention_core.rope import frequencies, rotate
from attention_core.rope_scaling import (
    DynamicNtk,
    Linear,
    Llama3,
    NtkAware,
    Yarn,
    attention_factor,
    from_rope_parameters,
    yarn_ramp,
)

LLAMA3 = {
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
CASES = [
    ({"rope_type": "linear", "factor": 4.0}, 2048, None),
    ({"rope_type": "dynamic", "factor": 2.0}, 2048, None),
    ({"rope_type": "dynamic", "factor": 2.0}, 2048, 1000),
    ({"rope_type": "dynamic", "factor": 2.0}, 2048, 5000),
    ({"rope_type": "dynamic", "factor": 4.0}, 512, 513),
    ({"rope_type": "llama3", **LLAMA3}, 131_072, None),
    ({"rope_type": "llama3", **LLAMA3, "factor": 32.0}, 131_072, None),
    ({"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096}, 16_384, None),
    ({"rope_type": "yarn", "factor": 40.0, "original_max_position_embeddings": 4096, "beta_fast": 16}, 163_840, None),
    ({"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32_768, "beta_slow": 2}, 131_072, None),
    (
        {
            "rope_type": "yarn",
            "factor": 40.0,
            "original_max_position_embeddings": 4096,
            "mscale": 1.0,
            "mscale_all_dim": 0.707,
        },
        163_840,
        None,
    ),
    (
        {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 2048, "attention_factor": 1.25},
        8192,
        None,
    ),
    (
        {"rope_type": "yarn", "factor": 32.0, "original_max_position_embeddings": 4096, "truncate": False},
        131_072,
        None,
    ),
    ({"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 16}, 128, None),
]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("head_dim", [4, 64, 128])
@pytest.mark.parametrize("base", [10_000.0, 500_000.0])
@pytest.mark.parametrize(("parameters", "max_positions", "sequence_length"), CASES)
def test_frequencies_are_those_of_transformers(parameters, max_positions, sequence_length, head_dim, base):
    config = LlamaConfig(
        hidden_size=4 * head_dim,
        num_attention_heads=4,
        head_dim=head_dim,
        max_position_embeddings=max_positions,
        rope_parameters={**parameters, "rope_theta": base},
    )
    expected, factor = ROPE_INIT_FUNCTIONS[parameters["rope_type"]](config, seq_len=sequence_length)
    scaling = from_rope_parameters(parameters, max_positions)
    assert scaling is not None
    actual = frequencies(head_dim, base, scaling, sequence_length=sequence_length, dtype=torch.float32)
    # YaRN and float64 differ from transformers by the order of two float32 operations: two units in the last place.
    exact = parameters["rope_type"] != "yarn"
    torch.testing.assert_close(actual, expected, atol=0, rtol=0 if exact else 2.5e-7)
    in_float64 = frequencies(head_dim, base, scaling, sequence_length=sequence_length)
    torch.testing.assert_close(in_float64, expected.double(), atol=0, rtol=4e-6)
    assert attention_factor(scaling) == factor


def test_ntk_is_dynamic_ntk_at_the_length_where_the_factors_agree():
    """transformers has no static NTK kind; its dynamic one at 2L with factor 3 stretches by 3 · 2 − 2 = 4."""
    expected = frequencies(64, scaling=DynamicNtk(3.0, trained_length=512), sequence_length=1024)
    torch.testing.assert_close(frequencies(64, scaling=NtkAware(4.0)), expected, atol=0, rtol=1e-15)


def test_ntk_leaves_the_fastest_and_slows_the_slowest_by_the_whole_factor():
    plain, stretched = frequencies(128), frequencies(128, scaling=NtkAware(8.0))
    ratio = plain / stretched
    assert ratio[0] == 1.0
    assert ratio[-1].item() == pytest.approx(8.0, rel=1e-13)
    assert (ratio.diff() > 0).all()


def test_linear_is_position_interpolation():
    vectors = torch.randn(9, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    positions = torch.arange(0, 90, 10)
    stretched = rotate(vectors, positions, pairing="half_split", scaling=Linear(4.0))
    torch.testing.assert_close(stretched, rotate(vectors, positions / 4, pairing="half_split"), atol=1e-14, rtol=0)


def test_dynamic_changes_nothing_up_to_the_trained_length():
    scaling = DynamicNtk(2.0, trained_length=512)
    for length in (None, 1, 512):
        torch.testing.assert_close(frequencies(64, scaling=scaling, sequence_length=length), frequencies(64))
    assert (frequencies(64, scaling=scaling, sequence_length=513)[1:] < frequencies(64)[1:]).all()


def test_yarn_keeps_fast_pairs_and_divides_slow_ones():
    scaling = Yarn(16.0, trained_length=4096)
    ratio = frequencies(128) / frequencies(128, scaling=scaling)
    turns = 4096 * frequencies(128) / (2 * math.pi)
    low, high = yarn_ramp(128, 10_000.0, scaling)
    assert (ratio[turns > 40] == 1).all()
    torch.testing.assert_close(ratio[turns < 0.8], torch.full_like(ratio[turns < 0.8], 16.0), rtol=1e-12, atol=0)
    assert ((ratio[int(low) + 1 : int(high)] > 1) & (ratio[int(low) + 1 : int(high)] < 16)).all()


def test_yarn_sharpens_scores_by_the_square_of_its_factor():
    vectors = torch.randn(5, 16, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    turned = rotate(vectors, torch.arange(5), pairing="interleaved", scaling=Yarn(4.0, trained_length=64))
    factor = 0.1 * math.log(4.0) + 1
    torch.testing.assert_close(turned.norm(dim=-1), vectors.norm(dim=-1) * factor, atol=1e-14, rtol=0)


def test_plain_and_unknown_kinds():
    assert from_rope_parameters({"rope_type": "default", "rope_theta": 1e4}, 512) is None
    assert from_rope_parameters({"rope_theta": 1e4}, 512) is None
    with pytest.raises(ValueError, match=r"^rope_type must be default, .* or llama3, not 'longrope'"):
        from_rope_parameters({"rope_type": "longrope", "factor": 2.0}, 512)


@pytest.mark.parametrize("factor", [0.5, 0.0, -1.0, math.nan, math.inf])
def test_factor_must_stretch(factor):
    for kind in (Linear, NtkAware, Llama3, lambda f: Yarn(f, 512), lambda f: DynamicNtk(f, 512)):
        with pytest.raises(ValueError, match=f"^factor must be at least 1 and finite, not {factor}"):
            kind(factor)


def test_other_bounds():
    with pytest.raises(ValueError, match=r"^trained_length must be at least 1 and finite, not 0"):
        DynamicNtk(2.0, 0)
    with pytest.raises(ValueError, match=r"^beta_fast must be at least beta_slow and .*, not 1.0 and 2.0"):
        Yarn(2.0, 512, beta_fast=1.0, beta_slow=2.0)
    with pytest.raises(ValueError, match=r"^attention_factor must be positive and finite, not -1.0"):
        Yarn(2.0, 512, attention_factor=-1.0)
    with pytest.raises(ValueError, match=r"^high_freq_factor must be greater than low_freq_factor"):
        Llama3(low_freq_factor=4.0, high_freq_factor=4.0)
    with pytest.raises(ValueError, match=r"^dim must be at least 4 for NTK-aware scaling, not 2"):
        frequencies(2, scaling=NtkAware(2.0))
    with pytest.raises(ValueError, match=r"^base must be greater than 1 for YaRN, not 1.0"):
        frequencies(4, 1.0, Yarn(2.0, 512))
