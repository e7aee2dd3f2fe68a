"""Words of any length stay in their place: no page is wider than the screen, no column reaches over another."""

from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page
from settling import settle, until

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
WORDS = {
    24: "Verkehrsinfrastrukturens",
    63: "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz",
    200: "ab" * 100,
}
VIEWS = (
    *("matrix", "lines", "vectors", "token", "rollout", "output"),
    *("flow", "patching", "heads", "compare", "prompts", "reach"),
)
SIZES = ((1440, 900), (1366, 768), (390, 844))
READY = """() => document.querySelector("#bench")?.getAttribute("aria-busy") === "false" """
STICKING_OUT = """(most) => {
  const { scrollWidth, clientWidth } = document.documentElement;
  const found = scrollWidth > clientWidth ? [`the page: ${scrollWidth} of ${clientWidth}`] : [];
  const isCut = (one, column) => {
    for (let at = one.parentElement; at && at !== column.parentElement; at = at.parentElement)
      if (getComputedStyle(at).overflowX !== "visible") return true;
    return Boolean(one.closest(".visually-hidden"));
  };
  for (const column of document.querySelectorAll(".bench > *, .bench-side > *, .composer > *")) {
    const box = column.getBoundingClientRect();
    if (box.width === 0) continue;  // hidden, or one whose children are laid out in its place
    for (const one of column.querySelectorAll("*")) {
      const { left, right, width } = one.getBoundingClientRect();
      const out = Math.max(right - box.right, box.left - left);
      if (width > 0 && out > most && one.checkVisibility() && !isCut(one, column))
        found.push(`${column.className} > ${one.tagName}.${one.getAttribute("class")}: ${Math.round(out)}`);
    }
  }
  return found; }"""
"""What reaches further than some pixels out of its column; what scrolls or is cut does not."""
SLACK = 8
"""Rings and paddings around what is chosen."""


def sticking_out(page: Page) -> list[str]:
    found: list[Any] = page.evaluate(STICKING_OUT, SLACK)
    return found


@pytest.mark.full
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("letters", WORDS)
def test_a_long_word_keeps_to_its_column(page: Page, view: str, letters: int) -> None:
    word = WORDS[letters]
    assert len(word) == letters
    address = {"model": MINILM, "text": f"The {word} law and the {word} cat.", "view": view, "words": "1"}
    page.goto("/?" + urlencode(address | {"query": 2, "key": 1, "lang": "en"}))
    until(page, READY)
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        settle(page)
        assert sticking_out(page) == [], f"{view} at {width}"
