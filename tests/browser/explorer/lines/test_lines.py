"""Lines between tokens: match the weights, several heads at once, fast at any length."""

import re

import numpy as np
import pytest
from driving import SENTENCE, expect_address, head, true_weights
from playwright.sync_api import Page, expect
from settling import until

COUNT = re.compile(r"^\d+ lines$")


def lines(page: Page, address: str = "/?view=lines") -> None:
    page.goto(address)
    until(page, "() => Number(document.querySelector('.lines ~ .note')?.textContent.match(/\\d+/)?.[0]) > 0")


def expected_lines(weights: np.ndarray, share: float) -> int:
    """As few keys of each row as reach the share, counted by brute force."""
    ranked = -np.sort(-weights.astype(np.float64), axis=1)
    return int((ranked.cumsum(axis=1) < share * ranked.sum(axis=1, keepdims=True) - 1e-6).sum() + len(weights))


def test_lines_are_those_that_reach_the_share(page: Page) -> None:
    lines(page)
    weights = true_weights(page, SENTENCE, 5, 11)
    note = page.locator(".lines ~ .note")
    expect(note).to_have_text(f"Lines drawn: {expected_lines(weights, 0.7)}")
    expect(page.locator(".lines-column.is-query [role=option]")).to_have_count(13)
    page.get_by_label("Strongest lines of each row").fill("40")
    expect(note).to_have_text(f"Lines drawn: {expected_lines(weights, 0.4)}")
    until(page, "() => new URLSearchParams(location.search).get('top') === '40'")


@pytest.mark.gate
def test_pointing_writes_the_weights_and_a_click_keeps_them(page: Page) -> None:
    lines(page)
    weights = true_weights(page, SENTENCE, 5, 11)
    page.locator("#lines-query-8").hover()
    expect(page.locator(".lines-readout")).to_contain_text(f"it attends to cat {weights[8, 2]:.2f}")
    expect(page.locator("#lines-key-2 .lines-share")).to_have_text(f"{weights[8, 2]:.2f}")
    expect(page.locator(".token.is-pointed-query")).to_have_text(re.compile("^it"))
    page.locator("#lines-key-2").hover()
    expect(page.locator(".lines-readout")).to_contain_text("cat is attended to by")
    expect(page.locator("#lines-query-8 .lines-share")).to_have_text(f"{weights[8, 2]:.2f}")
    page.locator("#lines-key-6").click()
    expect_address(page, lock="key")
    page.mouse.move(5, 5)
    expect(page.locator(".lines-readout")).to_contain_text("mat is attended to by")
    page.get_by_role("button", name="Show all lines").click()
    expect(page.locator(".lines-readout")).to_be_empty()
    page.go_back()
    expect(page.locator(".lines-readout")).to_contain_text("mat is attended to by")


def test_all_of_24_tokens_are_in_view_at_once(page: Page) -> None:
    lines(page, "/?view=lines&text=the cat sat on a mat and the dog ran to the house by the sea as it was so hot there")
    for side in ("query", "key"):
        expect(page.locator(f".lines-column.is-{side} [role=option]")).to_have_count(24)
        sizes = page.locator(f".lines-column.is-{side} .lines-list").evaluate(
            "(one) => [one.scrollHeight, one.clientHeight]"
        )
        assert sizes[0] <= sizes[1]
    height = page.locator("#lines-query-8").bounding_box()
    assert height
    assert height["height"] >= 24


def test_the_keyboard_follows_locks_and_lets_go(page: Page) -> None:
    lines(page)
    page.get_by_role("listbox", name="Queries: tokens that attend").focus()
    for key in ("Home", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    expect(page.locator(".lines-readout")).to_contain_text("cat attends to")
    page.keyboard.press("Enter")
    expect_address(page, lock="query", query="2")
    expect(page.locator("#lines-query-2")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(page.locator("#lines-query-2")).to_have_attribute("aria-selected", "false")


def test_heads_come_together_with_names_and_as_a_mean(page: Page) -> None:
    lines(page)
    page.get_by_label("Draw another head").select_option(label="Layer 3, head 1")
    chips = page.locator(".series-chip")
    expect(chips).to_have_text([re.compile("Layer 5, head 11"), re.compile("Layer 3, head 1")])
    weights = [true_weights(page, SENTENCE, *at) for at in ((5, 11), (3, 1))]
    note = page.locator(".lines ~ .note")
    expect(note).to_have_text(f"Lines drawn: {sum(expected_lines(each, 0.7) for each in weights)}")
    page.get_by_label("Mean of 2 heads").check()
    expect(note).to_have_text(f"Lines drawn: {expected_lines((weights[0] + weights[1]) / 2, 0.7)}")
    expect(chips.first).to_have_text("Mean of 2 heads:")
    page.get_by_role("button", name="Remove Layer 3, head 1").click()
    expect(chips).to_have_count(1)
    page.get_by_label("Draw another head").select_option(label="all heads of layer 0")
    expect(chips).to_have_count(14)
    head(page, 0, 5).click()
    expect(chips.nth(1)).to_contain_text("Layer 0, head 5")


def test_special_tokens_are_hidden_and_sub_words_merged(page: Page) -> None:
    text = "Unbelievably, the cartographer was right."
    lines(page, f"/?view=lines&text={text}&layer=5&head=11&top=100")
    before = page.locator(".lines-column.is-query [role=option]").count()
    page.get_by_label("Hide special tokens").check()
    expect(page.locator(".lines-column.is-query [role=option]")).to_have_count(before - 2)
    page.get_by_label("Whole words").check()
    labels = page.locator(".lines-column.is-key .lines-label")
    expect(labels.first).to_have_text("Unbelievably")
    assert page.locator(".lines-column.is-key [role=option]").count() < before - 2
    expect_address(page, hide="1", words="1")


def test_long_texts_scroll_and_only_what_is_in_view_is_on_the_page(page: Page) -> None:
    lines(page)
    page.locator("#text").fill("the cat sat " * 165)
    page.keyboard.press("Enter")
    expect(page.locator("#lines-query-3")).to_have_attribute("aria-setsize", "497")
    assert page.locator(".lines-token").count() < 160
    page.get_by_role("listbox", name="Queries: tokens that attend").focus()
    page.keyboard.press("End")
    expect(page.locator("#lines-query-496")).to_be_visible()
    expect(page.locator("#lines-key-496")).to_be_visible()  # the same text: both columns scroll
    expect(page.locator(".lines-readout")).to_contain_text("[SEP] attends to")
