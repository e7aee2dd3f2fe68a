"""View accessibility: axe passes, no horizontal overflow, no excess height."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

READY = {
    "lines": ".lines-token",
    "vectors": ".vectors-steps",
    "token": ".token-scroller[aria-busy=false]",
    "rollout": ".rollout[aria-busy=false]",
    "output": ".attribution-map .matrix-frame",
    "heads": ".heads-table tbody tr",
}


@pytest.mark.parametrize("view", READY)
@pytest.mark.parametrize(
    ("width", "scheme", "locale"), [(1440, "dark", "en"), (390, "light", "ja")], ids=["desktop-night", "phone-ja"]
)
def test_a_view_is_accessible_and_fits(
    open_page: Callable[..., Page], axe: Callable[[Page], None], view: str, width: int, scheme: str, locale: str
) -> None:
    page = open_page(width=width, colour_scheme=scheme, locale=locale)
    page.goto(f"/?view={view}&heads=3.1_0.2&lock=query")
    page.wait_for_selector(READY[view])
    # What only screen readers see, in a long table, must not lengthen the page.
    assert page.evaluate("() => document.documentElement.scrollHeight - document.body.offsetHeight") <= 0
    for summary in page.locator(f"#panel-{view} summary").all():
        summary.click()
    expect(page.locator("#panel-matrix")).to_be_hidden()
    axe(page)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    assert page.evaluate("() => document.getAnimations().length") == 0
