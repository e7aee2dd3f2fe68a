"""The application on Ray Serve: ``serve run server.cluster.deployments:build``.

- ``Pages`` takes HTTP requests and holds nothing: it serves pages and files, and sends requests about the API on.
- ``Analyses`` answers them. Its replicas hold models and what they computed; a consistent hash of model and text sends
  what belongs together to the same one, and another computes it again if that one is gone.
- ``Runs`` trains networks. Each replica is an actor with some runs, whose ids name it (``run_homes``).
- ``Scans`` is one replica with scans of corpora and uploads of these.
- ``Metrics`` collects what the replicas of the others count.

All but the last run the same application (``server.app``); the embedded default is one process with none of this.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing
from typing import Any

from cachetools import TTLCache
from prometheus_client import Counter
from pydantic import BaseModel, ConfigDict, Field
from ray import serve
from ray.exceptions import RayError, RayTaskError
from ray.serve import Application
from ray.serve.config import AutoscalingConfig, AutoscalingPolicy, RequestRouterConfig
from ray.serve.exceptions import BackPressureError
from ray.serve.handle import DeploymentHandle
from starlette.types import ASGIApp, Message

from ..app import create_app
from ..settings import Settings
from ..stores.kept_requests import KeptRequests
from ..web.access_log import RequestIds
from ..web.i18n import RequestLanguage
from . import run_homes
from .affinity import Affinity
from .forwarding import Forward, Forwarded, ReplicaLostError, answer
from .replica_metrics import AnswerMetrics, Metrics, keep_reporting

ROUTER = "ray.serve.experimental.consistent_hash_router.ConsistentHashRouter"
SCANS = ("/api/atlases", "/api/corpora")
NEITHER: dict[str, Any] = {"prepare_atlases": False, "scans": 0, "training_runs": 0}
KEPT_BYTES = 16 * 2**20


class ClusterArguments(BaseModel):
    """What ``serve run … name=value`` or a Serve config file gives."""

    model_config = ConfigDict(extra="forbid")

    min_replicas: int = Field(1, ge=1, description="Replicas of Analyses with nothing to do.")
    max_replicas: int = Field(4, ge=1, description="Replicas of Analyses under load.")
    ongoing_requests: float = Field(4, gt=0, description="Requests per replica above which one more is started.")
    queue: int = Field(64, ge=1, description="Requests one replica takes at a time.")
    spread: int = Field(64, ge=1, description="Largest number of replicas that come to hold one model.")
    cpus: float = Field(1, ge=0, description="Processor cores of one replica.")
    gpus: float = Field(0, ge=0, description="Graphics cards of one replica; 0.25 puts four on one card.")
    runs: int = Field(1, ge=1, description="Replicas of Runs with nobody training; each has OBSERVATORY_TRAINING_RUNS.")
    max_runs: int = Field(4, ge=1, description="Replicas of Runs when many train.")
    pages: int = Field(1, ge=1, description="Replicas of Pages.")


class Replica:
    """The application, asked without HTTP."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._app = create_app(Settings(**settings))
        self._stack = AsyncExitStack()
        self._ready: asyncio.Task[None] | None = None
        self._reporting: asyncio.Task[None] | None = None

    async def answer(self, request: Forwarded) -> AsyncIterator[Message]:
        """The application's answer, message by message."""
        await self._started()
        here = serve.get_replica_context().replica_id.unique_id
        async for message in answer(self._app, request):
            yield {**message, run_homes.REPLICA: here} if message["type"] == "http.response.start" else message

    async def check_health(self) -> None:
        """Called by Serve; the first call starts loading the first model."""
        await self._started()

    async def __del__(self) -> None:
        """Called by Serve before it stops the replica."""
        if self._reporting is not None:
            self._reporting.cancel()
        await self._stack.aclose()

    async def _started(self) -> None:
        if self._ready is None:
            self._ready = asyncio.create_task(self._start())
        await asyncio.shield(self._ready)

    async def _start(self) -> None:
        await self._stack.enter_async_context(self._app.router.lifespan_context(self._app))
        self._app.state.observatory.training.home = serve.get_replica_context().replica_id.unique_id
        self._reporting = asyncio.create_task(keep_reporting(self._app.state.monitoring.text, _report))


async def _report(text: bytes) -> None:
    """Send this replica's metrics to ``Metrics``."""
    here = serve.get_replica_context()
    await serve.get_deployment_handle("Metrics").report.remote(here.deployment, here.replica_id.unique_id, text)


async def _all_metrics() -> bytes:
    return bytes(await serve.get_deployment_handle("Metrics").text.remote())


