"""Search by example: where else in the corpus a head does the same."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from attention_core.atlas.reading.atlas import Atlas
from attention_core.atlas.reading.search import By, CellVectors, Found, SampledCell, Similar, cell_vectors, search
from attention_core.pretrained.running.analysis import Analysis
from ...answers.atlases import CorpusWindowAnswer, windows_of
from ...answers.from_core import AnswerOf, FromCore
from ...requests.bodies import BodyRoute
from ...requests.bounded import MAX_NAME, Index
from ...requests.turns import in_turn
from ...web.errors import ApiError
from ..dependencies import AtlasDep, ObservatoryDep, not_kept
from .heads import PartName

router = APIRouter(prefix="/api/atlases", tags=["atlases"], route_class=BodyRoute)

MAX_WINDOW = 2**53
"""The largest whole number that every JSON reader keeps exactly."""
MOST = 200


class SearchedCell(FromCore):
    """The cell that others are like."""

    part: str
    layer: int
    head: int
    by: By
    window: int | None
    analysis: str | None
    query: int
    key: int | None


class FoundAnswer(AnswerOf[Found]):
    """A query of the corpus, and its strongest key."""


class SearchAnswer(BaseModel):
    """The cells of the corpus that are most like one."""

    of: SearchedCell = Field(description="The cell that others are like.")
    searched: int = Field(description="Cells that were compared: a sample of the corpus.")
    found: list[FoundAnswer] = Field(description="The most similar first.")
    windows: dict[str, CorpusWindowAnswer] = Field(description="Those of the cells found, by id.")


@router.get("/{atlas_id}/search")
async def get_atlas_search(
    atlas: AtlasDep,
    observatory: ObservatoryDep,
    layer: Index,
    head: Index,
    query: Annotated[Index, Query(description="The query of the cell.")],
    part: PartName | None = None,
    by: Annotated[
        By, Query(description="Whose vectors are compared; all: the mean of the three similarities.")
    ] = "all",
    limit: Annotated[int, Query(ge=1, le=MOST)] = 20,
    window: Annotated[
        int | None, Query(ge=0, le=MAX_WINDOW, description="Of a cell of the corpus whose vectors are kept.")
    ] = None,
    analysis: Annotated[
        str | None, Query(max_length=MAX_NAME, description="Of a cell of an analysis: its id; then key is needed, too.")
    ] = None,
    key: Annotated[Index | None, Query(description="The key of a cell of an analysis.")] = None,
) -> SearchAnswer:
    """Cells of the corpus at which this head's vectors are most like those of one cell, by cosine similarity.

    The cell is one of the corpus (`window`, `query`) or one of an analysis (`analysis`, `query`, `key`).
    """
    place = atlas.place(part, layer, head)
    stored = _stored(await observatory.analysis(analysis) if analysis is not None else None, analysis, window, key)
    similar = await in_turn(partial(_search, atlas, part, layer, head, query, by, limit), window, stored, key)
    of = SearchedCell.of(place, by=by, window=window, analysis=analysis, query=query, key=key)
    return SearchAnswer.model_construct(
        of=of,
        searched=similar.searched,
        found=[FoundAnswer.of(each) for each in similar.found],
        windows=windows_of(similar.windows),
    )


def _stored(found: Analysis | None, analysis: str | None, window: int | None, key: int | None) -> Analysis | None:
    """The analysis of the cell, if it is of one. Raises ApiError unless exactly one cell is named."""
    if (window is None) == (analysis is None):
        raise ApiError(
            422, "invalid_value", "{field}: give either a window of the atlas or an analysis.", field="window"
        )
    if analysis is None:
        return None
    if key is None:
        raise ApiError(422, "invalid_value", "{field}: a cell of an analysis has a key, too.", field="key")
    if found is None:
        raise not_kept(analysis, "analysis")
    return found


def _search(
    atlas: Atlas,
    part: str | None,
    layer: int,
    head: int,
    query: int,
    by: By,
    limit: int,
    window: int | None,
    stored: Analysis | None,
    key: int | None,
) -> Similar:
    of: CellVectors | SampledCell
    if stored is not None and key is not None:
        of = cell_vectors(stored, atlas, part, layer, head, query, key)
    else:
        of = SampledCell(window or 0, query)
    return search(atlas, part, layer, head, of, by, limit)
