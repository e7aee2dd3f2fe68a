"""The KV cache: stored keys and values of past tokens, so that each new token costs one row of attention.

During decoding the keys and values of past tokens never change, so they are computed once and stored. The mask of a
step follows from the numbers of new and stored tokens:

- prefill (nothing stored): the causal triangle;
- single token: none, the newest token may attend to everything;
- chunk (several new after a stored prefix): the whole prefix visible, causal inside the chunk.

All three are ``causal_mask(new, stored + new)``. Memory is what limits long contexts: for each token and layer
``2 · kv_heads · head_dim`` numbers, which is why keys and values are shared by groups of query heads (Shazeer 2019;
Ainslie et al. 2023).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.masks import causal_mask
from attention_core.refusal import InvalidValueError, check_at_least, check_choice

Phase = Literal["prefill", "single_token", "chunk"]


class KVCache:
    """Keys and values of one layer, in memory preallocated for ``max_length`` tokens.

    ::

        keys    (B, Hkv, max_length, D)   |#########.....|   # stored: length    . free
        values  (B, Hkv, max_length, V)   |#########.....|

    Keys are stored as attention uses them, after RoPE and QK-norm. Stored tokens carry no gradient; the tokens of
    the call that appends them do, so a step with a cache is differentiable in its own tokens.
    """

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        max_length: int,
        head_dim: int,
        value_dim: int | None = None,
        *,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        value_dim = head_dim if value_dim is None else value_dim
        sizes = {
            "batch": batch,
            "num_kv_heads": num_kv_heads,
            "max_length": max_length,
            "head_dim": head_dim,
            "value_dim": value_dim,
        }
        check_at_least(1, **sizes)
        self._keys = torch.zeros(batch, num_kv_heads, max_length, head_dim, device=device, dtype=dtype)
        self._values = torch.zeros(batch, num_kv_heads, max_length, value_dim, device=device, dtype=dtype)
        self._length = 0

    @property
    def length(self) -> int:
        """Number of tokens stored."""
        return self._length

    @property
    def max_length(self) -> int:
        """Capacity in tokens."""
        return self._keys.shape[2]

    @property
    def keys(self) -> Float[Tensor, "B Hkv length D"]:
        """The keys stored, as a view."""
        return self._keys[:, :, : self._length]

    @property
    def values(self) -> Float[Tensor, "B Hkv length V"]:
        """The values stored, as a view."""
        return self._values[:, :, : self._length]

    @property
    def nbytes(self) -> int:
        """Bytes allocated, whether used or not."""
        return self._keys.nbytes + self._values.nbytes

    @property
    def used_nbytes(self) -> int:
        """Bytes used by the stored tokens."""
        return self.keys.nbytes + self.values.nbytes

    def append(
        self, keys: Float[Tensor, "..."], values: Float[Tensor, "..."]
    ) -> tuple[Float[Tensor, "B Hkv length D"], Float[Tensor, "B Hkv length V"]]:
        """Append new keys (B, Hkv, new, D) and values (B, Hkv, new, V), and return all keys and values.

        Raises ValueError, and stores nothing, if shape, dtype or device differ from the cache's or there is no room.
        """
        self._check_fits("keys", keys, self._keys)
        self._check_fits("values", values, self._values)
        new = keys.shape[2]
        if values.shape[2] != new:
            raise InvalidValueError("values hold {values} tokens but keys hold {keys}", values.shape[2], new)
        start, end = self._length, self._length + new
        if end > self.max_length:
            raise InvalidValueError(
                "keys hold {new} tokens, {start} are stored, and the cache has room for {max_length} in all",
                new,
                start,
                self.max_length,
            )
        self._keys[:, :, start:end] = keys.detach()
        self._values[:, :, start:end] = values.detach()
        self._length = end
        if keys.requires_grad or values.requires_grad:
            # Copied, not viewed: a later append must not change what this step's backward pass uses.
            past_keys, past_values = self._keys[:, :, :start], self._values[:, :, :start]
            return torch.cat((past_keys, keys), dim=2), torch.cat((past_values, values), dim=2)
        return self.keys, self.values

    def reset(self) -> None:
        """Drop all tokens but keep the memory."""
        self._length = 0

    def truncate(self, length: int) -> None:
        """Keep only the first ``length`` tokens (to roll back rejected or edited tokens)."""
        if not 0 <= length <= self._length:
            raise InvalidValueError(
                "length must lie between 0 and the {stored} tokens stored, not {given}", self._length, length
            )
        self._length = length

    def _check_fits(self, name: str, new: Tensor, stored: Tensor) -> None:
        batch, heads, _, size = stored.shape
        if new.dim() != 4 or (new.shape[0], new.shape[1], new.shape[3]) != (batch, heads, size):
            raise InvalidValueError(
                "{name} must have shape ({batch}, {heads}, tokens, {size}), not {shape}",
                name,
                batch,
                heads,
                size,
                tuple(new.shape),
            )
        if new.dtype != stored.dtype or new.device != stored.device:
            raise InvalidValueError(
                "{name} are {dtype} on {device} but the cache holds {cache_dtype} on {cache_device}",
                name,
                new.dtype,
                new.device,
                stored.dtype,
                stored.device,
            )


def decoding_phase(num_new: int, num_stored: int) -> Phase:
    """The phase of a step that processes ``num_new`` tokens with ``num_stored`` in the cache."""
    check_at_least(1, num_new=num_new)
    if num_stored < 0:
        raise InvalidValueError("{name} must not be negative, not {given}", "num_stored", num_stored)
    if num_stored == 0:
        return "prefill"
    return "single_token" if num_new == 1 else "chunk"


def decoding_mask(
    num_new: int, num_stored: int, *, device: torch.device | str | None = None
) -> Bool[Tensor, "new all"] | None:
    """The mask of a decoding step, true where allowed; None where a single token may attend to everything."""
    decoding_phase(num_new, num_stored)
    return None if num_new == 1 else causal_mask(num_new, num_stored + num_new, device=device)


@dataclass(frozen=True)
class KVCacheSize:
    """The memory a KV cache takes, computed in Python's unbounded integers."""

    layers: int
    kv_heads: int
    head_dim: int
    batch: int
    seq_len: int
    bytes_per_value: int
    """4 for float32, 2 for float16 and bfloat16, 1 for 8-bit caches."""

    def __post_init__(self) -> None:
        check_at_least(1, **vars(self))

    @property
    def bytes_per_token(self) -> int:
        """``2 · layers · kv_heads · head_dim · bytes_per_value``: one token of one sequence, all layers."""
        return 2 * self.layers * self.kv_heads * self.head_dim * self.bytes_per_value

    @property
    def bytes_per_layer(self) -> int:
        """``batch · seq_len · 2 · kv_heads · head_dim · bytes_per_value``: one layer, all tokens of the batch."""
        return self.bytes_total // self.layers

    @property
    def bytes_total(self) -> int:
        """``batch · seq_len · bytes_per_token``."""
        return self.batch * self.seq_len * self.bytes_per_token


