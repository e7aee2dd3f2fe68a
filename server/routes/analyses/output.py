"""What a model says at one position, and what can be asked of how that came about."""

from typing import Literal

from fastapi import APIRouter
from pydantic import Field

from attention_core.pretrained.studies.output import Output, output
from server.answers.analyses import Candidate
from server.answers.from_core import FromCore
from server.requests.bodies import BodyRoute
from server.requests.bounded import Index
from server.routes.analyses.reruns import model_of
from server.routes.dependencies import AnalysisDep, ObservatoryDep

router = APIRouter(prefix="/api/analyses", tags=["analyses"], route_class=BodyRoute)


class OutputAnswer(FromCore):
    """An output that can be explained: the logits at one position, a picture's classes, or a text's embedding."""

    kind: Literal["next_token", "masked_token", "class", "embedding"]
    position: int | None = Field(description="Null where the model speaks of all tokens together.")
    vocabulary: int = Field(description="How many tokens or classes have a logit.")
    candidates: list[Candidate] = Field(description="Most probable first; none of an embedding.")
    looks: list[Literal["logit_lens", "direct_effect", "attribution"]] = Field(
        description="Which of the calls of these names this analysis can answer."
    )
    weights: int = Field(description="Of all heads together, whose gradients attribution holds.")
    max_weights: int = Field(description="How many it takes.")


@router.get("/{analysis_id}/output")
async def get_output(
    analysis_id: str, analysis: AnalysisDep, observatory: ObservatoryDep, position: Index
) -> OutputAnswer:
    """What the model says at this position (what comes next, or what stands there), and what can be asked of it."""
    loaded = await model_of(analysis, observatory)
    found: Output = await observatory.study(
        f"output/{analysis_id}/{position}", lambda cancelled: output(loaded, analysis, position, cancelled=cancelled)
    )
    return OutputAnswer.of(found)
