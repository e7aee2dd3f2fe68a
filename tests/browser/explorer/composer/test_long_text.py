"""A long text in the field of the composer: two lines of it, all of it while it is edited or asked for."""

import re

from driving import visit
from playwright.sync_api import Page, expect

TEXT = "The cat that the dog had chased all afternoon sat on the mat because it was tired of running. " * 4
CUT = "(field) => field.scrollHeight - field.clientHeight"


def test_a_long_text_has_two_lines_and_is_whole_while_it_is_edited(page: Page) -> None:
    visit(page, f"/?text={TEXT.strip()}")
    field, whole = page.locator("#text"), page.locator("#text-all")
    expect(whole).to_have_text("… show all")
    assert field.evaluate(CUT) > 0
    folded = field.bounding_box()
    assert folded
    whole.click()
    expect(whole).to_have_attribute("aria-expanded", "true")
    assert field.evaluate(CUT) <= 1
    opened = field.bounding_box()
    assert opened
    assert folded["height"] < opened["height"] <= 300
    whole.click()
    assert field.evaluate(CUT) > 0

    field.focus()
    assert field.evaluate(CUT) <= 1
    page.keyboard.press("Control+End")
    page.keyboard.type(" It slept.")
    page.locator("#run").focus()
    assert field.evaluate("(field) => field.scrollTop") == 0
    expect(whole).to_be_visible()
    field.fill("A short text.")
    page.locator("#run").focus()
    expect(whole).to_be_hidden()
    expect(field).not_to_have_class(re.compile("is-long|is-open"))


def test_a_text_longer_than_a_third_of_the_window_scrolls_while_it_is_edited(page: Page) -> None:
    visit(page, f"/?text={(TEXT * 2).strip()}")
    field = page.locator("#text")
    field.focus()
    box = field.bounding_box()
    assert box
    assert 260 < box["height"] <= 300
    assert field.evaluate(CUT) > 0


def test_what_is_pressed_while_it_is_edited_does_not_move_away(page: Page) -> None:
    visit(page, f"/?text={TEXT.strip()}")
    field = page.locator("#text")
    field.focus()
    high = field.bounding_box()
    assert high
    summary = page.locator("#export > summary")
    summary.hover()
    page.mouse.down()
    assert field.bounding_box() == high
    page.mouse.up()
    expect(page.locator("#export")).to_have_attribute("open", "")
    expect(field).not_to_have_class(re.compile("is-edited"))
