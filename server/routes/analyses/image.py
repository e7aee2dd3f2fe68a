"""An image through a vision transformer: patches are tokens, and all else is as for a text."""

import asyncio
import base64
import hashlib
import json

from fastapi import APIRouter, Request
from pydantic import Field

from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.image_analysis import analyse_image
from server.answers.analyses import AnalysisAnswer, analysis_answer
from server.requests.bodies import BodyRoute
from server.requests.bounded import Name, RequestModel
from server.requests.interventions import Interventions, to_core
from server.routes.dependencies import ObservatoryDep, SettingsDep
from server.settings import Settings
from server.web.disconnects import unless_disconnected
from server.web.errors import ApiError

router = APIRouter(prefix="/api/analyses", tags=["analyses"], route_class=BodyRoute)

ANSWER_VERSION = 1
"""Part of every id; raised when the same request gets a different answer."""


BASE64 = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"


class PostImage(RequestModel):
    """Which image to analyse; its size is bounded by that of the whole request."""

    body_limit = "max_body_bytes"
    model: Name = Field(description="One whose `reads` is image.", examples=["vit-base-patch16-224"])
    image: str = Field(
        min_length=1,
        description="A PNG, JPEG or WebP file in base64.",
        json_schema_extra={"contentEncoding": "base64", "pattern": BASE64},
    )
    parity: bool = Field(False, description="Also compare with the library's own eager attention.")
    interventions: Interventions = Field(
        default_factory=list, description="Changes to the model's attention before it runs."
    )


@router.post("/image")
async def post_image(
    request: Request, wanted: PostImage, settings: SettingsDep, observatory: ObservatoryDep
) -> AnalysisAnswer:
    """Run a vision transformer on an image: patches with their boxes, the image as the model saw it, class names."""
    try:
        data = await asyncio.to_thread(base64.b64decode, wanted.image, validate=True)
    except ValueError:
        raise ApiError(422, "image_invalid", "image must be the bytes of a file in base64.", field="image") from None
    return await unless_disconnected(request, _analyse(wanted, data, settings, observatory))


async def _analyse(wanted: PostImage, data: bytes, settings: Settings, observatory: ObservatoryDep) -> AnalysisAnswer:
    loaded = await observatory.loading.get(wanted.model)
    interventions = to_core(wanted.interventions)
    analysis_id = await asyncio.to_thread(_identify, wanted, data, loaded)
    analysis = await observatory.analyses.get_or_compute(
        analysis_id,
        lambda cancelled: analyse_image(
            loaded,
            data,
            max_tokens=settings.max_tokens,
            max_pixels=settings.max_image_pixels,
            parity=wanted.parity,
            interventions=interventions,
            cancelled=cancelled,
        ),
    )
    return await asyncio.to_thread(analysis_answer, analysis_id, analysis)


def _identify(wanted: PostImage, data: bytes, loaded: LoadedModel) -> str:
    """The same for the same file, changes and weights, on any server."""
    changes = wanted.model_dump(include={"parity", "interventions"})
    asked = json.dumps(changes, sort_keys=True, ensure_ascii=True) if any(changes.values()) else ""
    named = f"image {ANSWER_VERSION} {loaded.entry.id} {loaded.fingerprint} {loaded.device} {loaded.dtype} {asked}"
    return hashlib.sha256(named.encode() + hashlib.sha256(data).digest()).hexdigest()[:32]
