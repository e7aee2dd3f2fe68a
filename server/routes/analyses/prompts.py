"""Several texts through one model: measures averaged over prompts, and weights over aligned positions.

A set is remembered by its id, a hash of the request, as an analysis is; its prompts are analyses of their own, computed
one after the other and kept with all others, so that one that is opened is at hand.
"""

from typing import Annotated

from fastapi import APIRouter, Query, Request

from attention_core.pretrained.errors import SelectionError
from attention_core.pretrained.studies.prompts.alignment import AlignmentRule, rules_of
from attention_core.pretrained.studies.prompts.answers import AnswerRating, PromptAnswers
from attention_core.pretrained.studies.prompts.averages import (
    ABOVE,
    CELL,
    AlignedWeights,
    CellAverage,
    PromptMeasures,
    WeightAverage,
)
from attention_core.pretrained.studies.prompts.effects import EFFECTS, EffectName
from attention_core.pretrained.studies.prompts.text_measures import PROMPT_MEASURES
from attention_core.refusal import Sentence
from ...answers.analyses import MetricInfo
from ...answers.drawings import KEY, QUERY, Side, by_head, heat
from ...answers.prompts import (
    AlignedPositionAnswer,
    ExpectedTokenAnswer,
    MeasureSummaryAnswer,
    PromptAnswersAnswer,
    PromptCellAnswer,
    PromptLine,
    PromptMeasuresAnswer,
    PromptsAnswer,
    PromptsProgress,
    PromptValuesAnswer,
    PromptWeightsAnswer,
    key_names,
    query_names,
)
from ...requests.bodies import BodyRoute
from ...requests.bounded import Index, PartName
from ...requests.prompts import PostPrompts, check_prompts
from ...requests.turns import in_turn
from ...settings import Settings
from ...web.disconnects import unless_disconnected
from ...web.errors import ApiError
from ...web.i18n import say
from ...web.matrices import Encoding, encode
from ..dependencies import Observatory, ObservatoryDep, SettingsDep
from ..figure_routes import add_figures
from .prompt_sets import KeptSet, SetDep, add_each, aligned, begin, effects_in, is_measured, measures_in

router = APIRouter(prefix="/api/prompts", tags=["prompts"], route_class=BodyRoute)


EffectWanted = Annotated[
    EffectName | None,
    Query(
        description="Also what the heads do for the expected token after each prompt, or for the most probable one: "
        "the direct effect on its logit, or gradient × attention."
    ),
]


@router.post("")
async def post_prompts(
    request: Request, wanted: PostPrompts, settings: SettingsDep, observatory: ObservatoryDep
) -> PromptsAnswer:
    """Tokenise a set of prompts, and learn the id by which everything else about it is asked for."""
    check_prompts(wanted, settings)
    return await unless_disconnected(request, _begin(wanted, settings, observatory))


@router.get("/{prompts_id}/progress")
async def get_prompts_progress(kept: SetDep, observatory: ObservatoryDep) -> PromptsProgress:
    """How many of the prompts have been analysed; nothing is computed for this."""
    done = total = len(kept.analyses)
    if not is_measured(kept, observatory):
        done = sum(observatory.analyses.holds(each) for each in kept.analyses)
    return PromptsProgress(done=done, total=total)


@router.get("/{prompts_id}/measures")
async def get_prompt_measures(
    request: Request,
    kept: SetDep,
    settings: SettingsDep,
    observatory: ObservatoryDep,
    part: PartName | None = None,
    effect: EffectWanted = None,
) -> PromptMeasuresAnswer:
    """The measures of every head: mean, standard deviation and extremes over the prompts."""
    measures = await unless_disconnected(request, _measured(kept, part, effect, settings, observatory))
    return await in_turn(
        lambda: PromptMeasuresAnswer.of(
            measures,
            id=kept.id,
            measures={name: MeasureSummaryAnswer.of(each) for name, each in measures.summaries().items()},
            metric_info={name: MetricInfo.of(info) for name, info in (PROMPT_MEASURES | EFFECTS).items()},
            undefined={name: say(why) for name, why in measures.undefined.items()},
        )
    )


@router.get("/{prompts_id}/values")
async def get_prompt_values(
    request: Request,
    kept: SetDep,
    settings: SettingsDep,
    observatory: ObservatoryDep,
    layer: Index,
    head: Index,
    part: PartName | None = None,
    effect: EffectWanted = None,
) -> PromptValuesAnswer:
    """The measures of one head in each prompt."""
    measures = await unless_disconnected(request, _measured(kept, part, effect, settings, observatory))
    return await in_turn(
        lambda: PromptValuesAnswer(part=measures.part, layer=layer, head=head, values=measures.of_head(layer, head))
    )


@router.get("/{prompts_id}/answers")
async def get_prompt_answers(
    request: Request, kept: SetDep, settings: SettingsDep, observatory: ObservatoryDep
) -> PromptAnswersAnswer:
    """Probability and rank of the token expected after each prompt, with mean and spread."""
    if not kept.answers:
        raise SelectionError("No answers are expected of these prompts: post them with answers.", field="answers")
    key = f"prompt-answers/{kept.id}"
    found = observatory.studies.get(key)
    if not isinstance(found, PromptAnswers):
        rating = AnswerRating(kept.answers)
        await unless_disconnected(request, add_each(rating, kept, settings, observatory))
        found = await observatory.study(key, lambda _: rating.result())
    return await in_turn(PromptAnswersAnswer.of, found)


