"""A small decoder-only transformer built from this project's own modules.

``x = token embedding (+ position embedding)``, normalised in some forms; each block adds ``attention(norm(x))`` and
then ``feed_forward(norm(x))`` to x (pre-norm; Radford et al. 2019); ``logits = norm(x) W_outᵀ``. A ``DecoderConfig``
describes it; with ``decoder_weights`` its GPT-2, Llama and nanochat forms compute the same as transformers' models.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attention_core.attend import cap_scores, drop, softmax
from attention_core.block_norm import block_norm
from attention_core.decoder_config import DecoderConfig
from attention_core.feed_forward import FeedForward
from attention_core.kv_cache import KVCache
from attention_core.linear import random_linear
from attention_core.multi_head import MultiHeadAttention
from attention_core.multi_head_trace import MultiHeadTrace
from attention_core.refusal import InvalidValueError
from attention_core.sinusoidal import encode
from attention_core.value_embedding import ValueEmbedding


@dataclass(frozen=True, eq=False)
class BlockTrace:
    """One block: inputs + attention_output = after_attention, after_attention + feed_forward_output = outputs."""

    inputs: Float[Tensor, "B T d"]
    attention_normed: Float[Tensor, "B T d"]
    value_embedding: Float[Tensor, "B Hkv T V"] | None
    """The tokens' rows of the table of values; None in a block without one, like the next."""
    value_gate: Float[Tensor, "B Hkv T"] | None
    """How much of each row is added to the values."""
    attention: MultiHeadTrace
    attention_output: Float[Tensor, "B T d"]
    after_attention: Float[Tensor, "B T d"]
    feed_forward_normed: Float[Tensor, "B T d"] | None
    """None in an attention-only model, like the next two."""
    feed_forward_hidden: Float[Tensor, "B T hidden"] | None
    feed_forward_output: Float[Tensor, "B T d"] | None
    outputs: Float[Tensor, "B T d"]


@dataclass(frozen=True, eq=False)
class DecoderTrace:
    """The trace of a forward pass through the whole model."""

    token_embeddings: Float[Tensor, "B T d"]
    position_embeddings: Float[Tensor, "T d"] | None
    """Learned or sinusoidal positions; None where positions act inside attention."""
    embeddings: Float[Tensor, "B T d"]
    blocks: tuple[BlockTrace, ...]
    final_normed: Float[Tensor, "B T d"]
    logits: Float[Tensor, "B T vocabulary"]


