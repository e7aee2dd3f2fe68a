"""Claims page: published numbers beside measured ones, and unavailable models."""

import math
import re

from playwright.sync_api import Page, expect
from plotting import plot_in, series_in

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
DRAWN = """() => document.querySelector("#concept").getAttribute("aria-busy") === "false" """


def visit(page: Page, address: str = "/claims") -> None:
    page.goto(address)
    page.wait_for_function(DRAWN)


def test_measured_beside_published(page: Page) -> None:
    visit(page)
    claims = page.request.post("/api/claims", data={"model": MINILM}).json()["claims"]
    cards = page.locator(".claim")
    expect(cards).to_have_count(len(claims))
    for index, claim in enumerate(claims):
        card = cards.nth(index)
        expect(card).to_contain_text(f"{claim['published']:.3f}")
        if claim["measured"] is None:
            expect(card).to_contain_text("weights not available")
        else:
            expect(card).to_contain_text(f"{claim['measured']:.3f}")
            expect(card).to_contain_text("✓ confirmed")
    drawn = series_in(plot_in(page, "#bars"))
    assert drawn["published"]["y"] == [claim["published"] for claim in claims]
    measured = [None if math.isnan(one or math.nan) else one for one in drawn["measured"]["y"]]
    assert measured == [claim["measured"] for claim in claims]
    plot = plot_in(page, "#bars")
    plot.locator(".plot-frame").focus()
    page.keyboard.press("Home")
    expect(plot.locator(".plot-frame")).to_have_attribute(
        "aria-valuetext", "layer.head 5.11: published 0.710, measured 0.712"
    )
    expect(page.locator(".step-table tfoot")).to_contain_text("3 of 3 measured claims are confirmed")


def test_a_card_is_chosen_and_walked_through(page: Page) -> None:
    visit(page)
    page.get_by_role("button", name="Layer 3, head 1 attends from “it” to “cat”").click()
    expect(page).to_have_url(re.compile("claim=1"))
    expect(page.locator("#chosen-title")).to_have_text("Layer 3, head 1 attends from “it” to “cat”")
    expect(page.locator("#convention")).to_contain_text("eager attention")
    page.locator(".step").first.click()
    expect(page.locator(".step-line")).to_contain_text("0.4900±0.01")
    page.get_by_role("button", name="Layer 5, head 5 is an induction head").click()
    page.locator(".step").nth(1).click()
    expect(page.locator(".step-line")).to_contain_text("not available")
    expect(page.locator("#source")).to_contain_text("second-hand")
