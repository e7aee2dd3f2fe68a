"""Two atlases compared head by head: another corpus, or another training of the same architecture."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from attention_core.atlas.reading.comparison import AtlasComparison, compare
from ...answers.atlases import MeasureAnswer, measures_of
from ...answers.from_core import AnswerOf
from ...requests.bodies import BodyRoute
from ..dependencies import ATLAS_ID, AtlasDep, ObservatoryDep

router = APIRouter(prefix="/api/atlases", tags=["atlases"], route_class=BodyRoute)


class ComparisonAnswer(AnswerOf[AtlasComparison]):
    """All heads, those that moved most first."""

    measures: list[MeasureAnswer] = Field(description="Those that both atlases have.")


@router.get("/{atlas_id}/comparison")
def get_atlas_comparison(
    atlas: AtlasDep,
    observatory: ObservatoryDep,
    other: Annotated[str, Query(pattern=ATLAS_ID, description="The id of another atlas.")],
) -> ComparisonAnswer:
    """Which heads do something else in another atlas. Refused where layers or heads do not correspond."""
    comparison = compare(atlas, observatory.atlases.get(other))
    return ComparisonAnswer.of(comparison, measures=measures_of(comparison.measures))
