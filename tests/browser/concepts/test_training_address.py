"""Training page: a run is found again by its address, as long as the server has it."""

import re
from typing import Any

from playwright.sync_api import Browser, Page, expect
from plotting import plot_in, series_in
from training_page import LONG_ENOUGH, TINY, begin, ended, visit

LONG = "?width=16&heads=2&steps=2000"
FINISHED = "Finished after 40 steps"


def loss(page: Page) -> Any:
    page.locator("[data-chart=loss]").scroll_into_view_if_needed()
    return series_in(plot_in(page, "[data-chart=loss]"))["this run"]


def test_reload_back_and_another_tab_show_the_run_of_the_address(page: Page, browser: Browser, server_url: str) -> None:
    visit(page, TINY)
    run_id = begin(page, guess=1)
    ended(page)
    expect(page).to_have_url(re.compile(f"run={run_id}"))
    standing, verdict, drawn = page.locator("#standing"), page.locator("#verdict"), loss(page)
    said = verdict.text_content() or ""

    page.reload()
    expect(standing).to_have_text(FINISHED)
    expect(verdict).to_have_text(said)
    assert loss(page) == drawn
    expect(page.locator("#call")).to_contain_text(re.compile(r'"seed": ?0'))

    page.get_by_label("Seed").fill("7")
    page.goto("/glossary")
    page.go_back()
    expect(standing).to_have_text(FINISHED)
    expect(page.get_by_label("Seed")).to_have_value("7")
    expect(page.locator("#run-settings")).to_contain_text("These curves are of: Seed 0")
    page.locator("#presets a", has_text="Reversing").click()
    expect(page.locator("select[data-bind=task]")).to_have_value("reverse")
    expect(page).to_have_url(re.compile(f"run={run_id}"))
    expect(standing).to_have_text(FINISHED)

    visit(page, LONG)
    run_id = begin(page)
    expect(page).to_have_url(re.compile(f"run={run_id}"))
    page.goto("about:blank")
    page.go_back()
    expect(standing).to_have_text(re.compile("^Learning: step [1-9]"), timeout=LONG_ENOUGH)
    other = browser.new_context(base_url=server_url).new_page()
    other.goto(page.url)
    expect(other.locator("#standing")).to_have_text(re.compile("^Learning"), timeout=LONG_ENOUGH)
    expect(other.locator("#stop")).to_be_disabled()  # somebody else's
    page.get_by_role("button", name="Stop").click()
    for one in (page, other):
        expect(one.locator("#standing")).to_have_text(re.compile("^Stopped"))
    other.context.close()


def test_a_run_that_the_server_has_no_longer_is_said_so(page: Page, problems: Any) -> None:
    problems.expect("404")
    visit(page, TINY + "&seed=3&run=0123456789ab")
    expect(page.locator("#run-problem")).to_contain_text("The server no longer has this run.")
    expect(page.locator("#standing")).to_have_text(re.compile("^A recorded run"))
    expect(page.get_by_label("Seed")).to_have_value("3")
    expect(page).not_to_have_url(re.compile("run="))
    begin(page)
    ended(page)
    expect(page.locator("#run-problem")).to_be_hidden()
