"""All heads of an atlas at once: their measures, their places on the map, and their accuracy at each relation."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from attention_core.atlas.reading.atlas import Atlas, HeadPlace

BASELINE = ("baseline_offset", "baseline_accuracy")


@dataclass(frozen=True)
class HeadMap:
    """A plane in which heads that attend to the same tokens lie near each other (Clark et al. 2019, figure 6)."""

    x: list[float | None]
    y: list[float | None]
    cluster: list[int | None]
    """Heads of one cluster have the same number."""
    stress: float | None
    """How far distances in the plane are from divergences (Kruskal's stress-1): 0 if none is distorted."""


@dataclass(frozen=True)
class BestHead:
    """The head that most often has its strongest word at the right one."""

    part: str
    layer: int
    head: int
    accuracy: float


@dataclass(frozen=True)
class RelationByHead:
    """One relation in one direction, and every head's accuracy at it."""

    relation: str
    """The name of the dependency, such as nsubj."""
    direction: str
    """dependent_to_head or head_to_dependent."""
    count: int
    """Pairs of words in this relation."""
    baseline_offset: int | None
    """The fixed offset in words that is right most often."""
    baseline_accuracy: float | None
    """How often this offset is right."""
    best: BestHead | None
    accuracy: list[float | None]
    """How often each head's strongest word is the right one, in the order of the heads."""


@dataclass(frozen=True)
class Heads:
    """All heads. Every list has one number a head, in the order of ``part``, ``layer`` and ``head``."""

    part: list[str]
    layer: list[int]
    head: list[int]
    values: dict[str, list[float | None]]
    """By measure; null where it is undefined."""
    map: HeadMap
    relations: list[RelationByHead]


def read_heads(atlas: Atlas) -> Heads:
    """Every head's measures, place on the map and relations. Raises AtlasError for a damaged file."""
    places = atlas.places
    index = {place: number for number, place in enumerate(places)}
    names = ("map_x", "map_y", "cluster", *atlas.measures)
    columns: dict[str, list[Any]] = {name: [None] * len(places) for name in names}
    for part, layer, head, *numbers in atlas.rows("heads", ("part", "layer", "head", *names)):
        row = index.get(HeadPlace(part, layer, head))
        if row is not None:
            for name, value in zip(names, numbers, strict=True):
                columns[name][row] = finite(value)
    return Heads(
        part=[place.part for place in places],
        layer=[place.layer for place in places],
        head=[place.head for place in places],
        values={name: columns[name] for name in atlas.measures},
        map=HeadMap(columns["map_x"], columns["map_y"], columns["cluster"], atlas.stress),
        relations=read_relations(atlas),
    )


def read_relations(atlas: Atlas) -> list[RelationByHead]:
    """Every relation, those with most pairs first. Raises AtlasError for a damaged file."""
    places = atlas.places
    index = {place: number for number, place in enumerate(places)}
    accuracies: dict[tuple[str, str], list[float | None]] = {}
    facts: dict[tuple[str, str], tuple[int, int | None, float | None]] = {}
    columns = ("relation", "direction", "part", "layer", "head", "count", "accuracy", *BASELINE)
    for relation, direction, part, layer, head, count, accuracy, offset, baseline in atlas.rows("relations", columns):
        key = (relation, direction)
        row = index.get(HeadPlace(part, layer, head))
        if row is not None:
            accuracies.setdefault(key, [None] * len(places))[row] = finite(accuracy)
            facts[key] = (count, offset, finite(baseline))
    order = sorted(facts, key=lambda key: (-facts[key][0], key))
    return [
        RelationByHead(
            relation=key[0],
            direction=key[1],
            count=facts[key][0],
            baseline_offset=facts[key][1],
            baseline_accuracy=facts[key][2],
            best=_best(accuracies[key], places),
            accuracy=accuracies[key],
        )
        for key in order
    ]


def finite(value: Any) -> Any:
    """The value; None for NaN and infinities, which JSON lacks."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _best(accuracy: Sequence[float | None], places: Sequence[HeadPlace]) -> BestHead | None:
    known = [(value, -row) for row, value in enumerate(accuracy) if value is not None]
    if not known:
        return None
    value, at = max(known)
    place = places[-at]
    return BestHead(place.part, place.layer, place.head, value)
