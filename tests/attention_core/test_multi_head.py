"""Multi-head attention against torch's, transformers', and loops."""

import copy
import itertools
import math
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn
from torch.autograd import gradcheck
from torch.testing import assert_close

from attention_core.masks import causal_mask, padding_mask, to_additive
from attention_core.multi_head import MultiHeadAttention
from attention_core.rope import Rope

HALF_SPLIT = Rope("half_split")
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "no bias": {"bias": False},
    "gqa": {"num_kv_heads": 3},
    "mqa": {"num_kv_heads": 1},
    "sizes of their own": {"head_dim": 10, "value_dim": 7, "output_bias": False},
    "rope": {"rope": HALF_SPLIT},
    "interleaved rope, gqa": {"rope": Rope("interleaved", rotary_dim=2), "num_kv_heads": 2},
    "alibi": {"alibi": True},
    "symmetric alibi": {"alibi": True, "alibi_symmetric": True},
    "rms after rope": {"qk_norm": "rms", "rope": HALF_SPLIT, "num_kv_heads": 3},
    "rms before rope": {"qk_norm": "rms", "rope": HALF_SPLIT, "qk_norm_before_rope": True},
    "l2": {"qk_norm": "l2", "rope": HALF_SPLIT},
    "l2 without learned scale, alibi": {"qk_norm": "l2", "qk_norm_learned_scale": False, "alibi": True},
    "scale": {"scale": 0.3},
}
"""Each mechanism at least once, for 6 heads of size 4."""


def draw(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def build(dtype: torch.dtype = torch.float64, seed: int = 5, **options: Any) -> MultiHeadAttention:
    """d_model 24, 6 heads; the learned scales of QK-norm moved away from 1."""
    generator = torch.Generator().manual_seed(seed)
    module = MultiHeadAttention(24, 6, generator=generator, **options).to(dtype)
    for name, parameter in module.named_parameters():
        if "scale" in name:
            parameter.data = 1 + 0.3 * draw(*parameter.shape, seed=7, dtype=dtype)
    return module.eval()


def torch_twin(module: MultiHeadAttention) -> nn.MultiheadAttention:
    """torch's module with the same weights."""
    parts = [module.query_projection, module.key_projection, module.value_projection]
    twin = nn.MultiheadAttention(
        module.d_model,
        module.num_heads,
        kdim=module.context_dim,
        vdim=module.context_dim,
        batch_first=True,
        dtype=torch.float64,
    ).eval()
    with torch.no_grad():
        if twin.in_proj_weight is not None:
            twin.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
        else:
            for mine, name in zip(parts, "qkv", strict=True):
                getattr(twin, f"{name}_proj_weight").copy_(mine.weight)
        twin.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
        twin.out_proj.load_state_dict(module.output_projection.state_dict())
    return twin


@pytest.mark.parametrize("masked", [False, True])
def test_multi_head_is_torchs(masked: bool) -> None:
    module, x = build(), draw(2, 7, 24)
    mask = causal_mask(7, 7) if masked else None
    expected, weights = torch_twin(module)(
        x, x, x, attn_mask=None if mask is None else ~mask, average_attn_weights=False
    )
    trace = module(x, mask=mask, trace=True)
    assert_close(trace.attention.output, expected, rtol=0, atol=1e-12)
    assert_close(trace.attention.weights, weights, rtol=0, atol=1e-12)
    assert_close(module(x, mask=mask), expected, rtol=0, atol=1e-12)


def test_multi_head_cross_attention_is_torchs() -> None:
    """Keys and values of another length and width; more queries than keys, and a single key."""
    module = build(context_dim=10)
    for queries, keys in [(7, 3), (3, 7), (5, 1), (1, 5), (1, 1)]:
        x, context = draw(2, queries, 24), draw(2, keys, 10, seed=1)
        expected, weights = torch_twin(module)(x, context, context, average_attn_weights=False)
        trace = module(x, context, trace=True)
        assert_close(trace.attention.output, expected, rtol=0, atol=1e-12)
        assert_close(trace.attention.weights, weights, rtol=0, atol=1e-12)
        assert_close(module(x, context), expected, rtol=0, atol=1e-12)


def test_multi_head_padding_is_torchs() -> None:
    module, x = build(), draw(2, 5, 24)
    is_token = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]]).bool()
    expected, weights = torch_twin(module)(x, x, x, key_padding_mask=~is_token, average_attn_weights=False)
    trace = module(x, mask=padding_mask(is_token), trace=True)
    assert_close(trace.attention.output, expected, rtol=0, atol=1e-12)
    assert_close(trace.attention.weights, weights, rtol=0, atol=1e-12)
    assert (trace.attention.weights[1, :, :, 3:] == 0).all()


