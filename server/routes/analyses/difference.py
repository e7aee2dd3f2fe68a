"""The difference between two analyses: a window of weights, and a summary of each head."""

from typing import Annotated, Literal

import numpy as np
from fastapi import APIRouter, Query
from pydantic import Field

from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.studies.differences.difference import (
    DifferenceSummary,
    comparable_parts,
    difference_window,
    summarise,
)
from attention_core.pretrained.studies.differences.embedding_difference import (
    EmbeddingChange as CoreEmbeddingChange,
)
from attention_core.pretrained.studies.differences.embedding_difference import (
    embedding_difference,
    has_embedding_alone,
)
from attention_core.pretrained.studies.differences.prediction_difference import (
    CandidateChange as CoreCandidateChange,
)
from attention_core.pretrained.studies.differences.prediction_difference import (
    PredictionChange as CorePredictionChange,
)
from attention_core.pretrained.studies.differences.prediction_difference import (
    PredictionDifference,
    prediction_difference,
)
from attention_core.refusal import Sentence
from ...answers.analysis_drawings import TOKEN_SIDES
from ...answers.answer_paths import Drawn
from ...answers.drawings import STAGES, by_head, heat
from ...answers.from_core import AnswerOf
from ...requests.bodies import BodyRoute
from ...requests.bounded import Index, PartName
from ...requests.turns import in_turn
from ...web.errors import ApiError
from ...web.matrices import EncodedArray, Encoding, Matrix, encode
from ..dependencies import AnalysisDep, Observatory, ObservatoryDep, SettingsDep, not_kept
from ..figure_routes import add_figures
from .analyses import MAX_PICTURE, SPAN, Stage, read_span
from .reruns import model_of

router = APIRouter(prefix="/api/analyses", tags=["analyses"], route_class=BodyRoute)

OtherId = Annotated[str, Query(max_length=200, description="The id of the analysis that this one is subtracted from.")]


class CandidateChange(AnswerOf[CoreCandidateChange]):
    """One token's probability in both analyses; null where it is not known or the model has no such token."""


class PredictionChange(AnswerOf[CorePredictionChange]):
    """One predicted position, its candidates sorted by change."""

    candidates: list[CandidateChange]


class DifferenceAnswer(AnswerOf[DifferenceSummary]):
    """other − this: a window of one head, and a summary of the whole part."""

    other: str
    layer: int
    head: int
    other_layer: int = Field(description="Of the head that is subtracted from.")
    other_head: int
    stage: str
    rows: tuple[int, int]
    cols: tuple[int, int]
    shape: tuple[int, int]
    pooled: bool = Field(description="Whether a cell covers several tokens.")
    encoding: Encoding
    matrix: EncodedArray | Matrix = Field(description='"-Infinity" where either is masked.')
    predictions: list[PredictionChange]


@router.get("/{analysis_id}/difference")
async def get_difference(
    analysis_id: str,
    analysis: AnalysisDep,
    observatory: ObservatoryDep,
    settings: SettingsDep,
    other: OtherId,
    part: PartName | None = None,
    layer: Annotated[
        Index | None, Query(description="Without layer and head: the head with the largest change.")
    ] = None,
    head: Index | None = None,
    other_layer: Annotated[
        Index | None, Query(description="With other_head: the other's head, where it is not the same one.")
    ] = None,
    other_head: Index | None = None,
    stage: Stage = "weights",
    rows: Annotated[str | None, Query(pattern=SPAN, description="Queries a:b, without b.")] = None,
    cols: Annotated[str | None, Query(pattern=SPAN, description="Keys a:b, without b.")] = None,
    max_size: Annotated[int | None, Query(ge=1, le=MAX_PICTURE, description="Pool to this size a side.")] = None,
    pooling: Literal["max", "mean"] = "max",
    encoding: Encoding = "base64",
) -> DifferenceAnswer:
    """The other minus this one; both must have the same number of tokens. ``max`` pools to the cell furthest from 0."""
    second = await _other(other, observatory)
    chosen, _ = comparable_parts(analysis, second, part)
    summary = await observatory.study(
        f"difference/{analysis_id}/{other}/{chosen.name}",
        lambda cancelled: summarise(analysis, second, part, cancelled),
    )
    other_place = _pair(other_layer, other_head, "other_")
    layer, head = _pair(layer, head) or _most_changed(summary)
    row_span = read_span(rows) or (0, chosen.query_tokens)
    col_span = read_span(cols) or (0, chosen.key_tokens)
    window = await in_turn(
        difference_window,
        *(analysis, second, part, layer, head, stage, row_span, col_span, max_size, pooling),
        max_cells=settings.max_window_cells,
        other_head=other_place,
    )
    return await in_turn(
        lambda: DifferenceAnswer.of(
            summary,
            other=other,
            layer=layer,
            head=head,
            other_layer=other_place[0] if other_place else layer,
            other_head=other_place[1] if other_place else head,
            stage=stage,
            rows=row_span,
            cols=col_span,
            shape=window.shape,
            pooled=window.shape != (row_span[1] - row_span[0], col_span[1] - col_span[0]),
            encoding=encoding,
            matrix=encode(window, encoding),
        )
    )


