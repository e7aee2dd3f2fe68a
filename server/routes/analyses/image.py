"""An image through a vision transformer: patches are tokens, and all else is as for a text."""

from fastapi import APIRouter, Request
from pydantic import Field

from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.image_analysis import analyse_image
from ...answers.analyses import AnalysisAnswer
from ...requests.bodies import BodyRoute
from ...requests.bounded import Name, base64_field
from ...requests.interventions import to_core
from ...settings import Settings
from ...stores.computation_store import Cancelled
from ...web.disconnects import unless_disconnected
from ..dependencies import ObservatoryDep, SettingsDep
from .file_analyses import FileAnalyses, FileRequest

router = APIRouter(prefix="/api/analyses", tags=["analyses"], route_class=BodyRoute)


class PostImage(FileRequest):
    """Which image to analyse; its size is bounded by that of the whole request."""

    model: Name = Field(description="One whose `reads` is image.", examples=["vit-base-patch16-224"])
    image: str = base64_field("A PNG, JPEG or WebP file in base64.")


@router.post("/image")
async def post_image(
    request: Request, wanted: PostImage, settings: SettingsDep, observatory: ObservatoryDep
) -> AnalysisAnswer:
    """Run a vision transformer on an image: patches with their boxes, the image as the model saw it, class names."""
    return await unless_disconnected(request, ANALYSES.answer(wanted, settings, observatory))


def _analyse(loaded: LoadedModel, data: bytes, wanted: PostImage, settings: Settings, cancelled: Cancelled) -> Analysis:
    return analyse_image(
        loaded,
        data,
        max_tokens=settings.max_tokens,
        max_pixels=settings.max_image_pixels,
        parity=wanted.parity,
        interventions=to_core(wanted.interventions),
        cancelled=cancelled,
    )


ANALYSES = FileAnalyses("image", PostImage, _analyse)
