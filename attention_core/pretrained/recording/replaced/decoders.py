"""Replacements in decoders: GPT-J and its kin, GPT-Neo, the first GPT, BLOOM, MPT, Falcon."""

import sys
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from transformers.masking_utils import and_masks, sliding_window_overlay

from attention_core.pretrained.recording.replaced.calling import Replaced, head_outputs, joined
from attention_core.pretrained.recording.unwritten_mask import RecordedMask, UnwrittenMask


class Inner(Replaced):
    """GPT-J, CodeGen and GPT-NeoX-Japanese, which multiply and take the softmax in ``_attn``."""

    def _attn(self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None) -> Any:
        module: Any = self
        return head_outputs(module, query, key, value, attention_mask=attention_mask), None


class Windowed(Replaced):
    """GPT-Neo: scores without a scale, and windows in its local layers."""

    def _attn(self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None) -> Any:
        module: Any = self
        if module.attention_type == "local":
            attention_mask = _within(attention_mask, module.config.window_size)
        return head_outputs(module, query, key, value, attention_mask=attention_mask, scaling=1.0), None


def _within(mask: Tensor | None, window: int) -> Tensor:
    """A causal mask limited to the last ``window`` positions of each query."""
    if not isinstance(mask, UnwrittenMask):
        raise TypeError(f"the library's mask must be ours, not {type(mask).__name__}")
    rule = mask.rule
    predicate = and_masks(rule.predicate, sliding_window_overlay(window))
    return UnwrittenMask(RecordedMask(predicate, rule.size, rule.query_offset, rule.key_offset, rule.device))


class First(Replaced):
    """The first GPT: keys come transposed, and each module holds its mask."""

    def _attn(self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None, *_: Any) -> Any:
        module: Any = self
        allowed = module.bias[:, :, : query.shape[-2], : key.shape[-1]].bool()
        if attention_mask is not None:
            allowed = allowed & (attention_mask > torch.finfo(attention_mask.dtype).min / 2)
        scale = None if module.scale else 1.0
        return [head_outputs(module, query, key.transpose(2, 3), value, attention_mask=allowed, scaling=scale)]


class Bloom(Replaced):
    """BLOOM: ALiBi as a bias by key, and three projections in one."""

    def forward(
        self,
        hidden_states: Float[Tensor, "B N M"],
        residual: Float[Tensor, "B N M"],
        alibi: Float[Tensor, "BH 1 N"],
        attention_mask: Tensor,
        **_: Any,
    ) -> tuple[Tensor, None]:
        """As the library's, without weights."""
        module: Any = self
        query, key, value = module._reshape(module.query_key_value(hidden_states))
        bias = alibi.view(len(hidden_states), module.num_heads, 1, -1)
        heads = joined(module, query, key, value, attention_mask=attention_mask, position_bias=bias)
        return module.dense(heads) + residual, None


class Mpt(Replaced):
    """MPT: ALiBi for the longest text, of which a text takes the end."""

    def forward(
        self,
        hidden_states: Float[Tensor, "B N M"],
        position_bias: Float[Tensor, "H 1 K"] | None,
        past_key_values: None = None,
        attention_mask: Tensor | None = None,
        **_: Any,
    ) -> tuple[Tensor, None]:
        """As the library's, without weights. The mask is ours, true where attending is allowed."""
        del past_key_values
        module: Any = self
        mixed = module.Wqkv(hidden_states)
        if module.clip_qkv:
            mixed = mixed.clamp(min=-module.clip_qkv, max=module.clip_qkv)
        split = (*hidden_states.shape[:-1], module.n_heads, module.head_dim)
        query, key, value = (part.reshape(split).transpose(1, 2) for part in mixed.chunk(3, dim=2))
        bias = None if position_bias is None else position_bias[None, :, :, -key.shape[-2] :].to(value)
        rules = {"attention_mask": attention_mask, "position_bias": bias, "scaling": module.softmax_scale}
        return module.out_proj(joined(module, query, key, value, **rules)), None


def without_alibi(_: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Falcon's eager attention adds ALiBi itself although the mask holds it already: take the first away."""
    alibi = kwargs["alibi"]
    return args, kwargs if alibi is None else {**kwargs, "alibi": torch.zeros_like(alibi)}


class Falcon(Replaced):
    """Falcon, with rotation or with ALiBi: a bias by key, divided by √d as the products are.

    It is added once, as by the library's default attention (SDPA) and by the model's authors; its eager adds it twice.
    """

    correct = staticmethod(without_alibi)

    def forward(
        self,
        hidden_states: Float[Tensor, "B N M"],
        alibi: Tensor | None,
        attention_mask: Tensor,
        position_embeddings: tuple[Tensor, Tensor] | None = None,
        **_: Any,
    ) -> tuple[Tensor, None]:
        """As the library's, without weights."""
        module: Any = self
        split = module._split_heads(module.query_key_value(hidden_states))
        query, key, value = (part.transpose(1, 2) for part in split)
        rules: dict[str, Any] = {"attention_mask": attention_mask}
        if alibi is None:
            rotate: Any = vars(sys.modules[module.library.__module__])["apply_rotary_pos_emb"]
            query, key = rotate(query, key, *(position_embeddings or ()))
        else:  # The library has added it to the mask, the same for all heads but for that.
            allowed = attention_mask[:, :1] > torch.finfo(attention_mask.dtype).min / 2
            bias = alibi.view(len(hidden_states), module.num_heads, 1, -1) / query.shape[-1] ** 0.5
            rules = {"attention_mask": allowed, "position_bias": bias}
        return module.dense(joined(module, query, key, value, **rules)), None
