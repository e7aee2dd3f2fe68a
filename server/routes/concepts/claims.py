"""Published numbers about heads of known models, measured on the models themselves."""

import asyncio
from typing import Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from attention_core.pretrained.models.loading import ModelEntry
from attention_core.pretrained.studies.claims import CLAIMS, Claim, HeadScore, TokenWeight, claims_about, measure
from attention_core.refusal import Sentence
from server.requests.bodies import BodyRoute
from server.requests.bounded import Name, RequestModel
from server.routes.dependencies import Observatory, ObservatoryDep
from server.web.disconnects import unless_disconnected
from server.web.i18n import say

router = APIRouter(prefix="/api/claims", tags=["claims"], route_class=BodyRoute)


class ClaimsRequest(RequestModel):
    """Which model to measure on."""

    model: Name = Field(examples=["sentence-transformers/all-MiniLM-L6-v2"])


class ClaimAnswer(BaseModel):
    """What was published, and what was measured if the claim is about the requested model."""

    id: str
    model: str
    model_title: str
    available: bool = Field(description="Whether this server has the model.")
    reason: str | None = Field(description="Why not, and what to do.")
    kind: Literal["token_weight", "head_score", "separator_share"]
    text: str | None
    layer: int
    last_layer: int | None = Field(description="Where layers are averaged, from layer to last_layer.")
    head: int | None
    reader: str | None = Field(description="The query: the word that attends.")
    read: str | None = Field(description="The key: the word that it attends to.")
    score: str | None = Field(description="As in /api/head_scores.")
    published: float
    tolerance: float | None = Field(description="Null: the claim holds from the published number up.")
    measured: float | None
    holds: bool | None
    convention: str
    source: str


class ClaimsAnswer(BaseModel):
    """All claims; those about one model are measured."""

    model: str
    claims: list[ClaimAnswer]


@router.post("")
async def post_claims(request: Request, wanted: ClaimsRequest, observatory: ObservatoryDep) -> ClaimsAnswer:
    """Measure every claim about a model, and list the others."""
    return await unless_disconnected(request, _measured(wanted.model, observatory))


async def _measured(model: str, observatory: Observatory) -> ClaimsAnswer:
    loaded = await observatory.loading.get(model)
    found = await observatory.study(
        f"claims/{model}/{loaded.fingerprint}/{loaded.device}/{loaded.dtype}",
        lambda cancelled: measure(loaded, claims_about(model), cancelled),
    )
    entries = {entry.id: entry for entry in await asyncio.to_thread(observatory.catalog.entries)}
    return ClaimsAnswer(
        model=model, claims=[_answer(claim, entries.get(claim.model), found.values.get(claim.id)) for claim in CLAIMS]
    )


def _answer(claim: Claim, entry: ModelEntry | None, measured: float | None) -> ClaimAnswer:
    asked = claim.measure
    weight = asked if isinstance(asked, TokenWeight) else None
    score = asked if isinstance(asked, HeadScore) else None
    share = None if isinstance(asked, TokenWeight | HeadScore) else asked
    one = weight or score
    reason = Sentence("This model is not on this server's list.") if entry is None else entry.reason
    return ClaimAnswer(
        id=claim.id,
        model=claim.model,
        model_title=claim.model if entry is None else entry.title,
        available=entry is not None and entry.available,
        reason=reason and say(reason),
        kind="token_weight" if weight else "head_score" if score else "separator_share",
        text=weight.text if weight else share and f"{share.text} {share.text_pair}",
        layer=one.layer if one else share.first_layer if share else 0,
        last_layer=share and share.last_layer,
        head=one and one.head,
        reader=weight and weight.reader,
        read=weight and weight.read,
        score=score and score.score,
        published=claim.published,
        tolerance=claim.tolerance,
        measured=measured,
        holds=None if measured is None else claim.holds(measured),
        convention=say(claim.convention),
        source=say(claim.source),
    )
