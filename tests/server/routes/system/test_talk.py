"""A talk as a PowerPoint file, read again with python-pptx and from the archive itself."""

import base64
import io
import zipfile
from typing import Any

import pytest
from PIL import Image
from pptx import Presentation
from pptx.util import Inches

TITLE, NOTE = "Layer 5, head 11 · “it” → “cat”", "Ask first who “it” is.\n次にヘッドを切り替える。"
LINK = "https://observatory.example/?text=The+cat&layer=5&head=11"


def png(width: int, height: int, mode: str = "RGB") -> str:
    file = io.BytesIO()
    Image.new(mode, (width, height)).save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


def slide(**more: Any) -> dict[str, Any]:
    return {"title": TITLE, "picture": png(600, 400), **more}


def deck_of(response) -> Any:
    assert response.status_code == 200
    assert response.headers["content-disposition"] == 'attachment; filename="talk.pptx"'
    return Presentation(io.BytesIO(response.content))


def test_a_slide_has_its_title_picture_words_link_and_notes(client) -> None:
    asked = slide(described="A heat map; the row of “it” is darkest at “cat”.", notes=NOTE, source="MiniLM", link=LINK)
    deck = deck_of(client.post("/api/talk", json={"title": "Heads", "slides": [asked, slide(picture=png(100, 900))]}))
    assert deck.core_properties.title == "Heads"
    first, second = deck.slides
    assert first.shapes.title.text_frame.text == TITLE
    assert first.notes_slide.notes_text_frame.text == NOTE
    assert not second.has_notes_slide
    (picture,) = (shape for shape in first.shapes if shape.shape_type == 13)
    assert picture._element.nvPicPr.cNvPr.get("descr") == asked["described"]
    assert picture.image.blob == base64.b64decode(asked["picture"]), "the very file"
    (foot,) = (shape for shape in first.shapes if shape.has_text_frame and not shape.is_placeholder)
    (run,) = foot.text_frame.paragraphs[0].runs
    assert (run.text, run.hyperlink.address) == ("MiniLM", LINK)


@pytest.mark.parametrize("size", [(600, 400), (1600, 300), (100, 900), (1, 1)])
def test_a_picture_keeps_its_proportions_within_the_slide(client, size) -> None:
    deck = deck_of(client.post("/api/talk", json={"slides": [slide(picture=png(*size))]}))
    shapes = {shape.shape_type: shape for shape in deck.slides[0].shapes}
    picture, title = shapes[13], deck.slides[0].shapes.title
    assert picture.width / picture.height == pytest.approx(size[0] / size[1], rel=1e-3)
    assert (deck.slide_width, deck.slide_height) == (Inches(13.333), Inches(7.5))
    assert picture.left >= 0
    assert picture.top >= title.top + title.height
    assert picture.left + picture.width <= deck.slide_width
    assert picture.top + picture.height <= deck.slide_height - Inches(0.5)
    middle = picture.left + picture.width / 2
    assert middle == pytest.approx(deck.slide_width / 2, abs=2)


def test_characters_that_xml_cannot_hold_are_left_out(client) -> None:
    asked = slide(title="a\x00b\x1b\ufffec", described="x\x0by", notes="one\ttwo\x07")
    deck = deck_of(client.post("/api/talk", json={"slides": [asked]}))
    assert deck.slides[0].shapes.title.text_frame.text == "abc"
    assert deck.slides[0].notes_slide.notes_text_frame.text == "one\ttwo"


def test_it_loads_nothing_from_elsewhere(client) -> None:
    response = client.post("/api/talk", json={"slides": [slide(link=LINK)]})
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        outside = [
            line
            for name in archive.namelist()
            if name.endswith(".rels")
            for line in archive.read(name).decode().split("<Relationship ")
            if 'TargetMode="External"' in line
        ]
    assert len(outside) == 1
    assert LINK.replace("&", "&amp;") in outside[0]


@pytest.mark.parametrize(
    ("slides", "code", "field", "limit"),
    [
        ([], "invalid_request", "slides", 1),
        ([{"title": "x"}], "invalid_request", "slides.0.picture", None),
        ([slide(picture="AAAA")], "image_invalid", "slides.0.picture", None),
        ([slide(), slide(picture="%%%%")], "image_invalid", "slides.1.picture", None),
        ([slide(link="javascript:alert(1)")], "invalid_request", "slides.0.link", None),
        ([slide(title="x" * 401)], "invalid_request", "slides.0.title", 400),
    ],
)
def test_what_is_no_slide_is_refused(client, assert_error, slides, code, field, limit) -> None:
    assert_error(client.post("/api/talk", json={"slides": slides}), 422, code, field, limit)


def test_a_picture_of_too_many_pixels_is_refused(client, assert_error) -> None:
    response = client.post("/api/talk", json={"slides": [slide(picture=png(4097, 4096, "1"))]})
    assert_error(response, 422, "image_too_large", "slides.0.picture", 2**24)
