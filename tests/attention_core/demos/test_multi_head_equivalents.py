"""A loop over heads and repeated KV heads equal the fused module."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import gradcheck
from torch.testing import assert_close

from attention_core.demos.multi_head_equivalents import MultiHeadLoop, with_own_kv_heads
from attention_core.multi_head import MultiHeadAttention
from attention_core.rope import Rope

OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "no bias, grouped": {"bias": False, "num_kv_heads": 2},
    "mqa, sizes of their own": {"num_kv_heads": 1, "head_dim": 10, "value_dim": 7, "output_bias": False},
    "rope, alibi": {"rope": Rope("interleaved"), "alibi": True, "num_kv_heads": 3},
    "symmetric alibi": {"alibi": True, "alibi_symmetric": True},
    "rms after rope": {"qk_norm": "rms", "rope": Rope("half_split"), "num_kv_heads": 2},
    "l2 before rope": {"qk_norm": "l2", "rope": Rope("half_split"), "qk_norm_before_rope": True},
    "scale": {"scale": 0.3},
}


def draw(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def build(**options: Any) -> MultiHeadAttention:
    module = MultiHeadAttention(24, 6, generator=torch.Generator().manual_seed(1), **options)
    for name, parameter in module.named_parameters():
        if "scale" in name:
            parameter.data = 1 + 0.3 * draw(*parameter.shape, seed=7)
    return module


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("name", OPTIONS)
def test_head_twins_loop_is_the_fused_module(name: str, is_causal: bool) -> None:
    """C22: at most 1e-6 apart, in float32."""
    module, x = build(**OPTIONS[name]), draw(2, 7, 24)
    assert_close(MultiHeadLoop(module)(x, is_causal=is_causal), module(x, is_causal=is_causal), rtol=0, atol=1e-6)


@pytest.mark.parametrize("is_causal", [False, True])
def test_head_twins_loop_takes_the_same_masks(is_causal: bool) -> None:
    module, x = build(num_kv_heads=2), draw(2, 5, 24)
    padding = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]]).bool().unsqueeze(1)
    for mask in (padding, draw(5, 5, seed=3), draw(5, 5, seed=3) > 0):
        expected = module(x, mask=mask, is_causal=is_causal)
        assert_close(MultiHeadLoop(module)(x, mask=mask, is_causal=is_causal), expected, rtol=0, atol=1e-6)


def test_head_twins_loop_at_the_size_of_a_real_layer() -> None:
    """C22 at d_model 512 with 8 heads, in float32."""
    module = MultiHeadAttention(512, 8, generator=torch.Generator().manual_seed(2))
    x = draw(2, 10, 512)
    assert_close(MultiHeadLoop(module)(x), module(x), rtol=0, atol=1e-6)


def test_head_twins_loop_in_cross_attention() -> None:
    for queries, keys in [(7, 3), (1, 5), (5, 1), (1, 1)]:
        module = build(context_dim=10, num_kv_heads=2)
        x, context = draw(2, queries, 24), draw(2, keys, 10, seed=1)
        assert_close(MultiHeadLoop(module)(x, context), module(x, context), rtol=0, atol=1e-6)


def test_head_twins_output_layer_takes_the_heads_side_by_side() -> None:
    """C22: heads · d_v inputs, not heads · d_model."""
    loop = MultiHeadLoop(build(value_dim=5))
    assert loop.output_projection.in_features == 6 * 5
    too_wide = torch.nn.utils.skip_init(torch.nn.Linear, 6 * 24, 24)
    heads = torch.cat([head(draw(1, 3, 24), draw(1, 3, 24)) for head in loop.heads], dim=-1)
    assert heads.shape == (1, 3, 30)
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        too_wide(heads)


def test_head_twins_loop_holds_copies() -> None:
    module, x = build(qk_norm="rms"), draw(1, 3, 24)
    loop = MultiHeadLoop(module)
    before = loop(x)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.zero_()
    assert torch.equal(loop(x), before)


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("name", OPTIONS)
def test_head_twins_repeated_kv_is_full_attention_with_tied_weights(name: str, is_causal: bool) -> None:
    """C26."""
    module, x = build(**OPTIONS[name]).double(), draw(2, 7, 24).double()
    full = with_own_kv_heads(module)
    assert full.num_kv_heads == full.num_heads == 6
    assert full.key_projection.out_features == 6 * module.head_dim
    found, expected = full(x, is_causal=is_causal, trace=True), module(x, is_causal=is_causal, trace=True)
    for (stage, mine), (_, theirs) in zip(found.attention.stages(), expected.attention.stages(), strict=True):
        if mine.dtype == torch.bool:
            assert torch.equal(mine, theirs), stage
        else:
            assert_close(mine, theirs, rtol=0, atol=1e-12, msg=stage)


def test_head_twins_tied_weights_are_repeated_in_groups() -> None:
    module = build(num_kv_heads=2)
    weight = with_own_kv_heads(module).key_projection.weight.view(6, 4, 24)
    for head, kv_head in enumerate(module.kv_heads):
        assert torch.equal(weight[head], module.key_projection.weight.view(2, 4, 24)[kv_head])


def test_head_twins_loop_gradcheck() -> None:
    loop = MultiHeadLoop(MultiHeadAttention(8, 2, 1, rope=Rope("half_split"), qk_norm="rms").double())
    parameters = dict(loop.named_parameters())

    def run(x: Tensor, *values: Tensor) -> Tensor:
        return torch.func.functional_call(loop, dict(zip(parameters, values, strict=True)), (x,))

    assert gradcheck(run, (draw(1, 3, 8).double().requires_grad_(), *parameters.values()), fast_mode=True)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_head_twins_keep_half_precision(dtype: torch.dtype) -> None:
    module, x = build(num_kv_heads=2).to(dtype), draw(2, 5, 24).to(dtype)
    bound = 5e-3 if dtype == torch.float16 else 4e-2
    for twin in (MultiHeadLoop(module), with_own_kv_heads(module)):
        assert twin(x).dtype == dtype
        assert_close(twin(x), module(x), rtol=0, atol=bound)


def test_head_twins_leave_the_global_random_state_alone() -> None:
    state = torch.random.get_rng_state()
    module = build(num_kv_heads=2)
    MultiHeadLoop(module)
    with_own_kv_heads(module)
    assert torch.equal(torch.random.get_rng_state(), state)
