"""Compare two atlases of models with the same heads: which heads do something else on the other corpus."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attention_core.atlas.reading.atlas import Atlas
from attention_core.atlas.reading.heads import read_heads
from attention_core.pretrained.errors import AnalysisError


class OtherHeadsError(AnalysisError):
    """Two atlases whose heads do not correspond."""

    code = "other_heads"
    default_field = "other"


@dataclass(frozen=True)
class HeadChange:
    """One head in both atlases."""

    part: str
    layer: int
    head: int
    moved: float
    """Root mean square over the measures of (b − a) / σ, with σ over all heads of both."""
    changes: dict[str, list[float | None]]
    """By measure: its value in the first atlas and in the other."""


@dataclass(frozen=True)
class AtlasComparison:
    """All heads, those that moved most first."""

    heads: list[HeadChange]
    measures: list[str]
    """Those that both atlases have."""


def compare(atlas: Atlas, other: Atlas) -> AtlasComparison:
    """How far each head's measures are apart in both. Raises OtherHeadsError for other layers or heads."""
    if atlas.places != other.places:
        raise OtherHeadsError(
            "The heads of these two atlases do not correspond: {first} in one, {second} in the other.",
            _shape(atlas),
            _shape(other),
        )
    mine, its = read_heads(atlas), read_heads(other)
    measures = [name for name in atlas.measures if name in other.measures]
    moved = _moved(
        np.array([mine.values[name] for name in measures], dtype=np.float64),
        np.array([its.values[name] for name in measures], dtype=np.float64),
    )
    changes = [
        HeadChange(
            place.part,
            place.layer,
            place.head,
            float(moved[index]),
            {name: [mine.values[name][index], its.values[name][index]] for name in measures},
        )
        for index, place in enumerate(atlas.places)
    ]
    order = sorted(changes, key=lambda each: (-each.moved, each.part, each.layer, each.head))
    return AtlasComparison(order, measures)


def _moved(
    first: Float[np.ndarray, "measures heads"], second: Float[np.ndarray, "measures heads"]
) -> Float[np.ndarray, " heads"]:
    """Measures that a head lacks in either are left out; one that no head differs in counts 0."""
    both = np.concatenate([first, second], axis=1)
    known = ~np.isnan(both)
    count = np.maximum(known.sum(axis=1, keepdims=True), 1)
    mean = np.where(known, both, 0.0).sum(axis=1, keepdims=True) / count
    deviation = np.sqrt(np.where(known, (both - mean) ** 2, 0.0).sum(axis=1, keepdims=True) / count)
    difference = np.divide(second - first, deviation, out=np.zeros_like(first), where=deviation > 0)
    is_known = ~np.isnan(difference)
    squares = np.where(is_known, difference, 0.0) ** 2
    return np.sqrt(squares.sum(axis=0) / np.maximum(is_known.sum(axis=0), 1))


def _shape(atlas: Atlas) -> str:
    parts: Sequence[str] = [f"{part.layers} × {part.heads} ({part.name})" for part in atlas.facts.parts]
    return ", ".join(parts)
