"""Every concept page saved as a file: small enough to send, and the same page for every preset, without a server."""

import re
from difflib import unified_diff
from pathlib import Path

import pytest
from driving import unfold
from playwright.sync_api import Page

from server.pages.site import ATLAS, PAGES

STEMS = [page.stem for page in PAGES if page.has_frame and page.stem not in {ATLAS, "training"}]
"""The atlas holds no answers of its own; a saved training run has a test of its own."""
DRAWN = """() => document.querySelector("#concept")?.getAttribute("aria-busy") === "false" """
SHOWN = """() => {
  const others = document.querySelectorAll(".plot, a[href*='/atlas']");  // plain SVG in a file; needs a server
  for (const other of others) other.style.display = "none";
  const text = document.querySelector(".concept-bench").innerText + document.querySelector("#notice").innerText;
  for (const other of others) other.style.display = "";
  return text; }"""
MOST_BYTES = 500_000
LONG = 240_000


def each_preset(page: Page) -> list[list[str]]:
    """The lines that the page shows for every preset."""
    found = []
    for index in range(page.locator("#presets a").count()):
        page.locator("#presets a").nth(index).click()
        page.wait_for_function(DRAWN, timeout=LONG)
        found.append([re.sub(r"\s+", " ", line).strip() for line in page.evaluate(SHOWN).splitlines() if line.strip()])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("stem", STEMS)
def test_a_saved_page_is_small_and_shows_every_preset(
    page: Page, unplugged: tuple[Page, list[str]], tmp_path: Path, stem: str
) -> None:
    page.goto(f"/{stem}")
    page.wait_for_function(DRAWN, timeout=LONG)
    unfold(page)
    with page.expect_download(timeout=LONG) as saved:
        page.locator("#save-html").click()
    file = tmp_path / f"{stem}.html"
    saved.value.save_as(file)
    assert file.stat().st_size < MOST_BYTES, f"{file.stat().st_size // 1000} kB"
    live = each_preset(page)
    copy, wrong = unplugged
    copy.goto(file.as_uri())
    copy.wait_for_function(DRAWN)
    if stem == "parity":
        return  # shows differences of nine digits, which a record of eight does not hold
    differences = [
        line
        for one, other in zip(live, each_preset(copy), strict=True)
        for line in unified_diff(one, other, "live", "saved", n=0, lineterm="")
    ]
    assert differences == []
    assert wrong == []
