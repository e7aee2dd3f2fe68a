"""Claims page: references and whose they are beside measured numbers, and unavailable models."""

import math
import re

from playwright.sync_api import Page, expect
from plotting import plot_in, series_in
from settling import until

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
DRAWN = """() => document.querySelector("#concept").getAttribute("aria-busy") === "false" """


def visit(page: Page, address: str = "/claims") -> None:
    page.goto(address)
    until(page, DRAWN)


def test_measured_beside_references(page: Page) -> None:
    visit(page)
    claims = page.request.post("/api/claims", data={"model": MINILM}).json()["claims"]
    headings = page.locator("#cards h3")
    expect(headings).to_have_text(
        [
            "Measured here, on the chosen model",
            "Can be measured here: choose the model above",
            "Not measured: the weights are not available here",
        ]
    )
    ranks = [0 if claim["measured"] is not None else 1 if claim["available"] else 2 for claim in claims]
    order = sorted(range(len(claims)), key=lambda index: ranks[index])
    assert order != list(range(len(claims)))
    counts = [page.locator("#cards ul").nth(rank).locator(".claim").count() for rank in range(3)]
    assert counts == [ranks.count(rank) for rank in range(3)]
    cards = page.locator(".claim")
    for place, index in enumerate(order):
        card, claim = cards.nth(place), claims[index]
        expect(card).to_contain_text(f"{claim['reference']:.3f}")
        expect(card.locator("dt").first).to_have_text(claim["label"])
        if claim["measured"] is None:
            expect(card).to_contain_text("not measured" if claim["available"] else "weights not available")
        else:
            expect(card).to_contain_text(f"{claim['measured']:.3f}")
            expect(card).to_contain_text("✓ confirmed" if claim["holds"] else "✗ not confirmed")
    for card in cards.filter(has_text="“").all():
        expect(card).not_to_contain_text("published")
    drawn = series_in(plot_in(page, "#bars"))
    assert drawn["reference"]["y"] == [claims[index]["reference"] for index in order]
    measured = [None if math.isnan(one or math.nan) else one for one in drawn["measured"]["y"]]
    assert measured == [claims[index]["measured"] for index in order]
    plot = plot_in(page, "#bars")
    plot.locator(".plot-frame").focus()
    page.keyboard.press("Home")
    expect(plot.locator(".plot-frame")).to_have_attribute(
        "aria-valuetext", "head L5 H11: reference 0.710, measured 0.712"
    )
    expect(page.locator(".step-table tfoot")).to_contain_text("6 of 7 measured claims are confirmed")
    assert [index for index in order if claims[index]["kind"] == "relation"] == [15, 16]


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


def test_the_prediction_about_direct_objects_is_true_and_shown(page: Page) -> None:
    visit(page)
    page.locator(".predict-option").first.click()
    expect(page.locator(".predict-verdict")).to_have_text("No: 10 times")
    page.locator(".predict-because a").click()
    expect(page.locator("#chosen-title")).to_have_text("Layer 2, head 0 attends from a direct object to its verb")
    until(page, DRAWN)
    claim = page.request.post("/api/claims", data={"model": MINILM}).json()["claims"][15]
    assert len(claim["sentences"]) == 12
    assert round(claim["measured"] * 12, 6) == 10
    assert round(claim["reference"] * 12, 6) == 5
    expect(page.locator("#source")).to_contain_text("Clark et al. (2019), section 4.2")
    expect(page.locator("#convention")).to_contain_text("sentences of our own")


def test_the_misconception_and_the_decoder_can_be_seen(page: Page) -> None:
    visit(page)
    page.locator(".misconception .is-wrong a").click()
    expect(page.locator("#chosen-title")).to_have_text("Layers 2 to 4 attend to the separators")
    expect(page.locator(".claim.is-chosen")).to_contain_text("✗ not confirmed")
    page.locator(".misconception .is-right a").click()
    expect(page.locator(".claim.is-chosen")).to_contain_text("✓ confirmed")
    page.locator("#presets").get_by_text("This product's decoder").click()
    expect(page.locator("#chosen-title")).to_have_text("Layer 1, head 1 is an induction head")
    expect(page.locator("#cards ul").first.locator(".claim")).to_have_count(2)
    expect(page.locator(".claim.is-chosen")).to_contain_text("limit set here")
