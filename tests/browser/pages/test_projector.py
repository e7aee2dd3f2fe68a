"""On a projector of 1024 × 768: presented, on the page and in a frame, nothing is cut, and type can be read."""

import pytest
from driving import PLOTTED
from playwright.sync_api import Page
from settling import until

from server.pages.site import ATLAS, PAGES

STEMS = [page.stem for page in PAGES if page.has_frame and page.stem != ATLAS]
DRAWN = """() => !document.querySelector("#concept").hasAttribute("data-undrawn")"""
CUT = """() => {
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    !element.closest(".visually-hidden");
  const wide = document.documentElement.scrollWidth - innerWidth;
  const found = wide > 1 ? [`the page by ${wide} px`] : [];
  for (const element of document.querySelectorAll("main *:not(svg, svg *)")) {
    const { overflowX, position } = getComputedStyle(element);
    const isClipped = ["hidden", "clip"].includes(overflowX) && position !== "absolute" && element.clientWidth > 0;
    if (isClipped && isSeen(element) && element.textContent.trim() && element.scrollWidth > element.clientWidth + 2)
      found.push(`${element.className}: ${element.textContent.trim().slice(0, 40)}`);
  }
  for (const text of document.querySelectorAll("main svg text")) {
    const [at, frame] = [text, text.ownerSVGElement].map((one) => one.getBoundingClientRect());
    if (!isSeen(text) || !text.textContent.trim()) continue;
    const isClipped = getComputedStyle(text.ownerSVGElement).overflow !== "visible";
    const isOut = at.left < -1 || at.right > innerWidth + 1 ||
      (isClipped && (at.left < frame.left - 1 || at.right > frame.right + 1 || at.top < frame.top - 2));
    if (isOut) found.push(`${text.getAttribute("class")}: ${text.textContent}`);
  }
  return found; }"""
SMALL = """() => {
  const formulas = [...document.querySelectorAll("#formula math")]
    .map((math) => parseFloat(getComputedStyle(math).fontSize));
  const cells = [...document.querySelectorAll(".bench-picture :has(> .matrix-mark) text")].flatMap((text) => {
    const matrix = text.getScreenCTM();
    if (!matrix || !text.checkVisibility({ visibilityProperty: true })) return [];
    return [parseFloat(getComputedStyle(text).fontSize) * Math.hypot(matrix.b, matrix.d)];
  });
  return [...formulas.filter((size) => size < 16), ...cells.filter((size) => size < 14)]; }"""
"""Formulas below 16 px; in matrices, where a number of four decimals has to fit its cell, below 14 px."""


@pytest.mark.full
@pytest.mark.parametrize("place", ["", "embed/"])
@pytest.mark.parametrize("stem", STEMS)
def test_a_presented_concept_is_whole_on_a_small_projector(page: Page, stem: str, place: str) -> None:
    page.set_viewport_size({"width": 1024, "height": 768})
    page.goto(f"/{place}{stem}?present=1")
    until(page, DRAWN)
    assert page.evaluate(CUT) == []
    assert page.evaluate(SMALL) == []


@pytest.mark.full
@pytest.mark.parametrize("address", ["/", "/embed/explorer"])
def test_the_explorer_is_whole_on_a_small_projector(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 1024, "height": 768})
    page.goto(f"{address}?present=1")
    until(page, PLOTTED)
    assert page.evaluate(CUT) == []