@router.get("/{prompts_id}/weights")
async def get_prompt_weights(
    request: Request,
    kept: SetDep,
    settings: SettingsDep,
    observatory: ObservatoryDep,
    layer: Index,
    head: Index,
    part: PartName | None = None,
    align: AlignmentRule = "start",
    encoding: Encoding = "base64",
) -> PromptWeightsAnswer:
    """One head's weights, averaged over aligned positions, with their spread and how many prompts have both."""
    positions = await aligned(kept, align, part, observatory)
    key = f"prompt-weights/{kept.id}/{positions.part}/{align}/{layer}/{head}"
    found = observatory.studies.get(key)
    if not isinstance(found, AlignedWeights):
        average = WeightAverage(positions, layer, head, max_cells=settings.max_window_cells)
        await unless_disconnected(request, add_each(average, kept, settings, observatory))
        found = await observatory.study(key, lambda _: average.result())
    return await in_turn(
        lambda: PromptWeightsAnswer.of(
            found,
            part=positions.part,
            align=align,
            layer=layer,
            head=head,
            positions=[AlignedPositionAnswer.of(each) for each in positions.queries.positions],
            key_positions=[AlignedPositionAnswer.of(each) for each in positions.keys.positions],
            prompts=len(kept.wanted),
            **{name: encode(getattr(found, name), encoding) for name in ("mean", "deviation", "counts", "allowed")},
            shape=found.mean.shape,
            encoding=encoding,
        )
    )


@router.get("/{prompts_id}/cell")
async def get_prompt_cell(
    request: Request,
    kept: SetDep,
    settings: SettingsDep,
    observatory: ObservatoryDep,
    query: Index,
    key: Index,
    part: PartName | None = None,
    align: AlignmentRule = "start",
    layer: Annotated[Index | None, Query(description="Also the values of this head in each prompt.")] = None,
    head: Index | None = None,
) -> PromptCellAnswer:
    """The weight from one aligned position to another in every head: mean and spread over the prompts with both."""
    if (layer is None) != (head is None):
        missing = "layer" if layer is None else "head"
        raise ApiError(422, "invalid_request", "{field}: give layer and head, or neither.", field=missing)
    positions = await aligned(kept, align, part, observatory)
    name = f"prompt-cell/{kept.id}/{positions.part}/{align}/{query}/{key}"
    found = observatory.studies.get(name)
    if not isinstance(found, PromptMeasures):
        average = CellAverage(positions, query, key)
        await unless_disconnected(request, add_each(average, kept, settings, observatory))
        found = await observatory.study(name, lambda _: average.result())
    return await in_turn(
        _cell_answer, found, align, (query, key), None if layer is None or head is None else (layer, head)
    )


def _cell_answer(
    found: PromptMeasures, align: AlignmentRule, cell: tuple[int, int], place: tuple[int, int] | None
) -> PromptCellAnswer:
    measures = found.summaries()
    return PromptCellAnswer.of(
        measures[CELL],
        part=found.part,
        align=align,
        query=cell[0],
        key=cell[1],
        above=MeasureSummaryAnswer.of(measures[ABOVE]),
        values=None if place is None else found.of_head(*place)[CELL],
    )


_SIDES = (Side(QUERY, query_names), Side(KEY, key_names))
_WHERE = ("layer", "head")
_MEAN, _SPREAD = Sentence("Mean over the prompts"), Sentence("Standard deviation over the prompts")

add_figures(
    router,
    get_prompt_measures,
    {
        f"{name}_{field}": by_head(
            f"measures.{name}.{field}", Sentence("{measure}: {what}", Sentence(info.title), what), "positive"
        )
        for name, info in PROMPT_MEASURES.items()
        for field, what in (("mean", _MEAN), ("deviation", _SPREAD))
    },
)
add_figures(
    router,
    get_prompt_weights,
    {
        "mean": heat("mean", _MEAN, *_SIDES, "weights", where=_WHERE),
        "deviation": heat("deviation", _SPREAD, *_SIDES, "positive", where=_WHERE),
        "counts": heat("counts", Sentence("Prompts that have both positions"), *_SIDES, "positive"),
    },
)
add_figures(
    router,
    get_prompt_cell,
    {"mean": by_head("mean", _MEAN, "positive"), "deviation": by_head("deviation", _SPREAD, "positive")},
)


async def _measured(
    kept: KeptSet, part: PartName | None, effect: EffectName | None, settings: Settings, observatory: Observatory
) -> PromptMeasures:
    measures = await measures_in(kept, part, settings, observatory)
    if effect is None:
        return measures
    return measures.and_also(await effects_in(kept, part, effect, settings, observatory))


async def _begin(wanted: PostPrompts, settings: Settings, observatory: Observatory) -> PromptsAnswer:
    kept, parts = await begin(wanted, settings, observatory)
    return await in_turn(_prompts_answer, wanted.model, kept, parts)


def _prompts_answer(model: str, kept: KeptSet, parts: list[str]) -> PromptsAnswer:
    prompts = kept.prompts.prompts
    lengths = [len(each.tokens) for each in prompts]
    answers = [ExpectedTokenAnswer.of(each) for each in kept.answers]
    return PromptsAnswer(
        id=kept.id,
        model=model,
        prompts=[
            PromptLine(
                text=each.text,
                tokens=[token.text for token in each.tokens],
                target_text=None if each.target is None else each.target.text,
                target_tokens=None if each.target is None else [token.text for token in each.target.tokens],
                answer=answers[index] if answers else None,
                analysis=analysis,
            )
            for index, (each, analysis) in enumerate(zip(prompts, kept.analyses, strict=True))
        ],
        parts=parts,
        aligns=rules_of(kept.prompts),
        longest=max(lengths),
        shortest=min(lengths),
    )