def _title(drawn: Drawn) -> Sentence:
    return Sentence("{stage}: the other text minus this", STAGES[drawn.given["stage"]][0])


add_figures(
    router,
    get_difference,
    {
        "difference": heat("matrix", _title, *TOKEN_SIDES, where=("layer", "head")),
        "largest": by_head("largest", Sentence("Largest change of any weight"), "positive"),
    },
)


class EmbeddingChange(AnswerOf[CoreEmbeddingChange]):
    """The embedding of the input, the mean of its last hidden states, in both analyses."""


class PredictionDifferenceAnswer(AnswerOf[PredictionDifference]):
    """What both predict: each prediction of this with that of the other of the same kind and order."""

    predictions: list[PredictionChange]
    embedding: EmbeddingChange | None = Field(
        description="In place of predictions, where a model makes none; null for others, and between two models."
    )


@router.get("/{analysis_id}/prediction_difference")
async def get_prediction_difference(
    analysis_id: str, analysis: AnalysisDep, observatory: ObservatoryDep, other: OtherId
) -> PredictionDifferenceAnswer:
    """The candidates of either with their probability in both, and the tokens whose probability changed most.

    The texts may have any number of tokens. Tokens of two models are the same where each has one token of that text.
    """
    second = await _other(other, observatory)
    models = (await model_of(analysis, observatory), await model_of(second, observatory))
    difference: PredictionDifference = await observatory.study(
        f"prediction_difference/{analysis_id}/{other}",
        lambda _: prediction_difference(analysis, second, models),
    )
    embedding: CoreEmbeddingChange | None = None
    if models[0] is models[1] and has_embedding_alone(models[0], analysis):
        embedding = await observatory.study(
            f"embedding_difference/{analysis_id}/{other}",
            lambda _: embedding_difference(models[0], analysis, second),
        )
    return await in_turn(lambda: PredictionDifferenceAnswer.of(difference, embedding=_said(embedding)))


def _said(embedding: CoreEmbeddingChange | None) -> EmbeddingChange | None:
    return None if embedding is None else EmbeddingChange.of(embedding)


async def _other(other: str, observatory: Observatory) -> Analysis:
    analysis = await observatory.analysis(other)
    if analysis is None:
        raise not_kept(other, "other")
    return analysis


def _pair(layer: int | None, head: int | None, prefix: str = "") -> tuple[int, int] | None:
    """Layer and head where both are given, None where neither is."""
    if layer is not None and head is not None:
        return layer, head
    if layer is None and head is None:
        return None
    missing = prefix + ("layer" if layer is None else "head")
    raise ApiError(422, "invalid_request", "{field}: give layer and head, or neither.", field=missing)


def _most_changed(summary: DifferenceSummary) -> tuple[int, int]:
    most = np.unravel_index(summary.largest.argmax(), summary.largest.shape)
    return int(most[0]), int(most[1])
