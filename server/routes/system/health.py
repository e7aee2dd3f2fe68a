"""For operators: is it alive, is it ready, what does it do."""

from typing import Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel

from ...requests.bodies import BodyRoute
from ...web.monitoring import CONTENT_TYPE
from ..dependencies import MonitoringDep, ObservatoryDep
from .models import load_default

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
    """A model is loaded: the default one, or the first that can be loaded (and it is loaded now if it was not)."""
    loaded = await load_default(observatory)
    return Readiness(model=loaded.entry.id, device=str(loaded.device))


@router.get("/metrics", include_in_schema=False)
async def metrics(monitoring: MonitoringDep) -> Response:
    """The metrics in Prometheus's text format."""
    return Response(await monitoring.text(), headers={"Content-Type": CONTENT_TYPE})
