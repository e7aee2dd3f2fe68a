"""How a decoder's prediction comes about: the logit lens, and what each head writes straight into a logit."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from attention_core.pretrained.studies.direct_effect import DirectEffect, direct_effect
from attention_core.pretrained.studies.logit_lens import MAX_CANDIDATES, LogitLens, logit_lens
from server.answers.analyses import Candidate
from server.answers.from_core import FromCore
from server.requests.bodies import BodyRoute
from server.requests.bounded import Index
from server.routes.analyses.reruns import model_of
from server.routes.dependencies import AnalysisDep, ObservatoryDep
from server.web.matrices import Matrix

router = APIRouter(prefix="/api/analyses", tags=["analyses"], route_class=BodyRoute)

TokenId = Annotated[Index | None, Query(description="An id of the vocabulary; by default the model's own best.")]


class LensStateAnswer(FromCore):
    """What would be predicted if no layer followed."""

    layer: int = Field(description="Behind which the stream was read; -1 is the embedding, before the first.")
    candidates: list[Candidate]
    entropy: float = Field(description="Of all probabilities, in nats.")
    probability: float = Field(description="Of the token that is followed.")
    rank: int = Field(description="How many tokens are more probable than it.")


class LogitLensAnswer(FromCore):
    """One token's prediction as it takes shape, layer by layer."""

    position: int
    token_id: int
    token_text: str
    states: list[LensStateAnswer]


class DirectEffectAnswer(FromCore):
    """Shares of one logit, or of the difference of two; all together they are ``total``."""

    position: int
    token_id: int
    token_text: str
    against_id: int | None
    against_text: str | None
    heads: Matrix = Field(description="Layers × heads.")
    attention_bias: list[float] = Field(description="Of the output projections' biases, by layer.")
    feed_forward: list[float] = Field(description="By layer.")
    embedding: float
    constant: float = Field(description="Of the last norm's and the output matrix's biases.")
    total: float
    logit: float = Field(description="The model's own; total up to rounding.")


@router.get("/{analysis_id}/logit_lens")
async def get_logit_lens(
    analysis_id: str,
    analysis: AnalysisDep,
    observatory: ObservatoryDep,
    position: Index,
    k: Annotated[int, Query(ge=1, le=MAX_CANDIDATES, description="Candidates of each layer.")] = 5,
    token: TokenId = None,
) -> LogitLensAnswer:
    """What a decoder would predict after each layer (nostalgebraist 2020), and how one token fares on the way."""
    loaded = await model_of(analysis, observatory)
    found: LogitLens = await observatory.study(
        f"logit_lens/{analysis_id}/{position}/{k}/{token}",
        lambda cancelled: logit_lens(loaded, analysis, position, k=k, token=token, cancelled=cancelled),
    )
    return LogitLensAnswer.of(found)


@router.get("/{analysis_id}/direct_effect")
async def get_direct_effect(
    analysis_id: str,
    analysis: AnalysisDep,
    observatory: ObservatoryDep,
    position: Index,
    token: TokenId = None,
    against: Annotated[Index | None, Query(description="A token whose logit is subtracted.")] = None,
) -> DirectEffectAnswer:
    """What every head of a decoder writes straight into a logit (Elhage et al. 2021), the last norm's scale held."""
    loaded = await model_of(analysis, observatory)
    found: DirectEffect = await observatory.study(
        f"direct_effect/{analysis_id}/{position}/{token}/{against}",
        lambda cancelled: direct_effect(loaded, analysis, position, token=token, against=against, cancelled=cancelled),
    )
    return DirectEffectAnswer.of(found)
