"""Replacements in attention whose scores have terms of content and position besides: DeBERTa and XLNet.

    score = (q · k + q · p(i − j) + k · p'(i − j)) / √(3 d)      DeBERTa (He et al. 2021), p from tables by distance
    score = ((q + u) · k + (q + v) · r(i − j) + (q + w) · s) / √d      XLNet (Yang et al. 2019), s by segment

Queries and keys are those of the first term; the others are a bias, which depends on queries and keys too.
"""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.pretrained.errors import UnsupportedAttentionError
from attention_core.pretrained.recording.replaced.calling import Replaced, head_outputs, joined


class DebertaV2(Replaced):
    """DeBERTa V2 and V3."""

    def forward(
        self,
        hidden_states: Float[Tensor, "B N M"],
        attention_mask: Tensor,
        output_attentions: bool = False,
        query_states: Tensor | None = None,
        relative_pos: Tensor | None = None,
        rel_embeddings: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        """As the library's, without weights."""
        del output_attentions
        module: Any = self
        projected = (
            (module.query_proj, hidden_states if query_states is None else query_states),
            (module.key_proj, hidden_states),
            (module.value_proj, hidden_states),
        )
        flat = [module.transpose_for_scores(part(states), module.num_attention_heads) for part, states in projected]
        terms = 1 + ("c2p" in module.pos_att_type) + ("p2c" in module.pos_att_type)
        query, key, value = (part.view(len(hidden_states), -1, *part.shape[1:]) for part in flat)
        bias = None
        if module.relative_attention:
            bias = module.disentangled_attention_bias(flat[0], flat[1], relative_pos, rel_embeddings, terms)
            bias = bias.view(*query.shape[:3], -1) if isinstance(bias, Tensor) else None
        scale = (query.shape[-1] * terms) ** -0.5
        rules = {"attention_mask": attention_mask.bool(), "position_bias": bias, "has_content_bias": bias is not None}
        return joined(module, query, key, value, scaling=scale, **rules), None


class Deberta(Replaced):
    """The first DeBERTa."""

    def forward(
        self,
        hidden_states: Float[Tensor, "B N M"],
        attention_mask: Tensor,
        output_attentions: bool = False,
        query_states: None = None,
        relative_pos: Tensor | None = None,
        rel_embeddings: Tensor | None = None,
    ) -> tuple[Tensor, None]:
        """As the library's, without weights."""
        del output_attentions, query_states
        module: Any = self
        if module.talking_head:
            raise UnsupportedAttentionError("its heads exchange scores, so no head has weights of its own")
        query, key, value = module.transpose_for_scores(module.in_proj(hidden_states)).chunk(3, dim=-1)
        query = query + module.transpose_for_scores(module.q_bias[None, None, :])
        value = value + module.transpose_for_scores(module.v_bias[None, None, :])
        terms = 1 + len(module.pos_att_type)
        scale = (query.shape[-1] * terms) ** -0.5
        bias = None
        if module.relative_attention and rel_embeddings is not None and relative_pos is not None:
            attention_bias = module.disentangled_att_bias(query * scale, key, relative_pos, rel_embeddings, terms)
            bias = attention_bias if isinstance(attention_bias, Tensor) else None
        rules = {"attention_mask": attention_mask.bool(), "position_bias": bias, "has_content_bias": bias is not None}
        return joined(module, query, key, value, scaling=scale, **rules), None


class XlNet(Replaced):
    """XLNet's content stream."""

    def rel_attn_core(
        self,
        q_head: Float[Tensor, "Q B H D"],
        k_head_h: Float[Tensor, "K B H D"],
        v_head_h: Float[Tensor, "K B H D"],
        k_head_r: Float[Tensor, "P B H D"],
        seg_mat: Tensor | None = None,
        attn_mask: Tensor | None = None,
        output_attentions: bool = False,
    ) -> Float[Tensor, "Q B H D"]:
        """As the library's, without weights."""
        del output_attentions
        module: Any = self
        bias = torch.einsum("ibnd,jbnd->bnij", q_head + module.r_r_bias, k_head_r)
        bias = module.rel_shift_bnij(bias, klen=len(k_head_h))
        if seg_mat is not None:
            segments = torch.einsum("ibnd,snd->ibns", q_head + module.r_s_bias, module.seg_embed)
            bias = bias + torch.einsum("ijbs,ibns->bnij", seg_mat, segments)
        query, key, value = (part.permute(1, 2, 0, 3) for part in (q_head + module.r_w_bias, k_head_h, v_head_h))
        allowed = None if attn_mask is None else (attn_mask == 0).permute(2, 3, 0, 1)
        rules = {"attention_mask": allowed, "position_bias": bias * module.scale, "has_content_bias": True}
        return head_outputs(module, query, key, value, scaling=module.scale, **rules).permute(2, 0, 1, 3)
