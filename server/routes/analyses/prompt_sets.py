"""Sets of prompts that are kept by their ids, and the analyses of their prompts, one after the other."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Protocol

import numpy as np
from fastapi import Depends
from numpy.typing import NDArray

from attention_core.pretrained.inputs.chat import Chat
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.studies.prompts.alignment import AlignedPart, AlignmentRule, align_part, check_part
from attention_core.pretrained.studies.prompts.answers import ExpectedToken, expected_tokens
from attention_core.pretrained.studies.prompts.averages import (
    MeasuresOfOne,
    PromptMeasures,
    collect_measures,
    measures_of,
)
from attention_core.pretrained.studies.prompts.effects import EffectName, collect_effects, effect_of
from attention_core.pretrained.studies.prompts.prompt_set import PromptSet, prompt_set
from ...requests.bounded import PartName
from ...requests.prompts import PostPrompts
from ...requests.turns import in_turn
from ...settings import Settings
from ...stores.computation_store import Cancelled
from ...stores.kept_requests import KeptRequest
from ...web.errors import ApiError
from ..dependencies import Observatory, ObservatoryDep, SettingsDep
from .analyses import PostAnalysis, analysis_of
from .identity import asked_again, identify, identity, is_unchanged, name_request

KIND = "prompts"
"""Of the kept request."""


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
    answers: list[ExpectedToken]
    """The token expected after each prompt; empty where none is named."""

    @property
    def nbytes(self) -> int:
        """Approximate memory held, in bytes."""
        return self.prompts.nbytes + sum(200 + 2 * len(each.text) for each in self.wanted)


class Averaged(Protocol):
    """What takes the analyses of a set one by one."""

    def add(self, index: int, analysis: Analysis) -> None:
        """Add the analysis of the prompt with this index."""


async def _kept_set(prompts_id: str, settings: SettingsDep, observatory: ObservatoryDep) -> KeptSet:
    """The set with this id, on the event loop's thread, which owns the store; if need be from its request."""
    kept = observatory.studies.get(f"prompts/{prompts_id}") or await _set_again(prompts_id, settings, observatory)
    if not isinstance(kept, KeptSet):
        raise ApiError(
            404,
            "prompts_expired",
            "These prompts are no longer kept. Post them again: the same request has the same id.",
            field="prompts_id",
        )
    return kept


SetDep = Annotated[KeptSet, Depends(_kept_set)]
"""The set named in the path; 404 ``prompts_expired`` if it is not kept."""


async def begin(wanted: PostPrompts, settings: Settings, observatory: Observatory) -> tuple[KeptSet, list[str]]:
    """Tokenise a set and keep it; also the parts of the model that can be averaged."""
    loaded = await observatory.loading.get(wanted.model)
    named = await in_turn(name_request, wanted, loaded)
    prompts_id = identity(named)
    kept = await observatory.study(f"prompts/{prompts_id}", lambda _: _tokenised(prompts_id, wanted, loaded, settings))
    await observatory.requests.keep(prompts_id, KeptRequest(KIND, named))
    shown: list[str] = [part.name for part in loaded.parts if part.query_side == "source" or wanted.target_texts]
    return kept, shown


async def _set_again(prompts_id: str, settings: Settings, observatory: Observatory) -> KeptSet | None:
    kept = await observatory.requests.find(prompts_id)
    if kept is None or kept.kind != KIND:
        return None
    wanted = asked_again(PostPrompts, kept)
    loaded = await observatory.loading.get(wanted.model)
    if not await in_turn(is_unchanged, kept, wanted, loaded):
        return None
    return await observatory.study(f"prompts/{prompts_id}", lambda _: _tokenised(prompts_id, wanted, loaded, settings))


