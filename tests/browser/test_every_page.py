"""Every page opens, draws, fits its window, speaks its reader's language and leaves the console silent.

Each in one look; the looks go round the pages. `test_looks.py` has every page in every look, with axe.
"""

import itertools
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from test_layout import SIDES, STEMS

ADDRESSES = ("/", "/lessons", "/glossary", *(f"/{stem}" for stem in STEMS))
LOOKS = itertools.cycle(itertools.product(("en-US", "ja"), ("light", "dark"), (1440, 390)))
STICKS_OUT = "() => document.documentElement.scrollWidth - innerWidth"
PROSE = """() => [...document.querySelectorAll("main p")]
  .filter((one) => one.checkVisibility() && !one.closest("[lang]:not(html)"))
  .map((one) => one.textContent.trim()).filter((text) => text.length > 40)"""
"""Whole sentences that the page itself says."""
JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")


@pytest.mark.gate
@pytest.mark.parametrize(("address", "look"), [*zip(ADDRESSES, LOOKS, strict=False)], ids=ADDRESSES)
def test_a_page(open_page: Callable[..., Page], address: str, look: tuple[str, str, int]) -> None:
    locale, scheme, width = look
    page = open_page(width=width, colour_scheme=scheme, locale=locale)
    page.goto(address)
    expect(page.locator("[aria-busy=true], [data-undrawn]")).to_have_count(0)
    expect(page.locator("html")).to_have_attribute("lang", locale[:2])
    expect(page.locator("h1").first).not_to_be_empty()
    assert page.evaluate(STICKS_OUT) <= 0
    said = page.evaluate(PROSE)
    assert said
    if locale == "ja":
        assert [text for text in said if not JAPANESE.search(text)] == []
    if address.removeprefix("/") in STEMS:
        assert page.evaluate(SIDES)[0]["drawn"] > 0
    elif address == "/":
        assert page.locator(".matrix-cells").count() > 0
