"""Multi-head attention (Vaswani et al. 2017, §3.2.2), with optional sharing of key/value heads (GQA, MQA).

``MultiHead(x, c) = Concat(head_0 … head_{H−1}) W_Oᵀ``, ``head_h = softmax(q_h k_gᵀ · scale + bias + mask) v_g``
where ``q_h = x W_Q,hᵀ``, ``k_g = c W_K,gᵀ``, ``v_g = c W_V,gᵀ``, and ``g = h // (H/Hkv)`` is the key/value head that
query head h uses. c = x in self-attention; in cross-attention c is another sequence, of its own length and width.

One wide projection is split into heads by a reshape, so all heads are one batched matrix product; ``head_twins`` has
the same computation with separate heads, for comparison.
"""

from dataclasses import replace
from functools import partial

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attention_core.alibi import alibi_bias
from attention_core.attend import attend, attend_fused, mask_scores
from attention_core.head_sizes import check_context, check_vectors, default_head_dim, kv_head_of_query_heads
from attention_core.kv_cache import KVCache
from attention_core.linear import random_linear
from attention_core.multi_head_mask import mask_for_heads
from attention_core.multi_head_trace import AXES, MultiHeadTrace, ShapeLog, project_to_heads
from attention_core.qk_norm import NormKind, QKNorm
from attention_core.refusal import InvalidValueError, check_at_least
from attention_core.rope import Rope
from attention_core.scoring.scaled_dot import default_scale
from attention_core.trace import AttentionTrace

Mask = Bool[Tensor, "..."] | Float[Tensor, "..."]


