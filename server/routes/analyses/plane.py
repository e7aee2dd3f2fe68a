"""All queries and keys of one head of an analysis in one plane."""

from collections.abc import Callable
from typing import Annotated, Literal

from fastapi import APIRouter, Query

from attention_core.pretrained.studies.query_key_plane import MAX_TOKENS, query_key_plane
from attention_core.refusal import Sentence
from ...answers.analysis_drawings import TOKEN_SIDES
from ...answers.answer_paths import Drawn
from ...answers.drawings import scatter
from ...answers.query_key_plane import QueryKeyPlaneAnswer
from ...requests.bodies import BodyRoute
from ...requests.bounded import Index, PartName
from ...requests.turns import in_turn
from ..dependencies import AnalysisDep, ObservatoryDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/analyses", tags=["analyses"], route_class=BodyRoute)


@router.get("/{analysis_id}/query_key_plane")
async def get_query_key_plane(
    analysis_id: str,
    analysis: AnalysisDep,
    observatory: ObservatoryDep,
    layer: Index,
    head: Index,
    part: PartName | None = None,
    hide_special: Annotated[bool, Query(description="Leave special tokens out, unless all are special.")] = False,
    max_tokens: Annotated[
        int, Query(ge=1, le=MAX_TOKENS, description="Of more tokens, an even sample is returned.")
    ] = MAX_TOKENS,
    query: Annotated[
        Index | None, Query(description="Always in the sample, with the keys that it attends to most.")
    ] = None,
    key: Annotated[
        Index | None, Query(description="Always in the sample, with the queries that attend to it most.")
    ] = None,
) -> QueryKeyPlaneAnswer:
    """All queries and keys of a head in their first two principal components, aligned as in AttentionViz.

    (Yeh et al. 2023.) The vectors are those that are scored: after rotary embedding and normalisation, with the scale.
    The plane is computed from all tokens, also where a sample is returned.
    """
    plane = await observatory.study(
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
    return await in_turn(QueryKeyPlaneAnswer.of, plane)


def _names(side: Literal["queries", "keys"]) -> Callable[[Drawn], list[str]]:
    texts = (TOKEN_SIDES[0] if side == "queries" else TOKEN_SIDES[1]).names

    def names(drawn: Drawn) -> list[str]:
        every = texts(drawn) if texts else []
        return [f"{index} {every[index]}" for index in drawn.value(f"{side}.indices")]

    return names


add_figures(
    router,
    get_query_key_plane,
    {
        "plane": scatter(
            {Sentence("Queries"): "queries.coordinates", Sentence("Keys"): "keys.coordinates"},
            Sentence("Queries and keys in one plane"),
            Sentence("first principal component"),
            Sentence("second principal component"),
            {Sentence("Queries"): _names("queries"), Sentence("Keys"): _names("keys")},
            ("layer", "head"),
        )
    },
)
