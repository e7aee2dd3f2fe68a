"""Our attention compared with the library's own, head by head, in a loaded model."""

import json
from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import Field

from attention_core.pretrained.studies.differences.parity_by_head import (
    OwnDecoderParity,
    ParityByHead,
    PartParity,
    parity_by_head,
)
from attention_core.refusal import Sentence
from ...answers.analyses import Token
from ...answers.answer_paths import Drawn
from ...answers.drawings import KEY, QUERY, Side, by_head, heat, texts
from ...answers.from_core import AnswerOf
from ...requests.bodies import BodyRoute
from ...requests.bounded import LongText, Name, PartName, RequestModel, check_cells, check_characters
from ...requests.turns import in_turn
from ...settings import Settings
from ...web.disconnects import unless_disconnected
from ..dependencies import ObservatoryDep, SettingsDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/parity", tags=["parity"], route_class=BodyRoute)

Index = Annotated[int, Field(ge=0)]


class ParityRequest(RequestModel):
    """A text for a model, and the head whose weights are shown."""

    model: Name = Field(examples=["sentence-transformers/all-MiniLM-L6-v2"])
    text: LongText = Field(examples=["The cat sat on the mat because it was tired."])
    part: PartName | None = Field(None, description="The first unless given.")
    layer: Index = 0
    head: Index = 0


class PartParityAnswer(AnswerOf[PartParity]):
    """One part of the model."""


class OwnDecoderAnswer(AnswerOf[OwnDecoderParity]):
    """Our own decoder with the model's weights, compared with the library's model."""


class ParityAnswer(AnswerOf[ParityByHead]):
    """Largest absolute differences, and one head's weights from both sides."""

    model: str
    tokens: list[Token]
    target_tokens: list[Token] | None
    parts: list[PartParityAnswer]
    own_decoder: OwnDecoderAnswer | None
    within_bound: bool


@router.post("")
async def post_parity(
    request: Request, wanted: ParityRequest, settings: SettingsDep, observatory: ObservatoryDep
) -> ParityAnswer:
    """Run the model with both attentions and compare weights, hidden states and logits."""
    check_characters(settings, "text", wanted.text)
    return await unless_disconnected(request, _found(wanted, settings, observatory))


def _queries(drawn: Drawn) -> list[str]:
    answer = drawn.answer
    return texts(answer.tokens if answer.part == "encoder" or answer.target_tokens is None else answer.target_tokens)


def _keys(drawn: Drawn) -> list[str]:
    return texts(drawn.answer.tokens) if drawn.answer.part == "cross" else _queries(drawn)


SIDES = Side(QUERY, _queries), Side(KEY, _keys)

add_figures(
    router,
    post_parity,
    {
        "ours": heat("ours", Sentence("Weights, ours"), *SIDES, "weights", where=("layer", "head")),
        "theirs": heat("theirs", Sentence("Weights, the library's"), *SIDES, "weights", where=("layer", "head")),
        "weights": by_head("parts[part].weights", Sentence("Largest difference of any weight"), "positive"),
    },
)


async def _found(wanted: ParityRequest, settings: Settings, observatory: ObservatoryDep) -> ParityAnswer:
    loaded = await observatory.loading.get(wanted.model)
    asked = wanted.model_dump() | {"weights": loaded.identity}
    parity = await observatory.study(
        f"parity/{json.dumps(asked, sort_keys=True)}",
        lambda cancelled: parity_by_head(
            loaded,
            wanted.text,
            part=wanted.part,
            layer=wanted.layer,
            head=wanted.head,
            max_tokens=min(settings.max_tokens, settings.max_concept_tokens),
            cancelled=cancelled,
        ),
    )
    check_cells(settings, "text", *parity.ours.shape)
    return await in_turn(ParityAnswer.of, parity, model=wanted.model)
