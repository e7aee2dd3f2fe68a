"""Nothing jumps on a first visit to a concept's page, on a slow network, at a desk and on a phone."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser
from settling import settle, until

from benchmarks.layout_shift import GOOD, SETTLED, SIZES, WATCH
from server.pages.site import PAGES
from slow_network import POOR, slowed

PATHS = [page.path for page in PAGES if page.has_frame or page.stem == "lessons"]
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
        assert sum(shift["value"] for shift in shifts) < GOOD, (width, shifts)
