"""Remarks on a head: where they stand, and that they go when dismissed."""

from driving import head, visit
from playwright.sync_api import Page, expect

SINKS = ((2, 9), (4, 2))
"""Heads that rest on the first token."""


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
