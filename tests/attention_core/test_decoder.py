"""The decoder at work: order of its stages, cache, generation, seeds. (Against transformers: test_decoder_weights.)"""

import math
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor
from torch.autograd import gradcheck
from torch.testing import assert_close

from attention_core.decoder import Decoder
from attention_core.decoder_config import DecoderConfig

CONFIGS = {
    "gpt2": DecoderConfig.gpt2(11, 12, 2, 3, max_length=9),
    "llama": DecoderConfig.llama(11, 12, 2, 6, num_kv_heads=3, max_length=9),
    "modern": DecoderConfig.modern(11, 16, 2, 4, num_kv_heads=2, max_length=9),
    "nanochat, 2026": DecoderConfig.nanochat_2026(11, 16, 4, 4, num_kv_heads=2, max_length=9),
    "l2 before rope": DecoderConfig.modern(
        11, 16, 2, 4, qk_norm="l2", qk_norm_before_rope=True, qk_norm_learned_scale=True, max_length=9
    ),
    "alibi, attention only": DecoderConfig(
        11, 12, 2, 3, positions="alibi", feed_forward=None, norm="none", max_length=9, init_std=None
    ),
    "no positions": DecoderConfig(11, 12, 1, 3, positions="none", feed_forward="relu_squared", max_length=9),
    "sinusoidal, cosine": DecoderConfig(
        11,
        12,
        2,
        3,
        positions="sinusoidal",
        qk_norm="l2",
        qk_norm_learned_scale=False,
        attention_scale=10.0,
        max_length=9,
        init_std=None,
    ),
}


def build(name: str, seed: int = 0) -> Decoder:
    """Weights large enough that nothing is nearly uniform."""
    decoder = Decoder(CONFIGS[name], generator=torch.Generator().manual_seed(seed)).double().eval()
    with torch.no_grad():
        for parameter in decoder.parameters():
            if parameter.dim() == 2 and CONFIGS[name].init_std is not None:
                parameter.mul_(15)
    return decoder


