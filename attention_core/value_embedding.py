"""Value embeddings: a second embedding of each token, added to its values inside attention, through a gate.

A value is a projection of the residual stream, in which the token itself fades from layer to layer. A table of its own
gives every token something to pass on that depends on nothing but the token: many parameters, and hardly any
computing, for a row is looked up (Zhou et al. 2024, value residuals; as a table of the ids in modded-nanogpt and
nanochat). The gate lets the layer decide by its input how much of it is added.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attention_core.linear import random_linear

GATE_INPUTS = 12
"""How many of the input's numbers the gate is computed from, the first ones; all of a narrower input."""
MOST = 3.0
"""The gate lies between 0 and this."""


class ValueEmbedding(nn.Module):
    """What is added to the values: ``gate_g(x) · table[id]_g`` for each KV head g.

    ``gate(x) = 3 · sigmoid(W_gate x[:12])``: one number per token and KV head, W_gate (Hkv, 12) without a bias.
    """

    def __init__(
        self, vocab_size: int, d_model: int, num_kv_heads: int, value_dim: int, *, generator: torch.Generator
    ) -> None:
        super().__init__()
        self.num_kv_heads = num_kv_heads
        self.embedding = nn.utils.skip_init(nn.Embedding, vocab_size, num_kv_heads * value_dim)
        self.gate = random_linear(min(GATE_INPUTS, d_model), num_kv_heads, bias=False, generator=generator)

    def forward(self, x: Float[Tensor, "B T d"], ids: Int[Tensor, "B T"]) -> Float[Tensor, "B Hkv T V"]:
        """The gated rows, for the (normed) input of the attention and its tokens."""
        return self.gates(x).unsqueeze(-1) * self.rows(ids)

    def gates(self, x: Float[Tensor, "B T d"]) -> Float[Tensor, "B Hkv T"]:
        """How much each KV head takes of each token's row."""
        return MOST * torch.sigmoid(self.gate(x[..., : self.gate.in_features])).transpose(1, 2)

    def rows(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B Hkv T V"]:
        """The tokens' rows of the table, split into KV heads."""
        return self.embedding(ids).unflatten(-1, (self.num_kv_heads, -1)).transpose(1, 2)
