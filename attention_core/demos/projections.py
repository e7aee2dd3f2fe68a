"""Query, key and value projections of one input, and the roles the operations give them.

All three are made in the same way and differ only in their use: a query asks, a key is asked for, a value is mixed.
Swap two of them, and the roles stay with the slots, not with the numbers.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import torch
from jaxtyping import Float

from attention_core.projections import Projection, draw_projections, project_and_attend
from attention_core.refusal import InvalidValueError, check_at_least, check_choice
from attention_core.scoring.scaled_dot import scaled_dot_attention
from attention_core.trace import AttentionTrace

Swap = Literal["none", "keys_values", "queries_keys", "queries_values"]
SWAPS: tuple[Swap, ...] = get_args(Swap)


@dataclass(frozen=True)
class Step:
    """One operation and the roles it gives."""

    stage: str
    """The stage of the trace that it computes."""
    operation: str
    """As a formula."""
    reads: tuple[str, ...]
    """The stages that it is computed from."""
    roles: dict[str, str]
    """asks, is_asked_for or is_read, for those of the three tensors that it uses."""


STEPS = (
    Step("raw_scores", "Q Kᵀ", ("queries", "keys"), {"queries": "asks", "keys": "is_asked_for"}),
    Step("scaled_scores", "raw_scores / √d_k", ("raw_scores",), {}),
    Step("weights", "softmax(scaled_scores)", ("scaled_scores",), {}),
    Step("output", "weights · V", ("weights", "values"), {"values": "is_read"}),
)


@dataclass(frozen=True, eq=False)
class RolesExperiment:
    """The same three matrices through the same operations, in place and with two of them swapped."""

    stages: dict[str, Float[np.ndarray, "..."]]
    swapped: dict[str, Float[np.ndarray, "..."]]
    largest_change: dict[str, float]
    """Of each stage, by the swap."""


def swap_roles(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, swap: Swap) -> RolesExperiment:
    """Attend, swap two matrices, attend again, in float64.

    Raises ValueError if the shapes do not allow the swap: all three must have the same (N, D).
    """
    check_swap(swap)
    if not queries.shape == keys.shape == values.shape:
        shapes = ", ".join(str(list(array.shape)) for array in (queries, keys, values))
        raise InvalidValueError(
            "queries, keys and values must have the same shape to be exchanged, not {shapes}", shapes
        )
    q, k, v = (torch.from_numpy(array).double() for array in (queries, keys, values))
    places = {"none": (q, k, v), "keys_values": (q, v, k), "queries_keys": (k, q, v), "queries_values": (v, k, q)}
    stages, swapped = _arrays(scaled_dot_attention(q, k, v)), _arrays(scaled_dot_attention(*places[swap]))
    changes = {name: float(np.abs(swapped[name] - array).max()) for name, array in stages.items()}
    return RolesExperiment(stages, swapped, changes)


def random_roles(num_tokens: int, size: int, *, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random queries, keys and values (N, D) from N(0, 1), interchangeable until an operation uses them."""
    check_at_least(1, num_tokens=num_tokens, size=size)
    generator = torch.Generator().manual_seed(seed)
    queries, keys, values = torch.randn(3, num_tokens, size, generator=generator, dtype=torch.float64).numpy()
    return queries, keys, values


def check_swap(swap: str) -> None:
    """Raise ValueError unless ``swap`` is one of SWAPS."""
    check_choice("swap", swap, SWAPS)


@dataclass(frozen=True, eq=False)
class ProjectionArrays:
    """Weight (out, in) and bias (out); None is initialised as torch does."""

    weight: Float[np.ndarray, "out in"] | None = None
    bias: Float[np.ndarray, "out"] | None = None


@dataclass(frozen=True, eq=False)
class ProjectionExample:
    """One input, its three projections and attention, in float64."""

    inputs: Float[np.ndarray, "tokens d_model"]
    projections: tuple[ProjectionArrays, ProjectionArrays, ProjectionArrays]
    """Of query, key and value, as they were used; without a bias where there is none."""
    stages: dict[str, Float[np.ndarray, "..."]]


def projection_example(
    inputs: np.ndarray,
    query: ProjectionArrays,
    key: ProjectionArrays,
    value: ProjectionArrays,
    *,
    d_k: int,
    d_v: int,
    bias: bool = False,
    scale: float | None = None,
    seed: int = 0,
) -> ProjectionExample:
    """Attend with the given projections; ``d_k``, ``d_v``, ``bias`` and ``seed`` apply to random ones."""
    x = torch.from_numpy(inputs).double()
    drawn = draw_projections(x.shape[-1], d_k, d_v, bias=bias, generator=torch.Generator().manual_seed(seed))
    used = [_used(own_weight, own) for own_weight, own in zip((query, key, value), drawn, strict=True)]
    trace = project_and_attend(x, used[0], used[1], used[2], scale=scale)
    arrays = [ProjectionArrays(own.weight.numpy(), None if own.bias is None else own.bias.numpy()) for own in used]
    return ProjectionExample(x.numpy(), (arrays[0], arrays[1], arrays[2]), _arrays(trace))


def random_inputs(num_tokens: int, d_model: int, *, seed: int = 0) -> np.ndarray:
    """Inputs (N, d_model) from N(0, 1)."""
    check_at_least(1, num_tokens=num_tokens, d_model=d_model)
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(num_tokens, d_model, generator=generator, dtype=torch.float64).numpy()


def _used(given: ProjectionArrays, drawn: Projection) -> Projection:
    """In float64. A given weight has no bias unless one is given too."""
    weight = drawn.weight if given.weight is None else torch.from_numpy(given.weight)
    bias = drawn.bias if given.weight is None else None
    if given.bias is not None:
        bias = torch.from_numpy(given.bias)
    return Projection(weight.double(), None if bias is None else bias.double())


def _arrays(trace: AttentionTrace) -> dict[str, np.ndarray]:
    return {name: tensor.numpy() for name, tensor in trace.stages()}