def _tokenised(prompts_id: str, wanted: PostPrompts, loaded: LoadedModel, settings: Settings) -> KeptSet:
    prompts = prompt_set(
        loaded,
        wanted.prompts or (),
        template=wanted.template,
        fillings=wanted.fillings or (),
        target_texts=wanted.target_texts or (),
        chat=Chat(wanted.system_text) if wanted.chat else None,
        max_tokens=settings.max_tokens,
        max_set_tokens=settings.max_set_tokens,
    )
    answers = expected_tokens(loaded, prompts, wanted.answers, wanted.fillings or ()) if wanted.answers else []
    alone = [
        PostAnalysis(
            model=wanted.model,
            text=each.text,
            target_text=each.target.text if each.target else None,
            chat=wanted.chat,
            system_text=wanted.system_text if wanted.chat else None,
        )
        for each in prompts.prompts
    ]
    return KeptSet(prompts_id, wanted.model, prompts, alone, [identify(each, loaded) for each in alone], answers)


async def aligned(kept: KeptSet, rule: AlignmentRule, part: PartName | None, observatory: Observatory) -> AlignedPart:
    """The positions of a part of the model. Raises SelectionError for a rule or a part that the set does not have."""
    loaded = await observatory.loading.get(kept.model)
    return await in_turn(align_part, kept.prompts, rule, loaded.parts, part)


async def _analyses(kept: KeptSet, settings: Settings, observatory: Observatory) -> AsyncIterator[Analysis]:
    """The analysis of each prompt, one at a time: other clients take their turns in between."""
    loaded = await observatory.loading.get(kept.model)
    for wanted in kept.wanted:
        yield (await analysis_of(wanted, loaded, settings, observatory))[1]


async def add_each(average: Averaged, kept: KeptSet, settings: Settings, observatory: Observatory) -> None:
    """Add the analysis of every prompt."""
    index = 0
    async for analysis in _analyses(kept, settings, observatory):
        await in_turn(average.add, index, analysis)
        index += 1


async def measures_in(
    kept: KeptSet, part: PartName | None, settings: Settings, observatory: Observatory
) -> PromptMeasures:
    """The measures of one part's heads in each prompt."""
    loaded = await observatory.loading.get(kept.model)
    name = check_part(kept.prompts, loaded.parts, part)
    key = f"prompt-measures/{kept.id}/{name}"
    found = observatory.studies.get(key)
    if isinstance(found, PromptMeasures):
        return found
    each: list[MeasuresOfOne] = [
        await in_turn(measures_of, analysis, name) async for analysis in _analyses(kept, settings, observatory)
    ]
    return await observatory.study(key, lambda _: collect_measures(each))


async def effects_in(
    kept: KeptSet, part: PartName | None, effect: EffectName, settings: Settings, observatory: Observatory
) -> PromptMeasures:
    """One effect of one part's heads in each prompt."""
    loaded = await observatory.loading.get(kept.model)
    name = check_part(kept.prompts, loaded.parts, part)
    key = f"prompt-effects/{kept.id}/{name}/{effect}"
    found = observatory.studies.get(key)
    if isinstance(found, PromptMeasures):
        return found
    each: list[EffectStudy] = []
    async for analysis in _analyses(kept, settings, observatory):
        expected = kept.answers[len(each)] if kept.answers else None
        each.append(
            await observatory.study(f"{key}/{len(each)}", partial(_effect, loaded, analysis, effect, expected, name))
        )
    return await observatory.study(key, lambda _: collect_effects(name, effect, [measures.heads for measures in each]))


@dataclass(frozen=True, eq=False)
class EffectStudy:
    """The effects of one prompt's heads."""

    heads: NDArray[np.float32]

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.heads.nbytes


def _effect(
    loaded: LoadedModel,
    analysis: Analysis,
    effect: EffectName,
    expected: ExpectedToken | None,
    part: str,
    cancelled: Cancelled,
) -> EffectStudy:
    return EffectStudy(effect_of(loaded, analysis, effect, expected, part, cancelled))


def is_measured(kept: KeptSet, observatory: Observatory) -> bool:
    """Whether the measures of some part are at hand, so that every prompt has been analysed."""
    names = ("encoder", "decoder", "cross")
    return any(observatory.studies.holds(f"prompt-measures/{kept.id}/{name}") for name in names)
