"""Application factory: settings in, everything built and wired, no globals."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.routing import BaseRoute

from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.from_hub.hub import Hub
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.models.sources import PACKAGED_MODELS
from attention_core.pretrained.running.analysis import Analysis
from attention_core.refusal import Refusal
from . import __version__
from .pages import concept_file, pages
from .requests import body_limit
from .requests.bodies import BodyRoute
from .requests.packing import Packing
from .requests.turns import aside, lines_of, open_lines
from .routes import ROUTERS, opening
from .routes.analyses import analyses as texts
from .routes.analyses import image, sound, tensors
from .routes.atlases import corpora
from .routes.concepts import head_roles
from .routes.dependencies import Observatory, Study
from .routes.figure_routes import OldFigureAddresses, old_figure_routes
from .routes.system import models
from .settings import Settings
from .stores import uploads
from .stores.atlas_library import AtlasLibrary
from .stores.computation_store import ComputationStore
from .stores.corpora import PROBE, Corpora
from .stores.folders import FolderMetrics, written_folders
from .stores.kept_requests import KeptRequests
from .stores.model_loading import ModelLoading
from .stores.scans import Scans
from .stores.store_metrics import ModelMetrics, StoreMetrics
from .stores.study_progress import StudyProgress
from .stores.training_runs import TrainingRuns
from .web import access_log, answer_room, assets, clients, errors, i18n, monitoring, origins, owners, placing, security
from .web.methods import Methods
from .web.openapi.api_description import DescribedApp, operation_id

GZIP_LEVEL = 4
"""For dynamic responses: higher levels take several times as long and save a few percent."""
GZIP_MINIMUM = 1_000
LOADERS = 2
DOWNLOADS, CLIENT_DOWNLOADS = 6, 2
"""Models fetched from the Hub at once, of all and of one client: each mostly waits."""

logger = logging.getLogger("server")


def create_app(settings: Settings | None = None, *, listens_on: str | None = None) -> FastAPI:
    """Build the application; settings come from the environment unless given.

    ``listens_on``: the address that its server listens on, where it is one alone.

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
        generate_unique_id_function=operation_id,
        responses={422: {"model": errors.ErrorResponse}, "default": {"model": errors.ErrorResponse}},
    )
    app.state.settings = settings
    app.state.catalog = catalog_of(settings)
    app.state.monitoring = monitoring.Monitoring(__version__)
    app.state.monitoring.registry.register(ModelMetrics(app.state.catalog))
    app.state.answer_room = answer_room.AnswerRoom(settings)
    app.state.monitoring.answers.set_function(app.state.answer_room.__len__)
    app.state.monitoring.registry.register(FolderMetrics(written_folders(settings)))
    app.state.uploads = uploads.Uploads(max_bytes=settings.max_upload_bytes)
    app.state.assets = assets.own_assets()
    app.state.pages = pages.Pages(settings, app.state.assets)
    app.router.route_class = BodyRoute
    errors.register(app, pages.error_page)
    routers = (*ROUTERS, pages.router, concept_file.router, assets.router)
    _add_middleware(app, settings, listens_on, [*app.routes, *(route for router in routers for route in router.routes)])
    for router in routers:
        app.include_router(router)
    return app


