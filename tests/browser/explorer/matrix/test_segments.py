"""Two texts in one analysis: which attends to which, in the matrix and the lines.

Oracle: the API's weights, cut where the tokens' own `segment` changes.
"""

import re
from typing import Any

import numpy as np
import pytest
from driving import MODEL, answer_matrix, expect_address, expect_drawn, visit
from playwright.sync_api import Locator, Page, expect

FIRST, SECOND = "Where does the river begin?", "It begins in the mountains."
ADDRESS = f"/?model={MODEL}&text={FIRST}&pair={SECOND}&layer=3&head=1"
NAMES = ["all", "first → first", "first → second", "second → first", "second → second"]


@pytest.fixture
def analysis(page: Page) -> dict[str, Any]:
    return page.request.post("/api/analyses", data={"model": MODEL, "text": FIRST, "text_pair": SECOND}).json()


def whole(page: Page, analysis: dict[str, Any]) -> np.ndarray[Any, Any]:
    return answer_matrix(page, f"/api/analyses/{analysis['id']}/weights?layer=3&head=1&stage=weights")


def border(analysis: dict[str, Any]) -> int:
    segments = [token["segment"] for token in analysis["tokens"]]
    assert segments == sorted(segments)
    assert {0, 1} == set(segments)
    return segments.index(1)


def button(page: Page, name: str) -> Locator:
    group = page.locator(".segments:visible")
    return group.get_by_role("button", name=name, exact=True)


@pytest.mark.gate
def test_each_pair_of_texts_is_a_window_of_the_matrix(page: Page, analysis: dict[str, Any]) -> None:
    at, weights = border(analysis), whole(page, analysis)
    visit(page, ADDRESS)
    expect(page.locator(".segments:visible button")).to_have_text(NAMES)
    expect(button(page, "all")).to_have_attribute("aria-pressed", "true")
    ranges = {"first": slice(0, at), "second": slice(at, len(weights))}
    for name in NAMES[1:]:
        button(page, name).click()
        down, across = (ranges[side] for side in name.split(" → "))
        expect_drawn(page, weights[down, across])
        expect(page.locator('.segments:visible [aria-pressed="true"]')).to_have_text(name)
    expect_address(page, rows=f"{at}:{len(weights)}", cols=f"{at}:{len(weights)}")
    page.go_back()
    expect(button(page, "second → first")).to_have_attribute("aria-pressed", "true")
    expect_drawn(page, weights[at:, :at])
    page.reload()
    expect(button(page, "second → first")).to_have_attribute("aria-pressed", "true")
    expect_drawn(page, weights[at:, :at])


def test_keys_choose_and_a_further_zoom_presses_none(page: Page, analysis: dict[str, Any]) -> None:
    visit(page, ADDRESS)
    button(page, "first → first").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(button(page, "first → second")).to_have_attribute("aria-pressed", "true")
    expect(button(page, "first → second")).to_be_focused()
    expect_drawn(page, whole(page, analysis)[: border(analysis), border(analysis) :])
    page.get_by_role("button", name="Zoom in", exact=True).click()
    expect(page.locator('.segments:visible [aria-pressed="true"]')).to_have_count(0)
    button(page, "all").press("Space")
    expect_drawn(page, whole(page, analysis))


def test_lines_run_between_the_texts_chosen(page: Page, analysis: dict[str, Any]) -> None:
    at = border(analysis)
    labels = [token["text"].removeprefix("##") for token in analysis["tokens"]]
    page.goto(f"{ADDRESS}&view=lines&rows={at}:{len(labels)}&cols=0:{at}")
    queries, keys = (page.locator(f".lines-column.is-{side} [role=option]") for side in ("query", "key"))
    expect(queries).to_have_count(len(labels) - at)
    expect(keys).to_have_count(at)
    expect(button(page, "second → first")).to_have_attribute("aria-pressed", "true")
    expect(queries.first).to_contain_text(labels[at])
    expect(keys.last).to_contain_text(labels[at - 1])
    button(page, "all").click()
    expect(queries).to_have_count(len(labels))
    expect(keys).to_have_count(len(labels))


def test_the_strongest_line_between_texts_is_the_api_s(page: Page, analysis: dict[str, Any]) -> None:
    at, weights = border(analysis), whole(page, analysis)
    query = at + 1
    page.goto(f"{ADDRESS}&view=lines&rows={at}:{len(weights)}&cols=0:{at}&query={query}&lock=query&top=1")
    strongest = int(weights[query, :at].argmax())
    label = analysis["tokens"][strongest]["text"]
    readout = page.locator(".lines-readout")
    expect(readout).to_contain_text(label)
    shown = float(re.findall(r"0\.\d+", readout.inner_text())[0])
    assert shown == pytest.approx(weights[query, strongest], abs=0.0051)


def test_a_single_text_has_no_such_choice(page: Page) -> None:
    visit(page, f"/?model={MODEL}&text={FIRST}")
    expect(page.locator(".segments")).to_have_count(0)
    page.get_by_role("tab", name="Lines").click()
    expect(page.locator(".lines-token").first).to_be_visible()
    expect(page.locator(".segments")).to_have_count(0)
