"""The main panel's views: a tab each, one shared selection."""

import re
from collections.abc import Callable

import pytest
from driving import PLOTTED, SENTENCE, expect_address, head, visit
from playwright.sync_api import Page, expect
from settling import until


def test_the_shortcuts_are_shown_by_their_key_and_their_button(page: Page, axe: Callable[[Page], None]) -> None:
    visit(page)
    page.locator("#text").press("End")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog).to_be_hidden()  # it was typed
    expect(page.locator("#text")).to_have_value(f"{SENTENCE}?")
    page.keyboard.press("Backspace")
    head(page, 0, 2).focus()
    page.keyboard.press("?")
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text("switch the head off")
    axe(page)
    page.keyboard.press("u")  # keys of the page rest
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(head(page, 0, 2)).to_be_focused()
    expect(page.locator("#changed")).to_be_hidden()
    page.get_by_role("button", name="Keyboard shortcuts").click()
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()


@pytest.mark.gate
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
    until(page, PLOTTED)
    expect_address(page, view=None)
    page.go_back()
    expect(tabs.last).to_have_attribute("aria-selected", "true")


def test_the_table_of_heads_sorts_and_says_the_metrics(page: Page) -> None:
    page.goto("/?view=heads")
    rows = page.locator(".heads-table tbody tr")
    expect(rows).to_have_count(72)
    page.get_by_role("button", name="Previous token", exact=True).click()
    expect(page.locator("th[aria-sort=descending]")).to_have_text(re.compile("Previous token"))
    expect(rows.first).to_contain_text("L0 H2")
    column = page.locator(".heads-table tbody td:nth-child(5)")
    values = [float(text) for text in column.all_text_contents()]
    assert values == sorted(values, reverse=True)
    assert values[0] == 1.0
    page.get_by_role("button", name="Previous token", exact=True).click()
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
    expect(page.locator(".grid-cell.is-dimmed")).to_have_count(60)
    strip = page.get_by_role("group", name="Filter by Entropy")
    strip.scroll_into_view_if_needed()
    box = strip.bounding_box()
    assert box
    page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 12)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 12, steps=4)
    page.mouse.up()
    expect(page.locator("#panel-heads [role=status]")).not_to_have_text("12 of 72 heads")
    least, most = strip.get_by_role("slider").evaluate_all("(all) => all.map((one) => Number(one.ariaValueNow))")
    assert 0 < least < most
    page.get_by_role("slider", name="Entropy: at most").press("ArrowLeft")
    expect(page.get_by_role("slider", name="Entropy: at most")).not_to_have_attribute("aria-valuenow", f"{most:.4f}")
    entropies = page.locator(".heads-table tbody td:nth-child(3)")
    assert all(least - 0.005 <= float(text) <= most for text in entropies.all_text_contents())
    expect(page.locator(".grid-cell.is-dimmed")).to_have_count(72 - entropies.count())
    expect_address(page, find="3")
    page.get_by_label("Across").select_option("first_token")
    page.locator(".scatter-head[data-head='3.1']").hover(force=True)
    expect(page.locator("#panel-heads .readout")).to_have_text(re.compile(r"^L\d H\d+ · First token 0\.\d\d · "))
    expect(page.locator(".scatter-head.is-dimmed")).to_have_count(72 - entropies.count())
    named = page.locator("#panel-heads .readout").inner_text().split(" ·")[0]
    page.mouse.down()
    page.mouse.up()
    layer, number = (int(one) for one in re.findall(r"\d+", named))
    expect(page.locator("#heads-name")).to_have_text(f"Layer {layer}, head {number}")
    expect_address(page, across="first_token", layer=str(layer))
    # By keys: the arrows name the heads one after the other, Enter opens one.
    scatter = page.get_by_role("slider", name=re.compile("^All heads by First token"))
    scatter.press("Home")
    least = scatter.get_attribute("aria-valuetext") or ""
    scatter.press("ArrowRight")
    expect(scatter).not_to_have_attribute("aria-valuetext", least)
    expect(scatter).to_have_attribute("aria-valuenow", re.compile(r"^\d+$"))
    layer, number = (int(one) for one in re.findall(r"\d+", (scatter.get_attribute("aria-valuetext") or "")[:9])[:2])
    scatter.press("Enter")
    expect(page.locator("#heads-name")).to_have_text(f"Layer {layer}, head {number}")
    expect(scatter).to_be_focused()
    page.locator("#panel-heads").get_by_role("button", name="Show all", exact=True).click()
    expect(rows).to_have_count(72)
    page.get_by_role("button", name="L0 H0 Layer 0, head 0", exact=True).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#heads-name")).to_have_text("Layer 0, head 1")
    expect(head(page, 0, 1)).to_have_attribute("aria-selected", "true")
    page.get_by_role("checkbox", name="Also draw Layer 2, head 3").check()
    expect_address(page, heads="2.3")


def test_a_decoder_opens_on_its_last_token_in_every_view_and_on_one_output(page: Page) -> None:
    page.goto("/?model=observatory-gpt2-mini&text=One black cat met two white dogs. One black cat met two")
    until(page, PLOTTED)
    expect_address(page, query="14", output=None)
    expect(page.locator("#reads .reads-title")).to_contain_text(re.compile("two(14|₁₄) attends to"))
    page.get_by_role("tab", name="Token").click()
    expect(page.locator(".token-title")).to_contain_text(re.compile("two(14|₁₄) attends to"))
    page.get_by_role("tab", name="Rollout").click()
    expect(page.locator(".rollout-title")).to_contain_text(re.compile("two(14|₁₄) through the layers"))
    page.get_by_role("tab", name="Output").click()
    title = page.locator(".output-chooser .token-title")
    expect(title).to_contain_text("two14 After this token")
    page.get_by_role("tab", name="Flow").click()
    name = page.locator(".flow-output-name")
    expect(name).to_contain_text("two")

    # Another output is that of every view, until another token is chosen in the text.
    page.locator("#flow-output").fill("9")
    page.locator("#flow-output").press("Enter")
    expect_address(page, query="14", output="9")
    page.get_by_role("tab", name="Output").click()
    expect(title).to_contain_text(re.compile(".(9|₉) After this token"))
    page.locator("#tokens .token").nth(5).click()
    expect_address(page, query="5", output=None)
    expect(title).to_contain_text(re.compile("white(5|₅) After this token"))
    page.get_by_role("tab", name="Flow").click()
    expect(page.locator("#flow-output")).to_have_value("5")
