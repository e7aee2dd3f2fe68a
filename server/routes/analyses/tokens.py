"""Closer looks at single tokens of an analysis: the vectors behind one weight, and all that one token reads."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field

from attention_core.pretrained.studies.token_reads import MAX_COUNT, token_reads
from attention_core.pretrained.studies.vectors import pair_vectors
from server.answers.from_core import FromCore
from server.requests.bodies import BodyRoute
from server.requests.bounded import Index
from server.routes.dependencies import AnalysisDep
from server.web.matrices import JsonNumber, Matrix

router = APIRouter(prefix="/api/analyses", tags=["analyses"], route_class=BodyRoute)

PartName = Literal["encoder", "decoder", "cross"]


class TokenVectorsAnswer(FromCore):
    """One token's vectors in one head; null where the token plays no such role (between two texts)."""

    index: int
    query: list[float] | None
    key: list[float] | None
    value: list[float] | None


class VectorsAnswer(FromCore):
    """How two tokens' vectors become one weight."""

    part: str
    layer: int
    head: int
    kv_head: int = Field(description="The key and value head that this query head uses.")
    query_token: TokenVectorsAnswer
    key_token: TokenVectorsAnswer
    products: list[float] = Field(description="Query times key, element by element; they add up to raw_score.")
    raw_score: float
    scale: float
    scaled_score: float
    bias: float
    masked_score: JsonNumber = Field(description='"-Infinity" where the query may not read the key.')
    weight: float


class TopTokensAnswer(FromCore):
    """The largest weights of each head, largest first: layers × heads × count."""

    indices: list[list[list[int]]]
    weights: list[Matrix]
    totals: Matrix = Field(description="Layers × heads: the sum over all tokens.")


class PartReadsAnswer(FromCore):
    """One part of the model; null where the token plays no such role."""

    name: str
    reads: TopTokensAnswer | None = Field(description="Keys that this token reads.")
    read_by: TopTokensAnswer | None = Field(description="Queries that read this token.")


class TokenReadsAnswer(FromCore):
    """All that one token reads and is read by, in every layer and head."""

    side: str = Field(description="source or target: whose tokens ``index`` counts.")
    index: int
    parts: list[PartReadsAnswer]


@router.get("/{analysis_id}/vectors")
def get_vectors(
    analysis: AnalysisDep, layer: Index, head: Index, query: Index, key: Index, part: PartName | None = None
) -> VectorsAnswer:
    """Query, key and value of two tokens, their product element by element, and the weight that comes of it."""
    found = pair_vectors(analysis, part, layer, head, query, key)
    masked_score = "-Infinity" if found.masked_score == float("-inf") else found.masked_score
    return VectorsAnswer.of(found, layer=layer, head=head, masked_score=masked_score)


@router.get("/{analysis_id}/tokens/{index}")
def get_token(
    analysis: AnalysisDep,
    index: Index,
    side: Literal["source", "target"] | None = None,
    count: Annotated[int, Query(ge=1, le=MAX_COUNT, description="Tokens listed for each head.")] = 5,
    hide_special: Annotated[bool, Query(description="Leave special tokens out of lists and totals.")] = False,
    words: Annotated[bool, Query(description="Words in the place of tokens, each by its first token.")] = False,
) -> TokenReadsAnswer:
    """What this token attends to and what attends to it, in every layer and head.

    Weights to a word are summed over its tokens, weights from it averaged.
    """
    found = token_reads(analysis, index, side=side, count=count, hide_special=hide_special, words=words)
    return TokenReadsAnswer.of(found, index=index)
