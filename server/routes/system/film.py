"""A film as one file: what a page shows step by step, for the tools that people lecture with."""

from fastapi import APIRouter, Response
from pydantic import Field

from ...answers.film_file import film_frame, write_film
from ...requests.bodies import BodyRoute
from ...requests.bounded import RequestModel, Text, base64_field
from ...requests.pictures import read_picture
from ...requests.turns import in_turn
from ...settings import Settings
from ...web.errors import ApiError
from ..dependencies import SettingsDep

router = APIRouter(prefix="/api/film", tags=["film"], route_class=BodyRoute)

GIF = "image/gif"
MOST_SHOTS = 100
LONGEST_TITLE = 200
MOST_PICTURES = 4
"""A film has at most the pixels of so many of the largest pictures that the server accepts."""
FILES = {GIF: {"schema": {"type": "string", "format": "binary"}}}


class Shot(RequestModel):
    """One picture of a film."""

    picture: str = base64_field("A PNG file in base64.")


class Film(RequestModel):
    """The pictures of a film in their order; all are made as wide as the widest and as high as the highest."""

    body_limit = "max_body_bytes"
    title: Text = Field("", max_length=LONGEST_TITLE, description="A comment in the file, which no player shows.")
    shots: list[Shot] = Field(min_length=1, max_length=MOST_SHOTS, description="In the order of the film.")
    seconds: float = Field(2.2, ge=0.05, le=60, description="How long each is shown.")


@router.post("", response_class=Response, responses={200: {"content": FILES}})
async def post_film(wanted: Film, settings: SettingsDep) -> Response:
    """The film as an animated GIF: one shot after the other, again and again."""
    file = await in_turn(_write, wanted, settings)
    return Response(file, media_type=GIF, headers={"Content-Disposition": 'attachment; filename="film.gif"'})


def _write(wanted: Film, settings: Settings) -> bytes:
    fields = [f"shots.{index}.picture" for index in range(len(wanted.shots))]
    pictures = [read_picture(field, shot.picture, settings) for field, shot in zip(fields, wanted.shots, strict=True)]
    width, height = (max(picture.size[side] for picture in pictures) for side in (0, 1))
    limit = MOST_PICTURES * settings.max_image_pixels
    if len(pictures) * width * height > limit:
        raise ApiError(
            422,
            "film_too_large",
            "{count} pictures of {width} × {height} pixels are too many; together a film may have {limit} pixels.",
            len(pictures),
            width,
            height,
            field="shots",
            limit=limit,
        )
    frames = []
    for field, picture in zip(fields, pictures, strict=True):
        try:
            frames.append(film_frame(picture.png, (width, height)))
        except (OSError, SyntaxError) as error:
            raise ApiError(422, "image_invalid", "{field} is a PNG file that breaks off.", field=field) from error
    return write_film(frames, wanted.seconds, wanted.title)
