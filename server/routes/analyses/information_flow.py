"""What made one output: the graph of information flow routes."""

from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Request
from pydantic import Field

from attention_core.pretrained.studies.flow.information_flow import (
    FLOOR,
    MAX_EDGES,
    MAX_TOKENS,
    FlowNode,
    InformationFlow,
    information_flow,
)
from attention_core.refusal import Sentence
from ...answers.analyses import Candidate
from ...answers.answer_paths import Drawn
from ...answers.drawings import TOKEN, Drawing, said, texts
from ...answers.figures import Axis, Figure, Points, Stroke, graph
from ...answers.from_core import AnswerOf
from ...answers.palette import Palette
from ...requests.bodies import BodyRoute
from ...requests.bounded import Index
from ...requests.turns import in_turn
from ...web.disconnects import unless_disconnected
from ..dependencies import AnalysisDep, ObservatoryDep
from ..figure_routes import add_figures
from .reruns import model_of

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
    return await in_turn(InformationFlowAnswer.of, whole.above(threshold), max_edges=MAX_EDGES, max_tokens=MAX_TOKENS)


KINDS = {
    "head": Sentence("heads"),
    "feed_forward": Sentence("feed-forward layers"),
    "residual": Sentence("residual stream"),
}
WIDTHS = ((0.3, 4.0), (0.1, 2.0), (0.0, 1.0))
"""From each importance on, a line's width in pixels."""
HALF_WAY = 0.5


def _height(node: Any) -> float:
    """How many layers are below a node: 0 for the embedding, between two layers after attention."""
    return float(node.layer + (HALF_WAY if node.station == "after_attention" else 1.0))


def _draw(drawn: Drawn, palette: Palette, title: str) -> Figure:
    answer = drawn.answer
    analysis = drawn.given["analysis"]
    tokens = texts(analysis.target_tokens or analysis.tokens)
    points = [(float(node.position), _height(node)) for node in answer.nodes]
    strokes = {
        said(name): [
            Stroke(
                points[edge.source],
                points[edge.target],
                next(width for least, width in WIDTHS if edge.importance >= least),
            )
            for edge in answer.edges
            if edge.kind == kind
        ]
        for kind, name in KINDS.items()
    }
    names = [f"{node.position} {tokens[node.position]}: {node.strength:.3g}" for node in answer.nodes]
    return graph(
        strokes,
        Points(np.array(points), names),
        palette,
        title=title,
        x=Axis(said(TOKEN), names=tokens),
        y=Axis(said(Sentence("layers below"))),
    )


add_figures(
    router,
    get_information_flow,
    {"graph": Drawing(Sentence("Information flow"), ("nodes", "edges"), _draw, ("position",))},
)
