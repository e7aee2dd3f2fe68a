"""Another model: the same words stay chosen, and a vocabulary that does not know the script is said."""

import re

from driving import choose_example, choose_model, expect_address, visit
from playwright.sync_api import Page, expect

DECODER = "observatory-gpt2-mini"


def test_the_same_words_stay_chosen_and_an_unknown_script_is_said(page: Page) -> None:
    visit(page)
    expect_address(page, layer="5", head="11", query="8", key="2")  # it → cat, behind [CLS]
    warnings = page.locator("#progress .warnings")
    expect(warnings).to_be_hidden()
    choose_model(page, DECODER)
    expect(page.locator("#grid-size")).to_have_text("6 layers × 6 heads")
    expect_address(page, model=DECODER, query="7", key="1")
    head = page.evaluate("() => Number(new URLSearchParams(location.search).get('head'))")
    assert head < 6
    choose_example(page, "Arabic")
    expect(warnings).to_have_text(re.compile(r"^\d\d of 73 tokens are single bytes: .* hardly knows this script\.$"))
