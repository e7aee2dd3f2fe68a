"""The induction study from the page alone: which heads, through what, along which path; and a refusal."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from driving import expect_address, expect_fits
from playwright.sync_api import Page, expect

READY = """() => document.querySelector(".patching-results:not([hidden])")?.getAttribute("aria-busy") === "false" """


def strongest(page: Page, count: int) -> set[str]:
    return {text.split("+")[0].strip(" ,") for text in page.locator(".shares-list li").all_text_contents()[:count]}


def test_the_induction_study_from_the_page_alone(page: Page, problems: Any) -> None:
    page.goto("/?view=patching")
    panel = page.locator("#panel-patching")
    expect(panel).to_contain_text("Two prompts of equally many tokens")
    panel.get_by_role("link", name="Induction: the word before").click()
    page.wait_for_function(READY)
    expect(panel.locator(".patching-runs")).to_contain_text("“␣Norfolk” − “␣Madonna” at token 12: clean 11.12")
    expect(panel.locator(".patching-title")).to_have_text("Effect of patching each head: pattern (weights)")
    assert strongest(page, 2) == {"Layer 1, head 0", "Layer 1, head 1"}
    expect(panel.locator(".patching-meaning li").first).to_contain_text("Denoising:")
    # A head of the list is chosen everywhere; the study goes on from it.
    panel.locator(".shares-list").get_by_role("button", name=re.compile("Layer 1, head 0")).click()
    expect_address(page, layer="1", head="0")
    panel.get_by_label("Study").select_option("receiver")
    panel.get_by_label("Through its").select_option("keys")
    expect(panel.locator(".patching-title")).to_contain_text("other heads to L1 H0, through its keys")
    page.wait_for_function(READY)
    assert strongest(page, 2) == {"Layer 0, head 0", "Layer 0, head 1"}
    expect_address(page, paths="receiver", via="keys")
    # By position, where the words differ.
    panel.get_by_label("Study").select_option("")
    panel.get_by_label("Patched").select_option("residual")
    expect(panel.locator(".patching-title")).to_have_text("Effect of patching each position: residual stream")
    expect(panel.locator(".shares-list li").first).to_contain_text("Sonic, token 12")
    panel.get_by_text("Show as a table").click()
    expect(panel.locator("table.numbers tbody tr")).to_have_count(6)
    problems.expect("console: .*409")
    # Another number of tokens is refused, with the tokens of both; the next prompt is taken.
    field = panel.get_by_label("Corrupt prompt")
    field.fill("Pacific Duke Burma")
    field.press("Enter")
    expect(panel.get_by_role("alert")).to_contain_text("clean has 13, corrupt 5")
    expect(panel.locator(".patching-results")).to_be_hidden()
    field.fill("Pacific Duke Sonic Wales Juliet Burma Madonna . Pacific Duke Sonic")
    panel.get_by_role("button", name="Patch", exact=True).click()
    expect(panel.locator(".patching-runs")).to_contain_text("“␣Norfolk” − “␣Wales”")
    expect(panel.get_by_role("alert")).to_have_count(0)


def test_the_study_by_position_fits_everyone(each_look: Page, axe: Callable[[Page], None]) -> None:
    asked = {
        "model": "observatory-gpt2-mini",
        "text": "Pacific Duke Sonic Norfolk Juliet Burma Madonna . Pacific Duke Sonic",
        "corrupt": "Pacific Duke Burma Norfolk Juliet Sonic Madonna . Pacific Duke Sonic",
        "view": "patching",
        "patched": "residual",
    }
    each_look.goto(f"/?{urlencode(asked)}")
    each_look.wait_for_function(READY)
    each_look.locator("#panel-patching details.disclosure summary").click()
    expect_fits(each_look, axe)
