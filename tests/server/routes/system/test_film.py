"""A film as an animated GIF, read again with Pillow."""

import base64
import io
from typing import Any

import pytest
from PIL import Image

INK, PAPER, BLUE = (20, 20, 30), (250, 248, 240), (30, 90, 200)


def png(size: tuple[int, int], colour: tuple[int, int, int], mark: tuple[int, int, int] | None = None) -> str:
    """One colour, and a square of another in the middle."""
    image = Image.new("RGB", size, colour)
    if mark is not None:
        image.paste(mark, (size[0] // 4, size[1] // 4, size[0] // 2, size[1] // 2))
    file = io.BytesIO()
    image.save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


def film(response: Any) -> Image.Image:
    assert response.status_code == 200, response.json()
    assert response.headers["content-type"] == "image/gif"
    assert response.headers["content-disposition"] == 'attachment; filename="film.gif"'
    return Image.open(io.BytesIO(response.content))


def frames(gif: Image.Image) -> list[Image.Image]:
    found = []
    for at in range(gif.n_frames):
        gif.seek(at)
        found.append(gif.convert("RGB"))
    return found


def test_every_shot_is_a_frame_with_its_own_colours(client) -> None:
    shots = [png((60, 40), PAPER, INK), png((60, 40), PAPER, BLUE), png((60, 40), INK, PAPER)]
    gif = film(client.post("/api/film", json={"title": "猫", "shots": [{"picture": each} for each in shots]}))
    assert (gif.n_frames, gif.info["loop"], gif.info["duration"]) == (3, 0, 2200)
    assert gif.info["comment"].decode() == "猫"
    for frame, shot in zip(frames(gif), shots, strict=True):
        sent = Image.open(io.BytesIO(base64.b64decode(shot)))
        assert frame.tobytes() == sent.tobytes()


def test_shots_of_different_sizes_stand_on_their_own_ground(client) -> None:
    shots = [png((60, 40), PAPER, INK), png((30, 50), INK)]
    asked = {"shots": [{"picture": each} for each in shots], "seconds": 0.5}
    gif = film(client.post("/api/film", json=asked))
    assert gif.size == (60, 50)
    assert gif.info["duration"] == 500
    first, second = frames(gif)
    assert [first.getpixel(at) for at in ((0, 0), (20, 15), (59, 49))] == [PAPER, INK, PAPER]
    assert {second.getpixel(at) for at in ((0, 0), (29, 49), (59, 0))} == {INK}


def test_a_picture_of_many_colours_stays_close_to_itself(client) -> None:
    """As of a heat map: 256 colours of a frame are enough for its gradient."""
    ramp = Image.linear_gradient("L").resize((256, 64))
    sent = Image.merge("RGB", (ramp, ramp.point(lambda value: 255 - value), ramp))
    file = io.BytesIO()
    sent.save(file, "PNG")
    gif = film(client.post("/api/film", json={"shots": [{"picture": base64.b64encode(file.getvalue()).decode()}]}))
    (frame,) = frames(gif)
    apart = [abs(a - b) for a, b in zip(frame.tobytes(), sent.tobytes(), strict=True)]
    assert max(apart) <= 6


@pytest.mark.parametrize(
    ("more", "code", "field", "limit"),
    [
        ({"shots": []}, "invalid_request", "shots", 1),
        ({"shots": [{"picture": "R0lGODlhAQ=="}]}, "image_invalid", "shots.0.picture", None),
        ({"shots": [{"picture": "QUJD"}]}, "image_invalid", "shots.0.picture", None),
        ({"seconds": 0}, "invalid_request", "seconds", 0.05),
        ({"title": "x" * 201}, "invalid_request", "title", 200),
    ],
)
def test_what_is_refused(client, more: dict[str, Any], code: str, field: str, limit: float | None) -> None:
    response = client.post("/api/film", json={"shots": [{"picture": png((4, 4), INK)}], **more})
    error = response.json()["error"]
    assert (response.status_code, error["code"], error["field"], error["limit"]) == (422, code, field, limit)


def test_a_file_that_breaks_off_is_named(client) -> None:
    noise = Image.effect_noise((80, 80), 90)
    file = io.BytesIO()
    noise.save(file, "PNG")
    cut = base64.b64encode(file.getvalue()[:900]).decode()
    response = client.post("/api/film", json={"shots": [{"picture": png((4, 4), INK)}, {"picture": cut}]})
    assert (response.status_code, response.json()["error"]["field"]) == (422, "shots.1.picture")


def test_the_whole_film_is_bounded(client) -> None:
    """Thirty shots of two pixels, one of which is as wide as a picture may be: each becomes as wide."""
    wide, thin = png((2**22, 1), INK), png((1, 2), INK)
    response = client.post("/api/film", json={"shots": [{"picture": wide}, *[{"picture": thin}] * 30]})
    error = response.json()["error"]
    assert (response.status_code, error["code"], error["limit"]) == (422, "film_too_large", 4 * 2**24)
