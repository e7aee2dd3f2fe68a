"""Failing, hanging or unreachable servers: few requests, errors in place, recovery without reload.

Time is Playwright's: minutes pass within a moment. Between the page and the real server stands a route that fails.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from driving import PLOTTED, expect_fits, head, visit, without_answers
from playwright.sync_api import Page, Route, expect
from profiles import Profiles
from settling import until


class Gate:
    """Answers requests itself while ``fails`` says how; counts those it has seen."""

    def __init__(self) -> None:
        self.fails: str | int | None = None
        self.seen = 0
        self.held: list[Route] = []

    def __call__(self, route: Route) -> None:
        self.seen += 1
        if self.fails is None:
            route.continue_()
        elif self.fails == "away":
            route.abort("connectionrefused")
        elif self.fails == "hang":
            self.held.append(route)
        else:
            error = {"code": "server_busy", "message": f"Refused with {self.fails}.", "field": None, "limit": None}
            headers = {"Retry-After": "7"} if self.fails == 503 else {}
            route.fulfill(status=int(self.fails), headers=headers, json={"error": error})


@contextmanager
def gate(page: Page, address: str, problems: Any) -> Iterator[Gate]:
    """Stand between the page and what matches; what fails here is meant to."""
    problems.expected.append("console: Failed to load resource")  # not every way to fail is told there
    problems.expected.append("request failed: ")
    made = Gate()
    page.route(address, made)
    yield made
    made.fails = None
    for pattern in ("console: Failed to load resource", "request failed: "):
        if not any(re.search(pattern, found) for found in problems.found):
            problems.expected.remove(pattern)


def pass_time(page: Page, seconds: int) -> None:
    """Let so many seconds pass, each with what happens in it."""
    for _ in range(0, seconds, 5):
        page.clock.run_for(5000)


MESSAGES = {"away": "The server cannot be reached.", 404: "Refused with 404."}


@pytest.mark.gate("away")
@pytest.mark.parametrize("fails", ["away", 404, "hang"])  # any other: tests/js/cached_resource.test.js
def test_the_matrix_says_it_in_place_without_a_storm_and_comes_back(
    page: Page, profiles: Profiles, problems: Any, fails: str | int
) -> None:
    profiles.freeze_time(page)
    visit(page)
    with gate(page, "**/weights?*", problems) as server:
        server.fails = fails
        head(page, 1, 1).click()
        place = page.locator("#matrix-problem")
        if fails == "hang":
            page.clock.run_for(5500)
            expect(place.get_by_role("status").first).to_have_text("The server has not answered yet.")
            page.clock.run_for(41_000)
            expect(place.get_by_role("alert")).to_have_text("The server has not responded for 45 seconds.")
        else:
            expect(place.get_by_role("alert")).to_have_text(MESSAGES[fails])
        expect(place.get_by_role("button", name="Try again")).to_be_visible()
        expect(page.locator(".matrix-missing")).to_be_visible()
        pass_time(page, 60)
        assert server.seen <= (1 if fails == 404 else 8)
        if fails == 404:
            expect(place).not_to_contain_text("Trying again")
            server.fails = None
            place.get_by_role("button", name="Try again").click()
        else:
            assert server.seen >= 3 or fails == "hang"
            server.fails = None
            pass_time(page, 40)
        expect(place).to_be_hidden()
        until(page, PLOTTED)
        expect(page.locator(".matrix-missing")).to_have_count(0)


def test_every_part_of_the_page_says_what_it_lacks_and_all_come_back(
    page: Page, profiles: Profiles, problems: Any
) -> None:
    profiles.freeze_time(page)
    visit(page)
    with gate(page, "**/api/**", problems) as server:
        server.fails = "away"
        head(page, 1, 1).click()
        for place in ("#matrix-problem", "#distribution-problem"):
            expect(page.locator(f"{place} [role=alert]")).to_have_text(MESSAGES["away"])
        for view in ("Lines", "Token", "Rollout", "Vectors", "Output"):
            page.get_by_role("tab", name=view, exact=True).click()
            panel = page.locator(f"#panel-{view.lower()}")
            expect(panel.locator("[role=alert]:visible").first).to_have_text(MESSAGES["away"])
            expect(panel.get_by_role("button", name="Try again").first).to_be_visible()
        pass_time(page, 60)
        assert server.seen <= 40  # six kinds of requests, each with its own
        server.fails = None
        page.evaluate("() => dispatchEvent(new Event('online'))")
        page.clock.run_for(1000)
        expect(page.locator("[role=alert]:visible")).to_have_count(0)
        expect(page.locator("#distribution .plot")).to_be_visible()


def test_an_analysis_waits_for_the_server_and_keeps_the_text(page: Page, profiles: Profiles, problems: Any) -> None:
    profiles.freeze_time(page)
    visit(page)
    run = page.locator("#run")
    place = run.bounding_box()
    with gate(page, "**/api/analyses", problems) as server:
        server.fails = "away"
        page.locator("#text").fill("Sent while the network was gone.")
        for click_count in (1, 2):  # a double click: the first turns the button into Cancel
            run.hover()
            page.mouse.down(click_count=click_count)
            page.mouse.up(click_count=click_count)
            page.clock.run_for(100)
            expect(run).to_have_text("Cancel")
        expect(page.locator("#progress")).to_contain_text("The server cannot be reached.")
        expect(page.locator("#progress")).to_contain_text("Next attempt in")
        assert run.bounding_box() == place
        pass_time(page, 60)
        assert 3 <= server.seen <= 8
        expect(page.locator("#text")).to_have_value("Sent while the network was gone.")
        server.fails = None
        pass_time(page, 40)
        expect(page.locator(".token").first).to_contain_text("[CLS]")
        expect(page.locator(".token")).not_to_have_count(13)


def test_a_page_that_opens_while_the_list_of_models_fails_gets_it_later(
    page: Page, profiles: Profiles, problems: Any
) -> None:
    profiles.freeze_time(page)
    without_answers(page)
    with gate(page, "**/api/models", problems) as server:
        server.fails = 503
        page.goto("/")
        expect(page.locator("#progress")).to_contain_text("Refused with 503.")
        pass_time(page, 30)
        assert server.seen <= 4
        server.fails = None
        pass_time(page, 20)
        until(page, PLOTTED)
        expect(page.locator("#progress [role=alert]")).to_be_hidden()


def test_a_concepts_page_keeps_its_picture_and_comes_back(page: Page, profiles: Profiles, problems: Any) -> None:
    profiles.freeze_time(page)
    page.goto("/rope")
    expect(page.locator("#concept")).to_have_attribute("aria-busy", "false")
    with gate(page, "**/api/rope", problems) as server:
        server.fails = 503
        page.locator("#presets a").nth(1).click()
        place = page.locator("#problem")
        expect(place.get_by_role("alert")).to_have_text("Refused with 503.")
        expect(place).to_contain_text("Trying again in")
        expect(page.locator("#concept")).to_have_attribute("data-stale", "")
        expect(page.locator("#concept svg").first).to_be_visible()
        page.evaluate("() => scrollTo(0, 500)")
        expect(place).to_be_in_viewport()
        pass_time(page, 60)
        assert 3 * 2 <= server.seen <= 8 * 2  # a question is two calls
        server.fails = None
        place.get_by_role("button", name="Try again").press("Enter")
        expect(place).to_be_hidden()
        expect(page.locator("#concept")).not_to_have_attribute("data-stale", "")


IN_PANEL = """(matrix) => matrix.getBoundingClientRect().top -
  document.querySelector("#panel-matrix").getBoundingClientRect().top"""


def test_the_failure_fits_a_phone_and_everyone(each_look: Page, axe: Callable[[Page], None], problems: Any) -> None:
    visit(each_look)
    with gate(each_look, "**/weights?*", problems) as server:
        server.fails = 503
        matrix = each_look.locator("#matrix").evaluate(IN_PANEL)
        each_look.get_by_role("gridcell").nth(13).click()
        place = each_look.locator("#matrix-problem")
        expect(place.get_by_role("alert")).to_be_visible()
        assert each_look.locator("#matrix").evaluate(IN_PANEL) == matrix, "the failure moves nothing"
        expect_fits(each_look, axe)
        server.fails = None
        place.get_by_role("button").press("Enter")
        expect(place).to_be_hidden()
