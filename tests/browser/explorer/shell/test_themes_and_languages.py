"""The Explorer in either theme and language, and with texts in other scripts."""

import re

import pytest
from driving import (
    PLOTTED,
    visit,
)
from playwright.sync_api import Page, expect
from settling import until


@pytest.mark.gate
def test_the_theme_is_kept(page: Page) -> None:
    visit(page)
    ground = "() => getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(ground)
    page.locator("#theme").select_option("night")
    until(page, f"(light) => ({ground})() !== light", arg=light)
    page.goto("/")
    until(page, PLOTTED)
    assert page.evaluate(ground) != light
    expect(page.locator("#theme")).to_have_value("night")
    page.goto("/?theme=paper")
    assert page.evaluate(ground) == light


def test_the_language_is_switched_and_the_picture_stays(page: Page) -> None:
    visit(page, "/?layer=1&head=4")
    page.get_by_role("link", name="日本語").click()
    until(page, PLOTTED)
    expect(page.locator("html")).to_have_attribute("lang", "ja")
    expect(page.locator("#head-title")).to_have_text("層 1・ヘッド 4")
    expect(page.locator("#run")).to_have_text("分析する")


@pytest.mark.parametrize(
    ("text", "direction", "first"),
    [("جلست القطة على السجادة", "rtl", "ج"), ("猫が眠る。", "ltr", "[UNK]"), ("<b>bold</b> & 🙂", "ltr", "<")],
    ids=["arabic", "japanese", "markup and emoji"],
)
def test_any_script_shows_as_itself(page: Page, text: str, direction: str, first: str) -> None:
    visit(page)
    page.locator("#text").fill(text)
    page.keyboard.press("Enter")
    expect(page.locator(".token").nth(1)).not_to_have_text(re.compile("^the"))
    expect(page.locator(".tokens")).to_have_attribute("dir", direction)
    until(page, PLOTTED)
    assert page.locator("b").count() == 0
    if first != "[UNK]":
        expect(page.locator(".token").nth(1).locator("bdi")).to_have_text(first)
