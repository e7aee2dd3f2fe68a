"""Scores of a model's heads on repeated random tokens: induction, duplicate token, previous token."""

from typing import Annotated

from fastapi import APIRouter, Query

from attention_core.pretrained.studies.circuits.induction import (
    DEFAULT_SEQUENCES,
    HEAD_SCORES,
    MAX_PERIOD,
    MAX_SEQUENCES,
    HeadScores,
    PartScores,
    head_scores,
)
from ...answers.analyses import MetricInfo
from ...answers.analysis_drawings import title_of
from ...answers.drawings import by_head
from ...answers.from_core import AnswerOf
from ...requests.bodies import BodyRoute
from ...requests.bounded import MAX_SEED, Name
from ...requests.turns import in_turn
from ...settings import Settings
from ..dependencies import Observatory, ObservatoryDep, SettingsDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/head_scores", tags=["head_scores"], route_class=BodyRoute)


class PartScoresAnswer(AnswerOf[PartScores]):
    """The scores of one part's self-attention."""


class HeadScoresAnswer(AnswerOf[HeadScores]):
    """The scores of one model, for any text."""

    model: str
    parts: list[PartScoresAnswer]
    score_info: dict[str, MetricInfo]


@router.get("")
async def get_head_scores(
    settings: SettingsDep,
    observatory: ObservatoryDep,
    model: Annotated[Name, Query(description="An id of /api/models.")],
    period: Annotated[
        int | None, Query(ge=2, le=MAX_PERIOD, description="50, or as many as fit, unless given.")
    ] = None,
    sequences: Annotated[
        int, Query(ge=1, le=MAX_SEQUENCES, description="The scores are averaged over them.")
    ] = DEFAULT_SEQUENCES,
    seed: Annotated[int, Query(ge=0, le=MAX_SEED)] = 0,
) -> HeadScoresAnswer:
    """Scores of every head on random tokens repeated once, with their definitions and sources."""
    return await scores_of(model, settings, observatory, period, sequences, seed)


add_figures(
    router,
    get_head_scores,
    {name: by_head(f"parts[part].scores.{name}", title_of(info), "positive") for name, info in HEAD_SCORES.items()},
)


async def scores_of(
    model: str,
    settings: Settings,
    observatory: Observatory,
    period: int | None = None,
    sequences: int = DEFAULT_SEQUENCES,
    seed: int = 0,
) -> HeadScoresAnswer:
    """The answer, cached or computed now."""
    loaded = await observatory.loading.get(model)
    asked = f"{loaded.identity}/{period}/{sequences}/{seed}"
    scores = await observatory.study(
        f"head_scores/{asked}",
        lambda cancelled: head_scores(
            loaded,
            period=period,
            sequences=sequences,
            seed=seed,
            max_tokens=settings.max_tokens,
            cancelled=cancelled,
        ),
    )
    return await in_turn(_answer, model, scores)


def _answer(model: str, found: HeadScores) -> HeadScoresAnswer:
    info = {name: MetricInfo.of(info) for name, info in HEAD_SCORES.items()}
    return HeadScoresAnswer.of(found, model=model, score_info=info)
