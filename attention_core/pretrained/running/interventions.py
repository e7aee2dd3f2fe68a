"""Interventions on attention heads: ablation, attention knockout, replaced rows, temperatures and patterns.

An intervention names a part of the model, a layer (or all) and heads (or all), and changes the computation inside our
attention function, so it works for every recorded model. Interventions can be combined as long as no two change the
same setting of the same head. ``attention_core.blockwise.head_edit`` defines what each does and in which order.

Whatever does not depend on a model is checked here at construction: ValueError names field and value. Whether the
model has such a layer, head, query or key is checked before the model runs (``intervention_plan``).
"""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from attention_core.pretrained.recording.parts import PartName
from attention_core.refusal import InvalidValueError, check_choice

EVERY: Literal["all"] = "all"

MIN_TEMPERATURE, MAX_TEMPERATURE = 1e-6, 1e6
"""Scores of any model stay finite in float32 when divided by these."""
SUM_TOLERANCE = 1e-3
"""Tolerance of the row sum for rows that are not normalised."""
BYTES_PER_NUMBER = 40
"""A Python number with its reference, and its copy in a tensor."""

Edge = tuple[int | None, int | None]
"""(query, key) as positions; None means every query or every key, but not both."""


@dataclass(frozen=True, kw_only=True)
class Intervention:
    """Base class: where to intervene."""

    kind: ClassVar[str]

    layer: int | Literal["all"]
    heads: tuple[int, ...] | Literal["all"]
    part: PartName | None = None
    """The model's first part (``encoder`` or ``decoder``) unless given."""

    @property
    def nbytes(self) -> int:
        """Approximate memory: its numbers, and the tensors made from them."""
        return BYTES_PER_NUMBER * self._numbers()

    def _numbers(self) -> int:
        return 0

    def __post_init__(self) -> None:
        if self.layer != EVERY:
            _check_index("layer", self.layer)
        if self.heads != EVERY:
            if not self.heads:
                raise InvalidValueError("heads must name at least one head, or be 'all'")
            for head in self.heads:
                _check_index("heads", head)
            if len(set(self.heads)) < len(self.heads):
                raise InvalidValueError("heads must name each head once, not {heads}", list(self.heads))


@dataclass(frozen=True, kw_only=True)
class HeadOff(Intervention):
    """Ablate heads: replace their output.

    ``zero`` makes it 0 (Michel et al. 2019, section 2.3); ``mean`` makes it the head's mean output over all queries of
    this text, the same everywhere. The weights are still those the head would have used.
    """

    kind: ClassVar[str] = "head_off"
    mode: Literal["zero", "mean"] = "zero"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("mode", self.mode, ("zero", "mean"))


@dataclass(frozen=True, kw_only=True)
class CutEdges(Intervention):
    """Query → key edges whose weight becomes 0 ("attention knockout", Geva et al. 2023).

    With ``renormalise`` the row's other weights are scaled to sum to 1 again, as if the key had been masked; without,
    they stay as they were. A query with no keys left has output 0.
    """

    kind: ClassVar[str] = "cut_edges"
    edges: tuple[Edge, ...]
    renormalise: bool = True

    def _numbers(self) -> int:
        return 2 * len(self.edges)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.edges:
            raise InvalidValueError("edges must name at least one edge")
        for query, key in self.edges:
            if query is None and key is None:
                raise InvalidValueError(
                    "edges must name a query or a key, not null for both: to cut everything, switch the head off"
                )
            for end in (query, key):
                if end is not None:
                    _check_index("edges", end)


@dataclass(frozen=True, kw_only=True)
class ReplaceRow(Intervention):
    """Replace the weights of one query, one for each key.

    They must not be negative and sum to more than 0; they are divided by their sum, or, without ``normalise``, must
    sum to 1 by themselves.
    """

    kind: ClassVar[str] = "replace_row"
    query: int
    weights: tuple[float, ...]
    normalise: bool = True

    def _numbers(self) -> int:
        return len(self.weights)

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_index("query", self.query)
        for index, weight in enumerate(self.weights):
            if not 0 <= weight < math.inf:
                raise InvalidValueError(
                    "weights must be finite and not negative, not {weight} at {index}", weight, index
                )
        total = math.fsum(self.weights)
        if not 0 < total < math.inf:
            raise InvalidValueError("weights must sum to more than 0 and be finite, not {total}", f"{total:g}")
        if not self.normalise and abs(total - 1.0) > SUM_TOLERANCE:
            raise InvalidValueError("weights must sum to 1 unless normalise is true, not {total}", f"{total:g}")


@dataclass(frozen=True, kw_only=True)
class Temperature(Intervention):
    """``softmax(q · k · scale / temperature + bias)``: below 1 sharper, above 1 flatter."""

    kind: ClassVar[str] = "temperature"
    temperature: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if not MIN_TEMPERATURE <= self.temperature <= MAX_TEMPERATURE:
            limits = f"from {MIN_TEMPERATURE:g} to {MAX_TEMPERATURE:g}"
            raise InvalidValueError("{name} must be {wanted}, not {given}", "temperature", limits, self.temperature)


@dataclass(frozen=True, kw_only=True)
class SetPattern(Intervention):
    """Fix the pattern heads attend with, regardless of queries and keys.

    ``uniform``: equally to every visible key. ``previous_token``: only to the previous position; the first attends to
    itself. ``causal``: the head's own weights without later keys, renormalised. Only ``causal`` can be combined with
    another pattern of the same head.
    """

    kind: ClassVar[str] = "pattern"
    pattern: Literal["uniform", "previous_token", "causal"]

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("pattern", self.pattern, ("uniform", "previous_token", "causal"))


def _check_index(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InvalidValueError("{name} must be counted from 0, not {given}", name, repr(value))
