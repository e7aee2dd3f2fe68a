"""Dependencies of route handlers as annotated types, and the application state behind them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Protocol, TypeVar, cast

from fastapi import Depends, HTTPException, Path, Query, Request, Response

from attention_core.atlas.reading.atlas import Atlas
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.running.analysis import Analysis
from attention_core.refusal import Sentence
from server.answers.palette import Palette, Theme, read_palette
from server.settings import Settings
from server.stores.atlas_library import AtlasLibrary
from server.stores.computation_store import Cancelled, ComputationStore
from server.stores.corpora import Corpora
from server.stores.model_loading import ModelLoading
from server.stores.scans import Scans
from server.stores.training_runs import TrainingRuns
from server.stores.uploads import Uploads
from server.web.errors import ApiError
from server.web.monitoring import Monitoring

UPLOADED = "tensors-"
"""How the ids of uploaded tensors begin."""
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
    training: TrainingRuns
    atlases: AtlasLibrary
    corpora: Corpora
    scans: Scans

    async def study(self, key: str, compute: Callable[[Cancelled], AnyStudy]) -> AnyStudy:
        """The study with this name: cached, under way, or computed now. The name determines its type."""
        return cast(AnyStudy, await self.studies.get_or_compute(key, compute))


def _settings(request: Request) -> Settings:
    return request.app.state.settings


def _observatory(request: Request) -> Observatory:
    return request.app.state.observatory


def _uploads(request: Request) -> Uploads:
    return request.app.state.uploads


def _monitoring(request: Request) -> Monitoring:
    return request.app.state.monitoring


SettingsDep = Annotated[Settings, Depends(_settings)]
"""The operator's settings."""
ObservatoryDep = Annotated[Observatory, Depends(_observatory)]
"""Catalog and stores."""
UploadsDep = Annotated[Uploads, Depends(_uploads)]
"""Reads large bodies."""
MonitoringDep = Annotated[Monitoring, Depends(_monitoring)]
"""Counters."""


def _palette(
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
    """The stored analysis with this id, on the event loop's thread, which owns the store.

    What an id leads to never changes, so a browser that has it need not be sent it again.
    """
    headers = {"ETag": f'W/"{analysis_id}"', "Cache-Control": "private, max-age=3600"}
    analysis = observatory.analyses.get(analysis_id)
    if analysis is None:
        gone = Sentence("This analysis is no longer kept. Post the text again: the same request has the same id.")
        if analysis_id.startswith(UPLOADED):
            gone = Sentence("These tensors are no longer kept. Upload them again: the same file has the same id.")
        raise ApiError(404, "analysis_expired", gone, field="analysis_id")
    if headers["ETag"] in request.headers.get("if-none-match", ""):
        raise HTTPException(304, headers=headers)
    response.headers.update(headers)
    request.state.headers = headers  # for an answer that is written in pieces
    return analysis


def _atlas(
    atlas_id: Annotated[str, Path(pattern=ATLAS_ID, description="The atlas' id.")],
    request: Request,
    response: Response,
    observatory: ObservatoryDep,
) -> Atlas:
    """The atlas with this id. It is a hash of what was scanned and how, so what an id leads to never changes."""
    headers = {"ETag": f'W/"{atlas_id}"', "Cache-Control": "private, max-age=3600"}
    atlas = observatory.atlases.get(atlas_id)
    if headers["ETag"] in request.headers.get("if-none-match", ""):
        raise HTTPException(304, headers=headers)
    response.headers.update(headers)
    request.state.headers = headers
    return atlas


AtlasDep = Annotated[Atlas, Depends(_atlas)]
"""The atlas named in the path; 404 ``unknown_atlas`` if there is none, 409 ``atlas_damaged`` if it cannot be read."""

AnalysisDep = Annotated[Analysis, Depends(_kept_analysis)]
"""The analysis named in the path; 404 ``analysis_expired`` if it is not kept."""
