"""The main panel's views: a tab each, one shared selection."""

import re

from driving import PLOTTED, expect_address, head, visit
from playwright.sync_api import Page, expect


def test_tabs_are_switched_by_mouse_and_keyboard_and_go_back(page: Page) -> None:
    visit(page)
    tabs = page.get_by_role("tab")
    expect(tabs.first).to_have_attribute("aria-selected", "true")
    page.get_by_role("tab", name="Heads").click()
    expect(page.get_by_role("tabpanel", name="Heads")).to_be_visible()
    expect(page.locator("#panel-matrix")).to_be_hidden()
    expect(page.locator(".matrix-cells")).to_have_count(0)  # destroyed, not hidden
    expect_address(page, view="heads")
    page.keyboard.press("End")
    expect(tabs.last).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(tabs.first).to_be_focused()
    page.wait_for_function(PLOTTED)
    expect_address(page, view=None)
    page.go_back()
    expect(tabs.last).to_have_attribute("aria-selected", "true")


def test_the_table_of_heads_sorts_and_says_the_metrics(page: Page) -> None:
    page.goto("/?view=heads")
    rows = page.locator(".heads-table tbody tr")
    expect(rows).to_have_count(72)
    page.get_by_role("button", name="Previous token").click()
    expect(page.locator("th[aria-sort=descending]")).to_have_text(re.compile("Previous token"))
    expect(rows.first).to_contain_text("0.2")
    column = page.locator(".heads-table tbody td:nth-child(5)")
    values = [float(text) for text in column.all_text_contents()]
    assert values == sorted(values, reverse=True)
    assert values[0] == 1.0
    page.get_by_role("button", name="Previous token").click()
    expect(page.locator("th[aria-sort=ascending]")).to_have_text(re.compile("Previous token"))
    assert [float(text) for text in column.all_text_contents()] == sorted(values)
    expect_address(page, order="previous_token")
    page.get_by_text("What the measures mean").click()
    expect(page.locator(".metric-notes")).to_contain_text("Source: Clark et al. (2019), section 3.1")


def test_heads_are_found_filtered_and_picked(page: Page) -> None:
    page.goto("/?view=heads")
    rows = page.locator(".heads-table tbody tr")
    expect(rows).to_have_count(72)
    page.locator("#heads-find").fill("3")
    expect(rows).to_have_count(12)
    page.get_by_text("Filter by value").click()
    page.get_by_label("Entropy: at most").fill("50")
    expect(page.locator("#panel-heads [role=status]")).not_to_have_text("12 of 72 heads")
    most = float(page.locator(".limit output").first.text_content()[-4:])  # type: ignore[index]
    assert all(float(text) <= most for text in page.locator(".heads-table tbody td:nth-child(3)").all_text_contents())
    expect_address(page, find="3")
    page.get_by_role("button", name="Show all", exact=True).click()
    expect(rows).to_have_count(72)
    page.get_by_role("button", name="0.0 Layer 0, head 0", exact=True).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#heads-name")).to_have_text("Layer 0, head 1")
    expect(head(page, 0, 1)).to_have_attribute("aria-selected", "true")
    page.get_by_role("checkbox", name="Also draw Layer 2, head 3").check()
    expect_address(page, heads="2.3")
