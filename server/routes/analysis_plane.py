"""All queries and keys of one head of an analysis in one plane."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from attention_core.pretrained.query_key_plane import MAX_TOKENS, Beside, PlanePoints, QueryKeyPlane, query_key_plane
from server.dependencies import AnalysisDep, ObservatoryDep

router = APIRouter(prefix="/api/analyses", tags=["analyses"])

PartName = Literal["encoder", "decoder", "cross"]


class PlanePointsAnswer(BaseModel):
    """One side: its tokens, where each lies, and whom it reads or is read by."""

    indices: list[int] = Field(description="Tokens, ascending; all of them, or of a long text a sample.")
    coordinates: list[list[float]] = Field(description="Two each, counted from the centre of all points.")
    partner_indices: list[list[int]] = Field(
        description="Of a query the keys it reads most, of a key the queries that read it most; strongest first."
    )
    partner_weights: list[list[float]]


class QueryKeyPlaneAnswer(BaseModel):
    """Queries times c (``factor``) and keys divided by it and moved by t: no weight is changed by either."""

    part: str
    layer: int
    head: int
    kv_head: int = Field(description="The key head that this query head uses.")
    queries: PlanePointsAnswer
    keys: PlanePointsAnswer
    explained: tuple[float, float] = Field(description="Share of the variance of all points along each axis, 0…1.")
    factor: float = Field(description="c: with it queries and keys are equally wide.")
    shift: tuple[float, float] = Field(description="t along each axis; it puts the keys' mean on that of the queries.")
    shift_length: float = Field(description="Length of t in all dimensions.")
    origin: tuple[float, float] = Field(description="Where the zero vector lies, from which dot products count.")
    beside: list[Beside] = Field(
        description="What else decides the weights and is in no vector: a bias by position, a mask, a change."
    )


@router.get("/{analysis_id}/query_key_plane")
async def get_query_key_plane(
    analysis_id: str,
    analysis: AnalysisDep,
    observatory: ObservatoryDep,
    layer: int,
    head: int,
    part: PartName | None = None,
    hide_special: Annotated[bool, Query(description="Leave special tokens out; if all are special, none.")] = False,
    max_tokens: Annotated[int, Query(ge=1, le=MAX_TOKENS, description="Sample evenly beyond so many.")] = MAX_TOKENS,
    query: Annotated[int | None, Query(description="In the sample in any case, with the keys it reads most.")] = None,
    key: Annotated[int | None, Query(description="Likewise, with the queries that read it most.")] = None,
) -> QueryKeyPlaneAnswer:
    """All queries and keys of a head by their two principal components, brought together as in AttentionViz.

    (Yeh et al. 2023.) The vectors are those that are scored: after rotary embedding and normalisation, with the scale.
    All tokens shape the plane, also where a sample is returned.
    """
    found = await observatory.study(
        f"query_key_plane/{analysis_id}/{part}/{layer}/{head}/{hide_special}/{max_tokens}/{query}/{key}",
        lambda cancelled: query_key_plane(
            analysis,
            layer,
            head,
            part=part,
            hide_special=hide_special,
            max_tokens=max_tokens,
            query=query,
            key=key,
            cancelled=cancelled,
        ),
    )
    return plane_answer(found)


def plane_answer(plane: QueryKeyPlane) -> QueryKeyPlaneAnswer:
    """Made without validating what are our own numbers."""
    numbers = {name: value for name, value in vars(plane).items() if name not in {"queries", "keys"}}
    return QueryKeyPlaneAnswer.model_construct(
        **{**numbers, "beside": list(plane.beside)}, queries=_points(plane.queries), keys=_points(plane.keys)
    )


def _points(side: PlanePoints) -> PlanePointsAnswer:
    return PlanePointsAnswer.model_construct(**{name: array.tolist() for name, array in vars(side).items()})