@pytest.mark.parametrize("num_kv_heads", [1, 2, 3, 6])
def test_multi_head_grouped_is_torchs_grouped_kernel(num_kv_heads: int) -> None:
    module, x = build(num_kv_heads=num_kv_heads), draw(2, 7, 24)
    queries = module.query_projection(x).view(2, 7, 6, 4).transpose(1, 2)
    keys = module.key_projection(x).view(2, 7, num_kv_heads, 4).transpose(1, 2)
    values = module.value_projection(x).view(2, 7, num_kv_heads, 4).transpose(1, 2)
    heads = F.scaled_dot_product_attention(queries, keys, values, is_causal=True, enable_gqa=True)
    expected = module.output_projection(heads.transpose(1, 2).reshape(2, 7, 24))
    assert_close(module(x, is_causal=True, trace=True).attention.output, expected, rtol=0, atol=1e-12)
    assert_close(module(x, is_causal=True), expected, rtol=0, atol=1e-12)


@torch.no_grad()
def test_multi_head_every_stage_against_loops() -> None:
    """Every number of every stage, by the formula, one at a time."""
    module, x, context = build(num_kv_heads=2, value_dim=3), draw(1, 3, 24), draw(1, 5, 24, seed=1)
    stages = dict(module(x, context, trace=True).attention.stages())
    heads = torch.zeros(3, 6 * 3, dtype=torch.float64)
    for head in range(6):
        group = head // 3
        rows, kv_rows = slice(4 * head, 4 * head + 4), slice(4 * group, 4 * group + 4)
        v_rows = slice(3 * group, 3 * group + 3)
        for i in range(3):
            q = module.query_projection.weight[rows] @ x[0, i] + module.query_projection.bias[rows]
            assert_close(stages["queries"][0, head, i], q)
            scores, values = [], []
            for j in range(5):
                k = module.key_projection.weight[kv_rows] @ context[0, j] + module.key_projection.bias[kv_rows]
                v = module.value_projection.weight[v_rows] @ context[0, j] + module.value_projection.bias[v_rows]
                assert_close(stages["keys"][0, head, j], k)
                assert_close(stages["values"][0, head, j], v)
                assert_close(stages["raw_scores"][0, head, i, j], q @ k)
                assert_close(stages["scaled_scores"][0, head, i, j], q @ k / 2)
                scores.append(float(q @ k) / 2)
                values.append(v)
            total = sum(math.exp(score) for score in scores)
            for j in range(5):
                assert float(stages["weights"][0, head, i, j]) == pytest.approx(math.exp(scores[j]) / total, abs=1e-14)
            mixed = sum(math.exp(s) / total * v for s, v in zip(scores, values, strict=True))
            assert_close(stages["head_outputs"][0, head, i], mixed)
            heads[i, 3 * head : 3 * head + 3] = mixed
    expected = heads @ module.output_projection.weight.T + module.output_projection.bias
    assert_close(stages["output"][0], expected)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("masking", ["none", "causal", "padding", "additive", "padding and causal"])
def test_multi_head_trace_and_fast_path_agree(name: str, masking: str) -> None:
    module, x = build(**OPTIONS[name]), draw(2, 5, 24)
    mask: Tensor | None = None
    if "padding" in masking:
        mask = padding_mask(torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]]).bool())
    if masking == "additive":
        mask = draw(2, 1, 5, 5, seed=3) + to_additive(causal_mask(5, 5), torch.float64)
    options = {"mask": mask, "is_causal": "causal" in masking}
    trace = module(x, trace=True, **options)
    assert_close(module(x, **options), trace.attention.output, rtol=0, atol=1e-12)
    assert_close(trace.attention.weights.sum(-1), torch.ones(2, 6, 5, dtype=torch.float64), rtol=0, atol=1e-14)


