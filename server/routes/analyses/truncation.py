"""Truncate a text to what a model accepts."""

from fastapi import APIRouter
from pydantic import Field

from attention_core.pretrained.inputs.chat import Chat
from attention_core.pretrained.inputs.truncation import Truncation, truncate
from attention_core.pretrained.models.loading import LoadedModel
from ...answers.from_core import AnswerOf
from ...requests.bodies import BodyRoute
from ...requests.bounded import Name, RequestModel, Text
from ...requests.turns import in_turn
from ...settings import Settings
from ..dependencies import ObservatoryDep, SettingsDep

router = APIRouter(prefix="/api/truncation", tags=["analyses"], route_class=BodyRoute)


class TruncationRequest(RequestModel):
    """Texts, as in `POST /api/analyses`, but as long as a request may be."""

    body_limit = "max_body_bytes"
    """Texts may be too long for a model."""

    model: Name = Field(examples=["sentence-transformers/all-MiniLM-L6-v2"])
    text: Text = Field(examples=["The cat sat on the mat because it was tired."])
    text_pair: Text | None = Field(None, description="A second text; the longer one is cut first.")
    target_text: Text | None = Field(None, description="The output of an encoder–decoder model so far.")
    chat: bool = Field(False, description="Whether the text is a chat message; what surrounds it is not cut.")
    system_text: Text | None = Field(None, description="The system message before a chat message, which is not cut.")


class TruncationAnswer(AnswerOf[Truncation]):
    """The longest beginnings of these texts that `POST /api/analyses` accepts, cut between two tokens."""

    model: str
    cut: list[str] = Field(description="Which of the texts were shortened.")


@router.post("")
async def post_truncation(
    request: TruncationRequest, settings: SettingsDep, observatory: ObservatoryDep
) -> TruncationAnswer:
    """The longest part of a text that a model accepts, after `text_too_long`. No other call truncates."""
    loaded = await observatory.loading.get(request.model)
    return await in_turn(_answer, request, loaded, settings)


def _answer(request: TruncationRequest, loaded: LoadedModel, settings: Settings) -> TruncationAnswer:
    truncated = truncate(
        loaded,
        request.text,
        request.text_pair,
        request.target_text,
        max_tokens=settings.max_tokens,
        max_characters=settings.max_characters,
        chat=Chat(request.system_text) if request.chat else None,
    )
    texts = ("text", "text_pair", "target_text")
    shortened = [name for name in texts if getattr(truncated, name) != getattr(request, name)]
    return TruncationAnswer.of(truncated, model=loaded.entry.id, cut=shortened)
