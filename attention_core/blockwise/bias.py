"""Biases of scores as rules, of which any window can be computed."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from jaxtyping import Float
from torch import Tensor


@runtime_checkable
class BiasRule(Protocol):
    """A bias that is never materialised: any window of it can be computed."""

    def window(self, rows: slice, cols: slice) -> Float[Tensor, "*batch rows cols"]:
        """The bias for these queries and keys (slices with both ends given)."""
        ...


@dataclass(frozen=True, eq=False)
class HeadBias:
    """A single head of a bias rule."""

    bias: BiasRule
    head: int

    def window(self, rows: slice, cols: slice) -> Float[Tensor, "*batch rows cols"]:
        """See BiasRule."""
        window = self.bias.window(rows, cols)
        return window[:, self.head : self.head + 1] if window.shape[1] > 1 else window