CHUNKS = [(7,), (1,) * 7, (3, 1, 1, 2), (2, 5), (6, 1)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("chunks", CHUNKS)
@pytest.mark.parametrize("trace", [False, True])
def test_multi_head_cached_equals_uncached(name: str, chunks: tuple[int, ...], trace: bool) -> None:
    module, x = build(**OPTIONS[name]), draw(2, 7, 24)
    whole = module(x, is_causal=True, trace=True).attention
    cache = module.new_cache(2, 7)
    start = 0
    with torch.no_grad():
        for count in chunks:
            step = module(x[:, start : start + count], is_causal=True, cache=cache, trace=trace)
            rows = slice(start, start + count)
            output = step.attention.output if trace else step
            assert_close(output, whole.output[:, rows].detach(), rtol=0, atol=1e-12)
            if trace:
                expected = whole.weights[:, :, rows, : start + count].detach()
                assert_close(step.attention.weights, expected, rtol=0, atol=1e-12)
            start += count
    assert cache.length == 7


def test_multi_head_cache_in_cross_attention_is_filled_once() -> None:
    module, x, context = build(context_dim=10), draw(2, 3, 24), draw(2, 5, 10, seed=1)
    cache = module.new_cache(2, 5)
    expected = module(x, context)
    assert_close(module(x, context, cache=cache), expected, rtol=0, atol=1e-12)
    assert_close(module(x, torch.zeros_like(context), cache=cache), expected, rtol=0, atol=1e-12)
    assert cache.length == 5
    with pytest.raises(ValueError, match="context has 4 tokens but the cache holds 5 of them"):
        module(x, context[:, :4], cache=cache)


def test_multi_head_positions_given_are_those_used() -> None:
    module, x = build(rope=HALF_SPLIT), draw(2, 5, 24)
    assert_close(module(x, positions=torch.arange(5)), module(x), rtol=0, atol=0)
    assert_close(module(x, positions=torch.arange(5) + 40), module(x), rtol=0, atol=1e-12)  # RoPE is relative
    assert (module(x, positions=torch.arange(5) * 2) - module(x)).abs().max() > 1e-3
    per_sequence = torch.stack((torch.arange(5), torch.arange(5) * 2))
    both = module(x, positions=per_sequence)
    assert_close(both[1], module(x, positions=torch.arange(5) * 2)[1], rtol=0, atol=1e-12)
    assert_close(both[0], module(x)[0], rtol=0, atol=1e-12)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("trace", [False, True])
def test_multi_head_gradcheck(name: str, trace: bool) -> None:
    module = build(**OPTIONS[name])
    parameters = dict(module.named_parameters())
    x = draw(1, 3, 24).requires_grad_()

    def run(x: Tensor, *values: Tensor) -> Tensor:
        state = dict(zip(parameters, values, strict=True))
        found = torch.func.functional_call(module, state, (x,), {"is_causal": True, "trace": trace})
        return found.attention.output if trace else found

    assert gradcheck(run, (x, *parameters.values()), fast_mode=True)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", OPTIONS)
def test_multi_head_half_precision(name: str, dtype: torch.dtype) -> None:
    module, x = build(**OPTIONS[name]), draw(2, 5, 24)
    expected = module(x, is_causal=True)
    half = copy.deepcopy(module).to(dtype)
    bound = 0.02 if dtype == torch.float16 else 0.1
    for found in (half(x.to(dtype), is_causal=True), half(x.to(dtype), is_causal=True, trace=True).attention.output):
        assert found.dtype == dtype
        assert_close(found.double(), expected, rtol=0, atol=bound)


def test_multi_head_extreme_scores_stay_finite() -> None:
    module, x = build(dtype=torch.float32), 1e4 * draw(1, 5, 24, dtype=torch.float32)
    trace = module(x, trace=True).attention
    assert trace.raw_scores.abs().max() > 1e4
    assert torch.isfinite(trace.output).all()
    assert_close(module(x), trace.output, rtol=1e-5, atol=1e-2)


@pytest.mark.parametrize("trace", [False, True])
def test_multi_head_fully_masked_row_reads_nothing(trace: bool) -> None:
    """Head outputs 0, so the output is the output projection's bias alone."""
    module, x = build(), draw(1, 3, 24)
    mask = torch.tensor([[True, False, False], [False, False, False], [True, True, False]])
    found = module(x, mask=mask, trace=trace)
    output = found.attention.output if trace else found
    assert_close(output[0, 1], module.output_projection.bias, rtol=0, atol=0)
    additive = module(x, mask=to_additive(mask, torch.float64), trace=trace)
    assert_close(additive.attention.output if trace else additive, output, rtol=0, atol=1e-12)


def test_multi_head_is_drawn_from_the_generator_alone() -> None:
    torch.manual_seed(123)
    state = torch.random.get_rng_state()
    first = MultiHeadAttention(24, 6, generator=torch.Generator().manual_seed(3))
    same = MultiHeadAttention(24, 6, generator=torch.Generator().manual_seed(3))
    other = MultiHeadAttention(24, 6, generator=torch.Generator().manual_seed(4))
    dropping = MultiHeadAttention(24, 6, dropout=0.5)
    dropping(draw(1, 5, 24).float())
    assert torch.equal(torch.random.get_rng_state(), state)
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), same.parameters(), strict=True))
    assert not torch.equal(first.query_projection.weight, other.query_projection.weight)
    bound = 1 / math.sqrt(24)
    assert 0.9 * bound < first.query_projection.weight.abs().max() <= bound


