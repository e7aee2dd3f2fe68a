"""The heads of an atlas: all of them on a map, and the portrait of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from fastapi import APIRouter, Query

from attention_core.atlas.measures import MEASURES, MeasureName
from attention_core.atlas.reading.heads import Heads, RelationByHead, read_heads
from attention_core.atlas.reading.portrait import Portrait, read_portrait
from attention_core.refusal import Sentence
from ...answers import figures
from ...answers.answer_paths import Drawn
from ...answers.atlases import AtlasFactsAnswer, CorpusWindowAnswer, MeasureAnswer, facts_of, measures_of, windows_of
from ...answers.drawings import LAYER, WEIGHT, Drawing, curves, said
from ...answers.figures import Figure, Points
from ...answers.from_core import AnswerOf
from ...answers.palette import Palette
from ...requests.bodies import BodyRoute
from ...requests.bounded import Index
from ...web.i18n import say_text
from ..dependencies import AtlasDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/atlases", tags=["atlases"], route_class=BodyRoute)

PartName = Literal["encoder", "decoder"]
AxisName = Literal["map_x", "map_y", "layer", MeasureName]


class RelationByHeadAnswer(AnswerOf[RelationByHead]):
    """One relation in one direction, and every head's accuracy at it."""


class HeadsAnswer(AnswerOf[Heads]):
    """All heads. Every list has one number a head, in the order of `part`, `layer` and `head`."""

    facts: AtlasFactsAnswer
    measures: list[MeasureAnswer]


class PortraitAnswer(AnswerOf[Portrait]):
    """What one head does over the corpus."""

    windows: dict[str, CorpusWindowAnswer]


@router.get("/{atlas_id}/heads")
def get_atlas_heads(atlas: AtlasDep) -> HeadsAnswer:
    """All heads with their measures, their places on a map of similar heads, and their accuracy at each relation."""
    return HeadsAnswer.of(read_heads(atlas), facts=facts_of(atlas), measures=measures_of(atlas.measures))


@router.get("/{atlas_id}/heads/{layer}/{head}")
def get_atlas_head(atlas: AtlasDep, layer: Index, head: Index, part: PartName | None = None) -> PortraitAnswer:
    """What one head does over the corpus: distributions, offsets, token pairs, examples, relations and neighbours."""
    portrait = read_portrait(atlas, part, layer, head)
    return PortraitAnswer.of(portrait, windows=windows_of(portrait.windows))


AXIS = Query(description="What lies along this axis: a coordinate of the map, the layer or a measure.")


@dataclass(frozen=True)
class _Plane:
    """All heads in the plane of two of their numbers."""

    heads: Heads
    x: AxisName
    y: AxisName


def _plane(atlas: AtlasDep, x: Annotated[AxisName, AXIS] = "map_x", y: Annotated[AxisName, AXIS] = "map_y") -> _Plane:
    return _Plane(read_heads(atlas), x, y)


def _draw_map(drawn: Drawn, palette: Palette, title: str) -> Figure:
    plane: _Plane = drawn.answer
    heads = plane.heads
    points = np.array([_numbers(heads, plane.x), _numbers(heads, plane.y)], dtype=np.float64).T
    groups = {
        part: Points(points[chosen], [f"{heads.layer[row]}.{heads.head[row]}" for row in chosen])
        for part in dict.fromkeys(heads.part)
        if (chosen := [row for row, each in enumerate(heads.part) if each == part and np.isfinite(points[row]).all()])
    }
    x, y = _axis_title(plane.x), _axis_title(plane.y)
    return figures.scatter(groups, palette, title=title, x=x, y=y, square=plane.x == "map_x" and plane.y == "map_y")


def _numbers(heads: Heads, name: str) -> Sequence[float | None]:
    others: dict[str, Sequence[float | None]] = {"map_x": heads.map.x, "map_y": heads.map.y, "layer": heads.layer}
    return others.get(name) or heads.values.get(name) or [None] * len(heads.part)


def _axis_title(name: str) -> str:
    return say_text(MEASURES[name].title) if name in MEASURES else said(LAYER) if name == "layer" else ""


add_figures(router, _plane, {"map": Drawing(Sentence("Heads"), (), _draw_map)}, beside=get_atlas_heads)


@dataclass(frozen=True)
class _Distributions:
    """A portrait, and the measure whose distribution is drawn."""

    portrait: Portrait
    measure: MeasureName


def _distributions(
    atlas: AtlasDep,
    layer: Index,
    head: Index,
    part: PartName | None = None,
    measure: Annotated[MeasureName, Query(description="Whose distribution is drawn.")] = "entropy",
) -> _Distributions:
    return _Distributions(read_portrait(atlas, part, layer, head), measure)


def _draw_histogram(drawn: Drawn, palette: Palette, title: str) -> Figure:
    distributions: _Distributions = drawn.answer
    summary = distributions.portrait.histograms.get(distributions.measure)
    if summary is None:
        raise drawn.nothing()
    unit = say_text(MEASURES[distributions.measure].unit)
    return figures.histogram(np.array(summary.edges), np.array(summary.counts), palette, title=title, x=unit)


def _measure_title(drawn: Drawn) -> str:
    return say_text(MEASURES[drawn.answer.measure].title)


add_figures(
    router,
    _distributions,
    {
        "offsets": curves(
            "portrait.offsets[*].weight",
            Sentence("Weight by offset"),
            Sentence("key position − query position"),
            WEIGHT,
            across="portrait.offsets[*].offset",
        ),
        "histogram": Drawing(_measure_title, (), _draw_histogram, where=("layer", "head")),
    },
    beside=get_atlas_head,
)
