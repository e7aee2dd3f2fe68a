"""How a decoder's prediction forms: the logit lens, and each head's direct effect on a logit."""

from typing import Annotated

from fastapi import APIRouter, Query

from attention_core.pretrained.studies.outputs.direct_effect import DirectEffect, direct_effect
from attention_core.pretrained.studies.outputs.logit_lens import MAX_CANDIDATES, LensState, LogitLens, logit_lens
from attention_core.refusal import Sentence
from ...answers.analyses import Candidate
from ...answers.answer_paths import Drawn
from ...answers.drawings import LAYER, NATS, by_head, curves
from ...answers.from_core import AnswerOf
from ...requests.bodies import BodyRoute
from ...requests.bounded import Index
from ...requests.turns import in_turn
from ...web.matrices import Matrix
from ..dependencies import AnalysisDep, ObservatoryDep
from ..figure_routes import add_figures
from .reruns import model_of

router = APIRouter(prefix="/api/analyses", tags=["analyses"], route_class=BodyRoute)

TokenId = Annotated[Index | None, Query(description="An id of the vocabulary; by default the model's own best.")]


class LensStateAnswer(AnswerOf[LensState]):
    """What would be predicted if no layer followed."""

    candidates: list[Candidate]


class LogitLensAnswer(AnswerOf[LogitLens]):
    """One position's prediction after each layer."""

    states: list[LensStateAnswer]


class DirectEffectAnswer(AnswerOf[DirectEffect]):
    """The contributions to one logit, or to the difference of two; together they are ``total``."""

    heads: Matrix


@router.get("/{analysis_id}/logit_lens")
async def get_logit_lens(
    analysis_id: str,
    analysis: AnalysisDep,
    observatory: ObservatoryDep,
    position: Index,
    k: Annotated[int, Query(ge=1, le=MAX_CANDIDATES, description="Candidates after each layer.")] = 5,
    token: TokenId = None,
) -> LogitLensAnswer:
    """What a decoder would predict after each layer (nostalgebraist 2020), and the rank of one token there."""
    loaded = await model_of(analysis, observatory)
    lens: LogitLens = await observatory.study(
        f"logit_lens/{analysis_id}/{position}/{k}/{token}",
        lambda cancelled: logit_lens(loaded, analysis, position, k=k, token=token, cancelled=cancelled),
    )
    return await in_turn(LogitLensAnswer.of, lens)


def _followed(drawn: Drawn) -> Sentence:
    return Sentence("“{token}” after each layer", drawn.answer.token_text)


add_figures(
    router,
    get_logit_lens,
    {
        "probability": curves("states[*].probability", _followed, LAYER, Sentence("probability"), "states[*].layer"),
        "entropy": curves(
            "states[*].entropy",
            Sentence("Entropy of the prediction after each layer"),
            LAYER,
            NATS,
            "states[*].layer",
        ),
        "rank": curves("states[*].rank", _followed, LAYER, Sentence("rank"), "states[*].layer"),
    },
)


@router.get("/{analysis_id}/direct_effect")
async def get_direct_effect(
    analysis_id: str,
    analysis: AnalysisDep,
    observatory: ObservatoryDep,
    position: Index,
    token: TokenId = None,
    against: Annotated[Index | None, Query(description="A token whose logit is subtracted.")] = None,
) -> DirectEffectAnswer:
    """The direct effect of every head on a logit (Elhage et al. 2021), with the last norm's scale fixed."""
    loaded = await model_of(analysis, observatory)
    effects: DirectEffect = await observatory.study(
        f"direct_effect/{analysis_id}/{position}/{token}/{against}",
        lambda cancelled: direct_effect(loaded, analysis, position, token=token, against=against, cancelled=cancelled),
    )
    return await in_turn(DirectEffectAnswer.of, effects)


add_figures(
    router,
    get_direct_effect,
    {
        "heads": by_head("heads", Sentence("Direct effect of each head")),
        "layers": curves(
            {Sentence("Biases of the attention"): "attention_bias", Sentence("Feed-forward layer"): "feed_forward"},
            Sentence("Direct effect of each layer, without its heads"),
            LAYER,
            Sentence("logit"),
        ),
    },
)
