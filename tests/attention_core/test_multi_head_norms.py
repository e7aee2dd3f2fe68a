"""QK norm in multi-head attention: order as in Qwen3 and nanochat, and cosines."""

import math
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor
from torch.testing import assert_close
from transformers import Qwen3Config
from transformers.models.qwen3.modeling_qwen3 import Qwen3Attention, Qwen3RotaryEmbedding

from attention_core.masks import causal_mask, to_additive
from attention_core.multi_head import MultiHeadAttention
from attention_core.rope import Rope


def draw(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def build(**options: Any) -> MultiHeadAttention:
    return MultiHeadAttention(24, 6, generator=torch.Generator().manual_seed(5), **options).double()


def test_multi_head_qwen3_norms_before_rope() -> None:
    """transformers' Qwen3 attention: RMS norm of each head with a learned scale, then RoPE, grouped keys."""
    config = Qwen3Config(
        hidden_size=24,
        num_attention_heads=6,
        num_key_value_heads=2,
        head_dim=8,
        attention_bias=False,
        num_hidden_layers=1,
        vocab_size=11,
        intermediate_size=8,
        attn_implementation="eager",
    )
    theirs = Qwen3Attention(config, layer_idx=0).eval()
    ours = MultiHeadAttention(
        24,
        6,
        2,
        8,
        bias=False,
        rope=Rope("half_split", angle_dtype=torch.float32),
        qk_norm="rms",
        qk_norm_before_rope=True,
    )
    pairs = [
        (theirs.q_proj.weight, ours.query_projection.weight),
        (theirs.k_proj.weight, ours.key_projection.weight),
        (theirs.v_proj.weight, ours.value_projection.weight),
        (theirs.o_proj.weight, ours.output_projection.weight),
        (theirs.q_norm.weight, ours.qk_norm.query_scale),
        (theirs.k_norm.weight, ours.qk_norm.key_scale),
    ]
    with torch.no_grad():
        for index, (their, our) in enumerate(pairs):
            their.copy_(draw(*their.shape, seed=index, dtype=torch.float32))
            our.copy_(their)
    x, positions = draw(2, 5, 24, dtype=torch.float32), torch.arange(5)
    rotary = Qwen3RotaryEmbedding(config)(x, positions.unsqueeze(0))
    additive = to_additive(causal_mask(5, 5)).view(1, 1, 5, 5)
    expected, weights = theirs(x, rotary, additive)
    trace = ours(x, is_causal=True, trace=True)
    assert_close(trace.attention.weights, weights, rtol=0, atol=1e-6)
    assert_close(trace.attention.output, expected, rtol=1e-5, atol=1e-5)


@torch.no_grad()
def test_multi_head_nanochat_norms_after_rope() -> None:
    """Project, turn, norm without a learned scale, then attend: by hand, for one pair at position 1."""
    module = build(bias=False, rope=Rope("half_split"), qk_norm="rms", qk_norm_learned_scale=False)
    x = draw(1, 2, 24)
    trace = module(x, is_causal=True, trace=True).attention
    wide = (module.query_projection.weight @ x[0, 1]).view(6, 4)
    for head in range(6):
        a, b, c, d = (float(number) for number in wide[head])
        fast, slow = 1.0, 10_000.0**-0.5
        turned = [
            a * math.cos(fast) - c * math.sin(fast),
            b * math.cos(slow) - d * math.sin(slow),
            a * math.sin(fast) + c * math.cos(fast),
            b * math.sin(slow) + d * math.cos(slow),
        ]
        length = math.sqrt(sum(number**2 for number in turned) / 4 + 1e-6)
        expected = torch.tensor([number / length for number in turned], dtype=torch.float64)
        assert_close(trace.queries[0, head, 1], expected, rtol=0, atol=1e-12)


def test_multi_head_l2_norm_makes_scores_cosines() -> None:
    module = build(qk_norm="l2", qk_norm_learned_scale=False)
    trace = module(draw(1, 5, 24), trace=True).attention
    plain = build()(draw(1, 5, 24), trace=True).attention
    assert_close(trace.raw_scores, F.cosine_similarity(plain.queries.unsqueeze(3), plain.keys.unsqueeze(2), dim=-1))
    assert_close(trace.scaled_scores, 2.0 * trace.raw_scores)
