"""The guided look: five steps on one's own text, each beside what it speaks of; it ends at any time."""

import re
from collections.abc import Callable

import pytest
from driving import parameters, visit
from playwright.sync_api import Page, expect
from settling import settle

TEXT = "/?text=My+dog+chased+the+cat+because+it+was+bored."
BOXES = """() => [".guide", ".is-guided"].map((selector) => {
  const { left, top, right, bottom } = document.querySelector(selector).getBoundingClientRect();
  return { left, top, right, bottom }; })"""


def begin(page: Page) -> None:
    page.get_by_role("button", name="Look around in five steps").click()
    expect(page.locator("#guide")).to_be_visible()


def go_on(page: Page, name: str = "Next") -> None:
    page.locator("#guide").get_by_role("button", name=name, exact=True).click()
    settle(page)


def test_five_steps_stand_beside_what_they_speak_of(page: Page) -> None:
    visit(page, TEXT)
    begin(page)
    card = page.locator("#guide")
    opened = {name: parameters(page).get(name) for name in ("layer", "head")}
    for step, (title, said) in enumerate(
        (("A head", "72 of them"), ("A row", "outlined row"), ("A number", "add up to 1")), start=1
    ):
        expect(card.get_by_role("heading")).to_have_text(title)
        expect(card).to_contain_text(said)
        expect(card).to_contain_text(f"{step} of 5")
        own, target = page.evaluate(BOXES)
        is_apart = own["right"] <= target["left"] or own["left"] >= target["right"]
        assert is_apart or own["bottom"] <= target["top"] or own["top"] >= target["bottom"], title
        assert card.get_by_role("button", name="Next").evaluate("(one) => one === document.activeElement")
        go_on(page)
    expect(card).to_contain_text("Same model, same text")
    assert {name: parameters(page).get(name) for name in opened} != opened
    go_on(page, "Back")
    assert {name: parameters(page).get(name) for name in opened} == opened
    go_on(page)
    go_on(page)
    expect(card).to_contain_text("later layers show what has changed")
    expect(card.get_by_role("link", name="The course, from the beginning")).to_have_attribute(
        "href", re.compile("/lessons$")
    )
    page.locator("#quick-off").click()
    expect(page.locator("#changed")).to_be_visible()
    go_on(page, "Done")
    expect(card).to_be_hidden()
    assert page.locator(".is-guided").count() == 0


def test_it_is_in_nobodys_way(page: Page) -> None:
    visit(page, TEXT)
    begin(page)
    page.get_by_role("gridcell").nth(20).click()
    settle(page)
    expect(page.locator("#head-title")).to_contain_text("Layer 1, head 8")
    page.get_by_role("tab", name="Lines").click()
    settle(page)
    expect(page.locator("#guide")).to_be_hidden()
    page.get_by_role("tab", name="Matrix").click()
    settle(page)
    expect(page.locator("#guide")).to_contain_text("L1 H8")
    page.locator("#guide").press("Escape")
    expect(page.locator("#guide")).to_be_hidden()
    assert page.locator(".guide-start").evaluate("(one) => one === document.activeElement")


@pytest.mark.parametrize("path", ["/embed/explorer", "/?present=1"])
def test_it_is_not_offered_where_somebody_else_speaks(page: Page, path: str) -> None:
    visit(page, path)
    expect(page.get_by_role("button", name="Look around in five steps")).to_be_hidden()


def test_it_fits_a_phone_and_everyone(each_look: Page, axe: Callable[[Page], None]) -> None:
    visit(each_look)
    each_look.locator(".guide-start").click()
    card = each_look.locator("#guide")
    expect(card).to_be_visible()
    axe(each_look)
    width = each_look.evaluate("() => document.documentElement.clientWidth")
    box = card.bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
