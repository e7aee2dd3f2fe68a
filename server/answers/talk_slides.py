"""A talk as a PowerPoint file: a picture on each slide, with its title, where it comes from, and what to say."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pptx import Presentation
from pptx.presentation import Presentation as Deck
from pptx.slide import Slide
from pptx.text.text import TextFrame
from pptx.util import Emu, Inches, Pt

WIDTH, HEIGHT = Inches(13.333), Inches(7.5)
"""Of a slide, 16 : 9."""
MARGIN = Inches(0.5)
TITLE_HEIGHT, FOOT_HEIGHT = Inches(0.9), Inches(0.4)
TITLE_SIZE, FOOT_SIZE = Pt(26), Pt(12)
TITLE_ONLY = 5
"""The layout of python-pptx's own template that has a title and nothing else."""


@dataclass(frozen=True)
class TalkSlide:
    """What one slide shows and says."""

    title: str
    picture: bytes
    """A PNG file."""
    size: tuple[int, int]
    """Its width and height in pixels."""
    described: str
    """The picture in words, for who does not see it."""
    notes: str
    """For the speaker."""
    source: str
    link: str
    """Where the picture is alive; blank without a link."""


def write_talk(title: str, slides: Sequence[TalkSlide]) -> bytes:
    """The talk as a .pptx file, one slide for each of ``slides``, 16 : 9."""
    deck = Presentation()
    deck.slide_width, deck.slide_height = WIDTH, HEIGHT
    deck.core_properties.title = _plain(title)
    deck.core_properties.author = ""
    for slide in slides:
        _write(deck, slide)
    file = io.BytesIO()
    deck.save(file)
    return file.getvalue()


def _write(deck: Deck, wanted: TalkSlide) -> None:
    slide = deck.slides.add_slide(deck.slide_layouts[TITLE_ONLY])
    _write_title(slide, wanted.title)
    _place_picture(slide, wanted)
    foot = slide.shapes.add_textbox(MARGIN, HEIGHT - FOOT_HEIGHT - Inches(0.15), WIDTH - 2 * MARGIN, FOOT_HEIGHT)
    _write_source(foot.text_frame, wanted)
    if wanted.notes:
        notes = slide.notes_slide.notes_text_frame
        if notes is not None:
            notes.text = _plain(wanted.notes)


def _write_title(slide: Slide, title: str) -> None:
    place = slide.shapes.title
    if place is None:  # every slide of the layout has one
        return
    place.left, place.top, place.width, place.height = MARGIN, Inches(0.3), Emu(WIDTH - 2 * MARGIN), TITLE_HEIGHT
    place.text_frame.word_wrap = True
    place.text_frame.text = _plain(title)
    for paragraph in place.text_frame.paragraphs:
        paragraph.font.size = TITLE_SIZE


def _place_picture(slide: Slide, wanted: TalkSlide) -> None:
    """As large as there is room for, in the middle of it."""
    top = Inches(0.3) + TITLE_HEIGHT + Inches(0.1)
    room_width, room_height = WIDTH - 2 * MARGIN, HEIGHT - top - FOOT_HEIGHT - Inches(0.3)
    width, height = wanted.size
    scale = min(room_width / width, room_height / height)
    across, down = Emu(int(width * scale)), Emu(int(height * scale))
    left, above = MARGIN + (room_width - across) // 2, top + (room_height - down) // 2
    picture = slide.shapes.add_picture(io.BytesIO(wanted.picture), Emu(left), Emu(above), across, down)
    shape: Any = picture._element  # python-pptx has no other way to describe a picture
    shape.nvPicPr.cNvPr.set("descr", _plain(wanted.described))
    shape.nvPicPr.cNvPr.set("name", "Picture")


def _write_source(frame: TextFrame, wanted: TalkSlide) -> None:
    run = frame.paragraphs[0].add_run()
    run.text = _plain(wanted.source)
    run.font.size = FOOT_SIZE
    if wanted.link:
        run.hyperlink.address = wanted.link


def _plain(text: str) -> str:
    """Without the characters that XML cannot hold."""
    return "".join(
        character
        for character in text
        if character in "\n\t" or (ord(character) >= 0x20 and ord(character) not in (0xFFFE, 0xFFFF))
    )