class MultiHeadAttention(nn.Module):
    """MHA, GQA and MQA are one class with ``num_kv_heads``; here for 4 query heads.

    ::

        num_kv_heads = 4: MHA          num_kv_heads = 2: GQA          num_kv_heads = 1: MQA

        V   v0  v1  v2  v3                 v0      v1                       v0
        K   k0  k1  k2  k3                 k0      k1                       k0
            |   |   |   |                 /  \\    /  \\                 /   /  \\   \\
        Q   q0  q1  q2  q3              q0   q1  q2   q3             q0  q1   q2  q3

    One forward pass, in this order (nanochat's; ``qk_norm_before_rope`` swaps 2 and 3, as in Qwen3):

    1. project x to queries, the context (or x) to keys and values; split each into heads; add ``added_values``;
    2. ``rope``: rotate queries and keys by their positions;
    3. ``qk_norm``: RMS or L2 norm of each head's queries and keys; then both times ``qk_gain``, scores by its square;
    4. ``cache``: store the new keys and values, use all;
    5. attend, with ``alibi`` as bias: scale is ``1/√head_dim`` (``√head_dim`` with L2 norm) unless given. Under the
       causal mask a query sees its last ``window`` keys, its own included, or all;
    6. concatenate the heads, (B, Q, H · value_dim), and project to d_model.

    ``bias`` puts a bias on queries, keys and values, ``output_bias`` (the same unless given) on the output. ``dropout``
    applies to the weights in training mode. Parameters are initialised like torch's Linear from ``generator``, which
    dropout then also uses; torch's global random state is never touched. The default is a new generator with seed 0, so
    pass one generator to all layers of a model: they would start identical otherwise.

    Raises ValueError for sizes that do not divide or are below 1.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        num_kv_heads: int | None = None,
        head_dim: int | None = None,
        *,
        value_dim: int | None = None,
        context_dim: int | None = None,
        bias: bool = True,
        output_bias: bool | None = None,
        dropout: float = 0.0,
        rope: Rope | None = None,
        alibi: bool = False,
        alibi_symmetric: bool = False,
        qk_norm: NormKind | None = None,
        qk_norm_before_rope: bool = False,
        qk_norm_learned_scale: bool = True,
        qk_norm_epsilon: float | None = None,
        qk_gain: float = 1.0,
        window: int | None = None,
        scale: float | None = None,
        generator: torch.Generator | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if not 0 <= dropout < 1:
            raise InvalidValueError("dropout must lie in 0 ≤ dropout < 1, not {dropout}", dropout)
        self.d_model = d_model
        self.num_heads = num_heads
        self.num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        self.head_dim = default_head_dim(d_model, num_heads) if head_dim is None else head_dim
        self.value_dim = self.head_dim if value_dim is None else value_dim
        self.context_dim = d_model if context_dim is None else context_dim
        self.kv_heads = kv_head_of_query_heads(num_heads, self.num_kv_heads)
        check_at_least(
            1, d_model=d_model, head_dim=self.head_dim, value_dim=self.value_dim, context_dim=self.context_dim
        )
        if rope is not None and (rope.rotary_dim or self.head_dim) % 2:
            raise InvalidValueError(
                "rope needs an even head dimension, because it rotates pairs, not {head_dim}",
                rope.rotary_dim or self.head_dim,
            )
        self.dropout = dropout
        self.rope = rope
        self.alibi, self.alibi_symmetric = alibi, alibi_symmetric
        self.qk_norm_before_rope, self.qk_gain = qk_norm_before_rope, qk_gain
        self.window = window
        self.qk_norm = None
        if qk_norm is not None:
            self.qk_norm = QKNorm(qk_norm, self.head_dim, learned_scale=qk_norm_learned_scale, epsilon=qk_norm_epsilon)
        norm_scale = default_scale(self.head_dim) if self.qk_norm is None else self.qk_norm.score_scale
        self.scale = norm_scale if scale is None else scale
        self._generator = torch.Generator().manual_seed(0) if generator is None else generator
        self._draw_projections(bias=bias, output_bias=bias if output_bias is None else output_bias)
        self.to(device=device, dtype=dtype)

    def _draw_projections(self, *, bias: bool, output_bias: bool) -> None:
        """Initialise four linear layers whose rows are the heads in order."""
        draw = partial(random_linear, generator=self._generator)
        self.query_projection = draw(self.d_model, self.num_heads * self.head_dim, bias=bias)
        self.key_projection = draw(self.context_dim, self.num_kv_heads * self.head_dim, bias=bias)
        self.value_projection = draw(self.context_dim, self.num_kv_heads * self.value_dim, bias=bias)
        self.output_projection = draw(self.num_heads * self.value_dim, self.d_model, bias=output_bias)

    def new_cache(self, batch: int, max_length: int) -> KVCache:
        """An empty KV cache for this module."""
        device, dtype = self.key_projection.weight.device, self.key_projection.weight.dtype
        sizes = (batch, self.num_kv_heads, max_length, self.head_dim, self.value_dim)
        return KVCache(*sizes, device=device, dtype=dtype)

    def forward(
        self,
        x: Float[Tensor, "..."],
        context: Float[Tensor, "..."] | None = None,
        *,
        mask: Mask | None = None,
        is_causal: bool = False,
        cache: KVCache | None = None,
        positions: Int[Tensor, "..."] | None = None,
        context_positions: Int[Tensor, "..."] | None = None,
        added_values: Float[Tensor, "B Hkv K V"] | None = None,
        trace: bool = False,
    ) -> Tensor | MultiHeadTrace:
        """x (B, Q, d_model), context (B, K, context_dim) → (B, Q, d_model), or the whole trace.

        ``mask`` broadcasts to (Q, K), (B, Q, K) or (B, H, Q, K): boolean (true: allowed) or additive.
        ``is_causal`` adds the causal mask; with fewer queries than keys the queries are the last positions.
        ``cache``: x holds the tokens that follow those stored. In cross-attention the first call stores the context's
        keys and values and later calls reuse them. ``positions`` (T) or (B, T) are RoPE's; by default they continue
        those stored. ``added_values`` are added to the new values. Without a trace, scores and weights are never
        materialised.
        """
        shapes = ShapeLog(keep=trace)
        queries, keys, values = self._queries_keys_values(
            x, context, cache, positions, context_positions, added_values, shapes
        )
        dropout = self.dropout if self.training else 0.0
        if not trace and dropout == 0.0:
            heads = self._attend_fused(queries, keys, values, mask, is_causal=is_causal)
            return self._merge(heads, shapes)
        attention = self._attend(queries, keys, values, mask, shapes, is_causal=is_causal, dropout=dropout)
        output = self._merge(attention.head_outputs, shapes)
        if not trace:
            return output
        return MultiHeadTrace(replace(attention, output=output), tuple(shapes), shapes.tensors, self.kv_heads)

    def _queries_keys_values(
        self,
        x: Tensor,
        context: Tensor | None,
        cache: KVCache | None,
        positions: Tensor | None,
        context_positions: Tensor | None,
        added_values: Tensor | None,
        shapes: ShapeLog,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Steps 1 to 4: (B, H, Q, D), (B, Hkv, K, D), (B, Hkv, K, V)."""
        shapes.note("input", "x", "batch query d_model", check_vectors("x", x, self.d_model))
        source = check_context(x, context, self.d_model, self.context_dim)
        kv_positions = positions if context is None else context_positions
        stored = 0 if cache is None or context is not None else cache.length
        if context is not None:
            shapes.note("context", "context", "batch key context_dim", source)
        queries = project_to_heads("queries", self.query_projection, x, self.num_heads, shapes)
        queries = self._rotate_and_norm("queries", queries, positions, stored, shapes)
        if context is not None and cache is not None and cache.length:
            if cache.length != context.shape[1]:
                raise InvalidValueError(
                    "context has {tokens} tokens but the cache holds {length} of them", context.shape[1], cache.length
                )
            return queries, cache.keys, cache.values
        keys = project_to_heads("keys", self.key_projection, source, self.num_kv_heads, shapes)
        values = project_to_heads("values", self.value_projection, source, self.num_kv_heads, shapes)
        if added_values is not None:
            values = shapes.note("values_added", "+ added_values", AXES["values"], values + added_values)
        keys = self._rotate_and_norm("keys", keys, kv_positions, stored, shapes)
        if cache is not None:
            keys, values = cache.append(keys, values)
            shapes.note("cached_keys", "behind those stored", "batch kv_head key head_dim", keys)
            shapes.note("cached_values", "behind those stored", "batch kv_head key value_dim", values)
        return queries, keys, values

    def _rotate_and_norm(
        self, name: str, vectors: Tensor, positions: Tensor | None, stored: int, shapes: ShapeLog
    ) -> Tensor:
        """Steps 2 and 3 in the chosen order, for ``queries`` or ``keys`` (B, heads, T, D)."""
        if self.qk_norm_before_rope:
            ready = self._turn(name, self._norm(name, vectors, shapes), positions, stored, shapes)
        else:
            ready = self._norm(name, self._turn(name, vectors, positions, stored, shapes), shapes)
        if self.qk_gain == 1.0:
            return ready
        return shapes.note(f"{name}_sharpened", f"× {self.qk_gain}", AXES[name], ready * self.qk_gain)

    def _turn(self, name: str, vectors: Tensor, positions: Tensor | None, stored: int, shapes: ShapeLog) -> Tensor:
        if self.rope is None:
            return vectors
        end = stored + vectors.shape[2]
        if positions is None:
            positions = torch.arange(stored, end, device=vectors.device)
        if positions.shape[-1] != vectors.shape[2]:
            raise InvalidValueError(
                "positions must name {tokens} tokens, not {given}", vectors.shape[2], positions.shape[-1]
            )
        per_head = positions.unsqueeze(1) if positions.dim() > 1 else positions
        rotated = self.rope.rotate(vectors, per_head, sequence_length=end)
        return shapes.note(f"{name}_turned", "RoPE", AXES[name], rotated)

    def _norm(self, name: str, vectors: Tensor, shapes: ShapeLog) -> Tensor:
        if self.qk_norm is None:
            return vectors
        scale = self.qk_norm.query_scale if name == "queries" else self.qk_norm.key_scale
        return shapes.note(f"{name}_normed", "QK-norm", AXES[name], self.qk_norm.norm(vectors, scale))

    def _attend_fused(
        self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None, *, is_causal: bool
    ) -> Tensor:
        """Step 5 by torch's kernel: its own causal flag where no other mask or bias is needed."""
        num_queries, num_keys = queries.shape[2], keys.shape[2]
        plain = mask is None and not self.alibi and (self.window is None or num_keys <= self.window)
        if plain and is_causal and num_queries == num_keys:
            return attend_fused(queries, keys, values, scale=self.scale, is_causal=True)
        allowed = mask_for_heads(mask, queries, num_keys, is_causal=is_causal, window=self.window)
        if self.alibi:
            allowed = mask_scores(self._alibi(queries, num_keys), allowed)
        return attend_fused(queries, keys, values, scale=self.scale, mask=allowed)

    def _attend(
        self,
        queries: Tensor,
        keys: Tensor,
        values: Tensor,
        mask: Tensor | None,
        shapes: ShapeLog,
        *,
        is_causal: bool,
        dropout: float,
    ) -> AttentionTrace:
        """Step 5 with every stage kept."""
        if (group := self.num_heads // self.num_kv_heads) > 1:
            keys, values = keys.repeat_interleave(group, dim=1), values.repeat_interleave(group, dim=1)
            shapes.note("keys_repeated", f"each {group} times", "batch head key head_dim", keys)
            shapes.note("values_repeated", f"each {group} times", "batch head key value_dim", values)
        num_keys = keys.shape[2]
        attention = attend(
            queries,
            keys,
            values,
            raw_scores=queries @ keys.transpose(-1, -2),
            scale=self.scale,
            bias=self._alibi(queries, num_keys) if self.alibi else None,
            mask=mask_for_heads(mask, queries, num_keys, is_causal=is_causal, window=self.window),
            dropout=dropout,
            generator=self._generator,
        )
        shapes.note("raw_scores", "Q Kᵀ", "batch head query key", attention.raw_scores)
        shapes.note("weights", "softmax over key", "batch head query key", attention.weights)
        return attention

    def _merge(self, head_outputs: Tensor, shapes: ShapeLog) -> Tensor:
        """Step 6: (B, H, Q, V) → transpose → (B, Q, H, V) → (B, Q, H · V) → project → (B, Q, d_model)."""
        shapes.note("head_outputs", "weights V", "batch head query value_dim", head_outputs)
        beside = head_outputs.transpose(1, 2)
        shapes.note("heads_side_by_side", "transpose(1, 2)", "batch query head value_dim", beside)
        joined = shapes.note("concatenated", "reshape", "batch query head·value_dim", beside.flatten(2))
        return shapes.note("output", "W_O x + b", "batch query d_model", self.output_projection(joined))

    def _alibi(self, queries: Tensor, num_keys: int) -> Float[Tensor, "H Q K"]:
        sizes = (self.num_heads, queries.shape[2], num_keys)
        return alibi_bias(*sizes, symmetric=self.alibi_symmetric, dtype=queries.dtype, device=queries.device)
