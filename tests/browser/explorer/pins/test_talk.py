"""Pins walked through as a talk, with its notes in a second window and a pointer that an audience sees."""

import json
import re
from pathlib import Path

from driving import MODEL, PLOTTED, head, visit
from playwright.sync_api import Page, expect
from pptx import Presentation
from pptx.enum.shapes import MSO_SHAPE_TYPE
from settling import settle, until


def test_three_pins_are_a_talk_with_its_notes_in_a_second_window(page: Page) -> None:
    visit(page)
    pin = page.locator("#pin")
    for layer, at in ((5, 11), (3, 1), (2, 7)):
        head(page, layer, at).click()
        expect(page.locator("#head-title")).to_have_text(f"Layer {layer}, head {at}")
        expect(pin).to_have_attribute("aria-pressed", "false")
        pin.click()
    page.locator("#pins > summary").click()
    page.get_by_label("Title of Layer 5, head 11").fill("Who is it?")
    page.get_by_label("Title of Layer 3, head 1").press_sequentially("The word before")
    page.get_by_label("Note on Layer 3, head 1").press_sequentially("Ask the audience first.")
    page.get_by_role("button", name="Present them").click()
    bar = page.locator(".present-bar")
    title = page.locator("#head-title")
    expect(bar).to_contain_text("Who is it?")
    expect(bar).to_contain_text("1 / 3")
    expect(title).to_have_text("Layer 5, head 11")
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    notes = opened.value
    expect(notes.locator(".speaker-place")).to_have_text("1 / 3")
    expect(notes.locator(".speaker-next")).to_have_text("Next: The word before")
    expect(notes.locator(".speaker-clock")).to_have_text(re.compile(r"^0:\d\d$"))
    page.keyboard.press("PageDown")
    expect(title).to_have_text("Layer 3, head 1")
    expect(notes.locator(".speaker-title")).to_have_text("The word before")
    expect(notes.locator(".speaker-note")).to_have_text("Ask the audience first.")
    expect(page.get_by_text("Ask the audience first.")).to_be_hidden()
    notes.keyboard.press("ArrowRight")
    expect(title).to_have_text("Layer 2, head 7")
    expect(bar).to_contain_text("3 / 3")
    expect(notes.locator(".speaker-next")).to_have_text("This is the last slide.")
    page.keyboard.press("ArrowRight")
    expect(bar).to_contain_text("3 / 3")
    page.keyboard.press("Home")
    expect(bar).to_contain_text("1 / 3")
    page.keyboard.press("End")
    expect(title).to_have_text("Layer 2, head 7")
    page.keyboard.press("PageUp")
    expect(title).to_have_text("Layer 3, head 1")
    page.keyboard.press("Escape")
    expect(bar).to_be_hidden()
    notes.close()


def opened_as_pins(page: Page, addresses: dict[str, str]) -> None:
    pins = [{"address": address, "title": title, "note": "", "at": ""} for title, address in addresses.items()]
    visit(page)
    page.locator("#pins > summary").click()
    written = json.dumps({"format": "attention-observatory-pins", "version": 1, "pins": pins}).encode()
    chosen = {"name": "talk.json", "mimeType": "application/json", "buffer": written}
    page.locator("#pin-list input[type=file]").set_input_files(chosen)


def test_a_pin_of_another_text_is_a_slide_like_any_other(page: Page) -> None:
    addresses = {
        "The cat": f"?model={MODEL}&text=The cat sat.&layer=2&head=7&query=1",
        "Stars": f"?model={MODEL}&text=Stars turn.&layer=0&head=3",
    }
    opened_as_pins(page, addresses)
    page.get_by_role("button", name="Present", exact=True).click()
    bar = page.locator(".present-bar")
    expect(bar).to_contain_text("2 slides")
    for title, place in (("The cat", "1 / 2"), ("Stars", "2 / 2")):
        page.keyboard.press("ArrowRight")
        expect(bar).to_contain_text(title)
        expect(bar).to_contain_text(place)
        until(page, PLOTTED)
    expect(page.locator("#tokens")).to_contain_text("turn")


def test_the_pointer_is_a_large_spot_that_follows_the_mouse(page: Page) -> None:
    visit(page, "/?present=1&lang=en")
    spot = page.locator(".pointer-spot")
    expect(spot).to_be_hidden()
    page.mouse.move(300, 200)
    page.keyboard.press("p")
    expect(page.get_by_role("button", name="Pointer")).to_have_attribute("aria-pressed", "true")
    page.mouse.move(420, 260)
    box = spot.bounding_box()
    assert box is not None
    assert abs(box["x"] + box["width"] / 2 - 420) <= 1
    assert abs(box["y"] + box["height"] / 2 - 260) <= 1
    assert box["width"] >= 48
    assert page.evaluate("() => getComputedStyle(document.querySelector('#matrix')).cursor") == "none"
    page.keyboard.press("p")
    expect(spot).to_be_hidden()
    page.keyboard.press("p")
    page.keyboard.press("Escape")
    expect(spot).to_be_hidden()


def test_pins_become_a_powerpoint_file(page: Page, tmp_path: Path) -> None:
    visit(page)
    title, note = "What “it” attends to", "Ask first who “it” is."
    page.locator("#pin").click()
    page.locator("#tab-flow").click()
    settle(page)
    page.locator("#pin").click()
    page.locator("#pins > summary").click()
    item = page.locator(".pin").first
    item.get_by_role("textbox").first.fill(title)
    item.get_by_role("textbox").last.fill(note)
    shown = page.locator("#head-title").inner_text()
    with page.expect_download() as got:
        page.get_by_role("button", name="PowerPoint (.pptx)").click()
    got.value.save_as(tmp_path / "talk.pptx")
    first, second = Presentation(str(tmp_path / "talk.pptx")).slides
    assert first.shapes.title.text_frame.text == title
    assert first.notes_slide.notes_text_frame.text == note
    assert "Flow" in second.shapes.title.text_frame.text
    expect(page.locator("#head-title")).to_have_text(shown)


def test_every_view_becomes_a_slide_whose_modules_come_late(page: Page, tmp_path: Path) -> None:
    """Views that this page has not shown yet: each loads its part of the script, and then asks for its numbers."""
    other = "&other_text=The+dog+sat+on+the+mat+because+it+was+tired."
    views = ["matrix", "lines", "token", "vectors", "heads", "rollout", "output", "flow", f"compare{other}"]
    opened_as_pins(
        page, {f"Slide {view[:7]}": f"?model={MODEL}&layer=5&head=11&query=8&key=2&view={view}" for view in views}
    )
    with page.expect_download() as got:
        page.get_by_role("button", name="PowerPoint (.pptx)").click()
    got.value.save_as(tmp_path / "talk.pptx")
    slides = Presentation(str(tmp_path / "talk.pptx")).slides
    pictures = [shape for slide in slides for shape in slide.shapes if shape.shape_type == MSO_SHAPE_TYPE.PICTURE]
    assert len(pictures) == len(views)
    assert all(each.height > each.width / 2 for each in pictures), "each is whole: a heading alone is wide and low"


def test_a_slide_with_nothing_to_draw_is_named(page: Page) -> None:
    opened_as_pins(page, {"A head": f"?model={MODEL}", "Not patched yet": f"?model={MODEL}&view=patching"})
    page.get_by_role("button", name="PowerPoint (.pptx)").click()
    said = "Slide 2, “Not patched yet”: There is nothing to draw yet."
    expect(page.locator("#pins").get_by_text(said)).to_be_visible()
