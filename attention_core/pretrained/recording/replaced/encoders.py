"""Replacements in code copied from BERT's and BART's, and in XLM and FSMT: three projections, and cross-attention."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.pretrained.errors import UnsupportedAttentionError
from attention_core.pretrained.recording.replaced.calling import Replaced, head_outputs, joined, projected


class BertLike(Replaced):
    """Megatron-BERT, RemBERT, TAPAS, VisualBERT; RoFormer with its rotation of each layer."""

    def forward(
        self,
        hidden_states: Float[Tensor, "B N M"],
        attention_mask: Tensor | None = None,
        sinusoidal_pos: Tensor | bool | None = None,
        *_: Any,
        **_options: Any,
    ) -> tuple[Tensor, None]:
        """As the library's, without weights; where nothing is rotated, it asks for weights in the third place."""
        module: Any = self
        query, key, value = projected(module, hidden_states, module.query, module.key, module.value)
        if hasattr(module, "apply_rotary_position_embeddings") and isinstance(sinusoidal_pos, Tensor):
            rotated = (query, key, value) if module.rotary_value else (query, key)
            rotated = module.apply_rotary_position_embeddings(sinusoidal_pos, *rotated)
            query, key, value = (*rotated, value)[:3]
        return joined(module, query, key, value, attention_mask=attention_mask), None


class Luke(Replaced):
    """LUKE without entities."""

    def forward(
        self,
        word_hidden_states: Float[Tensor, "B N M"],
        entity_hidden_states: Tensor | None,
        attention_mask: Tensor | None = None,
        *_: Any,
    ) -> tuple[Tensor, None]:
        """As the library's, without weights."""
        if entity_hidden_states is not None:
            raise UnsupportedAttentionError("its entities have queries of their own")
        module: Any = self
        query, key, value = projected(module, word_hidden_states, module.query, module.key, module.value)
        return joined(module, query, key, value, attention_mask=attention_mask), None


class ConvBert(Replaced):
    """ConvBERT, in which half of the heads are convolutions, which have no weights and stay the library's."""

    def forward(
        self, hidden_states: Float[Tensor, "B N M"], attention_mask: Tensor | None = None, *_: Any, **_options: Any
    ) -> tuple[Tensor, None]:
        """As the library's, without weights."""
        module: Any = self
        query, key, value = projected(module, hidden_states, module.query, module.key, module.value)
        heads = joined(module, query, key, value, attention_mask=attention_mask)
        both, _none = module.library.forward(module, hidden_states, attention_mask)
        return torch.cat([heads, both[..., heads.shape[-1] :]], dim=-1), None


class SqueezeBert(Replaced):
    """SqueezeBERT, whose tokens are the last axis, and which returns scores for weights."""

    def forward(
        self, hidden_states: Float[Tensor, "B M N"], attention_mask: Tensor | None, _: bool = False
    ) -> dict[str, Tensor]:
        """As the library's, without scores."""
        module: Any = self
        projections = (module.query, module.key, module.value)
        query, key, value = (module.transpose_for_scores(part(hidden_states)) for part in projections)
        heads = head_outputs(module, query, key, value, attention_mask=attention_mask)
        return {"context_layer": module.transpose_output(heads)}


class MpNet(Replaced):
    """MPNet: a bias by distance, the same for all layers."""

    def forward(
        self,
        hidden_states: Float[Tensor, "B N M"],
        attention_mask: Tensor | None = None,
        position_bias: Float[Tensor, "B H N N"] | None = None,
        **_: Any,
    ) -> tuple[Tensor]:
        """As the library's, without weights."""
        module: Any = self
        query, key, value = projected(module, hidden_states, module.q, module.k, module.v)
        rules = {"attention_mask": attention_mask, "position_bias": position_bias}
        return (module.o(joined(module, query, key, value, **rules)),)


class BartLike(Replaced):
    """XGLM and MVP, within one text and from one to another."""

    def forward(
        self,
        hidden_states: Float[Tensor, "B Q M"],
        key_value_states: Float[Tensor, "B K M"] | None = None,
        past_key_values: None = None,
        attention_mask: Tensor | None = None,
        attn_prompt: Tensor | None = None,
        **_: Any,
    ) -> tuple[Tensor, None]:
        """As the library's, without weights."""
        del past_key_values
        if attn_prompt is not None:
            raise UnsupportedAttentionError("learned keys and values stand before those of the text")
        module: Any = self
        source = hidden_states if key_value_states is None else key_value_states
        projections = ((module.q_proj, hidden_states), (module.k_proj, source), (module.v_proj, source))
        query, key, value = (
            part(states).view(*states.shape[:-1], module.num_heads, module.head_dim).transpose(1, 2)
            for part, states in projections
        )
        heads = joined(module, query, key, value, attention_mask=attention_mask, scaling=module.scaling)
        return module.out_proj(heads), None


class LedDecoder(BartLike):
    """LED's decoder, which returns one thing more."""

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """As the library's, without weights."""
        return *super().forward(*args, **kwargs), None


class Xlm(Replaced):
    """XLM and FlauBERT: a mask that is 0 where attending is not allowed."""

    def forward(
        self, hidden_states: Float[Tensor, "B N M"], mask: Tensor, *_: Any, **_options: Any
    ) -> tuple[Tensor, None]:
        """As the library's, without weights."""
        module: Any = self
        split = (*hidden_states.shape[:-1], module.n_heads, module.head_dim)
        projections = (module.q_lin, module.k_lin, module.v_lin)
        query, key, value = (part(hidden_states).view(split).transpose(1, 2) for part in projections)
        allowed = (mask != 0)[:, None] if mask.ndim > 2 else (mask != 0)[:, None, None]
        return module.out_lin(joined(module, query, key, value, attention_mask=allowed)), None


class Fsmt(Replaced):
    """FSMT, whose first axis is that of the tokens."""

    def forward(
        self,
        query: Float[Tensor, "Q B M"],
        key: Float[Tensor, "K B M"],
        key_padding_mask: Tensor | None = None,
        layer_state: None = None,
        attn_mask: Tensor | None = None,
        **_: Any,
    ) -> tuple[Tensor, None]:
        """As the library's, without weights."""
        del layer_state
        module: Any = self
        source = key if module.encoder_decoder_attention else query
        projections = ((module.q_proj, query), (module.k_proj, source), (module.v_proj, source))
        queries, keys, values = (
            part(states).view(*states.shape[:-1], module.num_heads, module.head_dim).permute(1, 2, 0, 3)
            for part, states in projections
        )
        allowed = None if attn_mask is None else (attn_mask > torch.finfo(attn_mask.dtype).min / 2)[None, None]
        if key_padding_mask is not None and key_padding_mask.ndim > 0:
            known = ~key_padding_mask[:, None, None].bool()
            allowed = known if allowed is None else known & allowed
        heads = joined(module, queries, keys, values, attention_mask=allowed)
        return module.out_proj(heads.transpose(0, 1)), None
