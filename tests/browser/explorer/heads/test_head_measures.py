"""On-demand head measures in the grid, the table of heads, and the head's profile.

Oracle: the API's own scores, asked for beside the page, which tests of the core compare with naive loops.
"""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from driving import MODEL, PLOTTED, SETTLED, Traffic, answer_matrix, answers, cell, expect_address, head, visit
from playwright.sync_api import Browser, Locator, Page, expect
from settling import until

TEXT = "The cat sat on the mat."
GPT2 = f"/?model=tiny-gpt2&text={TEXT}"
BUTTON = "Measure induction (random tokens)"
TITLES = ["Induction", "Duplicate token", "Previous token (random text)"]
NAMES = ["induction", "duplicate_token", "previous_token_random"]
CALL = "**/api/head_scores**"


@pytest.fixture(scope="module")
def server_url(models_server_url: str) -> str:
    return models_server_url


def scores_of(page: Page, model: str, name: str, part: int = 0) -> np.ndarray[Any, Any]:
    answer = page.request.get("/api/head_scores", params={"model": model}).json()
    return np.array(answer["parts"][part]["scores"][name])


def asked(page: Page) -> list[str]:
    """What the page asks `/api/head_scores` for, from now on."""
    found: list[str] = []
    page.on("request", lambda request: "/api/head_scores" in request.url and found.append(request.url))
    return found


def lines(page: Page) -> Locator:
    """Of what the chosen head is like."""
    return page.locator("#heads .metric-title")


def test_nothing_is_measured_until_somebody_asks(page: Page) -> None:
    calls = asked(page)
    page.goto(f"{GPT2}&view=heads")
    expect(page.locator(".heads-table tbody tr")).to_have_count(8)
    Traffic(page).settle()
    assert calls == []
    assert not set(TITLES) & set(lines(page).all_text_contents())


def test_heads_are_found_by_the_chosen_cell(page: Page) -> None:
    analysis = page.request.post("/api/analyses", data={"model": "tiny-gpt2", "text": TEXT}).json()
    layers, heads = (analysis["parts"][0][name] for name in ("layers", "heads"))
    weights = {
        at: answer_matrix(page, f"/api/analyses/{analysis['id']}/weights?layer={at[0]}&head={at[1]}&stage=weights")[
            4, 1
        ]
        for at in np.ndindex(layers, heads)
    }
    visit(page, GPT2)
    page.mouse.click(*cell(page, 4, 1, len(analysis["tokens"])))
    page.get_by_role("button", name="Find heads by this cell").click()
    expect_address(page, query="4", key="1", metric="cell_weight", sorted="1")
    found = sorted(weights, key=lambda at: -weights[at])
    names = [f"Layer {layer}, head {number}, Weight at the cell" for layer, number in found]
    cells = page.locator("#grid [role=gridcell]")
    expect(cells.first).to_have_accessible_name(re.compile(f"^{names[0]}"))
    assert [text.split(" L")[0] for text in cells.locator(".visually-hidden").all_text_contents()] == names
    shown = [float(text) for text in cells.locator(".grid-value").all_text_contents()]
    assert shown == pytest.approx([weights[at] for at in found], abs=0.0051)
    page.get_by_role("button", name="Find heads by this cell").click()
    expect_address(page, metric=None, sorted=None)


