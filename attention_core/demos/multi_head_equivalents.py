"""Equivalent formulations of multi-head attention: a loop over heads, and shared key/value heads repeated in full.

Both have the weights of a ``MultiHeadAttention`` and give the same output, computed in a way that can be followed
without knowing the reshape. So splitting one wide projection into heads *is* having separate heads, and grouped heads
are heads whose key and value weights are tied.
"""

from copy import deepcopy

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from attention_core.alibi import slopes
from attention_core.attend import mask_scores
from attention_core.masks import causal_mask, to_additive
from attention_core.multi_head import MultiHeadAttention
from attention_core.scoring.scaled_dot import scaled_dot_attention


class AttentionHead(nn.Module):
    """A single head: ``softmax(x W_Qᵀ (c W_Kᵀ)ᵀ · scale + bias) c W_Vᵀ``, of shape (B, Q, value_dim)."""

    def __init__(self, module: MultiHeadAttention, head: int) -> None:
        super().__init__()
        kv_head = module.kv_heads[head]
        self.queries = _rows_of_head(module.query_projection, head, module.head_dim)
        self.keys = _rows_of_head(module.key_projection, kv_head, module.head_dim)
        self.values = _rows_of_head(module.value_projection, kv_head, module.value_dim)
        self.rope = module.rope
        self.qk_norm = deepcopy(module.qk_norm)
        self.norm_first = module.qk_norm_before_rope
        self.scale = module.scale
        self.symmetric = module.alibi_symmetric
        self.slope = float(slopes(module.num_heads)[head]) if module.alibi else None

    def forward(
        self,
        x: Float[Tensor, "B Q d"],
        context: Float[Tensor, "B K c"],
        *,
        mask: Bool[Tensor, "..."] | Float[Tensor, "..."] | None = None,
        is_causal: bool = False,
    ) -> Float[Tensor, "B Q V"]:
        """The head's output for x and its context; ``mask`` broadcasts to (B, Q, K)."""
        queries, keys, values = self.queries(x), self.keys(context), self.values(context)
        if self.qk_norm is not None and self.norm_first:
            queries, keys = self.qk_norm(queries, keys)
        query_at = torch.arange(x.shape[1], device=x.device)
        key_at = torch.arange(context.shape[1], device=x.device)
        if self.rope is not None:
            queries, keys = self.rope.rotate(queries, query_at), self.rope.rotate(keys, key_at)
        if self.qk_norm is not None and not self.norm_first:
            queries, keys = self.qk_norm(queries, keys)
        bias = None
        if self.slope is not None:
            distance = query_at.unsqueeze(-1) + len(key_at) - len(query_at) - key_at
            bias = (-self.slope * (distance.abs() if self.symmetric else distance)).to(queries.dtype)
        if is_causal:
            triangle = causal_mask(len(query_at), len(key_at), device=x.device)
            mask = triangle if mask is None else mask_scores(to_additive(triangle, queries.dtype), mask)
        return scaled_dot_attention(queries, keys, values, scale=self.scale, bias=bias, mask=mask).output


class MultiHeadLoop(nn.Module):
    """The same heads as separate modules run in a loop, with copies of the fused module's weights.

    The output layer takes ``num_heads · value_dim`` numbers: the heads' concatenated outputs. (Some textbook listings
    build it for ``num_heads · d_model``; such a layer does not fit the heads' outputs.)
    """

    def __init__(self, module: MultiHeadAttention) -> None:
        super().__init__()
        self.heads = nn.ModuleList(AttentionHead(module, head) for head in range(module.num_heads))
        self.output_projection = _copy_linear(module.output_projection.weight.detach(), module.output_projection.bias)

    def forward(
        self,
        x: Float[Tensor, "B Q d"],
        context: Float[Tensor, "B K c"] | None = None,
        *,
        mask: Bool[Tensor, "..."] | Float[Tensor, "..."] | None = None,
        is_causal: bool = False,
    ) -> Float[Tensor, "B Q d"]:
        """Run every head, concatenate, project."""
        source = x if context is None else context
        outputs = [head(x, source, mask=mask, is_causal=is_causal) for head in self.heads]
        return self.output_projection(torch.cat(outputs, dim=-1))


def with_own_kv_heads(module: MultiHeadAttention) -> MultiHeadAttention:
    """The same function as full multi-head attention whose key and value weights are tied within groups.

    Each key/value head's rows are repeated once for every query head that uses it.
    """
    group = module.num_heads // module.num_kv_heads
    full = MultiHeadAttention(
        module.d_model,
        module.num_heads,
        head_dim=module.head_dim,
        value_dim=module.value_dim,
        context_dim=module.context_dim,
        bias=module.query_projection.bias is not None,
        output_bias=module.output_projection.bias is not None,
        dropout=module.dropout,
        rope=module.rope,
        alibi=module.alibi,
        alibi_symmetric=module.alibi_symmetric,
        qk_norm=None if module.qk_norm is None else module.qk_norm.kind,
        qk_norm_before_rope=module.qk_norm_before_rope,
        qk_norm_learned_scale=module.qk_norm is not None and module.qk_norm.query_scale is not None,
        qk_norm_epsilon=None if module.qk_norm is None else module.qk_norm.epsilon,
        scale=module.scale,
    ).to(module.query_projection.weight)
    weights = module.state_dict()
    for name in ("key_projection", "value_projection"):
        for part in ("weight", "bias"):
            if (rows := weights.get(f"{name}.{part}")) is not None:
                heads = rows.unflatten(0, (module.num_kv_heads, -1))
                weights[f"{name}.{part}"] = heads.repeat_interleave(group, dim=0).flatten(0, 1)
    full.load_state_dict(weights)
    return full.train(module.training)


def _rows_of_head(projection: nn.Linear, head: int, size: int) -> nn.Linear:
    """The linear layer of one head: its rows of the fused layer."""
    rows = slice(head * size, (head + 1) * size)
    return _copy_linear(projection.weight.detach()[rows], None if projection.bias is None else projection.bias[rows])


def _copy_linear(weight: Tensor, bias: Tensor | None) -> nn.Linear:
    layer = nn.utils.skip_init(nn.Linear, weight.shape[1], weight.shape[0], bias=bias is not None).to(weight)
    with torch.no_grad():
        layer.weight.copy_(weight)
        if bias is not None:
            layer.bias.copy_(bias)
    return layer
