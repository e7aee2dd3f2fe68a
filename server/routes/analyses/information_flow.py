"""What made one output: the graph of information flow routes."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field

from attention_core.pretrained.studies.information_flow import (
    FLOOR,
    MAX_EDGES,
    MAX_TOKENS,
    FlowNode,
    InformationFlow,
    information_flow,
)
from server.answers.analyses import Candidate
from server.answers.from_core import AnswerOf
from server.requests.bodies import BodyRoute
from server.requests.bounded import Index
from server.routes.analyses.reruns import model_of
from server.routes.dependencies import AnalysisDep, ObservatoryDep
from server.web.disconnects import unless_disconnected

router = APIRouter(prefix="/api/analyses", tags=["analyses"], route_class=BodyRoute)

Threshold = Annotated[
    float, Query(ge=FLOOR, le=1.0, description="The least importance of a part that is an edge of the graph.")
]


class FlowNodeAnswer(AnswerOf[FlowNode]):
    """The residual stream at one token."""

    candidates: list[Candidate]


class InformationFlowAnswer(AnswerOf[InformationFlow]):
    """The graph of what made the residual stream after the last block at one token."""

    nodes: list[FlowNodeAnswer]
    max_edges: int = Field(description="The most edges in an answer; of more, the strongest are there.")
    max_tokens: int = Field(description="The most tokens that may reach the output.")


@router.get("/{analysis_id}/information_flow")
async def get_information_flow(
    request: Request,
    analysis_id: str,
    analysis: AnalysisDep,
    observatory: ObservatoryDep,
    position: Annotated[Index, Query(description="The token whose last residual state is explained.")],
    threshold: Threshold = FLOOR,
) -> InformationFlowAnswer:
    """Information flow routes (Ferrando & Voita 2024): each node's parts by head, source token and layer.

    Every threshold from ``floor`` upwards is the beginning of the same list of edges.
    """
    loaded = await model_of(analysis, observatory)
    study = observatory.study(
        f"information_flow/{analysis_id}/{position}",
        lambda cancelled: information_flow(loaded, analysis, position, cancelled=cancelled),
    )
    whole: InformationFlow = await unless_disconnected(request, study)
    return InformationFlowAnswer.of(whole.above(threshold), max_edges=MAX_EDGES, max_tokens=MAX_TOKENS)
