"""The API documentation works under the strict CSP, without external resources."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from profiles import Problems
from settling import until

PAGE_COLOUR = "() => getComputedStyle(document.body.querySelector('.opblock-tag')).color"


def test_the_documentation_is_drawn_and_a_request_can_be_tried(page: Page) -> None:
    page.goto("/api/docs")
    expect(page.get_by_role("heading", name="Attention Observatory")).to_be_visible()
    groups = page.locator(".opblock-tag")
    expect(groups.nth(30)).to_be_attached()  # every group of routes has its row
    page.get_by_placeholder("Filter by tag").fill("health")
    expect(groups).to_have_count(1)
    groups.click()
    page.get_by_role("button", name="get \u200b/healthz", exact=False).first.click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()
    expect(page.locator(".live-responses-table .response .response-col_status")).to_contain_text("200")


def test_the_documentation_is_in_the_site_s_frame_and_theme(page: Page) -> None:
    page.goto("/api/docs?theme=night&lang=ja")
    expect(page.get_by_role("link", name="エクスプローラ")).to_be_visible()
    expect(page.locator(".opblock-tag").first).to_be_visible()
    dark = page.evaluate(PAGE_COLOUR)
    page.get_by_label("配色").select_option("paper")
    expect(page.locator("html")).not_to_have_class("dark-mode")
    until(page, f"(dark) => ({PAGE_COLOUR})() !== dark", arg=dark)  # Swagger UI fades from one to the other
    wide = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0


@pytest.mark.parametrize("what", ["swagger-ui-bundle", "openapi.json"])
def test_what_cannot_be_loaded_is_said_and_tried_again(page: Page, problems: Problems, what: str) -> None:
    problems.expect("503|ERR_FAILED")
    page.route(re.compile(re.escape(what)), lambda route: route.fulfill(status=503))
    page.goto("/api/docs")
    expect(page.get_by_role("alert")).to_contain_text("could not be loaded")
    page.unroute_all()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("heading", name="Attention Observatory")).to_be_visible()


def test_an_unknown_address_has_a_page_with_ways_onward(page: Page, problems: Problems, axe: Callable) -> None:
    problems.expect("404")
    page.goto("/nowhere")
    expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
    axe(page)
    page.get_by_label("Theme").select_option("night")
    expect(page.locator("html")).to_have_attribute("data-theme", "night")
    page.get_by_role("main").get_by_role("link", name="Circle").click()
    expect(page).to_have_url(re.compile("/circle"))
