"""Trace of multi-head attention: the stages of every head and the shape of every intermediate tensor."""

from collections.abc import Mapping
from dataclasses import dataclass

from torch import Tensor, nn

from attention_core.trace import AttentionTrace

AXES = {
    "queries": "batch head query head_dim",
    "keys": "batch kv_head key head_dim",
    "values": "batch kv_head key value_dim",
}
"""Axis names after the split into heads."""


@dataclass(frozen=True)
class ShapeStep:
    """One intermediate tensor and its shape."""

    name: str
    operation: str
    """How it is computed from those before it."""
    axes: tuple[str, ...]
    """Name of each axis."""
    shape: tuple[int, ...]


class ShapeLog(list[ShapeStep]):
    """The shapes of one forward pass, in order; with ``keep`` the tensors too."""

    def __init__(self, *, keep: bool = False) -> None:
        super().__init__()
        self.keep = keep
        self.tensors: dict[str, Tensor] = {}

    def note(self, name: str, operation: str, axes: str, tensor: Tensor) -> Tensor:
        """Record the tensor's shape and return it; ``axes`` are names separated by spaces."""
        self.append(ShapeStep(name, operation, tuple(axes.split()), tuple(tensor.shape)))
        if self.keep:
            self.tensors[name] = tensor
        return tensor


def project_to_heads(name: str, projection: nn.Linear, x: Tensor, heads: int, shapes: ShapeLog) -> Tensor:
    """(B, T, ·) → project → (B, T, heads · D) → view → (B, T, heads, D) → transpose → (B, heads, T, D).

    ``name``: a key of ``AXES``. Every step is noted.
    """
    _, head, tokens, size = AXES[name].split()
    wide = shapes.note(f"{name}_projected", "W x + b", f"batch {tokens} {head}·{size}", projection(x))
    cut = shapes.note(f"{name}_split", "view", f"batch {tokens} {head} {size}", wide.unflatten(-1, (heads, -1)))
    return shapes.note(f"{name}_by_head", "transpose(1, 2)", AXES[name], cut.transpose(1, 2))


@dataclass(frozen=True, eq=False)
class MultiHeadTrace:
    """Every stage of every head, and every reshape."""

    attention: AttentionTrace
    """Stages (B, H, …); keys and values per query head; ``output`` (B, Q, d_model) merged and projected."""
    shapes: tuple[ShapeStep, ...]
    tensors: Mapping[str, Tensor]
    """Every tensor that ``shapes`` names."""
    kv_heads: tuple[int, ...]
    """The key/value head that each query head uses."""
