"""Several texts through one model: measures averaged over prompts, and weights over aligned positions.

A set is remembered by its id, a hash of the request, as an analysis is; its prompts are analyses of their own, computed
one after the other and kept with all others, so that one that is opened is at hand.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.concurrency import run_in_threadpool

from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.metrics import METRICS
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.studies.prompts.alignment import Alignment, AlignmentRule, align, rules_of
from attention_core.pretrained.studies.prompts.averages import (
    CELL,
    AlignedWeights,
    CellAverage,
    PromptMeasures,
    WeightAverage,
    collect_measures,
    measures_of,
)
from attention_core.pretrained.studies.prompts.prompt_set import PromptSet, prompt_set
from attention_core.refusal import Sentence
from server.answers.analyses import MetricInfo
from server.answers.drawings import KEY, QUERY, Side, by_head, heat
from server.answers.prompts import (
    AlignedPositionAnswer,
    MeasureSummaryAnswer,
    PromptCellAnswer,
    PromptLine,
    PromptMeasuresAnswer,
    PromptsAnswer,
    PromptsProgress,
    PromptValuesAnswer,
    PromptWeightsAnswer,
    position_names,
)
from server.requests.bodies import BodyRoute
from server.requests.bounded import Index
from server.requests.prompts import PostPrompts, check_prompts
from server.routes.analyses.analyses import PostAnalysis, analysis_of, identify
from server.routes.dependencies import Observatory, ObservatoryDep, SettingsDep
from server.routes.figure_routes import add_figures
from server.settings import Settings
from server.web.disconnects import unless_disconnected
from server.web.errors import ApiError
from server.web.matrices import Encoding, encode

router = APIRouter(prefix="/api/prompts", tags=["prompts"], route_class=BodyRoute)


@dataclass(frozen=True)
class KeptSet:
    """A set of prompts by its id."""

    id: str
    model: str
    prompts: PromptSet
    wanted: list[PostAnalysis]
    """What makes each prompt an analysis."""
    analyses: list[str]
    """Their ids."""

    @property
    def nbytes(self) -> int:
        """Approximate memory held, in bytes."""
        return self.prompts.nbytes + sum(200 + 2 * len(each.text) for each in self.wanted)


async def _kept_set(prompts_id: str, observatory: ObservatoryDep) -> KeptSet:
    """The set with this id, on the event loop's thread, which owns the store."""
    found = observatory.studies.get(f"prompts/{prompts_id}")
    if not isinstance(found, KeptSet):
        raise ApiError(
            404,
            "prompts_expired",
            "These prompts are no longer kept. Post them again: the same request has the same id.",
            field="prompts_id",
        )
    return found


SetDep = Annotated[KeptSet, Depends(_kept_set)]
"""The set named in the path; 404 ``prompts_expired`` if it is not kept."""


@router.post("")
async def post_prompts(
    request: Request, wanted: PostPrompts, settings: SettingsDep, observatory: ObservatoryDep
) -> PromptsAnswer:
    """Tokenise a set of prompts, and learn the id by which everything else about it is asked for."""
    check_prompts(wanted, settings)
    return await unless_disconnected(request, _begin(wanted, settings, observatory))


@router.get("/{prompts_id}/progress")
async def get_progress(kept: SetDep, observatory: ObservatoryDep) -> PromptsProgress:
    """How many of the prompts have been analysed; nothing is computed for this."""
    done = total = len(kept.analyses)
    if observatory.studies.get(f"prompt-measures/{kept.id}") is None:
        done = sum(observatory.analyses.get(each) is not None for each in kept.analyses)
    return PromptsProgress(done=done, total=total)


@router.get("/{prompts_id}/measures")
async def get_measures(
    request: Request, kept: SetDep, settings: SettingsDep, observatory: ObservatoryDep
) -> PromptMeasuresAnswer:
    """The measures of every head: mean, standard deviation and extremes over the prompts."""
    measures = await unless_disconnected(request, _measures(kept, settings, observatory))
    return PromptMeasuresAnswer.of(
        measures,
        id=kept.id,
        measures={name: MeasureSummaryAnswer.of(each) for name, each in measures.summaries().items()},
        metric_info={name: MetricInfo.of(METRICS[name]) for name in measures.values},
    )


@router.get("/{prompts_id}/values")
async def get_values(
    request: Request, kept: SetDep, settings: SettingsDep, observatory: ObservatoryDep, layer: Index, head: Index
) -> PromptValuesAnswer:
    """The measures of one head in each prompt."""
    measures = await unless_disconnected(request, _measures(kept, settings, observatory))
    return PromptValuesAnswer(layer=layer, head=head, values=measures.of_head(layer, head))


