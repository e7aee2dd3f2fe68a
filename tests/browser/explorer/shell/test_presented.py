"""The Explorer presented: the picture takes the screen, whole in every view."""

import pytest
from driving import PLOTTED, SETTLED, visit
from playwright.sync_api import Page, expect
from settling import until

SIZES = {"1280": {"width": 1280, "height": 720}, "1920": {"width": 1920, "height": 1080}}
VIEWS = {
    "lines": ".lines-token",
    "token": ".token-scroller[aria-busy=false]",
    "rollout": ".rollout[aria-busy=false]",
    "output": ".output-results[aria-busy=false]",
    "flow": ".flow-svg",
    "heads": ".scatter",
    "reach": ".reach[aria-busy=false] .is-codes .matrix-hatch",
    "compare&other_text=The+dog+sat+on+the+mat+because+it+was+tired.": ".compare-map:nth-child(3) .matrix-hatch",
}
NOT_WHOLE = """() => {
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    !element.closest(".visually-hidden");
  const found = [];
  const page = document.documentElement;
  if (page.scrollHeight > innerHeight + 1) found.push(`the page is longer by ${page.scrollHeight - innerHeight} px`);
  if (page.scrollWidth > innerWidth + 1) found.push(`the page is wider by ${page.scrollWidth - innerWidth} px`);
  for (const element of document.querySelectorAll("main *:not(svg *, select), .present-bar *")) {
    if (!isSeen(element) || !element.textContent.trim()) continue;
    const { overflowX, overflowY } = getComputedStyle(element);
    const across = overflowX !== "visible" && element.scrollWidth > element.clientWidth + 2;
    const down = overflowY !== "visible" && element.scrollHeight > element.clientHeight + 2;
    if (element.clientWidth > 0 && (across || down)) found.push(`${element.className || element.id} is cut`);
  }
  for (const text of document.querySelectorAll("main svg text")) {
    if (!isSeen(text) || !text.textContent.trim()) continue;
    const [at, frame] = [text, text.ownerSVGElement].map((one) => one.getBoundingClientRect());
    if (at.left < frame.left - 1 || at.right > frame.right + 1 || at.bottom > innerHeight)
      found.push(`“${text.textContent}” is cut`);
  }
  return found; }"""
"""What of a presented page is cut, or is only seen by scrolling."""


@pytest.mark.parametrize("size", SIZES)
def test_the_matrix_takes_the_screen(page: Page, size: str) -> None:
    page.set_viewport_size(SIZES[size])
    visit(page, "/?present=1&lang=en")
    square = page.locator("#matrix .matrix-hatch").bounding_box()
    assert square is not None
    assert square["height"] >= 0.7 * SIZES[size]["height"]
    assert square["y"] + square["height"] <= SIZES[size]["height"]
    for needed in ("#head-title", "#tokens", "#legend", "#reads .reads-item", ".matrix-column > .axes"):
        expect(page.locator(needed).first).to_be_in_viewport(ratio=1)
    assert page.evaluate(NOT_WHOLE) == []


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_is_whole(page: Page, size: str, view: str) -> None:
    page.set_viewport_size(SIZES[size])
    page.goto(f"/?present=1&lang=en&view={view}")
    page.wait_for_selector(VIEWS[view])
    until(page, SETTLED)
    until(page, f"() => ({NOT_WHOLE})().length === 0")
    type_size = page.evaluate("() => parseFloat(getComputedStyle(document.documentElement).fontSize)")
    assert type_size >= 0.6 * 0.0275 * SIZES[size]["height"]


@pytest.mark.parametrize(("view", "form"), [("compare", ".comparison-input"), ("prompts", ".prompts-form")])
def test_a_view_without_a_picture_shows_what_makes_one(page: Page, view: str, form: str) -> None:
    page.goto(f"/?present=1&lang=en&view={view}")
    until(page, SETTLED)
    expect(page.locator(form)).to_be_visible()


def test_leaving_gives_the_page_back_as_it_was(page: Page) -> None:
    visit(page)
    sizes = """() => ["#matrix .matrix-hatch", "#tokens", "#grid"].map((one) => {
      const { x, y, width, height } = document.querySelector(one).getBoundingClientRect();
      return [x, y, width, height].map(Math.round); })"""
    before = page.evaluate(sizes)
    page.keyboard.press("p")
    until(page, PLOTTED)
    page.keyboard.press("Escape")
    until(page, f"(before) => JSON.stringify(({sizes})()) === JSON.stringify(before)", arg=before)
