"""Interventions: edits reach the model, are listed, undone and linked, beside the unedited model."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from driving import SENTENCE, answers, cell, choose_example, drawn, expect_address, head, visit, wait_for_map
from playwright.sync_api import Locator, Page, Route, expect

TOKENS = 11
HERE = "/?model=tiny-gpt2&layer=0&head=1&query=5&key=2"


@pytest.fixture(scope="module")
def server_url(models_server_url: str) -> str:
    return models_server_url


def chips(page: Page) -> Locator:
    return page.locator(".chip")


def open_controls(page: Page) -> None:
    page.get_by_text("What if …").click()


def changed_row(page: Page, expected: list[float], query: int = 5) -> None:
    """Wait until the picture's row is this."""
    wait_for_map(page, "arg[1].every((value, key) => Math.abs(cells[arg[0]]?.[key] - value) < 1e-5)", [query, expected])


@pytest.mark.parametrize("width", [1440, 390])
def test_the_card_covers_neither_heads_nor_measures(open_page: Callable[..., Page], width: int) -> None:
    page = open_page(width=width)
    visit(page, f"{HERE}&changes=off-0.1")
    expect(page.locator("#changed")).to_be_visible()
    for place in ("#grid", "#heads"):
        page.locator(place).scroll_into_view_if_needed()
        card, covered = (page.locator(one).bounding_box() for one in ("#changed", place))
        assert card
        assert covered
        apart = [card[side] + card[size] <= covered[side] or covered[side] + covered[size] <= card[side]
                 for side, size in (("x", "width"), ("y", "height"))]  # fmt: skip
        assert any(apart), place


@pytest.mark.gate
def test_an_edge_is_cut_where_one_looks_and_mended_again(page: Page) -> None:
    visit(page, HERE)
    before = drawn(page)
    page.get_by_role("button", name="Cut this edge").click()
    expect(page.locator("#changed")).to_contain_text("This is a changed model")
    expect(chips(page)).to_have_text(re.compile("Layer 0, head 1 cut “·mat” → “·sat”"))
    row = before[5].copy()
    row[2] = 0
    changed_row(page, (row / row.sum()).tolist())
    expect_address(page, changes="cut-0.1-5.2")
    expect(page.get_by_role("button", name="Cut this edge")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Back to the unchanged model").click()
    expect(page.locator("#changed")).to_be_hidden()
    changed_row(page, before[5].tolist())
    page.go_back()
    expect(chips(page)).to_have_count(1)
    changed_row(page, (row / row.sum()).tolist())


@pytest.mark.gate
def test_switching_a_head_off_changes_what_is_predicted(page: Page) -> None:
    visit(page, HERE)
    page.get_by_role("button", name="Switch this head off").click()
    expect(chips(page)).to_have_count(1)
    posted = page.request.post(
        "/api/analyses",
        data={
            "model": "tiny-gpt2",
            "text": SENTENCE,
            "interventions": [{"kind": "head_off", "layer": 0, "heads": [1], "mode": "zero"}],
        },
    ).json()
    best = posted["predictions"][0]["candidates"][0]
    value = page.locator("#predictions .reads-value").first
    expect(value).to_have_text(f"{best['probability']:.3f}")
    expect(page.locator("#likeliest .reads-value").first).to_have_text(f"{best['probability']:.3f}")
    unchanged = page.request.post("/api/analyses", data={"model": "tiny-gpt2", "text": SENTENCE}).json()
    before = unchanged["predictions"][0]["candidates"][0]
    effect = page.locator(".changed-token").first
    expect(effect).to_contain_text(before["text"].strip())
    expect(effect).to_contain_text(f"{before['probability']:.2f} → ")
    page.get_by_role("button", name="Side by side").click()
    expect(page.get_by_role("tab", name="Compare")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".compare-title").nth(0)).to_have_text(re.compile("^Before "))
    expect(page.locator(".compare-title").nth(2)).to_have_text("After − before")
    # The head itself keeps its weights: another is opened, whose weights change.
    expect_address(page, layer="1")
    expect(page.locator(".compare-changed [aria-pressed=true]")).to_have_count(1)
    expect(page.locator(".compare-note:visible")).to_have_count(0)
    head(page, 0, 1).click()
    expect(page.locator(".compare-note:visible")).to_contain_text("No weight of this head changes. Switching it off")
    expect(page.locator(".pairs tbody tr").first.locator("td").nth(1)).to_have_text(f"{best['probability']:.3f}")