@router.get("/{prompts_id}/weights")
async def get_prompt_weights(
    request: Request,
    kept: SetDep,
    settings: SettingsDep,
    observatory: ObservatoryDep,
    layer: Index,
    head: Index,
    align: AlignmentRule = "start",
    encoding: Encoding = "base64",
) -> PromptWeightsAnswer:
    """One head's weights, averaged over aligned positions, with their spread and how many prompts have both."""
    aligned = await _aligned(kept, align)
    key = f"prompt-weights/{kept.id}/{align}/{layer}/{head}"
    found = observatory.studies.get(key)
    if not isinstance(found, AlignedWeights):
        average = WeightAverage(aligned, layer, head, max_cells=settings.max_window_cells)
        await unless_disconnected(request, _add_each(average, kept, settings, observatory))
        found = await observatory.study(key, lambda _: average.result())
    return PromptWeightsAnswer.of(
        found,
        align=align,
        layer=layer,
        head=head,
        positions=[AlignedPositionAnswer.of(each) for each in aligned.positions],
        prompts=len(kept.wanted),
        **{name: encode(getattr(found, name), encoding) for name in ("mean", "deviation", "counts")},
        shape=found.mean.shape,
        encoding=encoding,
    )


@router.get("/{prompts_id}/cell")
async def get_prompt_cell(
    request: Request,
    kept: SetDep,
    settings: SettingsDep,
    observatory: ObservatoryDep,
    query: Index,
    key: Index,
    align: AlignmentRule = "start",
    layer: Annotated[Index | None, Query(description="Also the values of this head in each prompt.")] = None,
    head: Index | None = None,
) -> PromptCellAnswer:
    """The weight from one aligned position to another in every head: mean and spread over the prompts with both."""
    if (layer is None) != (head is None):
        missing = "layer" if layer is None else "head"
        raise ApiError(422, "invalid_request", "{field}: give layer and head, or neither.", field=missing)
    name = f"prompt-cell/{kept.id}/{align}/{query}/{key}"
    found = observatory.studies.get(name)
    if not isinstance(found, PromptMeasures):
        average = CellAverage(await _aligned(kept, align), query, key)
        await unless_disconnected(request, _add_each(average, kept, settings, observatory))
        found = await observatory.study(name, lambda _: average.result())
    values = None if layer is None or head is None else found.of_head(layer, head)[CELL]
    return PromptCellAnswer.of(found.summaries()[CELL], align=align, query=query, key=key, values=values)


_SIDES = (Side(QUERY, position_names), Side(KEY, position_names))
_WHERE = ("layer", "head")
_MEAN, _SPREAD = Sentence("Mean over the prompts"), Sentence("Standard deviation over the prompts")

add_figures(
    router,
    get_measures,
    {
        f"{name}_{field}": by_head(
            f"measures.{name}.{field}", Sentence("{measure}: {what}", Sentence(info.title), what), "positive"
        )
        for name, info in METRICS.items()
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


async def _begin(wanted: PostPrompts, settings: Settings, observatory: Observatory) -> PromptsAnswer:
    loaded = await observatory.loading.get(wanted.model)
    prompts_id = await asyncio.to_thread(identify, wanted, loaded)
    kept = await observatory.study(f"prompts/{prompts_id}", lambda _: _tokenised(prompts_id, wanted, loaded, settings))
    prompts = kept.prompts.prompts
    lengths = [len(each.tokens) for each in prompts]
    return PromptsAnswer(
        id=prompts_id,
        model=wanted.model,
        prompts=[
            PromptLine(text=each.text, tokens=[token.text for token in each.tokens], analysis=analysis)
            for each, analysis in zip(prompts, kept.analyses, strict=True)
        ],
        aligns=rules_of(kept.prompts),
        longest=max(lengths),
        shortest=min(lengths),
    )


def _tokenised(prompts_id: str, wanted: PostPrompts, loaded: LoadedModel, settings: Settings) -> KeptSet:
    prompts = prompt_set(
        loaded,
        wanted.prompts or (),
        template=wanted.template,
        fillings=wanted.fillings or (),
        max_tokens=settings.max_tokens,
        max_set_tokens=settings.max_set_tokens,
    )
    alone = [PostAnalysis(model=wanted.model, text=each.text) for each in prompts.prompts]
    return KeptSet(prompts_id, wanted.model, prompts, alone, [identify(each, loaded) for each in alone])


async def _aligned(kept: KeptSet, rule: AlignmentRule) -> Alignment:
    return await run_in_threadpool(align, kept.prompts, rule)


async def _analyses(kept: KeptSet, settings: Settings, observatory: Observatory) -> AsyncIterator[Analysis]:
    """The analysis of each prompt, one at a time: other clients take their turns in between."""
    loaded = await observatory.loading.get(kept.model)
    for wanted in kept.wanted:
        yield (await analysis_of(wanted, loaded, settings, observatory))[1]


async def _add_each(
    average: WeightAverage | CellAverage, kept: KeptSet, settings: Settings, observatory: Observatory
) -> None:
    index = 0
    async for analysis in _analyses(kept, settings, observatory):
        await run_in_threadpool(average.add, index, analysis)
        index += 1


async def _measures(kept: KeptSet, settings: Settings, observatory: Observatory) -> PromptMeasures:
    key = f"prompt-measures/{kept.id}"
    found = observatory.studies.get(key)
    if isinstance(found, PromptMeasures):
        return found
    each = [measures_of(analysis) async for analysis in _analyses(kept, settings, observatory)]
    return await observatory.study(key, lambda _: collect_measures(each))
