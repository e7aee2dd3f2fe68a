"""Explorer errors: shown in place, keeping input and view."""

import re
from typing import Any

import pytest
from driving import (
    MODEL,
    PLOTTED,
    SENTENCE,
    answers,
    choose_model,
    expect_drawn,
    head,
    true_weights,
    visit,
    without_answers,
)
from playwright.sync_api import Page, Route, expect
from settling import until


@pytest.mark.gate("empty")
@pytest.mark.parametrize(
    ("text", "message"),
    [("", "empty"), ("   ", "empty"), ("word " * 700, "512"), ("word " * 40_001, "200000")],
    ids=["empty", "blank", "too many tokens", "too many characters"],
)
def test_errors_stand_beside_the_text_and_keep_it(page: Page, problems: Any, text: str, message: str) -> None:
    problems.expect("console: .*422")
    visit(page)
    page.locator("#text").fill(text)
    page.keyboard.press("Enter")
    expect(page.locator("#text-error")).to_contain_text(re.compile(message, re.IGNORECASE))
    expect(page.locator("#text")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#text")).to_have_value(text)
    expect(page.locator(".token")).to_have_count(13)  # what was shown stays
    page.locator("#text").fill("Fine now.")
    page.keyboard.press("Enter")
    expect(page.locator("#text-error")).to_be_hidden()


@pytest.mark.gate
def test_a_refusal_of_no_field_stands_below_the_form(page: Page, problems: Any) -> None:
    """As of an answer too large, which no test can ask of a server for everybody."""
    problems.expect("console: .*422")
    visit(page)
    refused = {"code": "answer_too_large", "message": "The answer would be too large.", "field": None, "limit": 1}
    with answers(page, "**/api/analyses", lambda route: route.fulfill(status=422, json={"error": refused})):
        page.locator("#text").fill("Another text.")
        page.keyboard.press("Enter")
        expect(page.locator("#progress [role=alert]")).to_have_text("The answer would be too large.")
    expect(page.locator(".token")).to_have_count(13)  # what was shown stays
    page.locator("#progress").get_by_role("button", name="Try again").click()
    expect(page.locator(".token")).to_have_count(5)
    expect(page.locator("#progress [role=alert]")).to_be_hidden()


def test_an_unknown_model_is_said_beside_the_model(page: Page, problems: Any) -> None:
    problems.expect("console: .*404")
    page.goto("/?model=nobody/nothing&layer=99")
    expect(page.locator("#model-error")).to_contain_text("no model called")
    expect(page.locator("#text")).to_have_value(SENTENCE)
    for name in ("#head-title", "#grid-size"):  # there is no such head, and no such number of them
        expect(page.locator(name)).to_be_hidden()
    choose_model(page, MODEL)
    until(page, PLOTTED)
    expect(page.locator("#head-title")).to_be_visible()
    expect(page.locator("#grid-size")).to_be_visible()
    expect(page.locator("#model-error")).to_be_hidden()


def test_models_that_cannot_be_had_say_why(page: Page) -> None:
    visit(page)
    page.locator("#choose-model").click()
    picker = page.locator("#model-picker")
    gpt2 = picker.locator("[data-key='openai-community/gpt2']")
    expect(gpt2).to_have_attribute("aria-disabled", "true")
    expect(gpt2).to_contain_text("not available")
    expect(gpt2).to_contain_text("It is not on this machine, and the Hugging Face Hub is switched off")
    expect(gpt2).to_contain_text("12 layers × 12 heads · 137M parameters · 523 MiB · up to 1024 tokens · mit")
    expect(picker.locator("[aria-current=true]")).to_contain_text("in memory")
    used = page.request.get("/api/models").json()["memory"]["used_bytes"]  # other tests may have asked for other models
    assert used >= 86.6 * 2**20
    expect(picker).to_contain_text(f"Models use {used / 2**20:.3g} MiB of 4 GiB of memory.")
    gpt2.press("Enter")
    expect(picker).to_be_visible()
    page.locator("#model-query").fill("gpt2")
    expect(picker.locator(".model-row")).to_have_count(4)
    expect(picker.get_by_role("button", name="Search the Hugging Face Hub")).to_be_hidden()
    page.keyboard.press("Escape")  # empties the field, as in any search
    expect(picker.locator(".model-row")).not_to_have_count(4)
    page.keyboard.press("Escape")
    expect(page.locator("#choose-model")).to_be_focused()


def test_a_busy_server_is_asked_again(page: Page, problems: Any) -> None:
    problems.expect("console: .*503")
    asked: list[int] = []
    seen: list[str] = []

    def busy_until_seen(route: Route) -> None:
        asked.append(1)
        if not seen:
            error = {"code": "queue_full", "message": "Full.", "field": None, "limit": 64}
            route.fulfill(status=503, headers={"Retry-After": "1"}, json={"error": error})
        else:
            route.continue_()

    without_answers(page)
    with answers(page, "**/api/analyses", busy_until_seen):
        page.goto("/")
        expect(page.get_by_role("button", name="Stop waiting")).to_be_visible()
        seen.append("the page waits")
        until(page, PLOTTED)
    assert len(asked) >= 2


def test_an_expired_analysis_is_posted_again_unasked(page: Page, problems: Any) -> None:
    problems.expect("console: .*404")
    visit(page)
    gone: list[int] = []

    def expire_once(route: Route) -> None:
        gone.append(1)
        if len(gone) == 1:
            error = {"code": "analysis_expired", "message": "Gone.", "field": None, "limit": None}
            route.fulfill(status=404, json={"error": error})
        else:
            route.continue_()

    with answers(page, "**/weights?*", expire_once):
        head(page, 1, 1).click()
        expect_drawn(page, true_weights(page, SENTENCE, 1, 1))
    expect(page.locator("#matrix-problem")).to_be_hidden()


def test_running_can_be_cancelled(page: Page) -> None:
    visit(page)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    with answers(page, "**/api/analyses", hold):
        page.locator("#text").fill("Something slow.")
        page.keyboard.press("Enter")
        expect(page.locator("#run")).to_have_text("Cancel")
        expect(page.locator(".progress-bar")).to_be_visible()
        page.locator("#run").click()
        expect(page.locator("#run")).to_have_text("Analyse")
    expect(page.locator("#text")).to_have_value("Something slow.")
    expect(page.locator(".token")).to_have_count(13)
