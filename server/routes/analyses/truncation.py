"""How much of a text a model takes."""

import asyncio

from fastapi import APIRouter
from pydantic import BaseModel, Field

from attention_core.pretrained.inputs.truncation import truncate
from attention_core.pretrained.models.loading import LoadedModel
from server.requests.bodies import BodyRoute
from server.requests.bounded import Name, RequestModel, Text
from server.routes.dependencies import ObservatoryDep, SettingsDep
from server.settings import Settings

router = APIRouter(prefix="/api/truncation", tags=["analyses"], route_class=BodyRoute)


class TruncationRequest(RequestModel):
    """Texts, as `POST /api/analyses` takes them, and of any length that a request may have."""

    body_limit = "max_body_bytes"
    """Texts that are too long are what it is for."""

    model: Name = Field(examples=["sentence-transformers/all-MiniLM-L6-v2"])
    text: Text = Field(examples=["The cat sat on the mat because it was tired."])
    text_pair: Text | None = Field(None, description="A second text; of two the longer one is cut first.")
    target_text: Text | None = Field(None, description="What an encoder–decoder model has written so far.")


class TruncationAnswer(BaseModel):
    """The longest beginnings that `POST /api/analyses` takes of these texts, cut between two tokens."""

    model: str
    text: str
    text_pair: str | None
    target_text: str | None
    tokens: int = Field(description="Of text and text_pair together, special tokens included.")
    target_tokens: int | None = Field(description="Of the target, the decoder's start token included.")
    limit: int | None = Field(description="How many tokens are taken; null without a limit.")
    cut: list[str] = Field(description="Which of the texts are shorter than they were.")


@router.post("")
async def post_truncation(
    request: TruncationRequest, settings: SettingsDep, observatory: ObservatoryDep
) -> TruncationAnswer:
    """As much of a text as a model takes, for what was refused as `text_too_long`. Nothing is ever cut unasked."""
    loaded = await observatory.loading.get(request.model)
    return await asyncio.to_thread(_answer, request, loaded, settings)


def _answer(request: TruncationRequest, loaded: LoadedModel, settings: Settings) -> TruncationAnswer:
    found = truncate(
        loaded,
        request.text,
        request.text_pair,
        request.target_text,
        max_tokens=settings.max_tokens,
        max_characters=settings.max_characters,
    )
    kept = {name: getattr(found, name) for name in ("text", "text_pair", "target_text")}
    return TruncationAnswer(
        model=loaded.entry.id,
        **kept,
        tokens=found.tokens,
        target_tokens=found.target_tokens,
        limit=found.limit,
        cut=[name for name, text in kept.items() if text != getattr(request, name)],
    )
