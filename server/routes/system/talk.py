"""A talk as a PowerPoint file: what the pages show, in the tool that people lecture with."""

from fastapi import APIRouter, Response
from pydantic import Field

from ...requests.bodies import BodyRoute
from ...requests.bounded import RequestModel, Text, base64_field
from ...requests.pictures import read_picture
from ...requests.turns import in_turn
from ...settings import Settings
from ..dependencies import SettingsDep

router = APIRouter(prefix="/api/talk", tags=["talk"], route_class=BodyRoute)

PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
MOST_SLIDES = 200
LONGEST_TITLE = 400
LONGEST_NOTE = 4_000
LONGEST_LINK = 2_000
"""PowerPoint opens no longer one."""
FILES = {PPTX: {"schema": {"type": "string", "format": "binary"}}}


class Slide(RequestModel):
    """One picture of a talk, and what belongs to it."""

    title: Text = Field(max_length=LONGEST_TITLE)
    picture: str = base64_field("A PNG file in base64.")
    described: Text = Field("", max_length=LONGEST_NOTE, description="The picture in words, for who does not see it.")
    notes: Text = Field("", max_length=LONGEST_NOTE, description="For the speaker.")
    source: Text = Field("Attention Observatory", max_length=LONGEST_TITLE, description="What the slide's foot says.")
    link: Text = Field(
        "", max_length=LONGEST_LINK, pattern=r"^(https?://.*)?$", description="Where the foot leads: the live page."
    )


class Talk(RequestModel):
    """The slides of a talk in their order; their size is bounded by that of the whole request."""

    body_limit = "max_body_bytes"
    title: Text = Field("", max_length=LONGEST_TITLE)
    slides: list[Slide] = Field(min_length=1, max_length=MOST_SLIDES, description="In the order of the talk.")


@router.post("", response_class=Response, responses={200: {"content": FILES}})
async def post_talk(wanted: Talk, settings: SettingsDep) -> Response:
    """The talk as a .pptx file: a slide for each picture, with title, link, alternative text and speaker notes."""
    file = await in_turn(_write, wanted, settings)
    return Response(file, media_type=PPTX, headers={"Content-Disposition": 'attachment; filename="talk.pptx"'})


def _write(wanted: Talk, settings: Settings) -> bytes:
    from ...answers.talk_slides import TalkSlide, write_talk  # noqa: PLC0415, python-pptx is large and seldom needed

    slides = []
    for index, slide in enumerate(wanted.slides):
        picture = read_picture(f"slides.{index}.picture", slide.picture, settings)
        slides.append(TalkSlide(**slide.model_dump(exclude={"picture"}), picture=picture.png, size=picture.size))
    return write_talk(wanted.title, slides)
