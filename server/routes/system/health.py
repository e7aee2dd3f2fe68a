"""For operators: is it alive, is it ready, what does it do."""

from typing import Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

from attention_core.pretrained.errors import AnalysisError
from ...requests.bodies import BodyRoute
from ...web.errors import ApiError
from ...web.monitoring import CONTENT_TYPE
from ..dependencies import MonitoringDep, ObservatoryDep
from .models import default_model

router = APIRouter(tags=["health"], route_class=BodyRoute)


class Health(BaseModel):
    """Alive."""

    status: Literal["ok"] = "ok"


class Readiness(BaseModel):
    """Ready to analyse."""

    status: Literal["ready"] = "ready"
    model: str
    device: str


@router.get("/healthz")
async def healthz() -> Health:
    """The process answers."""
    return Health()


@router.get("/readyz")
async def readyz(observatory: ObservatoryDep) -> Readiness:
    """The default model is loaded (and is loaded now if it was not)."""
    entries = await run_in_threadpool(observatory.catalog.entries)
    model_id = default_model(entries)
    if model_id is None:
        raise ApiError(503, "not_ready", "No model is available.")
    try:
        loaded = await observatory.loading.get(model_id)
    except AnalysisError as error:
        raise ApiError(503, "not_ready", error.sentence) from error
    return Readiness(model=model_id, device=str(loaded.device))


@router.get("/metrics", include_in_schema=False)
async def metrics(monitoring: MonitoringDep) -> Response:
    """The metrics in Prometheus's text format."""
    return Response(await monitoring.text(), headers={"Content-Type": CONTENT_TYPE})
