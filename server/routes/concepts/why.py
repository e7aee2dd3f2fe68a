"""Why attention: a word takes in the others by an average, a recurrent network, attention; and 吾輩は猫である."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from attention_core.demos.why import WORDS_OF_A_SEED, RecurrentReading, ThreeWays, numbered, three_ways
from attention_core.demos.why_japanese import Asymmetry, Translation, asymmetry, translation
from attention_core.refusal import InvalidValueError, Sentence
from ...answers.drawings import KEY, QUERY, Side, bars, curve_family, heat, named, vectors
from ...answers.from_core import AnswerOf
from ...requests.bodies import BodyRoute
from ...requests.bounded import Index, RequestModel, Seed, Text, UpToTokens, check_tokens
from ..dependencies import SettingsDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/why", tags=["why"], route_class=BodyRoute)

MAX_WORDS, MAX_DIM, MAX_GAINS = 128, 64, 8
EXAMPLE = ["The", "cat", "sat", "on", "the", "mat", "because", "it", "was", "tired."]

Word = Annotated[Text, Field(min_length=1, max_length=100)]
Gain = Annotated[float, Field(strict=True, ge=0.1, le=3)]
Dim = Annotated[int, Field(strict=True, ge=1, le=MAX_DIM)]


class WhyRequest(RequestModel):
    """A sentence, who reads it, and the recurrent networks that it is read with."""

    words: Annotated[list[Word], Field(min_length=1, max_length=MAX_WORDS, fail_fast=True), UpToTokens] = Field(
        EXAMPLE, description="Equal words have equal vectors."
    )
    numbers: (
        Annotated[
            list[Annotated[int, Field(strict=True, ge=0, lt=WORDS_OF_A_SEED)]],
            Field(min_length=1, max_length=MAX_WORDS, fail_fast=True),
            UpToTokens,
        ]
        | None
    ) = Field(None, description="Of the words' vectors: in the order of their first appearance, from 0, unless given.")
    reader: Index | None = Field(None, description="The word that takes in the others: the last unless given.")
    asks: Index | None = Field(None, description="The word whose query is set by hand: the reader unless given.")
    wanted: Index = Field(0, description="The word that it asks for.")
    gains: Annotated[list[Gain], Field(min_length=1, max_length=MAX_GAINS)] = Field(
        [0.9], description="W of each recurrent network is a random orthogonal matrix times its gain."
    )
    dim: Dim = Field(32, description="Numbers of a word's vector and of the network's state.")
    seed: Seed = 0


class Reading(AnswerOf[RecurrentReading]):
    """What is left of each word in the state after the reader, for one gain."""


class WhyAnswer(AnswerOf[ThreeWays]):
    """How much of each word reaches the reader, in three ways."""

    words: list[str]
    reader: int
    asks: int
    wanted: int
    recurrent: list[Reading]


@router.post("")
def post_why(request: WhyRequest, settings: SettingsDep) -> WhyAnswer:
    """How much each word counts for the reader: averaged, read word by word, attended to."""
    check_tokens(settings, "words", len(request.words))
    reader = len(request.words) - 1 if request.reader is None else request.reader
    asks = reader if request.asks is None else request.asks
    numbers = numbered(request.words) if request.numbers is None else request.numbers
    if len(numbers) != len(request.words):
        raise InvalidValueError(
            "numbers must have one number for each of {count} words, not {given}", len(request.words), len(numbers)
        )
    ways = three_ways(
        numbers,
        reader=reader,
        asks=asks,
        wanted=request.wanted,
        gains=request.gains,
        dim=request.dim,
        seed=request.seed,
    )
    return WhyAnswer.of(ways, words=request.words, reader=reader, asks=asks, wanted=request.wanted)


SHARE, WORD = Sentence("share"), Sentence("word")

add_figures(
    router,
    post_why,
    {
        "weights": heat("weights", Sentence("Weights"), named(QUERY, "words"), named(KEY, "words"), "weights"),
        "scores": heat("scores", Sentence("Scaled scores"), named(QUERY, "words"), named(KEY, "words")),
        "average": bars("average", Sentence("Average"), SHARE, named(WORD, "words")),
        "recurrent": curve_family(
            "recurrent", "gain", "influences", Sentence("What a recurrent network keeps"), WORD, Sentence("influence")
        ),
    },
)


class TranslationRequest(RequestModel):
    """The encoder of the translator that has a single vector."""

    gain: Gain = Field(0.9, description="Its W is a random orthogonal matrix times this number.")
    dim: Dim = 32
    seed: Seed = 0


class TranslationAnswer(AnswerOf[Translation]):
    """吾輩は猫である on its way to “I am a cat”. Rows are the words that are written, columns those that are read."""


@router.post("/translation")
def post_why_translation(request: TranslationRequest) -> TranslationAnswer:
    """A decoder reads the source through one vector, or looks back at every word by cross-attention."""
    return TranslationAnswer.of(translation(gain=request.gain, dim=request.dim, seed=request.seed))


WRITTEN, READ = named(Sentence("written"), "target"), named(Sentence("read"), "source")

add_figures(
    router,
    post_why_translation,
    {
        "weights": heat("weights", Sentence("Cross-attention"), WRITTEN, READ, "weights"),
        "scores": heat("scores", Sentence("Scaled scores"), WRITTEN, READ),
        "through_one_vector": heat("through_one_vector", Sentence("Through one vector"), WRITTEN, READ, "weights"),
    },
)


class AsymmetryRequest(RequestModel):
    """How far W_q and W_k are apart."""

    difference: Annotated[float, Field(strict=True, ge=0, le=1)] = Field(
        1.0, description="0: both are the mean of the two; 1: each is itself."
    )


class AsymmetryAnswer(AnswerOf[Asymmetry]):
    """吾輩は猫である。名前はまだない。with one matrix for queries and keys, and with two."""


@router.post("/asymmetry")
def post_why_asymmetry(request: AsymmetryRequest) -> AsymmetryAnswer:
    """Scores of the same words with W_q = W_k, which are symmetric, and with matrices that differ."""
    return AsymmetryAnswer.of(asymmetry(request.difference))


QUERIES, KEYS = named(QUERY, "tokens"), named(KEY, "tokens")

add_figures(
    router,
    post_why_asymmetry,
    {
        "own_scores": heat("own.scores", Sentence("Scores, W_q and W_k differ"), QUERIES, KEYS),
        "own_weights": heat("own.weights", Sentence("Weights, W_q and W_k differ"), QUERIES, KEYS, "weights"),
        "shared_scores": heat("shared.scores", Sentence("Scores, W_q = W_k"), QUERIES, KEYS),
        "shared_weights": heat("shared.weights", Sentence("Weights, W_q = W_k"), QUERIES, KEYS, "weights"),
        "vectors": vectors(
            "vectors",
            Sentence("Features of the words"),
            named(Sentence("token"), "tokens"),
            Side(Sentence("feature"), lambda drawn: drawn.value("features")),
        ),
    },
)