class DecoderBlock(nn.Module):
    """norm → attention → add → norm → feed-forward → add."""

    def __init__(self, config: DecoderConfig, layer: int, generator: torch.Generator) -> None:
        super().__init__()
        self.attention_norm = new_norm(config)
        self.attention = MultiHeadAttention(
            config.d_model,
            config.num_heads,
            config.num_kv_heads,
            config.head_dim,
            bias=config.bias,
            dropout=config.dropout,
            rope=config.rope if config.positions == "rope" else None,
            alibi=config.positions == "alibi",
            qk_norm=config.qk_norm,
            qk_norm_before_rope=config.qk_norm_before_rope,
            qk_norm_learned_scale=config.qk_norm_learned_scale,
            qk_norm_epsilon=config.qk_norm_epsilon,
            qk_gain=config.qk_gain,
            window=config.window(layer),
            scale=config.attention_scale,
            generator=generator,
        )
        self.value_embedding: ValueEmbedding | None = None
        if config.has_value_embedding(layer):
            sizes = (config.vocab_size, config.d_model, self.attention.num_kv_heads, self.attention.value_dim)
            self.value_embedding = ValueEmbedding(*sizes, generator=generator)
        self.feed_forward: FeedForward | None = None
        if config.feed_forward is not None:
            self.feed_forward_norm = new_norm(config)
            self.feed_forward = FeedForward(
                config.d_model, config.width, config.feed_forward, bias=config.bias, generator=generator
            )
        self.dropout = config.dropout
        self._generator = generator

    def forward(
        self, x: Float[Tensor, "B T d"], ids: Int[Tensor, "B T"], cache: KVCache | None = None
    ) -> Float[Tensor, "B T d"]:
        """x plus the outputs of attention and feed-forward; ``ids`` are the tokens', for their value embeddings."""
        normed = self.attention_norm(x)
        added = None if self.value_embedding is None else self.value_embedding(normed, ids)
        x = x + self._drop(self.attention(normed, is_causal=True, cache=cache, added_values=added))
        if self.feed_forward is not None:
            x = x + self._drop(self.feed_forward(self.feed_forward_norm(x)))
        return x

    def trace(self, x: Float[Tensor, "B T d"], ids: Int[Tensor, "B T"], cache: KVCache | None = None) -> BlockTrace:
        """The forward pass with every stage kept."""
        attention_normed = self.attention_norm(x)
        value_embedding = value_gate = added = None
        if self.value_embedding is not None:
            value_embedding, value_gate = self.value_embedding.rows(ids), self.value_embedding.gates(attention_normed)
            added = value_gate.unsqueeze(-1) * value_embedding
        attention: MultiHeadTrace = self.attention(
            attention_normed, is_causal=True, cache=cache, added_values=added, trace=True
        )
        attention_output = self._drop(attention.attention.output)
        after_attention = outputs = x + attention_output
        normed = hidden = feed_forward_output = None
        if self.feed_forward is not None:
            normed = self.feed_forward_norm(after_attention)
            hidden = self.feed_forward.hidden(normed)
            feed_forward_output = self._drop(self.feed_forward.down(hidden))
            outputs = after_attention + feed_forward_output
        return BlockTrace(
            inputs=x,
            attention_normed=attention_normed,
            value_embedding=value_embedding,
            value_gate=value_gate,
            attention=attention,
            attention_output=attention_output,
            after_attention=after_attention,
            feed_forward_normed=normed,
            feed_forward_hidden=hidden,
            feed_forward_output=feed_forward_output,
            outputs=outputs,
        )

    def _drop(self, x: Tensor) -> Tensor:
        return drop(x, self.dropout, self._generator) if self.training and self.dropout > 0 else x


def new_norm(config: DecoderConfig) -> nn.Module:
    """A norm of the stream, of the configuration's kind."""
    return block_norm(
        config.norm,
        config.d_model,
        epsilon=config.norm_epsilon,
        bias=config.bias,
        learned_scale=config.norm_learned_scale,
    )


