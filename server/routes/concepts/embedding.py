"""Token embeddings: an id picks a row of a table."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import ConfigDict, Field

from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.studies.embedding import EmbeddingLookup, Neighbour, look_up
from attention_core.refusal import Sentence
from ...answers.analyses import Token
from ...answers.drawings import LENGTH, TOKEN, bars, heat, named, vectors
from ...answers.from_core import AnswerOf
from ...requests.bodies import BodyRoute
from ...requests.bounded import (
    Index,
    LongText,
    Name,
    RequestModel,
    UpToTokens,
    check_cells,
    check_characters,
    check_tokens,
)
from ...requests.turns import in_turn
from ...settings import Settings
from ...web.errors import ApiError
from ...web.matrices import EncodedArray, Encoding, Matrix, encode
from ...web.openapi.schema_rules import exactly_one
from ..dependencies import ObservatoryDep, SettingsDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/embedding", tags=["embedding"], route_class=BodyRoute)

MAX_NEIGHBOURS = 50


class EmbeddingRequest(RequestModel):
    """A text, or ids, for the table of a loaded model."""

    model_config = ConfigDict(json_schema_extra=exactly_one("text", "ids"))

    model: Name = Field(examples=["sentence-transformers/all-MiniLM-L6-v2"])
    text: LongText | None = Field(None, examples=["The cat sat on the mat."])
    ids: Annotated[list[Index], Field(min_length=1, fail_fast=True), UpToTokens] | None = Field(
        None, description="Instead of a text.", examples=[[1, 5, 9]]
    )
    neighbours: Annotated[int, Field(strict=True, ge=0, le=MAX_NEIGHBOURS)] = Field(
        8, description="Number of neighbours of each token."
    )
    encoding: Encoding = Field("json", description="Of vectors and similarity.")


class NeighbourAnswer(AnswerOf[Neighbour]):
    """Another row of the table."""


class EmbeddingAnswer(AnswerOf[EmbeddingLookup]):
    """Each token's row, and the rows closest to it."""

    model: str
    tokens: list[Token]
    ids_shape: list[int]
    vectors_shape: list[int]
    table_shape: list[int]
    vectors: Matrix | EncodedArray
    similarity: Matrix | EncodedArray
    neighbours: list[list[NeighbourAnswer]]


@router.post("")
async def post_embedding(
    request: EmbeddingRequest, settings: SettingsDep, observatory: ObservatoryDep
) -> EmbeddingAnswer:
    """Look a text's tokens up in a model's table."""
    if (request.text is None) == (request.ids is None):
        raise ApiError(
            422, "invalid_value", "{name} must be given, or {other}, and not both.", "text", "ids", field="text"
        )
    check_characters(settings, "text", request.text)
    if request.ids is not None:
        check_tokens(settings, "ids", len(request.ids))
    loaded = await observatory.loading.get(request.model)
    return await in_turn(_answer, request, loaded, settings)


TOKENS = named(TOKEN, "tokens")

add_figures(
    router,
    post_embedding,
    {
        "vectors": vectors("vectors", Sentence("Vectors of the tokens"), TOKENS),
        "similarity": heat("similarity", Sentence("Cosines of the tokens"), TOKENS, TOKENS),
        "norms": bars("norms", Sentence("Lengths of the vectors"), LENGTH, TOKENS),
    },
)


def _answer(request: EmbeddingRequest, loaded: LoadedModel, settings: Settings) -> EmbeddingAnswer:
    limit = min(settings.max_tokens, settings.max_concept_tokens)
    embedded = look_up(loaded, request.text, ids=request.ids, neighbours=request.neighbours, max_tokens=limit)
    check_cells(settings, "text" if request.ids is None else "ids", *embedded.vectors.shape)
    check_cells(settings, "text" if request.ids is None else "ids", *embedded.similarity.shape)
    encoded = {name: encode(getattr(embedded, name), request.encoding) for name in ("vectors", "similarity")}
    return EmbeddingAnswer.of(embedded, model=loaded.entry.id, **encoded)
