"""The Explorer's examples."""

import re

import numpy as np
from driving import PLOTTED, choose_example, drawn, expect_address, visit, wait_for_map
from playwright.sync_api import Page, expect
from settling import until

DECODER = "observatory-gpt2-mini"


def test_a_repetition_is_shown_in_our_decoder(page: Page) -> None:
    """At the second "cat" a head reads what followed the first one, "met"."""
    visit(page)
    choose_example(page, "Repetition in a decoder")
    expect(page.locator("#head-title")).to_have_text("Layer 1, head 0", timeout=60_000)
    until(page, "(model) => document.querySelector('#model').value === model", arg=DECODER)
    wait_for_map(page, "cells.length === 20")
    expect_address(page, model=DECODER, layer="1", head="0", query="12", key="3")
    weights = drawn(page)
    assert weights.shape == (20, 20)
    second = np.arange(10, 19)
    assert float(weights[12, 3]) > 0.5
    assert float(np.median(weights[second, second - 9])) > 0.5
    assert np.all(np.isnan(weights[np.triu_indices(20, 1)]) | (weights[np.triu_indices(20, 1)] == 0))


def test_the_next_example_comes_back_to_the_encoder(page: Page) -> None:
    visit(page)
    choose_example(page, "Repetition in a decoder")
    wait_for_map(page, "cells.length === 20")
    choose_example(page, "Two texts")
    until(page, "() => document.querySelector('#model').value.endsWith('all-MiniLM-L6-v2')")
    expect(page.locator("#head-title")).to_have_text("Layer 3, head 1")
    until(page, PLOTTED)
    assert page.locator(".field-error:visible").count() == 0


def test_from_heads_that_learn_to_a_trained_one(page: Page) -> None:
    """The link on /training opens the table of heads, with the scores on repeated tokens."""
    page.goto("/training")
    page.get_by_role("link", name="A small GPT-2 in the Explorer").click()
    rows = page.locator(".heads-table tbody tr")
    expect(rows).to_have_count(36, timeout=60_000)
    expect(page.locator("th[aria-sort=descending]")).to_have_text(re.compile("Induction"))
    expect(rows.first).to_contain_text("0.99")
    expect(rows.nth(2)).not_to_contain_text("0.99")
    expect(page.locator("#head-title")).to_have_text("Whole model · Heads")
    expect(page.locator("#heads-name")).to_have_text("Layer 1, head 0")


def test_an_example_of_another_model_leaves_the_changes_behind(page: Page) -> None:
    """Layer 5 of the encoder has a head 11; the decoder has six heads, and would refuse to be asked."""
    visit(page, "/?changes=off-5.11")
    expect(page.locator(".chip")).to_have_count(1)
    choose_example(page, "One word, two senses")
    expect(page.locator("#head-title")).to_have_text("Layer 0, head 4")
    expect(page.locator(".chip")).to_have_count(1)  # the same model
    choose_example(page, "Repetition in a decoder")
    expect(page.locator("#head-title")).to_have_text("Layer 1, head 0")
    expect(page.locator(".chip")).to_have_count(0)
    expect(page.locator(".token").first).to_contain_text("One")
    expect_address(page, changes=None)
    page.go_back()
    expect(page.locator(".chip")).to_have_count(1)
    expect(page.locator(".token").first).to_contain_text("[CLS]")
