"""The stages of the running example in the head of every page of the course."""

from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from driving import DRAWN, visit_concept
from playwright.sync_api import Page, expect
from settling import settle, until

from server.pages.course import STEMS
from server.pages.thread import thread_of

FIRST_SCREENS = ({"width": 1440, "height": 900}, {"width": 1366, "height": 768})
CURRENT = """() => {
  const line = document.querySelector(".thread");
  const { left, right, top, bottom } = line.getBoundingClientRect();
  const boxes = ["[aria-current]", ".thread-number"].map((one) => line.querySelector(one).getBoundingClientRect());
  return {
    isOnScreen: top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth,
    isShown: boxes.every((box) => box.left >= left - 1 && box.right <= right + 1 && box.bottom <= bottom + 1),
    isWhole: line.scrollWidth <= line.clientWidth && line.scrollHeight <= line.clientHeight,
    wide: document.documentElement.scrollWidth - innerWidth,
    scrolled: scrollY }; }"""


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize("stem", STEMS)
def test_every_stage_is_on_the_first_screen(page: Page, stem: str, lang: str) -> None:
    page.set_viewport_size(FIRST_SCREENS[0])
    page.goto(f"/{stem}?lang={lang}")
    for size in FIRST_SCREENS:
        page.set_viewport_size(size)
        seen = page.evaluate(CURRENT)
        assert seen["isOnScreen"], size
        assert seen["isShown"], size
        assert seen["isWhole"], size


def test_a_phone_s_line_shows_the_current_stage(open_page: Callable[..., Page]) -> None:
    phone = open_page(width=390, locale="ja")
    for stem in STEMS:
        visit_concept(phone, f"/{stem}")
        seen = phone.evaluate(CURRENT)
        assert (seen["isShown"], seen["wide"], seen["scrolled"]) == (True, 0, 0), stem


def test_the_line_is_walked_by_keys_and_its_number_leads_to_the_sentence(phone: Page) -> None:
    visit_concept(phone, "/decoder")
    links = phone.locator(".thread a")
    links.first.focus()
    for _ in range(links.count() - 1):
        phone.keyboard.press("Tab")
    expect(phone.locator(".thread-number")).to_be_focused()
    assert phone.evaluate(CURRENT)["isShown"]
    phone.keyboard.press("Enter")
    found = thread_of("decoder")
    assert found
    expect(phone.locator("#example .example-says")).to_be_in_viewport()
    expect(phone.locator("#example .example-says")).to_contain_text(found.says)


def test_it_stays_out_of_a_presentation_and_of_paper(page: Page) -> None:
    line = page.locator(".thread")
    page.goto(f"/circle?{urlencode({'present': '1'})}")
    until(page, DRAWN)
    expect(line).to_be_hidden()
    page.keyboard.press("Escape")
    settle(page)
    expect(line).to_be_visible()
    page.evaluate("() => void dispatchEvent(new Event('beforeprint'))")
    expect(line).to_be_hidden()
