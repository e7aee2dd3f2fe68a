"""Additive attention: ``score(q, k) = vᵀ tanh(W_q q + W_k k + b)`` (Bahdanau et al. 2015, §A.1.2, eq. for e_ij).

Query and key are concatenated and mapped to one number by one hidden layer; splitting its weight in two,
``W [q; k] = W_q q + W_k k``, is equivalent and multiplies each query and each key once instead of once per pair.
Queries and keys may differ in size. Nothing is scaled: tanh keeps every score within ±Σ|v|.
"""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from attention_core.attend import attend
from attention_core.refusal import InvalidValueError, check_at_least
from attention_core.trace import AttentionTrace


class AdditiveScorer(nn.Module):
    """The hidden layer of additive attention.

    Parameters: ``query_weight`` W_q (hidden, query_size), ``key_weight`` W_k (hidden, key_size), ``bias`` b (hidden)
    unless ``bias=False``, ``combine`` v (hidden). They are initialised like torch's linear layers, uniform in
    ±1/√inputs with ``query_size + key_size`` inputs for the hidden layer and ``hidden`` for v, from ``generator`` (by
    default with seed 0), never from the global random state.
    """

    def __init__(
        self,
        query_size: int,
        key_size: int,
        hidden: int,
        *,
        bias: bool = True,
        generator: torch.Generator | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        check_at_least(1, query_size=query_size, key_size=key_size, hidden=hidden)
        source = torch.Generator(device or "cpu").manual_seed(0) if generator is None else generator

        def uniform(bound: float, *shape: int) -> nn.Parameter:
            drawn = torch.empty(*shape, device=device, dtype=dtype)
            return nn.Parameter(drawn.uniform_(-bound, bound, generator=source))

        outer = 1.0 / math.sqrt(query_size + key_size)
        self.query_weight = uniform(outer, hidden, query_size)
        self.key_weight = uniform(outer, hidden, key_size)
        self.bias = uniform(outer, hidden) if bias else None
        self.combine = uniform(1.0 / math.sqrt(hidden), hidden)

    def hidden(
        self, queries: Float[Tensor, "... Q Dq"], keys: Float[Tensor, "... K Dk"]
    ) -> Float[Tensor, "... Q K hidden"]:
        """``tanh(W_q q + W_k k + b)`` of each query with each key.

        Raises ValueError if queries or keys are not of the size the weights were made for.
        """
        for name, vectors, weight in (("queries", queries, self.query_weight), ("keys", keys, self.key_weight)):
            if vectors.shape[-1] != weight.shape[-1]:
                raise InvalidValueError(
                    "{name} have size {size} but the weights expect size {taken}",
                    name,
                    vectors.shape[-1],
                    weight.shape[-1],
                )
        from_queries = queries @ self.query_weight.T
        from_keys = keys @ self.key_weight.T
        if self.bias is not None:
            from_keys = from_keys + self.bias
        return (from_queries.unsqueeze(-2) + from_keys.unsqueeze(-3)).tanh()

    def forward(self, queries: Float[Tensor, "... Q Dq"], keys: Float[Tensor, "... K Dk"]) -> Float[Tensor, "... Q K"]:
        """``vᵀ tanh(W_q q + W_k k + b)`` of each query with each key. Holds (..., Q, K, hidden) numbers."""
        return self.hidden(queries, keys) @ self.combine


def additive_attention(
    queries: Float[Tensor, "... Q Dq"],
    keys: Float[Tensor, "... K Dk"],
    values: Float[Tensor, "... K V"],
    scorer: AdditiveScorer,
    *,
    scale: float = 1.0,
    bias: Float[Tensor, "..."] | None = None,
    mask: Bool[Tensor, "..."] | Float[Tensor, "..."] | None = None,
) -> AttentionTrace:
    """Every stage of ``softmax(score(q, k) · scale + bias) V`` with the scores of a hidden layer.

    Raises ValueError if queries or keys are not of the size the scorer was made for.
    """
    return attend(queries, keys, values, scorer(queries, keys), scale=scale, bias=bias, mask=mask)
