"""A transformer block, station by station, for one token, in our own decoder or a loaded model."""

import json
import re
from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import ConfigDict, Field

from attention_core.block import STEPS, BlockWalk, Check, Guess, NormNumbers, Station, Step
from attention_core.demos.block import block_walk
from attention_core.demos.decoder import DecoderChoice, Form
from attention_core.pretrained.studies.outputs.block_stations import pretrained_walk
from attention_core.refusal import Sentence
from ...answers.analyses import Token
from ...answers.drawings import HEADS, KEY, LAYER, LENGTH, curves, heat, named
from ...answers.from_core import AnswerOf
from ...requests.bodies import BodyRoute
from ...requests.bounded import LongText, Name, RequestModel, Seed, check_cells, check_characters
from ...requests.turns import in_turn
from ...settings import Settings
from ...web.disconnects import unless_disconnected
from ...web.errors import ApiError
from ...web.openapi.schema_rules import ABSENT, either
from ..dependencies import ObservatoryDep, SettingsDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/block", tags=["block"], route_class=BodyRoute)

MAX_OWN_TOKENS = 128

Index = Annotated[int, Field(ge=0)]


class OwnDecoder(RequestModel):
    """Our own decoder, randomly initialised."""

    form: Form = "modern"
    d_model: Annotated[int, Field(ge=1, le=512)] = 16
    num_layers: Annotated[int, Field(ge=1, le=12)] = 2
    num_heads: Annotated[int, Field(ge=1, le=32)] = 4
    num_kv_heads: Annotated[int, Field(ge=1, le=32)] | None = Field(None, description="num_heads unless given.")
    hidden_dim: Annotated[int, Field(ge=1, le=2_048)] | None = Field(None, description="4 · d_model unless given.")
    init_std: Annotated[float, Field(ge=1e-4, le=10)] = Field(
        0.2, description="Standard deviation of the random weights."
    )
    seed: Seed = 0


class BlockRequest(RequestModel):
    """A text, and the token and the block that it is followed through."""

    model_config = ConfigDict(json_schema_extra=either({"model": ABSENT}, {"own": ABSENT}))

    model: Name | None = Field(None, description="An id of /api/models; our own decoder unless given.", examples=[None])
    text: LongText = Field(examples=["The cat sat on the mat."])
    layer: Index = 0
    token: Index = Field(0, description="Its index, special tokens included.")
    own: OwnDecoder = Field(
        default_factory=OwnDecoder, description="Where no model is given; its tokens are the words between spaces."
    )


class StationAnswer(AnswerOf[Station]):
    """One vector on the way."""

    made_by: Step | None = Field(
        description="How; null for the input, and for what attention and feed-forward layer compute inside."
    )
    made_of: list[str] = Field(description="Of which stations.")
    norm: float
    mean: float
    standard_deviation: float


class BlockNormAnswer(AnswerOf[NormNumbers]):
    """layer: (x − mean) / √(spread + ε) · scale + shift; rms: x / √(spread + ε) · scale."""


class CheckAnswer(AnswerOf[Check]):
    """An equation, and the difference between its sides."""

    holds: bool


class GuessAnswer(AnswerOf[Guess]):
    """A candidate for the next token."""

    text: str


class BlockAnswer(AnswerOf[BlockWalk]):
    """The trace of one token through one block."""

    model: str | None = Field(description="Null for our own decoder.")
    layers: int
    tokens: list[Token]
    embedding: list[StationAnswer]
    stations: list[StationAnswer]
    norms: list[BlockNormAnswer]
    checks: list[CheckAnswer]
    guesses: list[GuessAnswer]


@router.post("")
async def post_block(
    request: Request, wanted: BlockRequest, settings: SettingsDep, observatory: ObservatoryDep
) -> BlockAnswer:
    """Follow one token through one block, with every equation checked."""
    check_characters(settings, "text", wanted.text)
    if wanted.model is None:
        return await in_turn(_own, wanted, settings)
    if "own" in wanted.model_fields_set:
        raise ApiError(422, "invalid_value", "own must be left out where a model is given.", field="own")
    return await unless_disconnected(request, _pretrained(wanted.model, wanted, settings, observatory))


add_figures(
    router,
    post_block,
    {
        "weights": heat("weights", Sentence("Weights"), HEADS, named(KEY, "tokens"), "weights"),
        "norms": curves("stream_norms", Sentence("Length of the token's vector"), Sentence("blocks before it"), LENGTH),
        "contributions": curves(
            {Sentence("Attention"): "attention_norms", Sentence("Feed-forward layer"): "feed_forward_norms"},
            Sentence("Length of what each block adds"),
            LAYER,
            LENGTH,
        ),
    },
)


async def _pretrained(model: str, wanted: BlockRequest, settings: Settings, observatory: ObservatoryDep) -> BlockAnswer:
    loaded = await observatory.loading.get(model)
    asked = wanted.model_dump() | {"weights": loaded.identity}
    limit = min(settings.max_tokens, settings.max_concept_tokens)
    study = await observatory.study(
        f"block/{json.dumps(asked, sort_keys=True)}",
        lambda cancelled: pretrained_walk(
            loaded, wanted.text, layer=wanted.layer, token=wanted.token, max_tokens=limit, cancelled=cancelled
        ),
    )
    check_cells(settings, "text", *study.walk.weights.shape)
    return await in_turn(lambda: _answer(model, study.walk, [Token.of(token) for token in study.tokens], study.guesses))


def _own(wanted: BlockRequest, settings: Settings) -> BlockAnswer:
    words = list(re.finditer(r"\S+", wanted.text))
    if not words:
        raise ApiError(422, "text_empty", "The text is empty.", field="text")
    if len(words) > MAX_OWN_TOKENS:
        raise ApiError(
            422,
            "text_too_long",
            "The text has {count} words; our own decoder accepts at most {limit} here.",
            len(words),
            field="text",
            limit=MAX_OWN_TOKENS,
        )
    own = wanted.own
    check_cells(settings, "own", own.num_layers, own.num_heads, len(words), len(words))
    vocabulary = list(dict.fromkeys(word.group() for word in words))
    ids = [vocabulary.index(word.group()) for word in words]
    choice = DecoderChoice(**own.model_dump())
    walk = block_walk(choice, ids, vocab_size=len(vocabulary), layer=wanted.layer, token=wanted.token)
    tokens = [
        Token(
            index=index,
            id=ids[index],
            text=word.group(),
            token=word.group(),
            start=word.start(),
            end=word.end(),
            special=False,
            segment=0,
        )
        for index, word in enumerate(words)
    ]
    return _answer(None, walk, tokens, [(guess, vocabulary[guess.id]) for guess in walk.guesses])


def _answer(model: str | None, walk: BlockWalk, tokens: list[Token], guesses: list[tuple[Guess, str]]) -> BlockAnswer:
    steps = {name: (step, made_of) for name, step, made_of in STEPS[walk.order]}
    return BlockAnswer.of(
        walk,
        model=model,
        layers=len(walk.attention_norms),
        tokens=tokens,
        embedding=[_station(each, {}) for each in walk.embedding],
        stations=[_station(each, steps) for each in walk.stations],
        guesses=[GuessAnswer.of(guess, text=text) for guess, text in guesses],
    )


def _station(station: Station, steps: dict[str, tuple[Step, tuple[str, ...]]]) -> StationAnswer:
    made_by, made_of = steps.get(station.name, (None, ()))
    return StationAnswer.of(station, made_by=made_by, made_of=list(made_of))