def test_the_button_brings_the_measures_into_table_and_lines(page: Page) -> None:
    page.goto(f"{GPT2}&view=heads&layer=1&head=2")
    page.locator("#panel-heads").get_by_role("button", name=BUTTON).click()
    expect(page.get_by_role("button", name="Induction", exact=True)).to_be_visible()
    expect_address(page, measures="random")
    scores = scores_of(page, "tiny-gpt2", "induction")
    page.get_by_role("button", name="Induction", exact=True).click()
    expect(page.locator("th[aria-sort=descending]")).to_have_text(re.compile("Induction"))
    column = page.locator(".heads-table thead th").all_inner_texts().index("Induction ▾") + 1
    shown = [float(text) for text in page.locator(f".heads-table tbody td:nth-child({column})").all_text_contents()]
    assert shown == pytest.approx(sorted(scores.flat, reverse=True), abs=0.0051)
    assert lines(page).all_text_contents()[-3:] == TITLES
    values = page.locator("#heads .metric-value").all_text_contents()[-3:]
    expected = [scores_of(page, "tiny-gpt2", name)[1, 2] for name in NAMES]
    assert [float(value) for value in values] == pytest.approx(expected, abs=0.0051)
    page.get_by_text("What the measures mean").click()
    notes = page.locator(".metric-notes")
    expect(notes).to_contain_text("Olsson et al. (2022), prefix matching")
    expect(notes).to_contain_text(
        "4 texts of 34 random tokens, each repeated once. A property of the model, independent of the text."
    )
    page.reload()
    expect(page.locator("th[aria-sort=descending]")).to_have_text(re.compile("Induction"))
    page.go_back()
    expect(page.locator("th[aria-sort=descending]")).to_have_count(0)
    page.go_back()
    expect(page.locator("#panel-heads").get_by_role("button", name=BUTTON)).to_be_visible()
    assert not set(TITLES) & set(lines(page).all_text_contents())


@pytest.mark.gate
def test_heads_are_filtered_by_them(page: Page) -> None:
    scores = scores_of(page, "tiny-gpt2", "duplicate_token")
    limit = np.sort(scores.flat)[2:4].mean()
    page.goto(f"{GPT2}&view=heads&limits=duplicate_token~{limit:.8f}~")
    expect(page.locator(".heads-table tbody tr")).to_have_count(5)


def test_the_grid_is_coloured_and_sorted_by_them(page: Page) -> None:
    page.goto(f"/?model={MODEL}&text={TEXT}")
    until(page, PLOTTED)
    page.locator("#metric").select_option(label="Previous token (random text)")
    scores = scores_of(page, MODEL, "previous_token_random")
    expect(page.locator(".grid-value")).to_have_count(72)
    assert np.unravel_index(scores.argmax(), scores.shape) == (0, 2)
    head(page, 0, 2).hover()
    expect(page.locator("#grid-readout")).to_contain_text("Layer 0, head 2 · Previous token (random text) 0.")
    written = re.findall(r"0\.\d+", page.locator("#grid-readout").inner_text())[0]
    assert float(written) == pytest.approx(scores.max(), abs=1e-4)
    page.get_by_label("Largest first").check()
    expect(page.locator(".grid-name").first).to_have_text("L0 H2")
    page.reload()
    expect(page.locator(".grid-name").first).to_have_text("L0 H2")
    expect(page.locator("#metric")).to_have_value("previous_token_random")


def test_they_are_kept_for_a_model_whatever_the_text(page: Page) -> None:
    calls = asked(page)
    page.goto(f"{GPT2}&measures=random")
    expect(lines(page).last).to_have_text(TITLES[-1])
    page.locator("#text").fill("Whoever reads this sentence twice")
    page.keyboard.press("Enter")
    expect(page.locator(".token").first).to_contain_text("Whoever")
    until(page, SETTLED)
    assert lines(page).all_text_contents()[-3:] == TITLES
    assert len(calls) == 1


def test_progress_is_shown_and_measuring_can_be_stopped(page: Page) -> None:
    with answers(page, CALL, lambda _route: None):
        page.goto(GPT2)
        page.locator("#measures").get_by_role("button", name=BUTTON).press("Enter")
        grid = page.locator("#measuring")
        expect(grid.get_by_role("status")).to_have_text("Measuring on random tokens …")
        expect(page.locator("#measures")).to_have_attribute("aria-busy", "true")
        expect(page.locator("#measures").get_by_role("button", name="Stop")).to_be_focused()
        page.keyboard.press("Enter")
        expect(grid).to_be_empty()
        expect_address(page, measures=None)
    expect(page.locator("#measures").get_by_role("button", name=BUTTON)).to_be_focused()