@dataclass(frozen=True)
class KVCachePreset:
    """The sizes of a published model, with their source."""

    title: str
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    max_tokens: int
    source: str


PRESETS: Mapping[str, KVCachePreset] = MappingProxyType(
    {
        "gpt2": KVCachePreset(
            title="GPT-2",
            layers=12,
            heads=12,
            kv_heads=12,
            head_dim=64,
            max_tokens=1024,
            source="config.json of openai-community/gpt2: n_layer 12, n_head 12, n_embd 768 = 12 × 64, "
            "n_positions 1024",
        ),
        "llama-2-7b": KVCachePreset(
            title="Llama 2 7B",
            layers=32,
            heads=32,
            kv_heads=32,
            head_dim=128,
            max_tokens=4096,
            source="config.json of meta-llama/Llama-2-7b-hf: num_hidden_layers 32, num_attention_heads 32, "
            "num_key_value_heads 32, hidden_size 4096 = 32 × 128, max_position_embeddings 4096",
        ),
        "llama-2-70b": KVCachePreset(
            title="Llama 2 70B",
            layers=80,
            heads=64,
            kv_heads=8,
            head_dim=128,
            max_tokens=4096,
            source="config.json of meta-llama/Llama-2-70b-hf: num_hidden_layers 80, num_attention_heads 64, "
            "num_key_value_heads 8, hidden_size 8192 = 64 × 128, max_position_embeddings 4096",
        ),
        "llama-3-8b": KVCachePreset(
            title="Llama 3 8B",
            layers=32,
            heads=32,
            kv_heads=8,
            head_dim=128,
            max_tokens=8192,
            source="config.json of meta-llama/Meta-Llama-3-8B: num_hidden_layers 32, num_attention_heads 32, "
            "num_key_value_heads 8, hidden_size 4096 = 32 × 128, max_position_embeddings 8192",
        ),
        "mistral-7b": KVCachePreset(
            title="Mistral 7B",
            layers=32,
            heads=32,
            kv_heads=8,
            head_dim=128,
            max_tokens=32768,
            source="config.json of mistralai/Mistral-7B-v0.1: num_hidden_layers 32, num_attention_heads 32, "
            "num_key_value_heads 8, hidden_size 4096 = 32 × 128, max_position_embeddings 32768; its sliding window of "
            "4096 tokens, which would bound the cache, is not counted",
        ),
        "gemma-2b": KVCachePreset(
            title="Gemma 2B",
            layers=18,
            heads=8,
            kv_heads=1,
            head_dim=256,
            max_tokens=8192,
            source="gemma/config.py of google/gemma_pytorch, get_config_for_2b: num_hidden_layers 18, "
            "num_attention_heads 8, num_key_value_heads 1, head_dim 256, max_position_embeddings 8192",
        ),
    }
)
"""Published models, selectable by name."""


def find_preset(name: str) -> KVCachePreset:
    """The preset of this name; ValueError listing the names if there is none."""
    check_choice("preset", name, PRESETS)
    return PRESETS[name]
