"""A film as an animated GIF, which slides, mails and chats play by themselves."""

import io
from collections.abc import Sequence

from PIL import Image

COLOURS = 256
"""All that a picture of a GIF can have."""


def film_frame(png: bytes, size: tuple[int, int]) -> Image.Image:
    """A PNG file as one picture of a film of this width and height.

    It keeps its pixels, at the left and at the top; the rest is of the colour of its first pixel. Raises OSError for a
    file that breaks off.
    """
    with Image.open(io.BytesIO(png), formats=("PNG",)) as image:
        whole = image.convert("RGBA")
    frame = Image.new("RGBA", size, "white")
    frame.alpha_composite(Image.new("RGBA", size, whole.getpixel((0, 0))))
    frame.alpha_composite(whole)
    # Without dithering: what has one colour on the page has one colour in the film.
    return frame.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)


def write_film(frames: Sequence[Image.Image], seconds: float, title: str) -> bytes:
    """The frames as one GIF that shows each for ``seconds`` and then begins again, with ``title`` as its comment."""
    first, *others = frames
    file = io.BytesIO()
    first.save(
        file,
        "GIF",
        save_all=True,
        append_images=others,
        duration=round(1000 * seconds),
        loop=0,
        comment=title.encode(),
        optimize=False,
    )
    return file.getvalue()