def test_a_model_that_predicts_nothing_says_what_became_of_its_embedding(page: Page) -> None:
    page.goto("/?changes=off-5.11")
    expect(page.locator(".changed-words")).to_contain_text("a head that is off keeps its weights")
    expect(page.locator(".changed-effect")).to_have_text(
        "Embedding of the text: length 5.71 → 4.99cosine with before 0.856"
    )


@pytest.mark.parametrize(
    ("button", "change", "row"),
    [
        ("attends to all equally", "uniform-0.1", [1 / 6] * 6),
        ("attends to the previous token", "previous-0.1", [0, 0, 0, 0, 1, 0]),
        ("“·mat” attends only to “·sat”", "row-0.1-5-2*1", [0, 0, 1, 0, 0, 0]),
        ("“·mat” attends to all equally", "row-0.1-5", [1 / 6] * 6),
    ],
)
def test_a_head_reads_as_it_is_told(page: Page, button: str, change: str, row: list[float]) -> None:
    visit(page, HERE)
    open_controls(page)
    page.locator("#changes").get_by_role("button", name=button, exact=True).click()
    changed_row(page, row + [0] * (TOKENS - 6))
    expect_address(page, changes=change)
    pressed = page.locator("#changes").get_by_role("button", name=button, exact=True)
    expect(pressed).to_have_attribute("aria-pressed", "true")
    expect(pressed).to_be_focused()
    pressed.click()
    expect(page.locator("#changed")).to_be_hidden()


def test_temperature_by_the_keyboard(page: Page) -> None:
    visit(page, HERE)
    page.locator("input[name=stage][value=scaled_scores]").check()
    wait_for_map(page, "limits[0] < 0")
    before = drawn(page)
    open_controls(page)
    slider = page.get_by_role("slider", name="temperature")
    slider.focus()
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    expect(chips(page)).to_have_text(re.compile("Layer 0, head 1 temperature 0.5"))
    changed_row(page, (before[5] / 0.5).tolist())
    expect_address(page, changes="temperature-0.1-0.5")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#changed")).to_be_hidden()


def test_a_whole_layer_is_changed_at_once(page: Page) -> None:
    visit(page, HERE)
    open_controls(page)
    page.get_by_label("Change", exact=True).select_option("layer")
    page.locator("#changes").get_by_role("button", name="attends to the previous token").click()
    expect(chips(page)).to_have_text(re.compile("Layer 0, all heads attends to the previous token"))
    head(page, 0, 3).click()
    changed_row(page, [0, 0, 0, 0, 1, 0])
    expect_address(page, changes="previous-0.all")


def test_changes_are_removed_and_undone_one_by_one(page: Page) -> None:
    visit(page, f"{HERE}&changes=off-0.0_temperature-1.3-0.25")
    expect(chips(page)).to_have_count(2)
    expect(page.get_by_role("button", name="Undo")).to_be_hidden()
    page.get_by_role("button", name="Remove: Layer 0, head 0, off").click()
    expect(chips(page)).to_have_text(re.compile("temperature 0.25"))
    page.get_by_role("button", name="Undo").click()
    expect(chips(page)).to_have_count(2)
    page.wait_for_url("**changes=off-0.0_temperature-1.3-0.25*")


