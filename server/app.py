"""Application factory: settings in, everything built and wired, no globals."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import BaseRoute

from attention_core.pretrained.errors import AnalysisError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.analysis import Analysis
from server import __version__
from server.pages import concept_file, pages
from server.requests import body_limit
from server.requests.bodies import BodyRoute
from server.routes import ROUTERS, opening
from server.routes.analyses import tensors
from server.routes.atlases import corpora
from server.routes.concepts import head_roles
from server.routes.dependencies import Observatory, Study
from server.routes.system import models
from server.settings import Settings
from server.stores import uploads
from server.stores.atlas_library import AtlasLibrary
from server.stores.computation_store import ComputationStore
from server.stores.corpora import PROBE, Corpora
from server.stores.model_loading import ModelLoading
from server.stores.scans import Scans
from server.stores.training_runs import TrainingRuns
from server.web import assets, clients, errors, i18n, monitoring, security
from server.web.api_description import DescribedApp
from server.web.methods import Methods

GZIP_LEVEL = 4
"""For dynamic responses: higher levels take several times as long and save a few percent."""
GZIP_MINIMUM = 1_000
LOADERS = 2

logger = logging.getLogger("server")


def create_app(settings: Settings | None = None) -> FastAPI:
    """Build the application; settings come from the environment unless given.

    Raises ValueError for an invalid setting, including a device that this machine does not have.
    """
    settings = settings or Settings()
    app = DescribedApp(
        title="Attention Observatory",
        version=__version__,
        summary="Look at attention: our own modules, and pretrained models seen through them.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
        responses={422: {"model": errors.ErrorResponse}, "default": {"model": errors.ErrorResponse}},
    )
    app.state.settings = settings
    app.state.catalog = _catalog(settings)
    app.state.monitoring = monitoring.Monitoring()
    app.state.uploads = uploads.Uploads(max_bytes=settings.max_upload_bytes)
    app.state.assets = assets.own_assets()
    app.state.pages = pages.Pages(settings, app.state.assets)
    app.router.route_class = BodyRoute
    errors.register(app, pages.error_page)
    routers = (*ROUTERS, pages.router, concept_file.router, assets.router)
    _add_middleware(app, settings, [*app.routes, *(route for router in routers for route in router.routes)])
    for router in routers:
        app.include_router(router)
    return app


def _add_middleware(app: FastAPI, settings: Settings, routes: Sequence[BaseRoute]) -> None:
    """Add middleware; the last added is the outermost."""
    larger = {tensors.router.prefix: settings.max_upload_bytes, corpora.router.prefix: settings.max_corpus_bytes}
    app.add_middleware(body_limit.BodyLimit, limit=settings.max_body_bytes, larger=larger)
    app.add_middleware(Methods, routes=routes)
    app.add_middleware(errors.ErrorBoundary)
    app.add_middleware(GZipMiddleware, minimum_size=GZIP_MINIMUM, compresslevel=GZIP_LEVEL)
    app.add_middleware(monitoring.CountRequests, monitoring=app.state.monitoring)
    app.add_middleware(security.SecurityHeaders, settings=settings, inline=[app.state.pages.first_paint])
    app.add_middleware(i18n.RequestLanguage)
    app.add_middleware(clients.IdentifyClients)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Open the stores at startup and close them at shutdown."""
    settings: Settings = app.state.settings
    observatory = _observatory(app.state.catalog, settings)
    app.state.observatory = observatory
    app.state.monitoring.watch(
        under_way=lambda: observatory.analyses.under_way, kept_bytes=lambda: observatory.analyses.kept_bytes
    )
    preloading = asyncio.create_task(_preload(observatory, settings)) if settings.preload else None
    yield
    if preloading is not None:
        preloading.cancel()
        with suppress(asyncio.CancelledError):
            await preloading
    await observatory.scans.close()
    await observatory.corpora.close()
    await observatory.training.close()
    await observatory.studies.close()
    await observatory.analyses.close()
    await observatory.loading.close()


async def stop_streams(app: FastAPI) -> None:
    """End event streams of training runs and scans, which would not end by themselves."""
    observatory: Observatory | None = getattr(app.state, "observatory", None)
    if observatory is not None:
        await observatory.training.close()
        await observatory.scans.close()


def _catalog(settings: Settings) -> Catalog:
    return Catalog(
        models_dir=settings.models_dir,
        hub_models=settings.hub_models,
        allow_any_hub_model=settings.allow_any_hub_model,
        list_cache=settings.hub_cache,
        device=settings.device,
        dtype=settings.dtype,
        max_model_bytes=settings.max_model_bytes,
    )


def _observatory(catalog: Catalog, settings: Settings) -> Observatory:
    loaders: ComputationStore[LoadedModel] = ComputationStore(
        workers=LOADERS,
        queue_size=settings.queue_size,
        client_queue_size=settings.client_share,
        cache_bytes=0,
        timeout_s=settings.analysis_timeout_s,
        size=lambda loaded: loaded.nbytes,
    )
    analyses: ComputationStore[Analysis] = ComputationStore(
        workers=settings.workers,
        queue_size=settings.queue_size,
        client_queue_size=settings.client_share,
        cache_bytes=settings.cache_bytes,
        timeout_s=settings.analysis_timeout_s,
        size=lambda analysis: analysis.nbytes,
    )
    studies: ComputationStore[Study] = ComputationStore(
        workers=settings.workers,
        queue_size=settings.queue_size,
        client_queue_size=settings.client_share,
        cache_bytes=settings.study_cache_bytes,
        timeout_s=settings.analysis_timeout_s,
        size=lambda study: study.nbytes,
    )
    loading = ModelLoading(catalog, loaders, patience_s=settings.load_timeout_s)
    library, own_corpora = AtlasLibrary(settings.atlases_folder), Corpora(settings)
    return Observatory(
        catalog=catalog,
        loading=loading,
        analyses=analyses,
        studies=studies,
        training=TrainingRuns(settings, catalog),
        atlases=library,
        corpora=own_corpora,
        scans=Scans(settings, catalog, loading, own_corpora, library),
    )


async def _preload(observatory: Observatory, settings: Settings) -> None:
    """Load the first model and analyse the first text ahead of requests; on failure, requests get the reason."""
    entries = await asyncio.to_thread(observatory.catalog.entries, ask_hub=False)  # no network at start-up
    model_id = models.default_model(entries)
    if model_id is None:
        logger.warning("no model is available")
        return
    try:
        await opening.prepare(model_id, observatory, settings)
    except (AnalysisError, errors.ApiError) as error:
        logger.warning("%s could not be loaded: %s", model_id, error)
    if settings.prepare_atlases:
        built_in = [entry.id for entry in entries if entry.source == "package" and entry.available]
        await _prepare_roles(observatory, built_in)
        await _prepare_atlases(observatory, built_in if settings.scans else [])


async def _prepare_roles(observatory: Observatory, model_ids: Sequence[str]) -> None:
    """Measure the roles of these models' heads, which takes seconds for each."""
    for model_id in model_ids:
        try:
            await head_roles.prepare(model_id, observatory)
        except (AnalysisError, errors.ApiError) as error:
            logger.warning("the roles of the heads of %s could not be measured: %s", model_id, error)


async def _prepare_atlases(observatory: Observatory, model_ids: Sequence[str]) -> None:
    """Scan the probe corpus with these models, one after the other, unless it has been done."""
    for model_id in model_ids:
        try:
            scan = await observatory.scans.begin(model_id, PROBE)
            async for _ in scan.follow():
                pass
        except (AnalysisError, errors.ApiError) as error:
            logger.warning("the atlas of %s could not be computed: %s", model_id, error)
