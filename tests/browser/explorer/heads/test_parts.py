"""Other architectures: an encoder–decoder with three parts and two texts, and a decoder that predicts."""

import re

import pytest
from driving import PLOTTED, wait_for_map
from playwright.sync_api import Page, expect
from settling import until

TEXT = "The cat sat on the mat."
TARGET = "A small model reads"


@pytest.fixture(scope="module")
def server_url(models_server_url: str) -> str:
    return models_server_url


@pytest.mark.gate
def test_an_encoder_decoder_has_parts_and_a_target(page: Page) -> None:
    page.goto(f"/?model=tiny-t5&text={TEXT}&target={TARGET}")
    until(page, PLOTTED)
    expect(page.locator("#target_text")).to_have_value(TARGET)
    parts = page.locator("#parts label")
    expect(parts).to_have_text(["Encoder", "Decoder", "Cross-attention"])
    source = page.locator(".token").count()
    parts.nth(1).click()
    expect(page.locator(".token")).not_to_have_count(source)
    expect(page.locator("#grid-size")).to_have_text("3 layers × 4 heads")
    target = page.locator(".token").count()
    parts.nth(2).click()
    wait_for_map(page, "cells.length === arg[0] && cells[0].length === arg[1]", [target, source])


def test_every_view_shows_cross_attention(page: Page) -> None:
    page.goto(f"/?model=tiny-t5&text={TEXT}&target={TARGET}&part=cross&view=lines")
    queries, keys = (page.locator(f".lines-column.is-{side} [role=option]") for side in ("query", "key"))
    expect(keys.last).to_contain_text("</s>")
    assert queries.count() != keys.count()
    page.get_by_role("tab", name="Token").click()
    expect(page.locator(".token-cell")).to_have_count(12)
    page.get_by_role("tab", name="Vectors").click()
    expect(page.locator(".vectors-title")).to_contain_text("of two texts")
    page.get_by_role("tab", name="Heads").click()
    expect(page.locator(".heads-table tbody tr")).to_have_count(12)
    expect(page.get_by_role("button", name="Previous token")).to_have_count(0)  # says nothing between two texts


def test_typing_a_target_analyses_it(page: Page) -> None:
    page.goto(f"/?model=tiny-t5&text={TEXT}&part=decoder")
    until(page, PLOTTED)
    before = page.locator(".token").count()
    page.locator("#target_text").fill(TARGET)
    page.keyboard.press("Enter")
    expect(page.locator(".token")).not_to_have_count(before)


def test_a_decoder_predicts_and_says_that_it_is_untrained(page: Page) -> None:
    page.goto(f"/?model=tiny-gpt2&text={TEXT}")
    until(page, PLOTTED)
    items = page.locator("#predictions .reads-item")
    expect(items.nth(4)).to_be_visible()
    shares = [float(text) for text in page.locator("#predictions .reads-value").all_text_contents()]
    assert shares == sorted(shares, reverse=True)
    expect(page.locator("#predictions .reads-title").first).to_have_text(re.compile("^After "))
    expect(page.locator("#target")).to_be_hidden()
    remark = page.locator(".is-remark").filter(has_text="untrained").first
    expect(remark).to_be_visible()
    remark.get_by_role("button", name="Dismiss this remark").click()
    expect(page.locator(".is-remark").filter(has_text="was the checkpoint loaded")).to_have_count(0)