def test_multi_head_dropout_acts_on_the_weights_in_training_alone() -> None:
    x = draw(1, 5, 24)
    evaluated = build(dropout=0.5)
    assert_close(evaluated(x), build()(x), rtol=0, atol=0)
    first, second = (build(dropout=0.5).train() for _ in range(2))
    trace = first(x, trace=True).attention
    assert_close(trace.output, second(x), rtol=0, atol=1e-12)  # the same draws with and without a trace
    assert (first(x) - second(x)).abs().max() == 0
    assert_close(trace.weights, evaluated(x, trace=True).attention.weights, rtol=0, atol=0)
    many = build(dropout=0.25).train()
    mean = many(x.expand(4000, -1, -1)).mean(0, keepdim=True)
    assert_close(mean, evaluated(x), rtol=0, atol=0.03)


def test_multi_head_in_threads() -> None:
    module = build(rope=HALF_SPLIT, num_kv_heads=2)
    inputs = [draw(1, 5, 24, seed=seed) for seed in range(16)]

    def run(x: Tensor) -> Tensor:
        with torch.no_grad():
            return module(x, is_causal=True, trace=True).attention.output

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(run, inputs))
    assert all(torch.equal(found, run(x)) for found, x in zip(together, inputs, strict=True))


@pytest.mark.parametrize(("queries", "keys"), list(itertools.product([1, 2, 13], [1, 2, 13])))
def test_multi_head_odd_shapes(queries: int, keys: int) -> None:
    module = build(num_kv_heads=2, rope=HALF_SPLIT)
    x, context = draw(1, queries, 24), draw(1, keys, 24, seed=1)
    assert_close(module(x, context), module(x, context, trace=True).attention.output, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"d_model": 10, "num_heads": 4}, "num_heads must divide d_model (10), which 4 does not; or give head_dim"),
        ({"d_model": 8, "num_heads": 4, "num_kv_heads": 3}, "num_kv_heads must divide num_heads (4), which 3 does not"),
        ({"d_model": 8, "num_heads": 4, "num_kv_heads": 0}, "num_kv_heads must divide num_heads (4), which 0 does not"),
        ({"d_model": 0, "num_heads": 1}, "d_model must be at least 1, not 0"),
        ({"d_model": 8, "num_heads": 0}, "num_heads must divide d_model (8), which 0 does not"),
        ({"d_model": 8, "num_heads": 0, "head_dim": 2}, "num_heads must be at least 1, not 0"),
        ({"d_model": 8, "num_heads": 2, "value_dim": 0}, "value_dim must be at least 1, not 0"),
        ({"d_model": 8, "num_heads": 2, "context_dim": -1}, "context_dim must be at least 1, not -1"),
        (
            {"d_model": 6, "num_heads": 2, "rope": HALF_SPLIT},
            "rope needs an even head dimension, because it rotates pairs, not 3",
        ),
        ({"d_model": 8, "num_heads": 2, "dropout": 1.0}, "dropout must lie in 0 ≤ dropout < 1, not 1.0"),
    ],
)
def test_multi_head_refuses_sizes_that_do_not_fit(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        MultiHeadAttention(**options)


def test_multi_head_refuses_inputs_that_do_not_fit() -> None:
    module = build()
    x = draw(2, 5, 24)
    cases: list[tuple[dict[str, Any], str]] = [
        ({"x": x[0]}, "x must have shape (batch, tokens, 24), not (5, 24)"),
        ({"x": x[..., :5]}, "x must have shape (batch, tokens, 24), not (2, 5, 5)"),
        ({"x": x, "context": x[:1]}, "context holds 1 sequences but x holds 2"),
        ({"x": x, "mask": torch.ones(4, 5).bool()}, "mask must broadcast to (2, 6, 5, 5), which (4, 5) does not"),
        ({"x": x, "context": x[:, :3], "is_causal": True}, "num_queries (5) must not exceed num_keys (3)"),
    ]
    for arguments, message in cases:
        with pytest.raises(ValueError, match=re.escape(message)):
            module(**arguments, trace=True)
    with pytest.raises(ValueError, match="context must be given: keys are made from size 10, x has 24"):
        build(context_dim=10)(x)
    with pytest.raises(ValueError, match="positions must name 5 tokens, not 4"):
        build(rope=HALF_SPLIT)(x, positions=torch.arange(4))
    with pytest.raises(ValueError, match="the cache has room for 3 in all"):
        module(x, cache=module.new_cache(2, 3))
