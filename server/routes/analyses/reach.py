"""Reach in an analysed text: what masks allow, what heads look at, and what really arrives."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field

from attention_core.pretrained.studies.reach_cases import ReachCase, StateDeviation
from attention_core.pretrained.studies.text_reach import MAX_TOKENS, TextReach, text_reach
from attention_core.reach.verdict import Leak
from ...answers.from_core import AnswerOf
from ...requests.bodies import BodyRoute
from ...requests.bounded import PartName
from ...requests.turns import in_turn
from ...web.disconnects import unless_disconnected
from ...web.matrices import EncodedArray, Encoding, Matrix, encode, encode_base64
from ..dependencies import AnalysisDep, ObservatoryDep
from .reruns import model_of

router = APIRouter(prefix="/api/analyses", tags=["analyses"], route_class=BodyRoute)

Case = Annotated[
    ReachCase,
    Query(
        description="How the text runs: as it was analysed; as two documents in one row; "
        "with its first tokens as padding; token by token with a KV cache."
    ),
]
Start = Annotated[
    int | None,
    Query(
        ge=1,
        lt=MAX_TOKENS,
        description="First token of the second document (the middle, unless given), "
        "or behind the padding (behind four).",
    ),
]


class ReachLeakAnswer(AnswerOf[Leak]):
    """A pair that is reached and must not be."""

    layer: int = Field(description="The first after which it is reached, from 0.")


class StateDeviationAnswer(AnswerOf[StateDeviation]):
    """The first state that is another than in one pass, or than the document has alone."""

    layer: int | None = Field(description="After which, from 0; null for what enters the first.")


class ReachAnswer(AnswerOf[TextReach]):
    """[layers][queries][keys] What may reach, what is looked at, and what reaches."""

    change: EncodedArray | list[Matrix]
    weights: EncodedArray | list[Matrix]
    may: EncodedArray | list[list[list[bool]]]
    leaks: list[ReachLeakAnswer]
    deviation: StateDeviationAnswer | None
    shape: tuple[int, int, int]
    encoding: Encoding


class ReachProgress(BaseModel):
    """How far a measurement has come, whoever asked for it."""

    done: int = Field(description="Copies of the text that have run, each with one token replaced.")
    total: int | None = Field(description="Of so many; null unless it is under way.")


@router.get("/{analysis_id}/reach")
async def get_reach(
    request: Request,
    analysis_id: str,
    analysis: AnalysisDep,
    observatory: ObservatoryDep,
    part: PartName | None = None,
    case: Case = "plain",
    start: Start = None,
    encoding: Encoding = "base64",
) -> ReachAnswer:
    """Which token really influences which position after each layer: each token is replaced, bit for bit compared."""
    loaded = await model_of(analysis, observatory)
    study = observatory.reported_study(
        _key(analysis_id, part, case, start),
        lambda cancelled, report: text_reach(
            loaded, analysis, part=part, case=case, start=start, cancelled=cancelled, report=report
        ),
    )
    measured = await unless_disconnected(request, study)
    return await in_turn(_answer, measured, encoding)


def _answer(found: TextReach, encoding: Encoding) -> ReachAnswer:
    return ReachAnswer.of(
        found,
        change=encode(found.change, encoding),
        weights=encode(found.weights, encoding),
        may=encode_base64(found.may, "u1") if encoding == "base64" else found.may.tolist(),
        shape=found.change.shape,
        encoding=encoding,
    )


@router.get("/{analysis_id}/reach/progress")
async def get_reach_progress(
    analysis_id: str,
    analysis: AnalysisDep,
    observatory: ObservatoryDep,
    part: PartName | None = None,
    case: Case = "plain",
    start: Start = None,
) -> ReachProgress:
    """How far `GET /api/analyses/{id}/reach` has come with the same questions; nothing is computed for this."""
    analysis.part(part)
    steps = observatory.progress.of(_key(analysis_id, part, case, start))
    return ReachProgress(done=steps.done if steps else 0, total=steps.total if steps else None)


def _key(analysis_id: str, part: PartName | None, case: ReachCase, start: int | None) -> str:
    return f"reach/{analysis_id}/{part}/{case}/{start}"
