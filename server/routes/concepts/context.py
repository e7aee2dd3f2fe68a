"""The same word in several texts: how far each layer moves its vectors apart, and what it attends to."""

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import ConfigDict, Field

from attention_core.pretrained.inputs.words import WordChoice
from attention_core.pretrained.studies.context import (
    MAX_TEXTS,
    MIN_TEXTS,
    NearToken,
    WordInContext,
    WordsInContext,
    context_key,
    words_in_context,
)
from attention_core.refusal import Sentence
from ...answers.analyses import Token
from ...answers.drawings import HEADS, KEY, Side, curves, heat, named
from ...answers.from_core import AnswerOf
from ...requests.bodies import BodyRoute
from ...requests.bounded import LongText, Name, RequestModel, Text, check_cells, check_characters
from ...requests.turns import in_turn
from ...settings import Settings
from ...web.disconnects import unless_disconnected
from ...web.matrices import EncodedArray, Encoding, Matrix, encode
from ...web.openapi.schema_rules import exactly_one
from ..dependencies import ObservatoryDep, SettingsDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/context", tags=["context"], route_class=BodyRoute)

MAX_WORD = 200


class WordIn(RequestModel):
    """A text and the word in it."""

    model_config = ConfigDict(json_schema_extra=exactly_one("word", "token"))

    text: LongText = Field(examples=["He sat on the bank of the river."])
    word: Annotated[Text, Field(max_length=MAX_WORD, json_schema_extra={"minLength": 1})] | None = Field(
        None, description="Case is ignored.", examples=["bank"]
    )
    occurrence: Annotated[int, Field(ge=0)] = Field(0, description="Which of its occurrences, counted from 0.")
    token: Annotated[int, Field(ge=0)] | None = Field(None, description="A token's index, instead of a word.")


class ContextRequest(RequestModel):
    """Two to six texts for one model."""

    model: Name = Field(examples=["sentence-transformers/all-MiniLM-L6-v2"])
    texts: Annotated[list[WordIn], Field(max_length=MAX_TEXTS, json_schema_extra={"minItems": MIN_TEXTS})]
    encoding: Encoding = Field("json", description="Of `reads`.")


class NearAnswer(AnswerOf[NearToken]):
    """A token of one of the texts."""


class WordAnswer(AnswerOf[WordInContext]):
    """The word in one of the texts."""

    tokens: list[Token]
    reads: list[Matrix] | EncodedArray
    nearest: list[list[NearAnswer]]


class ContextAnswer(AnswerOf[WordsInContext]):
    """The words compared."""

    model: str
    words: list[WordAnswer]


@router.post("")
async def post_context(
    request: Request, wanted: ContextRequest, settings: SettingsDep, observatory: ObservatoryDep
) -> ContextAnswer:
    """Compare the words after every layer."""
    for number, each in enumerate(wanted.texts):
        check_characters(settings, f"texts.{number}.text", each.text)
    return await unless_disconnected(request, _found(wanted, settings, observatory))


TEXTS = Side(Sentence("text"))
KEYS_OF_TEXT = named(KEY, "words[text].tokens")

add_figures(
    router,
    post_context,
    {
        "cosines": heat("cosines[state]", Sentence("Cosines of the word in each text"), TEXTS, TEXTS),
        "reads": heat(
            "words[text].reads[layer]", Sentence("Weights of the word as a query"), HEADS, KEYS_OF_TEXT, "weights"
        ),
        "baseline": curves(
            "baseline", Sentence("Mean cosine of different tokens"), Sentence("state"), Sentence("cosine")
        ),
    },
)


async def _found(wanted: ContextRequest, settings: Settings, observatory: ObservatoryDep) -> ContextAnswer:
    loaded = await observatory.loading.get(wanted.model)
    choices = [WordChoice(each.text, each.word, each.occurrence, each.token) for each in wanted.texts]
    limit = min(settings.max_tokens, settings.max_concept_tokens)
    contexts = await observatory.study(
        f"context/{context_key(loaded, choices)}",
        lambda cancelled: words_in_context(loaded, choices, max_tokens=limit, cancelled=cancelled),
    )
    return await in_turn(_answer, loaded.entry.id, contexts, wanted.encoding, settings)


def _answer(model: str, found: WordsInContext, encoding: Encoding, settings: Settings) -> ContextAnswer:
    layers, heads, _ = found.words[0].reads.shape
    check_cells(settings, "texts", layers, heads, sum(len(word.tokens) for word in found.words))
    words = [WordAnswer.of(word, reads=encode(word.reads, encoding)) for word in found.words]
    return ContextAnswer.of(found, model=model, words=words)
