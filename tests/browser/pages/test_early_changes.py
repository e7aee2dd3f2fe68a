"""Before its script: what somebody sets in a page is kept, and no text stands there that the address does not name."""

import re
from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from driving import DRAWN, MODEL, PLOTTED, SENTENCE, address, before_the_script, visit
from playwright.sync_api import Page, expect
from settling import until

LONG = "The quick brown fox jumps over the lazy dog, and the dog sleeps on. " * 30


def test_a_text_typed_early_is_a_draft(page: Page) -> None:
    with before_the_script(page, "/?lang=en", "explorer"):
        page.locator("#text").fill("A dog ran.")
        page.locator("#text").evaluate("(text) => text.setSelectionRange(2, 5)")
    until(page, PLOTTED)
    expect(page.locator("#text")).to_have_value("A dog ran.")
    assert page.locator("#text").evaluate("(text) => [text.selectionStart, text.selectionEnd]") == [2, 5]
    expect(page.locator("#freshness")).to_contain_text(f"Still showing “{SENTENCE}”. ")
    expect(page.locator("#freshness")).to_contain_text("The new text has not been analysed yet.")
    expect(page.locator(".token")).to_have_count(13)
    page.locator("#run").click()
    expect(page.locator(".token")).to_have_count(6)
    assert "text=A+dog+ran." in address(page)


def test_a_theme_chosen_early_is_applied(page: Page) -> None:
    with before_the_script(page, f"/?{urlencode({'lang': 'en', 'model': MODEL})}", "explorer"):
        page.locator("#theme").select_option("night")
    until(page, PLOTTED)
    expect(page.locator("#model")).to_have_value(MODEL)
    expect(page.locator("#freshness")).to_be_hidden()
    expect(page.locator("html")).to_have_attribute("data-theme", "night")


def test_analyse_before_the_script_opens_the_page_with_the_text(page: Page) -> None:
    with before_the_script(page, "/?lang=ja", "explorer"):
        page.locator("#text").fill("A dog ran.")
        page.locator("#run").click(no_wait_after=True)
        page.wait_for_url("**/?lang=ja&text=A+dog+ran.&**", wait_until="commit")
        expect(page.locator("#text")).to_have_value("A dog ran.")
    until(page, PLOTTED)
    expect(page.locator(".token")).to_have_count(6)


def test_controls_set_early_win_on_a_concept_s_page(page: Page) -> None:
    with before_the_script(page, "/rope?theta=0.3", "rope"):
        page.locator("[data-bind=theta]").fill("1.2")
        page.locator("#theme").select_option("night")
    until(page, "() => new URLSearchParams(location.search).get('theta') === '1.2'")
    until(page, DRAWN)
    expect(page.locator("[data-bind=theta]")).to_have_value("1.2")
    expect(page.locator("html")).to_have_attribute("data-theme", "night")

    with before_the_script(page, "/softmax?scores=1,2,3", "softmax"):
        page.locator("[data-bind=precision][value=float16]").check(force=True)
        page.locator("[data-bind=scores]").fill("3, 2, 1")
    until(page, "() => new URLSearchParams(location.search).get('precision') === 'float16'")
    until(page, DRAWN)
    expect(page.locator("[data-bind=precision]:checked")).to_have_value("float16")
    expect(page.locator("[data-bind=scores]")).to_have_value("3, 2, 1")
    assert "scores=3_2_1" in address(page)
    assert page.locator("[data-early]").count() == 0


@pytest.mark.parametrize("width", [1440, 390])
def test_an_address_with_a_long_text_never_shows_another(open_page: Callable[..., Page], width: int) -> None:
    page = open_page(width=width)
    visit(page)  # from now on the default sentence is at hand
    expect(page.locator("html")).not_to_have_attribute("data-fragment", re.compile("."))
    fragment = urlencode({"text": LONG})
    tops = {}
    top = "() => document.querySelector('.one-head').getBoundingClientRect().top"
    page.goto("about:blank")
    with before_the_script(page, f"/?lang=en#{fragment}", "explorer"):
        expect(page.locator("#text")).to_be_hidden()
        expect(page.locator(".token")).to_have_count(13)
        for token in page.locator(".token").all():
            expect(token).to_be_hidden()
        expect(page.locator("#examples [aria-pressed=true]")).to_have_css("text-decoration-line", "none")
        tops["before"] = page.evaluate(top)
    until(page, PLOTTED)
    expect(page.locator("#text")).to_have_value(LONG)
    expect(page.locator(".token").first).to_be_visible()
    tops["after"] = page.evaluate(top)
    assert tops["before"] == pytest.approx(tops["after"], abs=2)