def test_a_failure_is_told_in_place_and_can_be_tried_again(page: Page, problems: Any) -> None:
    problems.expect("status of 503")
    error = {"error": {"code": "timeout", "message": "This took too long.", "field": None, "limit": None}}
    with answers(page, CALL, lambda route: route.fulfill(status=503, body=json.dumps(error))):
        page.goto(f"{GPT2}&view=heads&order=-induction")
        expect(page.locator("#measuring").get_by_role("alert")).to_have_text("This took too long.")
        expect(page.locator(".heads-table tbody tr")).to_have_count(8)
    page.locator("#measuring").get_by_role("button", name="Try again").click()
    expect(page.locator("th[aria-sort=descending]")).to_have_text(re.compile("Induction"))
    expect(page.locator("#measuring")).to_be_empty()


def test_leaving_them_out_takes_them_out_of_the_address(page: Page) -> None:
    page.goto(
        f"{GPT2}&view=heads&metric=induction&sorted=1&order=-induction&limits=entropy~0.1~__induction~0~&measures=random"
    )
    expect(page.locator("th[aria-sort=descending]")).to_have_text(re.compile("Induction"))
    page.locator("#panel-heads").get_by_role("button", name="Remove").click()
    expect(page.get_by_role("button", name="Induction", exact=True)).to_have_count(0)
    expect_address(page, limits="entropy~0.1~", metric=None, sorted=None, order=None, measures=None)


def test_of_a_changed_model_it_is_said_that_they_are_of_the_unchanged(page: Page) -> None:
    page.goto(f"{GPT2}&changes=off-0.1&measures=random")
    expect(page.locator("#measures")).to_contain_text("A property of the unchanged model, independent of the text.")
    page.locator(".metric-title").last.click()
    expect(page.locator("#heads div.note:visible")).to_contain_text("A property of the unchanged model")


def test_parts_that_read_another_text_and_pictures_have_none(page: Page) -> None:
    calls = asked(page)
    page.goto(f"/?model=tiny-t5&text={TEXT}&target=A small&part=cross&layer=0&head=0&metric=induction&measures=random")
    until(page, PLOTTED)
    expect(page.locator("#metric option[value=induction]")).to_have_count(0)
    expect(page.get_by_role("button", name=BUTTON)).to_have_count(0)
    Traffic(page).settle()
    assert calls == []
    page.locator("#parts label").nth(1).click()
    expect(lines(page).last).to_have_text(TITLES[-1])
    decoder = scores_of(page, "tiny-t5", "previous_token_random", part=1)
    shown = float(page.locator("#heads .metric-value").last.inner_text())
    assert shown == pytest.approx(decoder[0, 0], abs=0.0051)
    calls.clear()
    page.goto("/?model=tiny-vit&picture=shapes&measures=random")
    until(page, PLOTTED)
    Traffic(page).settle()
    expect(page.get_by_role("button", name=BUTTON)).to_have_count(0)
    assert calls == []


def test_a_saved_page_holds_what_was_shown(page: Page, browser: Browser, tmp_path: Path) -> None:
    page.goto(f"{GPT2}&metric=induction&layer=1&head=0")
    expect(page.locator(".grid-value")).to_have_count(8)
    page.locator("#export > summary").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="A page that works offline").click()
    download.value.save_as(tmp_path / "saved.html")
    context = browser.new_context(offline=True)
    complaints: list[str] = []
    context.on("console", lambda message: complaints.append(message.text))
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    saved = context.new_page()
    saved.goto((tmp_path / "saved.html").as_uri())
    saved.locator("#metric").select_option(label="Induction")
    expect(saved.locator(".grid-value")).to_have_count(8)
    expect(saved.locator("#grid-readout")).to_contain_text("Layer 1, head 0 · Induction")
    number = float(saved.locator("#grid-readout").inner_text().split()[-1])
    assert number == pytest.approx(scores_of(page, "tiny-gpt2", "induction")[1, 0], abs=1e-4)
    saved.locator(".metric-title").last.click()
    expect(saved.locator("#heads div.note:visible")).to_contain_text(
        "A property of the model, independent of the text."
    )
    context.close()
    assert complaints == []
