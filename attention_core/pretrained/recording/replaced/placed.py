"""Replacements in attention that knows places: windows of Longformer, and biases by distance of further models."""

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attention_core.pretrained.errors import UnsupportedAttentionError
from attention_core.pretrained.recording.replaced.calling import Replaced, joined, projected
from attention_core.pretrained.recording.unwritten_mask import RecordedMask, UnwrittenMask


class LedEncoder(Replaced):
    """LED's encoder: a window around each token. The library fills texts up to whole windows."""

    def forward(
        self,
        hidden_states: Float[Tensor, "B N M"],
        attention_mask: Tensor | None = None,
        is_index_masked: Tensor | None = None,
        is_index_global_attn: Tensor | None = None,
        is_global_attn: bool | None = None,
        **_: Any,
    ) -> tuple[Tensor]:
        """As the library's, without weights; 0 for what the text was filled up with."""
        del attention_mask, is_index_global_attn
        if is_global_attn:
            raise UnsupportedAttentionError("some of its tokens attend to all others, with projections of their own")
        module: Any = self
        size = hidden_states.shape[1]
        count = size if is_index_masked is None else int((~is_index_masked[0]).sum())
        own = hidden_states[:, :count]
        split = (*own.shape[:-1], module.num_heads, module.head_dim)
        projections = (module.query, module.key, module.value)
        query, key, value = (part(own).view(split).transpose(1, 2) for part in projections)
        near = within(module.one_sided_attn_window_size)
        mask = UnwrittenMask(RecordedMask(near, (len(own), count, count), 0, 0, own.device))
        heads = joined(module, query, key, value, attention_mask=mask)
        return (nn.functional.pad(heads, (0, 0, 0, size - count)),)


class Longformer(LedEncoder):
    """Longformer, which finds tokens that attend globally by the sign of its mask."""

    own_mask = True


def within(reach: int) -> Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]:
    """Whether a key is at most that far from the query, on either side."""
    return lambda _batch, _head, query, key: (query - key).abs() <= reach


class Data2VecVision(Replaced):
    """data2vec for images: a bias by distance of the patches, of each layer or shared by all."""

    def forward(
        self,
        hidden_states: Float[Tensor, "B N M"],
        output_attentions: bool = False,
        relative_position_bias: Tensor | None = None,
        interpolate_pos_encoding: bool = False,
        resolution: tuple[int, int] = (0, 0),
    ) -> tuple[Tensor]:
        """As the library's, without weights."""
        del output_attentions
        module: Any = self
        query, key, value = projected(module, hidden_states, module.query, module.key, module.value)
        bias = relative_position_bias
        if module.has_relative_position_bias:
            patches = tuple(side // module.config.patch_size for side in resolution)
            own = module.relative_position_bias(patches, interpolate_pos_encoding, dim_size=hidden_states.shape[1])
            bias = own if bias is None else bias + own
        return (joined(module, query, key, value, attention_mask=None, position_bias=bias),)


class LayoutLm3(Replaced):
    """LayoutLMv3: biases by distance in the text and on the page. Its CogView softmax is the softmax."""

    def forward(
        self,
        hidden_states: Float[Tensor, "B N M"],
        attention_mask: Tensor | None = None,
        rel_pos: Tensor | None = None,
        rel_2d_pos: Tensor | None = None,
        **_: Any,
    ) -> tuple[Tensor, None]:
        """As the library's, without weights."""
        module: Any = self
        query, key, value = projected(module, hidden_states, module.query, module.key, module.value)
        used = (rel_pos, rel_2d_pos if module.has_spatial_attention_bias else None)
        biases = [each for each in used if each is not None] if module.has_relative_attention_bias else []
        bias = torch.stack(biases).sum(dim=0) / query.shape[-1] ** 0.5 if biases else None
        return joined(module, query, key, value, attention_mask=attention_mask, position_bias=bias), None


class WavLm(Replaced):
    """WavLM: a bias by distance, times a factor that each query has of its own. The library returns mean weights."""

    def forward(
        self,
        hidden_states: Float[Tensor, "B N M"],
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        index: int = 0,
        **_: Any,
    ) -> tuple[Tensor, None, Tensor]:
        """As the library's, without weights."""
        del index
        module: Any = self
        batch, count, _width = hidden_states.shape
        if position_bias is None:
            position_bias = module.compute_bias(count, count).repeat(batch, 1, 1)
        split = hidden_states.view(batch, count, module.num_heads, -1).transpose(1, 2)
        summed = module.gru_rel_pos_linear(split).view(*split.shape[:-1], 2, 4).sum(-1)
        first, second = torch.sigmoid(summed).chunk(2, dim=-1)
        gate = first * (second * module.gru_rel_pos_const - 1.0) + 2.0
        bias = gate * position_bias.view(batch, module.num_heads, count, count)
        projections = (module.q_proj, module.k_proj, module.v_proj)
        query, key, value = (
            part(hidden_states).view(batch, count, module.num_heads, -1).transpose(1, 2) for part in projections
        )
        allowed = None if attention_mask is None else (attention_mask == 1)[:, None, None]
        heads = joined(module, query, key, value, attention_mask=allowed, position_bias=bias)
        return module.out_proj(heads), None, position_bias


class MgpStr(Replaced):
    """MGP-STR, with three projections in one."""

    def forward(self, hidden_states: Float[Tensor, "B N M"]) -> tuple[Tensor, None]:
        """As the library's, without weights."""
        module: Any = self
        split = (*hidden_states.shape[:-1], 3, module.num_heads, -1)
        query, key, value = module.qkv(hidden_states).view(split).permute(2, 0, 3, 1, 4)
        heads = joined(module, query, key, value, attention_mask=None, scaling=module.scale)
        return module.proj(heads), None
