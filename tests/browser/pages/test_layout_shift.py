"""Nothing jumps on a first visit to a concept's page, on a slow network, at a desk and on a phone."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from settling import settle, until

from benchmarks.layout_shift import SETTLED, SIZES, WATCH
from server.pages.site import PAGES
from slow_network import POOR, slowed

PATHS = [page.path for page in PAGES if page.has_frame or page.stem == "lessons"]
MOST = {1440: 0.01, 390: 0.05}
"""Layout shift by width. On a phone a formula's font may break a line anew; twice as much is still good."""
OTHERS = ["/embed/rope", "/embed/parity", "/rope?view=sky&theta=0.15&slide=8", "/scoring?lang=ja", "/circle?t=0.02"]


@pytest.fixture(scope="module")
def slow_url(server_url: str) -> Iterator[str]:
    """The server behind 100 ms and 5 Mbit/s."""
    with slowed(server_url, POOR) as address:
        yield address


@pytest.mark.parametrize("path", [*PATHS, *OTHERS])
def test_nothing_jumps(browser: Browser, slow_url: str, path: str) -> None:
    for width, height in SIZES.items():
        context = browser.new_context(viewport={"width": width, "height": height})
        page = context.new_page()
        page.add_init_script(WATCH)
        page.goto(slow_url + path)
        until(page, SETTLED)
        settle(page)
        shifts = page.evaluate("() => window.shifts")
        context.close()
        assert sum(shift["value"] for shift in shifts) < MOST[width], (width, shifts)


def test_a_page_whose_scripts_fail_is_read_all_the_same(page: Page, problems: Any) -> None:
    """What waits for the picture is seen a little later without it."""
    problems.expect("net::ERR_FAILED")
    page.route("**/*.js", lambda route: route.abort())
    page.goto("/rope")
    assert page.locator(".why").evaluate("(why) => getComputedStyle(why).visibility") == "hidden"
    page.evaluate("() => document.getAnimations().forEach((one) => one.finish())")
    expect(page.locator(".why")).to_be_visible()


def test_without_scripts_a_page_is_read_at_once(browser: Browser, server_url: str) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(server_url + "/rope")
        expect(page.locator(".why")).to_be_visible()
