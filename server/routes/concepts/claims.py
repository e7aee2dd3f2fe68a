"""Numbers about heads of known models, and whose they are, measured on models that this server has."""

from typing import Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from attention_core.pretrained.models.entries import ModelEntry
from attention_core.pretrained.studies.claims.claim_measures import HeadRelation, HeadScore, SeparatorShare, TokenWeight
from attention_core.pretrained.studies.claims.claims import CLAIMS, Claim, Measurements, Origin, claims_about, measure
from attention_core.pretrained.studies.claims.relations import MEASURED_ON, Pair, Relation
from attention_core.refusal import Sentence
from ...answers.from_core import AnswerOf
from ...requests.bodies import BodyRoute
from ...requests.bounded import Name, RequestModel
from ...requests.turns import in_turn
from ...web.disconnects import unless_disconnected
from ...web.i18n import say
from ..dependencies import Observatory, ObservatoryDep

router = APIRouter(prefix="/api/claims", tags=["claims"], route_class=BodyRoute)


class ClaimsRequest(RequestModel):
    """Which model to measure on."""

    model: Name = Field(examples=["sentence-transformers/all-MiniLM-L6-v2"])


class PairAnswer(AnswerOf[Pair]):
    """A sentence of a relation: the word that attends, and the one that it should attend to most."""


class ClaimAnswer(BaseModel):
    """A value with its origin, and what was measured if the claim is about the requested model."""

    id: str
    model: str
    model_title: str
    available: bool = Field(description="Whether this server has the model.")
    reason: str | None = Field(description="Why not, and what to do.")
    kind: Literal["token_weight", "head_score", "separator_share", "relation"]
    text: str | None
    text_pair: str | None = Field(description="A second text behind the separator.")
    layer: int
    last_layer: int | None = Field(description="Where layers are averaged, from layer to last_layer.")
    head: int | None
    reader: str | None = Field(description="The query: the word that attends.")
    read: str | None = Field(description="The key: the word that it attends to.")
    score: str | None = Field(description="As in /api/head_scores.")
    relation: Relation | None = Field(description="Which word should find which.")
    sentences: list[PairAnswer] | None = Field(description="Those that the relation is measured on.")
    reference: float = Field(description="The value that a measurement is compared with.")
    tolerance: float | None = Field(description="Null: the claim holds from the reference up.")
    origin: Origin = Field(description="Whose number the reference is.")
    label: str = Field(description="Whose number the reference is, in words.")
    measured: float | None
    others: float | None = Field(
        description="Of a token_weight: what the other queries give the same key on average, so how specific it is."
    )
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
    measured = await observatory.study(
        f"claims/{model}/{loaded.identity}",
        lambda cancelled: measure(loaded, claims_about(model), cancelled),
    )

    def answer() -> ClaimsAnswer:
        entries = {entry.id: entry for entry in observatory.catalog.entries()}
        return ClaimsAnswer(
            model=model, claims=[_answer(claim, entries.get(claim.model), measured) for claim in CLAIMS]
        )

    return await in_turn(answer)


def _answer(claim: Claim, entry: ModelEntry | None, found: Measurements) -> ClaimAnswer:
    measured = found.values.get(claim.id)
    asked = claim.measure
    weight = asked if isinstance(asked, TokenWeight) else None
    score = asked if isinstance(asked, HeadScore) else None
    share = asked if isinstance(asked, SeparatorShare) else None
    relation = asked if isinstance(asked, HeadRelation) else None
    evidence = weight or score or relation
    sentences = relation and MEASURED_ON[relation.relation]
    reason = Sentence("This model is not on this server's list.") if entry is None else entry.reason
    return ClaimAnswer(
        id=claim.id,
        model=claim.model,
        model_title=claim.model if entry is None else entry.title,
        available=entry is not None and entry.available,
        reason=reason and say(reason),
        kind="token_weight" if weight else "head_score" if score else "relation" if relation else "separator_share",
        text=sentences[0].text if sentences else weight.text if weight else share and share.text,
        text_pair=share and share.text_pair,
        layer=evidence.layer if evidence else share.first_layer if share else 0,
        last_layer=share and share.last_layer,
        head=evidence and evidence.head,
        reader=weight and weight.reader,
        read=weight and weight.read,
        score=score and score.score,
        relation=relation and relation.relation,
        sentences=sentences and [PairAnswer.of(pair) for pair in sentences],
        reference=claim.reference,
        tolerance=claim.tolerance,
        origin=claim.origin,
        label=say(claim.label),
        measured=measured,
        others=found.others.get(claim.id),
        holds=None if measured is None else claim.holds(measured),
        convention=say(claim.convention),
        source=say(claim.source),
    )
