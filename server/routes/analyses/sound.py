"""A sound through an audio model: positions in time are tokens, and all else is as for a text."""

from fastapi import APIRouter, Request, Response
from pydantic import Field

from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.sound_analysis import SoundRequest, analyse_sound
from ...answers.analyses import AnalysisAnswer
from ...requests.bodies import BodyRoute
from ...requests.bounded import LongText, Name, base64_field
from ...requests.interventions import to_core
from ...settings import Settings
from ...stores.computation_store import Cancelled
from ...web.disconnects import unless_disconnected
from ...web.errors import ApiError
from ..dependencies import AnalysisDep, ObservatoryDep, SettingsDep
from .file_analyses import FileAnalyses, FileRequest

router = APIRouter(prefix="/api/analyses", tags=["analyses"], route_class=BodyRoute)


class PostSound(FileRequest):
    """Which sound to analyse; its size is bounded by that of the whole request, its length by a setting."""

    model: Name = Field(description="One whose `reads` is sound.", examples=["whisper-tiny"])
    sound: str = base64_field("An uncompressed WAV file in base64.")
    target_text: LongText | None = Field(None, description="The decoder's text so far, for encoder–decoder models.")
    transcribe: bool = Field(False, description="Have the model write the target text itself; then give none.")


@router.post("/sound")
async def post_sound(
    request: Request, wanted: PostSound, settings: SettingsDep, observatory: ObservatoryDep
) -> AnalysisAnswer:
    """Run an audio model on a sound: positions with their seconds, and of a decoder what it says next."""
    return await unless_disconnected(request, ANALYSES.answer(wanted, settings, observatory))


@router.get("/{analysis_id}/sound", response_class=Response)
async def get_sound(analysis: AnalysisDep) -> Response:
    """The sound as the model heard it, as a WAV file: one channel at the model's rate."""
    if analysis.sound is None:
        raise ApiError(404, "no_sound", "This analysis was not made of a sound.", field="analysis_id")
    return Response(analysis.wav, media_type="audio/wav")


def _analyse(loaded: LoadedModel, data: bytes, wanted: PostSound, settings: Settings, cancelled: Cancelled) -> Analysis:
    return analyse_sound(
        loaded,
        SoundRequest(data, wanted.target_text or None, wanted.transcribe, wanted.parity, to_core(wanted.interventions)),
        max_tokens=settings.max_tokens,
        max_seconds=settings.max_sound_seconds,
        cancelled=cancelled,
    )


ANALYSES = FileAnalyses("sound", PostSound, _analyse)
