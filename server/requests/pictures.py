"""Pictures in requests: PNG files in base64, whose size is known before any is decoded."""

import base64
import io
from dataclasses import dataclass

from PIL import Image, UnidentifiedImageError

from ..settings import Settings
from ..web.errors import ApiError


@dataclass(frozen=True)
class SentPicture:
    """A PNG file, and its width and height in pixels."""

    png: bytes
    size: tuple[int, int]


def read_picture(field: str, encoded: str, settings: Settings) -> SentPicture:
    """The file in ``field``. Raises ApiError 422 for anything but a PNG file, and for one of too many pixels."""
    try:
        data = base64.b64decode(encoded, validate=True)
    except ValueError:
        data = b""
    size = _size(data)
    if size is None:
        raise ApiError(422, "image_invalid", "{field} must be the bytes of a PNG file in base64.", field=field)
    limit = settings.max_image_pixels
    width, height = size
    if width * height > limit:
        raise ApiError(
            422,
            "image_too_large",
            "{field} has {width} × {height} pixels; this server accepts {limit} (OBSERVATORY_MAX_IMAGE_PIXELS).",
            width,
            height,
            field=field,
            limit=limit,
        )
    return SentPicture(data, size)


def _size(png: bytes) -> tuple[int, int] | None:
    """Width and height in pixels, from the file's header; None for anything but a PNG file."""
    try:
        with Image.open(io.BytesIO(png), formats=("PNG",)) as image:
            return image.size
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return None
