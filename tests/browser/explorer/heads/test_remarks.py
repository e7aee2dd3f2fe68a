"""What stays where it is: remarks move no matrix, and no control moves under the pointer."""

from driving import head, visit
from playwright.sync_api import Page, expect

SINKS = ((2, 9), (4, 2))
"""Heads that rest on the first token."""


PLACES = """() => Object.fromEntries([...document.querySelectorAll(
  "#stages, #option-hide, #reads, #faint, #zoom-all, .quick button, #grid, #start-here, .metric, #share, #run, " +
  "#more, #upload > summary, #export, .tab")].map((one, index) => {
    const { left, top } = one.getBoundingClientRect();
    return [`${index} ${one.id || one.className}`, [Math.round(left), Math.round(top + scrollY)]]; }))"""


def test_a_remark_on_a_head_moves_no_matrix(page: Page) -> None:
    visit(page, "/?layer=5&head=11")
    top = "() => document.querySelector('#matrix').getBoundingClientRect().top + scrollY"
    before = page.evaluate(top)
    expect(page.locator(".is-remark")).to_have_count(0)
    for layer, number in SINKS:
        head(page, layer, number).click()
        expect(page.locator("#head-title")).to_have_text(f"Layer {layer}, head {number}")
        remark = page.locator(".is-remark").first
        expect(remark).to_be_visible()
        assert page.evaluate(top) == before
    page.get_by_role("button", name="Remark on this head, below").click()
    expect(remark).to_be_in_viewport()
    remark.get_by_role("button", name="Dismiss this remark").click()
    expect(page.locator(".is-remark")).to_have_count(0)
    assert page.evaluate(top) == before


def test_no_control_moves_under_the_pointer(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit(page)
    page.locator("#more > summary").click()
    places = page.evaluate(PLACES)
    page.locator("#upload > summary").click()
    assert page.evaluate(PLACES) == places
    page.keyboard.press("Escape")
    places = page.evaluate(PLACES)

    def expect_still(what: str) -> None:
        now = page.evaluate(PLACES)
        moved = {name: (place, now.get(name)) for name, place in places.items() if now.get(name) != place}
        assert moved == {}, what

    for stage in ("raw_scores", "norm_weighted", "weights"):
        page.locator(f"input[name=stage][value={stage}]").check(force=True)
        expect(page.locator("#stage-meaning")).not_to_be_empty()
        expect_still(stage)
    page.locator("#option-hide").check()
    expect(page.locator("#option-renormalise")).to_be_visible()
    expect_still("hide")
    page.locator("#option-hide").uncheck()
    head(page, 2, 7).click()
    expect(page.locator("#head-title")).to_have_text("Layer 2, head 7")
    expect_still("another head")
    page.locator("#share").click()
    expect(page.locator("#share-status")).not_to_be_empty()
    expect_still("copy link")
    page.locator(".head-actions button").first.click()
    expect(page.locator("#head-title")).to_contain_text("switched off")
    expect(page.locator("#changed")).to_be_in_viewport()
    expect_still("off")
    start = page.locator(".start-head", has_text="previous token")
    start.click()
    expect(page.locator("#head-title")).to_have_text("Layer 0, head 2")
    expect(start).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".start-why")).to_contain_text("Open now, L0 H2: attends to the previous token")
