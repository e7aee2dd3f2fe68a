"""The portrait of one head: distributions of its measures, offsets, token pairs, examples, relations, neighbours."""

from collections.abc import Sequence
from dataclasses import dataclass

from attention_core.atlas.reading.atlas import ONE_HEAD, Atlas, HeadPlace
from attention_core.atlas.reading.heads import BASELINE, finite
from attention_core.atlas.reading.windows import Window, read_windows

NEIGHBOURS = 10


@dataclass(frozen=True)
class MeasureHistogram:
    """The values of one measure at each query of the corpus."""

    edges: list[float]
    counts: list[int]
    mean: float | None


@dataclass(frozen=True)
class OffsetWeight:
    """How much a head attends to keys at one distance."""

    offset: int
    """Key position − query position; the first and the last hold everything beyond, too."""
    weight: float | None
    """Mean weight of a query on keys at this offset."""
    strongest: int
    """Queries whose strongest key is there."""


@dataclass(frozen=True)
class TokenPair:
    """Which token attends to which."""

    kind: str
    """token, or upos: universal parts of speech."""
    without_sinks: bool
    """Whether first tokens and separators were left out as keys."""
    query: str
    key: str
    """… stands for any other."""
    count: int
    """Queries of this kind whose strongest key is of that kind."""
    weight: float | None
    """Mean of those weights."""


@dataclass(frozen=True)
class HeadExample:
    """One query and its strongest key."""

    kind: str
    """strongest, or decile: a random one of those whose weight lies in this tenth."""
    decile: int | None
    """0: the tenth of the queries whose strongest weight is lowest."""
    without_sinks: bool
    """Whether first tokens and separators were left out as keys."""
    rank: int
    window: int
    query: int
    key: int
    weight: float


@dataclass(frozen=True)
class HeadRelation:
    """How often the head's strongest word is the right one in a dependency relation."""

    relation: str
    direction: str
    """dependent_to_head or head_to_dependent."""
    count: int
    accuracy: float | None
    baseline_offset: int | None
    """The fixed offset in words that is right most often."""
    baseline_accuracy: float | None


@dataclass(frozen=True)
class Neighbour:
    """A head that attends to similar tokens."""

    part: str
    layer: int
    head: int
    divergence: float
    """Mean Jensen–Shannon divergence in nats between both heads' weights, over the sampled queries."""


@dataclass(frozen=True)
class Portrait:
    """What one head does over the corpus."""

    part: str
    layer: int
    head: int
    values: dict[str, float | None]
    """By measure; null where it is undefined."""
    histograms: dict[str, MeasureHistogram]
    """By measure."""
    offsets: list[OffsetWeight]
    pairs: list[TokenPair]
    """The most frequent first, for each kind."""
    examples: list[HeadExample]
    windows: dict[str, Window]
    """Those of the examples, by id."""
    relations: list[HeadRelation]
    """Those with most pairs first."""
    neighbours: list[Neighbour]
    """The nearest first."""
    sampled: int
    """Queries whose vectors are kept, for searching."""


def read_portrait(atlas: Atlas, part: str | None, layer: int, head: int) -> Portrait:
    """The portrait of a head. Raises SelectionError for a head that is not there, AtlasError for a damaged file."""
    place = atlas.place(part, layer, head)
    values = read_values(atlas, place)
    examples = _examples(atlas, place)
    return Portrait(
        part=place.part,
        layer=place.layer,
        head=place.head,
        values=values,
        histograms=_histograms(atlas, place, values),
        offsets=_offsets(atlas, place),
        pairs=_pairs(atlas, place),
        examples=examples,
        windows=read_windows(atlas, (example.window for example in examples)),
        relations=_relations(atlas, place),
        neighbours=read_neighbours(atlas, place),
        sampled=atlas.facts.sampled_queries,
    )


def read_values(atlas: Atlas, place: HeadPlace) -> dict[str, float | None]:
    """The measures of one head."""
    rows = atlas.rows("heads", atlas.measures, ONE_HEAD, **vars(place))
    numbers: Sequence[float | None] = rows[0] if rows else [None] * len(atlas.measures)
    return {name: finite(number) for name, number in zip(atlas.measures, numbers, strict=True)}


def read_neighbours(atlas: Atlas, place: HeadPlace, most: int = NEIGHBOURS) -> list[Neighbour]:
    """The heads with the least divergence from one, the nearest first."""
    rows = []
    for own, other in (("a", "b"), ("b", "a")):
        columns = [f"{name}_{other}" for name in ("part", "layer", "head")]
        own_head = " AND ".join(f'"{name}_{own}" = ${name}' for name in ("part", "layer", "head"))
        rows += atlas.rows("divergences", (*columns, "divergence"), f"WHERE {own_head}", **vars(place))
    known = [Neighbour(*row) for row in rows if finite(row[-1]) is not None]
    return sorted(known, key=lambda each: (each.divergence, each.part, each.layer, each.head))[:most]


def _histograms(atlas: Atlas, place: HeadPlace, values: dict[str, float | None]) -> dict[str, MeasureHistogram]:
    columns = ("measure", "low", "high", "count")
    rows = atlas.rows("histograms", columns, f'{ONE_HEAD} ORDER BY "measure", "bin"', **vars(place))
    by_measure: dict[str, list[tuple[float, float, int]]] = {}
    for measure, low, high, count in rows:
        by_measure.setdefault(measure, []).append((low, high, count))
    return {
        name: MeasureHistogram(
            edges=[bins[0][0], *(high for _, high, _ in bins)],
            counts=[count for _, _, count in bins],
            mean=values.get(name),
        )
        for name in atlas.measures
        if (bins := by_measure.get(name))
    }


def _offsets(atlas: Atlas, place: HeadPlace) -> list[OffsetWeight]:
    rows = atlas.rows("offsets", ("offset", "weight", "strongest"), f'{ONE_HEAD} ORDER BY "offset"', **vars(place))
    return [OffsetWeight(offset, finite(weight), strongest) for offset, weight, strongest in rows]


def _pairs(atlas: Atlas, place: HeadPlace) -> list[TokenPair]:
    columns = ("kind", "without_sinks", "query", "key", "count", "weight")
    order = 'ORDER BY "kind", "without_sinks", "rank"'
    rows = atlas.rows("token_pairs", columns, f"{ONE_HEAD} {order}", **vars(place))
    return [
        TokenPair(kind, without_sinks, query, key, count, finite(weight))
        for kind, without_sinks, query, key, count, weight in rows
    ]


def _examples(atlas: Atlas, place: HeadPlace) -> list[HeadExample]:
    columns = ("kind", "decile", "without_sinks", "rank", "window", "query", "key", "weight")
    order = 'ORDER BY "kind" DESC, "without_sinks", "decile", "rank"'
    return [HeadExample(*row) for row in atlas.rows("examples", columns, f"{ONE_HEAD} {order}", **vars(place))]


def _relations(atlas: Atlas, place: HeadPlace) -> list[HeadRelation]:
    columns = ("relation", "direction", "count", "accuracy", *BASELINE)
    order = 'ORDER BY "count" DESC, "relation", "direction"'
    return [
        HeadRelation(relation, direction, count, finite(accuracy), offset, finite(baseline))
        for relation, direction, count, accuracy, offset, baseline in atlas.rows(
            "relations", columns, f"{ONE_HEAD} {order}", **vars(place)
        )
    ]
