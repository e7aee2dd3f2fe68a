"""The same word in several texts: how far each layer bends it apart, and what it reads there."""

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from attention_core.pretrained.inputs.words import WordChoice
from attention_core.pretrained.studies.context import (
    MAX_TEXTS,
    MIN_TEXTS,
    WordInContext,
    WordsInContext,
    context_key,
    words_in_context,
)
from server.answers.analyses import Token
from server.requests.bodies import BodyRoute
from server.requests.bounded import LongText, Name, RequestModel, Text, check_cells, check_characters
from server.routes.dependencies import ObservatoryDep, SettingsDep
from server.settings import Settings
from server.web.disconnects import unless_disconnected
from server.web.matrices import EncodedArray, Encoding, Matrix, encode, to_json_numbers
from server.web.schema_rules import exactly_one

router = APIRouter(prefix="/api/context", tags=["context"], route_class=BodyRoute)

MAX_WORD = 200


class WordIn(RequestModel):
    """A text and the word in it."""

    model_config = ConfigDict(json_schema_extra=exactly_one("word", "token"))

    text: LongText = Field(examples=["He sat on the bank of the river."])
    word: Annotated[Text, Field(min_length=1, max_length=MAX_WORD)] | None = Field(
        None, description="In either case of letters.", examples=["bank"]
    )
    occurrence: Annotated[int, Field(ge=0)] = Field(0, description="Which of the places, counted from 0.")
    token: Annotated[int, Field(ge=0)] | None = Field(None, description="A token's index, in place of a word.")


class ContextRequest(RequestModel):
    """Two to six texts for one model."""

    model: Name = Field(examples=["sentence-transformers/all-MiniLM-L6-v2"])
    texts: Annotated[list[WordIn], Field(min_length=MIN_TEXTS, max_length=MAX_TEXTS)]
    encoding: Encoding = Field("json", description="Of what the words read.")


class NearAnswer(BaseModel):
    """A token of one of the texts."""

    text: int = Field(description="Which of the texts.")
    token: int
    cosine: float


class WordAnswer(BaseModel):
    """The word in one of the texts."""

    tokens: list[Token]
    word_tokens: list[int] = Field(description="Indices of the tokens that the word became.")
    norms: list[float] = Field(description="[state] lengths of the word's vectors.")
    reads: list[Matrix] | EncodedArray = Field(description="[layer][head][key] weights of the word as a query.")
    nearest: list[list[NearAnswer]] = Field(
        description="[state] the nearest other tokens of all the texts, nearest first."
    )


class ContextAnswer(BaseModel):
    """The words beside each other."""

    model: str
    states: list[str] = Field(description="table, embeddings (with position), layer_0 …")
    cosines: list[Matrix] = Field(description="[state][text][text] of the words' vectors.")
    baseline: list[float] | None = Field(
        description="[state] mean cosine of two different tokens of different texts; null where there are none."
    )
    same_tokens: list[list[bool]] = Field(description="[text][text] whether the word became the same tokens in both.")
    words: list[WordAnswer]


@router.post("")
async def post_context(
    request: Request, wanted: ContextRequest, settings: SettingsDep, observatory: ObservatoryDep
) -> ContextAnswer:
    """Compare the words after every layer."""
    for number, each in enumerate(wanted.texts):
        check_characters(settings, f"texts.{number}.text", each.text)
    return await unless_disconnected(request, _found(wanted, settings, observatory))


async def _found(wanted: ContextRequest, settings: Settings, observatory: ObservatoryDep) -> ContextAnswer:
    loaded = await observatory.loading.get(wanted.model)
    choices = [WordChoice(each.text, each.word, each.occurrence, each.token) for each in wanted.texts]
    limit = min(settings.max_tokens, settings.max_concept_tokens)
    found = await observatory.study(
        f"context/{context_key(loaded, choices)}",
        lambda cancelled: words_in_context(loaded, choices, max_tokens=limit, cancelled=cancelled),
    )
    return _answer(loaded.entry.id, found, wanted.encoding, settings)


def _answer(model: str, found: WordsInContext, encoding: Encoding, settings: Settings) -> ContextAnswer:
    layers, heads, _ = found.words[0].reads.shape
    check_cells(settings, "texts", layers, heads, sum(len(word.tokens) for word in found.words))
    return ContextAnswer.model_construct(
        model=model,
        states=found.states,
        cosines=to_json_numbers(found.cosines),
        baseline=None if found.baseline is None else to_json_numbers(found.baseline),
        same_tokens=found.same_tokens.tolist(),
        words=[_word(word, encoding) for word in found.words],
    )


def _word(word: WordInContext, encoding: Encoding) -> WordAnswer:
    return WordAnswer.model_construct(
        tokens=[Token.of(token) for token in word.tokens],
        word_tokens=word.word_tokens,
        norms=to_json_numbers(word.norms),
        reads=encode(word.reads, encoding),
        nearest=[[NearAnswer(**vars(near)) for near in nearest] for nearest in word.nearest],
    )