class Decoder(nn.Module):
    """Token ids in, logits out: (B, T) → (B, T, vocabulary).

    All weights and all dropout come from ``generator`` (a new one with seed 0 unless given); torch's global random
    state is never touched.
    """

    def __init__(self, config: DecoderConfig, *, generator: torch.Generator | None = None) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(0) if generator is None else generator
        self.config = config
        self.token_embedding = nn.utils.skip_init(nn.Embedding, config.vocab_size, config.d_model)
        self.position_embedding: nn.Embedding | None = None
        if config.positions == "learned":
            self.position_embedding = nn.utils.skip_init(nn.Embedding, config.max_length, config.d_model)
        self.embedding_norm: nn.Module | None = new_norm(config) if config.embedding_norm else None
        self.blocks = nn.ModuleList(DecoderBlock(config, layer, generator) for layer in range(config.num_layers))
        self.final_norm = new_norm(config)
        self.output: nn.Linear | None = None
        if not config.tied_embeddings:
            self.output = random_linear(config.d_model, config.vocab_size, bias=False, generator=generator)
        self._generator = generator
        self._initialise()

    @torch.no_grad()
    def _initialise(self) -> None:
        """N(0, init_std²), biases 0; output projections are scaled by 1/√(2 · layers) (GPT-2, §2.3)."""
        std = self.config.init_std
        for name, parameter in self.named_parameters():
            if name.endswith("embedding.weight"):
                parameter.normal_(0.0, 1.0 if std is None else std, generator=self._generator)
            elif std is not None and name.endswith("bias"):
                parameter.zero_()
            elif std is not None and parameter.dim() == 2:
                into_stream = name.endswith(("output_projection.weight", "down.weight"))
                shrink = math.sqrt(2 * self.config.num_layers) if into_stream else 1.0
                parameter.normal_(0.0, std / shrink, generator=self._generator)

    def new_caches(self, batch: int = 1) -> list[KVCache]:
        """An empty KV cache of ``max_length`` tokens for each block."""
        return [block.attention.new_cache(batch, self.config.max_length) for block in self._blocks()]

    def _blocks(self) -> Iterable[DecoderBlock]:
        return cast("Iterable[DecoderBlock]", self.blocks)

    def forward(
        self, ids: Int[Tensor, "..."], *, caches: Sequence[KVCache] | None = None, trace: bool = False
    ) -> Tensor | DecoderTrace:
        """Next-token logits at every position, or the whole trace.

        With ``caches`` (see ``new_caches``) the ids are those that follow what is stored. Raises ValueError for ids
        outside the vocabulary, or more tokens than ``max_length``.
        """
        stored = 0 if caches is None else caches[0].length
        self._check(ids, stored)
        token_embeddings = self.token_embedding(ids)
        embeddings, position_embeddings = token_embeddings, None
        if self.config.positions in ("learned", "sinusoidal"):
            position_embeddings = self._position_embeddings(stored, token_embeddings)
            embeddings = token_embeddings + position_embeddings
        if self.embedding_norm is not None:
            embeddings = self.embedding_norm(embeddings)
        x = embeddings
        if self.training and self.config.dropout > 0:
            x = drop(x, self.config.dropout, self._generator)
        blocks: list[BlockTrace] = []
        for index, block in enumerate(self._blocks()):
            cache = None if caches is None else caches[index]
            if trace:
                blocks.append(block.trace(x, ids, cache))
                x = blocks[-1].outputs
            else:
                x = block(x, ids, cache)
        final_normed = self.final_norm(x)
        logits = final_normed @ (self.token_embedding if self.output is None else self.output).weight.T
        if self.config.logit_cap is not None:
            logits = cap_scores(logits, self.config.logit_cap)
        if not trace:
            return logits
        return DecoderTrace(token_embeddings, position_embeddings, embeddings, tuple(blocks), final_normed, logits)

    def _position_embeddings(self, stored: int, embeddings: Float[Tensor, "B T d"]) -> Float[Tensor, "T d"]:
        """Position embeddings of the tokens after those in the cache."""
        end = stored + embeddings.shape[1]
        if self.position_embedding is not None:
            return self.position_embedding.weight[stored:end]
        positions = torch.arange(stored, end, device=embeddings.device)
        return encode(positions, self.config.d_model, dtype=embeddings.dtype)

    @torch.no_grad()
    def generate(
        self,
        ids: Int[Tensor, "B T"],
        count: int,
        *,
        temperature: float = 0.0,
        use_cache: bool = True,
        generator: torch.Generator | None = None,
    ) -> Int[Tensor, "B all"]:
        """Generate ``count`` tokens: greedily at temperature 0, else sampled with ``generator``.

        Without a cache everything is recomputed for each token; the result is the same.
        """
        if count < 0:
            raise InvalidValueError("{name} must not be negative, not {given}", "count", count)
        if not temperature >= 0:
            raise InvalidValueError("{name} must be ≥ {least}, not {given}", "temperature", 0, temperature)
        caches = self.new_caches(ids.shape[0]) if use_cache else None
        unread = ids
        for _ in range(count):
            last = self(unread, caches=caches)[:, -1]
            if temperature == 0:
                chosen = last.argmax(-1, keepdim=True)
            else:
                probabilities = softmax(last.float() / temperature).cpu()
                chosen = torch.multinomial(probabilities, 1, generator=generator or self._generator).to(ids.device)
            ids = torch.cat((ids, chosen), dim=1)
            unread = chosen if use_cache else ids
        return ids

    def _check(self, ids: Tensor, stored: int) -> None:
        if ids.dim() != 2 or ids.shape[1] == 0:
            raise InvalidValueError(
                "ids must have shape (batch, tokens) with at least 1 token, not {shape}", tuple(ids.shape)
            )
        if stored + ids.shape[1] > self.config.max_length:
            raise InvalidValueError(
                "ids hold {tokens} tokens after {stored}; max_length is {max_length}",
                ids.shape[1],
                stored,
                self.config.max_length,
            )
        if int(ids.min()) < 0 or int(ids.max()) >= self.config.vocab_size:
            raise InvalidValueError("{name} must lie between {least} and {most}", "ids", 0, self.config.vocab_size - 1)
