"""Printing: what is drawn to a measured size is drawn to that of the paper, of which browsers tell nobody."""

import pytest
from conftest import OpenPage
from driving import SETTLED, visit, visit_concept
from playwright.sync_api import Page
from settling import settle, until
from test_layout import STEMS

SHEETS = {"A4": 718, "A4 landscape": 1046, "Letter": 739, "Letter landscape": 979}
"""Width that a sheet leaves for a page, in pixels."""
UNTOLD = """
const Own = ResizeObserver;
window.ResizeObserver = class extends Own {
  constructor(tell) { super((...told) => window.isPrinting || tell(...told)); }
};"""
"""No size is told while one prints."""
PRINT = """() => {
  window.isPrinting = true;
  window.cleared = 0;
  const { clearRect } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...box) { window.cleared += 1; clearRect.apply(this, box); };
  dispatchEvent(new Event("beforeprint"));
  return window.cleared; }"""
CHARTS = (
    ".matrix-frame, .grid-frame, .reads-column, .lines, .flow-frame, .plot-paper, .start-here, .likeliest, "
    "svg.mark:not(.mark-key), table"
)
COVERED = """(charts) => {
  const there = [...document.querySelectorAll(charts)].filter((one) => one.checkVisibility() && one.clientHeight > 0);
  const boxes = there.map((one) => one.getBoundingClientRect());
  const name = (one) => `<${one.localName} class="${one.getAttribute("class")}">`;
  return there.flatMap((one, at) => there.slice(at + 1).flatMap((other, further) => {
    const [a, b] = [boxes[at], boxes[at + 1 + further]];
    const isOver = Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
      Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
    return isOver && !one.contains(other) && !other.contains(one) ? [`${name(one)} and ${name(other)}`] : []; })); }"""
"""Charts of which one lies on another."""
SHIFTED = """() => {
  const [canvas, table] = [".grid-canvas", ".grid"].map((one) => document.querySelector(one).getBoundingClientRect());
  const sides = ["left", "top", "width", "height"].map((side) => Math.abs(canvas[side] - table[side]));
  const middle = (one) => { const { left, width } = one.getBoundingClientRect(); return left + width / 2; };
  const numbers = [...document.querySelectorAll(".grid .grid-head")].map(middle);
  const cells = [...document.querySelectorAll(".grid .grid-row:nth-child(2) .grid-picture")].map(middle);
  return Math.max(...sides, ...cells.map((one, head) => Math.abs(one - numbers[head]))); }"""
"""Pixels by which thumbnails stand beside their place or their number."""
MAPS_OUT = """() => [...document.querySelectorAll(".matrix-frame, .lines-middle")]
  .filter((one) => one.checkVisibility())
  .filter((frame) => [...frame.querySelectorAll("canvas")].some((canvas) => {
    const [inner, outer] = [canvas, frame].map((one) => one.getBoundingClientRect());
    return Math.abs(canvas.width - inner.width * devicePixelRatio) > 2 || inner.right > outer.right + 2 ||
      inner.bottom > outer.bottom + 2; }))
  .map((frame) => frame.className)"""
"""Heat maps and lines whose canvas is not of their size."""
OVER_CELLS = """() => [...document.querySelectorAll(".matrix-frame")].filter((frame) => frame.checkVisibility())
  .filter((frame) => getComputedStyle(frame.querySelector(".matrix-axes")).zIndex !== "-1").length"""
"""Heat maps whose labels lie over their cells: printed, a canvas clears what is under it."""
WAITING = """() => [...document.querySelectorAll(".plot-cover, .matrix-waiting, [data-waiting]")]
  .filter((one) => one.checkVisibility() && one.innerText.trim()).map((one) => one.innerText)"""
CUT = """() => [...document.querySelectorAll("main *")]
  .filter((one) => /auto|scroll/.test(getComputedStyle(one).overflowX) && one.checkVisibility())
  .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.className || one.id)"""
"""What one would scroll, of which paper shows the beginning."""
WIDE = "() => document.documentElement.scrollWidth - innerWidth"


def print_on(page: Page, width: int) -> None:
    """Let the page become one for a sheet, as the browser does it: nothing is told of the sheet's size."""
    settle(page)
    assert page.evaluate(PRINT) == 0, "what is cleared on paper takes away what lies under it"
    page.emulate_media(media="print")
    page.set_viewport_size({"width": width, "height": 1000})


def expect_true_on(page: Page, sheet: str) -> None:
    assert page.evaluate(COVERED, CHARTS) == [], sheet
    assert page.evaluate(WAITING) == [], sheet
    assert page.evaluate(MAPS_OUT) == [], sheet
    assert page.evaluate(OVER_CELLS) == 0, sheet
    assert page.evaluate(WIDE) <= 0, sheet
    assert page.evaluate(CUT) == [], sheet


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize("view", ["matrix", "lines", "vectors", "token", "rollout", "output", "flow", "heads"])
def test_the_explorer_on_paper(open_page: OpenPage, view: str, sheet: str) -> None:
    page = open_page(colour_scheme="dark")
    page.add_init_script(UNTOLD)
    page.goto(f"/?lang=en&view={view}")
    until(page, SETTLED)
    print_on(page, SHEETS[sheet])
    expect_true_on(page, sheet)
    assert page.evaluate(SHIFTED) < 1
    assert page.evaluate("() => getComputedStyle(document.documentElement).colorScheme") == "light"


@pytest.mark.parametrize("stem", STEMS)
def test_a_concept_on_paper(open_page: OpenPage, stem: str) -> None:
    page = open_page()
    page.add_init_script(UNTOLD)
    visit_concept(page, f"/{stem}?lang=en")
    print_on(page, SHEETS["A4"])
    expect_true_on(page, stem)


def test_the_browser_says_when_it_prints_and_the_screen_is_as_before(page: Page) -> None:
    visit(page, "/?lang=en")
    until(page, SETTLED)
    before = page.locator(".matrix-cells").bounding_box()
    page.evaluate("""() => addEventListener("beforeprint", () => {
      window.printed = document.querySelector(".main, main").clientWidth; })""")
    assert page.pdf(format="A4")[:5] == b"%PDF-"
    assert page.evaluate("() => window.printed") == 672
    assert page.evaluate("() => 'print' in document.documentElement.dataset") is False
    assert page.locator(".matrix-cells").bounding_box() == before
    assert page.evaluate(SHIFTED) < 1