def drawn_ids(batch: int, count: int, seed: int = 0) -> Tensor:
    return torch.randint(0, 11, (batch, count), generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("name", CONFIGS)
def test_decoder_trace_adds_up(name: str) -> None:
    decoder, ids = build(name), drawn_ids(2, 7)
    trace = decoder(ids, trace=True)
    assert_close(trace.logits, decoder(ids), rtol=0, atol=1e-10)
    assert torch.equal(trace.token_embeddings, decoder.token_embedding.weight[ids])
    x = trace.embeddings
    for block in trace.blocks:
        assert torch.equal(block.inputs, x)
        assert torch.equal(block.attention.attention.output, block.attention_output)
        assert_close(block.after_attention, x + block.attention_output, rtol=0, atol=0)
        added = 0.0 if block.feed_forward_output is None else block.feed_forward_output
        assert_close(block.outputs, block.after_attention + added, rtol=0, atol=0)
        assert (block.attention.attention.weights.triu(1) == 0).all()
        x = block.outputs
    output = decoder.token_embedding if decoder.output is None else decoder.output
    logits, cap = trace.final_normed @ output.weight.T, decoder.config.logit_cap
    assert_close(trace.logits, logits if cap is None else cap * (logits / cap).tanh(), rtol=0, atol=1e-12)


@torch.no_grad()
def test_decoder_adds_sinusoids_and_scales_cosines() -> None:
    """The paper's table written out, and each raw score a cosine times the given scale."""
    decoder, ids = build("sinusoidal, cosine"), drawn_ids(2, 7)
    trace = decoder(ids, trace=True)
    table = [[pos / 10_000 ** (2 * i / 12) for i in range(6)] for pos in range(7)]
    expected = torch.tensor([[f(angle) for angle in row for f in (math.sin, math.cos)] for row in table]).double()
    assert_close(trace.position_embeddings, expected, rtol=0, atol=1e-6)
    assert_close(trace.embeddings, trace.token_embeddings + trace.position_embeddings, rtol=0, atol=0)
    for block in trace.blocks:
        stages, steps = block.attention.attention, block.attention.tensors
        cosines = F.cosine_similarity(steps["queries_by_head"].unsqueeze(3), steps["keys_by_head"].unsqueeze(2), dim=-1)
        assert_close(stages.raw_scores, cosines, rtol=0, atol=1e-12)
        assert_close(stages.scaled_scores, 10 * cosines, rtol=0, atol=1e-11)


def test_decoder_modern_block_in_its_order() -> None:
    """C39: bias-free projections, GQA, RoPE, QK-norm, KV cache: each step redone from the one before."""
    decoder, ids = build("modern"), drawn_ids(1, 5)
    caches = decoder.new_caches()
    with torch.no_grad():
        decoder(ids[:, :3], caches=caches)
        block = decoder(ids[:, 3:], caches=caches, trace=True).blocks[0]
    attention, steps = decoder.blocks[0].attention, block.attention.tensors
    assert attention.query_projection.bias is attention.output_projection.bias is None
    assert [step.name for step in block.attention.shapes if step.name.startswith("keys")] == [
        "keys_projected",
        "keys_split",
        "keys_by_head",
        "keys_turned",
        "keys_normed",
        "keys_repeated",
    ]
    for name, positions in (("queries", torch.arange(3, 5)), ("keys", torch.arange(3, 5))):
        turned = attention.rope.rotate(steps[f"{name}_by_head"], positions)
        assert_close(steps[f"{name}_turned"], turned, rtol=0, atol=1e-14)
        assert_close(steps[f"{name}_normed"], F.rms_norm(turned, (4,), eps=1e-6), rtol=0, atol=1e-12)
    assert steps["keys_normed"].shape == (1, 2, 2, 4)
    assert torch.equal(steps["cached_keys"], caches[0].keys)
    assert torch.equal(steps["cached_keys"][:, :, 3:], steps["keys_normed"])
    assert steps["keys_repeated"].shape == (1, 4, 5, 4)
    assert block.attention.attention.weights.shape == (1, 4, 2, 5)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("chunks", [(9,), (1,) * 9, (4, 1, 3, 1)])
@torch.no_grad()
def test_decoder_cached_equals_uncached(name: str, chunks: tuple[int, ...]) -> None:
    decoder, ids = build(name), drawn_ids(2, 9)
    expected, caches, start = decoder(ids), decoder.new_caches(2), 0
    for count in chunks:
        logits = decoder(ids[:, start : start + count], caches=caches)
        assert_close(logits, expected[:, start : start + count], rtol=0, atol=1e-10)
        start += count


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("temperature", [0.0, 0.7])
def test_decoder_generates_the_same_with_and_without_cache(name: str, temperature: float) -> None:
    decoder, ids = build(name), drawn_ids(2, 3)
    found = [
        decoder.generate(
            ids,
            6,
            temperature=temperature,
            use_cache=use_cache,
            generator=torch.Generator().manual_seed(4),
        )
        for use_cache in (True, False)
    ]
    assert torch.equal(*found)
    assert torch.equal(found[0][:, :3], ids)
    if temperature == 0:
        expected = ids
        for _ in range(6):
            expected = torch.cat((expected, decoder(expected)[:, -1].argmax(-1, keepdim=True)), dim=1)
        assert torch.equal(found[0], expected)


def test_decoder_draws_by_the_probabilities() -> None:
    decoder, ids = build("llama"), drawn_ids(1, 3).expand(4000, -1)
    drawn = decoder.generate(ids, 1, temperature=2.0, generator=torch.Generator().manual_seed(5))[:, -1]
    expected = (decoder(ids[:1])[0, -1] / 2.0).exp()
    assert_close(drawn.bincount(minlength=11) / 4000, (expected / expected.sum()).float(), rtol=0, atol=0.03)


@pytest.mark.full
@pytest.mark.parametrize("name", CONFIGS)
def test_decoder_gradcheck(name: str) -> None:
    decoder, ids = build(name), drawn_ids(1, 3)
    parameters = dict(decoder.named_parameters())

    def run(*values: Tensor) -> Tensor:
        return torch.func.functional_call(decoder, dict(zip(parameters, values, strict=True)), (ids,))

    assert gradcheck(run, tuple(parameters.values()), fast_mode=True, atol=1e-4)


def test_decoder_learns() -> None:
    """A few steps on one sequence bring its loss near 0: gradients reach what they must."""
    decoder = Decoder(DecoderConfig.modern(11, 16, 1, 4, num_kv_heads=2, dropout=0.1, init_std=None)).train()
    optimiser = torch.optim.AdamW(decoder.parameters(), lr=1e-2)
    ids = drawn_ids(1, 9)
    for _ in range(40):
        loss = F.cross_entropy(decoder(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert loss.item() < 0.3
    assert all(parameter.grad is not None for parameter in decoder.parameters())


def test_decoder_is_drawn_from_the_generator_alone() -> None:
    state = torch.random.get_rng_state()
    config = DecoderConfig.gpt2(97, 64, 8, 4)
    first, same, other = (Decoder(config, generator=torch.Generator().manual_seed(seed)) for seed in (1, 1, 2))
    first.train()
    decoder = Decoder(DecoderConfig.gpt2(11, 12, 1, 3, dropout=0.5))
    decoder(drawn_ids(1, 5))
    decoder.generate(drawn_ids(1, 2), 2, temperature=1.0)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), same.parameters(), strict=True))
    assert not torch.equal(first.token_embedding.weight, other.token_embedding.weight)
    for name, parameter in first.named_parameters():
        if name.endswith("bias"):
            assert (parameter == 0).all(), name
        elif parameter.dim() == 2:
            into_stream = name.endswith(("output_projection.weight", "down.weight"))
            expected = 0.02 / (math.sqrt(16) if into_stream else 1.0)
            assert parameter.std().item() == pytest.approx(expected, rel=0.06), name
    blocks = [block.attention.query_projection.weight for block in first.blocks]
    assert not torch.equal(blocks[0], blocks[1])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", CONFIGS)
