"""The position-wise feed-forward layer: expand, apply the activation, project back.

- ``gelu``: ``W_down gelu(W_up x)`` with the tanh approximation of GELU, as in GPT-2 (Hendrycks & Gimpel 2016);
- ``swiglu``: ``W_down (silu(W_gate x) ⊙ W_up x)``, Llama, Mistral, Qwen (Shazeer 2020);
- ``relu_squared``: ``W_down relu(W_up x)²``, nanochat (So et al. 2021).
"""

from typing import Literal, get_args

import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float
from torch import Tensor, nn

from attention_core.linear import random_linear
from attention_core.refusal import check_choice

FeedForwardKind = Literal["gelu", "swiglu", "relu_squared"]
KINDS: tuple[FeedForwardKind, ...] = get_args(FeedForwardKind)


class FeedForward(nn.Module):
    """(…, d_model) → (…, hidden_dim) → (…, d_model). Weights are initialised as torch's Linear, from ``generator``."""

    def __init__(
        self,
        d_model: int,
        hidden_dim: int,
        kind: FeedForwardKind = "gelu",
        *,
        bias: bool = True,
        generator: torch.Generator,
    ) -> None:
        super().__init__()
        check_feed_forward(kind)
        self.kind = kind
        self.gate = random_linear(d_model, hidden_dim, bias=bias, generator=generator) if kind == "swiglu" else None
        self.up = random_linear(d_model, hidden_dim, bias=bias, generator=generator)
        self.down = random_linear(hidden_dim, d_model, bias=bias, generator=generator)

    def forward(self, x: Float[Tensor, "... d"]) -> Float[Tensor, "... d"]:
        """Expand, activate, project back."""
        return self.down(self.hidden(x))

    def hidden(self, x: Float[Tensor, "... d"]) -> Float[Tensor, "... hidden"]:
        """The activations of the hidden layer."""
        if self.gate is not None:
            return F.silu(self.gate(x)) * self.up(x)
        if self.kind == "relu_squared":
            return F.relu(self.up(x)).square()
        return F.gelu(self.up(x), approximate="tanh")


def check_feed_forward(kind: str) -> None:
    """Raise ValueError unless ``kind`` is one of KINDS."""
    check_choice("feed_forward", kind, KINDS)
