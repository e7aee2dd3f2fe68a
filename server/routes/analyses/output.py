"""A model's output at one position, and the ways in which it can be explained."""

from fastapi import APIRouter

from attention_core.pretrained.studies.output import Output, output
from attention_core.refusal import Sentence
from ...answers.analyses import Candidate
from ...answers.answer_paths import Drawn
from ...answers.drawings import Side, bars, texts
from ...answers.from_core import AnswerOf
from ...requests.bodies import BodyRoute
from ...requests.bounded import Index
from ...requests.turns import in_turn
from ..dependencies import AnalysisDep, ObservatoryDep
from ..figure_routes import add_figures
from .reruns import model_of

router = APIRouter(prefix="/api/analyses", tags=["analyses"], route_class=BodyRoute)


class OutputAnswer(AnswerOf[Output]):
    """An output that can be explained: the logits at one position, an image's classes, or a text's embedding."""

    candidates: list[Candidate]


@router.get("/{analysis_id}/output")
async def get_output(
    analysis_id: str, analysis: AnalysisDep, observatory: ObservatoryDep, position: Index
) -> OutputAnswer:
    """The model's output at this position (the next or the masked token), and the calls that explain it."""
    loaded = await model_of(analysis, observatory)
    study: Output = await observatory.study(
        f"output/{analysis_id}/{position}", lambda cancelled: output(loaded, analysis, position, cancelled=cancelled)
    )
    return await in_turn(OutputAnswer.of, study)


def _candidates(drawn: Drawn) -> list[str]:
    candidates = drawn.answer.candidates
    # A class has a name of its own: its spaces are no token's.
    return texts([candidate.text for candidate in candidates] if drawn.answer.kind == "class" else candidates)


add_figures(
    router,
    get_output,
    {
        "candidates": bars(
            "candidates[*].probability",
            Sentence("Most probable tokens"),
            Sentence("probability"),
            Side(Sentence("candidate"), _candidates),
            ("position",),
        )
    },
)
