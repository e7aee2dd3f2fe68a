"""The KV cache against plain concatenation, and its bytes against hand arithmetic and transformers' configurations."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from transformers import GPT2Config, LlamaConfig, MistralConfig

from attention_core.kv_cache import (
    PRESETS,
    KVCache,
    KVCacheSize,
    decoding_mask,
    decoding_phase,
    find_preset,
)

KIB, MIB = 2**10, 2**20
SIZES = {"batch": 2, "num_kv_heads": 3, "max_length": 7, "head_dim": 5, "value_dim": 11}


def tokens(count: int, seed: int, dtype: torch.dtype = torch.float32) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    keys = torch.randn(2, 3, count, 5, generator=generator).to(dtype)
    return keys, torch.randn(2, 3, count, 11, generator=generator).to(dtype)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("chunks", [(7,), (1, 1, 1), (3, 1, 2), (0, 4, 0)])
def test_kv_cache_append_equals_concatenation(chunks: tuple[int, ...], dtype: torch.dtype) -> None:
    cache = KVCache(**SIZES, dtype=dtype)
    pieces = [tokens(count, seed, dtype) for seed, count in enumerate(chunks)]
    for index, piece in enumerate(pieces):
        keys, values = cache.append(*piece)
        assert torch.equal(keys, torch.cat([k for k, _ in pieces[: index + 1]], dim=2))
        assert torch.equal(values, torch.cat([v for _, v in pieces[: index + 1]], dim=2))
    assert cache.length == sum(chunks)
    assert torch.equal(cache.keys, keys)


def test_kv_cache_reset_keeps_the_memory() -> None:
    cache = KVCache(**SIZES)
    first, _ = cache.append(*tokens(4, 0))
    address = first.data_ptr()
    cache.reset()
    assert cache.length == 0
    assert cache.keys.shape == (2, 3, 0, 5)
    keys, values = cache.append(*tokens(2, 1))
    assert keys.data_ptr() == address
    assert torch.equal(keys, tokens(2, 1)[0])
    assert torch.equal(values, tokens(2, 1)[1])


def test_kv_cache_truncate_takes_tokens_back() -> None:
    cache = KVCache(**SIZES)
    cache.append(*tokens(5, 0))
    cache.truncate(2)
    keys, _ = cache.append(*tokens(1, 1))
    assert torch.equal(keys, torch.cat((tokens(5, 0)[0][:, :, :2], tokens(1, 1)[0]), dim=2))
    with pytest.raises(ValueError, match="length must lie between 0 and the 3 tokens stored, not 4"):
        cache.truncate(4)


def test_kv_cache_bounds() -> None:
    cache = KVCache(**SIZES)
    cache.append(*tokens(6, 0))
    with pytest.raises(ValueError, match="keys hold 2 tokens, 6 are stored, and the cache has room for 7 in all"):
        cache.append(*tokens(2, 1))
    assert cache.length == 6
    cache.append(*tokens(1, 1))
    assert cache.length == cache.max_length == 7


def test_kv_cache_refuses_what_does_not_fit() -> None:
    cache = KVCache(**SIZES)
    keys, values = tokens(2, 0)
    with pytest.raises(ValueError, match=re.escape("keys must have shape (2, 3, tokens, 5), not (2, 2, 2, 5)")):
        cache.append(keys[:, :2], values)
    with pytest.raises(ValueError, match=re.escape("values must have shape (2, 3, tokens, 11), not (1, 3, 2, 11)")):
        cache.append(keys, values[:1])
    with pytest.raises(ValueError, match="values hold 1 tokens but keys hold 2"):
        cache.append(keys, values[:, :, :1])
    with pytest.raises(ValueError, match=r"keys are torch.float16 on cpu but the cache holds torch.float32 on cpu"):
        cache.append(keys.half(), values.half())
    assert cache.length == 0


@pytest.mark.parametrize("name", SIZES)
def test_kv_cache_refuses_empty_sizes(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} must be at least 1, not 0"):
        KVCache(**{**SIZES, name: 0})


def test_kv_cache_bytes_are_those_of_the_tensors() -> None:
    cache = KVCache(**SIZES, dtype=torch.float16)
    assert cache.nbytes == 2 * 3 * 7 * (5 + 11) * 2
    cache.append(*tokens(3, 0, torch.float16))
    assert cache.used_nbytes == 2 * 3 * 3 * (5 + 11) * 2
    same = KVCacheSize(layers=1, kv_heads=3, head_dim=5, batch=2, seq_len=7, bytes_per_value=4)
    assert KVCache(2, 3, 7, 5).nbytes == same.bytes_total == same.bytes_per_layer


def test_kv_cache_new_tokens_keep_their_gradient_and_old_ones_have_none() -> None:
    cache = KVCache(**SIZES, dtype=torch.float64)
    old_keys, old_values = (part.requires_grad_() for part in tokens(2, 0, torch.float64))
    new_keys, new_values = (part.requires_grad_() for part in tokens(3, 1, torch.float64))
    cache.append(old_keys, old_values)
    keys, values = cache.append(new_keys, new_values)
    cache.append(*tokens(1, 2, torch.float64))  # must not disturb the graph
    (keys.square().sum() + values.sum()).backward()
    assert torch.equal(new_keys.grad, 2 * new_keys.detach())
    assert torch.equal(new_values.grad, torch.ones_like(new_values))
    assert old_keys.grad is None


def test_kv_cache_one_cache_a_thread() -> None:
    def fill(seed: int) -> torch.Tensor:
        cache = KVCache(**SIZES)
        for step in range(7):
            cache.append(*tokens(1, 100 * seed + step))
        return cache.keys

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(fill, range(8)))
    assert all(torch.equal(found, fill(seed)) for seed, found in enumerate(together))


def test_kv_cache_phases_and_their_masks() -> None:
    assert decoding_phase(4, 0) == "prefill"
    assert decoding_phase(1, 0) == "prefill"
    assert decoding_phase(1, 4) == "single_token"
    assert decoding_phase(2, 4) == "chunk"
    assert decoding_mask(1, 4) is None
    assert decoding_mask(1, 0) is None
    assert torch.equal(decoding_mask(3, 0), torch.tensor([[1, 0, 0], [1, 1, 0], [1, 1, 1]]).bool())
    # C28: the whole prefix visible, causal inside the chunk.
    chunk = torch.tensor([[1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 1, 1]]).bool()
    assert torch.equal(decoding_mask(3, 3), chunk)
    with pytest.raises(ValueError, match="num_new must be at least 1, not 0"):
        decoding_mask(0, 3)
    with pytest.raises(ValueError, match="num_stored must not be negative, not -1"):
        decoding_phase(1, -1)


def test_kv_cache_256_mib_a_layer_quarter_and_eighth() -> None:
    # C27: 8 heads × 64, batch 32, length 2048, 4 bytes.
    full = {"layers": 1, "head_dim": 64, "batch": 32, "seq_len": 2048, "bytes_per_value": 4}
    assert KVCacheSize(kv_heads=8, **full).bytes_per_layer == 256 * MIB
    assert KVCacheSize(kv_heads=2, **full).bytes_per_layer == 256 * MIB // 4
    assert KVCacheSize(kv_heads=1, **full).bytes_per_layer == 256 * MIB // 8
    twelve = KVCacheSize(kv_heads=8, **{**full, "layers": 12})
    assert (twelve.bytes_per_layer, twelve.bytes_total) == (256 * MIB, 12 * 256 * MIB)


@pytest.mark.parametrize(
    ("preset", "kib"),
    [
        ("llama-2-7b", 512),
        ("llama-2-70b", 320),
        ("llama-3-8b", 128),
        ("mistral-7b", 128),
        ("gemma-2b", 18),
        ("gpt2", 36),
    ],
)
def test_kv_cache_presets_a_token_in_half_precision(preset: str, kib: int) -> None:
    model = find_preset(preset)
    size = KVCacheSize(model.layers, model.kv_heads, model.head_dim, batch=1, seq_len=1, bytes_per_value=2)
    assert size.bytes_per_token == kib * KIB


def test_kv_cache_presets_agree_with_the_library_defaults() -> None:
    # transformers' defaults are those of one model each: GPT-2, Llama 2 7B, Mistral 7B.
    gpt2, llama, mistral = GPT2Config(), LlamaConfig(), MistralConfig()
    found = {
        "gpt2": (gpt2.n_layer, gpt2.n_head, gpt2.n_head, gpt2.n_embd // gpt2.n_head),
        "llama-2-7b": (llama.num_hidden_layers, llama.num_attention_heads, llama.num_key_value_heads, llama.head_dim),
        "mistral-7b": (
            mistral.num_hidden_layers,
            mistral.num_attention_heads,
            mistral.num_key_value_heads,
            mistral.hidden_size // mistral.num_attention_heads,
        ),
    }
    for name, expected in found.items():
        model = PRESETS[name]
        assert (model.layers, model.heads, model.kv_heads, model.head_dim) == expected


def test_kv_cache_presets_state_their_source() -> None:
    for model in PRESETS.values():
        assert "config" in model.source
        assert str(model.layers) in model.source
        assert str(model.kv_heads) in model.source


def test_kv_cache_unknown_preset() -> None:
    with pytest.raises(ValueError, match="preset must be one of gpt2, llama-2-7b"):
        find_preset("llama-9")
