"""Hover updates only what follows the pointer, at a cost independent of the text's length."""

import pytest
from driving import cell, head, visit
from playwright.sync_api import Page, expect
from settling import settle

WATCH = """() => {
  window.changed = new Set();
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      const element = target instanceof Element ? target : target.parentElement;
      const named = element.closest(".matrix-tip, .lines-readout, .lines-token") ?? element;
      window.changed.add(named.id ? `#${named.id}` : `.${named.classList[0]}`);
    }
  }).observe(document.body, { attributes: true, characterData: true, childList: true, subtree: true });
}"""


def visit_whole(page: Page) -> None:
    """With what is loaded last, below the first screen."""
    visit(page)
    for late in ("#pin-list > *", "#distribution .plot svg", "#changes > *"):
        expect(page.locator(late).first).to_be_attached()
    settle(page)


def changed(page: Page) -> set[str]:
    settle(page)
    return set(page.evaluate("() => [...window.changed]"))


@pytest.mark.gate
def test_in_the_matrix(page: Page) -> None:
    visit_whole(page)
    page.mouse.move(*cell(page, 1, 1, 13))
    expect(page.locator(".matrix-tip")).to_be_visible()
    page.evaluate(WATCH)
    for place in range(2, 12):
        page.mouse.move(*cell(page, place, 13 - place, 13))
    expect(page.locator(".matrix-tip")).to_contain_text(".")
    assert changed(page) == {".matrix-tip", ".matrix-point-mark", ".token", ".token-frame"}


def test_in_the_grid_of_heads(page: Page) -> None:
    visit_whole(page)
    head(page, 0, 0).hover()
    page.evaluate(WATCH)
    for number in range(1, 12):
        head(page, 1, number).hover()
    expect(page.locator("#grid-readout")).to_have_text("Layer 1, head 11")
    assert changed(page) == {"#grid-readout"}


def test_along_the_lines(page: Page) -> None:
    visit_whole(page)
    page.get_by_role("tab", name="Lines").click()
    tokens = page.locator(".lines-column.is-query .lines-token")
    tokens.nth(1).hover()
    expect(page.locator(".lines-readout")).to_contain_text("attends to")
    before = tokens.nth(1).element_handle()
    page.evaluate(WATCH)
    for place in range(2, 12):
        tokens.nth(place).hover()
    expect(page.locator(".lines-readout")).to_contain_text("tired")
    found = changed(page)
    assert {name for name in found if not name.startswith("#lines-")} <= {".lines-readout", ".token", ".token-frame"}
    assert before is not None
    assert before.evaluate("(row) => row.isConnected")  # kept, not built again


def test_another_view_begins_with_nothing_pointed_at(page: Page) -> None:
    """What is taken away from under the pointer never says that the pointer has left it."""
    visit(page)
    x, y = cell(page, 4, 2, 13)
    place = {"clientX": x, "clientY": y, "bubbles": True, "pointerId": 1}
    page.locator(".matrix-frame").dispatch_event("pointermove", place)
    expect(page.locator(".matrix-tip")).to_be_visible()
    page.locator("#tab-lines").dispatch_event("click")
    expect(page.locator(".lines-column.is-query .lines-token")).to_have_count(13)
    settle(page)
    expect(page.locator(".lines-readout")).to_be_empty()


@pytest.mark.parametrize("place", [3, 12])
def test_the_frame_lies_on_the_token_pointed_at(page: Page, place: int) -> None:
    visit(page)
    page.mouse.move(*cell(page, place, 0, 13))
    expect(page.locator(".token-frame.is-query")).to_be_visible()
    settle(page)
    token = page.locator(".token").nth(place).bounding_box()
    assert page.locator(".token-frame.is-query").bounding_box() == pytest.approx(token, abs=0.5)
    page.mouse.move(2, 2)
    expect(page.locator(".token-frame.is-query")).to_be_hidden()
