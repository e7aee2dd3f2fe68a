"""The API documentation works under the strict CSP, without external resources."""

from playwright.sync_api import Page, expect


def test_the_documentation_is_drawn_and_a_request_can_be_tried(page: Page) -> None:
    page.goto("/api/docs")
    expect(page.get_by_role("heading", name="Attention Observatory")).to_be_visible()
    page.get_by_role("button", name="get \u200b/healthz", exact=False).first.click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()
    expect(page.locator(".live-responses-table .response .response-col_status")).to_contain_text("200")