def build(arguments: ClusterArguments) -> Application:
    """The deployments. Settings come from the environment, as for a single process, and go to every replica."""
    given = Settings()
    shared = given.shared_dir or str(given.atlases_folder.parent / "shared")
    settings = given.model_dump(exclude_unset=True) | {"shared_dir": shared}
    analyses = (
        serve.deployment(name="Analyses")(Replica)
        .options(
            autoscaling_config=AutoscalingConfig(
                min_replicas=arguments.min_replicas,
                max_replicas=max(arguments.min_replicas, arguments.max_replicas),
                target_ongoing_requests=arguments.ongoing_requests,
            ),
            max_ongoing_requests=arguments.queue,
            ray_actor_options={"num_cpus": arguments.cpus, "num_gpus": arguments.gpus},
            request_router_config=RequestRouterConfig.model_validate({"request_router_class": ROUTER}),
            health_check_period_s=2,
        )
        .bind(settings | NEITHER)
    )
    slots = given.training_runs
    runs = (
        serve.deployment(name="Runs")(Replica)
        .options(
            autoscaling_config=AutoscalingConfig(
                min_replicas=arguments.runs,
                max_replicas=max(arguments.runs, arguments.max_runs),
                target_ongoing_requests=max(1.0, slots * (1 - run_homes.FREE_SHARE)),
                policy=AutoscalingPolicy.model_validate({"policy_function": run_homes.replicas_for_runs}),
                upscale_delay_s=2,
                downscale_delay_s=2 * given.training_time_s,
                look_back_period_s=15,
            ),
            max_ongoing_requests=1_000,
            ray_actor_options={"num_cpus": arguments.cpus},
            request_router_config=RequestRouterConfig.model_validate({"request_router_class": run_homes.ROUTER}),
            health_check_period_s=2,
        )
        .bind(settings | NEITHER | {"training_runs": slots, "preload": False})
    )
    scans = (
        serve.deployment(name="Scans")(Replica)
        .options(max_ongoing_requests=1_000, ray_actor_options={"num_cpus": arguments.cpus})
        .bind(settings | {"training_runs": 0})
    )
    pages = serve.deployment(name="Pages")(serve.ingress(_pages(settings, arguments.spread))()).options(
        num_replicas=arguments.pages, max_ongoing_requests=1_000, ray_actor_options={"num_cpus": 0.5}
    )
    metrics = serve.deployment(name="Metrics")(Metrics).options(ray_actor_options={"num_cpus": 0}).bind()
    return pages.bind(analyses, runs, scans, metrics)


def _pages(settings: dict[str, Any], spread: int) -> Any:
    """Builds, in a replica, the application that takes HTTP requests."""

    def build_app() -> ASGIApp:
        own = Settings(**settings | NEITHER | {"preload": False})
        requests = KeptRequests(
            memory_bytes=KEPT_BYTES, place=own.shared_dir, days=own.shared_days, place_bytes=own.max_shared_bytes
        )
        app = create_app(own)
        again = Counter(
            "observatory_requests_asked_again",
            "Requests asked of another replica because the first had died, by what Ray said.",
            ["reason"],
            registry=app.state.monitoring.registry,
        )
        target = _Replicas(Affinity(requests, spread=spread))
        app.add_middleware(Forward, settings=own, target=target, lost=lambda reason: again.labels(reason).inc())
        app.add_middleware(AnswerMetrics, read=app.state.monitoring.text, send=_report, collected=_all_metrics)
        app.add_middleware(RequestLanguage)  # for what Forward says itself
        app.add_middleware(RequestIds)  # outside of Forward, so that a replica's log has the id that the client gets
        return app

    return build_app


class _Replicas:
    """Sends requests to the deployments of this Serve application."""

    def __init__(self, affinity: Affinity) -> None:
        self._affinity = affinity
        self._handles: dict[str, DeploymentHandle[Any]] = {}
        self._slots: TTLCache[str, int] = TTLCache(2, run_homes.COUNTED_S)

    def _handle(self, name: str) -> DeploymentHandle[Any]:
        if name not in self._handles:
            self._handles[name] = serve.get_deployment_handle(name).options(method_name="answer", stream=True)
        return self._handles[name]

    async def __call__(self, request: Forwarded) -> AsyncIterator[Message]:
        """The answer of a replica. Raises ReplicaLostError if it dies."""
        path = request.scope["path"].removeprefix(request.scope.get("root_path", ""))

        def to_runs(wish: str, asked: Forwarded = request) -> AsyncGenerator[Message, None]:
            return _messages(self._handle("Runs").options(session_id=wish), asked)

        if path.startswith(SCANS):
            stream = _messages(self._handle("Scans"), request)
        elif path == run_homes.PATH and request.scope["method"] == "POST":
            stream = run_homes.begin_where_room_is(to_runs)
        elif path == run_homes.PATH and request.scope["method"] == "GET":
            plain = run_homes.uncompressed(request)
            stream = run_homes.options_of_all(lambda wish: to_runs(wish, plain), self._slots)
        elif path == run_homes.PATH or path.startswith(f"{run_homes.PATH}/"):
            stream = to_runs(run_homes.wish_of_path(path))
        else:
            key = await self._affinity.key(request)
            home = run_homes.wish_of_model(key)
            stream = to_runs(home) if home else _messages(self._handle("Analyses").options(session_id=key), request)
        async with aclosing(stream) as messages:
            async for message in messages:
                yield {name: value for name, value in message.items() if name != run_homes.REPLICA}


async def _messages(handle: DeploymentHandle[Any], request: Forwarded) -> AsyncGenerator[Message, None]:
    """What a replica answers. Raises ReplicaLostError if it dies."""
    messages: Any = handle.remote(request)  # a generator, as stream=True asks
    try:
        async for message in messages:
            yield message
    except RayTaskError:  # an error of the application
        raise
    except (RayError, BackPressureError) as error:
        raise ReplicaLostError from error
    except (GeneratorExit, asyncio.CancelledError):
        messages.cancel()
        raise
