"""The first thing a model does: an id picks a row of a table."""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.studies.embedding import EmbeddingLookup, look_up
from server.answers.analyses import Token
from server.requests.bodies import BodyRoute
from server.requests.bounded import (
    LongText,
    Name,
    Place,
    RequestModel,
    UpToTokens,
    check_cells,
    check_characters,
    check_tokens,
)
from server.routes.dependencies import ObservatoryDep, SettingsDep
from server.settings import Settings
from server.web.errors import ApiError
from server.web.matrices import EncodedArray, Encoding, Matrix, encode, to_json_numbers
from server.web.schema_rules import exactly_one

router = APIRouter(prefix="/api/embedding", tags=["embedding"], route_class=BodyRoute)

MAX_NEIGHBOURS = 50


class EmbeddingRequest(RequestModel):
    """A text, or ids, for the table of a loaded model."""

    model_config = ConfigDict(json_schema_extra=exactly_one("text", "ids"))

    model: Name = Field(examples=["sentence-transformers/all-MiniLM-L6-v2"])
    text: LongText | None = Field(None, examples=["The cat sat on the mat."])
    ids: Annotated[list[Place], Field(min_length=1, fail_fast=True), UpToTokens] | None = Field(
        None, description="In place of a text.", examples=[[1, 5, 9]]
    )
    neighbours: Annotated[int, Field(strict=True, ge=0, le=MAX_NEIGHBOURS)] = Field(8, description="For each token.")
    encoding: Encoding = Field("json", description="Of vectors and similarity.")


class NeighbourAnswer(BaseModel):
    """Another row of the table."""

    id: int
    token: str = Field(description="The vocabulary's own spelling.")
    text: str
    cosine: float


class EmbeddingAnswer(BaseModel):
    """Each token's row, and which rows lie near it."""

    model: str
    tokens: list[Token]
    ids_shape: list[int] = Field(description="[1, n]: what goes in.")
    vectors_shape: list[int] = Field(description="[1, n, d]: what comes out.")
    table_shape: list[int] = Field(description="[vocabulary, d]")
    vectors: Matrix | EncodedArray = Field(description="n × d")
    norms: list[float]
    distinct: list[int] = Field(description="How many different numbers each vector holds.")
    similarity: Matrix | EncodedArray = Field(description="n × n cosines.")
    neighbours: list[list[NeighbourAnswer]] = Field(description="Nearest first, the token itself left out.")


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
    return await asyncio.to_thread(_answer, request, loaded, settings)


def _answer(request: EmbeddingRequest, loaded: LoadedModel, settings: Settings) -> EmbeddingAnswer:
    limit = min(settings.max_tokens, settings.max_concept_tokens)
    found = look_up(loaded, request.text, ids=request.ids, neighbours=request.neighbours, max_tokens=limit)
    check_cells(settings, "text" if request.ids is None else "ids", *found.vectors.shape)
    check_cells(settings, "text" if request.ids is None else "ids", *found.similarity.shape)
    return EmbeddingAnswer.model_construct(
        model=loaded.entry.id,
        tokens=[Token.of(token) for token in found.tokens],
        ids_shape=list(found.ids_shape),
        vectors_shape=list(found.vectors_shape),
        table_shape=list(found.table_shape),
        **_matrices(found, request.encoding),
        norms=to_json_numbers(found.norms),
        distinct=to_json_numbers(found.distinct),
        neighbours=[[NeighbourAnswer(**vars(near)) for near in neighbours] for neighbours in found.neighbours],
    )


def _matrices(found: EmbeddingLookup, encoding: Encoding) -> dict[str, Any]:
    arrays = {"vectors": found.vectors, "similarity": found.similarity}
    return {name: encode(array, encoding) for name, array in arrays.items()}
