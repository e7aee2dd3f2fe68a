"""The token view: one token through all layers and heads, consistent with every map."""

import re

import numpy as np
import pytest
from driving import SENTENCE, expect_address, head, true_weights
from playwright.sync_api import Page, expect


def token_view(page: Page, address: str = "/?view=token") -> None:
    page.goto(address)
    page.wait_for_selector(".token-scroller[aria-busy=false]")


@pytest.mark.gate
def test_each_head_shows_what_it_reads_most(page: Page) -> None:
    token_view(page)
    cells = page.locator(".token-cell")
    expect(cells).to_have_count(72)
    for layer, number in ((0, 2), (3, 1), (5, 11)):
        weights = true_weights(page, SENTENCE, layer, number)[8]
        best = [int(index) for index in np.argsort(-weights)[:2]]
        shown = cells.nth(12 * layer + number).locator("[data-other]")
        assert [int(share.get_attribute("data-other") or "") for share in shown.all()] == best
        cells.nth(12 * layer + number).hover()
        expect(page.locator(".token-readout")).to_contain_text(f"Layer {layer}, head {number}:")
        expect(page.locator(".token-readout")).to_contain_text(f"{weights[best[0]]:.2f}")
    expect(page.locator(".token.is-pointed-key")).to_have_text(re.compile("^cat"))


def test_who_reads_it_is_the_column(page: Page) -> None:
    token_view(page)
    page.get_by_label("what attends to it").check(force=True)
    expect(page.locator(".token-title")).to_contain_text("is attended to, in each head, by:")
    column = true_weights(page, SENTENCE, 1, 4)[:, 8]
    best = int(column.argmax())
    expect(page.locator(".token-cell").nth(16).locator("[data-other]").first).to_have_attribute("data-other", str(best))
    page.locator(".token-cell").nth(16).hover()
    expect(page.locator(".token-readout")).to_contain_text(f"({column.sum():.2f} from all queries)")
    expect_address(page, direction="read_by")


def test_a_head_is_picked_by_mouse_and_keyboard_and_the_token_above(page: Page) -> None:
    token_view(page)
    page.locator(".token-cell").nth(13).click()
    expect(page.locator("#heads-name")).to_have_text("Layer 1, head 1")
    expect(head(page, 1, 1).first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#heads-name")).to_have_text("Layer 2, head 1")
    page.locator(".token").nth(4).click()
    expect(page.locator(".token-title")).to_contain_text("on4 attends to, in each head:")


def test_later_tokens_are_not_listed_by_a_decoder_in_any_view(page: Page) -> None:
    text = "One black cat met two white dogs. One black cat met two"
    token_view(page, f"/?model=observatory-gpt2-mini&text={text}&query=1&view=token")
    shares = page.locator(".token-share")
    listed = set(shares.evaluate_all("shares => shares.map(share => share.dataset.other)"))
    assert listed == {"0", "1"}
    expect(page.locator(".token-readout .key-token, .token-readout .is-key")).to_have_count(2)

    page.get_by_role("tab", name="Rollout").click()
    expect(page.locator(".rollout-tokens tbody tr")).to_have_count(2)
    expect(page.locator(".rollout-tokens tfoot")).to_have_count(0)
    page.locator("#panel-rollout .rollout summary").click()
    last = page.locator("#panel-rollout .rollout .numbers tbody tr").last
    expect(last.locator("td").first).to_have_text("masked")
    assert set(last.locator("td").all_text_contents()) == {"masked"}

    page.get_by_role("tab", name="Matrix").click()
    expect(page.locator("#reads")).to_contain_text("13 masked")
    page.locator("#numbers summary").click()
    row = page.locator("#table tbody tr").nth(1).locator("td")
    expect(row).to_have_count(15)
    assert row.all_text_contents()[2:] == ["masked"] * 13