def test_several_chosen_heads_go_off_in_one_step_and_come_back_in_one(page: Page) -> None:
    visit(page, f"{HERE}&heads=0.2_1.0_1.3")
    expect(page.get_by_role("button", name="Switch this head off")).to_be_visible()
    with page.expect_response(lambda response: response.url.endswith("/api/analyses")) as answer:
        page.get_by_role("button", name="Switch these 4 heads off").click()
    sent = answer.value.request.post_data_json["interventions"]
    assert [(one["kind"], one["layer"], one["heads"]) for one in sent] == [
        ("head_off", 0, [1]),
        ("head_off", 0, [2]),
        ("head_off", 1, [0]),
        ("head_off", 1, [3]),
    ]
    expect_address(page, changes="off-0.1_off-0.2_off-1.0_off-1.3")
    expect(chips(page)).to_have_text(re.compile("^L0 H1, L0 H2 and 2 more off"))
    page.get_by_role("button", name="L0 H1, L0 H2 and 2 more", exact=True).click()
    expect(chips(page)).to_have_count(4)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#changed")).to_be_hidden()
    expect_address(page, changes=None)

    page.get_by_role("tab", name="Heads").click()
    page.get_by_role("checkbox", name="Also draw Layer 1, head 3").uncheck()
    page.get_by_role("button", name="Switch these 3 heads off").click()
    expect_address(page, changes="off-0.1_off-0.2_off-1.0")
    expect(page.get_by_role("button", name="Switch these 3 heads off")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Remove: L0 H1, L0 H2, L1 H0, off").click()
    expect_address(page, changes=None)
    page.get_by_role("group", name="What if: 3 chosen heads").get_by_role("button", name="attends to all").click()
    expect_address(page, changes="uniform-0.1_uniform-0.2_uniform-1.0")


def test_a_chip_is_not_replaced_while_it_may_be_pressed(page: Page) -> None:
    visit(page, f"{HERE}&changes=previous-0.1")
    chip = chips(page).element_handle()
    page.get_by_role("radio", name="Before").check()
    expect(page.locator("#changed")).to_contain_text("This is the unchanged model")
    page.wait_for_selector("#bench[data-freshness=fresh]")
    assert chip.evaluate("(one) => one.isConnected")


def test_before_is_one_click_away_and_in_the_link(page: Page) -> None:
    visit(page, f"{HERE}&changes=previous-0.1")
    changed_row(page, [0, 0, 0, 0, 1, 0])
    page.get_by_role("radio", name="Before").check()
    expect(page.locator("#changed")).to_contain_text("This is the unchanged model")
    wait_for_map(page, "cells[5][4] < 0.5")
    expect_address(page, baseline="1")
    page.get_by_role("button", name="Side by side").click()
    maps = page.locator("#panel-compare .readout")
    expect(maps.nth(1)).to_contain_text("masked")  # after stands second, whichever the page shows
    expect(maps.nth(2).locator("strong")).to_have_text(re.compile(r"0\.(1[2-9]|2[01])\d\d$"))  # about 1 / 6


def test_what_the_model_does_not_have_is_said_at_the_changes(page: Page, problems: Any) -> None:
    problems.expect("console: .*422")
    page.goto(f"{HERE}&changes=off-7.0")
    expect(page.locator("#changed .field-error")).to_contain_text("layer")
    page.get_by_role("button", name=re.compile("^Remove: ")).click()
    expect(page.locator("#changed")).to_be_hidden()
    expect(page.locator(".token")).to_have_count(TOKENS)


def test_a_cell_picked_elsewhere_is_the_one_that_is_cut(page: Page) -> None:
    visit(page, HERE)
    page.mouse.click(*cell(page, 3, 1, TOKENS))
    expect(page.locator("#matrix .readout")).to_contain_text("·on → ·cat")
    page.get_by_role("button", name="Cut this edge").click()
    expect(chips(page)).to_have_text(re.compile("cut “·on” → “·cat”"))


def test_the_comparison_with_the_library_is_of_the_model_as_it_is(page: Page) -> None:
    visit(page, f"{HERE}&changes=off-0.1")
    sent: list[Any] = []

    def look(route: Route) -> None:
        sent.append(route.request.post_data_json)
        route.continue_()

    with answers(page, "**/api/analyses", look):
        page.get_by_role("button", name="Compare with the library's own attention").click()
        expect(page.locator(".parity .is-good")).to_be_visible()
    assert sent == [{"model": "tiny-gpt2", "text": SENTENCE, "parity": True}]


def test_undo_brings_back_no_change_of_another_model(page: Page) -> None:
    visit(page)  # a model of twelve heads
    off = page.get_by_role("button", name="Switch this head off")
    for pressed in ("true", "false"):
        off.click()
        expect(off).to_have_attribute("aria-pressed", pressed)
    choose_example(page, "Repetition in a decoder")  # of six
    expect(page.locator("#grid-size")).to_have_text("6 layers × 6 heads")
    off.click()
    expect(chips(page)).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(chips(page)).to_have_count(0)
    page.go_back()
    expect(chips(page)).to_have_count(1)
    expect(page.get_by_role("button", name="Undo")).to_be_hidden()


def test_what_is_pressed_while_another_text_comes_back_is_of_the_head_on_the_screen(page: Page) -> None:
    """The address that Back brings names a head that the model has not."""
    visit(page, HERE)
    page.evaluate(
        """() => {
          const here = location.href;
          history.replaceState(null, "", "/?model=tiny-gpt2&text=Another+text&layer=9&head=10");
          history.pushState(null, "", here);
          addEventListener("popstate", () => document.querySelector("#quick-off").click(), { once: true });
          history.back();
        }"""
    )
    expect(chips(page)).to_have_count(1)
    page.wait_for_selector("#bench[aria-busy=false]")
    expect(page.locator("#composer textarea").first).to_have_value("Another text")
    expect_address(page, changes="off-0.1")
