"""nanochat's two forms, written out once more in plain torch, position by position and head by head."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from attention_core.decoder import Decoder
from attention_core.decoder_config import DecoderConfig
from attention_core.value_embedding import ValueEmbedding

VOCABULARY, LONGEST = 11, 9
FORMS = {"2025": DecoderConfig.nanochat_2025, "2026": DecoderConfig.nanochat_2026}


def built(form: str, layers: int = 4, width: int = 16, **options: Any) -> Decoder:
    """Weights so large that no attention is flat, no gate half open and no logit far below its bound."""
    sizes = {"num_kv_heads": 2, "max_length": LONGEST, "init_std": 0.6} | options
    config = FORMS[form](VOCABULARY, width, layers, 4, **sizes)
    return Decoder(config, generator=torch.Generator().manual_seed(7)).double().eval()


def drawn_ids(count: int, seed: int = 0) -> Tensor:
    return torch.randint(0, VOCABULARY, (count,), generator=torch.Generator().manual_seed(seed))


def rms(x: Tensor) -> Tensor:
    return x / (x.square().mean(-1, keepdim=True) + 1e-6).sqrt()


def turned(x: Tensor, base: float) -> Tensor:
    """(T, heads, D): pairs of the first and the second half as complex numbers, times e^(i · position · θ)."""
    half = x.shape[-1] // 2
    angles = torch.arange(len(x))[:, None, None] * base ** (-torch.arange(half).double() / half)
    points = torch.complex(x[..., :half], x[..., half:]) * torch.polar(torch.ones_like(angles), angles)
    return torch.cat((points.real, points.imag), -1)


def logits_by_hand(decoder: Decoder, ids: Tensor, *, is_new: bool) -> Tensor:
    """(T, vocabulary), by the rules of nanochat/gpt.py of 2025 or 2026, but rotating counter-clockwise."""
    weights, layers, heads, kept = decoder.state_dict(), decoder.config.num_layers, 4, 2
    base, factor = (100_000, 1.2) if is_new else (10_000, 1.0)
    x = rms(weights["token_embedding.weight"][ids])
    for layer in range(layers):
        of = {name.removeprefix(f"blocks.{layer}."): each for name, each in weights.items()}
        n = rms(x)
        q = (n @ of["attention.query_projection.weight"].T).view(len(ids), heads, -1)
        k, v = ((n @ of[f"attention.{name}_projection.weight"].T).view(len(ids), kept, -1) for name in ("key", "value"))
        if is_new and layer % 2 == (layers - 1) % 2:
            gate = 3 / (1 + (-n[:, :12] @ of["value_embedding.gate.weight"].T).exp())
            v = v + gate[:, :, None] * of["value_embedding.embedding.weight"][ids].view(v.shape)
        q, k = (factor * rms(turned(each, base)) for each in (q, k))
        is_short = is_new and "SSSL"[layer % 4] == "S" and layer < layers - 1
        before = math.ceil(LONGEST / 4) if is_short else LONGEST
        mixed = torch.zeros_like(q)
        for at in range(len(ids)):
            for head in range(heads):
                keys = slice(max(0, at - before), at + 1)
                scores = k[keys, head // 2] @ q[at, head] / math.sqrt(q.shape[-1])
                mixed[at, head] = (scores.exp() / scores.exp().sum()) @ v[keys, head // 2]
        x = x + mixed.flatten(1) @ of["attention.output_projection.weight"].T
        x = x + (rms(x) @ of["feed_forward.up.weight"].T).clamp_min(0) ** 2 @ of["feed_forward.down.weight"].T
    return 15 * (rms(x) @ weights["output.weight"].T / 15).tanh()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("layers", "width"), [(1, 16), (2, 16), (4, 16), (5, 8)])
@torch.no_grad()
def test_nanochat_by_hand(form: str, layers: int, width: int) -> None:
    decoder, ids = built(form, layers, width), drawn_ids(LONGEST)
    expected = logits_by_hand(decoder, ids, is_new=form == "2026")
    assert expected.abs().max() > 3  # so that the bound of 15 bends them
    assert_close(decoder(ids[None])[0], expected, rtol=0, atol=1e-9)
    assert_close(decoder(ids[None], trace=True).logits[0], expected, rtol=0, atol=1e-9)
    caches = decoder.new_caches()
    one_by_one = torch.cat([decoder(ids[None, at : at + 1], caches=caches)[0] for at in range(LONGEST)])
    assert_close(one_by_one, expected, rtol=0, atol=1e-9)


@torch.no_grad()
def test_nanochat_2026_differs_by_each_of_its_parts() -> None:
    """Without any one of them the logits are others: none is there in name only."""
    ids = drawn_ids(LONGEST)[None]
    whole = built("2026")
    for without in ({"qk_gain": 1.0}, {"window_pattern": None}, {"value_embeddings": False}):
        other = built("2026", **without)
        other.load_state_dict({name: each for name, each in whole.state_dict().items() if name in other.state_dict()})
        assert (other(ids) - whole(ids)).abs().max() > 0.1, without


@torch.no_grad()
def test_nanochat_2026_scores_grow_by_the_square_of_the_gain() -> None:
    decoder = built("2026", 1, value_embeddings=False, window_pattern=None)
    trace = decoder(drawn_ids(5)[None], trace=True).blocks[0].attention
    normed = trace.tensors["queries_normed"] @ trace.tensors["keys_normed"].repeat_interleave(2, 1).transpose(-1, -2)
    assert_close(trace.attention.raw_scores, 1.44 * normed, rtol=1e-12, atol=1e-12)
    assert [step.name for step in trace.shapes if step.name.startswith("queries")][-2:] == [
        "queries_normed",
        "queries_sharpened",
    ]


@torch.no_grad()
def test_nanochat_2026_sees_through_its_windows() -> None:
    """Three blocks of short windows and one that sees all; the last one is long even where the pattern is short."""
    ids = drawn_ids(LONGEST)[None]
    for layers, reaches in ((4, [4, 4, 4, 9]), (6, [4, 4, 4, 9, 4, 9]), (1, [9])):
        blocks = built("2026", layers)(ids, trace=True).blocks
        seen = [int((block.attention.attention.weights[0, 0, -1] > 0).sum()) for block in blocks]
        assert seen == reaches


@pytest.mark.parametrize(("layers", "having"), [(1, [0]), (2, [1]), (4, [1, 3]), (5, [0, 2, 4])])
def test_nanochat_2026_has_values_of_tokens_in_every_other_block(layers: int, having: list[int]) -> None:
    blocks = built("2026", layers).blocks
    assert [at for at, block in enumerate(blocks) if block.value_embedding is not None] == having


@torch.no_grad()
def test_value_embedding_is_gated_by_the_first_twelve_numbers() -> None:
    module = ValueEmbedding(5, 20, 2, 3, generator=torch.Generator().manual_seed(0))
    module.embedding.weight.normal_(generator=torch.Generator().manual_seed(1))
    x = torch.randn(2, 4, 20, generator=torch.Generator().manual_seed(2))
    ids = torch.tensor([[0, 1, 1, 4], [3, 2, 0, 0]])
    gates = module.gates(x)
    assert gates.shape == (2, 2, 4)
    assert torch.equal(module.gates(torch.cat((x[..., :12], -x[..., 12:]), -1)), gates)
    assert_close(module.gates(torch.zeros_like(x)), torch.full((2, 2, 4), 1.5))
    assert_close(module.gates(1e6 * x).unique(), torch.tensor([0.0, 3.0]))
    for head in range(2):
        expected = gates[:, head, :, None] * module.embedding.weight[ids][..., 3 * head : 3 * head + 3]
        assert_close(module(x, ids)[:, head], expected)
