"""Single tokens of an analysis: the vectors behind one weight, and everything that one token attends to."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from attention_core.pretrained.studies.token_reads import MAX_COUNT, PartReads, TokenReads, TopTokens, token_reads
from attention_core.pretrained.studies.vectors import PairVectors, TokenVectors, pair_vectors
from ...answers.from_core import AnswerOf
from ...requests.bodies import BodyRoute
from ...requests.bounded import Index, PartName
from ...web.matrices import JsonNumber
from ..dependencies import AnalysisDep

router = APIRouter(prefix="/api/analyses", tags=["analyses"], route_class=BodyRoute)


class TokenVectorsAnswer(AnswerOf[TokenVectors]):
    """One token's vectors in one head; null for roles that it does not have (between two texts)."""


class VectorsAnswer(AnswerOf[PairVectors]):
    """How two tokens' vectors result in one weight."""

    query_token: TokenVectorsAnswer
    key_token: TokenVectorsAnswer
    masked_score: JsonNumber


class TopTokensAnswer(AnswerOf[TopTokens]):
    """The largest weights of each head, largest first."""


class PartReadsAnswer(AnswerOf[PartReads]):
    """One part of the model; null where the token does not occur on that side."""

    reads: TopTokensAnswer | None
    read_by: TopTokensAnswer | None


class TokenReadsAnswer(AnswerOf[TokenReads]):
    """Everything that one token attends to and is attended to by, in every layer and head."""

    parts: list[PartReadsAnswer]


@router.get("/{analysis_id}/vectors")
def get_vectors(
    analysis: AnalysisDep, layer: Index, head: Index, query: Index, key: Index, part: PartName | None = None
) -> VectorsAnswer:
    """Query, key and value of two tokens, their product element by element, and the resulting weight."""
    vectors = pair_vectors(analysis, part, layer, head, query, key)
    return VectorsAnswer.of(vectors, layer=layer, head=head)


@router.get("/{analysis_id}/tokens/{index}")
def get_token(
    analysis: AnalysisDep,
    index: Index,
    side: Literal["source", "target"] | None = None,
    count: Annotated[int, Query(ge=1, le=MAX_COUNT, description="Tokens listed for each head.")] = 5,
    hide_special: Annotated[bool, Query(description="Leave special tokens out of lists and totals.")] = False,
    words: Annotated[
        bool, Query(description="Words instead of tokens, each with the index of its first token.")
    ] = False,
) -> TokenReadsAnswer:
    """What this token attends to and what attends to it, in every layer and head.

    Weights to a word are summed over its tokens, weights from it averaged.
    """
    reads = token_reads(analysis, index, side=side, count=count, hide_special=hide_special, words=words)
    return TokenReadsAnswer.of(reads, index=index)