def _add_middleware(app: FastAPI, settings: Settings, listens_on: str | None, routes: Sequence[BaseRoute]) -> None:
    """Add middleware; the last added is the outermost."""
    larger = {tensors.router.prefix: settings.max_upload_bytes, corpora.router.prefix: settings.max_corpus_bytes}
    app.add_middleware(body_limit.BodyLimit, limit=settings.max_body_bytes, larger=larger)
    app.add_middleware(OldFigureAddresses, routes=routes)
    app.add_middleware(Methods, routes=[*routes, *old_figure_routes(routes)])
    app.add_middleware(errors.ErrorBoundary)
    app.add_middleware(Packing, minimum_size=GZIP_MINIMUM, compresslevel=GZIP_LEVEL)
    app.add_middleware(origins.OwnPages, hosts=settings.allowed_hosts)
    app.add_middleware(monitoring.CountRequests, monitoring=app.state.monitoring)
    if settings.access_log:
        app.add_middleware(access_log.AccessLog)
    app.add_middleware(placing.BoundedPaths)
    app.add_middleware(placing.AllowedHosts, hosts=settings.allowed_hosts, listens_on=listens_on)
    app.add_middleware(security.SecurityHeaders, settings=settings, inline=[app.state.pages.first_paint])
    app.add_middleware(i18n.RequestLanguage)
    app.add_middleware(clients.IdentifyClients)
    app.add_middleware(owners.IdentifyOwners, settings=settings)
    app.add_middleware(access_log.RequestIds)
    app.add_middleware(placing.UnderPath, root_path=settings.root_path)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Open the stores at startup and close them at shutdown."""
    settings: Settings = app.state.settings
    lines = lines_of(settings)
    open_lines(lines)
    observatory = _observatory(app.state.catalog, settings, app.state.monitoring)
    app.state.observatory = observatory
    stores: dict[str, ComputationStore[Any]] = {
        "analyses": observatory.analyses,
        "studies": observatory.studies,
        "models": observatory.loading.store,
        "downloads": observatory.loading.downloads,
    }
    app.state.monitoring.watch(
        StoreMetrics(
            stores,
            observatory.requests,
            observatory.training,
            observatory.scans,
            {"answers": lines.turns, "hub": lines.others},
        )
    )
    sweeping = asyncio.create_task(_sweep(observatory))
    preloading = asyncio.create_task(_preload(observatory, settings)) if settings.preload else None
    yield
    for task in (sweeping, preloading):
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
    await observatory.scans.close()
    await observatory.corpora.close()
    await observatory.training.close()
    await observatory.studies.close()
    await observatory.analyses.close()
    await observatory.loading.close()


async def stop_streams(app: FastAPI) -> None:
    """Refuse what waits for a computation, and end event streams of training runs and scans, which go on for long."""
    app.state.is_stopping = True
    observatory: Observatory | None = getattr(app.state, "observatory", None)
    if observatory is not None:
        loading = observatory.loading
        for store in (observatory.studies, observatory.analyses, loading.store, loading.downloads):
            store.stop()
        await observatory.training.close()
        await observatory.scans.close()


def catalog_of(settings: Settings) -> Catalog:
    """The models that these settings offer. Raises ValueError for a device that is not here."""
    return Catalog(
        models_dir=settings.models_dir,
        networks_dir=settings.networks_folder,
        hub_models=settings.hub_models,
        hub=Hub(with_token=settings.hub_token),
        allow_any_hub_model=settings.allow_any_hub_model,
        list_cache=settings.hub_cache,
        device=settings.device,
        dtype=settings.dtype,
        max_model_bytes=settings.max_model_bytes,
        max_hub_cache_bytes=settings.max_hub_cache_bytes,
    )


def _observatory(catalog: Catalog, settings: Settings, watched: monitoring.Monitoring) -> Observatory:
    loaders: ComputationStore[LoadedModel] = ComputationStore(
        workers=LOADERS,
        queue_size=settings.queue_size,
        client_queue_size=settings.client_share,
        cache_bytes=0,
        timeout_s=settings.analysis_timeout_s,
        size=lambda loaded: loaded.nbytes,
        measures=watched.computations("models"),
    )
    downloads: ComputationStore[Path] = ComputationStore(
        workers=DOWNLOADS,
        client_workers=CLIENT_DOWNLOADS,
        computes=False,
        queue_size=settings.queue_size,
        client_queue_size=settings.client_share,
        cache_bytes=0,
        timeout_s=settings.analysis_timeout_s,
        size=lambda _: 1,
        measures=watched.computations("downloads"),
    )
    analyses: ComputationStore[Analysis] = ComputationStore(
        workers=settings.workers,
        queue_size=settings.queue_size,
        client_queue_size=settings.client_share,
        batch=settings.batch,
        cache_bytes=settings.cache_bytes,
        timeout_s=settings.analysis_timeout_s,
        size=lambda analysis: analysis.nbytes,
        measures=watched.computations("analyses"),
    )
    studies: ComputationStore[Study] = ComputationStore(
        workers=settings.workers,
        queue_size=settings.queue_size,
        client_queue_size=settings.client_share,
        cache_bytes=settings.study_cache_bytes,
        timeout_s=settings.analysis_timeout_s,
        size=lambda study: study.nbytes,
        measures=watched.computations("studies"),
    )
    loading = ModelLoading(catalog, loaders, downloads, patience_s=settings.load_timeout_s, measure=watched.loaded)
    library, own_corpora = AtlasLibrary(settings.atlases_folder), Corpora(settings)
    return Observatory(
        catalog=catalog,
        loading=loading,
        analyses=analyses,
        studies=studies,
        progress=StudyProgress(),
        training=TrainingRuns(settings, catalog),
        atlases=library,
        corpora=own_corpora,
        scans=Scans(settings, catalog, loading, own_corpora, library),
        requests=KeptRequests(
            memory_bytes=settings.request_cache_bytes,
            place=settings.shared_dir,
            days=settings.shared_days,
            place_bytes=settings.max_shared_bytes,
        ),
        recipes={
            "text": texts.recipe(settings),
            "tensors": tensors.recipe(settings),
            **{each.kind: each.recipe(settings) for each in (image.ANALYSES, sound.ANALYSES)},
        },
    )


async def _sweep(observatory: Observatory) -> None:
    """Delete what servers that were killed have left in the folder of atlases."""
    await observatory.corpora.sweep()
    await observatory.scans.sweep()


async def _preload(observatory: Observatory, settings: Settings) -> None:
    """Load the first model and analyse the first text ahead of requests; on failure, requests get the reason."""
    try:
        loaded = await models.load_default(observatory, ask_hub=False)  # no network at start-up
        await opening.prepare(loaded.entry.id, observatory, settings)
    except Refusal as error:
        logger.warning("the first text could not be analysed: %s", error)
    if settings.prepare_atlases:
        entries = await aside(observatory.catalog.entries, ask_hub=False)
        available = {entry.id for entry in entries if entry.source == "package" and entry.available}
        built_in = [model.id for model in PACKAGED_MODELS if model.prepared and model.id in available]
        await _prepare_roles(observatory, built_in)
        await _prepare_atlases(observatory, built_in if settings.scans else [])


async def _prepare_roles(observatory: Observatory, model_ids: Sequence[str]) -> None:
    """Measure the roles of these models' heads, which takes seconds for each."""
    for model_id in model_ids:
        try:
            await head_roles.prepare(model_id, observatory)
        except Refusal as error:
            logger.warning("the roles of the heads of %s could not be measured: %s", model_id, error)


async def _prepare_atlases(observatory: Observatory, model_ids: Sequence[str]) -> None:
    """Scan the probe corpus with these models, one after the other, unless it has been done."""
    for model_id in model_ids:
        try:
            scan = await observatory.scans.begin(model_id, PROBE)
            async for _ in scan.follow():
                pass
        except Refusal as error:
            logger.warning("the atlas of %s could not be computed: %s", model_id, error)