def test_decoder_half_precision(name: str, dtype: torch.dtype) -> None:
    decoder, ids = Decoder(CONFIGS[name]).eval(), drawn_ids(2, 5)
    expected = decoder(ids)
    found = decoder.to(dtype)(ids)
    assert found.dtype == dtype
    assert_close(found.float(), expected, rtol=0.05, atol=0.05 * expected.abs().max().item())


@pytest.mark.full
@torch.no_grad()
def test_decoder_in_threads() -> None:
    decoder = build("modern")
    prompts = [drawn_ids(1, 3, seed) for seed in range(8)]

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda ids: decoder.generate(ids, 5), prompts))
    assert all(torch.equal(found, decoder.generate(ids, 5)) for found, ids in zip(together, prompts, strict=True))


def test_decoder_order_matters_only_with_positions() -> None:
    """The last token of a permuted prefix: without positions it reads the same set."""
    ids, permuted = torch.tensor([[1, 2, 3, 4]]), torch.tensor([[3, 1, 2, 4]])
    blind = build("no positions")
    assert_close(blind(ids)[:, -1], blind(permuted)[:, -1], rtol=0, atol=1e-10)
    for name in ("gpt2", "llama", "modern", "alibi, attention only"):
        assert (build(name)(ids)[:, -1] - build(name)(permuted)[:, -1]).abs().max() > 1e-3, name


def test_decoder_refuses_what_does_not_fit() -> None:
    decoder = build("llama")
    cases = [
        (torch.tensor([1, 2]), "ids must have shape (batch, tokens) with at least 1 token, not (2,)"),
        (torch.zeros(1, 0, dtype=torch.int64), "ids must have shape (batch, tokens) with at least 1 token, not (1, 0)"),
        (drawn_ids(1, 10), "ids hold 10 tokens after 0; max_length is 9"),
        (torch.tensor([[1, 11]]), "ids must lie between 0 and 10"),
        (torch.tensor([[-1, 1]]), "ids must lie between 0 and 10"),
    ]
    for ids, message in cases:
        with pytest.raises(ValueError, match=re.escape(message)):
            decoder(ids)
    with pytest.raises(ValueError, match="ids hold 1 tokens after 9; max_length is 9"):
        decoder.generate(drawn_ids(1, 9), 2)
    with pytest.raises(ValueError, match="count must not be negative, not -1"):
        decoder.generate(drawn_ids(1, 2), -1)
    with pytest.raises(ValueError, match=r"temperature must be ≥ 0, not -0\.5"):
        decoder.generate(drawn_ids(1, 2), 1, temperature=-0.5)
