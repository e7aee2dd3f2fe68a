"""Dependencies of route handlers as annotated types, and the application state behind them."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Protocol, TypeVar, cast

from fastapi import Depends, HTTPException, Path, Query, Request, Response

from attention_core.atlas.reading.atlas import Atlas
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.cancellation import Report
from attention_core.refusal import Sentence
from ..answers.palette import Palette, Theme, read_palette
from ..requests.turns import in_turn
from ..settings import Settings
from ..stores.atlas_library import AtlasLibrary
from ..stores.computation_store import Cancelled, ComputationStore
from ..stores.corpora import Corpora
from ..stores.kept_requests import KeptRequest, KeptRequests
from ..stores.model_loading import ModelLoading
from ..stores.scans import Scans
from ..stores.study_progress import StudyProgress
from ..stores.training_runs import TrainingRuns
from ..stores.uploads import Uploads
from ..web.disconnects import unless_disconnected
from ..web.errors import ApiError
from ..web.monitoring import Monitoring

UPLOADED = "tensors-"
"""How the ids of uploaded tensors begin."""
ANALYSIS_ID = re.compile(rf"(?:{UPLOADED})?[0-9a-f]{{32}}")
ATLAS_ID = r"^[0-9a-f]{16}$"


class Study(Protocol):
    """The result of a slow computation on an analysis or a model."""

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        ...


AnyStudy = TypeVar("AnyStudy", bound=Study)


@dataclass(frozen=True)
class Observatory:
    """State that lives as long as the application."""

    catalog: Catalog
    loading: ModelLoading
    """Models being loaded; the catalog keeps the loaded ones."""
    analyses: ComputationStore[Analysis]
    studies: ComputationStore[Study]
    """Rollouts, attributions and the like, each under the name of what was asked."""
    progress: StudyProgress
    training: TrainingRuns
    atlases: AtlasLibrary
    corpora: Corpora
    scans: Scans
    requests: KeptRequests
    """What was asked, by the id of the answer."""
    recipes: "Mapping[str, Recipe]"
    """How each kind of request is computed again."""

    async def analysis(self, analysis_id: str) -> Analysis | None:
        """The analysis with this id: held here, or computed from its request, which another process may have kept.

        None if the request is unknown, or has another answer by now.
        """
        held = self.analyses.get(analysis_id)
        if held is not None:
            return held
        kept = await self.requests.find(analysis_id)
        if kept is None or kept.kind not in self.recipes:
            return None
        return await self.recipes[kept.kind](analysis_id, kept, self)

    async def study(self, key: str, compute: Callable[[Cancelled], AnyStudy]) -> AnyStudy:
        """The study with this name: cached, under way, or computed now. The name determines its type."""
        return cast(AnyStudy, await self.studies.get_or_compute(key, compute))

    async def reported_study(self, key: str, compute: Callable[[Cancelled, Report], AnyStudy]) -> AnyStudy:
        """The same for a study that reports its steps, which ``progress`` then knows."""

        def reporting(cancelled: Cancelled) -> AnyStudy:
            with self.progress.reporting(key) as report:
                return compute(cancelled, report)

        return await self.study(key, reporting)


Recipe = Callable[[str, KeptRequest, Observatory], Awaitable[Analysis | None]]
"""Computes the analysis with this id; None if the request has another answer by now, as after a change of weights."""


async def _settings(request: Request) -> Settings:
    return request.app.state.settings


async def _observatory(request: Request) -> Observatory:
    return request.app.state.observatory


async def _uploads(request: Request) -> Uploads:
    return request.app.state.uploads


async def _monitoring(request: Request) -> Monitoring:
    return request.app.state.monitoring


SettingsDep = Annotated[Settings, Depends(_settings)]
"""The operator's settings."""
ObservatoryDep = Annotated[Observatory, Depends(_observatory)]
"""Catalog and stores."""
UploadsDep = Annotated[Uploads, Depends(_uploads)]
"""Reads large bodies."""
MonitoringDep = Annotated[Monitoring, Depends(_monitoring)]
"""Counters."""


async def _palette(
    request: Request,
    response: Response,
    theme: Annotated[Theme, Query(description="Colours: on light or on dark ground.")] = "paper",
) -> Palette:
    request.state.headers = getattr(request.state, "headers", {}) | {"Vary": "Accept-Language"}
    response.headers.update(request.state.headers)
    return read_palette(request.app.state.assets.own("css/tokens.css"), theme)


PaletteDep = Annotated[Palette, Depends(_palette)]
"""The colours of figures, in the theme that the address asks for."""


async def _kept_analysis(
    analysis_id: str, request: Request, response: Response, observatory: ObservatoryDep
) -> Analysis:
    """The analysis with this id, on the event loop's thread, which owns the store.

    What an id leads to never changes, so a browser that has it need not be sent it again.
    """
    headers = {"ETag": f'W/"{analysis_id}"', "Cache-Control": "private, max-age=3600"}
    if headers["ETag"] in request.headers.get("if-none-match", ""):
        raise HTTPException(304, headers=headers)
    analysis = await unless_disconnected(request, observatory.analysis(analysis_id))
    if analysis is None:
        raise not_kept(analysis_id, "analysis_id")
    response.headers.update(headers)
    request.state.headers = headers  # for an answer that is written in pieces
    return analysis


def not_kept(given: str, field: str) -> ApiError:
    """The refusal where no analysis has this id: it was dropped, or what is given is no id at all."""
    if ANALYSIS_ID.fullmatch(given) is None:
        said = Sentence("{field} must be the id of an analysis, as its answer has it, not {given}.", field, repr(given))
    elif given.startswith(UPLOADED):
        said = Sentence("These tensors are no longer kept. Upload them again: the same file has the same id.")
    else:
        said = Sentence("This analysis is no longer kept. Send its request again: the same request has the same id.")
    return ApiError(404, "analysis_expired", said, field=field)


async def _atlas(
    atlas_id: Annotated[str, Path(pattern=ATLAS_ID, description="The atlas' id.")],
    request: Request,
    response: Response,
    observatory: ObservatoryDep,
) -> Atlas:
    """The atlas with this id. It is a hash of what was scanned and how, so what an id leads to never changes."""
    headers = {"ETag": f'W/"{atlas_id}"', "Cache-Control": "private, max-age=3600"}
    atlas = await in_turn(observatory.atlases.get, atlas_id)
    if headers["ETag"] in request.headers.get("if-none-match", ""):
        raise HTTPException(304, headers=headers)
    response.headers.update(headers)
    request.state.headers = headers
    return atlas


AtlasDep = Annotated[Atlas, Depends(_atlas)]
"""The atlas named in the path; 404 ``unknown_atlas`` if there is none, 409 ``atlas_damaged`` if it cannot be read."""

AnalysisDep = Annotated[Analysis, Depends(_kept_analysis)]
"""The analysis named in the path; 404 ``analysis_expired`` if it is not kept."""
