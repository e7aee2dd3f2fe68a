"""Pins and notes: kept in the browser, in files, in links and in images."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from driving import expect_address, head, visit
from playwright.sync_api import Page, expect


@pytest.mark.gate
def test_views_are_pinned_noted_moved_and_taken_along(page: Page, tmp_path: Path) -> None:
    visit(page)
    pin = page.locator("#pin")
    expect(pin).to_be_enabled()
    pin.click()
    expect(pin).to_have_attribute("aria-pressed", "true")
    head(page, 3, 1).click()
    expect(pin).to_have_attribute("aria-pressed", "false")
    pin.click()
    page.locator("#pins > summary").click()
    links = page.locator(".pin a")
    expect(links).to_have_count(2)
    expect(links.nth(1)).to_contain_text("Layer 3, head 1 · MiniLM")
    page.get_by_label("Note on Layer 5, head 11").fill("a pronoun finds its noun")
    page.get_by_role("button", name="Move up: Layer 3, head 1").click()
    expect(links.nth(1)).to_contain_text("Layer 5, head 11")
    page.reload()
    expect(page.locator("#pin-count")).to_have_text("2")
    page.locator("#pins > summary").click()
    note = page.get_by_label("Note on Layer 5, head 11")
    expect(note).to_have_value("a pronoun finds its noun")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a file").click()
    saved = tmp_path / "pins.json"
    download.value.save_as(saved)
    assert [one["note"] for one in json.loads(saved.read_text())["pins"]] == ["", "a pronoun finds its noun"]
    page.get_by_role("button", name="Remove all").click()
    expect(links).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(links).to_have_count(2)
    page.get_by_role("button", name="Remove: Layer 3, head 1").click()
    expect(links).to_have_count(1)
    chosen = page.locator("#pin-list input[type=file]")
    chosen.set_input_files({"name": "other.json", "mimeType": "application/json", "buffer": b"{}"})
    expect(page.locator("#pin-list [role=status]")).to_have_text("other.json is not a file of pins.")
    chosen.set_input_files(saved)
    expect(page.locator("#pin-list [role=status]")).to_have_text("Pins added: 1")
    links.filter(has_text="Layer 5, head 11").click()
    expect(page.locator("#head-title")).to_have_text("Layer 5, head 11")
    expect(pin).to_have_attribute("aria-pressed", "true")


def test_a_note_on_a_cell_is_in_the_figure_the_link_and_the_image(page: Page, tmp_path: Path) -> None:
    visit(page)
    page.locator("#annotate > summary").click()
    field = page.get_by_label("Note on it₈ → cat₂")
    field.fill("the pronoun finds its noun")
    field.press("Enter")
    expect_address(page, notes=".5.11.8.2~the pronoun finds its noun")
    number = page.locator(".matrix-note-number")
    expect(number).to_have_text("1")
    cell, mark = page.locator(".matrix-cell-mark").bounding_box(), number.bounding_box()
    assert cell is not None
    assert mark is not None
    assert cell["x"] < mark["x"] + mark["width"] / 2 < cell["x"] + cell["width"] + 8
    page.locator("#export > summary").click()
    with page.expect_download() as download:
        page.get_by_role("group", name="This view").get_by_role("button", name="SVG").click()
    download.value.save_as(tmp_path / "noted.svg")
    drawn = ElementTree.parse(tmp_path / "noted.svg").getroot()  # noqa: S314 - our own file
    said = [element.text or "" for element in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert "the pronoun finds its noun" in said
    assert "1" in said
    assert "×" not in said  # nothing in an image is a control
    page.keyboard.press("Escape")
    page.reload()
    expect(page.locator(".cell-notes li")).to_contain_text("the pronoun finds its noun")
    head(page, 3, 1).click()
    expect(page.locator(".cell-notes li")).to_have_count(0)  # it is a note on another head
    head(page, 5, 11).click()
    page.get_by_role("button", name="Remove the note on it₈ → cat₂").click()
    expect(number).to_have_count(0)
    expect_address(page, notes=None)
